"""The page of a run, made and opened."""

import functools
import shutil

from made_up_runs import signed
from project import ROOT

from evaluation.records.records import to_jsonl
from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.html_page import write_view

LIFE = ROOT / "examples" / "recorded_life"


def copy_of_life(path, *, change=None, steps=None, status="finished"):
    """The recorded life at another place; `change` may change each record in place."""
    path.mkdir(parents=True, exist_ok=True)
    for name in ("manifest.json", "metrics.csv", "transcript.sqlite", "events.jsonl"):
        shutil.copy(LIFE / name, path / name)
    directory = RunDirectory(path)
    done = 40 if steps is None else steps
    records = [one for one in recorded() if one["time"] < done]
    for record in records if change is not None else ():
        change(record)
    directory.events_path.write_bytes(to_jsonl(records))
    header, *rows = directory.metrics_path.read_text().splitlines(keepends=True)
    directory.metrics_path.write_text("".join([header, *(row for row in rows if int(row.partition(",")[0]) < done)]))
    return signed(directory, {**directory.read_manifest(), "status": status, "steps_done": done})


def recorded():
    """The records of the recorded life."""
    return RunDirectory(LIFE).records()


@functools.cache
def step_of():
    """The same by time step and resident."""
    return {(one["time"], one["resident"]): one for one in recorded()}


def page_file(directory, path, **more):
    """The page of a run as a file; its address."""
    write_view([directory], path, **more)
    return path.as_uri()


def go(page, hash):
    """Follow a link within the page."""
    page.evaluate("hash => { location.hash = hash; }", hash)
    page.wait_for_function("hash => location.hash.startsWith(hash)", arg=hash.split("&")[0])


def panel(page):
    """What the panel beside the valley tells."""
    return page.locator("#panel").inner_text()
