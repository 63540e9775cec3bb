import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from language_models.disk_error import DiskError
from language_models.embedders.cached_embedder import CachedEmbedder
from language_models.embedders.embedding_cache import EmbeddingCache, EmbeddingCacheError, shared_cache_path
from language_models.embedders.hash_embedder import HashEmbedder

TEXTS = ["kitchen", "bed 2", "", "\ud800 é"]


class Counting(HashEmbedder):
    def __init__(self) -> None:
        super().__init__(32)
        self.asked: list[str] = []

    def embed(self, texts):  # type: ignore[no-untyped-def]
        self.asked += texts
        return super().embed(texts)


def cached(cache: EmbeddingCache, embedder: Counting, model: str = "m") -> CachedEmbedder:
    return CachedEmbedder("counting", model, lambda: embedder, [cache])


def test_what_was_embedded_once_is_not_computed_again(tmp_path: Path) -> None:
    expected = HashEmbedder(32).embed([*TEXTS, TEXTS[0]])
    with EmbeddingCache(tmp_path / "e.sqlite") as cache:
        first = Counting()
        assert (cached(cache, first).embed([*TEXTS, TEXTS[0]]) == expected).all()
        assert first.asked == TEXTS
    with EmbeddingCache(tmp_path / "e.sqlite") as cache:
        second = CachedEmbedder("counting", "m", lambda: pytest.fail("it was loaded"), [cache])
        assert second.dimension == 32
        vectors = second.embed([*TEXTS, TEXTS[0]])
        assert vectors.tobytes() == expected.tobytes()
        assert vectors.dtype == np.float32
        other = Counting()
        assert cached(cache, other, "another").embed(["bed 2"]).shape == (1, 32)
        assert other.asked == ["bed 2"]
        assert cached(cache, Counting()).embed([]).shape == (0, 32)
        with pytest.raises(ValueError, match="got the one string 'kitchen'"):
            second.embed("kitchen")


def test_every_cache_gets_what_it_lacks(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "run") as run, EmbeddingCache(tmp_path / "shared") as shared:
        cached(shared, Counting()).embed(["kitchen"])
        embedder = Counting()
        both = cached(shared, embedder)
        both.embed(["kitchen"])
        both.add_cache(run)
        both.embed(["kitchen", "bed 2"])
        assert embedder.asked == ["bed 2"]
        for cache in (run, shared):
            assert set(cache.find("m", TEXTS)) == {"kitchen", "bed 2"}
        both.remove_cache(run)
        both.embed(["door"])
        assert run.find("m", ["door"]) == {}


def test_what_came_first_leaves_memory_first_and_is_found_in_the_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("language_models.embedders.cached_embedder.MOST_KNOWN", 2)
    texts = ["kitchen", "bed 2", "door", "window"]
    with EmbeddingCache(tmp_path / "run") as run, EmbeddingCache(tmp_path / "shared") as shared:
        embedder = Counting()
        both = cached(shared, embedder)
        expected = HashEmbedder(32).embed(texts)
        assert both.embed(texts).tobytes() == expected.tobytes()  # more than stay
        assert list(both._known) == ["door", "window"]
        both.add_cache(run)
        assert set(run.find("m", texts)) == {"door", "window"}
        assert both.embed(texts).tobytes() == expected.tobytes()
        assert embedder.asked == texts
        assert set(run.find("m", texts)) == set(texts)
        assert len(both._known) == 2


def test_an_optional_cache_that_cannot_be_used_is_left_alone_and_that_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    with EmbeddingCache(tmp_path / "run") as run, EmbeddingCache(tmp_path / "shared") as shared:
        embedder = CachedEmbedder("counting", "m", Counting)
        embedder.add_cache(shared, on_failure=lambda error: said.append(str(error)))
        embedder.add_cache(run)
        embedder.embed(["kitchen"])
        shared._database.execute("PRAGMA max_page_count = 1")
        for number in range(3):
            embedder.embed([f"thing {number} {part}" for part in range(200)])
        full = "database or disk is full; if the disk is full, make room first"
        assert said == [f"cannot write {tmp_path / 'shared'}: {full}"]
        assert set(run.find("m", ["kitchen", "thing 2 199"])) == {"kitchen", "thing 2 199"}
        # A run's own is not optional.
        run._database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(DiskError, match=f"cannot write {tmp_path / 'run'}: {full}"):
            embedder.embed([f"more {part}" for part in range(200)])


def test_a_cache_that_another_process_holds_is_not_called_damaged(tmp_path: Path) -> None:
    EmbeddingCache(tmp_path / "e").close()
    # A log, as the file has otherwise, lets others read on.
    with closing(sqlite3.connect(tmp_path / "e")) as alone:
        alone.execute("PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(tmp_path / "e")) as other, EmbeddingCache(tmp_path / "e") as cache:
        cache._database.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN EXCLUSIVE")
        held = "database is locked; another process holds the file, let that end first"
        with pytest.raises(DiskError, match=f"cannot use .*: {held}"):
            cache.find("m", ["bed"])
        with pytest.raises(DiskError, match=f"cannot write .*: {held}"):
            cache.keep("m", {"bed": np.ones(3, dtype=np.float32)})


def test_more_texts_than_fit_into_one_statement(tmp_path: Path) -> None:
    texts = [f"thing {number}" for number in range(1203)]
    with EmbeddingCache(tmp_path / "e") as cache:
        cached(cache, Counting()).embed(texts)
        assert len(cache.find("m", texts)) == len(texts)


def _fill(path: Path, start: int) -> None:
    with EmbeddingCache(path) as cache:
        for number in range(start, start + 40):
            cached(cache, Counting()).embed([f"thing {number}"])


def test_processes_share_a_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_fill, args=(tmp_path / "e", start)) for start in (0, 20, 40)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with EmbeddingCache(tmp_path / "e") as cache:
        assert len(cache.find("m", [f"thing {number}" for number in range(80)])) == 80


def test_files_that_are_no_cache(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database at all, but long enough to look like one" * 20)
    with pytest.raises(EmbeddingCacheError, match="is damaged: file is not a database; remove it"):
        EmbeddingCache(tmp_path / "text")
    with pytest.raises(OSError, match="cannot open"):
        EmbeddingCache(tmp_path / "nowhere" / "e")
    with EmbeddingCache(tmp_path / "e") as cache:
        cache._database.execute("PRAGMA user_version = 9")
    with pytest.raises(EmbeddingCacheError, match="is no cache of embeddings of version 1"):
        EmbeddingCache(tmp_path / "e")


def test_where_the_shared_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IROLLAN_CACHE", "/a")
    assert shared_cache_path() == Path("/a/embeddings.sqlite")
    monkeypatch.delenv("IROLLAN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert shared_cache_path() == Path("/b/irollan/embeddings.sqlite")
