"""Parts of one sort by name: those built in, those that a program registers, and those of installed packages.

Another package adds a part with an entry point. They are loaded once, when a name is unknown or all names are listed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.errors import BadSetting

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

AnyPart = TypeVar("AnyPart", bound=type[Any])


class Registry(Mapping[str, type[Any]]):
    """The parts of one sort, such as models, by their `name`.

    `check` raises an error for a class that is no such part. A name belongs to the first class registered under it.
    """

    def __init__(
        self, sort: str, group: str, built_in: Iterable[type[Any]], check: Callable[[type[Any]], None]
    ) -> None:
        self.sort = sort
        self.group = group
        self.built_in: dict[str, type[Any]] = {part.name: part for part in built_in}
        self._check = check
        self._parts = dict(self.built_in)
        self._loaded = False
        self._lock = RLock()  # a package may register parts while it is loaded

    def register(self, part: AnyPart) -> AnyPart:
        """Add a part and return it, so that this can decorate a class."""
        self._check(part)
        with self._lock:
            present = self._parts.setdefault(part.name, part)
        if present is not part:
            owner = f"{present.__module__}.{present.__qualname__}"
            raise BadSetting(f"{self.sort} {part.name!r}", f"this name belongs to {owner}. Choose another.")
        return part

    @property
    def registered(self) -> tuple[type[Any], ...]:
        """The parts that are not built in, for a process that has to know them too."""
        return tuple(part for name, part in self._parts.items() if name not in self.built_in)

    def __getitem__(self, name: str) -> type[Any]:
        if name not in self._parts:
            self._load()
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(tuple(self._parts))

    def __len__(self) -> int:
        self._load()
        return len(self._parts)

    def _load(self) -> None:
        """Register the parts of installed packages, once."""
        from importlib.metadata import entry_points  # late: slow to import, and few programs get here

        with self._lock:
            if self._loaded:
                return
            self._loaded = True
            for entry in entry_points(group=self.group):
                self._load_one(entry)

    def _load_one(self, entry: EntryPoint) -> None:
        try:
            self.register(entry.load())
        except Exception as reason:  # noqa: BLE001 - the fault of another package must not stop this one
            package = "" if entry.dist is None else f" of package {entry.dist.name!r}"
            warnings.warn(
                f"The {self.sort} {entry.name!r}{package} ({entry.value}) cannot be used: "
                f"{type(reason).__name__}: {reason}",
                RuntimeWarning,
                stacklevel=2,
            )


def check_shape(sort: str, part: object, attributes: Iterable[str], methods: Iterable[str]) -> None:
    """Raise an error that names what a class lacks to be a part of this sort."""
    if not isinstance(part, type):
        raise BadSetting(sort, f"{part!r} is not a class.")
    missing = [name for name in attributes if getattr(part, name, None) is None]
    missing += [f"{name}()" for name in methods if not callable(getattr(part, name, None))]
    if missing:
        raise BadSetting(f"{sort} {part.__qualname__}", f"lacks {', '.join(missing)}.")
