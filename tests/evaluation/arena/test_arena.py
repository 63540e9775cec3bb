"""Tests of the arena: runs, resuming, and tables."""

import json
import math

import pandas as pd
import pytest

from evaluation.arena.declaration import Arena, read_arena
from evaluation.arena.scoring import cross_play, interval, summarised
from evaluation.commands.cli import main
from evaluation.report import run_report
from irollan_env import load_map
from minds.company.company import profiles

SMALL = """
minds = ["react", "model"]
baselines = ["idle", "random"]
scenarios = ["lost_property", "newcomer"]
seeds = "0-1"
steps = 1
model.name = "scripted"
architecture = "itcma"
"""


MINDS = ["| `react`", "| `model`", "| `idle`", "| `random`"]


@pytest.fixture(autouse=True, scope="module")
def without_reports():
    """Skip the reports of single runs, which are slow and tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_report, "write_report", lambda directory, *_: directory.report_path)
        yield


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arena")
    (folder / "small.toml").write_text(SMALL + "cross_play = true\n")
    assert main(["arena", str(folder / "small.toml"), "--out", str(folder / "out")]) == 0
    return folder


def test_every_mind_in_every_scenario_as_resident_and_as_visitor():
    arena = Arena(minds=["react"], baselines=["idle"], scenarios=["news"], seeds=[3], run={"model.name": "scripted"})
    entries = {(one.role, one.mind): one.cell.configuration for one in arena.entries()}
    assert set(entries) == {("residents", "react"), ("residents", "idle"), ("visitor", "react"), ("visitor", "idle")}
    assert entries["residents", "react"].mind.name == "react"
    assert entries["visitor", "react"].mind.name == "company:gossip"
    assert entries["visitor", "react"].mind.by_resident == {"AY": "react"}
    assert {one.seed for one in entries.values()} == {3}
    assert {one.world.scenario for one in entries.values()} == {"news"}


def test_a_single_value_is_a_list_of_one(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text('minds = "react"\nbaselines = "idle"\nscenarios = "news"\nroles_of_minds = "visitor"\nseeds = 3\n')
    assert read_arena(path) == Arena(
        minds=["react"], baselines=["idle"], scenarios=["news"], roles_of_minds=["visitor"], seeds=[3]
    )


def test_cross_play_has_each_mind_among_each_other():
    arena = Arena(minds=["react", "model"], scenarios=["newcomer"], seeds=[0], cross_play=True)
    crossed = [one for one in arena.entries() if one.role == "cross"]
    assert [(one.mind, one.host) for one in crossed] == [("react", "model"), ("model", "react")]
    assert crossed[0].cell.configuration.mind.by_resident == {"WL": "company:newcomer", "LL": "react"}
    assert crossed[0].cell.configuration.mind.name == "model"


def test_it_leaves_a_row_a_run_a_row_a_mind_and_a_page(held):
    runs, table = (pd.read_csv(held / "out" / name) for name in ("runs.csv", "table.csv"))
    assert len(runs) == 2 * 2 * (2 * 4 + 2)
    assert len(table) == 2 * (2 * 4 + 2)
    assert runs["score"].between(0, 1).all()
    one = table[(table["mind"] == "react") & (table["role"] == "residents")]
    assert (one["calls"] == 1.0).all()
    assert (table[table["mind"] == "idle"]["tokens"] == 0).all()
    page = (held / "out" / "report.html").read_text()
    assert "lost_property" in page
    assert "Who gets on with whom" in page
    assert page.count('<th scope="col" class="n">Elo</th>') == 2
    told = (held / "out" / "table.md").read_text().splitlines()
    assert [line.split(" | ")[0] for line in told if line] == [
        "| As residents",
        "| ---",
        *MINDS,
        "| As a visitor",
        "| ---",
        *MINDS,
    ]
    assert told[0] == "| As residents | lost_property | newcomer | Elo | calls | tokens | failed |"
    mean = one[one["scenario"] == "newcomer"].iloc[0]
    assert f"{mean['score']:.2f} ({mean['low']:.2f} to {mean['high']:.2f})" in told[2]


def test_the_same_command_runs_what_is_missing_alone(held, capsys):
    gone = held / "out" / "runs" / "newcomer-visitor-react-seed1"
    before = (gone / "events.jsonl").read_bytes()
    stays = held / "out" / "runs" / "newcomer-visitor-react-seed0" / "events.jsonl"
    stamp = stays.stat().st_mtime_ns
    for path in sorted(gone.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    gone.rmdir()
    file = str(held / "small.toml")
    assert main(["arena", file, "--out", str(held / "out"), "--dry-run", "--json"]) == 0
    states = json.loads(capsys.readouterr().out)
    assert [name for name, state in states.items() if state != "finished"] == [gone.name]
    assert main(["arena", file, "--out", str(held / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == len(states)
    assert (gone / "events.jsonl").read_bytes() == before
    assert stays.stat().st_mtime_ns == stamp


def test_an_arena_on_a_map_of_ones_own(tmp_path, capsys):
    newcomer = load_map("towns:3").residents[1].name
    (tmp_path / "welcome.toml").write_text(
        f'description = "Somebody new."\noutcome = "taken in"\nparameters.newcomer = "{newcomer}"\n'
        f'visitor = "{newcomer}"\nothers = "gossip"\nsha256.gossip = "{profiles()["gossip"].sha256}"\n'
    )
    text = 'minds = "random"\nbaselines = "idle"\nseeds = 0\nsteps = 1\nmodel.name = "scripted"\n'
    own = f'roles_of_minds = "residents"\nworld.map = "towns:3"\nscenarios = "{tmp_path}/welcome.toml"\n'
    (tmp_path / "own.toml").write_text(text + own)
    assert main(["arena", str(tmp_path / "own.toml"), "--out", str(tmp_path / "out")]) == 0
    runs = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert list(runs["agent_steps"]) == [3, 3]
    (tmp_path / "other.toml").write_text(text + 'world.map = "towns:3"\nscenarios = "news"\n')
    capsys.readouterr()
    assert main(["arena", str(tmp_path / "other.toml"), "--out", str(tmp_path / "none")]) == 2
    assert "does not fit the map '1 town of 3': unknown visitor" in capsys.readouterr().err


def test_a_mind_that_fails_is_counted_and_the_others_are_scored(tmp_path):
    file = tmp_path / "odd.toml"
    odd = SMALL.replace('"model"]', '"odd_minds:Raises", "odd_minds:Inadmissible"]')
    file.write_text(odd.replace('"lost_property", ', "").replace('"0-1"', "0"))
    assert main(["arena", str(file), "--out", str(tmp_path / "out")]) == 0
    table = pd.read_csv(tmp_path / "out" / "table.csv").set_index(["scenario", "role", "mind"])
    assert table.loc["newcomer", "visitor", "odd_minds:Raises"]["failed"] == 1
    assert table.loc["newcomer", "visitor", "odd_minds:Inadmissible"]["inadmissible"] == 1
    assert table.loc["newcomer", "visitor", "react"]["failed"] == 0


def rows(**scores):
    listed = [
        {"scenario": "s", "role": "residents", "mind": mind, "host": "", "seed": seed, "score": score}
        for mind, values in scores.items()
        for seed, score in enumerate(values)
    ]
    return pd.DataFrame(listed).assign(agent_steps=10, calls=20, tokens=300, failed=1, inadmissible=2)


def test_scores_are_scaled_between_the_worst_and_the_best_baseline():
    table = summarised(rows(idle=[0.0, 0.2], random=[0.5, 0.5], mine=[0.3, 0.9]), ["idle", "random"])
    found = table.set_index("mind")
    assert found["scaled"].to_dict() == pytest.approx({"idle": 0.0, "random": 1.0, "mine": (0.6 - 0.1) / 0.4})
    assert found.loc["mine"][["calls", "tokens", "failed", "inadmissible"]].tolist() == [2, 30, 0.1, 0.2]
    assert found.loc["mine", "variance"] == pytest.approx(0.18)
    assert math.isnan(summarised(rows(idle=[0.0], mine=[0.3]), ["idle"])["scaled"].iloc[1])


def test_an_interval_is_students():
    # statsmodels' and R's: mean 0.5, sd 0.1, n 3: 0.5 +- 4.3027 * 0.1 / sqrt(3)
    assert interval([0.4, 0.5, 0.6]) == pytest.approx((0.5 - 0.24841, 0.5 + 0.24841), abs=1e-4)
    assert all(math.isnan(one) for one in interval([0.4]))
    assert interval([0.0, 1.0]) == (0.0, 1.0)


def test_the_matrix_has_a_mind_among_its_own_on_the_diagonal():
    table = pd.DataFrame(
        [
            {"role": "cross", "mind": "a", "host": "b", "score": 0.1},
            {"role": "cross", "mind": "b", "host": "a", "score": 0.2},
            {"role": "residents", "mind": "a", "host": "", "score": 0.3},
            {"role": "residents", "mind": "b", "host": "", "score": 0.4},
            {"role": "residents", "mind": "idle", "host": "", "score": 0.0},
        ]
    )
    assert cross_play(table).to_numpy().tolist() == [[0.3, 0.1], [0.2, 0.4]]
    assert cross_play(table[table["role"] != "cross"]).empty


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("minds =", "mindes =", "unknown key 'mindes'; did you mean 'minds'"),
        ('"react"', '"reat"', "unknown mind 'reat'"),
        ('"newcomer"', '"newcomers"', "unknown scenario 'newcomers'"),
        ('"0-1"', '"1-0"', "seeds must be whole numbers or a range such as 0-9, got '1-0'"),
        ('"idle", "random"', '"idle", "idle"', "baselines has a value twice"),
        ('["react", "model"]', "[]", "minds must not be empty"),
        ("steps = 1", "steps =", "is no arena: it is not TOML: Invalid value"),
    ],
)
def test_files_that_are_no_arena(tmp_path, capsys, before, after, message):
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(before, after, 1))
    with pytest.raises(ValueError, match=message):
        read_arena(file)
    assert main(["arena", str(file), "--out", str(tmp_path / "out")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
