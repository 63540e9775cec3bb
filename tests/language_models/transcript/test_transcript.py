import asyncio
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from language_models.protocol import Caller, Usage
from language_models.transcript import transcript as transcript_module
from language_models.transcript.call_ids import LANES
from language_models.transcript.calls import Call, Request
from language_models.transcript.transcript import Transcript
from language_models.transcript.transcript_file import TranscriptError


def make(transcript: Transcript, resident: str = "ada", *, error: str = "", prompt: str = "p", text: str = "t") -> Call:
    caller = Caller(module="action", resident=resident, time=2)
    call = Call(
        caller=caller,
        request=Request(model="m", method="generate", prompt=prompt, parameters={"seed": 1, "stop": ["\n"]}),
        response=None if error else {"text": text},
        usage=Usage(
            call=transcript.ids.next(caller), prompt_tokens=10, cached_tokens=4, generated_tokens=3, seconds=0.5
        ),
        error=error,
    )
    transcript.record(call)
    return call


def test_calls_survive_closing(tmp_path: Path) -> None:
    with Transcript(tmp_path / "t.sqlite") as transcript:
        first, second = make(transcript), make(transcript, error="no answer")
    assert [file.name for file in tmp_path.iterdir()] == ["t.sqlite"]
    with Transcript(tmp_path / "t.sqlite", read_only=True) as transcript:
        assert len(transcript) == 2
        assert transcript.get(first.usage.call) == first
        assert list(transcript.calls()) == [first, second]
        assert [call.outcome for call in transcript.calls()] == ["ok", "failed"]
        assert transcript.models() == ["m"]
        with pytest.raises(TranscriptError, match="no call 77 among the 2 recorded"):
            transcript.get(77)


def test_a_closed_file_holds_every_call_whoever_reads_it_meanwhile(tmp_path: Path) -> None:
    path, alone = tmp_path / "t.sqlite", tmp_path / "alone.sqlite"
    with Transcript(path) as transcript:
        make(transcript)
        reader = Transcript(path, read_only=True)
    shutil.copy(path, alone)
    reader.close()
    with Transcript(alone, read_only=True) as copy:
        assert len(copy) == 1


def test_identifiers_follow_each_residents_own_order() -> None:
    def identifiers(order: str) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {"a": [], "b": []}
        with Transcript(":memory:") as transcript:
            transcript.ids.enlist(["a", "b"])
            for resident in order:
                found[resident].append(transcript.ids.next(Caller(module="m", resident=resident)))
        return found

    assert identifiers("abab") == identifiers("bbaa") == {"a": [0, LANES], "b": [1, LANES + 1]}


def test_lanes_and_counts_go_on_after_reopening(tmp_path: Path) -> None:
    with Transcript(tmp_path / "t.sqlite") as transcript:
        transcript.ids.enlist(["ada", "ben"])
        ids = [make(transcript, "ben").usage.call, make(transcript, "ada").usage.call]
    with Transcript(tmp_path / "t.sqlite") as transcript:
        transcript.ids.enlist(["ben", "ada", "cleo"])
        ids += [make(transcript, name).usage.call for name in ("ada", "ben", "cleo")]
    assert ids == [1, 0, LANES, LANES + 1, 2]


def test_lookup_keeps_several_answers_in_order() -> None:
    with Transcript(":memory:") as transcript:
        texts = ["one", "two", "three"]
        calls = [make(transcript, text=text) for text in texts]
        make(transcript, prompt="another")
        found = transcript.lookup(calls[0].request.key)
        assert [call.response and call.response["text"] for call in found] == texts
        assert transcript.lookup("0" * 64) == []


def test_the_key_is_what_was_asked_whatever_its_order() -> None:
    one = Request(model="m", method="score", prompt="p", parameters={"a": 1, "b": [2]})
    assert one.key == replace(one, parameters={"b": [2], "a": 1}).key
    others = [{"model": "n"}, {"method": "choose"}, {"prompt": "q"}, {"parameters": {"a": 1, "b": [3]}}]
    assert len({one.key, *(replace(one, **other).key for other in others)}) == 5


