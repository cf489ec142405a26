"""One sweep of message passing, compiled; `twin.py` is the same in plain NumPy and says what happens.

Everything compiled is in this one module: numba's cache does not notice a change in another file.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from steelyard.models.steelyard.arrays import Messages, Ratings, Sums, Terms

ROOT_HALF = math.sqrt(0.5)
LOG_ROOT_TAU = 0.5 * math.log(2.0 * math.pi)
AHEAD = 24  # ratings between asking memory for an item and reading it
FLAT = 1e-3  # slopes and truncations flatter than this say nothing


@intrinsic
def _fetch(typing, table, row):  # type: ignore[no-untyped-def]
    """Ask memory for a row of a table that will be read some ratings later."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        zero = context.get_constant(types.intp, 0)
        at = cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
            context, builder, signature.args[0], array, [arguments[1], zero]
        )
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, shape, "llvm.prefetch.p0i8"
        )
        for_writing, keep_long, as_values = number(1), number(3), number(1)
        builder.call(prefetch, [builder.bitcast(at, byte), for_writing, keep_long, as_values])
        return context.get_dummy_value()

    return types.void(table, row), generate


@njit(cache=True, error_model="numpy")
def _log_tail(z):  # type: ignore[no-untyped-def]
    """Log of Phi(z), by the asymptotic series in the far tail."""
    if z > -8.0:
        return math.log(0.5 * math.erfc(-z * ROOT_HALF))
    return -0.5 * z * z - LOG_ROOT_TAU - math.log(-z) - 1.0 / (z * z)


@njit(cache=True, error_model="numpy")
def _cut(z):  # type: ignore[no-untyped-def]
    """phi(z) / Phi(z), and the share of variance that cutting a Gaussian at z removes."""
    hazard = math.exp(-0.5 * z * z - LOG_ROOT_TAU - _log_tail(z))
    return hazard, min(max(hazard * (hazard + z), FLAT), 0.999)


