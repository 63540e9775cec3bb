"""A command at a terminal of its own, where somebody types."""

import os
import re
import subprocess
import sys

ASKED = re.compile(r"\w+, step \d+ \((.*?)\)> $")


def typed_into(command, answers, limit=120):
    """Type an answer at each question of ``irollan COMMAND``; gives its exit status and all that it showed.

    Answers that are used up mean the end of the input.
    """
    ours, its = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluation", *command], stdin=its, stderr=its, stdout=subprocess.DEVNULL
    )
    os.close(its)
    shown, left = "", list(answers)
    try:
        while True:
            try:
                shown += os.read(ours, 4096).decode("utf-8", "replace")
            except OSError:  # it has closed its end
                break
            if ASKED.search(shown):
                os.write(ours, f"{left.pop(0)}\n".encode() if left else b"\x04")
                shown += "|"
        return process.wait(limit), shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)
