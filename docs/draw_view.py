"""Draws the strip of pictures of the recorded life: ``python docs/draw_view.py`` writes docs/images/view.png.

It needs Playwright and a Chromium.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from matplotlib.image import imread, imsave
from playwright.sync_api import sync_playwright

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.findings import findings_of
from evaluation.viewer.page import write_view

ROOT = Path(__file__).parents[1]
LIFE = ROOT / "examples" / "recorded_life"
PICTURE = ROOT / "docs" / "images" / "view.png"
MOMENTS = (
    ("#step=18", "light"),
    ("#step=32&who=AY&tab=resident", "dark"),
    ("#step=12&who=LL&tab=why", "dark"),
    ("#step=39&tab=society", "light"),
)
"""Who says what to whom; what one resident thinks and feels; why; what became of them."""
SIZE, ACROSS, BETWEEN = (1280, 800), 2, 16


def main() -> None:
    """Take the pictures, and put them side by side."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        life = RunDirectory(shutil.copytree(LIFE, Path(folder) / "life"))
        page = Path(folder) / "page.html"
        write_view([life], page, [findings_of(life)])
        pictures = [imread(io.BytesIO(one)) for one in taken(page)]
    width = ACROSS * SIZE[0] + (ACROSS - 1) * BETWEEN
    rows = -(-len(pictures) // ACROSS)
    sheet = np.full((rows * SIZE[1] + (rows - 1) * BETWEEN, width, 3), 0.78)
    for index, picture in enumerate(pictures):
        top, left = (index // ACROSS) * (SIZE[1] + BETWEEN), (index % ACROSS) * (SIZE[0] + BETWEEN)
        sheet[top : top + SIZE[1], left : left + SIZE[0]] = picture[..., :3]
    imsave(PICTURE, sheet)


def taken(page: Path) -> list[bytes]:
    """The page at each moment, as PNG."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program)
        pictures = []
        for moment, scheme in MOMENTS:
            shown = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme=scheme)
            shown.goto(page.as_uri() + moment)
            shown.locator(".person[aria-label]").first.wait_for()
            shown.wait_for_timeout(600)  # colours have come
            pictures.append(shown.screenshot())
            shown.close()
        browser.close()
    return pictures


if __name__ == "__main__":
    main()