def test_the_key_is_the_sha256_of_the_whole_request_as_canonical_json() -> None:
    request = Request(
        model='a "b"', method="score", prompt="é\n", parameters={"z": [1.5, None], "a": {"d": 1, "c": "ü"}}
    )
    whole = {name: getattr(request, name) for name in ("model", "method", "prompt", "parameters")}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert request.key == hashlib.sha256(text.encode()).hexdigest()


def test_prompts_are_kept_once(tmp_path: Path) -> None:
    with Transcript(tmp_path / "t.sqlite") as transcript:
        for _ in range(3):
            make(transcript)
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        assert database.execute("SELECT COUNT(*) FROM prompts").fetchone() == (1,)
        assert json.loads(database.execute("SELECT request FROM calls").fetchone()[0]) == {"seed": 1, "stop": ["\n"]}
    database.close()


def test_usage_by_module_and_selection() -> None:
    with Transcript(":memory:") as transcript:
        make(transcript)
        make(transcript, "ben", error="no answer")
        (row,) = transcript.costs.by_module()
        assert (row.module, row.calls, row.failures) == ("action", 2, 1)
        assert (row.prompt_tokens, row.cached_tokens, row.generated_tokens, row.seconds) == (20, 8, 6, 1.0)
        assert [call.caller.resident for call in transcript.calls(resident="ben", time=2)] == ["ben"]
        assert list(transcript.calls(module="goal")) == []


def test_rewind_forgets_what_came_after(tmp_path: Path) -> None:
    with Transcript(tmp_path / "t.sqlite") as transcript:
        kept = [make(transcript), make(transcript, "ben")]
        position = json.loads(json.dumps(transcript.ids.position()))
        lost = [make(transcript, prompt="later"), make(transcript, "cleo")]
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert transcript.costs.rewound() == []
        assert transcript.rewind(position) == len(lost)
        assert list(transcript.calls()) == kept
        assert make(transcript, prompt="later").usage.call == lost[0].usage.call
        assert make(transcript, "cleo").usage.call == lost[1].usage.call
        with pytest.raises(TranscriptError, match=r"cannot rewind to 9 calls of 'ada', who made 2 here; take"):
            transcript.rewind({"ada": 9})
        # What was paid for is not forgotten, however often.
        assert transcript.rewind(position) == len(lost)
        (cost,) = transcript.costs.rewound()
        assert (cost.module, cost.model, cost.calls, cost.tokens, cost.seconds) == ("action", "m", 4, 52, 2.0)
        assert transcript.costs.total().calls == len(kept)
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert transcript.costs.rewound() == [cost]


