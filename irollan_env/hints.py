"""Argument checks whose error messages name the value, what was expected and the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from numbers import Integral
from typing import Any, TypeVar

_T = TypeVar("_T")
_Choice = TypeVar("_Choice", bound=StrEnum)

LONGEST_QUOTE = 60


def quote(text: str) -> str:
    """Quote a text for an error message: escaped, and cut where it is long."""
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}..."


def quote_other(given: object) -> str:
    """Describe a value given in place of an action for an error message; for an ``Act``, suggest its action."""
    return f"{type(given).__name__}; give its .action" if hasattr(given, "action") else repr(given)


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return a hint such as ``"; did you mean 'book 1'?"``, or an empty string when no name is near.

    Args:
        text: The given name; untrusted, of any length.
        names: The valid names.
    """
    if len(text) > LONGEST_QUOTE:
        return ""
    folded = {name.casefold(): name for name in names}
    wanted = text.casefold().removeprefix("the ").strip()
    near = [wanted] if wanted in folded else difflib.get_close_matches(wanted, folded, n=1, cutoff=0.7)
    near = near or [name for name in folded if name.endswith(f".{wanted}")]
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def check_known(what: str, name: Any, known: Collection[str], where: str = "") -> str:
    """Check that a name is among the known ones.

    Args:
        what: What the name stands for: ``"resident"``.
        name: The given name; untrusted, of any type and length.
        known: The valid names.
        where: The beginning of the error message: ``"state.people: "``.

    Returns:
        The name.

    Raises:
        ValueError: ``"unknown resident 'Ay'; did you mean 'AY'?"``, or what is known where no name is near.
    """
    if not isinstance(name, str) or name not in known:
        more = f" and {len(known) - 12} more" if len(known) > 12 else ""
        hint = did_you_mean(str(name), known) or f"; known are {list(known)[:12]}{more}"
        raise ValueError(f"{where}unknown {what} {quote(name) if isinstance(name, str) else repr(name)}{hint}")
    return name


def check_choice(what: str, name: Any, choices: type[_Choice]) -> _Choice:
    """Return the member of an enum that a name means.

    Args:
        what: What the name stands for: ``"rank_by"``.
        name: The given name; untrusted, of any type and length.
        choices: The enum.

    Raises:
        ValueError: as ``check_known`` does.
    """
    return choices(check_known(what, name, [str(one) for one in choices]))


def check_integer(what: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Check that a value is an integer in a range.

    Args:
        what: The value's name: ``"max_steps"``.
        value: The value; NumPy integers are accepted, bools are not.
        least: The smallest that it can be.
        most: The largest that it can be; None for no bound.

    Returns:
        Python's own integer.

    Raises:
        ValueError: for such a value.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        wanted = f">= {least}" if most is None else f"in [{least}, {most}]"
        raise ValueError(f"{what} must be an integer {wanted}, got {value!r}")
    return int(value)


def check_list(where: str, data: Any, length: int | None = None) -> Sequence[Any]:
    """Check that data is a list, of a given length where one is given.

    Args:
        where: The beginning of the error message: ``"state.acts"``.
        data: The data.
        length: The required number of entries; None for any number.

    Returns:
        The list.

    Raises:
        ValueError: for such data.
    """
    if not isinstance(data, (list, tuple)) or length not in (None, len(data)):
        raise ValueError(f"{where} must be a list{'' if length is None else f' of {length}'}, got {data!r}")
    return data


def check_version(state: Any, version: int) -> None:
    """Check that a saved state is a mapping of the expected version.

    Args:
        state: The state.
        version: The expected version of the layout.

    Raises:
        ValueError: for either.
    """
    if not isinstance(state, Mapping):
        raise ValueError(f"a state must be a mapping, got {type(state).__name__}")
    if state.get("version") != version:
        raise ValueError(
            f"state has version {state.get('version')!r}, this is version {version}; make it anew, or go on with "
            "the code that saved it"
        )


def check_keys(where: str, data: Any, keys: Collection[str]) -> None:
    """Check that data is a mapping with exactly these keys.

    Args:
        where: The beginning of the error message.
        data: The data.
        keys: The required keys.

    Raises:
        ValueError: for such data, saying what is too much or missing.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be a mapping, got {data!r}")
    for key in data:
        if key not in keys:
            raise ValueError(f"{where} has an unknown key {key!r}{did_you_mean(str(key), keys)}")
    for key in keys:
        if key not in data:
            raise ValueError(f"{where} lacks {key!r}")


def read_parameters(kind: type[_T], data: Any, path: str = "") -> _T:
    """Make a dataclass of parameters from a mapping of its fields; missing ones have their defaults.

    Args:
        kind: The dataclass.
        data: The mapping.
        path: What leads to it in the data, with a full stop at its end: ``"ranking."``; empty for the whole.

    Raises:
        ValueError: for other data, an unknown name, or a value that the dataclass refuses.
    """
    where = path.removesuffix(".") or "parameters"
    known = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must name {', '.join(known)}, got {data!r}")
    if unknown := [name for name in data if name not in known]:
        hint = did_you_mean(unknown[0], known) or f"; known are {', '.join(known)}"
        raise ValueError(f"unknown parameter {path + unknown[0]!r}{hint}")
    try:
        return kind(**data)
    except TypeError as error:
        raise ValueError(f"{where} must be numbers, got {dict(data)!r}") from error
