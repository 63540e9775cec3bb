"""How soon the page of a run shows its first picture, and how smoothly it plays, with few people and with a thousand.

Needs a Chromium: the one of Playwright, or one that is installed. Without a run, one of six residents and 75 steps at
random is made; the crowd lives in towns. Frames are counted while the page plays, at 1280 by 800 pixels and without a
graphics processor, so that they are the fewest that a screen would show.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from benchmarks.reporting import AsJson, Measurement, machine, show
from evaluation.records.records import make_record, to_jsonl
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.html_page import page_of, told
from evaluation.viewer.run_view import RunView
from irollan_env.actions import Action
from irollan_env.map.generate import generate_towns
from irollan_env.map.valley_map import ValleyMap
from irollan_env.resident import Act
from irollan_env.world.world import World

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FEW, STEPS = 75, 12
"""Steps of the run of six, and of the crowd."""
SECONDS = 4.0

_WATCH = """globalThis.firstPicture = new Promise((done) => {
  const look = () => {
    if (document.querySelector(".person[aria-label], canvas.valley[aria-label]")) requestAnimationFrame(done);
    else requestAnimationFrame(look);
  };
  look();
});"""
_FRAMES = """seconds => new Promise((done) => {
  let frames = 0;
  const began = performance.now();
  const count = (now) => {
    frames += 1;
    if (now - began < seconds * 1000) requestAnimationFrame(count);
    else done(frames / ((now - began) / 1000));
  };
  requestAnimationFrame(count);
})"""


def command(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A run of few residents. [default: a made-up one]", show_default=False),
    ] = None,
    crowd: Annotated[int, typer.Option(metavar="N", min=300, help="How many residents the crowd has.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Time the first picture of a page, and count its frames a second while it plays."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        small = RunView(RunDirectory(run)) if run else made_up(Path(folder) / "few", ValleyMap.default(), FEW)
        large = made_up(Path(folder) / "crowd", generate_towns(crowd), STEPS)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program)
        few, many = (measured(browser, view, Path(folder) / "page.html") for view in (small, large))
        browser.close()
    show(
        [
            Measurement(name="first picture, few residents", value=few[0], unit="s", goal=1.0, at_least=False),
            Measurement(name="frames, few residents", value=few[1], unit="a second", goal=60.0),
            Measurement(name="page, few residents", value=few[2], unit="MB", goal=20.0, at_least=False),
            Measurement(name=f"first picture, {crowd} residents", value=many[0], unit="s"),
            Measurement(name=f"frames, {crowd} residents", value=many[1], unit="a second", goal=20.0),
            Measurement(name=f"page, {crowd} residents", value=many[2], unit="MB"),
        ],
        machine(),
        as_json=as_json,
    )


def measured(browser: Browser, view: RunView, path: Path) -> tuple[float, float, float]:
    """Seconds to the first picture, frames a second while it plays, and megabytes of the page."""
    path.write_text(page_of([told(view)]), encoding="utf-8", errors="backslashreplace")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(_WATCH)
    page.goto(path.as_uri())
    first = page.evaluate("firstPicture") / 1000
    page.get_by_role("button", name="Play").click()
    frames = page.evaluate(_FRAMES, SECONDS)
    page.close()
    return round(first, 2), round(frames), round(path.stat().st_size / 1e6, 1)


def made_up(path: Path, valley_map: ValleyMap, steps: int, seed: int = 0) -> RunView:
    """A run in which everybody does what comes at random: where they go and what they hold is as in any other."""
    path.mkdir()
    directory, rng, world = RunDirectory(path), np.random.default_rng(seed), World(valley_map, seed)
    with directory.events_path.open("wb") as file:
        for _ in range(steps):
            seen = {name: world.observe(name) for name in world.residents}
            chosen = {name: Action(rng.choice(one.admissible)) for name, one in seen.items() if one.admissible}
            outcomes = world.step(chosen)
            acts = {name: Act(action=chosen.get(name), thought="", goal="") for name in seen}
            file.write(to_jsonl(make_record(seen[name], acts[name], outcomes[name]) for name in seen))
    directory.write_manifest({"status": "finished"})
    return RunView(directory, valley_map)
