"""Where the options of a model are set, as errors say it that tell to set one."""

from __future__ import annotations

OPTIONS = "among the options of a TOML file for --model (docs/models.md)"
"""Where an option is set."""

RESUMABLE = f"{OPTIONS}, which irollan resume takes, too"
"""Where one is set that changes no answer."""
