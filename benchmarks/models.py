"""What the language models cost a run: `python benchmarks/models.py --json`, which is `irollan bench models --json`."""

import sys

from evaluation.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench", "models", *sys.argv[1:]]))
