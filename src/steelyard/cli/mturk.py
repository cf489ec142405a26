"""`steelyard mturk`: publish a study or its tasks on MTurk, collect and approve work, and pay bonuses."""

from __future__ import annotations

import secrets
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.commands import Command, Group
from steelyard.cli.crowd_options import Everyone, Folder, Yes, confirm, pay_of, public_address
from steelyard.cli.output import Output, progress, remark, write_table
from steelyard.cli.studies import open_session, open_watch
from steelyard.errors import BadSetting
from steelyard.judgments.findings import counted
from steelyard.judgments.writing import write_columns

if TYPE_CHECKING:
    from steelyard.crowds.money import Bonus
    from steelyard.crowds.mturk import Assignment, MTurk
    from steelyard.study.collecting.session import Session
    from steelyard.study.results.watch import Watch

CROWD: Literal["mturk"] = "mturk"
Endpoint = Annotated[
    str,
    typer.Option(
        metavar="URL", help="Address of the API. Default: that of MTurk's sandbox.", show_default=False
    ),
]
RealMoney = Annotated[
    bool,
    typer.Option("--real-money", help="Use MTurk itself, where workers are paid. Default: its sandbox."),
]
mturk = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Publish a study or its tasks on MTurk, collect and approve work, and pay bonuses. Your AWS credentials are "
    "read from the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
)


@mturk.command(cls=Command)
def publish(
    folder: Folder,
    reward: Annotated[str, typer.Option(metavar="USD", help="Reward of an assignment.")],
    description: Annotated[str, typer.Option(help="Description of the HIT, shown to workers.")],
    url: Annotated[
        str,
        typer.Option(
            help="Public address of the study, with https: one HIT shows the study in a frame. Default: one HIT for "
            "each task, with a form of its own.",
            show_default=False,
        ),
    ] = "",
    assignments: Annotated[int, typer.Option(min=1, help="Number of workers of each HIT.")] = 1,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Number of tasks to publish. Required without --url.")
    ] = None,
    minutes: Annotated[int, typer.Option(min=1, help="Time that a worker has for a HIT, in minutes.")] = 60,
    days: Annotated[
        int,
        typer.Option(
            min=1,
            max=30,
            help="Number of days for which a HIT is offered. Submitted work that you have not approved after the same "
            "number of days is approved by MTurk.",
        ),
    ] = 7,
    keywords: Annotated[
        str, typer.Option(help="Keywords of the HIT, separated by commas.")
    ] = "rating, survey",
    country: Annotated[
        list[str] | None,
        typer.Option(
            help="Only workers in this country, as a code such as US. Can be repeated. Default: any country."
        ),
    ] = None,
    approval_rate: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            help="Only workers of whose assignments at least this percentage was approved. Default: any.",
        ),
    ] = None,
    approved_hits: Annotated[
        int | None,
        typer.Option(min=0, help="Only workers with at least this number of approved HITs. Default: any."),
    ] = None,
    keep_out: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of a qualification that excludes workers who have it. It is created if it does not exist, and "
            "`steelyard mturk collect` gives it to workers who took part, so that they cannot take part again. "
            "Default: no worker is excluded.",
            show_default=False,
        ),
    ] = "",
    real_money: RealMoney = False,
    endpoint: Endpoint = "",
    yes: Yes = False,
) -> None:
    """Publish a study on MTurk.

    With --url, one HIT shows the pages of the study, and each worker does several tasks. Otherwise the next tasks of
    the study are published, each as one HIT.
    """
    from steelyard.crowds.money import cents_of, in_words, mturk_cost  # optional dependencies
    from steelyard.crowds.mturk import MTurk, Offer, Screening  # optional dependencies
    from steelyard.crowds.published import read_published, write_published  # optional dependencies

    session, where = open_session(folder), _endpoint(endpoint, real_money)
    client = MTurk(where)
    title = session.study.definition.title
    offer = Offer(title, description, keywords, cents_of(reward, "--reward"), assignments, minutes, days)
    _check_way(session, url, tasks)
    hits = 1 if tasks is None else tasks
    cost = mturk_cost(offer.reward, hits, assignments)
    remark(
        f"{counted(hits, 'HIT')} with {counted(assignments, 'assignment')} each: rewards {in_words(cost.rewards)}, "
        f"fee of MTurk {in_words(cost.fees)}, total {in_words(cost.total)}."
        f"{'' if real_money else ' Nobody is paid in the sandbox.'}"
    )
    confirm("Publish?", yes)
    mark = client.qualification(keep_out, f"Took part in {title}") if keep_out else ""
    screening = Screening(tuple(country or ()), approval_rate, approved_hits, mark)
    questions = _questions(session, url, tasks, assignments)
    published = read_published(folder, CROWD)
    batch = secrets.token_hex(8)
    for at, (task, question) in enumerate(questions):
        hit = client.create(offer, screening, question, f"{batch}-{at}")
        published.append(
            {"hit": hit, "task": task, "reward": offer.reward, "endpoint": where, "keep_out": mark}
        )
        write_published(folder, CROWD, published)  # after each, so that none is lost if a later one fails
    record_act(session.log, "published", crowd="MTurk", hits=len(questions), assignments=assignments)
    remark(f"Published {counted(len(questions), 'HIT')} at {where}.")


