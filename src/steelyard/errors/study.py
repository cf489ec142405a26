"""Requests that a running study refuses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from steelyard.errors.base import SteelyardError


class StudyError(SteelyardError):
    """A running study cannot do what was requested."""


class TaskClosed(StudyError):
    """The task is no longer assigned to this rater."""

    def __init__(self) -> None:
        super().__init__(
            "This task was closed while you were away, so your answer was not stored. Here is another task."
        )


class EarlierAnswerKept(StudyError):
    """A rater sends a second answer to a task."""

    def __init__(self) -> None:
        super().__init__("You have already answered this task. Your earlier answer is kept.")


class AnswerTakenBack(StudyError):
    """A rater sends an answer again after undoing it."""

    def __init__(self) -> None:
        super().__init__("You undid this answer, so it was not stored again. Please answer the task again.")


class UnknownRater(StudyError):
    """No rater has this id or link."""

    def __init__(self) -> None:
        super().__init__("This link is not valid. Ask the person who sent it to you for a new one.")


class SeveralRaters(StudyError):
    """An id names several raters; `choices` has a description of each by the id that names only them."""

    def __init__(self, name: str, choices: Mapping[str, str]) -> None:
        listed = "".join(f"\n  {each} ({words})" for each, words in choices.items())
        super().__init__(f"The id {name!r} names {len(choices)} raters. Name one of them:{listed}")


class BadAnswer(StudyError):
    """An answer does not fit its task."""


class AnsweredTooFast(BadAnswer):
    """An answer came before the minimum time per task."""

    message = "too_fast"

    def __init__(self, seconds: float) -> None:
        self.values = {"count": seconds}
        least = f"{seconds:g} second{'' if seconds == 1 else 's'}"
        super().__init__(
            f"Please look at the task for at least {least}. Check your answer, and send it again."
        )


class NothingToUndo(StudyError):
    """The rater has no answer that can be undone."""

    def __init__(self) -> None:
        super().__init__("There is no answer to undo.")


class TooManyUndos(StudyError):
    """The rater has reached the limit of undos for now."""

    message = "too_many_undos"

    def __init__(self, answers: int) -> None:
        self.values = {"count": answers}
        more = "1 more answer" if answers == 1 else f"{answers} more answers"
        super().__init__(f"You have reached the limit for undo. You can use it again after {more}.")


class NothingToClose(StudyError):
    """A round is closed before it has an answer."""

    def __init__(self) -> None:
        super().__init__("This round has no answers yet, so it cannot be closed.")


class NoColdStart(StudyError):
    """A rater draws or places first examples although this is not possible now."""

    def __init__(self) -> None:
        super().__init__("You cannot draw or place first examples now. Reload the page.")


class StudyExists(StudyError):
    """The folder already holds a study."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder} already holds a study. Choose another folder, or open this study: steelyard serve {folder}"
        )


class StudyChanged(StudyError):
    """study.toml or the items file was changed in a way that would change the meaning of earlier answers."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"This study already has answers, and a change to {what} would change their meaning. "
            "Undo the change, or create a new study."
        )


class ItemExists(StudyError):
    """An item is added under an id that another item of the study has."""

    def __init__(self, item: str) -> None:
        super().__init__(
            f"The study already has an item {item!r} with other content, which cannot change. Give the new item "
            "another id. No item was added."
        )


class ServerFull(StudyError):
    """The server has no port left for another study."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The server already has {most} studies. Start it with a larger --most-studies, or remove studies."
        )


class UnknownEvent(StudyError):
    """The log has an event of a kind that this version does not know."""

    def __init__(self, kind: str, position: int) -> None:
        super().__init__(
            f"Entry {position} of the study's log is an event of the unknown kind {kind!r}. "
            "Open the study with the version of Steelyard that wrote it, or a newer one."
        )


class HalfDone(StudyError):
    """A part of a transaction has failed after it changed something, so that nothing of the transaction is stored."""

    def __init__(self) -> None:
        super().__init__("A part of this change has failed. Nothing was stored. Try again.")


class LogRewritten(StudyError):
    """Entries that were already read have been deleted from the log, because a rater was forgotten."""

    def __init__(self, rater: str) -> None:
        super().__init__(f"The answers of {rater} were deleted from the log. Read it from the start.")


class NoStudy(StudyError):
    """The folder holds no study."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder}: this folder has no study.toml. Check the path, or create a study: "
            f"steelyard new {folder} --items items.csv"
        )

    @classmethod
    def without_folder(cls, folder: str) -> NoStudy:
        """Return the error for a folder that does not exist, or for a file."""
        mistake = cls(folder)
        if Path(folder).is_file():
            mistake.args = (
                f"{folder}: this is a file. Name the folder of a study, which contains study.toml.",
            )
            return mistake
        mistake.args = (
            f"{folder}: no such folder. Check the path, or create a study: steelyard new {folder} --items items.csv",
        )
        return mistake


class WorkerEnded(StudyError):
    """The process that computes or draws the owner's page ended early."""

    def __init__(self, code: int | None) -> None:
        super().__init__(
            f"The computation failed: its process ended with exit code {code}. Reload the page. If it fails again, "
            "read the server's output. Raters and their answers are not affected."
        )
