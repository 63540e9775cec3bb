"""A run in a notebook: its page in a frame that can reach neither the notebook nor anything else."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.html_page import check_shown, page_of, told
from evaluation.viewer.run_view import RunView


@dataclass(frozen=True)
class Frame:
    """What a notebook draws of a run.

    Attributes:
        page: The page as HTML.
        shown: What its link names, such as ``step=12&who=LL``; empty for the beginning.
        height: In pixels.
    """

    page: str
    shown: str
    height: int

    def _repr_html_(self) -> str:
        # A sandboxed frame of its own: what models say reaches the notebook no more than it reaches a site.
        encoded = base64.b64encode(self.page.encode("utf-8", "backslashreplace")).decode()
        address = f"data:text/html;charset=utf-8;base64,{encoded}#{escape(self.shown)}"
        return (
            f'<iframe title="A run, step by step" sandbox="allow-scripts" width="100%" height="{self.height}" '
            f'style="border: 1px solid #8884" src="{address}"></iframe>'
        )


def show_run(run: str | Path, *, step: int | None = None, who: str = "", tab: str = "", height: int = 720) -> Frame:
    """A run in a notebook, as ``irollan view`` shows it, all of it kept in the notebook: about 16 kB a decision.

    Args:
        run: Its directory.
        step: The time step that is shown first.
        who: The resident that is chosen.
        tab: What is told beside the valley: step, resident, why, society or find.
        height: In pixels.

    Raises:
        ValueError: if there is no run, it has no time step yet, or a file of it is damaged.
    """
    page = page_of([told(RunView(check_shown(RunDirectory(run))))])
    asked = {"step": step, "who": who, "tab": tab}
    return Frame(page, urlencode({key: value for key, value in asked.items() if value not in (None, "")}), height)