@mturk.command(cls=Command)
def collect(folder: Folder) -> None:
    """Import the answers of published tasks, count the work of a published study, and mark workers for --keep-out."""
    work = _work(folder)
    session = open_session(folder)
    _import(session, [(each, assignments) for each, assignments in work if each["task"]])
    for each, assignments in work:
        for worker in {assignment.worker for assignment in assignments} if each["keep_out"] else ():
            _client(each["endpoint"]).mark(each["keep_out"], worker)
    states = Counter(assignment.status for _, assignments in work for assignment in assignments)
    listed = ", ".join(f"{number:,} {state.lower()}" for state, number in states.items()) or "none"
    remark(f"Assignments on MTurk: {listed}.")


@mturk.command(cls=Command)
def approve(folder: Folder, everyone: Everyone = False, yes: Yes = False) -> None:
    """Approve submitted assignments of raters who finished, which pays their rewards. No assignment is rejected."""
    from steelyard.crowds.money import in_words  # optional dependencies
    from steelyard.study.results.pay import FINISHED  # optional dependencies

    watch = open_watch(folder)
    waiting = [
        (each, assignment)
        for each, several in _work(folder)
        for assignment in several
        if assignment.status == "Submitted"
    ]
    states = _states(watch)
    chosen = []
    left: Counter[str] = Counter()
    for each, assignment in waiting:
        state = (
            "imported"
            if each["task"] and assignment.worker in states
            else states.get(assignment.worker, "not in the study")
        )
        if everyone or state in (FINISHED, "imported"):
            chosen.append((each, assignment))
        else:
            left[state] += 1
    for state, number in left.items():
        remark(f"Not approved: {counted(number, 'assignment')} ({state}).")
    if not chosen:
        remark("There are no assignments to approve.")
        return
    total = in_words(sum(each["reward"] for each, _ in chosen))
    confirm(f"Approve {counted(len(chosen), 'assignment')} with rewards of {total}?", yes)
    for each, assignment in chosen:
        _client(each["endpoint"]).approve(assignment.id)
    record_act(watch.trail, "approved", crowd="MTurk", assignments=len(chosen))
    remark(f"Approved {counted(len(chosen), 'assignment')}.")


@mturk.command(cls=Command)
def bonus(
    folder: Folder,
    reason: Annotated[
        str, typer.Option(help="Text for the workers.")
    ] = "Additional pay for your work in our study.",
    yes: Yes = False,
    output: Output = None,
) -> None:
    """Pay what \\[pay] of study.toml owes beyond the rewards as bonuses, or write them to a file with -o.

    A worker receives one bonus at most for a study.
    """
    from steelyard.crowds.money import in_words, mturk_bonus_fee  # optional dependencies

    watch = open_watch(folder)
    owed = _owed(watch, _work(folder))
    if output is not None:
        columns: dict[str, list[Any]] = {
            "WorkerId": [assignment.worker for _, assignment, _ in owed],
            "AssignmentId": [assignment.id for _, assignment, _ in owed],
            "BonusAmount": [each.cents / 100 for each, _, _ in owed],
            "Reason": [reason] * len(owed),
        }
        write_table(columns, output)
        return
    unpaid = [
        (each, assignment, where)
        for each, assignment, where in owed
        if not _client(where).has_bonus(assignment.id)
    ]
    if not unpaid:
        remark("No bonuses are owed.")
        return
    total = sum(each.cents for each, _, _ in unpaid)
    fees = sum(mturk_bonus_fee(each.cents) for each, _, _ in unpaid)
    words = f"{counted(len(unpaid), 'bonus payment')} of {in_words(total)}, and a fee of {in_words(fees)}"
    confirm(f"Pay {words}?", yes)
    for each, assignment, where in unpaid:
        _client(where).pay(assignment, each.cents, reason)
    record_act(watch.trail, "bonuses_paid", crowd="MTurk", bonuses=len(unpaid))
    remark(f"Paid {words}.")


def _owed(
    watch: Watch, work: list[tuple[dict[str, Any], list[Assignment]]]
) -> list[tuple[Bonus, Assignment, str]]:
    """Return what each worker is owed beyond the rewards of their assignments, with the first of these."""
    from steelyard.crowds.money import bonuses_of  # optional dependencies

    mine: dict[str, list[tuple[dict[str, Any], Assignment]]] = {}
    for each, several in work:
        for assignment in several:
            if assignment.status != "Rejected":
                mine.setdefault(assignment.worker, []).append((each, assignment))
    lines = list(pay_of(watch).values())
    owed = [*bonuses_of(lines, CROWD, 0), *bonuses_of(lines, "file", 0)]
    result = []
    for amount in owed:
        own = mine.get(amount.person, [])
        left = amount.cents - sum(hit["reward"] for hit, _ in own)
        if own and left > 0:
            hit, first = own[0]
            result.append((replace(amount, cents=left), first, hit["endpoint"]))
    return result


