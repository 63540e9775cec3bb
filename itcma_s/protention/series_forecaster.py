"""A numeric time-series foundation model as the forecaster of Eq. 7: it predicts positions of visible objects.

Each coordinate (x, y, z in metres) of each object is one series over the channel's frames. Of the inputs of Eq. 7 this
uses the channel alone: a numeric series cannot include the imagination, the driver or the action, and a place never
seen has no series. There the forecaster returns nothing, and the next source is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from irollan_env.actions import Action, Primitive
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.geometric_rule import cartesian, spherical

FRACAST = "fracast"
SHORTEST = 8
"""Minimum length of a series for Fracast."""

_STANDS_STILL = 1e-6


class SeriesModel(Protocol):
    """A zero-shot model of single series; ``fracast.FracastModel`` is one."""

    @property
    def quantiles(self) -> Sequence[float]:
        """The predicted quantiles, in (0, 1), including 0.5."""
        ...

    def forecast_batch(self, context: NDArray[np.float64], *, horizon: int) -> NDArray[np.float64]:
        """Predict quantiles of the continuation of each row; shape (rows, horizon, quantiles)."""
        ...


class SeriesForecaster:
    """A ``Forecaster`` that uses a model of numeric series.

    Args:
        name: Name in configurations and tables.
        model: Predicts the series; its median is used.
    """

    def __init__(self, name: str, model: SeriesModel) -> None:
        self.name = name
        self._model = model
        self._median = list(model.quantiles).index(0.5)
        self._last: tuple[Moment, Field] | None = None

    @classmethod
    def fracast(cls) -> SeriesForecaster:
        """Load Fracast-0 (85,001 weights) from its package.

        Raises:
            ImportError: without the package; the message says how to install it.
        """
        fracast_weights()
        from fracast import FracastModel

        return cls(FRACAST, FracastModel.from_pretrained(weights="fp32"))

    def forecast(self, moment: Moment, actions: Sequence[str], table: NameTable) -> list[Field | None]:
        """Predict one common field for all actions that stay in the place, and None for the others."""
        stay = [_stays(action, moment, table) for action in actions]
        if not any(stay):
            return [None for _ in stay]
        # Actions of one moment may be asked about one by one.
        if self._last is None or self._last[0] is not moment:
            self._last = moment, self._here(moment)
        return [self._last[1] if stays else None for stays in stay]

    def _here(self, moment: Moment) -> Field:
        """Return the present with its positions predicted one step ahead.

        Raises:
            ValueError: if the model's answer is not finite.
        """
        series = histories(moment)
        moves = np.ptp(series, axis=1) > _STANDS_STILL
        points = series[:, -1].copy()
        if moves.any():
            least, span = series[moves].min(axis=1), np.ptp(series[moves], axis=1)
            # Equal scaled series are predicted once: such a model scales each series to [0, 1] itself.
            scaled = np.round((series[moves] - least[:, None]) / span[:, None], 6)
            distinct, which = np.unique(scaled, axis=0, return_inverse=True)
            following = self._model.forecast_batch(distinct, horizon=1)[:, 0, self._median]
            if not np.isfinite(following).all():
                raise ValueError(f"{self.name} foretold a position that is not finite")
            points[moves] = least + span * following[which]
        return Field(moment.present.ids, spherical(points.reshape(-1, 3)))


def histories(moment: Moment) -> NDArray[np.float64]:
    """Return the position series of visible objects, oldest first: shape (3 a, frames), x, y, z in metres of a rows.

    Gaps repeat the last position; frames before the first sighting, and those missing to ``SHORTEST``, repeat the
    first.
    """
    frames = [
        dict(zip(field.ids.tolist(), cartesian(field.positions), strict=True))
        for field in (*moment.retention, moment.present)
    ]
    length = max(SHORTEST, len(frames))
    series = np.empty((len(moment.present), 3, length))
    for row, name in enumerate(moment.present.ids.tolist()):
        point = next(frame[name] for frame in frames if name in frame)
        series[row] = point[:, None]
        for number, frame in enumerate(frames, start=length - len(frames)):
            point = frame.get(name, point)
            series[row, :, number] = point
    return series.reshape(-1, length)


def fracast_weights() -> Path:
    """Return the path of Fracast's weights.

    Raises:
        ImportError: without the package; the message says how to install it.
    """
    spec = find_spec(FRACAST)
    if spec is None or spec.origin is None:
        raise ImportError(
            "protention 'fracast' needs the package fracast, which is not installed; "
            "python -m pip install -c constraints.txt '.[forecast]'"
        )
    return Path(spec.origin).parent / "weights" / "model.safetensors"


def _stays(action: str, moment: Moment, table: NameTable) -> bool:
    """Return whether an action stays in the place; "leave" does if its target is an object in sight."""
    read = Action(action)
    if read.primitive is Primitive.LEAVE:
        return read.target in moment.present.names(table)
    return read.primitive is not Primitive.GO_TO
