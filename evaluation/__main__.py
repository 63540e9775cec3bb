"""Where ``irollan`` and ``python -m evaluation`` begin: what is imported here has to load before Ctrl-C is heeded."""

import sys


def main() -> int:
    """Run the command; a Ctrl-C that comes while it still loads ends it in one line.

    Returns:
        The exit status.
    """
    try:
        from evaluation.commands.cli import main as run_command

        return run_command()
    except KeyboardInterrupt:
        print("irollan: interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
