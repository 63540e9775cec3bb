"""Files of ratings and of means: what is read, what is left out, what is refused."""

import pandas as pd
import pytest
from made_up_ratings import study

from evaluation.statistics import (
    TableError,
    anova,
    anova_of_means,
    check_ratings,
    paper_table,
    read_ratings,
    read_summary,
)

HEADER = "rater,run,architecture,resident,dimension,rating,comment,expected\n"
FINE = "".join(
    f"{rater},{name}-0,{name},{resident},exploration,{rating},,\n"
    for rater, name, resident, rating in [
        ("r1", "itcma", "AY", 2),
        ("r1", "itcma", "SG", 3),
        ("r2", "ltrha", "AY", 5),
        ("r2", "ltrha", "SG", 6),
    ]
)


@pytest.fixture
def file(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "ratings.csv"
        path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def read(file):
    return lambda *given: read_ratings(file(*given))


def reasons(ratings):
    return dict(zip(ratings.left_out["line"], ratings.left_out["reason"], strict=True))


def row(rating="4", rater="r1", name="itcma", who="MD", dimension="exploration", expected=""):
    return f"{rater},{name}-0,{name},{who},{dimension},{rating},,{expected}\n"


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (row("0"), "'0' lies outside 1 to 7"),
        (row("inf"), "'inf' lies outside 1 to 7"),
        (row("good"), "'good' is not a number"),
        (row("3.5"), "'3.5' is not a whole number"),
        (row(""), "no rating"),
        (row(rater=""), "no rater"),
        ("r1,itcma-0,,MD,exploration,4,,\n", "no architecture"),
        ("r1,itcma-0,itcma,MD,exploration\n", "has 5 cells where the header has 8"),
        (row("2", who="AY"), "repeats line 2"),
        (row(dimension="exploraton"), "did you mean 'exploration'?"),
    ],
)
def test_a_rating_that_cannot_be_used_is_left_out_with_its_line(file, extra, reason):
    found = anova(file(HEADER + FINE + extra))
    assert list(found.ratings.frame["line"]) == [2, 3, 4, 5]
    assert list(reasons(found.ratings)) == [6]
    assert reasons(found.ratings)[6].endswith(reason)
    assert [result.dimension for result in found.results] == ["exploration"]


def test_contradicting_ratings_are_all_left_out_and_those_of_another_run_kept(read):
    ratings = read(HEADER + FINE + row("7", who="AY") + "r2,ltrha-1,ltrha,AY,exploration,7,,\n")
    assert set(reasons(ratings)) == {2, 6}
    assert "different ratings in lines 2, 6" in reasons(ratings)[2]
    assert len(ratings.frame) == 4


@pytest.mark.parametrize("answer", ["5", ""])
def test_a_rater_who_fails_an_attention_check_is_left_out(read, answer):
    checks = f"r1,,,,attention-check,{answer},,2\nr2,,,,attention-check,2,,2\nr2,,,,attention-check,4,,\n"
    extra = "".join(row(rater="r3", name=name, who=who) for name in ("itcma", "ltrha") for who in ("AY", "SG"))
    ratings = read(HEADER + FINE + extra + checks)
    assert all("'r1' failed the attention check in line 10" in reasons(ratings)[line] for line in (2, 3))
    assert reasons(ratings)[12] == "attention check: no expected answer"
    assert set(ratings.frame["rater"]) == {"r2", "r3"}
    assert "attention-check" not in set(ratings.frame["dimension"])


def test_what_spreadsheets_write_is_read_and_letters_are_composed(read):
    rows = "".join(row(rater=f"r{i}", name=name) for i, name in enumerate(("caf\u00e9", "cafe\u0301")))
    text = (HEADER + FINE + rows).replace("\n", "\r\n").replace(",2,,", ",2.0,,")
    found = read(text, "utf-8-sig").frame
    assert list(found["rating"]) == [2, 3, 5, 6, 4, 4]
    assert set(found["architecture"]) == {"itcma", "ltrha", "caf\u00e9"}


