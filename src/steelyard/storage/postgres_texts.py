"""Texts in statements for PostgreSQL, which has no character NUL."""

from __future__ import annotations

from psycopg.adapt import Buffer
from psycopg.types.string import StrDumperUnknown

NUL, IN_ITS_PLACE = "\0", "\ufffd"


class StorableText(StrDumperUnknown):
    """Converts a text for the driver, with another character in place of NUL.

    The driver refuses texts with NUL. Requests may contain it in tokens and ids, none of which has the character in its
    place either, so they are answered like other unknown ones.
    """

    def dump(self, obj: str) -> Buffer | None:
        """Return the text in the encoding of the connection."""
        return super().dump(obj.replace(NUL, IN_ITS_PLACE))
