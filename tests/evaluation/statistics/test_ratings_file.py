"""What is read, what is left out with which reason, and what is refused with which words."""

import pytest
from made_up_ratings import study

from evaluation.statistics import TableError, analyse, check_ratings, read_ratings, read_summary

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
def read(tmp_path):
    def read_text(text, encoding="utf-8"):
        path = tmp_path / "ratings.csv"
        path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
        return read_ratings(path)

    return read_text


def reasons(ratings):
    return dict(zip(ratings.left_out["line"], ratings.left_out["reason"], strict=True))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("r1,itcma-0,itcma,MD,exploration,0,,", "rating '0' lies outside 1 to 7"),
        ("r1,itcma-0,itcma,MD,exploration,8,,", "rating '8' lies outside 1 to 7"),
        ("r1,itcma-0,itcma,MD,exploration,good,,", "rating 'good' is not a number"),
        ("r1,itcma-0,itcma,MD,exploration,3.5,,", "rating '3.5' is not a whole number"),
        ("r1,itcma-0,itcma,MD,exploration,inf,,", "rating 'inf' lies outside 1 to 7"),
        ("r1,itcma-0,itcma,MD,exploration,,,", "no rating"),
        (",itcma-0,itcma,MD,exploration,4,,", "no rater"),
        ("r1,itcma-0,,MD,exploration,4,,", "no architecture"),
        ("r1,itcma-0,itcma,MD,exploration", "has 5 cells where the header has 8"),
        ("r1,itcma-0,itcma,AY,exploration,2,,", "repeats line 2"),
    ],
)
def test_a_rating_that_cannot_be_used_is_left_out_with_its_line(read, row, reason):
    ratings = read(HEADER + FINE + row + "\n")
    assert reasons(ratings) == {6: reason}
    assert list(ratings.frame["line"]) == [2, 3, 4, 5]
    assert analyse(ratings)[0].to_json()["left_out"] == [{"line": 6, "reason": reasons(ratings)[6]}]


def test_contradicting_ratings_are_all_left_out(read):
    ratings = read(HEADER + FINE + "r1,itcma-0,itcma,AY,exploration,7,,\n")
    reason = "the same rater, run, architecture, resident and dimension has different ratings in lines 2, 6"
    assert reasons(ratings) == {2: reason, 6: reason}


def test_the_same_resident_in_another_run_is_no_duplicate(read):
    assert len(read(HEADER + FINE + "r1,itcma-1,itcma,AY,exploration,7,,\n").frame) == 5


def test_a_rater_who_fails_an_attention_check_is_left_out(read):
    checks = "r1,,,,attention-check,5,,2\nr2,,,,attention-check,2,,2\n"
    extra = "".join(f"r3,itcma-0,{name},{who},exploration,4,,\n" for name in ("itcma", "ltrha") for who in ("AY", "SG"))
    ratings = read(HEADER + FINE + extra + checks)
    reason = "rater 'r1' failed the attention check in line 10: asked for 2, answered '5'"
    assert reasons(ratings) == {2: reason, 3: reason}
    assert set(ratings.frame["rater"]) == {"r2", "r3"}
    assert "attention-check" not in set(ratings.frame["dimension"])


def test_an_attention_check_without_an_answer_is_failed_and_one_that_asks_nothing_is_no_check(read):
    ratings = read(HEADER + FINE + "r1,,,,attention-check,,,2\nr2,,,,attention-check,4,,\n")
    assert reasons(ratings) == {
        2: "rater 'r1' failed the attention check in line 6: asked for 2, gave no answer",
        3: "rater 'r1' failed the attention check in line 6: asked for 2, gave no answer",
        7: "attention check: no expected answer",
    }


def test_what_spreadsheets_write_is_read(read):
    text = (HEADER + FINE).replace("\n", "\r\n").replace(",2,,", ",2.0,,")
    assert list(read(text, "utf-8-sig").frame["rating"]) == [2, 3, 5, 6]


