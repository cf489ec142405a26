"""One sweep of message passing, compiled. `twin.py` is the same in plain NumPy and explains the algorithm.

All compiled code is in this module, because numba's cache does not notice changes in other files.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.compiling import IS_COMPILED, njit
from steelyard.models.steelyard.arrays import Messages, Ratings, Sums, Terms

ROOT_HALF = math.sqrt(0.5)
LOG_ROOT_TAU = 0.5 * math.log(2.0 * math.pi)
AHEAD = 24  # ratings between the prefetch of an item and its use
FLAT = 1e-3  # smaller slopes and truncations carry no information


if IS_COMPILED:
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def _fetch(typing, table, row):  # type: ignore[no-untyped-def]
        """Prefetch a row of a table that will be read some ratings later."""

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

        return types.none(table, row), generate

else:

    def _fetch(table, row):  # type: ignore[no-untyped-def,misc]
        """Plain Python has nothing to prefetch."""


@njit(cache=True, error_model="numpy")
def _log_tail(z):  # type: ignore[no-untyped-def]
    """Return log Phi(z), by an asymptotic series in the far tail."""
    if z > -8.0:
        return math.log(0.5 * math.erfc(-z * ROOT_HALF))
    return -0.5 * z * z - LOG_ROOT_TAU - math.log(-z) - 1.0 / (z * z)


@njit(cache=True, error_model="numpy")
def _cut(z):  # type: ignore[no-untyped-def]
    """Return phi(z) / Phi(z), and the share of variance that truncating a normal distribution at z removes."""
    hazard = math.exp(-0.5 * z * z - LOG_ROOT_TAU - _log_tail(z))
    return hazard, min(max(hazard * (hazard + z), FLAT), 0.999)


class _Page(NamedTuple):
    """Scratch arrays of one list: its items without its own messages, and the precision of its ratings."""

    mean: Vector
    variance: Vector
    own_noise: Vector  # s²_a / (weight x probability that the rater is honest)
    noise: Vector
    certainty: Vector
    gap: Vector


class _Work(NamedTuple):
    """Values that a sweep changes: messages, sums, the items' estimates, and scratch arrays."""

    now: Messages
    sums: Sums
    items: Matrix  # precision and pull in one row, for one memory access per rating
    page: _Page
    honest_page: _Page


class _Shift(NamedTuple):
    """Bias without the list's own message, prior precision of its shift, and the information from the list."""

    bias_mean: float
    bias_variance: float
    prior: float
    precision: float
    pull: float


@njit(cache=True, error_model="numpy")
def sweep(ratings: Ratings, terms: Terms, old: Messages, honest: bool) -> tuple[Messages, Sums]:
    """Return new messages after one pass through all lists, and the sums for the next update.

    Parameters
    ----------
    ratings
        Ratings in lists.
    terms
        Priors, variances and rater effects, which stay fixed.
    old
        Messages before the sweep.
    honest
        Whether to compute the sums that distinguish honest raters from spammers, at half the cost of a sweep.

    Returns
    -------
    tuple of Messages and Sums
        New messages, and the sums for the next update.
    """
    prior = 1.0 / terms.prior_variance
    items = np.empty((len(terms.prior_mean), 2))
    items[:, 0] = old.item_precision + prior
    items[:, 1] = old.item_pull + terms.prior_mean * prior
    now, sums = _copied(ratings, old), _no_sums(len(terms.slope))
    work = _Work(now, sums, items, _page(ratings), _page(ratings))
    for t in range(len(ratings.rater)):
        shift = _read_list(ratings, terms, work, t)
        if honest:
            sums.honest_log[ratings.rater[t]] += _honest_log(ratings, terms, work, t, shift)
        _add_noise_and_slope(ratings, terms, work, t, shift)
        _add_offset(terms, sums, shift)
        _send_to_items(ratings, terms, work, t, shift)
        _send_to_rater(ratings, terms, now, t, shift)
    now.item_precision[:] = items[:, 0] - prior
    now.item_pull[:] = items[:, 1] - terms.prior_mean * prior
    return now, sums


@njit(cache=True, error_model="numpy")
def _copied(ratings, old):  # type: ignore[no-untyped-def]
    """Return messages that a sweep may change. Answers change only if ends of the scale count."""
    answer, blur = old.answer, old.blur
    if ratings.low > -np.inf:
        answer, blur = old.answer.copy(), old.blur.copy()
    return Messages(
        old.rating_precision.copy(),
        old.rating_pull.copy(),
        np.empty_like(old.item_precision),
        np.empty_like(old.item_pull),
        old.list_precision.copy(),
        old.list_pull.copy(),
        old.rater_precision.copy(),
        old.rater_pull.copy(),
        answer,
        blur,
    )


