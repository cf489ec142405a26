"""`steelyard freeze`: write the definition of a study with a hash, for preregistration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from steelyard.cli.output import check_place, remark, write_text
from steelyard.errors import BadSetting, UnreadableFile

LISTED = 10


def freeze(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="JSON file to write. Default: stdout.", show_default=False),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            help="Compare the study with a file that this command has written, and list what differs."
        ),
    ] = None,
) -> None:
    """Write the definition of a study to one file for preregistration, or check whether the study has changed since.

    The file has the settings, items, anchors and checks, with a hash. Deposit the file, or its hash, before the study
    starts. Later, --compare shows whether the study has changed. The exit code is 1 if it has.
    """
    from steelyard.study.definition.frozen import HASH, differences, frozen_study  # optional dependencies
    from steelyard.study.definition.study import open_study  # optional dependencies

    check_place(output)
    frozen = frozen_study(open_study(folder))
    if compare is not None:
        if output is not None:
            raise BadSetting("--compare and -o", "these options exclude each other. Use one of them.")
        before = _read(compare)
        changed = list(differences(before, frozen))
        remark(f"{compare}: {HASH} {before.get(HASH)}")
        remark(f"{folder}: {HASH} {frozen[HASH]}")
        if not changed and before.get(HASH) == frozen[HASH]:
            remark("The study has not changed.")
            return
        more = f" and {len(changed) - LISTED} more" if len(changed) > LISTED else ""
        remark(
            f"Changed: {'; '.join(changed[:LISTED])}{more}."
            if changed
            else f"{compare}: the hash does not match the content, so the file was changed after it was written."
        )
        raise typer.Exit(1)
    text = json.dumps(frozen, indent=2, ensure_ascii=False) + "\n"
    write_text(text, output)
    remark(f"{HASH} {frozen[HASH]}")


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None)
        fact = f"it cannot be read ({reason})." if reason else "it is not a JSON file."
        raise UnreadableFile(str(path), fact, "Name a file that `steelyard freeze` has written.") from error
    if not isinstance(content, dict):
        raise UnreadableFile(str(path), "it is not a frozen study.", "Write one with `steelyard freeze`.")
    return content
