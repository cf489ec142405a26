"""`steelyard prolific`: publish a study on Prolific, follow it, approve submissions and pay bonuses."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.commands import Command, Group
from steelyard.cli.crowd_options import Everyone, Folder, Yes, confirm, pay_of, public_address
from steelyard.cli.output import AsJson, Output, remark, write_table
from steelyard.cli.studies import open_session, open_watch
from steelyard.errors import BadSetting
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.crowds.money import Bonus
    from steelyard.crowds.prolific import Prolific, Submission
    from steelyard.study.results.watch import Watch

CROWD: Literal["prolific"] = "prolific"
Endpoint = Annotated[
    str,
    typer.Option(
        metavar="URL", help="Address of the API. Default: https://api.prolific.com.", show_default=False
    ),
]
prolific = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Publish a study on Prolific, follow it, approve submissions and pay bonuses. The environment variable "
    "PROLIFIC_TOKEN must contain your API token.",
)


@prolific.command(cls=Command)
def publish(
    folder: Folder,
    url: Annotated[str, typer.Option(help="Public address of the study, with https.")],
    reward: Annotated[
        str, typer.Option(metavar="AMOUNT", help="Reward of each person, in the currency of the account.")
    ],
    places: Annotated[int, typer.Option(min=1, help="Number of people.")],
    minutes: Annotated[int, typer.Option(min=1, help="Estimated time, in minutes.")],
    description: Annotated[str, typer.Option(help="Description of the study, shown on Prolific.")],
    real_money: Annotated[
        bool,
        typer.Option(
            "--real-money",
            help="Publish the study, so that people take part and are paid. Default: only create a draft.",
        ),
    ] = False,
    endpoint: Endpoint = "",
    yes: Yes = False,
) -> None:
    """Create a study on Prolific with the completion codes of study.toml, and publish it with --real-money."""
    from steelyard.crowds.money import cents_of, in_words  # optional dependencies
    from steelyard.crowds.prolific import Offer, draft_of  # optional dependencies
    from steelyard.crowds.published import read_published, write_published  # optional dependencies

    session = open_session(folder)
    definition, client = session.study.definition, _client(endpoint)
    offer = Offer(description, cents_of(reward, "--reward"), places, minutes)
    draft = draft_of(definition, public_address(url), offer, definition.title)
    for note in _quota_notes(
        definition.joining.most_raters, [arm.arm.raters for arm in definition.conditions], places
    ):
        remark(note)
    total = in_words(client.cost(offer.reward, places), "in the currency of the account")
    remark(
        f"{counted(places, 'place')} with a reward of {offer.reward / 100:.2f}: {total}, with the fee and VAT that "
        "Prolific computes."
    )
    confirm("Publish the study on Prolific?" if real_money else "Create a draft on Prolific?", yes)
    study = client.create(draft)
    published = read_published(folder, CROWD)
    record = {"study": study, "url": url, "reward": offer.reward, "places": places, "bonuses": {}}
    write_published(folder, CROWD, [*published, record])
    if real_money:
        client.start(study)
    record_act(
        session.log,
        "published",
        crowd="Prolific",
        places=places,
        state="published" if real_money else "draft",
    )
    remark(f"{'Published' if real_money else 'Created the draft of'} study {study} on Prolific.")


@prolific.command(cls=Command)
def status(folder: Folder, endpoint: Endpoint = "", output: Output = None, as_json: AsJson = False) -> None:
    """Count the submissions on Prolific by status, and the raters of the study by condition."""
    watch, study, client = _opened(folder, endpoint)
    submissions = client.submissions(study["study"])
    by_status = Counter(each.status for each in submissions)
    write_table({"status": list(by_status), "submissions": list(by_status.values())}, output, as_json)
    remark(
        f"Study {study['study']} is {client.status(study['study'])} on Prolific, with {study['places']:,} places."
    )
    for note in _arm_notes(watch):
        remark(note)


@prolific.command(cls=Command)
def approve(folder: Folder, everyone: Everyone = False, endpoint: Endpoint = "", yes: Yes = False) -> None:
    """Approve submissions that await review, which pays their rewards. No submission is rejected."""
    from steelyard.crowds.prolific import AWAITING  # optional dependencies
    from steelyard.study.results.pay import FINISHED  # optional dependencies

    watch, study, client = _opened(folder, endpoint)
    waiting = [each for each in client.submissions(study["study"]) if each.status == AWAITING]
    states = _states(watch, waiting)
    chosen = [each.id for each in waiting if everyone or states[each.id] == FINISHED]
    for state, number in Counter(states[each.id] for each in waiting if each.id not in chosen).items():
        remark(f"Not approved: {counted(number, 'submission')} ({state}).")
    if not chosen:
        remark("There are no submissions to approve.")
        return
    confirm(
        f"Approve {counted(len(chosen), 'submission')} with a reward of {study['reward'] / 100:.2f} each?",
        yes,
    )
    client.approve(study["study"], chosen)
    record_act(watch.trail, "approved", crowd="Prolific", submissions=len(chosen))
    remark(f"Approved {counted(len(chosen), 'submission')}.")


@prolific.command(cls=Command)
def bonus(
    folder: Folder,
    endpoint: Endpoint = "",
    yes: Yes = False,
    output: Output = None,
) -> None:
    """Pay what \\[pay] of study.toml owes beyond the reward as bonuses, or write them to a file with -o.

    Amounts that were paid before are subtracted.
    """
    from steelyard.crowds.money import bonuses_of  # optional dependencies
    from steelyard.crowds.prolific import BONUSES_AT_ONCE  # optional dependencies

    watch, study, client = _opened(folder, endpoint, token=output is None)
    owed = _unpaid(bonuses_of(list(pay_of(watch).values()), CROWD, study["reward"]), study["bonuses"])
    if output is not None:
        columns: dict[str, list[Any]] = {
            "participant_id": [each.person for each in owed],
            "amount": [each.cents / 100 for each in owed],
        }
        write_table(columns, output)
        return
    if not owed:
        remark("No bonuses are owed.")
        return
    total = sum(each.cents for each in owed) / 100
    confirm(f"Pay {counted(len(owed), 'bonus payment')} of {total:,.2f} in all, without Prolific's fee?", yes)
    for start in range(0, len(owed), BONUSES_AT_ONCE):
        _pay(folder, study, client, owed[start : start + BONUSES_AT_ONCE])
    record_act(watch.trail, "bonuses_paid", crowd="Prolific", bonuses=len(owed))
    remark(f"Paid {counted(len(owed), 'bonus payment')}.")


def _pay(folder: Path, study: dict[str, Any], client: Prolific, owed: list[Bonus]) -> None:
    """Pay bonuses, and store that they were paid before that: a payment that is sent twice is paid twice."""
    from steelyard.crowds.published import read_published, write_published  # optional dependencies

    payment, _ = client.set_up_bonuses(str(study["study"]), [(each.person, each.cents) for each in owed])
    published = read_published(folder, CROWD)
    paid = published[-1]["bonuses"]
    published[-1]["bonuses"] = paid | {each.rater: paid.get(each.rater, 0) + each.cents for each in owed}
    write_published(folder, CROWD, published)
    try:
        client.pay_bonuses(payment)
    except BaseException:
        remark(
            f"The payment {payment} was set up, but may not be paid. Check it on Prolific before you pay it again."
        )
        raise


def _unpaid(owed: list[Bonus], paid: dict[str, int]) -> list[Bonus]:
    left = [replace(each, cents=each.cents - paid.get(each.rater, 0)) for each in owed]
    return [each for each in left if each.cents > 0]


def _states(watch: Watch, submissions: list[Submission]) -> dict[str, str]:
    """Return the status of the rater of each submission in the study."""
    from steelyard.study.collecting.raters import person_of  # optional dependencies

    lines = [line for line in pay_of(watch).values() if line.rater.source == CROWD]
    by_person = {person_of(line.rater): line.status for line in lines}
    return {each.id: by_person.get(each.person, "not in the study") for each in submissions}


def _arm_notes(watch: Watch) -> list[str]:
    """Return how many raters with answers each arm has, and its quota."""
    notes = []
    for ledger in watch.arm_ledgers():
        definition = ledger.definition
        number = sum(bool(record.answers) for record in ledger.raters.values())
        quota = definition.arm.raters or definition.joining.most_raters
        notes.append(
            f"Condition {definition.condition}: {counted(number, 'rater')} with answers"
            f"{f' of at most {quota:,}' if quota else ''}."
        )
    return notes


def _quota_notes(most: int, arms: list[int], places: int) -> list[str]:
    quota = most or (sum(arms) if arms and all(arms) else 0)
    if quota and quota < places:
        return [f"The study takes at most {quota:,} raters. People who come later get full_code."]
    return []


def _opened(folder: Path, endpoint: str, token: bool = True) -> tuple[Watch, dict[str, Any], Prolific]:
    """Return the results of a study, its newest study on Prolific, and the client."""
    from steelyard.crowds.published import require_published  # optional dependencies

    watch = open_watch(folder)
    return watch, require_published(folder, CROWD)[-1], _client(endpoint, token)


def _client(endpoint: str, token: bool = True) -> Prolific:
    from steelyard.crowds.prolific import ENDPOINT, TOKEN_VARIABLE, Prolific  # optional dependencies

    secret = os.environ.get(TOKEN_VARIABLE, "")
    if token and not secret:
        raise BadSetting(TOKEN_VARIABLE, "this environment variable is not set. Set it to your API token.")
    return Prolific(secret, endpoint or ENDPOINT)