@njit(cache=True, error_model="numpy")
def _no_sums(raters):  # type: ignore[no-untyped-def]
    return Sums(
        np.zeros(raters),
        np.zeros(raters),
        np.zeros(raters),
        np.zeros(raters),
        np.zeros(raters),
        np.zeros(raters),
        np.zeros(3),
    )


@njit(cache=True, error_model="numpy")
def _page(ratings):  # type: ignore[no-untyped-def]
    """Return scratch arrays that are long enough for every list."""
    size = 1
    for t in range(len(ratings.rater)):
        size = max(size, ratings.start[t + 1] - ratings.start[t])
    return _Page(
        np.empty(size), np.empty(size), np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    )


@njit(cache=True, error_model="numpy", inline="always")
def _read_list(ratings, terms, work, t):  # type: ignore[no-untyped-def]
    """Fill the page with items and ratings without this list's messages, and solve for the shift."""
    now, items, page = work.now, work.items, work.page
    first, a, last = ratings.start[t], ratings.rater[t], len(ratings.item) - 1
    slope, slope_variance = terms.slope[a], terms.slope_variance[a]
    rater_noise = terms.noise_variance[a] / terms.keep[a]
    bias_variance = 1.0 / (1.0 / terms.bias_variance + now.rater_precision[a] - now.list_precision[t])
    bias_mean = (now.rater_pull[a] - now.list_pull[t]) * bias_variance
    prior = 1.0 / (bias_variance + terms.offset_variance)
    precision, pull = prior, prior * bias_mean
    for j in range(ratings.start[t + 1] - first):
        o = first + j
        i = ratings.item[o]
        _fetch(items, ratings.item[min(o + AHEAD, last)])  # type: ignore[call-arg]
        v = 1.0 / (items[i, 0] - now.rating_precision[o])
        m = (items[i, 1] - now.rating_pull[o]) * v
        page.mean[j], page.variance[j] = m, v
        page.own_noise[j] = rater_noise / ratings.weight[o]
        page.noise[j] = page.own_noise[j] + slope_variance * (m * m + v) + now.blur[o]
        page.certainty[j] = 1.0 / (slope * slope * v + page.noise[j])
        page.gap[j] = now.answer[o] - terms.centre - slope * m
        precision += page.certainty[j]
        pull += page.gap[j] * page.certainty[j]
    return _Shift(bias_mean, bias_variance, prior, precision, pull)


@njit(cache=True, error_model="numpy", inline="always")
def _honest_log(ratings, terms, work, t, shift):  # type: ignore[no-untyped-def]
    """Return the log-likelihood of one list's answers, each given all others, at the slope of an honest rater."""
    now, page, certainty, gap = work.now, work.page, work.honest_page.certainty, work.honest_page.gap
    first, size, a = ratings.start[t], ratings.start[t + 1] - ratings.start[t], ratings.rater[t]
    slope, noise_variance = terms.honest_slope[a], terms.noise_variance[a]
    precision, pull = shift.prior, shift.prior * shift.bias_mean
    for j in range(size):
        o = first + j
        own = noise_variance / ratings.weight[o] + now.blur[o]
        certainty[j] = 1.0 / (slope * slope * page.variance[j] + own)
        gap[j] = now.answer[o] - terms.centre - slope * page.mean[j]
        precision += certainty[j]
        pull += gap[j] * certainty[j]
    log_likelihood, widths = 0.0, 1.0
    for j in range(size):
        o = first + j
        other = 1.0 / (precision - certainty[j])
        miss = gap[j] - (pull - gap[j] * certainty[j]) * other
        wide = 1.0 / certainty[j] - now.blur[o] + other
        if ratings.ends[o] == 0:
            widths *= wide
            log_likelihood -= LOG_ROOT_TAU + 0.5 * miss * miss / wide
            if widths < 1e-100:  # one logarithm for many answers
                log_likelihood -= 0.5 * math.log(widths)
                widths = 1.0
        else:
            edge = ratings.low if ratings.ends[o] < 0 else ratings.high
            log_likelihood += _log_tail(ratings.ends[o] * (now.answer[o] - miss - edge) / math.sqrt(wide))
    return log_likelihood - 0.5 * math.log(widths)


