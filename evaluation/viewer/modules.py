"""Bundling of the page's JavaScript modules into one script, so that the page opens without a server.

The modules are plain JavaScript: each imports by name from files beside it. Joined, they share one scope, so that two
of them must not define the same top-level name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

ASSETS = files("evaluation.viewer") / "assets"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
_TOP = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def joined_modules(entry: str = "main.js") -> str:
    """Join a module and its imports into one script, in order of dependency.

    Raises:
        ValueError: if two modules define the same top-level name, or an import or export has an unsupported form.
    """
    owners: dict[str, str] = {}
    parts = []
    for name, text in _in_order(entry, {}):
        body = _EXPORT.sub("", _IMPORT.sub("", text))
        if wrong := re.search(r"^import .*|^export .*", body, re.MULTILINE):
            raise ValueError(f'{name}: {wrong[0]!r} cannot be joined; write import {{ … }} from "./file.js";')
        for top in _TOP.findall(text):
            if owners.setdefault(top, name) != name:
                raise ValueError(f"{name} and {owners[top]} both have {top!r} at their top; rename one")
        parts.append(body)
    # In braces, so that its names are not global.
    return '"use strict";\n{\n' + "\n".join(parts) + "}\n"


def _in_order(name: str, seen: dict[str, bool]) -> Iterator[tuple[str, str]]:
    if name in seen:
        return
    seen[name] = True
    text = (ASSETS / name).read_text("utf-8")
    for needed in _IMPORT.findall(text):
        yield from _in_order(needed, seen)
    yield name, text
