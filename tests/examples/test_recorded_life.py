"""The recorded lives: lived again to the byte without their model, and the figures that the docs give of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from project import ROOT

from benchmarks.mind.requests import faults, measure
from evaluation.commands.cli import main
from evaluation.records.records import read_jsonl
from language_models.transcript.calls import Call
from language_models.transcript.recorded_calls import RecordedCalls
from ltrha import execution_rate

LIFE = ROOT / "examples" / "recorded_life"
OF_ITCMA = ROOT / "examples" / "recorded_life_itcma"
RESIDENTS = 6


def calls_of(life: Path) -> list[Call]:
    transcript = RecordedCalls(life / "transcript.sqlite")
    try:
        return list(transcript.calls())
    finally:
        transcript.close()


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    return calls_of(LIFE)


@pytest.mark.parametrize("life", [LIFE, OF_ITCMA])
def test_it_is_lived_again_without_its_model(life: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(life, tmp_path / "life")
    assert main(["replay", str(tmp_path / "life")]) == 0
    assert capsys.readouterr().out.startswith("identical: ")


@pytest.mark.parametrize("life", [LIFE, OF_ITCMA])
def test_every_request_reads_well(life: Path) -> None:
    prompts = [call.request.prompt for call in calls_of(life) if call.caller.module == "action"]
    assert len(prompts) >= 200
    assert [fault for prompt in prompts for fault in faults(prompt)] == []


def test_the_docs_say_what_it_took(calls: list[Call]) -> None:
    steps = len(read_jsonl(LIFE / "events.jsonl")) // RESIDENTS
    found = {one.name: one.value for one in measure(calls, steps, RESIDENTS)}
    page = (ROOT / "docs" / "deliberation.md").read_text(encoding="utf-8")
    told = f"{found['requests a resident and step']:.2f} requests and {found['tokens a resident and step']:,.0f} tokens"
    assert told in page
    assert f"{found['begin as the one before']:.0f} per cent of each request" in page


def test_the_replication_says_what_the_life_of_itcma_took() -> None:
    steps = len(read_jsonl(OF_ITCMA / "events.jsonl")) // RESIDENTS
    found = {one.name: one.value for one in measure(calls_of(OF_ITCMA), steps, RESIDENTS)}
    page = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
    assert f"| tokens a resident and step | {found['tokens a resident and step']:,.0f} | 1,095 |" in page
    assert f"| requests a resident and step | {found['requests a resident and step']:.2f} | 1.20 |" in page


def test_nobody_is_silenced() -> None:
    rates: dict[str, list[float]] = {}
    records = read_jsonl(LIFE / "events.jsonl")
    for begin in range(0, len(records), RESIDENTS):
        step = records[begin : begin + RESIDENTS]
        amounts = [record["resources"] for record in step]
        for record, rate in zip(step, execution_rate(amounts, share=True).tolist(), strict=True):
            rates.setdefault(record["resident"], []).append(rate)
    assert min(sum(own) / len(own) for own in rates.values()) >= 0.6


@pytest.mark.parametrize(("life", "architecture"), [(LIFE, "itcma-s"), (OF_ITCMA, "itcma")])
def test_it_says_how_it_was_lived(life: Path, architecture: str) -> None:
    manifest = (life / "manifest.json").read_text()
    settings = json.loads(manifest)["configuration"]["effective"]
    assert (settings["architecture"], settings["mind"]["deliberation"]) == (architecture, "llm")
    assert settings["world"]["scheduling"] == "sequential"
    assert (settings["ltrha"]["resource_mode"], settings["ltrha"]["execution_draw"]) == ("share", "after")
    assert "/tmp" not in manifest
