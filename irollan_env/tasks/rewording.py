"""Alternative wordings of goals, some of which are held out for testing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from irollan_env.naming import some
from irollan_env.tasks.errands import Errands
from irollan_env.tasks.task import Drawing, Task

_FILE = Path(__file__).parent / "data" / "wordings.toml"


def reworded(task: Task, drawing: Drawing, *, unseen: bool) -> Task:
    """Return the task with a randomly drawn wording of its goal; unchanged where its family has none.

    Args:
        task: The task whose goal is reworded.
        drawing: Draws the wording.
        unseen: Whether to draw from the held-out wordings.
    """
    if isinstance(task, Errands):
        return replace(task, parts=tuple(reworded(part, drawing, unseen=unseen) for part in task.parts))
    known = _wordings().get(task.family)
    if known is None:
        return task
    words = drawing.any(known["unseen" if unseen else "seen"]).format(**_names(task))
    return replace(task, wording=words[0].upper() + words[1:])


def _names(task: Task) -> Mapping[str, str]:
    what = str(getattr(task, "kind", getattr(task, "item", "")))
    return {
        "what": what,
        "thing": f"the {what}" if what[-1:].isdigit() else some(what),
        "on": some(str(getattr(task, "furniture", ""))),
        "place": str(getattr(task, "place", "")),
        "person": str(getattr(task, "person", "")),
    }


@cache
def _wordings() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
