"""A run with a page, in a process of its own: python tests/helpers/watched_run.py ARGUMENTS OF irollan run.

It writes no report, which takes longer than the run. With WAIT in the environment it waits after its first step until
somebody pauses it from the page.
"""

import os
import re
import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def watched_run(out, *arguments, wait=False):
    """Start one of the scripted model; gives the process and the link of its page, and outlives no test."""
    command = [sys.executable, __file__, "run", "--model", "scripted", "--embedder", "hash", "--seed", "3", "--view"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **({"WAIT": "1"} if wait else {})}
    command += ["--out", str(out), *map(str, arguments)]
    given = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "env": environment}
    with subprocess.Popen(command, **given) as process:
        try:
            yield process, next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        finally:
            process.kill()


def _main():
    from evaluation.commands.cli import main
    from evaluation.report import run_report
    from evaluation.viewer.gate import Gate

    passed = Gate.pass_through

    def pass_through(gate):
        while "WAIT" in os.environ and not gate.paused:
            gate._open.wait(0.01)
        os.environ.pop("WAIT", None)
        passed(gate)

    def no_report(directory, progress, embedder, embeddings, write_view):
        write_view(directory, 24, [("Who leads", "Nobody leads.")], progress)
        directory.report_path.touch()
        return directory.report_path

    Gate.pass_through, run_report.write_report = pass_through, no_report
    raise SystemExit(main(sys.argv[1:]))


if __name__ == "__main__":
    _main()
