"""What a running study refuses."""

from __future__ import annotations

from steelyard.errors.base import SteelyardError


class StudyError(SteelyardError):
    """A running study refuses."""


class TaskClosed(StudyError):
    """The assignment is no longer this rater's."""

    def __init__(self) -> None:
        super().__init__(
            "This task was closed while you were away. Your answer was not needed. Here is another."
        )


class EarlierAnswerKept(StudyError):
    """A rater sends another answer to a task that they have answered."""

    def __init__(self) -> None:
        super().__init__("You had already answered that task. Your earlier answer is kept.")


class AnswerTakenBack(StudyError):
    """A rater sends an answer again that they have taken back."""

    def __init__(self) -> None:
        super().__init__("You took this answer back, so it was not stored again. Judge the task again.")


class UnknownRater(StudyError):
    """No rater has this id or link."""

    def __init__(self) -> None:
        super().__init__("This link is not known here. Ask whoever gave it to you for a new one.")


class BadAnswer(StudyError):
    """An answer does not fit the task that it answers."""


class NothingToUndo(StudyError):
    """The rater has no answer that may be taken back."""

    def __init__(self) -> None:
        super().__init__("There is no answer to take back.")


class TooManyUndos(StudyError):
    """The rater has taken back as many answers as they may for now."""

    def __init__(self, answers: int) -> None:
        more = "1 more answer" if answers == 1 else f"{answers} more answers"
        super().__init__(f"You have used undo as often as you can for now. It works again after {more}.")


class NothingToClose(StudyError):
    """A round is closed before anybody has answered in it."""

    def __init__(self) -> None:
        super().__init__("Nobody has answered in this round yet, so there is nothing to close.")


class NoColdStart(StudyError):
    """Someone draws or places first examples where there are none to draw or place."""

    def __init__(self) -> None:
        super().__init__("There are no first examples for you to draw or place now. Load the page again.")


class StudyExists(StudyError):
    """The folder already holds a study."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder} already holds a study. Choose another folder.")


class StudyChanged(StudyError):
    """study.toml or the items were changed so that answers given before would mean something else."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"This study already has answers, and these would mean something else after a change to {what}. "
            "Undo the change, or make a new study for it."
        )


class UnknownEvent(StudyError):
    """The log holds an event of a kind that this version does not have."""

    def __init__(self, kind: str, position: int) -> None:
        super().__init__(
            f"The study's log holds an event of the kind {kind!r} (entry {position}), which this version of "
            "Steelyard does not know. Open the study with the version that wrote it, or with a newer one."
        )


class NoStudy(StudyError):
    """The folder holds no study."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder} holds no study.toml. Make a study with: steelyard new {folder} --items items.csv"
        )


class WorkerEnded(StudyError):
    """The process that computes or draws what the owner sees ended before it was done."""

    def __init__(self, code: int | None) -> None:
        super().__init__(
            f"This could not be computed: its process ended with exit code {code}. Load the page again. If the same "
            "happens, look at what the server has printed. Raters and their answers are not affected."
        )
