"""One run with minds of several kinds."""

import pytest
from empty_reports import empty_reports

from evaluation.commands.cli import main

MINDS = ("react", "LL=itcma-s", "SG=piano", "WM=generative-agents", "MD=random", "AY=reflexion")


@pytest.fixture(scope="session")
def lived(tmp_path_factory):
    path = tmp_path_factory.mktemp("interviews") / "run"
    minds = [argument for mind in MINDS for argument in ("--mind", mind)]
    asked = ["run", "--model", "scripted", "--embedder", "hash", "--steps", "4", "--out", str(path), *minds]
    with empty_reports():
        assert main(asked) == 0
    return path
