from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluation.rating.participation import version_of
from evaluation.rating.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "answers.sqlite")
    yield store
    store.close()


def test_answers_are_not_written_through_a_link(tmp_path):
    (tmp_path / "answers.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is a link"):
        Store(tmp_path / "answers.sqlite")


def values(answers):
    return {question: answer.value for question, answer in answers.items()}


def test_the_last_answer_counts_and_none_is_overwritten(store):
    store.save("r1", 1, {"logicality": 3, "logicality.comment": "well"})
    store.save("r1", 1, {"logicality": 5, "logicality.comment": "well", "exploration.comment": ""})
    store.save("r1", 2, {"logicality": 7, "consistency.comment": "taken back"})
    store.save("r1", 2, {"consistency.comment": ""})
    assert values(store.answers("r1", 1)) == {"logicality": 5, "logicality.comment": "well"}
    assert {item: values(answers) for item, answers in store.all_answers("r1").items()} == {
        1: {"logicality": 5, "logicality.comment": "well"},
        2: {"logicality": 7, "consistency.comment": ""},
    }
    assert store.all_answers("r2") == {}
    assert store.history() == [
        ("r1", "logicality", 3),
        ("r1", "logicality.comment", "well"),
        ("r1", "logicality", 5),
        ("r1", "logicality", 7),
        ("r1", "consistency.comment", "taken back"),
        ("r1", "consistency.comment", ""),
    ]


def test_every_save_reaches_the_disk(store):
    assert store._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._database.execute("PRAGMA synchronous").fetchone() == (2,)


def test_bookmarks_and_texts(store):
    assert store.place("r1", 1) == 0
    for step in (4, 3):
        store.save_place("r1", 1, step)
    assert store.place("r1", 1) == 3
    for text in ("one\n", "two\n", "one\n"):
        store.keep_text(version_of(text), text)
    assert store.texts() == {version_of("one\n"): "one\n", version_of("two\n"): "two\n"}


def test_threads_and_a_second_process_may_share_it(store, tmp_path):
    other = Store(tmp_path / "answers.sqlite")

    def rate(index):
        (store if index % 2 else other).save(f"r{index}", 1, {"logicality": index % 7 + 1})

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(rate, range(100)))
    other.close()
    assert all(values(store.answers(f"r{index}", 1)) == {"logicality": index % 7 + 1} for index in range(100))