@njit(cache=True, error_model="numpy", inline="always")
def _honest_log(ratings, terms, old, t, items, shift, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Log-likelihood of one list's answers, each from all others, at the slope of an honest rater."""
    first, size, a = ratings.start[t], ratings.start[t + 1] - ratings.start[t], ratings.rater[t]
    slope = terms.honest_slope[a]
    mean, variance = items
    precision, pull = shift[0], shift[0] * shift[1]
    certainty, gap = scratch
    for j in range(size):
        o = first + j
        v, m = variance[j], mean[j]
        own = terms.noise_variance[a] / ratings.weight[o] + old.blur[o]
        certainty[j] = 1.0 / (slope * slope * v + own)
        gap[j] = old.answer[o] - terms.centre - slope * m
        precision += certainty[j]
        pull += gap[j] * certainty[j]
    log_likelihood, widths = 0.0, 1.0
    for j in range(size):
        o = first + j
        other = 1.0 / (precision - certainty[j])
        miss = gap[j] - (pull - gap[j] * certainty[j]) * other
        wide = 1.0 / certainty[j] - old.blur[o] + other
        if ratings.ends[o] == 0:
            widths *= wide
            log_likelihood -= LOG_ROOT_TAU + 0.5 * miss * miss / wide
            if widths < 1e-100:  # one logarithm for many answers
                log_likelihood -= 0.5 * math.log(widths)
                widths = 1.0
        else:
            edge = ratings.low if ratings.ends[o] < 0 else ratings.high
            log_likelihood += _log_tail(ratings.ends[o] * (old.answer[o] - miss - edge) / math.sqrt(wide))
    return log_likelihood - 0.5 * math.log(widths)


@njit(cache=True, error_model="numpy")
def sweep(  # noqa: PLR0915 - one loop: calls between its parts would cost more than they tell
    ratings: Ratings, terms: Terms, old: Messages, honest: bool
) -> tuple[Messages, Sums]:
    """New messages after one pass through all lists, and the sums that learning needs.

    `honest` asks for the sums that tell honest raters from spammers, which cost half as much again.
    """
    raters = len(terms.slope)
    rating_precision, rating_pull = old.rating_precision.copy(), old.rating_pull.copy()
    item_prior = 1.0 / terms.item_variance
    prior_pull = terms.prior_mean * item_prior
    known = np.empty((len(prior_pull), 2))  # precision and pull side by side: one visit to memory per rating
    known[:, 0] = old.item_precision + item_prior
    known[:, 1] = old.item_pull + prior_pull
    list_precision, list_pull = old.list_precision.copy(), old.list_pull.copy()
    rater_precision, rater_pull = old.rater_precision.copy(), old.rater_pull.copy()
    answer, blur = old.answer, old.blur
    if ratings.low > -np.inf:  # answers at the ends move
        answer, blur = old.answer.copy(), old.blur.copy()
    slope_cross, slope_square = np.zeros(raters), np.zeros(raters)
    noise_square, noise_weight, noise_information = np.zeros(raters), np.zeros(raters), np.zeros(raters)
    honest_log, offset_excess = np.zeros(raters), np.zeros(2)
    longest, last = 1, len(ratings.item) - 1
    for t in range(len(ratings.rater)):
        longest = max(longest, ratings.start[t + 1] - ratings.start[t])
    mean, variance, noise = np.empty(longest), np.empty(longest), np.empty(longest)
    certainty, gap, own_noise = np.empty(longest), np.empty(longest), np.empty(longest)
    scratch = np.empty((2, longest))
    for t in range(len(ratings.rater)):
        first, size, a = ratings.start[t], ratings.start[t + 1] - ratings.start[t], ratings.rater[t]
        slope, slope_variance, keep = terms.slope[a], terms.slope_variance[a], terms.keep[a]
        rater_noise = terms.noise_variance[a] / keep
        bias_variance = 1.0 / (1.0 / terms.bias_variance + rater_precision[a] - list_precision[t])
        bias_mean = (rater_pull[a] - list_pull[t]) * bias_variance
        shift_prior = 1.0 / (bias_variance + terms.offset_variance)
        precision, pull = shift_prior, shift_prior * bias_mean
        for j in range(size):
            o = first + j
            i = ratings.item[o]
            _fetch(known, ratings.item[min(o + AHEAD, last)])  # type: ignore[call-arg]
            v = 1.0 / (known[i, 0] - rating_precision[o])
            m = (known[i, 1] - rating_pull[o]) * v
            mean[j], variance[j] = m, v
            own_noise[j] = rater_noise / ratings.weight[o]
            noise[j] = own_noise[j] + slope_variance * (m * m + v) + blur[o]
            certainty[j] = 1.0 / (slope * slope * v + noise[j])
            gap[j] = answer[o] - terms.centre - slope * m
            precision += certainty[j]
            pull += gap[j] * certainty[j]
        if honest:
            honest_log[a] += _honest_log(
                ratings, terms, old, t, (mean, variance), (shift_prior, bias_mean), scratch
            )
        shift_variance = 1.0 / precision
        shift = pull * shift_variance
        noise_sum, seen_sum, lost_sum = 0.0, 0.0, 0.0
        clear_sum, level_sum = shift_prior, shift_prior * bias_mean
        lever_sum, cross_sum, square_sum = 0.0, 0.0, 0.0
        for j in range(size):
            o = first + j
            i = ratings.item[o]
            m, v = mean[j], variance[j]
            d = gap[j] - shift
            rest = noise[j] * certainty[j]
            part = own_noise[j] / noise[j]
            square = rest * rest * (d * d + shift_variance) + rest * slope * slope * v
            noise_sum += ratings.weight[o] * (part * part * square + part * (noise[j] - own_noise[j]))
            seen = own_noise[j] * certainty[j]
            seen_sum += seen * seen
            lost_sum += seen * seen * certainty[j]
            clear = 1.0 / (slope * slope * v + keep * own_noise[j] + blur[o])
            level, lever = (answer[o] - terms.centre) * clear, m * clear
            clear_sum += clear
            lever_sum += lever
            level_sum += level
            cross_sum += m * level
            square_sum += m * lever
            other_precision = precision - certainty[j]
            other_pull = pull - gap[j] * certainty[j]
            new_precision, new_pull = 0.0, 0.0
            if abs(slope) > FLAT:
                told = slope / (noise[j] * other_precision + 1.0)
                new_precision = slope * told * other_precision
                new_pull = told * ((answer[o] - terms.centre) * other_precision - other_pull)
            known[i, 0] += new_precision - rating_precision[o]
            known[i, 1] += new_pull - rating_pull[o]
            rating_precision[o], rating_pull[o] = new_precision, new_pull
            end = ratings.ends[o]
            if end != 0:
                edge = ratings.low if end < 0 else ratings.high
                expected = terms.centre + slope * m + other_pull / other_precision
                total = slope * slope * v + noise[j] - blur[o] + 1.0 / other_precision
                deviation = math.sqrt(total)
                hazard, removed = _cut(end * (expected - edge) / deviation)
                answer[o] = expected + end * deviation * hazard / removed
                blur[o] = total * (1.0 - removed) / removed
        slope_cross[a] += cross_sum - lever_sum * level_sum / clear_sum
        slope_square[a] += square_sum - lever_sum * lever_sum / clear_sum
        noise_square[a] += keep * keep * noise_sum
        noise_weight[a] += keep * size
        shared = seen_sum * shift_variance / rater_noise
        noise_information[a] += keep * (seen_sum - 2.0 * lost_sum * shift_variance + shared * shared)
        told_precision = precision - shift_prior
        error = bias_variance + 1.0 / told_precision
        weight = 1.0 / (terms.offset_variance + error) ** 2
        apart = (pull - shift_prior * bias_mean) / told_precision - bias_mean
        offset_excess[0] += weight * (apart * apart - error)
        offset_excess[1] += weight
        new_precision = told_precision / (1.0 + told_precision * terms.offset_variance)
        new_pull = (pull - shift_prior * bias_mean) / (1.0 + told_precision * terms.offset_variance)
        rater_precision[a] += new_precision - list_precision[t]
        rater_pull[a] += new_pull - list_pull[t]
        list_precision[t], list_pull[t] = new_precision, new_pull
    sums = Sums(
        slope_cross, slope_square, noise_square, noise_weight, noise_information, honest_log, offset_excess
    )
    messages = Messages(
        rating_precision,
        rating_pull,
        known[:, 0] - item_prior,
        known[:, 1] - prior_pull,
        list_precision,
        list_pull,
        rater_precision,
        rater_pull,
        answer,
        blur,
    )
    return messages, sums
