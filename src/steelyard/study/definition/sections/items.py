"""[items] of study.toml: the file with the items, and the meaning of its columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ItemsSettings:
    """The file with the items, and the meaning of its columns.

    Parameters
    ----------
    file
        CSV, JSONL or Parquet file in the study folder.
    id
        Column with the id of the item.
    text
        Column with the text of the item. Set at most one of `text`, `markdown`, `image`, `audio`, `video` and
        `html`. The default is the first of these columns that the file has.
    markdown
        Column with the item as Markdown.
    image
        Column with the name or address of an image.
    audio
        Column with the name or address of a sound file.
    video
        Column with the name or address of a video file.
    html
        Column with the item as HTML. It is shown in a frame without scripts and without requests to other hosts.
        Styles and `data:` pictures inside it work.
    alt
        Column with a text alternative for the image, or a title of the frame.
    system
        Column with the system that produced the item. The default is the column `system`, if the file has it.
    segment
        Column with the input that several items share, such as a source sentence or a prompt. Lists stay inside
        one segment. The default is the column `segment`, if the file has it.
    show
        Columns shown next to the item, such as `["source", "reference"]`.
    features
        Columns that the rater model may use as predictors, such as a score computed by a program. A column without
        predictive value does not harm the estimates.
    covariates
        Columns that exported judgments contain, together with `features`, for item covariates of other models. With
        two items in a judgment, there is one column for each side, such as `length_left` and `length_right`.
    """

    file: str
    id: str = "id"
    text: str = ""
    markdown: str = ""
    image: str = ""
    audio: str = ""
    video: str = ""
    html: str = ""
    alt: str = ""
    system: str = ""
    segment: str = ""
    show: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    covariates: tuple[str, ...] = ()
