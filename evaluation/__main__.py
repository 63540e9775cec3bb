"""``python -m evaluation`` is ``irollan``."""

import sys

from evaluation.cli import main

sys.exit(main())
