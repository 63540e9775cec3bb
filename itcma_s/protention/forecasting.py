"""The third source of protention (Eq. 7): what a forecaster is given, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.moment import Moment


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
