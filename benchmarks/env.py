"""How fast the valley is: `python benchmarks/env.py --json`, which is `irollan bench env --json`."""

import sys

from evaluation.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench", "env", *sys.argv[1:]]))
