"""Files written whole or not at all."""

import errno
import os
import threading

import pytest

from evaluation.records.files import write_atomically


def test_a_file_is_replaced_in_one_move(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    before = path.stat().st_ino
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != before
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["page.html", ".page.html.new"])
def test_a_link_is_replaced_and_not_followed(tmp_path, name):
    target = tmp_path / "target"
    target.write_text("old")
    (tmp_path / name).symlink_to(target)
    write_atomically(tmp_path / "page.html", b"new")
    assert (tmp_path / "page.html").read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path)) == ["page.html", "target"]
    assert target.read_text() == "old"


def test_what_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, b"new")
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, full)
            with pytest.raises(OSError, match="No space left") as caught:
                write_atomically(path, b"new")
        assert caught.value.filename == str(path)
        assert os.listdir(tmp_path) == ["table.csv"]
        assert path.read_text() == "old"
