"""Notebooks call everything from within an event loop of their own."""

import asyncio
import io

import pytest

from evaluation.runs import event_loop
from evaluation.sweeps import Declaration, sweep
from evaluation.sweeps.sweep_progress import sweep_progress_on


async def answer():
    await asyncio.sleep(0)
    return 42


async def fail():
    raise ValueError("not today")


async def from_within(what):
    return what()


@pytest.mark.parametrize("call", [lambda what: what(), lambda what: asyncio.run(from_within(what))])
def test_it_gives_back_what_comes_of_it(call):
    assert call(lambda: event_loop.run(answer())) == 42
    with pytest.raises(ValueError, match="not today"):
        call(lambda: event_loop.run(fail()))


def test_a_sweep_from_a_notebook(tmp_path):
    declaration = Declaration(axes={"model.name": ("scripted",), "steps": (1,)})
    result = asyncio.run(from_within(lambda: sweep(declaration, tmp_path, sweep_progress_on(io.StringIO()))))
    assert (result.status, dict(result.reasons)) == ("finished", {})
    assert list(result.table["status"]) == ["finished"]
