"""What makes runs quick in tests: what is the same in each of them is found out once."""

from contextlib import nullcontext
from functools import cache

import pytest


@pytest.fixture(autouse=True, scope="session")
def quick_runs():
    """Versions, revision and command are looked up once; no pass goes over the objects of all tests."""
    from evaluation.commands import cli
    from evaluation.runs import provenance, run_loop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provenance, "versions", cache(provenance.versions))
        patch.setattr(provenance, "git_revision", cache(provenance.git_revision))
        patch.setattr(cli.typer.main, "get_command", cache(cli.typer.main.get_command))
        patch.setattr(run_loop, "less_garbage_collection", nullcontext)
        yield