def test_lines_are_those_of_the_file_through_a_comment_of_several_lines(read):
    row = 'r3,itcma-0,itcma,AY,exploration,4,"lively,\nyet\n""odd""",\n'
    ratings = read(HEADER + row + FINE + "r9,itcma-0,itcma,AY,exploration,9,,\n")
    assert list(ratings.frame["line"]) == [2, 5, 6, 7, 8]
    assert ratings.frame["comment"][0] == 'lively,\nyet\n"odd"'
    assert list(ratings.left_out["line"]) == [9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ratings.csv is empty; expected a header with rater, run, architecture, resident, dimension, rating"),
        (HEADER, "ratings.csv has a header and no row below it"),
        (HEADER.replace("rating", "score"), "ratings.csv, line 1: no column 'rating'; expected rater"),
        (HEADER.replace("architecture", "architectures"), "(instead there is a similar one 'architectures')"),
        (HEADER.replace("run,", "rater,"), "line 1: the column 'rater' is there twice"),
        ((HEADER + FINE).replace(",", ";"), "line 1: the cells are not separated by commas"),
        (HEADER + 'r1,a,itcma,AY,exploration,4,"lively\n', "line 2: not readable as CSV"),
        ((HEADER + FINE).encode("utf-16"), "line 1: UTF-16 text, expected UTF-8"),
        ((HEADER + FINE.replace("r2", "Zoë")).encode("latin-1"), "line 4: byte 0xeb is not UTF-8 text"),
        (HEADER + "r1,a,itcma,AY,exploration,9,,\n", "no rating that can be used; line 2: rating '9' lies outside"),
        (
            HEADER + FINE + "r3,a,LTRHA,AY,exploration,4,,\n",
            "line 6: architecture 'LTRHA' differs from 'ltrha' in line 4",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(read, text, message):
    with pytest.raises(TableError) as error:
        read(text)
    assert message in str(error.value)


def test_a_misspelt_dimension_costs_its_row_alone(read):
    ratings = read(HEADER + FINE + "r1,itcma-0,itcma,MD,exploraton,4,,\n")
    reason = "dimension 'exploraton' has no two architectures with two ratings each, so that nothing can be compared"
    assert reasons(ratings) == {6: f"{reason}; did you mean 'exploration'?"}
    assert [result.dimension for result in analyse(ratings)] == ["exploration"]


def test_a_refusal_names_the_file(read):
    with pytest.raises(TableError, match=r"^ratings\.csv, line 2: exploration has ratings of 1 architecture with two"):
        analyse(read(HEADER + "".join(FINE.splitlines(keepends=True)[:2])))


def test_composed_and_decomposed_letters_are_one_name(read):
    names = ("caf\u00e9", "cafe\u0301")
    rows = "".join(f"r{i},x-0,{name},MD,exploration,4,,\n" for i, name in enumerate(names))
    assert set(read(HEADER + FINE + rows).frame["architecture"]) == {"itcma", "ltrha", "caf\u00e9"}


def test_a_comment_may_be_long(read):
    row = f'r3,itcma-0,itcma,AY,exploration,4,"{"lively " * 30_000}",\n'
    assert len(read(HEADER + FINE + row).frame["comment"].iloc[-1]) == 209_999


def test_a_byte_that_is_no_text_is_named_with_its_line_far_down_a_file(read):
    rows = "".join(f"r{i},a-0,itcma,AY,exploration,4,,\n" for i in range(2000)).encode()
    with pytest.raises(TableError, match=r"line 2002: byte 0xeb is not UTF-8 text"):
        read(HEADER.encode() + rows + "Zoë,a-0,itcma,AY,exploration,4,,\n".encode("latin-1"))


def test_a_text_that_is_there_many_times_is_kept_once(read):
    cells = read(HEADER + FINE).frame["architecture"].tolist()
    assert cells[0] is cells[1]


def test_a_rater_who_always_gives_the_same_is_named_and_kept(read):
    rows = "".join(f"r3,itcma-0,itcma,{who},exploration,4,,\n" for who in ("AY", "SG", "MD", "WL", "LL"))
    ratings = read(HEADER + FINE + rows)
    assert ratings.remarks == ("rater 'r3' (from line 6) gave the same rating all 5 times; kept",)
    assert len(ratings.frame) == 9


def test_a_name_that_nearly_matches_the_papers_is_pointed_out(read):
    assert "did you mean 'itcma-s'?" in read(HEADER + FINE.replace("ltrha", "itcma_s")).remarks[0]


def test_a_frame_of_a_notebook_is_checked_alike():
    frame = study(raters=2, residents=2)
    frame["rating"] = frame["rating"].astype(float)
    frame.loc[3, "rating"] = float("nan")
    assert reasons(check_ratings(frame)) == {5: "no rating"}
    with pytest.raises(TableError, match="no column 'run'"):
        check_ratings(frame.drop(columns="run"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("itcma", 2), ("itcma", 3)], "line 2: exploration has ratings of 1 architecture with two ratings or more"),
        ([("itcma", 2), ("ltrha", 3)], "line 2: exploration has ratings of 0 architectures with two ratings or more"),
        ([("itcma", 4)] * 2 + [("ltrha", 4)] * 2, "line 2: all 4 ratings of exploration are 4, so that nothing"),
    ],
)
def test_ratings_that_cannot_be_compared_are_refused(read, rows, message):
    text = "".join(f"r{i},{name}-0,{name},AY,exploration,{rating},,\n" for i, (name, rating) in enumerate(rows))
    with pytest.raises(TableError) as error:
        analyse(read(HEADER + text))
    assert message in str(error.value)


