import csv
import io

import pytest
from rater_without_javascript import RaterWithoutJavascript
from rating_studies import agree, finished_run, small_study

from evaluation.commands.cli import main
from evaluation.rating.participation import version_of


def exported(directory, capsys):
    assert main(["rate", "export", str(directory)]) == 0
    output = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(output.out))), output.err


def test_nothing_is_asked_before_a_rater_agrees(tmp_path):
    rater = RaterWithoutJavascript(small_study(tmp_path), agreed=False)
    front = rater.get().text
    for text in (rater.terms.consent, rater.terms.withdrawal):
        for paragraph in text.split("\n\n"):
            assert paragraph.strip() in front
    assert "Begin" not in front
    assert rater.get("/1").status_code == 409
    assert rater.fill(1).status_code == 409
    assert rater.client.put(f"{rater.link}/1/answers/logicality", json={"value": 4}).status_code == 409
    assert rater.store.all_answers(rater.name) == {}
    agree(rater.client, rater.link)
    assert "Begin" in rater.get().text
    assert rater.fill(1).status_code == 303


def test_who_withdraws_is_left_out_of_the_table(tmp_path, capsys):
    directory = small_study(tmp_path)
    first, second = (RaterWithoutJavascript(directory, index) for index in (0, 1))
    first.fill(1)
    second.fill(1)
    rows, _ = exported(directory, capsys)
    assert {row["rater"] for row in rows} == {"rater-1", "rater-2"}
    assert {row["consent"] for row in rows} == {first.terms.version}
    first.client.post(f"{first.link}/withdrawal")
    assert "You have withdrawn" in first.get().text
    assert first.get("/1").status_code == first.fill(1).status_code == 409
    rows, told = exported(directory, capsys)
    assert {row["rater"] for row in rows} == {"rater-2"}
    assert "withdrawn, and left out: rater-1\n" in told
    # Nothing was deleted, so that it can be taken back.
    agree(first.client, first.link)
    rows, told = exported(directory, capsys)
    assert {row["rater"] for row in rows} == {"rater-1", "rater-2"}
    assert "withdrawn" not in told


def test_texts_are_those_of_the_study_and_a_change_asks_anew(tmp_path):
    consent, withdrawal = tmp_path / "c.txt", tmp_path / "w.txt"
    # The version is that of the text, not of how it is written down.
    consent.write_bytes(b"\xef\xbb\xbf<b>Agree</b>,\r\nplease.\r\n\r\nThank you.")
    withdrawal.write_text("Write to us.", encoding="utf-8")
    out = tmp_path / "study"
    runs = [str(finished_run(tmp_path / "run"))]
    texts = ["--consent", str(consent), "--withdrawal", str(withdrawal)]
    assert main(["rate", "prepare", *runs, "--raters", "5", "--out", str(out), *texts]) == 0
    rater = RaterWithoutJavascript(out)
    version = version_of("<b>Agree</b>,\nplease.\n\nThank you.\n")
    assert rater.answers(0)["participation"] == f"agreed to {version}"
    page = rater.get().text
    assert "&lt;b&gt;Agree&lt;/b&gt;" in page
    assert "Write to us." in page
    rater.fill(1)
    (out / "consent.txt").write_text("Another text.\n", encoding="utf-8")
    again = RaterWithoutJavascript(out, agreed=False)
    assert "The text about taking part has changed." in again.get().text
    assert again.get("/1").status_code == 409
    # A page with the earlier text agrees to nothing.
    again.client.post(f"{again.link}/consent", data={"version": rater.terms.version})
    assert again.get("/1").status_code == 409
    agree(again.client, again.link)
    assert again.get("/1").status_code == 200


@pytest.mark.parametrize(
    ("content", "message"),
    [(b" \n", "0 characters"), (b"\xff\xfe", "UTF-8"), (b"x" * 20_001, "20001 characters"), (None, "No such file")],
)
def test_what_is_no_text_is_refused(tmp_path, capsys, content, message):
    path, run = tmp_path / "consent.txt", finished_run(tmp_path / "run")
    if content is not None:
        path.write_bytes(content)
    arguments = ["rate", "prepare", str(run), "--raters", "5", "--out", str(tmp_path / "study")]
    assert main([*arguments, "--consent", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"irollan: {path}")
    assert message in error
    assert not (tmp_path / "study").exists()
