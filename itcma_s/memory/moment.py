"""What the next step is expected to follow from (Eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass

from itcma_s.checks import check_finite
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