@njit(cache=True, error_model="numpy", inline="always")
def _add_noise_and_slope(ratings, terms, work, t, shift):  # type: ignore[no-untyped-def]
    """Add this list's expected squared noise and its information, and the least squares for the slope.

    The slope assumes that the rater is honest. Both use one loop, because a second one would cost 5%.
    """
    now, page, sums = work.now, work.page, work.sums
    first, size, a = ratings.start[t], ratings.start[t + 1] - ratings.start[t], ratings.rater[t]
    slope, keep = terms.slope[a], terms.keep[a]
    shift_variance = 1.0 / shift.precision
    mean_shift = shift.pull * shift_variance
    noise_sum, seen_sum, lost_sum = 0.0, 0.0, 0.0
    clear_sum, level_sum = shift.prior, shift.prior * shift.bias_mean
    lever_sum, cross_sum, square_sum = 0.0, 0.0, 0.0
    for j in range(size):
        o, m = first + j, page.mean[j]
        own, noise, certainty = page.own_noise[j], page.noise[j], page.certainty[j]
        scaled_variance = slope * slope * page.variance[j]
        miss, rest, part = page.gap[j] - mean_shift, noise * certainty, own / noise
        square = rest * rest * (miss * miss + shift_variance) + rest * scaled_variance
        noise_sum += ratings.weight[o] * (part * part * square + part * (noise - own))
        seen = own * certainty
        seen_sum += seen * seen
        lost_sum += seen * seen * certainty
        clear = 1.0 / (scaled_variance + keep * own + now.blur[o])
        level, lever = (now.answer[o] - terms.centre) * clear, m * clear
        clear_sum += clear
        lever_sum += lever
        level_sum += level
        cross_sum += m * level
        square_sum += m * lever
    shared = seen_sum * shift_variance * keep / terms.noise_variance[a]
    sums.noise_square[a] += keep * keep * noise_sum
    sums.noise_weight[a] += keep * size
    sums.noise_information[a] += keep * (seen_sum - 2.0 * lost_sum * shift_variance + shared * shared)
    sums.slope_cross[a] += cross_sum - lever_sum * level_sum / clear_sum
    sums.slope_square[a] += square_sum - lever_sum * lever_sum / clear_sum


@njit(cache=True, error_model="numpy", inline="always")
def _add_offset(terms, sums, shift):  # type: ignore[no-untyped-def]
    """Add the squared distance of the list's shift from the bias, minus the errors of both."""
    list_precision = shift.precision - shift.prior
    error = shift.bias_variance + 1.0 / list_precision
    weight = 1.0 / (terms.offset_variance + error) ** 2
    apart = (shift.pull - shift.prior * shift.bias_mean) / list_precision - shift.bias_mean
    sums.offset_excess[0] += weight * (apart * apart - error)
    sums.offset_excess[1] += weight
    sums.offset_excess[2] += 1.0


@njit(cache=True, error_model="numpy", inline="always")
def _send_to_items(ratings, terms, work, t, shift):  # type: ignore[no-untyped-def]
    """Update the messages to the items, without their own information about the shift, and the censored answers."""
    now, items, page = work.now, work.items, work.page
    first, slope = ratings.start[t], terms.slope[ratings.rater[t]]
    for j in range(ratings.start[t + 1] - first):
        o = first + j
        i = ratings.item[o]
        noise, certainty = page.noise[j], page.certainty[j]
        other_precision = shift.precision - certainty
        other_pull = shift.pull - page.gap[j] * certainty
        precision, pull = 0.0, 0.0
        if abs(slope) > FLAT:
            scale = slope / (noise * other_precision + 1.0)
            precision = slope * scale * other_precision
            pull = scale * ((now.answer[o] - terms.centre) * other_precision - other_pull)
        items[i, 0] += precision - now.rating_precision[o]
        items[i, 1] += pull - now.rating_pull[o]
        now.rating_precision[o], now.rating_pull[o] = precision, pull
        end = ratings.ends[o]
        if end != 0:
            edge = ratings.low if end < 0 else ratings.high
            expected = terms.centre + slope * page.mean[j] + other_pull / other_precision
            total = slope * slope * page.variance[j] + noise - now.blur[o] + 1.0 / other_precision
            deviation = math.sqrt(total)
            hazard, removed = _cut(end * (expected - edge) / deviation)
            now.answer[o] = expected + end * deviation * hazard / removed
            now.blur[o] = total * (1.0 - removed) / removed


@njit(cache=True, error_model="numpy", inline="always")
def _send_to_rater(ratings, terms, now, t, shift):  # type: ignore[no-untyped-def]
    """Update the list's message to its rater's bias, including the variance of the offset."""
    a = ratings.rater[t]
    list_precision = shift.precision - shift.prior
    blur = 1.0 + list_precision * terms.offset_variance
    precision = list_precision / blur
    pull = (shift.pull - shift.prior * shift.bias_mean) / blur
    now.rater_precision[a] += precision - now.list_precision[t]
    now.rater_pull[a] += pull - now.list_pull[t]
    now.list_precision[t], now.list_pull[t] = precision, pull
