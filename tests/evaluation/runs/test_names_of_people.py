"""A run of people with names of every kind, from the command to the measures of their talk."""

import json

import pytest
from named import NAMES
from social_scenes import chat, record

from evaluation.commands.cli import main
from evaluation.measures import actions
from evaluation.measures.talk.claims import claims
from evaluation.measures.talk.life import read_life
from evaluation.measures.talk.names import names_of, people_in, places_in
from evaluation.measures.talk.questions import questions
from evaluation.measures.talk.sentences import asking, sentences
from evaluation.records.run_directory import RunDirectory
from evaluation.report.place_figures import _place_order
from irollan_env.map.valley_map import DEFAULT_MAP
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.transcript.transcript import Transcript

MINDS = ("Anna=piano", "Dr. Li=generative-agents", "Jean-Luc=react", "O'Brien=random")


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """A run of four steps with a mind of each kind; Dr. Li speaks Polish."""
    folder = tmp_path_factory.mktemp("names")
    text = DEFAULT_MAP.read_text(encoding="utf-8")
    text = text.replace('display_name = "Pinecone"', 'pronouns = "she/her"\nlanguage = "Polish"')
    (folder / "names.toml").write_text(f"names = {json.dumps(NAMES, ensure_ascii=False)}\n{text}", encoding="utf-8")
    minds = [part for mind in MINDS for part in ("--mind", mind)]
    asked = ["run", "--model", "scripted", "--map", str(folder / "names.toml"), *minds]
    assert main([*asked, "--steps", "4", "--out", str(folder / "whole")]) == 0
    assert main([*asked, "--steps", "2", "--out", str(folder / "begun")]) == 0
    return folder


def test_it_resumes_byte_for_byte_and_is_measured(lived, capsys):
    assert main(["resume", str(lived / "begun"), "--steps", "4"]) == 0
    for name in ("events.jsonl", "metrics.csv"):
        assert (lived / "begun" / name).read_bytes() == (lived / "whole" / name).read_bytes()
    records = RunDirectory(lived / "whole").records()
    assert {one["resident"] for one in records} == set(NAMES)
    assert not any(one["failure"] for one in records)
    assert main(["measures", str(lived / "whole")]) == 0
    assert main(["social", str(lived / "whole")]) == 0
    assert "Dr. Li" in capsys.readouterr().out


def test_minds_are_told_language_and_pronouns(lived):
    with Transcript(lived / "whole" / "transcript.sqlite") as transcript:
        told = {call.caller.resident for call in transcript.calls() if "Polish" in str(call.request)}
    assert told == {"Dr. Li"}


@pytest.mark.parametrize("name", NAMES)
def test_talk_is_read(name):
    other = next(one for one in NAMES if one != name)
    doors = [{"name": f"door to {one}'s Home", "kind": "door"} for one in NAMES]
    life = read_life(
        actions(
            [
                record(0, other, chat(name, f"{name}, shall we go to {name}'s house?"), percepts=doors),
                record(0, name, None, percepts=doors),
                record(1, name, chat(other, "Yes, of course."), percepts=doors),
                record(1, other, None, percepts=doors),
                *(record(time, who, None, percepts=doors) for time in range(2, 9) for who in (name, other)),
            ]
        )
    )
    names = names_of(life)
    assert people_in(f"Have you seen {name}?", names) == (name,)
    assert places_in(f"{name} is at {name}'s house.", names, other) == (f"{name}'s Home",)
    assert asking(f"{name} tell me a story.", names.people)
    assert sentences(f"I saw {name} here. Good.", names.people) == [f"I saw {name} here.", "Good."]
    (claim,) = claims(f"{name} is in my house.", "", other, name, names)
    assert (claim.kind, claim.subject, claim.place) == ("person is", name, f"{other}'s Home")
    assert [one.fate for one in questions(life, HashEmbedder())] == ["answered"]


def test_homes_come_first_in_pictures_whatever_the_possessive():
    homes = ["James' Home", "Dr. Li's Home", "Public Canteen", "outside"]
    assert _place_order(homes) == ("Dr. Li's Home", "James' Home", "Public Canteen", "outside")
