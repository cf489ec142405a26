"""`steelyard demo`: a demo study with answers of simulated raters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from steelyard.cli.output import progress, remark
from steelyard.cli.serve import Host, Links, Listening, Port, links, run
from steelyard.cli.studies import open_session, open_watch
from steelyard.errors import StudyExists, UnknownName
from steelyard.judgments.files import read_file
from steelyard.judgments.sheet import number_cells
from steelyard.kinds.known import PROTOCOLS

if TYPE_CHECKING:
    from steelyard.study.collecting.session import Session

HERE = Path(__file__).parent / "demo_study"
DEMOS = [name for name, protocol in PROTOCOLS.items() if protocol.demo is not None]
SEED = 20261103
DEMO = "the Steelyard demo"  # the value of `by` in the demo's study.toml


def demo(
    folder: Annotated[
        Path, typer.Option(help="Folder of the demo study. An existing demo study is opened again.")
    ] = Path("demo-study"),
    protocol: Annotated[
        str, typer.Option(help=f"Protocol of the tasks. One of: {', '.join(DEMOS)}.")
    ] = "list",
    raters: Annotated[
        int, typer.Option(min=0, help="Number of simulated raters who have already answered.")
    ] = 24,
    host: Host = "127.0.0.1",
    port: Port = 8000,
) -> None:
    """Create a demo study with simulated answers, serve it, and print links for the owner and a rater."""
    if protocol not in DEMOS:
        raise UnknownName("protocol", protocol, DEMOS)
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.location import exists, location_of  # optional dependencies

    if not exists(location_of(folder)):
        _make(folder, protocol, raters)
    session = open_session(folder)
    if session.study.definition.by != DEMO:
        raise StudyExists(str(folder))
    visitor = session.join("You", "link", "demo visitor")
    remark(f"The demo study is in {folder}. Delete the folder to start again.")

    def links_to_print(at: int) -> Links:
        return links(True, open_database(folder).new_owner_key(), visitor.token)

    run([folder], Listening(host, port, other_port=True), links_to_print)


def _make(folder: Path, protocol: str, raters: int) -> None:
    """Create the study and add answers of simulated raters."""
    from steelyard.storage.database import create_database  # optional dependencies
    from steelyard.study.definition.create import write_study  # optional dependencies

    text = (HERE / "study.toml").read_text(encoding="utf-8")
    asked = PROTOCOLS[protocol].demo
    if asked is None:
        raise UnknownName("protocol", protocol, DEMOS)
    replacements = {
        "PROTOCOL": protocol,
        "QUESTION": asked.question,
        "TASKS": asked.tasks,
        "ANSWERS": asked.answers,
    }
    for name, value in replacements.items():
        text = text.replace(name, str(value))
    write_study(folder, text, HERE / "items.csv")
    create_database(folder)
    session = open_session(folder)
    if raters:
        with progress("Simulating raters") as show:
            _fill(session, raters, show)
        remark("Fitting the model. The first fit on a machine also compiles it, which takes longer.")
        open_watch(folder).overview()  # so that the owner's page opens without delay


def _fill(session: Session, raters: int, show: Callable[[int], None]) -> None:
    from steelyard.simulation.crowd_at_work import Crowd, simulate  # optional dependencies
    from steelyard.simulation.scenarios import SCENARIOS, draw_raters  # optional dependencies

    rng = np.random.default_rng(SEED)
    truth, _ = number_cells(read_file(HERE / "items.csv").columns["truth"])
    people = tuple(draw_raters(SCENARIOS["full"], raters, rng))
    simulate(session, Crowd(SCENARIOS["full"], people, truth[None, :]), rng, on_answer=show)