def test_everything_recorded_survives_a_kill(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from pathlib import Path
        from language_models.protocol import Caller, Usage
        from language_models.transcript.calls import Call, Request
        from language_models.transcript.transcript import Transcript
        transcript = Transcript(sys.argv[1])
        while True:
            caller = Caller(module="m", resident="ada")
            request = Request(model="m", method="score", prompt="p" * 500, parameters={})
            usage = Usage(call=transcript.ids.next(caller))
            transcript.record(Call(caller=caller, request=request, response={"values": [1]}, usage=usage))
            print(len(transcript), flush=True)
    """
    file = tmp_path / "t.sqlite"
    process = subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(50):
        process.stdout.readline()
    time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    said = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    with Transcript(file) as transcript:
        assert len(transcript) >= (int(said[-1]) if said else 50)
        assert [call.usage.call for call in transcript.calls()] == [LANES * n for n in range(len(transcript))]


def test_calls_that_end_together_are_committed_together_and_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_module, "GATHERING", 0.05)

    def kept() -> int:
        with Transcript(tmp_path / "t.sqlite", read_only=True) as reader:
            return len(reader)

    async def live(transcript: Transcript) -> None:
        make(transcript)
        await asyncio.sleep(0)
        make(transcript)
        assert (kept(), len(transcript)) == (0, 2)
        await asyncio.sleep(0.06)
        assert kept() == 2
        make(transcript)
        transcript.commit()
        assert kept() == 3
        make(transcript)
        await asyncio.sleep(0.06)
        assert kept() == 4
        make(transcript)

    async def live_on(transcript: Transcript) -> None:
        make(transcript)
        await asyncio.sleep(0.06)

    with Transcript(tmp_path / "t.sqlite") as transcript:
        asyncio.run(live(transcript))
        assert kept() == 4
        assert len(transcript) == 5
        # A loop that ended before it came to the commit is no reason to wait for ever.
        asyncio.run(live_on(transcript))
        assert kept() == 6


def test_a_full_disk_is_an_error_and_loses_nothing_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_module, "GATHERING", 0.05)

    async def live(transcript: Transcript) -> None:
        make(transcript)
        transcript.commit()
        transcript._database.execute("PRAGMA max_page_count = 1")
        message = "cannot write .*t.sqlite: database or disk is full"
        make(transcript, text="t" * 100_000)
        await asyncio.sleep(0.06)
        for write in (lambda: make(transcript), transcript.commit):
            with pytest.raises(OSError, match=message):
                write()

    with Transcript(tmp_path / "t.sqlite") as transcript:
        asyncio.run(live(transcript))
    with Transcript(tmp_path / "t.sqlite") as transcript:
        assert len(transcript) == 1


def test_a_taken_identifier_is_refused() -> None:
    with Transcript(":memory:") as transcript:
        call = make(transcript)
        with pytest.raises(TranscriptError, match=r"cannot record calls \[0\]: UNIQUE"):
            transcript.record(call)
        assert len(transcript) == 1

        async def again() -> None:
            transcript.record(call)

    with Transcript(":memory:") as transcript:
        call = make(transcript)
        asyncio.run(again())
        for _ in range(2):
            with pytest.raises(TranscriptError, match=r"cannot record calls \[0\]: UNIQUE"):
                transcript.commit()


def test_what_is_no_transcript(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("time,resident\n" * 100)
    with pytest.raises(TranscriptError, match=r"text is not a transcript: file is not a database; give"):
        Transcript(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE t (a)")
    database.close()
    with pytest.raises(TranscriptError, match="other is a database, but not a transcript"):
        Transcript(tmp_path / "other")
    with Transcript(tmp_path / "new") as transcript:
        transcript._database.execute("PRAGMA user_version = 7")
    with pytest.raises(TranscriptError, match="version 7, this program reads version 2"):
        Transcript(tmp_path / "new", read_only=True)
    with pytest.raises(FileNotFoundError, match="no transcript at"):
        Transcript(tmp_path / "missing", read_only=True)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        Transcript(tmp_path / "no" / "t.sqlite")
    with pytest.raises(TranscriptError, match="is not a transcript"):
        Transcript(tmp_path)
    (tmp_path / "empty").touch()
    with pytest.raises(TranscriptError, match="empty is a database, but not a transcript"):
        Transcript(tmp_path / "empty", read_only=True)
    with Transcript(tmp_path / "empty") as transcript:
        assert len(transcript) == 0


def test_a_call_checks_itself() -> None:
    caller = Caller(module="m")
    request = Request(model="m", method="score", prompt="p", parameters={})
    with pytest.raises(ValueError, match="a response or an error"):
        Call(caller=caller, request=request, response=None, usage=Usage(call=0))
    with pytest.raises(ValueError, match="at least 0, got -1"):
        Call(caller=caller, request=request, response={}, usage=Usage())


def test_a_file_that_was_cut_short_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Transcript(path) as transcript:
        for number in range(100):
            make(transcript, f"resident {number}", prompt=f"{number}" * 200)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(TranscriptError, match="database disk image is malformed"):
        Transcript(path)
