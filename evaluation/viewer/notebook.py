"""Display of a run in a notebook: its page in a sandboxed frame."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.html_page import check_shown, page_data, page_of
from evaluation.viewer.run_view import RunView


@dataclass(frozen=True)
class Frame:
    """Notebook output that shows the page of a run.

    Attributes:
        page: The page as HTML.
        shown: URL fragment of the initial view, such as ``step=12&who=LL``; empty for the beginning.
        height: Height in pixels.
    """

    page: str
    shown: str
    height: int

    def _repr_html_(self) -> str:
        # The sandboxed frame keeps text from models away from the notebook.
        encoded = base64.b64encode(self.page.encode("utf-8", "backslashreplace")).decode()
        address = f"data:text/html;charset=utf-8;base64,{encoded}#{escape(self.shown)}"
        return (
            f'<iframe title="A run, step by step" sandbox="allow-scripts" width="100%" height="{self.height}" '
            f'style="border: 1px solid #8884" src="{address}"></iframe>'
        )


def show_run(run: str | Path, *, step: int | None = None, who: str = "", tab: str = "", height: int = 720) -> Frame:
    """Show a run in a notebook, as ``irollan view`` does; the notebook stores about 16 kB per decision.

    Args:
        run: Directory of the run.
        step: Time step shown first.
        who: Resident selected first.
        tab: Panel beside the valley: step, resident, why, society or find.
        height: Height in pixels.

    Raises:
        ValueError: if there is no run, it has no time step yet, or one of its files is damaged.
    """
    page = page_of([page_data(RunView(check_shown(RunDirectory(run))))])
    asked = {"step": step, "who": who, "tab": tab}
    return Frame(page, urlencode({key: value for key, value in asked.items() if value not in (None, "")}), height)
