"""Where ``irollan`` and ``python -m evaluation`` begin: what is imported here has to load before Ctrl-C is heeded."""

import sys
from importlib.util import find_spec

INSTALL = "python -m pip install 'irollan-valley[society]'"


def main() -> int:
    """Run the command; a Ctrl-C that comes while it still loads, or a package that is missing, ends it in one line.

    Returns:
        The exit status.
    """
    try:
        from evaluation.commands.cli import main as run_command

        return run_command()
    except KeyboardInterrupt:
        print("irollan: interrupted", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or find_spec(package) is not None:
            raise
        print(
            f"irollan: the package {package} is not installed; install what irollan needs: {INSTALL}", file=sys.stderr
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())
