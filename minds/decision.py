"""What a mind returns, as plain and checked data: answers, states and errors."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePath
from typing import Any

from irollan_env.hints import quote
from irollan_env.resident import Act
from minds.in_thread import Hung

LARGEST_STATE = 16_000_000
"""Most characters of a mind's state as JSON."""

DEEPEST_STATE = 100
"""Most levels of lists and mappings in a mind's state."""

LONGEST_ACTION = 20_000
LONGEST_TEXT = 4000
"""Most characters kept of a thought, a goal or a step of a plan."""

MOST_PLANNED = 100
"""Most steps kept of a plan."""

LONGEST_REASON = 500

_TEXTS = ("thought", "goal")
_FEELINGS = ("pleasure", "arousal", "dominance")


class MindError(RuntimeError):
    """A fault of a mind; the message is worded to follow the mind's name."""


class UnusableMind(ValueError):
    """Raised if a mind cannot be made, restored or interviewed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What became of one call of a mind, as plain data.

    Attributes:
        answer: The values of an ``Act``, as ``plain_answer`` gives them; empty after a failure.
        state: The mind's state after the step.
        generator: State of the mind's generator.
        failure: Why there is no answer; empty where there is one.
        at_fault: Whether the mind failed, and not a model call.
    """

    answer: Mapping[str, Any] = field(default_factory=dict)
    state: Any = None
    generator: Mapping[str, Any]
    failure: str = ""
    at_fault: bool = False


def plain_answer(answer: Any) -> dict[str, Any]:
    """Convert a mind's answer to plain data, with texts cut to the limit.

    Raises:
        MindError: for an invalid answer.
    """
    act = answer if isinstance(answer, Act) else Act(action=None)
    action = act.action if isinstance(answer, Act) else answer
    if action is not None and not isinstance(action, str):
        raise MindError(f"answered {quote(repr(action))}: it must be an action as text, None to wait, or an Act")
    if action is not None and len(action := _plain_text(action)) > LONGEST_ACTION:
        raise MindError(f"answered an action of {len(action):,} characters; at most {LONGEST_ACTION:,} are taken")
    texts = {name: getattr(act, name) for name in _TEXTS}
    plan = list(islice(iter(act.plan), MOST_PLANNED))
    if not all(isinstance(text, str) for text in (*texts.values(), *plan)):
        raise MindError("answered an Act whose thought, goal or plan is no text")
    feelings = {name: _plain_number(act, name) for name in (*_FEELINGS, "driver")}
    for name in _FEELINGS:
        if not -1 <= feelings[name] <= 1:
            raise MindError(f"answered an Act whose {name} is no number in [-1, 1]: {feelings[name]!r}")
    if not math.isfinite(feelings["driver"]):
        raise MindError(f"answered an Act whose driver is no finite number: {feelings['driver']!r}")
    return {
        "action": action,
        **{name: _plain_text(text, LONGEST_TEXT) for name, text in texts.items()},
        "plan": [_plain_text(step, LONGEST_TEXT) for step in plan],
        **feelings,
    }


def _plain_text(text: str, most: int | None = None) -> str:
    """Return a text as Python's own, without lone surrogates, which no file takes."""
    plain = str.__str__(text)[:most]
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain_number(act: Act, name: str) -> float:
    value = getattr(act, name)
    if isinstance(value, float):
        return float.__float__(value)
    if not isinstance(value, int) or abs(whole := int.__int__(value)) > 2**53:
        wanted = "finite number" if name == "driver" else "number in [-1, 1]"
        raise MindError(f"answered an Act whose {name} is no {wanted}: {quote(repr(value))}")
    return float(whole)


def act_of(answer: Mapping[str, Any], *, may_act: bool) -> Act:
    """Convert an answer in plain data to an ``Act``.

    Args:
        answer: As ``plain_answer`` returned it.
        may_act: Whether the resident can act in this step; it waits otherwise.
    """
    return Act(**{**answer, "action": answer["action"] if may_act else None, "plan": tuple(answer["plan"])})


def checked_state(state: Any) -> Any:
    """Return a mind's state after a JSON round trip, checking its size.

    Raises:
        MindError: for a state that cannot be saved.
    """
    if state is None:
        return None
    try:
        text = json.dumps(state, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise MindError(f"has a state that is not JSON-ready: {error}") from error
    if len(text) > LARGEST_STATE:
        raise MindError(f"has a state of {len(text):,} characters; at most {LARGEST_STATE:,} are kept")
    found = json.loads(text)
    _check_depth(found)
    return found


def _check_depth(state: Any) -> None:
    level, depth = [state], 0
    while level := [one for one in level if isinstance(one, (list, dict)) and one]:
        depth += 1
        if depth > DEEPEST_STATE:
            raise MindError(f"has a state of more than {DEEPEST_STATE} levels of lists and mappings")
        level = [child for one in level for child in (one.values() if isinstance(one, dict) else one)]


def describe_error(error: BaseException, source: str = "") -> str:
    """Describe an error of a mind in one line, worded to follow the mind's name.

    Args:
        error: What the mind raised; even its text is the mind's own code.
        source: ``module:Class`` of the mind, whose file and line are named, rather than those of a library that it
            calls; those of a mind of this package are not.
    """
    told = _one_line(_text_of(error))
    if isinstance(error, (MindError, Hung)):
        return told
    package = source.partition(":")[0].partition(".")[0]
    where = "" if package == __name__.partition(".")[0] else _place(error, package)
    return f"raised {type(error).__name__}{where and f' at {where}'}{told and f': {told}'}"


def _text_of(error: BaseException) -> str:
    try:
        return str.__str__(str(error))
    except BaseException:
        return ""


def _one_line(text: str) -> str:
    return _plain_text(" ".join(text[: 4 * LONGEST_REASON].split()))[:LONGEST_REASON]


def _place(error: BaseException, package: str) -> str:
    """Return the file and line of the mind's code where an error was raised, else of any code; empty for neither."""
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [one for one in frames if str(one[0].f_globals.get("__name__", "")).partition(".")[0] == package]
    if not frames:
        return ""
    frame, line = (own or frames)[-1]
    return f"{PurePath(frame.f_code.co_filename).name}:{line}"
