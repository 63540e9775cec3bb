"""Scenarios: their files, their worlds, and outcomes from the ledger of lives that are known."""

import json
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest
from empty_reports import empty_reports
from hosting import society_of, take_steps

from evaluation.commands.cli import main
from evaluation.records.map_file import map_bytes
from evaluation.records.run_directory import RunDirectory
from evaluation.report.facts import facts_of
from evaluation.runs import checkpoints
from evaluation.scenarios.ledger import Ledger
from evaluation.scenarios.outcomes import OUTCOMES, check_parameters
from evaluation.scenarios.scenario import find_scenario, scenarios
from evaluation.scenarios.scenario_world import ScenarioWorld
from evaluation.scenarios.scoring import score_of
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from minds.company.company import profiles

NEIGHBOUR = profiles()["neighbour"].sha256


def lived(name, plan, visitor=False):
    """The ledger of a scenario in which residents act by a plan: a list of steps, each an action by resident."""
    scenario = find_scenario(name)
    world = ScenarioWorld(scenario, None, 0)
    before, records = world.get_state(), []
    for time, actions in enumerate(plan):
        seen = {who: world.observe(who).to_json() for who in world.residents}
        outcomes = world.step(actions)
        for who, result in outcomes.items():
            became = {"outcome": result.kind, "result": result.result, "time": time}
            records.append({**seen[who], "action": actions.get(who), **became})
    # What came of the last action is perceived in the next step.
    last = {"action": None, "outcome": "executed", "time": len(plan)}
    records += [{**world.observe(who).to_json(), **last} for who in world.residents]
    focal = scenario.focal(world.residents, visitor=visitor)
    return Ledger(records=records, before=before, after=world.get_state(), focal=focal, valley_map=world.map)


def score(name, plan, **how):
    scenario = find_scenario(name)
    return OUTCOMES[scenario.outcome](lived(name, plan, **how), scenario.parameters)


def test_there_are_eight_and_each_begins_as_its_file_says():
    assert len(scenarios()) >= 8
    for scenario in scenarios().values():
        world = ScenarioWorld(scenario, None, 0)
        for item, where in scenario.items.items():
            assert world.where_is(item) == where
        for who in world.residents:
            place = scenario.places.get(who, scenario.places.get("all"))
            assert place is None or world.place_of(who) == place


@pytest.mark.parametrize("name", sorted(set(scenarios()) - {"library"}))
def test_a_life_in_which_nobody_does_anything_is_no_success(name):
    assert score(name, [{}] * 3) <= 0.5


SAID = 'chat with SG: "The well is dry until day {}."'
BRING = {"SG": "put AY's clothes 1 in/on AY", "MD": "put SG's clothes 1 in/on SG"}
HOME = [{"WL": "go to MD's Home"}, {"WL": "put MD's clothes 1 in/on wardrobe 4"}]
OVER = [{"AY": "put book 1 in/on SG"}]
ON_THE_WAY, LATER = [{"LL": "leave Public Canteen"}, {"LL": "go to Public Reading Room"}], [{}] * 14
WELCOME = {"LL": 'chat with WL: "Welcome."'}
BORROW = [{"WM": "take book 9 from bookshelf 9"}]


@pytest.mark.parametrize(
    ("name", "plan", "visitor", "expected"),
    [
        ("lost_property", [BRING], False, 2 / 6),
        ("lost_property", HOME, False, 1 / 6),
        ("news", [{"AY": SAID.format(12)}], False, 1.0),  # All stand outside, and overhear it.
        ("news", [{"AY": SAID.format(13)}], False, 0.0),
        ("news", [{"SG": "go to SG's Home"}, {"AY": 'chat with MD: "Until day 12!"'}], False, 4 / 5),
        ("market", OVER, False, 0.0),
        ("market", [*OVER, {"SG": "put food 1 in/on AY"}], False, 1 / 3),
        ("promise", [*ON_THE_WAY, *LATER], True, 1.0),
        ("promise", [*LATER, *ON_THE_WAY], True, 0.0),
        ("promise", [*ON_THE_WAY, *LATER], False, 1 / 5),
        ("newcomer", [WELCOME], False, 2 / 3),
        ("newcomer", [{**WELCOME, "AY": "put food 2 in/on WL"}], False, 1.0),
        ("newcomer", [{"WL": "go to WL's Home"}], False, 0.0),
        ("library", [{}], False, 1.0),
        ("library", BORROW, False, 7 / 8),
        ("library", [*BORROW, {"WM": "put book 9 in/on table 16"}], False, 1.0),
    ],
)
def test_outcomes_of_known_lives(name, plan, visitor, expected):
    assert score(name, plan, visitor=visitor) == pytest.approx(expected)


