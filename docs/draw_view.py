"""Draws the strip of pictures of the recorded life: ``python docs/draw_view.py`` writes docs/images/view.png.

It needs Playwright and a Chromium.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from markupsafe import Markup
from playwright.sync_api import sync_playwright

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.findings import findings_of
from evaluation.viewer.html_page import write_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
LIFE = ROOT / "examples" / "recorded_life"
PICTURE = ROOT / "docs" / "images" / "view.png"
Scheme: TypeAlias = Literal["light", "dark"]
MOMENTS: tuple[tuple[str, Scheme, str], ...] = (
    ("#step=32&who=SG&tab=step", "light", "Who does what"),
    ("#step=36&who=MD&tab=why", "dark", "Why, back to the words of the model"),
    ("#step=39&who=AY&tab=resident", "dark", "What one thinks, feels and knows"),
    ("#step=39&tab=society", "light", "What became of them"),
)
"""What is shown, how, and what the caption begins with; the rest of it is what the resident does then."""
SIZE, ACROSS, BETWEEN = (1280, 800), 2, 16
_SHEET = Markup(
    "<!doctype html><style>body {{ margin: 0; padding: {gap}px; display: grid; gap: {gap}px; background: #c7c7c7; "
    "grid-template-columns: repeat({across}, {width}px); }} figure {{ margin: 0; background: #fdfdfc; }} "
    "img {{ display: block; }} figcaption {{ font: 30px/1.3 system-ui, sans-serif; padding: 14px 20px 18px; }}</style>"
    "{figures}"
)
_FIGURE = Markup('<figure><img src="data:image/png;base64,{}"><figcaption><b>{}.</b> {}</figcaption></figure>')


def main() -> None:
    """Take the pictures, and put them side by side with what each shows."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        life = RunDirectory(shutil.copytree(LIFE, Path(folder) / "life"))
        page = Path(folder) / "page.html"
        write_view([life], page, [findings_of(life)])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("google-chrome"))
        figures = Markup("").join(figure(browser, page, *moment) for moment in MOMENTS)
        sheet = browser.new_page(viewport={"width": ACROSS * SIZE[0] + (ACROSS + 1) * BETWEEN, "height": SIZE[1]})
        sheet.set_content(_SHEET.format(gap=BETWEEN, across=ACROSS, width=SIZE[0], figures=figures))
        sheet.screenshot(path=PICTURE, full_page=True)
        browser.close()


def figure(browser: Browser, page: Path, moment: str, scheme: Scheme, title: str) -> Markup:
    """The page at a moment, with a caption that says what the chosen resident does then."""
    shown = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme=scheme)
    shown.goto(page.as_uri() + moment)
    shown.locator(".person[aria-label]").first.wait_for()
    shown.wait_for_timeout(600)  # colours have come
    step, does = shown.locator(".moment-shown").inner_text(), shown.locator(".caption").text_content()
    picture = base64.b64encode(shown.screenshot()).decode()
    shown.close()
    return _FIGURE.format(picture, title, f"{step.capitalize()}: {does}" if does else f"After {step}")


if __name__ == "__main__":
    main()
