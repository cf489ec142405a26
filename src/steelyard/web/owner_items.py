"""The owner's pages about items: the table of all items, and one page per item."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.study.definition.items import FILES, is_remote
from steelyard.study.results.item_lines import ORDERS, ItemLine, Order, item_lines, orders_of
from steelyard.study.results.question_view import QuestionView
from steelyard.web.bodies import Start
from steelyard.web.markup import markdown_html
from steelyard.web.media import item_file
from steelyard.web.owner_study import OwnerStudy, view_of

ITEMS_SHOWN = 500
ANSWERS_SHOWN = 500


class OwnerItems:
    """The pages about items of one study."""

    def __init__(self, study: OwnerStudy) -> None:
        self.study = study

    def routes(self) -> dict[str, Callable[..., Response]]:
        """Return the pages by path under /owner."""
        return {"/items": self.show_items, "/items/{item}": self.show_item, "/media/{item}": self.media}

    def show_items(
        self,
        request: Request,
        question: str | None = None,
        find: str = "",
        order: Order = "rank",
        start: Start = 0,
    ) -> Response:
        """The owner: all items of a scale, or those that contain a text, in pages.

        Parameters
        ----------
        request
            The request.
        question
            Id of the question; the first question if None.
        find
            Text that the labels contain; all items if empty.
        order
            What comes first: the highest position, the fewest answers, the widest interval, or most ambiguity or
            disagreement.
        start
            Index of the first item on the page.

        Returns
        -------
        Response
            The page.
        """
        overview = self.study.overview(request)
        view = view_of(overview, question)
        rows = () if view.fit is None else item_lines(view.fit, overview.labels, order)
        matching = [row for row in rows if find.strip().casefold() in row.label.casefold()]
        shown = {"found": len(matching), "rows": matching[start : start + ITEMS_SHOWN], "on_scale": len(rows)}
        shown |= {"find": find, "start": start, "page_size": ITEMS_SHOWN}
        shown |= {"order": order, "orders": {each: ORDERS[each] for each in orders_of(rows)}}
        return self.study.page(request, "owner_items.html", overview=overview, view=view, **shown)

    def show_item(self, request: Request, item: str, question: str | None = None) -> Response:
        """The owner: an item with its position and every answer about it."""
        items = self.study.session.study.items
        if item not in items.index:
            raise HTTPException(404, "This study has no item with this id.")
        overview = self.study.overview(request)
        view = view_of(overview, question)
        condition = self.study.condition(request)
        answers = self.study.desk.answers_about(overview.views.index(view), item, condition)
        number = items.index[item]
        shown = {"item": items[number], "html": _html(items[number].medium, items[number].content)}
        shown |= {"file": _file(items[number].medium, items[number].content, number)}
        shown |= {"line": _line(view, item), "answers": answers[-ANSWERS_SHOWN:], "given": len(answers)}
        drift = next((each for each in overview.drift if each.item == item), None)
        return self.study.page(request, "owner_item.html", overview=overview, view=view, drift=drift, **shown)

    def media(self, item: int) -> Response:
        """The owner: the image, audio or video file or the HTML of an item."""
        return item_file(self.study.session.study, item)


def _line(view: QuestionView, item: str) -> ItemLine | None:
    """Return the item on the scale, or None if the scale is of systems or the item has no judgments."""
    lines = () if view.fit is None else item_lines(view.fit, {})
    return next((line for line in lines if line.item == item), None)


def _html(medium: str, content: str) -> str:
    return str(markdown_html(content)) if medium == "markdown" else ""


def _file(medium: str, content: str, number: int) -> str:
    """Return the address of the file or the HTML of an item, or "" if it is text."""
    if medium == "html":
        return f"/owner/media/{number}"
    if medium not in FILES:
        return ""
    return content if is_remote(content) else f"/owner/media/{number}"
