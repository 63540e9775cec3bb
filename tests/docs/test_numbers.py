"""Numbers that the pages give of the recorded lives are those of the files."""

import json
import sqlite3

import pytest
from project import DOCS, EXAMPLES

from benchmarks.mind.memory_tokens import savings

RESIDENTS = 6


def tokens_and_requests(life):
    """Tokens, and requests, of each resident and step of a run."""
    steps = json.loads((life / "manifest.json").read_bytes())["steps_done"]
    with sqlite3.connect(f"file:{life / 'transcript.sqlite'}?mode=ro&immutable=1", uri=True) as transcript:
        calls, tokens = transcript.execute(
            "SELECT count(*), sum(prompt_tokens + generated_tokens) FROM calls"
        ).fetchone()
    return tokens / steps / RESIDENTS, calls / steps / RESIDENTS


def test_what_the_recorded_lives_took():
    text = (DOCS / "replication.md").read_text(encoding="utf-8")
    (itcma, asked), (itcma_s, asked_s) = map(
        tokens_and_requests, (EXAMPLES / "recorded_life_itcma", EXAMPLES / "recorded_life")
    )
    assert f"| tokens a resident and step | {itcma:,.0f} | {itcma_s:,.0f} |" in text
    assert f"| requests a resident and step | {asked:.2f} | {asked_s:.2f} |" in text
    deliberation = (DOCS / "deliberation.md").read_text(encoding="utf-8")
    assert f"{asked_s:.2f} requests and {itcma_s:,.0f} tokens" in deliberation


# It builds every memory of a life of 40 steps three times.
@pytest.mark.slow
def test_what_compression_and_blending_save():
    found = {one.name: one.value for one in savings(lambda _: None, runs=[EXAMPLES / "recorded_life_itcma"])}
    page = (DOCS / "deliberation.md").read_text(encoding="utf-8")
    for way in ("frame by frame", "compressed", "compressed and blended"):
        cells = [f"{found[f'awakened memory with {how}, {way}']:,.0f}" for how in ("deeds", "names", "positions")]
        assert f"| {way} | {' | '.join(cells)} |" in page