def _import(session: Session, work: list[tuple[dict[str, Any], list[Assignment]]]) -> None:
    """Import the answers of tasks, through the reader of results files."""
    from steelyard.crowds.mturk import results_columns  # optional dependencies
    from steelyard.study.collecting.files.import_results import import_results  # optional dependencies
    from steelyard.study.collecting.files.results_rows import read_results  # optional dependencies

    tasks = {each["task"]: session.log.task_named(each["task"]) for each, assignments in work if assignments}
    hits = [
        (each["task"], task.items, assignments)
        for each, assignments in work
        if assignments and (task := tasks[each["task"]]) is not None
    ]
    if not hits:
        return
    study = session.study
    with tempfile.TemporaryDirectory() as place, progress("Importing"):
        path = Path(place) / "results.csv"
        write_columns(results_columns(hits), str(path), "csv")
        done = import_results(session, read_results(path, study.definition, study.items, False, None))
    record_act(session.log, "imported", file="MTurk", answers=done.answers, raters=done.raters)
    remark(f"Imported {counted(done.answers, 'answer')} of {counted(done.raters, 'rater')}.")
    for note in done.notes:
        remark(note)


def _questions(session: Session, url: str, tasks: int | None, assignments: int) -> list[tuple[str, str]]:
    """Return the question of each HIT with its task: one for the whole study, or one for each of the next tasks."""
    from steelyard.crowds.hit_form import task_question  # optional dependencies
    from steelyard.crowds.mturk import external_question, html_question  # optional dependencies
    from steelyard.web.crowds import MTURK  # optional dependencies

    if url:
        return [("", external_question(f"{public_address(url)}{MTURK.path}"))]
    study = session.study
    with session.transaction():  # if a question cannot be made, no task is assigned
        chosen = session.batch(tasks, assignments)
        if not chosen:
            raise BadSetting("--tasks", "no tasks are left. Use steelyard next to see why.")
        pages = [(task.id, task_question(study.definition, study.items, task.items)) for task in chosen]
        return [(task, html_question(page)) for task, page in pages]


def _check_way(session: Session, url: str, tasks: int | None) -> None:
    """Raise BadSetting if a study cannot be published in this way."""
    from steelyard.study.definition.items import FILES, is_remote  # optional dependencies

    study = session.study
    if url:
        public_address(url)
        if tasks is not None:
            raise BadSetting("--tasks", "the study assigns its own tasks. Leave out this option, or --url.")
        if not study.definition.joining.mturk:
            raise BadSetting(
                "mturk", "is false. Set mturk = true in [joining], or nobody can join from MTurk."
            )
    elif tasks is None:
        raise BadSetting(
            "--tasks",
            "is required without --url. Write the number of tasks to publish, or set --url.",
        )
    elif study.arms:
        raise BadSetting(
            "--url", "a study with conditions assigns its raters itself. Serve it, and use --url."
        )
    elif any(item.medium in FILES and not is_remote(item.content) for item in study.items.all):
        raise BadSetting("items", "MTurk cannot show files of this machine. Serve the study, and use --url.")


def _work(folder: Path) -> list[tuple[dict[str, Any], list[Assignment]]]:
    """Return each published HIT with the work that was submitted."""
    from steelyard.crowds.published import require_published  # optional dependencies

    published = require_published(folder, CROWD)
    with progress("Reading from MTurk", len(published)) as advance:
        work = []
        for at, each in enumerate(published, 1):
            work.append((each, _client(each["endpoint"]).assignments(each["hit"])))
            advance(at)
    return work


def _states(watch: Watch) -> dict[str, str]:
    """Return the status of each worker in the study."""
    from steelyard.study.collecting.raters import person_of  # optional dependencies

    return {person_of(line.rater): line.status for line in pay_of(watch).values()}


def _client(endpoint: str) -> MTurk:
    from steelyard.crowds.mturk import MTurk  # optional dependencies

    return MTurk(endpoint)


def _endpoint(endpoint: str, real_money: bool) -> str:
    """Return the address of the API. MTurk itself needs --real-money, however it is named."""
    from steelyard.crowds.mturk import PRODUCTION, SANDBOX  # optional dependencies

    if endpoint.rstrip("/") == PRODUCTION and not real_money:
        raise BadSetting("--endpoint", "this is MTurk itself, where workers are paid. Add --real-money.")
    return endpoint or (PRODUCTION if real_money else SANDBOX)
