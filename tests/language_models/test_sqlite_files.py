"""SQLite files are read without a trace, with what a killed writer left in its log."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from language_models import sqlite_files
from language_models.sqlite_files import open_to_read


@pytest.fixture
def written(tmp_path):
    """A file whose writer was killed after its second row, and the same one that was closed."""
    killed, closed = tmp_path / "killed" / "a.sqlite", tmp_path / "closed" / "a.sqlite"
    killed.parent.mkdir()
    with closing(sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE rows (number)")
        database.executemany("INSERT INTO rows VALUES (?)", [(1,), (2,)])
        for name in ("a.sqlite", "a.sqlite-wal"):
            shutil.copy(tmp_path / name, killed.parent / name)
    closed.parent.mkdir()
    (tmp_path / "a.sqlite").rename(closed)
    return killed, closed


def rows(path):
    with closing(open_to_read(path)) as database:
        found = database.execute("SELECT number FROM rows").fetchall()
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            database.execute("INSERT INTO rows VALUES (3)")
    return found


def test_one_that_was_closed_is_read_without_a_trace(written):
    _, closed = written
    before = closed.read_bytes()
    assert rows(closed) == [(1,), (2,)]
    assert list(closed.parent.iterdir()) == [closed]
    assert closed.read_bytes() == before


def test_nothing_is_written_through_a_link(written, tmp_path):
    killed, _ = written
    link = tmp_path / "run.sqlite"
    link.symlink_to(killed)
    before = sorted(killed.parent.iterdir())
    with closing(open_to_read(link)) as database:
        assert database.execute("SELECT number FROM rows").fetchall() == [(1,), (2,)]
        assert sorted(killed.parent.iterdir()) == before


def test_what_a_killed_writer_left_in_its_log_is_read(written, monkeypatch):
    killed, _ = written
    assert rows(killed) == [(1,), (2,)]
    connect = sqlite_files._connect

    def in_a_folder_that_cannot_be_written_to(address):
        if address.endswith("mode=ro"):
            raise sqlite3.OperationalError("unable to open database file")
        return connect(address)

    monkeypatch.setattr(sqlite_files, "_connect", in_a_folder_that_cannot_be_written_to)
    with closing(open_to_read(killed)) as database:
        assert database.execute("SELECT number FROM rows").fetchall() == [(1,), (2,)]
