"""What a mind costs: `python benchmarks/mind.py --json [RUN ...]`, which is `irollan bench mind --json`."""

import sys

from evaluation.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench", "mind", *sys.argv[1:]]))
