import json
import re
from collections import Counter

import numpy as np
import pytest
from made_up_runs import signed
from rating_studies import FIVE, finished_run, small_study

from evaluation.commands.cli import main
from evaluation.rating.packets import SECONDS_A_RATING, WORDS_A_MINUTE, prepare
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.rating.rubric import rubric
from evaluation.rating.stories import stories
from evaluation.rating.study import RatingError, Study, load_study
from evaluation.records.run_directory import RunDirectory


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rng():
    return np.random.default_rng(7)


def test_every_rater_reads_one_run_of_each_architecture(here):
    runs = [finished_run(here / name, name) for name in FIVE] + [finished_run(here / "again", "itcma")]
    plan = prepare(runs, raters=30, out=here / "study", rng=rng())
    assert (plan.items, plan.residents, plan.checks, plan.exact_with) == (30, 6, 2, 30)
    study, key = load_study(here / "study")
    read_by = Counter()
    for packet in study.items.values():
        assert [item.society for item in packet] == [society for society in range(1, 6) for _ in range(6)]
        societies = [packet[start : start + 6] for start in range(0, 30, 6)]
        assert sorted(key[own[0].story]["architecture"] for own in societies) == sorted(FIVE)
        assert all(
            len({one.story for one in own}) == 1 and len({one.resident for one in own}) == 6 for own in societies
        )
        read_by.update(key[own[0].story]["run"] for own in societies)
    assert read_by["again"] == read_by["itcma"] == 15
    # Each architecture at each place, and in each architecture each resident at each place, equally often.
    places = Counter(
        (key[item.story]["architecture"], item.society) for packet in study.items.values() for item in packet
    )
    assert set(places.values()) == {30 // 5 * 6}
    within = Counter(
        (key[item.story]["architecture"], item.resident, index % 6)
        for packet in study.items.values()
        for index, item in enumerate(packet)
    )
    assert set(within.values()) == {30 // 6}


def test_fewer_residents_are_read_equally_often_and_checks_stand_in_both_halves(here):
    runs = [finished_run(here / name, name) for name in FIVE[:2]]
    plan = prepare(runs, raters=48, out=here / "study", rng=rng(), residents=2)
    assert plan.items == 4
    packets = Study.load(here / "study").items.values()
    counts = Counter((item.story, item.resident) for packet in packets for item in packet)
    assert set(counts.values()) == {48 * 2 // 6}
    halves = [[item.check for item in half if item.check] for packet in packets for half in (packet[:2], packet[2:])]
    assert {len(half) for half in halves} == {1}
    assert {check.answer for (check,) in halves} == set(range(1, 8))
    assert {check.step for (check,) in halves} == set(range(1, 5))


def test_the_workload_is_words_and_ratings(here):
    plan = prepare([finished_run(here / "one")], raters=1, out=here / "study", rng=rng(), residents=1)
    study = Study.load(here / "study")
    (item,) = study.items["rater-1"]
    words = 0
    for moment in study.moments(item):
        heard = [word for line in moment.heard for text in line for word in text.split()]
        texts = [moment.place, *moment.company, moment.goal, moment.thought, moment.action, moment.outcome]
        words += len(" ".join(texts).split()) + len(heard)
    assert plan.words == words
    assert plan.minutes[1] == round(words / WORDS_A_MINUTE + 5 * SECONDS_A_RATING / 60, 1) == study.minutes["rater-1"]
    assert plan.notes == ("all runs are of itcma: there is nothing to compare it with",)


def test_filtered_reads_like_any_action_that_came_to_nothing(here):
    def shown(outcome, result):
        record = {"outcome": outcome, "result": result, "action": "use bed 2"}
        path = finished_run(here / outcome, "ltrha", steps=1, change=lambda one: one.update(record))
        moments = next(iter(stories([json.loads(line) for line in (path / "events.jsonl").open()]).values()))
        return moments[0].outcome, moments[0].happened

    assert shown("executed", "You use the bed 2.") == ("You use the bed 2.", True)
    assert shown("filtered", "(This action has been filtered by LTRHA)") == ("Nothing happens.", False)
    assert shown("inadmissible", "Nothing happens. LL uses it.") == ("Nothing happens.", False)


def test_orders_follow_from_the_seed_and_links_do_not(here):
    runs = [str(finished_run(here / name, name)) for name in FIVE]
    for out, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert main(["rate", "prepare", *runs, "--raters", "7", "--seed", seed, "--out", out]) == 0
    first, second, other = ((here / name / "study.json").read_text() for name in "abc")
    assert first == second != other
    tokens = [json.loads((here / name / "tokens.json").read_text()) for name in "ab"]
    assert not set(tokens[0].values()) & set(tokens[1].values())
    assert all(len(token) >= 22 for token in tokens[0].values())
    assert oct((here / "a" / "tokens.json").stat().st_mode)[-3:] == "600"


def test_prepare_says_what_it_asks_for(here, capsys):
    runs = [str(finished_run(here / name, name, steps=60)) for name in FIVE[:2]]
    assert main(["rate", "prepare", *runs, "--raters", "3", "--out", "study"]) == 0
    output = capsys.readouterr()
    assert re.search(r"^workload +about \d+ minutes a rater, \d+ words$", output.out, re.MULTILINE)
    assert re.search(r"^ +--residents 1 asks for about \d+ minutes", output.out, re.MULTILINE)
    assert "exactly balanced with a multiple of 6 raters" in output.out
    assert output.err == ""
    assert main(["rate", "prepare", *runs, "--raters", "6", "--residents", "1", "--out", "less", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["study"], plan["items"], plan["raters"]) == ("less", 2, 6)


@pytest.fixture(scope="module")
def odd_runs(tmp_path_factory):
    """Runs that cannot all be rated together."""
    folder = tmp_path_factory.mktemp("odd")
    for name in ("one", "two"):
        finished_run(folder / name)
    finished_run(folder / "long", steps=6)
    finished_run(folder / "stopped", status="stopped")
    cut = RunDirectory(finished_run(folder / "cut"))
    cut.events_path.write_text("".join(cut.events_path.read_text().splitlines(keepends=True)[:-1]))
    signed(cut)
    finished_run(folder / "others", change=lambda one: one.update(resident=one["resident"].replace("WM", "ZZ")))
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--raters 2 --out study", "missing argument 'RUN'"),
        ("one --out study", "missing option '--raters'"),
        ("one two --raters 0 --out study", "got 0"),
        ("one --raters 2 --seed -1 --out study", "got -1"),
        ("one --raters 2 --residents 7 --out study", "from 1 to 6, got 7"),
        ("one one --raters 2 --out study", "one is given 2 times"),
        ("twoo --raters 2 --out study", "did you mean two?"),
        ("stopped --raters 2 --out study", "irollan resume stopped"),
        ("one long --raters 2 --out study", "irollan resume one --steps 6"),
        ("cut --raters 2 --out study", "expected 4 steps of WM, got 3"),
        ("others --raters 2 one --out study", "WL, ZZ in others"),
        ("one two --raters 1 --out study", "at least 2 raters"),
        ("one --raters 2 --out two", "two is there already"),
    ],
)
def test_nonsense_is_refused_in_one_line(odd_runs, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(odd_runs)
    assert main(["rate", "prepare", *arguments.split()]) == 2
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert message in output.err
    assert not (odd_runs / "study").exists()


def test_models_and_adapters_that_differ_are_pointed_out(here):
    folders = [here / "first" / "run", here / "second" / "run"]
    runs = [finished_run(folders[0], "itcma", model="a"), finished_run(folders[1], "ltrha", model="b")]
    (note,) = prepare(runs, raters=2, out=here / "study", rng=rng()).notes
    # Runs of one name are told apart by their paths.
    assert {entry["run"] for entry in load_study(here / "study")[1].values()} == {str(path) for path in runs}
    assert note.endswith("itcma a, ltrha b")
    for run, digit in zip(runs, "ab", strict=True):
        directory = RunDirectory(run)
        model = {"name": "scripted", "sha256": {"adapter/x.gguf": digit * 64}}
        directory.write_manifest({**directory.read_manifest(), "models": {"model": model}})
    (note,) = prepare(runs, raters=2, out=here / "again", rng=rng()).notes
    assert "adapter x.gguf (aaaaaaaaaaaa)" in note


@pytest.mark.parametrize("name", ["study.json", "tokens.json"])
def test_a_damaged_study_is_named(here, name):
    out = small_study(here)
    for text, message in (
        ("{}", "study is a damaged study"),
        ("[", f"{name} is damaged"),
        (None, f"{name} is missing"),
    ):
        (out / name).unlink() if text is None else (out / name).write_text(text)
        with pytest.raises(RatingError, match=message):
            Study.load(out)


def test_the_rubric_is_the_papers():
    assert tuple(dimension.name for dimension in rubric()) == DIMENSIONS
    assert rubric()[0].definition == "The degree to which an action appears human-like."
    assert rubric()[4].ask("LL") == "How actively does LL turn to others?"
