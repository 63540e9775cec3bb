"""The third source of protention (Eq. 7): what a forecaster is given, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from itcma_s.emotion.emotion import check_finite
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """What is expected follows from this, and from the action: the channel, the imagination and the driver (Eq. 7).

    Departs from the paper: of the channel C^t (Eq. 6) it has PI^t and Re^t. The activated memory M(PI^t, Re^t) enters
    only through the imagination, which is blended with it; without blending it does not enter.

    Attributes:
        retention: Re^t, oldest first.
        present: PI^t.
        imagination: What the present was blended with (Eq. 5); the present itself when nothing came to mind.
        driver: d^t, finite.
    """

    retention: tuple[Field, ...]
    present: Field
    imagination: Field
    driver: float

    def __post_init__(self) -> None:
        check_finite("driver", self.driver)


class Forecaster(Protocol):
    """Predicts fields where neither the geometric rule nor memory says anything, without asking the language model.

    Attributes:
        name: In configurations and tables.
    """

    name: str

    def forecast(self, moment: Moment, actions: Sequence[str], table: NameTable) -> list[Field | None]:
        """The field that is expected to follow each action.

        Args:
            moment: Now.
            actions: Of the six primitives.
            table: Where the names of the moment's fields stand; names of objects that are expected are added.

        Returns:
            One field per action, its surest object first; None where it does not know, and the next source is asked.

        Raises:
            ValueError: for a text that is none of the six primitives.
        """
        ...