def test_a_hot_meal_counts_those_who_have_it_at_once():
    heat = [
        {"AY": "take food 4 from foodshelf 3", "SG": "take food 5 from foodshelf 3"},
        {"AY": "put food 4 in/on stoveburner 2", "SG": "put food 5 in/on stoveburner 2"},
        {"AY": "use stoveburner 2"},
        {"AY": "take food 4 from stoveburner 2", "SG": "take food 5 from stoveburner 2"},
    ]
    assert score("hot_meal", heat) == pytest.approx(2 / 6)
    assert score("hot_meal", heat[:3]) == 0


def test_a_store_that_is_emptied_is_worth_nothing():
    eat = [{"AY": "take food 4 from foodshelf 3"}, {"AY": "use food 4"}]
    shelves = {3: (4, 5), 4: (6, 7), 5: (8, 10), 6: (11, 12)}
    food = [(piece, shelf) for shelf, pieces in shelves.items() for piece in pieces]
    take_all = [{"AY": f"take food {piece} from foodshelf {shelf}"} for piece, shelf in food]
    assert 0 < score("shared_store", eat) < 0.2
    ledger = lived("shared_store", take_all)
    assert len(ledger.after["residents"]["AY"]["holding"]) == 8
    assert score("shared_store", [*take_all, {"AY": "use food 4"}]) == 0


def test_what_is_eaten_grows_back_while_something_is_left():
    plan = [{"AY": "take food 4 from foodshelf 3"}, {"AY": "use food 4"}, {}, {}]
    after = lived("shared_store", plan).after
    assert after["items"]["food 4"] == {"on": "foodshelf 3", "status": []}
    assert after["residents"]["AY"]["holding"] == []


def test_a_society_lives_in_it_with_its_goals():
    scenario = find_scenario("news")
    society = society_of("idle", scenario="news", by_resident=scenario.minds("idle")[1])
    assert society.observe("AY").goal == "Let everybody know that the well is dry until day 12."
    assert society.observe("SG").goal.startswith("See to it that everybody knows")
    assert {record["place"] for record in take_steps(society, 1)} == {"outside"}


def test_who_is_measured():
    scenario = find_scenario("newcomer")
    residents = ["AY", "SG", "MD", "WL", "LL", "WM"]
    assert scenario.focal(residents, visitor=False) == ["AY", "SG", "MD", "LL", "WM"]
    assert scenario.focal(residents, visitor=True) == ["LL"]
    assert scenario.minds("react") == ("react", {"WL": "company:newcomer"})
    assert scenario.minds("react", visitor_of="model") == ("model", {"WL": "company:newcomer", "LL": "react"})


@pytest.mark.parametrize(
    ("outcome", "parameters", "message"),
    [
        ("promise", {"place": "Public Canteen", "at": 1.5}, "'at' .* must be a time step"),
        ("promise", {"place": "Canteen", "at": 1}, "'place' .* must be a place"),
        ("commons", {"store": [], "enough": 1}, "'store' .* must be a list of furniture"),
        ("commons", {"store": ["foodshelf 3"], "enough": 0}, "'enough' .* must be a count"),
        ("trade", {"pairs": [["AY"]], "wants": {}}, "'pairs' .* must be a list of pairs of residents"),
        ("trade", {"pairs": [["AY", "SG"]], "wants": {"AY": "food"}}, "'wants' .* must be a kind of item for each"),
        ("kept", {"place": "Public Canteen", "sort": "books"}, "'sort' .* must be a kind"),
        ("kept", {"place": ["Public Canteen"], "sort": "food"}, "'place' .* must be a place"),
        ("kept", {"place": "Public Canteen", "sort": ["food"]}, "'sort' .* must be a kind"),
        (
            "trade",
            {"pairs": [["AY", "SG"]], "wants": {"AY": ["food"], "SG": "toy"}},
            "'wants' .* must be a kind of item",
        ),
    ],
)
def test_parameters_that_cannot_be_scored(outcome, parameters, message):
    with pytest.raises(ValueError, match=message):
        check_parameters(outcome, parameters, ValleyMap.default().tables)


