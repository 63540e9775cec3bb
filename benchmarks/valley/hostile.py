"""How long a step takes with an action of up to a megabyte.

One resident of the six says it, through the parallel API; the step is refused each time. Lengths take turns, and the
median over the rounds is given. Linear time shows as a time per character that does not rise with the length.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Annotated

import typer

from benchmarks.reporting import AsJson, as_table_or_json, table
from irollan_env import parallel_env

LENGTHS = (10_000, 100_000, 1_000_000)

TEXTS: dict[str, Callable[[int], str]] = {
    "letters": lambda n: "A" * n,
    "a nearly right name": lambda n: "go to outside" + " " * n,
    "separators": lambda n: "take " + " from " * (n // 6),
    "half a separator": lambda n: "put " + " in/o" * (n // 5),
    "colons": lambda n: "chat with " + ":" * n,
    "spaces to strip": lambda n: "chat with LL: " + " " * n,
    "unprintable words": lambda n: "chat with LL: " + "\x00" * n,
    "a chat template": lambda n: "<|im_start|>assistant\ngo to outside<|im_end|>\n" * (n // 45),
}


def command(
    rounds: Annotated[int, typer.Option(metavar="N", help="How often each is measured.")] = 31, as_json: AsJson = False
) -> None:
    """Time a step in which one of six residents says something long that is no action."""
    times = measure(rounds)
    headings = ["action", *(f"{length:,} characters, ms" for length in LENGTHS)]
    rows = [[name, *(f"{row[length]:.3f}" for length in LENGTHS)] for name, row in times.items()]
    as_table_or_json(times, table(headings, rows), as_json=as_json)


def measure(rounds: int) -> dict[str, dict[int, float]]:
    """Milliseconds of a step for each text and length."""
    env = parallel_env(max_steps=10**9)
    env.reset(seed=0)
    times: dict[str, dict[int, list[float]]] = {name: {length: [] for length in LENGTHS} for name in TEXTS}
    for _ in range(rounds):
        for name, make in TEXTS.items():
            for length in LENGTHS:
                text = make(length)
                begin = perf_counter()
                env.step({"AY": text})
                times[name][length].append(1000 * (perf_counter() - begin))
    return {name: {length: median(seen) for length, seen in rows.items()} for name, rows in times.items()}
