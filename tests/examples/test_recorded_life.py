"""The recorded lives: lived again to the byte without their model."""

import json
import shutil

import pytest
from project import ROOT

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from ltrha import execution_rate

LIFE = ROOT / "examples" / "recorded_life"
OF_ITCMA = ROOT / "examples" / "recorded_life_itcma"
RESIDENTS = 6


@pytest.mark.parametrize("life", [LIFE, OF_ITCMA])
def test_it_is_lived_again_without_its_model(life, tmp_path, capsys):
    shutil.copytree(life, tmp_path / "life")
    assert main(["replay", str(tmp_path / "life")]) == 0
    assert capsys.readouterr().out.startswith("identical: ")


def test_nobody_is_silenced():
    rates = {}
    records = RunDirectory(LIFE).records()
    for begin in range(0, len(records), RESIDENTS):
        step = records[begin : begin + RESIDENTS]
        amounts = [record["resources"] for record in step]
        for record, rate in zip(step, execution_rate(amounts, share=True).tolist(), strict=True):
            rates.setdefault(record["resident"], []).append(rate)
    assert min(sum(own) / len(own) for own in rates.values()) >= 0.6


@pytest.mark.parametrize(("life", "architecture"), [(LIFE, "itcma-s"), (OF_ITCMA, "itcma")])
def test_it_says_how_it_was_lived(life, architecture):
    manifest = (life / "manifest.json").read_text()
    settings = json.loads(manifest)["configuration"]["effective"]
    assert (settings["architecture"], settings["mind"]["deliberation"]) == (architecture, "llm")
    assert settings["world"]["scheduling"] == "sequential"
    assert (settings["ltrha"]["resource_mode"], settings["ltrha"]["execution_draw"]) == ("share", "after")
    assert "/tmp" not in manifest
