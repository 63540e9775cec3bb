"""Who residents were before: read from a file, checked, and taken into each mind's own memory."""

import json
import re

import pytest
from hosting import decide, first_observation, hosted, lived_on, society_of, take_steps
from leading import LeadingModel
from project import DOCS

from evaluation.commands.cli import main
from evaluation.runs.identities import read_identities
from language_models.scripted import ScriptedModel
from minds.mind import History

PAGE = (DOCS / "minds.md").read_text(encoding="utf-8").partition("## Who somebody was before")[2]
LENA = {
    "name": "Lena",
    "traits": "patient, and fond of books",
    "memories": ["I came to the valley to open a library.", "SG helped me carry my books."],
    "relations": {"SG": "an old friend"},
}


@pytest.mark.parametrize(("form", "suffix"), [("toml", ".toml"), ("", ".csv")])
def test_both_forms_of_the_page_say_the_same(tmp_path, form, suffix):
    file = tmp_path / f"people{suffix}"
    file.write_text(re.search(rf"```{form}\n((?:\[LL\]|resident,).*?)```", PAGE, re.DOTALL)[1])
    assert read_identities(file) == {"LL": LENA}


@pytest.mark.parametrize("mind", ["model", "react", "reflexion", "piano", "generative-agents"])
def test_it_reaches_what_the_mind_asks(mind):
    prompts = []

    def watch(caller, prompt):
        prompts.append(prompt)
        return False

    model = ScriptedModel(fail_on=watch)
    decide(hosted(mind, model=model, history=History.from_json(LENA)), first_observation())
    told = "\n".join(prompts)
    assert "I came to the valley to open a library." in told
    assert "SG is an old friend to me." in told or mind == "piano"


@pytest.mark.parametrize("mind", ["itcma-s", "react", "piano", "generative-agents"])
def test_it_goes_on_exactly_and_is_taken_in_once(mind):
    whole, gone_on = lived_on(mind, 4, 2, identities={"LL": LENA})
    assert gone_on == whole


def test_nobody_is_the_default():
    assert History().lines() == []
    assert History().to_prompt() == ""


def test_a_mind_by_likeness_remembers_it():
    society = society_of(identities={"LL": LENA})
    lines = History.from_json(LENA).lines()
    assert society.residents["LL"].answer() == [f'before the valley: "{line}"' for line in lines]
    assert society.residents["SG"].answer() == []
    records = take_steps(society, 2)
    called_up = {record["resident"]: record["memories"] for record in records if record["time"] == 0}
    assert called_up.pop("LL")[0] in range(5)
    assert set(map(tuple, called_up.values())) == {()}


def test_a_mind_led_by_a_model_describes_itself_and_others_by_it():
    model = LeadingModel()
    society = society_of(model=model, deliberation="llm", identities={"LL": LENA})
    take_steps(society, 1)
    by_name = {request.caller.resident: request.prompt for request in model.requests}
    told = by_name["LL"]
    assert "Your name is LL. You are called Lena. You are patient, and fond of books.\n" in told
    assert "People you know:\n- SG: an old friend\n" in told
    assert "What comes to mind:\n- before the valley: " in told
    assert all("before the valley" not in prompt for name, prompt in by_name.items() if name != "LL")


def test_nobody_else_changes_where_one_has_an_identity():
    """A resident's draws are its own: the others begin as they do without."""
    with_it, without = (take_steps(society_of(identities=one), 1) for one in ({"LL": LENA}, {}))
    assert [one for one in with_it if one["resident"] != "LL"] == [one for one in without if one["resident"] != "LL"]


@pytest.mark.parametrize("mind", ["itcma-s", "react"])
def test_a_run_keeps_them_resumes_and_branches(tmp_path, mind):
    file = tmp_path / "people.toml"
    file.write_text('[LL]\nname = "Lena"\nmemories = ["I once lived with SG."]\n')
    arguments = ["--model", "scripted", "--mind", mind, "--architecture", "itcma", "--identities", str(file)]
    assert main(["run", *arguments, "--steps", "3", "--out", str(tmp_path / "whole")]) == 0
    assert main(["run", *arguments, "--steps", "1", "--out", str(tmp_path / "begun")]) == 0
    file.unlink()
    assert main(["resume", str(tmp_path / "begun"), "--steps", "3"]) == 0
    events = [(tmp_path / name / "events.jsonl").read_bytes() for name in ("whole", "begun")]
    assert events[0] == events[1]
    assert main(["replay", str(tmp_path / "whole")]) == 0
    manifest = json.loads((tmp_path / "whole" / "manifest.json").read_text())
    given = {"LL": {"name": "Lena", "memories": ["I once lived with SG."]}}
    assert manifest["configuration"]["effective"]["world"]["identities"] == given
    assert main(["branch", str(tmp_path / "whole"), "--at", "1", "--out", str(tmp_path / "other")]) == 0
    assert (tmp_path / "other" / "events.jsonl").read_bytes() == events[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", '[LL]\nage = "3"\n', "unknown key 'age' of 'LL'"),
        ("a.toml", '[LL]\nmemories = "x"\n', "memories of 'LL' must be a list of lines, got 'x'"),
        ("a.toml", '[LL]\nname = "Lena"\n[LL]\n', "has no identities: it is not TOML: Cannot declare"),
        ("a.toml", '[LL]\nname = "Lena"\n[SG]\nname = "Lena"\n', "two residents are called 'Lena'"),
        ("a.toml", '[XX]\nname = "Lena"\n', "an identity names 'XX', and the residents are AY"),
        ("a.toml", '[LL.relations]\nXX = "a friend"\n', "an identity names 'XX'"),
        ("a.csv", "resident,age\nLL,3\n", "unknown column 'age'"),
        ("a.csv", "name\nLena\n", "it lacks the column 'resident'"),
        ("a.csv", "resident,name\nLL,Lena\nLL,Lina\n", "there are two of 'LL'"),
        ("a.csv", "resident,name\nLL\n", "line 2 has another number of columns than the first"),
        ("a.csv", "resident,relations\nLL,a friend\n", "relations are written RESIDENT: WHAT, got 'a friend'"),
    ],
)
def test_files_that_are_refused_are_one_line_and_nothing_is_written(tmp_path, capsys, name, text, message):
    (tmp_path / name).write_text(text)
    arguments = ["--model", "scripted", "--mind", "react", "--steps", "1"]
    status = main(["run", *arguments, "--identities", str(tmp_path / name), "--out", str(tmp_path / "out")])
    told = capsys.readouterr().err.strip()
    assert (status, len(told.splitlines())) == (2, 1)
    assert message in told
    assert not (tmp_path / "out").exists()
    nowhere = tmp_path / "nowhere.toml"
    assert main(["run", *arguments, "--identities", str(nowhere), "--out", str(tmp_path / "out")]) == 2
    reason = f"{nowhere} cannot be read: No such file or directory; give a TOML or CSV file of identities"
    assert capsys.readouterr().err == f"irollan: {reason}\n"
