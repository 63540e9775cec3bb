"""The page: one HTML file with its style, its script and the data of one run, or of two side by side.

Its policy lets the script and the style run whose hashes it has, and nothing else. What models, people and maps say is
data: it is written into elements that no browser runs, and the script makes text of it, never markup. What would act
on the text around it stands there as U+FFFD.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from markupsafe import Markup

from evaluation.html_theme.printable import readable_data
from evaluation.html_theme.templates import templates
from evaluation.records.files import write_atomically
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.modules import ASSETS, joined_modules
from evaluation.viewer.run_view import RunView

Findings: TypeAlias = list[tuple[str, str]]
"""What ``findings_of`` gives: subjects with a sentence about each."""


def page_of(runs: Sequence[Mapping[str, Any]], *, live: str = "", can_pause: bool = False) -> str:
    """The page as HTML.

    Args:
        runs: One or two: what ``told`` gave, with ``findings`` where there are any.
        live: Where what comes is to be had, for a run that goes on; empty for one that has ended.
        can_pause: Whether whoever looks can pause it.
    """
    style = (ASSETS / "view.css").read_text("utf-8")
    script = joined_modules()
    base = templates("evaluation.viewer").get_template("base.css").render()
    style = f"{base}\n{style}"
    policy = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    first = [{key: run[key] for key in run if key not in ("details", "calls")} for run in runs]
    later = [{key: run[key] for key in ("details", "calls")} for run in runs]
    return (
        templates("evaluation.viewer")
        .get_template("view.html")
        .render(
            policy="; ".join(f"{kind} {value}" for kind, value in policy.items()),
            style=Markup(style),
            script=Markup(script),
            data=_data({"runs": first, "live": live, "canPause": can_pause}),
            details=_data(later),
        )
    )


def write_view(directories: Sequence[RunDirectory], path: Path, finds: Sequence[Findings] = ()) -> None:
    """Write the page of one run, or of two side by side, as one file.

    Args:
        directories: Of the runs.
        path: The file.
        finds: For each run what ``findings_of`` gave.

    Raises:
        ValueError: as ``check_shown``, or if a file of a run is damaged.
        OSError: if the file cannot be written.
    """
    runs = [told(RunView(check_shown(one))) for one in directories]
    for run, sentences in zip(runs, finds, strict=False):
        run["findings"] = sentences
    write_atomically(path, page_of(runs).encode("utf-8", "backslashreplace"))


def check_shown(directory: RunDirectory) -> RunDirectory:
    """Check that a run has something to show, or goes on; gives it back.

    Raises:
        ValueError: if there is no run, it has ended before its first time step, or time steps are lost that were done.
    """
    manifest = directory.read_manifest()
    if manifest.get("status") == "running":
        return directory
    directory.check_steps(manifest)
    if not (directory.events_path.is_file() and directory.events_path.stat().st_size):
        raise ValueError(f"{directory.path} has no time step to show yet")
    return directory


def told(view: RunView) -> dict[str, Any]:
    """All that a page has of a run as it is now.

    Raises:
        ValueError: as ``RunView.new_steps``.
    """
    return {"name": view.directory.path.name, **view.head(), **view.new_steps()}


def _data(value: Any) -> Markup:
    """JSON that stands in a ``script`` element that is not run: nothing in it ends the element."""
    text = json.dumps(readable_data(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
