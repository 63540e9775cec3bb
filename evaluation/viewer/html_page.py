"""The viewer page: one HTML file with style, script, and the data of one run or of two side by side.

Its content security policy allows only the script and the style with the listed hashes. Text from models, people and
maps is data: it is written into elements that browsers do not execute, and the script inserts it as text, never as
markup. Control characters in it are replaced by U+FFFD.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from markupsafe import Markup

from evaluation.html_theme.scripts import data_json, policy_hash
from evaluation.html_theme.templates import templates
from evaluation.records.files import write_atomically
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.modules import ASSETS, joined_modules
from evaluation.viewer.run_view import RunView

Findings: TypeAlias = list[tuple[str, str]]
"""Subjects with a sentence about each, as ``findings_of`` returns them."""


def page_of(runs: Sequence[Mapping[str, Any]], *, served: str = "", live: bool = False, can_pause: bool = False) -> str:
    """Render the page as HTML.

    Args:
        runs: Page data of one or two runs, from ``page_data``, with optional ``findings``.
        served: URL path of the application that serves the page; empty for a page in a file. Runs without ``details``
            have them fetched from there once the page is open.
        live: Whether the run goes on, so that the page follows its event stream.
        can_pause: Whether the viewer can pause the run.
    """
    style = (ASSETS / "view.css").read_text("utf-8")
    script = joined_modules()
    base = templates("evaluation.viewer").get_template("base.css").render()
    style = f"{base}\n{style}"
    policy = {
        "default-src": "'none'",
        "script-src": policy_hash(script),
        "style-src": policy_hash(style),
        "connect-src": "'self'" if served else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    first = [{key: run[key] for key in run if key not in ("details", "calls")} for run in runs]
    later = [later_data(run) for run in runs if "details" in run]
    return (
        templates("evaluation.viewer")
        .get_template("view.html")
        .render(
            world=" and ".join(dict.fromkeys(run["valley"]["name"] for run in runs)),
            policy="; ".join(f"{kind} {value}" for kind, value in policy.items()),
            style=Markup(style),
            script=Markup(script),
            data=data_json({"runs": first, "served": served, "live": live, "canPause": can_pause}),
            details=data_json(later),
        )
    )


def write_view(directories: Sequence[RunDirectory], path: Path, finds: Sequence[Findings] = ()) -> None:
    """Write the page of one run, or of two side by side, as one file.

    Args:
        directories: Directories of the runs.
        path: The file to write.
        finds: Findings of each run, from ``findings_of``.

    Raises:
        ValueError: as ``check_shown``, or if a file of a run is damaged.
        OSError: if the file cannot be written.
    """
    runs = [page_data(RunView(check_shown(one))) for one in directories]
    for run, sentences in zip(runs, finds, strict=False):
        run["findings"] = sentences
    write_atomically(path, page_of(runs).encode("utf-8", "backslashreplace"))


def check_shown(directory: RunDirectory) -> RunDirectory:
    """Check that a run is running or has a time step to show, and return its directory.

    Raises:
        ValueError: if there is no run, it has ended before its first time step, or completed time steps are missing.
    """
    manifest = directory.read_manifest()
    if manifest.get("status") == "running":
        return directory
    if not (directory.events_path.is_file() and directory.events_path.stat().st_size):
        raise ValueError(f"{directory.path} has no time step to show yet")
    return directory


def page_data(view: RunView, *, drawn_only: bool = False) -> dict[str, Any]:
    """Return all page data of a run in its current state.

    Args:
        view: Of the run.
        drawn_only: Leave out ``details`` and ``calls``, nine tenths of the page, which are looked up on request.

    Raises:
        ValueError: as ``RunView.new_steps``.
    """
    return {"name": view.directory.path.name, **view.head(), **view.new_steps(drawn_only=drawn_only)}


def later_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of page data that is looked up on request."""
    return {key: data[key] for key in ("details", "calls")}
