"""Who residents were before: read from a file, checked, and taken into each mind's own memory."""

import asyncio
import json
import re
import tomllib
from dataclasses import asdict, replace

import pytest
from hosting import decide, first_observation, hosted, lived_on, society_of, take_steps
from leading import LeadingModel
from project import DOCS

from evaluation.commands.cli import main
from evaluation.runs.identities import SHIPPED, check_identities, find_identities, read_identities
from evaluation.runs.run_config import RunConfig
from evaluation.scenarios.scenario import find_scenario
from evaluation.scenarios.scenario_world import ScenarioWorld, begin_with
from evaluation.sweeps.declaration import declare
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.world import World
from language_models.scripted import ScriptedModel
from minds.history import History

PAGE = (DOCS / "minds.md").read_text(encoding="utf-8").partition("## Who somebody was before")[2]
LENA = {
    "name": "Lena",
    "age": 34,
    "pronouns": "she/her",
    "occupation": "librarian",
    "traits": "patient, and fond of books",
    "skills": ["mending books"],
    "goals": ["show SG the reading room", "learn to cook"],
    "place": "Public Reading Room",
    "things": ["book"],
    "memories": [
        {"at": "two years ago", "text": "I came to the valley to open a library."},
        "SG helped me carry my books.",
    ],
    "relations": {"SG": {"about": "my sister", "feeling": 0.8}, "MD": "a stranger"},
}
FACTS = (
    "I am 34 years old.",
    "My pronouns are she/her.",
    "I am a librarian.",
    "I am good at mending books.",
    "I want to learn to cook.",
    "Two years ago: I came to the valley to open a library.",
    "SG is my sister; I am very fond of SG.",
    "MD is a stranger to me.",
)


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
    # PIANO recalls only what is like the present, and generative agents little of what lies long back.
    left_out = {"piano": FACTS, "generative-agents": FACTS[5:6]}.get(mind, ())
    assert [fact for fact in FACTS if fact not in told and fact not in left_out] == []
    assert "show SG the reading room" in told


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
    assert society.residents["LL"].answer()[:-1] == [f'before the valley: "{line}"' for line in lines]
    assert society.residents["SG"].answer() == []
    records = take_steps(society, 2)
    called_up = {record["resident"]: record["memories"] for record in records if record["time"] == 0}
    assert called_up.pop("LL")[0] in range(len(lines))
    assert set(map(tuple, called_up.values())) == {()}


def test_it_begins_where_and_with_what_it_says_and_sets_out_with_its_first_goal():
    society = society_of(identities={"LL": LENA, "AY": {"things": ["clothes", "food 3"]}})
    world = society.world
    assert (world.place_of("LL"), world.place_of("SG")) == ("Public Reading Room", "SG's Home")
    assert [one.startswith("book ") for one in world.holding("LL")] == [True]
    assert world.holding("AY") == ("food 3", "AY's clothes 1")
    goals = {record["resident"]: record["goal"] for record in take_steps(society, 1)}
    assert goals["LL"] == "show SG the reading room"
    asked = take_steps(society_of(identities={"LL": LENA}, scenario="lost_property"), 1)
    assert next(one["goal"] for one in asked if one["resident"] == "LL").startswith("See to it that all clothes")


def test_a_scenario_has_its_way_where_it_names_a_place_or_a_thing():
    held = {"SG": {"things": ["LL's clothes 1"]}}
    world = society_of(identities={"LL": LENA, **held}, scenario="lost_property").world
    assert (world.place_of("LL"), world.where_is("LL's clothes 1")) == ("outside", "WM")


def test_who_is_not_there_yet_stays_away_wherever_the_scenario_begins():
    residents = tuple(replace(one, absent=one.name == "WM") for one in ValleyMap.default().residents)
    later = replace(ValleyMap.default(), residents=residents)
    check_identities({"WM": {"age": 3}}, later)
    with pytest.raises(ValueError, match="things of 'WM': it is not there at the beginning"):
        check_identities({"WM": {"things": ["book"]}}, later)
    world = ScenarioWorld(find_scenario("hot_meal"), later, 0)
    assert (world.place_of("WM"), world.place_of("LL")) == ("away", "Public Canteen")


