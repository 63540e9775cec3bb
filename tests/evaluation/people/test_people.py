"""Identities that are written for a map, by rule and by a model."""

import asyncio
import json
import tomllib

import pytest

from evaluation.commands.cli import main
from evaluation.people.by_model import MEMORIES, write_pasts
from evaluation.people.by_rule import words, write_people
from evaluation.runs.identities import check_forms, check_identities, read_identities
from irollan_env.map.generate import generate_towns
from irollan_env.map.valley_map import ValleyMap
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript
from minds.history import History, days_before

VALLEY = ValleyMap.default()
MAPS = {"valley": VALLEY, "towns": generate_towns(60)}
KIN = words()["kin"]
BACK = {
    "spouse": "spouse",
    "older": "younger",
    "younger": "older",
    "twin": "twin",
    "parent": "child",
    "child": "parent",
}
WORK = {work["name"]: work for work in words()["work"]}


@pytest.fixture(scope="module", params=list(MAPS))
def written(request):
    return MAPS[request.param], write_people(MAPS[request.param], 3)


def test_everybody_is_somebody_and_nobody_twice_the_same(written):
    valley_map, people = written
    assert list(people) == [resident.name for resident in valley_map.residents]
    check_forms(people)
    check_identities(people, valley_map)
    told = {json.dumps({key: value for key, value in one.items() if key != "name"}) for one in people.values()}
    assert len(told) == len({one["name"] for one in people.values()}) == len(people)
    assert len({one["traits"] for one in people.values()}) == len(people)
    assert len({one["occupation"] for one in people.values()}) >= min(len(people), 12)
    for one in people.values():
        assert (len(one["memories"]), len(one["goals"]) >= 1) == (3, True)
        assert all(days_before(memory["at"]) < 366 * one["age"] for memory in one["memories"])
        assert len(History.from_json(one).memories) == 3


def test_the_same_seed_writes_the_same():
    assert write_people(VALLEY, 3) == write_people(VALLEY, 3) != write_people(VALLEY, 4)


def test_relations_are_on_both_sides_and_fit_ages_and_pronouns():
    seen = set()
    for seed in range(6):
        people = write_people(MAPS["towns"], seed)
        for who, one in people.items():
            for other, relation in one["relations"].items():
                theirs = people[other]["relations"][who]
                assert abs(relation["feeling"] - theirs["feeling"]) <= 0.31
                kin = [name for name in BACK if relation["about"] == KIN[name][people[other]["pronouns"]]]
                if not kin:
                    assert relation["about"] == theirs["about"]
                    continue
                seen.add(kin[0])
                assert theirs["about"] == KIN[BACK[kin[0]]][one["pronouns"]]
                older = people[other]["age"] - one["age"]
                assert {
                    "parent": older >= 15, "child": older <= -15, "older": older > 0, "younger": older < 0,
                    "twin": older == 0, "spouse": abs(older) < 30,
                }[kin[0]]  # fmt: skip
    assert {"parent", "child", "older", "younger"} <= seen


def test_two_people_remember_what_they_did_together_at_the_same_time():
    people = write_people(VALLEY, 3)
    shared = [(who, one["memories"][-1]) for who, one in people.items() if one["relations"]]
    assert shared
    for who, memory in shared:
        assert any(other in memory["text"] for other in people[who]["relations"])


def test_people_work_at_what_the_map_has():
    works = {one["occupation"] for seed in range(5) for one in write_people(VALLEY, seed).values()}
    assert "librarian" in works
    assert not works & {"farmer", "miller", "smith", "teacher", "innkeeper", "well keeper"}
    needs = {need for work in works for need in WORK[work].get("needs", ())}
    assert {"reading room", "stoveburner"} & needs


def test_a_model_writes_backstories_and_from_them_memories():
    people = write_people(VALLEY, 0)
    prompts = {}

    def watch(caller, prompt):
        prompts[caller.module, caller.resident] = prompt
        return (caller.resident == "LL" and caller.module == "memories") or caller.resident == "WM"

    def write():
        return asyncio.run(write_pasts(people, VALLEY, ScriptedModel(fail_on=watch), 0))

    found = write()
    assert found == write()
    assert list(found.failures) == ["LL", "WM"]
    assert "planted failure" in found.failures["LL"]
    assert {name: found.identities[name] for name in ("LL", "WM")} == {name: people[name] for name in ("LL", "WM")}
    assert list(found.backstories) == ["AY", "SG", "MD", "WL"]
    memories = found.identities["AY"]["memories"]
    assert len(memories) == MEMORIES + 1
    assert memories[-1] == people["AY"]["memories"][-1]
    assert {**found.identities["AY"], "memories": []} == {**people["AY"], "memories": []}
    assert found.backstories["AY"] in prompts["memories", "AY"]
    assert all(
        line in prompts["backstory", "AY"] for line in History.from_json({**people["AY"], "memories": []}).lines()
    )
    check_forms(found.identities)


def test_a_file_is_written_checked_and_lived_with(tmp_path, capsys):
    file = tmp_path / "people.toml"
    assert main(["people", "new", "--seed", "5", "--out", str(file)]) == 0
    assert read_identities(file) == write_people(VALLEY, 5)
    assert main(["people", "check", str(file)]) == 0
    told = capsys.readouterr()
    assert "6 of the 6 residents" in told.out
    assert told.err == ""
    line = ["run", "--model", "scripted", "--steps", "1", "--identities", str(file), "--out", str(tmp_path / "run")]
    assert main(line) == 0
    file.write_text('[LL.relations]\nSG = "my sister"\n')
    capsys.readouterr()
    assert main(["people", "check", str(file)]) == 0
    told = capsys.readouterr().err
    assert "nothing is said of AY, SG" in told
    assert "LL has a relation to SG, and SG none to LL" in told


def test_every_call_of_a_model_is_in_a_transcript_beside_the_file(tmp_path, capsys):
    file = tmp_path / "people.toml"
    line = ["people", "new", "--map", "towns:4", "--model", "scripted", "--out", str(file)]
    assert main([*line, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["residents"], answer["calls"], answer["failures"]) == (4, 8, {})
    with Transcript(tmp_path / "people.transcript.sqlite") as transcript:
        modules = [call.caller.module for call in transcript.calls()]
    assert sorted(modules) == ["backstory"] * 4 + ["memories"] * 4
    text = file.read_text()
    assert len(tomllib.loads(text)) == 4
    assert main([*line, "--force"]) == 0
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", "--out", "there.toml"], "there.toml is there already; give another --out, or --force"),
        (["new", "--out", "people.csv"], "--out must be a TOML file"),
        (["new", "--map", "irolan_valley"], "unknown map 'irolan_valley'; did you mean 'irollan_valley'"),
        (["new", "--residents", "7"], "residents must be at most 6"),
        (["new", "--model", "no-such-model"], "no-such-model"),
        (["new", "--model", "smollm2"], "smollm2 follows no instructions and can write no past"),
        (["check", "there.toml"], "there.toml does not fit the map 'IrollanValley': an identity names 'LX'"),
        (["check", "nowhere.toml"], "nowhere.toml cannot be read"),
    ],
)
def test_what_is_refused_is_one_line_and_nothing_is_written(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.toml").write_text("[LX]\nage = 3\n")
    assert main(["people", *arguments]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert message in told[-1]
    assert len([line for line in told if line.startswith("irollan:")]) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["there.toml"]
