"""`Registry`: models, selections, kinds or protocols by name.

A registry holds built-in parts, parts that a program registers, and parts of installed packages. A package adds a part
with an entry point. Entry points are loaded once, when a name is unknown or all names are listed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from steelyard.errors import BadSetting, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Part = TypeVar("Part")
AnyPart = TypeVar("AnyPart", bound=type[Any])


def no_check(part: Any) -> None:
    """Accept every part."""


class Registry(Mapping[str, Part], Generic[Part]):
    """The parts of one sort, such as kinds, by `name`, in the order of registration.

    A name belongs to the first part registered under it. The error for an unknown name suggests the most similar one.

    Parameters
    ----------
    sort
        What the parts are, in messages.
    group
        Entry point group of installed packages, or "" for none.
    built_in
        Parts of Steelyard.
    check
        Function that raises an error for an unsuitable part.

    Attributes
    ----------
    leader
        Registry whose parts fill this one. Its packages are loaded instead.
    """

    def __init__(
        self,
        sort: str,
        group: str = "",
        built_in: Iterable[Part] = (),
        check: Callable[[Any], None] = no_check,
    ) -> None:
        self.sort = sort
        self.group = group
        self.built_in: dict[str, Part] = {_name(part): part for part in built_in}
        self.leader: Registry[Any] | None = None
        self._check = check
        self._parts = dict(self.built_in)
        self._loaded = False
        self._lock = RLock()  # a package may register parts during its import

    def register(self, part: Part) -> Part:
        """Register a part and return it, so that this can decorate a class."""
        self._check(part)
        with self._lock:
            present = self._parts.setdefault(_name(part), part)
        if present is not part:
            raise BadSetting(
                f"{self.sort} {_name(part)!r}",
                f"this name is already used by {_origin(present)}. Choose another name.",
            )
        return part

    def remove(self, name: str) -> None:
        """Remove a part."""
        del self._parts[name]

    @property
    def registered(self) -> tuple[Part, ...]:
        """The parts that are not built in, for another process that needs them."""
        return tuple(part for name, part in self._parts.items() if name not in self.built_in)

    def taken(self, name: str) -> bool:
        """Whether the name is registered so far; does not load packages."""
        return name in self._parts

    def __getitem__(self, name: str) -> Part:
        part = self._parts.get(name)  # first without `in`, because every answer looks up several parts
        if part is not None:
            return part
        if name not in self:
            raise UnknownName(self.sort, name, tuple(self._parts))
        return self._parts[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the part of this name, or the default."""
        return self._parts[name] if name in self else default

    def __contains__(self, name: object) -> bool:
        if name not in self._parts:
            self.load()
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(tuple(self._parts))

    def __len__(self) -> int:
        self.load()
        return len(self._parts)

    def load(self) -> None:
        """Register the parts of installed packages, once."""
        if self.leader is not None:
            self.leader.load()
        if self._loaded or not self.group:
            return
        from importlib.metadata import entry_points  # late: slow to import, and rarely needed

        with self._lock:
            if self._loaded:
                return
            self._loaded = True
            for entry in entry_points(group=self.group):
                self._load_one(entry)

    def load_again(self) -> None:
        """Search for installed packages again when a name is next unknown, or all names are listed."""
        self._loaded = False

    def _load_one(self, entry: EntryPoint) -> None:
        try:
            self.register(entry.load())
        except Exception as reason:  # noqa: BLE001 - an error in another package must not stop this one
            package = "" if entry.dist is None else f" of package {entry.dist.name!r}"
            warnings.warn(
                f"The {self.sort} {entry.name!r}{package} ({entry.value}) cannot be used: "
                f"{type(reason).__name__}: {reason}",
                RuntimeWarning,
                stacklevel=2,
            )


def check_shape(sort: str, part: object, attributes: Iterable[str], methods: Iterable[str]) -> None:
    """Raise BadSetting with everything that a class lacks to be a part of this sort.

    Parameters
    ----------
    sort
        What the part should be, in the message.
    part
        Class to check.
    attributes
        Names of required class attributes.
    methods
        Names of required methods.
    """
    if not isinstance(part, type):
        raise BadSetting(sort, f"{part!r} is not a class. Register a class.")
    missing = [name for name in attributes if getattr(part, name, None) is None]
    missing += [f"{name}()" for name in methods if not callable(getattr(part, name, None))]
    if missing:
        raise BadSetting(f"{sort} {part.__qualname__}", f"lacks {', '.join(missing)}. Add it to the class.")


def _name(part: Any) -> str:
    name: str = part.name
    return name


def _origin(part: Any) -> str:
    """Return where a part is defined."""
    made = part if isinstance(part, type) else type(part)
    return f"{made.__module__}.{made.__qualname__}"
