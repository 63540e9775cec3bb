"""Draws the recorded life as a picture that moves: ``python docs/draw_life.py`` writes docs/images/life.webp.

It needs Playwright and a Chromium.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.findings import findings_of
from evaluation.viewer.html_page import write_view

ROOT = Path(__file__).parents[1]
LIFE = ROOT / "examples" / "recorded_life"
PICTURE = ROOT / "docs" / "images" / "life.webp"
STEPS = range(40)
SIZE, HEIGHT = (900, 760), 571
"""Of the browser's window, in pixels, and how much of it is shown."""
SECONDS = 2.2
"""For which each step stands."""


def main() -> None:
    """Take a picture of each step, and join them."""
    frames = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        life = RunDirectory(shutil.copytree(LIFE, Path(folder) / "life"))
        page = Path(folder) / "page.html"
        write_view([life], page, [findings_of(life)])
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        for step in STEPS:
            shown.goto(f"{page.as_uri()}#step={step}&tab=step")
            shown.locator(".person[aria-label]").first.wait_for()
            shown.wait_for_timeout(700)  # until everybody has walked where they go
            taken = shown.screenshot(clip={"x": 0, "y": 0, "width": SIZE[0], "height": HEIGHT})
            frames.append(Image.open(io.BytesIO(taken)).convert("RGB"))
        browser.close()
    first, *others = frames
    duration = int(1000 * SECONDS)
    first.save(PICTURE, save_all=True, append_images=others, duration=duration, loop=0, quality=60, method=6)


if __name__ == "__main__":
    main()