@pytest.mark.parametrize("command", ["run", "arena", "sweep"])
def test_a_promise_for_a_later_step_is_refused(tmp_path, capsys, command):
    """It would be scored by where the residents stand before anything was promised."""
    file = tmp_path / "file.toml"
    file.write_text('minds = ["idle"]\nscenarios = ["news", "promise"]\nsteps = 15\nmodel.name = "scripted"\n')
    line = {
        "run": ["run", "--scenario", "promise", "--steps", "15", "--model", "scripted"],
        "arena": ["arena", str(file)],
        "sweep": [
            "sweep",
            *(f"--set={one}" for one in ("world.scenario=news,promise", "steps=15", "model.name=scripted")),
        ],
    }[command]
    assert main([*line, "--out", str(tmp_path / "out")]) == 2
    assert "steps must be at least 16 in the scenario 'promise'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_run_says_its_outcome(tmp_path, capsys):
    out = tmp_path / "run"
    with empty_reports():
        line = ["run", "--scenario", "newcomer", "--mind", "scripted", "--model", "scripted", "--steps", "8"]
        assert main([*line, "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    manifest = RunDirectory(out).read_manifest()
    state = checkpoints.latest(out / "checkpoints")[0].society["world"]
    run = RunDirectory(out)
    scenario = find_scenario("newcomer")
    found = score_of(scenario, ScenarioWorld(scenario, run.read_map(), 0), run.records(), state)
    assert json.loads(printed.out)["outcome"] == manifest["outcome"]["score"] == found > 0
    assert f"outcome of the scenario newcomer: {found:.2f}" in printed.err
    assert dict(facts_of(manifest, []))["Outcome"].startswith(f"{found:.2f} in the scenario newcomer")
    with empty_reports():
        assert main(["resume", str(out), "--steps", "9"]) == 0
    assert "outcome" in RunDirectory(out).read_manifest()


GOOD = f"""
description = "x"
outcome = "news"
visitor = "LL"
others = "neighbour"
[parameters]
source = "AY"
true = "yes"
false = "no"
[sha256]
neighbour = "{NEIGHBOUR}"
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("outcome =", "outcom =", "unknown key 'outcom': it must be one of .* did you mean 'outcome'"),
        ('"news"', '"new"', "unknown outcome 'new'; did you mean 'news'"),
        ('"news"', '"no_such_module:mine"', "the outcome 'no_such_module:mine' cannot be imported"),
        ('"news"', '"math:no_such"', "the outcome 'math:no_such' cannot be imported"),
        ('"news"', '"math:sqrt"', "the outcome 'math:sqrt' must be a function of a ledger and the parameters"),
        ('"news"', '"math:pi"', "the outcome 'math:pi' must be a function"),
        ('outcome = "news"', "", "'visitor' is of no use without an outcome"),
        ("[sha256]", "[mechanics.hunger]\n[sha256]", "unknown mechanic 'hunger'"),
        ('"LL"', '"XX"', "unknown visitor 'XX'"),
        ('"neighbour"', '"neigbour"', "unknown profile 'neigbour'; did you mean 'neighbour'"),
        (NEIGHBOUR, "0" * 64, "the profile 'neighbour' has the checksum .* and the scenario was made with 0000"),
        ('visitor = "LL"', "", "it lacks 'visitor'"),
        ('description = "x"', "description =", "is no scenario: it is not TOML: Invalid value"),
        ("[sha256]", '[items]\n"book 99" = "AY"\n[sha256]', "unknown item 'book 99'"),
        ("[sha256]", '[company]\nLL = "neighbour"\n[sha256]', "the visitor LL is among its company"),
        ('source = "AY"', "", "the outcome 'news' needs the parameter 'source', a resident"),
        ('source = "AY"', 'source = "Ay"', "the parameter 'source' of the outcome 'news' must be a resident"),
        ('"yes"', '"("', "the parameter 'true' .* must be a pattern"),
        ("[sha256]", 'sauce = "AY"\n[sha256]', "unknown parameter 'sauce' .* it takes source, true, false"),
        ('description = "x"', "description = 3", "description: Input should be a valid string, got 3"),
        ('description = "x"', 'description = "x"\nevery = 0', "every: Input should be greater than or equal to 1"),
        ('description = "x"', f"description = {'[' * 5000}", "is no scenario"),
    ],
)
def test_files_that_are_no_scenario(tmp_path, before, after, message):
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    assert find_scenario(str(file), ValleyMap.default()).name == "mine"
    file.write_text(GOOD.replace(before, after, 1))
    with pytest.raises(ValueError, match=message) as told:
        find_scenario(str(file), ValleyMap.default())
    assert "\n" not in str(told.value)
    with pytest.raises(ValueError, match="did you mean 'news'"):
        find_scenario("newz")


PLAIN = """
description = "Everybody is in the canteen."
places.all = "Public Canteen"
goals.AY = "Eat with everybody."
"""


def test_a_scenario_without_an_outcome_is_run_and_not_scored(tmp_path, capsys):
    file = tmp_path / "plain.toml"
    file.write_text(f'{PLAIN}company.WL = "neighbour"\n')
    with empty_reports():
        line = ["run", "--scenario", str(file), "--mind", "idle", "--model", "scripted", "--steps", "1"]
        assert main([*line, "--out", str(tmp_path / "run")]) == 0
    assert "outcome" not in RunDirectory(tmp_path / "run").read_manifest()
    records = RunDirectory(tmp_path / "run").records()
    assert {record["place"] for record in records} == {"Public Canteen"}
    capsys.readouterr()
    (tmp_path / "arena.toml").write_text(f'minds = ["idle"]\nscenarios = ["{file}"]\nmodel.name = "scripted"\n')
    assert main(["arena", str(tmp_path / "arena.toml"), "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "the scenario 'plain' has no outcome" in told
    assert len(told.splitlines()) == 1


OWN = '''
from evaluation.scenarios.ledger import Ledger

def mine(ledger, parameters):
    """Share of residents in the canteen."""
    assert isinstance(ledger, Ledger)
    return {}
'''


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("parameters['share'] * (ledger.holder(ledger.before, \"MD's clothes 1\") == 'WL')", None),
        ("None", "must return a number from 0 to 1, got None"),
        ("1.5", "got 1.5"),
        ("float('nan')", "got nan"),
        ("True", "got True"),
        ("{}['x']", "raised KeyError"),
    ],
)
def test_an_outcome_of_ones_own(tmp_path, capsys, monkeypatch, value, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_outcome", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    invalidate_caches()
    (tmp_path / "own_outcome.py").write_text(OWN.format(value))
    text = f'outcome = "own_outcome:mine"\nvisitor = "LL"\nothers = "neighbour"\nsha256.neighbour = "{NEIGHBOUR}"\n'
    (tmp_path / "own.toml").write_text(f"{PLAIN}{text}parameters.share = 0.25\n")
    (tmp_path / "people.toml").write_text('[WL]\nthings = ["MD\'s clothes 1"]\n')
    with empty_reports():
        line = [
            "run",
            "--scenario",
            "own.toml",
            "--identities",
            "people.toml",
            "--mind",
            "idle",
            "--model",
            "scripted",
            "--steps",
            "1",
        ]
        status = main([*line, "--model", "scripted", "--steps", "1", "--out", "run"])
        assert status == (0 if told is None else 1)
        if told is not None:
            error = RunDirectory(tmp_path / "run").read_manifest()["error"]
            assert told in error
            assert "\n" not in error
            (tmp_path / "own_outcome.py").write_text(OWN.format("0.25"))
            monkeypatch.delitem(sys.modules, "own_outcome")
            invalidate_caches()
            assert main(["resume", "run"]) == 0
    outcome = RunDirectory(tmp_path / "run").read_manifest()["outcome"]
    assert outcome == {"scenario": "own", "score": 0.25, "meaning": "Share of residents in the canteen."}


def test_a_run_keeps_its_scenario_and_its_map(tmp_path, capsys):
    """Whatever becomes of the files, the run is resumed, replayed, branched, measured and reported as it began."""
    file, towns = tmp_path / "hungry.toml", tmp_path / "towns.json"
    towns.write_bytes(map_bytes(load_map("towns:4")))
    file.write_text('description = "x"\nmap = "towns.json"\n[mechanics.needs.hunger]\nrises = 0.5\n')
    line = ["run", "--scenario", str(file), "--mind", "idle", "--model", "scripted"]
    run, branch, other = (str(tmp_path / name) for name in ("run", "branch", "other"))
    with empty_reports():
        assert main([*line, "--steps", "2", "--out", run]) == 0
        records = RunDirectory(Path(run)).records()
        assert len({record["resident"] for record in records}) == 4
        assert records[-1]["needs"]["hunger"] == 0.5

        file.write_text('description = "x"\n')
        towns.unlink()
        assert main([*line, "--map", "irollan_valley", "--steps", "1", "--out", other]) == 0
        file.unlink()
        assert main(["resume", run, "--steps", "3"]) == 0
        assert main(["replay", run]) == 0
        assert main(["branch", run, "--at", "1", "--out", branch]) == 0
    assert (tmp_path / "branch" / "events.jsonl").read_bytes() == (tmp_path / "run" / "events.jsonl").read_bytes()
    assert RunDirectory(Path(run)).records()[-1]["needs"]["hunger"] == 1.0
    assert main(["report", run]) == 0
    assert main(["measures", run]) == 0


def test_a_scenario_of_another_map_is_refused(tmp_path, capsys):
    file = tmp_path / "hungry.toml"
    file.write_text('description = "x"\nmap = "towns:4"\n')
    line = ["run", "--scenario", str(file), "--mind", "idle", "--model", "scripted", "--steps", "2"]
    assert main([*line, "--map", "irollan_valley", "--out", str(tmp_path / "other")]) == 2
    assert "it is made for the map '1 town of 4'; leave out --map" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()
