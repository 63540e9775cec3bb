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


def test_a_pipe_and_a_link_are_written_to_and_stay(tmp_path):
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert pipe.is_fifo()
    file.write_text("old")
    link.symlink_to(file)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


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
