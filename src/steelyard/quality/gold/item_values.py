"""`ItemValues`: a number for each item, from a scale or a gold file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Labels, Vector, object_cells, sum_by
from steelyard.scales.scale import Scale


@dataclass(frozen=True, eq=False)
class ItemValues:
    """Items with a value each, such as a scale or gold values.

    Parameters
    ----------
    name
        Name in tables and messages.
    item
        Item ids. None for values that are identified by system and segment.
    value
        Value of each item.
    low
        Lower end of the 95% interval of each value. None without intervals.
    high
        Upper end of the 95% interval of each value. None without intervals.
    system
        System that produced each item, or None. None for the whole column if systems are not known.
    segment
        Segment of each item, or None. None for the whole column if segments are not known.
    ends
        Ends of the scale, if the values are on a scale with ends.
    notes
        Sentences about rows that were left out.
    """

    name: str
    item: Labels | None
    value: Vector
    low: Vector | None = None
    high: Vector | None = None
    system: Labels | None = None
    segment: Labels | None = None
    ends: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()

    @staticmethod
    def of_scale(
        name: str,
        scale: Scale,
        ends: tuple[float, float] | None = None,
        *,
        systems: Mapping[str, str] | None = None,
        segments: Mapping[str, str] | None = None,
    ) -> ItemValues:
        """Return the positions and intervals of a scale.

        Parameters
        ----------
        name
            Name in tables and messages.
        scale
            The scale.
        ends
            Ends of the scale, such as the range of a fit (`fit.provenance.range`). None for a scale without ends.
        systems
            System of each item id. Default: not known.
        segments
            Segment of each item id. Default: not known.

        Returns
        -------
        ItemValues
            One value per item of the scale.
        """
        system, segment = (_labels_of(scale, each) for each in (systems, segments))
        return ItemValues(name, scale.item, scale.position, scale.low, scale.high, system, segment, ends)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def outputs(self) -> list[tuple[str, str]] | None:
        """System and segment of each item; None if one of the columns does not exist."""
        if self.system is None or self.segment is None:
            return None
        return [
            (str(system), str(segment)) for system, segment in zip(self.system, self.segment, strict=True)
        ]

    def by_system(self) -> ItemValues:
        """Return the mean value of each system. Values without a system column are those of systems themselves."""
        if self.system is None:
            if self.item is None:
                raise BadSetting(self.name, "there is no system column. Add one, or choose --unit item.")
            return self
        named = np.array([each is not None for each in self.system], dtype=bool)
        labels, code = np.unique(self.system[named].astype(str), return_inverse=True)
        mean = sum_by(code, self.value[named]) / np.maximum(np.bincount(code), 1)
        notes = self.notes
        if not named.all():
            notes = (*notes, f"{self.name}: {int(np.sum(~named)):,} items have no system and are left out.")
        if len(labels) < len(code):
            return ItemValues(self.name, object_cells(labels.tolist()), mean, ends=self.ends, notes=notes)
        order = np.argsort(code)
        low, high = (None if each is None else each[named][order] for each in (self.low, self.high))
        return ItemValues(
            self.name, object_cells(labels.tolist()), mean, low, high, ends=self.ends, notes=notes
        )


def _labels_of(scale: Scale, labels: Mapping[str, str] | None) -> Labels | None:
    return None if not labels else object_cells(labels.get(str(item)) for item in scale.item)
