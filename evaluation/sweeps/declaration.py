"""Declaration of a sweep: lists of values for configuration keys, whose combinations are the cells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from evaluation.records.files import has_ending, nearby, read_toml
from evaluation.runs.config_keys import FILES, Keys, check_path, flatten, read_text, toml_value
from evaluation.runs.run_config import KEYS, RunConfig, refuse_without_effect
from evaluation.sweeps.cells import NOTHING, Cell, name_cells
from minds.mind_specs import ME

MOST_CELLS = 100_000


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The axes of a sweep.

    Attributes:
        axes: Distinct values by path of a ``RunConfig`` key, in the given order; absent keys have their default.

    Raises:
        ValueError: for an unknown key, an empty axis, a repeated value, or a value that a run would refuse.
    """

    axes: Mapping[str, tuple[Any, ...]]

    def __post_init__(self) -> None:
        count = 1
        for values in self.axes.values():
            count *= len(values)
        if count > MOST_CELLS:
            raise ValueError(f"a sweep has at most {MOST_CELLS:,} runs, got {count:,}")
        for key, values in self.axes.items():
            check_path(key, KEYS)
            if not values:
                raise ValueError(f"{key} has no value: an empty axis leaves nothing to run")
            seen: set[str] = set()
            for value in values:
                if (form := json.dumps(value, sort_keys=True, default=repr)) in seen:
                    raise ValueError(f"{key} has the value {value!r} twice")
                seen.add(form)
                _check(key, value)

    @property
    def varied(self) -> list[str]:
        """The keys with several values."""
        return [key for key, values in self.axes.items() if len(values) > 1]

    def cells(self) -> list[Cell]:
        """Return a cell for every combination, ordered by seed, so that a stopped sweep has treated all groups alike.

        Raises:
            ValueError: for an invalid combination.
        """
        order = sorted(self.axes, key=lambda key: key != "seed")
        settings = (dict(zip(order, values, strict=True)) for values in product(*(self.axes[key] for key in order)))
        configurations = [RunConfig.from_keys(one) for one in settings]
        refuse_without_effect(configurations, self.axes)
        return name_cells(configurations, self.varied)

    def to_json(self) -> dict[str, Any]:
        """Return the axes as JSON-ready data."""
        return {key: list(values) for key, values in self.axes.items()}


def read_declaration(file: Path | None, settings: Sequence[str] = ()) -> Declaration:
    """Read a declaration from a TOML file and --set options.

    Args:
        file: A TOML file in which a list gives several values of a key; None for no file.
        settings: Options KEY=VALUE,VALUE,... as given to --set, or KEY=[VALUE, VALUE] as in a file; each overrides its
            key in the file.

    Raises:
        ValueError: if the file is missing or is not TOML, or for an invalid declaration.
        OSError: if the file cannot be read.
    """
    given: dict[str, Any] = {}
    if file is not None:
        if not file.is_file():
            near = nearby(file, has_ending(".toml"))
            raise ValueError(f"there is no file {file}{f'; did you mean {near}?' if near is not None else ''}")
        try:
            given = read_toml(file)
        except ValueError as error:
            raise ValueError(f"{file} declares no sweep: {error}") from error
    try:
        return declare({**flatten(given, KEYS), **dict(_read(setting) for setting in settings)})
    except ValueError as error:
        raise ValueError(f"{file}: {error}" if file is not None else str(error)) from None


def declare(axes: Mapping[str, Any]) -> Declaration:
    """Create a declaration from values by path; a list, tuple or range gives several values, "0-9" gives 0 to 9.

    Raises:
        ValueError: for an invalid declaration.
    """
    listed = {path: list(value) if isinstance(value, range | tuple) else value for path, value in axes.items()}
    asked: Keys = flatten(listed, KEYS)
    return Declaration(axes={path: _values(path, value) for path, value in asked.items()})


def _read(setting: str) -> tuple[str, Any]:
    """Parse a --set option into its key and its values: separated by commas, or a list as in a file."""
    path, equals, text = setting.partition("=")
    path = path.strip().replace("-", "_")
    if not equals:
        raise ValueError(f"--set takes KEY=VALUE or KEY=VALUE,VALUE, got {setting!r}")
    check_path(path, KEYS)
    if text.lstrip().startswith("["):
        return path, toml_value(path, text)
    texts = [one for part in text.split(",") if (one := part.strip())]
    if KEYS[path] is int:
        return path, [int(one) if re.fullmatch(r"-?\d+", one) else one for one in texts]
    return path, texts if KEYS[path] is tuple else [read_text(path, one, KEYS[path]) for one in texts]


def _values(key: str, given: Any) -> tuple[Any, ...]:
    """Return the values of a key, with integer ranges such as 0-9 expanded."""
    values: list[Any] = []
    for value in given if isinstance(given, list) else [given]:
        if KEYS.get(key) is int and isinstance(value, str):
            if (found := re.fullmatch(r"(\d{1,19})-(\d{1,19})", value)) is None:
                raise ValueError(f"{key} must be whole numbers or a range such as 0-9, got {value!r}")
            first, last = int(found[1]), int(found[2])
            if last < first or last - first >= MOST_CELLS:
                raise ValueError(f"{key} must be a range from low to high of at most {MOST_CELLS:,}, got {value!r}")
            values += range(first, last + 1)
        elif KEYS.get(key) is tuple and isinstance(value, str):
            values.append([] if value == NOTHING else [one.strip() for one in value.split("+")])
        elif key in FILES and value == NOTHING:
            values.append("")
        else:
            values.append(value)
    return tuple(values)


def _check(key: str, value: Any) -> None:
    """Validate a single value, so that the error names its key."""
    if ME in ([value] if key == "mind.name" else value.values() if key == "mind.by_resident" else ()):
        raise ValueError(f"{key} must name minds that need no person, got {value!r}; irollan run --mind {ME} takes one")
    RunConfig.from_keys({key: value})