def test_a_spare_thing_that_a_scenario_names_is_in_the_world():
    kinds = tuple(replace(one, spare=1 if one.name == "toy" else 0) for one in ValleyMap.default().item_kinds)
    valley = replace(ValleyMap.default(), item_kinds=kinds)
    spare = next(one for one in valley.tables.items if one not in {item.name for item in valley.items})
    world = World(valley, 0)
    assert world.where_is(spare) == "away"
    begin_with(world, {}, {spare: "LL"})
    assert world.holding("LL") == (spare,)


def test_older_memories_come_first_and_those_without_a_time_last():
    given = [
        "I slept badly.",
        {"at": "yesterday", "text": "I baked."},
        {"at": 400, "text": "I moved here."},
        {"at": "thirty years ago", "text": "I learned to swim."},
        {"at": "last week", "text": "I met MD."},
    ]
    history = History.from_json({"memories": given})
    assert history.memories == (
        "Thirty years ago: I learned to swim.", "13 months ago: I moved here.", "Last week: I met MD.",
        "Yesterday: I baked.", "I slept badly.",
    )  # fmt: skip
    assert history.days == (10957.5, 400.0, 7.0, 1.0, None)
    assert History.from_json(json.loads(json.dumps(asdict(history)))) == history


def test_what_is_felt_weighs_memories_goals_and_first_meetings():
    loved, hated = ({"LL": {"relations": {"SG": {"about": "a rival", "feeling": number}}}} for number in (1, -1))
    for identities, expected in ((loved, 1), (hated, -1)):
        mind = society_of(identities=identities).residents["LL"]
        (memory,) = mind.get_state()["memory"]["memories"]
        assert memory["pleasure"] == pytest.approx(expected)
        assert mind.get_state()["familiarity"]["people"] == {"SG": 2}
    places = {name: {"place": "Public Canteen"} for name in ("SG", "MD")}

    def about(identities):
        """The share of first goals of LL that are about SG, with MD beside."""
        firsts = (
            take_steps(society_of(identities={**places, "LL": {**identities["LL"], **places["SG"]}}, seed=seed), 1)
            for seed in range(8)
        )
        return sum("SG" in record["goal"] for records in firsts for record in records if record["resident"] == "LL")

    assert about(loved) > about(hated)


def test_the_stream_of_generative_agents_has_the_age_of_memories():
    agent = society_of("generative-agents", identities={"LL": LENA}, in_process=True).residents["LL"]
    asyncio.run(agent.act(first_observation()))
    ages = {one["text"]: one["created"] for one in agent.get_state()["state"]["stream"]}
    assert ages["Two years ago: I came to the valley to open a library."] == -17532
    assert ages["SG helped me carry my books."] == 0


def test_feelings_and_goal_start_the_modules_of_piano():
    prompts = []

    def watch(caller, prompt):
        prompts.append((caller.module, prompt))
        return False

    agent = hosted("piano", model=ScriptedModel(fail_on=watch), history=History.from_json(LENA))
    decide(agent, first_observation())
    assert "Your current subgoal is: show SG the reading room" in dict(prompts)["goals"]
    without = hosted("piano:without-goals+social", model=ScriptedModel(), history=History.from_json(LENA))
    assert without.answer()[-1] != agent.answer()[-1]


