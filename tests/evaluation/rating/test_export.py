import csv
import io

from rating_studies import FIVE, load, small_study

from evaluation.commands.cli import main
from evaluation.rating.export import HEADER
from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS
from evaluation.rating.study import load_study
from evaluation.statistics import read_ratings


def answer_all(directory, *, wrong=(), comment=""):
    """Every rater answers everything; those in ``wrong`` fail their checks."""
    study, store = load(directory)
    for index, (rater, packet) in enumerate(study.items.items()):
        for number, item in enumerate(packet, 1):
            answers = {dimension: (index + at + number) % 7 + 1 for at, dimension in enumerate(DIMENSIONS)}
            if item.check is not None:
                answers[ATTENTION_CHECK] = item.check.answer % 7 + 1 if rater in wrong else item.check.answer
            store.save(rater, number, {**answers, "logicality.comment": comment})
    store.close()
    return study


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_is_tidy(tmp_path, capsys):
    directory = small_study(tmp_path, architectures=FIVE, raters=3, residents=2)
    study = answer_all(directory, comment='she said "no",\nthen left')
    key = load_study(directory)[1]
    assert main(["rate", "export", str(directory)]) == 0
    output = capsys.readouterr()
    table = rows(output.out)
    assert output.err == "150 ratings by 3 raters, 3 of whom have finished\n"
    assert tuple(table[0]) == HEADER
    assert HEADER[:6] == ("rater", "run", "architecture", "resident", "dimension", "rating")
    ratings = [row for row in table if row["dimension"] != ATTENTION_CHECK]
    assert len(ratings) == 3 * 5 * 2 * 5
    assert len(table) == len(ratings) + 3 * 2
    for row in ratings:
        item = study.items[row["rater"]][int(row["position"]) - 1]
        source = key[item.story]
        expected = (source["run"], source["architecture"], item.resident)
        assert (row["run"], row["architecture"], row["resident"]) == expected
        at = list(study.items).index(row["rater"]) + DIMENSIONS.index(row["dimension"]) + int(row["position"])
        assert row["rating"] == str(at % 7 + 1)
        assert row["expected"] == ""
        assert row["comment"] == ('she said "no",\nthen left' if row["dimension"] == "logicality" else "")
    assert all(row["rating"] == row["expected"] for row in table if row["dimension"] == ATTENTION_CHECK)


def test_what_is_begun_is_exported_too_and_no_comment_is_a_formula(tmp_path, capsys):
    directory = small_study(tmp_path)
    _, store = load(directory)
    store.save("rater-1", 1, {"logicality": 4, "exploration.comment": "\u200b\uff1dnowhere", "consistency.comment": ""})
    store.save("rater-1", 1, {"consistency": 4, "consistency.comment": "@SUM(A1)", "proactiveness.comment": "-1"})
    store.close()
    assert main(["rate", "export", str(directory)]) == 0
    output = capsys.readouterr()
    assert output.err == "2 ratings by 1 raters, 0 of whom have finished\n"
    table = rows(output.out)
    assert [(row["dimension"], row["rating"], row["comment"]) for row in table] == [
        ("consistency", "4", "'@SUM(A1)"),
        ("logicality", "4", ""),
        ("exploration", "", "'\u200b\uff1dnowhere"),
        ("proactiveness", "", "'-1"),
    ]


def test_the_statistics_read_its_file(tmp_path, capsys):
    directory = small_study(tmp_path, architectures=FIVE, raters=3, residents=2)
    answer_all(directory, wrong=("rater-2",), comment="<b>well</b>")
    assert main(["rate", "export", str(directory), "--out", str(tmp_path / "ratings.csv")]) == 0
    output = capsys.readouterr()
    assert (output.out, output.err.splitlines()[1]) == ("", "wrong at an attention check: rater-2")
    ratings = read_ratings(tmp_path / "ratings.csv")
    assert set(ratings.frame["rater"]) == {"rater-1", "rater-3"}
    assert len(ratings.frame) == 2 * 5 * 2 * 5
    assert set(ratings.frame["architecture"]) == set(FIVE)
    assert ratings.left_out["reason"].str.contains("failed the attention check").all()


def test_refusals_are_one_line(tmp_path, capsys, monkeypatch):
    directory = small_study(tmp_path)
    monkeypatch.chdir(tmp_path)

    def refused(message, *arguments):
        assert main(["rate", "export", *arguments]) == 2
        output = capsys.readouterr()
        assert (output.out, output.err.count("\n")) == ("", 1)
        assert message in output.err

    refused("did you mean study?", "studdy")
    refused("has no answers yet", "study")
    refused("run-itcma/study.json is missing", "run-itcma")
    answer_all(directory)
    refused("no folder no", "study", "--out", "no/where.csv")
    refused("is a directory", "study", "--out", "study")
    (directory / "key.json").write_text('{"stories": {}}')
    refused("lacks 's01'", "study")
    (directory / "key.json").unlink()
    refused("key.json is missing", "study")
