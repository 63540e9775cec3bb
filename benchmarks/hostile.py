"""How long a step takes with an action of up to a megabyte: `python benchmarks/hostile.py [--json]`.

One resident of the six says it, through the parallel API; the step is refused each time. Lengths take turns, and the
median over the rounds is given. Linear time shows as a time per character that does not rise with the length.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from statistics import median
from time import perf_counter

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


def main() -> None:
    """Print the times as a table or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print the milliseconds as JSON")
    parser.add_argument("--rounds", type=int, default=31, help="how often each is measured")
    asked = parser.parse_args()
    table = measure(asked.rounds)
    if asked.json:
        print(json.dumps(table, indent=1))
        return
    print("| action | " + " | ".join(f"{length:,} characters, ms" for length in LENGTHS) + " |")
    print("|---|" + "---|" * len(LENGTHS))
    for name, row in table.items():
        print(f"| {name} | " + " | ".join(f"{row[length]:.3f}" for length in LENGTHS) + " |")


if __name__ == "__main__":
    main()