@pytest.mark.parametrize("raters", [2, 9])
def test_groups_that_do_not_vary_but_differ_are_refused(read, raters):
    rows = [(f"{name}{one}", name, rating) for name, rating in (("itcma", 3), ("driver", 5)) for one in range(raters)]
    text = "".join(f"{rater},{name}-0,{name},AY,exploration,{rating},,\n" for rater, name, rating in rows)
    with pytest.raises(TableError, match=r"line 2: exploration: no group varies \(all ratings of each architecture"):
        analyse(read(HEADER + text))


def test_each_line_is_named_where_none_can_be_used(read):
    bad = [f"r1,a,itcma,p{number},exploration,{8 * (number % 2)},,\n" for number in range(12)]
    with pytest.raises(TableError) as error:
        read(HEADER + "".join(bad[:2]))
    assert "line 2: rating '0' lies outside 1 to 7; line 3: rating '8' lies outside 1 to 7" in str(error.value)
    with pytest.raises(TableError, match=r"line 11: rating '8' lies outside 1 to 7; and 2 more$"):
        read(HEADER + "".join(bad))


def test_a_file_that_is_not_there_is_said_with_one_that_is(read, tmp_path):
    read(HEADER + FINE)
    for reads in (read_ratings, lambda path: read_summary(path, n=48)):
        with pytest.raises(TableError) as error:
            reads(tmp_path / "rating.csv")
        near = tmp_path / "ratings.csv"
        assert str(error.value) == f"there is no file {tmp_path / 'rating.csv'}; did you mean {near}?"


def test_a_group_of_one_is_left_out_and_said(read):
    result = analyse(read(HEADER + FINE + "r3,driver-0,driver,AY,exploration,4,,\n"))[0]
    assert list(result.groups["architecture"]) == ["itcma", "ltrha"]
    assert result.to_json()["left_out"] == [
        {"line": 6, "reason": "the only rating of its architecture, whose variance is unknown"}
    ]


def test_a_constant_group_is_analysed_and_said(read):
    rows = "".join(f"r{who},driver-0,driver,{who},exploration,7,,\n" for who in ("AY", "SG", "MD"))
    answer = analyse(read(HEADER + FINE + rows))[0].to_json()
    assert answer["welch"]["statistic"] is None
    assert answer["brown_forsythe"]["statistic"] > 0
    assert any("all 3 ratings of driver are the same" in note for note in answer["notes"])


SUMMARY = "architecture,dimension,mean,se\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,x,2.0,0.2\n", "line 2: 'x' has one architecture; a comparison needs two"),
        ("a,x,2.0,0.2\na,x,3.0,0.2\n", "line 3: 'a' has a mean of 'x' already"),
        ("a,x,8.2,0.2\nb,x,3.0,0.2\n", "line 2: mean 8.2 lies outside 1 to 7"),
        ("a,x,high,0.2\nb,x,3.0,0.2\n", "line 2: mean 'high' is not a number"),
        ("a,x,2.0,-0.2\nb,x,3.0,0.2\n", "line 2: se -0.2 is negative"),
        ("a,x,2.0,1.6\nb,x,3.0,0.2\n", "line 2: se 1.6 with n = 48 means a standard deviation of 11.09, which ratings"),
        ("a,x,2.0,0.2,9\nb,x,3.0,0.2\n", "line 2: has 5 cells where the header has 4"),
    ],
)
def test_an_impossible_summary_is_refused(tmp_path, rows, message):
    path = tmp_path / "table.csv"
    path.write_text(SUMMARY + rows, encoding="utf-8")
    with pytest.raises(TableError) as error:
        read_summary(path, n=48)
    assert message in str(error.value)


def test_a_summary_needs_the_size_of_its_groups(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(SUMMARY + "a,x,2.0,0.2\nb,x,3.0,0.2\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"line 2: how many ratings a group has is not given; say it with --n"):
        read_summary(path)
    path.write_text("architecture,dimension,mean,se,n\na,x,2.0,0.2,12\nb,x,3.0,0.2,30\n", encoding="utf-8")
    assert list(read_summary(path)["n"]) == [12, 30]