def test_lines_are_those_of_the_file_through_long_comments_of_several_lines(read):
    comment = 'lively,\nyet\n"odd"' + "x" * 200_000
    quoted = comment.replace('"', '""')
    ratings = read(HEADER + f'r3,itcma-0,itcma,AY,exploration,4,"{quoted}",\n' + FINE + row("9", rater="r9"))
    assert list(ratings.frame["line"]) == [2, 5, 6, 7, 8]
    assert ratings.frame["comment"][0] == comment
    assert list(ratings.left_out["line"]) == [9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (HEADER, "no row below"),
        (HEADER.replace("rating", "score"), "line 1: no column 'rating'"),
        (HEADER.replace("architecture", "architectures"), "'architectures'"),
        (HEADER.replace("run,", "rater,"), "line 1: the column 'rater' is there 2 times"),
        ((HEADER + FINE).replace(",", ";"), "line 1: the cells are not separated by commas"),
        (HEADER + 'r1,a,itcma,AY,exploration,4,"lively\n', "line 2: not readable as CSV"),
        ((HEADER + FINE).encode("utf-16"), "line 1: UTF-16"),
        (HEADER.encode() + row().encode() * 2000 + "Zoë".encode("latin-1"), "line 2002: byte 0xeb"),
        (HEADER + row("9"), "line 2: rating '9'"),
        (HEADER + row("8") * 12, "line 11: rating '8' lies outside 1 to 7; and 2 more"),
        (HEADER + FINE + row(rater="r3", name="LTRHA"), "'LTRHA' differs from 'ltrha' in line 4"),
        (HEADER + FINE[: FINE.index("r2")], "line 2: exploration has ratings of 1 architecture"),
        (HEADER + row("2", name="itcma") + row("3", name="ltrha"), "0 architectures"),
        (HEADER + FINE.replace(",3,", ",2,").replace(",5,", ",2,").replace(",6,", ",2,"), "all 4 ratings"),
        (HEADER + FINE.replace(",3,", ",2,").replace(",6,", ",5,"), "no group varies"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(file, text, message):
    with pytest.raises(TableError) as error:
        anova(file(text))
    assert str(error.value).startswith("ratings.csv")
    assert message in str(error.value)


def test_odd_raters_and_names_are_remarked_on_and_kept(read):
    rows = "".join(row(rater="r3", who=who) for who in ("AY", "SG", "MD", "WL", "LL"))
    ratings = read(HEADER + (FINE + rows).replace("ltrha", "itcma_s"))
    assert "did you mean 'itcma-s'?" in ratings.remarks[0]
    assert "'r3' (from line 6) gave the same rating all 5 times" in ratings.remarks[1]
    assert len(ratings.frame) == 9


def test_a_frame_of_a_notebook_is_checked_alike():
    frame = study(raters=2, residents=2)
    frame["rating"] = frame["rating"].astype(float)
    frame.loc[3, "rating"] = float("nan")
    assert reasons(check_ratings(frame)) == {5: "no rating"}
    with pytest.raises(TableError, match="no column 'run'"):
        check_ratings(frame.drop(columns="run"))


def test_a_file_that_is_not_there_is_said_with_one_that_is(file, tmp_path):
    near = file(HEADER + FINE)
    for reads in (read_ratings, lambda path: read_summary(path, n=48)):
        with pytest.raises(TableError) as error:
            reads(tmp_path / "rating.csv")
        assert f"did you mean {near}?" in str(error.value)


def test_groups_of_one_are_left_out_and_constant_groups_analysed(file):
    constant = "".join(row("7", rater=f"r{who}", name="driver", who=who) for who in ("AY", "SG", "MD"))
    (result,) = anova(file(HEADER + FINE + row(rater="r3", name="itcma-s") + constant)).results
    assert list(result.groups["architecture"]) == ["itcma", "ltrha", "driver"]
    answer = result.to_json()
    assert [one["line"] for one in answer["left_out"]] == [6]
    assert answer["welch"]["statistic"] is None
    assert answer["brown_forsythe"]["statistic"] > 0
    assert any("all 3 ratings of driver are the same" in note for note in answer["notes"])


SUMMARY = "architecture,dimension,mean,se\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,x,2.0,0.2\n", "one architecture"),
        ("a,x,2.0,0.2\na,x,3.0,0.2\n", "line 3"),
        ("a,x,8.2,0.2\nb,x,3.0,0.2\n", "8.2 lies outside 1 to 7"),
        ("a,x,high,0.2\nb,x,3.0,0.2\n", "'high' is not a number"),
        ("a,x,2.0,-0.2\nb,x,3.0,0.2\n", "negative"),
        ("a,x,2.0,1.6\nb,x,3.0,0.2\n", "standard deviation of 11.09"),
        ("a,x,2.0,0.2,9\nb,x,3.0,0.2\n", "5 cells"),
    ],
)
def test_an_impossible_summary_is_refused(file, rows, message):
    with pytest.raises(TableError, match=message):
        read_summary(file(SUMMARY + rows), n=48)


def test_a_summary_needs_the_size_of_its_groups(file):
    with pytest.raises(TableError, match="--n"):
        read_summary(file(SUMMARY + "a,x,2.0,0.2\nb,x,3.0,0.2\n"))
    path = file("architecture,dimension,mean,se,n\na,x,2.0,0.2,12\nb,x,3.0,0.2,30\n")
    assert list(read_summary(path)["n"]) == [12, 30]


@pytest.mark.parametrize("column", ["rating", "comment", "line"])
def test_a_frame_with_a_column_twice_is_refused(column):
    frame = study(raters=2, residents=1).assign(comment="", line=1)
    with pytest.raises(TableError, match=f"'{column}' is there 2 times"):
        anova(pd.concat([frame, frame[[column]]], axis="columns"))


def test_a_frame_of_means_with_a_column_twice_or_missing_is_refused():
    means = paper_table()
    with pytest.raises(TableError, match="'se' is there 2 times"):
        anova_of_means(pd.concat([means, means[["se"]]], axis="columns"))
    with pytest.raises(TableError, match="no column se"):
        anova_of_means(means.drop(columns="se"))