def test_a_mind_led_by_a_model_describes_itself_and_others_by_it():
    model = LeadingModel()
    society = society_of(model=model, deliberation="llm", identities={"LL": LENA})
    take_steps(society, 1)
    by_name = {request.caller.resident: request.prompt for request in model.requests}
    told = by_name["LL"]
    assert (
        "Your name is LL. You are called Lena. You are 34 years old. Your pronouns are she/her. You are a librarian. "
        "You are patient, and fond of books. You are good at mending books. You also want to learn to cook.\n"
    ) in told
    assert "Your goal (since step 0): show SG the reading room." in told
    assert "People you know:\n- SG: your sister; you are very fond of SG\n- MD: a stranger\n" in told
    remembered = ("Two years ago: I came to the valley to open a library.", "SG helped me carry my books.")
    assert "You remember from before:\n" + "".join(f"- {line}\n" for line in remembered) in told
    assert "before the valley" not in told, "nothing of it is told twice"
    assert all("from before" not in prompt for name, prompt in by_name.items() if name != "LL")


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
        ("a.toml", '[LL]\nskils = ["x"]\n', "unknown key 'skils' of 'LL'; did you mean 'skills'"),
        ("a.toml", '[LL]\nage = "3"\n', "age of 'LL' must be a whole number of years from 0 to 120, got '3'"),
        ("a.toml", "[LL]\nage = 121\n", "age of 'LL'"),
        ("a.toml", '[LL]\ngoals = "x"\n', "goals of 'LL' must be a list of lines"),
        ("a.toml", '[LL]\nplace = "Public Cantine"\n', "unknown place 'Public Cantine'; did you mean 'Public Canteen'"),
        ("a.toml", '[LL]\nthings = ["bok"]\n', "things of 'LL': unknown thing 'bok'; did you mean 'book'"),
        ("a.toml", '[LL]\nthings = ["book 1"]\n[SG]\nthings = ["book 1"]\n', "'LL' holds 'book 1' already"),
        ("a.toml", f"[LL]\nthings = {['clothes'] * 9}\n", "no 'clothes' is left"),
        ("a.toml", '[LL]\nmemories = [{at = "once", text = "x"}]\n', "memories of 'LL': a time is a number of days"),
        ("a.toml", '[LL]\nmemories = [{text = "x"}]\n', "memories of 'LL' must be a list of lines, or of { at ="),
        ("a.toml", '[LL.relations]\nSG = {about = "x", feeling = 2}\n', "with a feeling from -1 to 1, got"),
        ("a.toml", '[LL.relations]\nLL = "myself"\n', "'LL' has a relation to itself"),
        ("a.toml", '[LL]\nmemories = "x"\n', "memories of 'LL' must be a list of lines, or"),
        ("a.toml", '[LL]\nname = "Lena"\n[LL]\n', "has no identities: it is not TOML: Cannot declare"),
        ("a.toml", '[LL]\nname = "Lena"\n[SG]\nname = "Lena"\n', "two residents are called 'Lena'"),
        ("a.toml", '[XX]\nname = "Lena"\n', "an identity names 'XX', and the residents are AY"),
        ("a.toml", '[LL.relations]\nXX = "a friend"\n', "; let more residents live there, or leave this one out"),
        ("a.csv", "resident,aage\nLL,3\n", "unknown column 'aage'; did you mean 'age'"),
        ("a.csv", "resident,age\nLL,old\n", "age of 'LL' must be"),
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


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_people_fit_their_map_and_feel_about_each_other_both_ways(name):
    people, valley_map = find_identities(name), load_map({"valley": None}.get(name, name))
    check_identities(people, valley_map)
    with pytest.raises(ValueError, match=f"the identities '{name}' are those of all residents of the map"):
        check_identities(people, load_map("towns:3"))
    assert list(people) == [one.name for one in valley_map.residents]
    for who, one in people.items():
        assert {"traits", "goals", "memories", "relations"} <= one.keys()
        assert len(one["memories"]) <= 2
        assert all(
            -1 <= to["feeling"] <= 1 and who in people[other]["relations"] for other, to in one["relations"].items()
        )
    assert min(to["feeling"] for one in people.values() for to in one["relations"].values()) < -0.5
    assert len({one["traits"] for one in people.values()}) == len(people)


def test_their_name_is_a_value_of_options_keys_and_sweeps(tmp_path, capsys):
    valley = RunConfig.from_keys({"world.identities": "valley"})
    assert valley.world.identities == find_identities("valley")
    assert RunConfig.from_keys({"world.identities": "nobody"}) == RunConfig()
    cells = declare({"world.identities": ["nobody", "valley"], "model.name": "scripted"}).cells()
    assert [one.name.partition("-seed0-")[2] for one in cells] == ["identities-nobody", "identities-valley"]
    assert main(["config", "--identities", "valley"]) == 0
    assert RunConfig.from_keys(tomllib.loads(capsys.readouterr().out)) == valley
    assert main(["run", "--identities", "valey", "--out", str(tmp_path / "out")]) == 2
    assert "'valey'; did you mean 'valley'?" in capsys.readouterr().err
