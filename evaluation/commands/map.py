"""``irollan map``: write, check, draw and show maps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import filled_path
from evaluation.commands.errors import print_error, print_note, print_path, print_refusal, why_no_file
from irollan_env.map.loading import MAP_FORMS

maps = typer.Typer(help="Write a world of your own, check it, and look at it.")

_File = Annotated[Path, typer.Argument(metavar="FILE", parser=filled_path, show_default=False)]
_Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")]
_Name = Annotated[str, typer.Argument(metavar="MAP", show_default=False, help=f"{MAP_FORMS}.")]


@maps.command("new")
def new(
    file: _File,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="MAP", help="Begin with this map. [default: a small, commented example]"),
    ] = None,
    force: _Force = False,
) -> int:
    """Write a map file to change: two villages with a well, a price and a vote, each key with a comment."""
    from irollan_env.map.loading import MAPS, TEMPLATE, load_map

    try:
        if source is None or source in MAPS:
            text = (TEMPLATE if source is None else MAPS[source]).read_text(encoding="utf-8")
        else:
            text = _as_toml(load_map(source))
        return _write(file, text, force=force)
    except (ValueError, OSError) as error:
        return print_refusal(error)


@maps.command("draw")
def draw(
    file: _File,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed draws the same map.")] = 0,
    residents: Annotated[
        int | None,
        typer.Option(
            "--residents", metavar="N", min=1, help="A valley of N homes. [default: six, with closed furniture]"
        ),
    ] = None,
    force: _Force = False,
) -> int:
    """Draw a random map into a file."""
    from irollan_env.map.generate import generate_valley
    from irollan_env.map.loading import load_map

    try:
        drawn = load_map(f"drawn:{seed}") if residents is None else generate_valley(residents, seed=seed)
        return _write(file, _as_toml(drawn), force=force)
    except (ValueError, OSError) as error:
        return print_refusal(error)


@maps.command("check")
def check(name: _Name) -> int:
    """Check a map, and say what is in it.

    The exit status is 0 for a map that a society can live on; warnings name what may be a mistake.
    """
    from evaluation.html_theme.printable import printable
    from irollan_env.map.loading import load_map
    from irollan_env.map.warnings import warnings_of
    from irollan_env.world.mechanics.doubts import doubts_of
    from irollan_env.world.world import World

    try:
        valley_map = load_map(name)
    except (ValueError, OSError) as error:
        return print_refusal(error)
    try:
        world = World(valley_map, 0)
    except ValueError as error:
        return print_error(f"{name}: {error}", 2)
    for warning in (*warnings_of(valley_map), *doubts_of(valley_map)):
        print_note(f"warning: {warning}")
    rows = [
        ("residents", len(valley_map.residents)),
        ("places", len(valley_map.places)),
        ("furniture", len(valley_map.furniture)),
        ("things", len(valley_map.items)),
        ("mechanics", ", ".join(mechanic.name for mechanic in world.mechanics) or "none"),
    ]
    print(printable(f"{valley_map.name}: right"))
    for label, value in rows:
        print(printable(f"  {label:10} {value}"))
    first = valley_map.residents[0].name
    print(printable(f"What {first} perceives first:"))
    print(printable(f"  {world.observe(first).sentence}"))
    return 0


@maps.command("show")
def show(
    name: _Name,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", parser=filled_path, help="A .png, .svg or .pdf. [default: MAP.png]"),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            "--width", metavar="PIXELS", min=100, max=10_000, help="[default: as names need]", show_default=False
        ),
    ] = None,
) -> int:
    """Draw a picture of a map, with everybody and everything where it begins."""
    from irollan_env.environments.drawing import save_picture
    from irollan_env.map.loading import load_map

    path = Path(f"{Path(name).stem.replace(':', '_')}.png") if out is None else out
    if reason := why_no_file(path):
        return print_error(reason, 2)
    try:
        save_picture(load_map(name), path, width=width)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        return print_refusal(error)
    print_path(path)
    return 0


@maps.command("keys")
def keys(
    mechanic: Annotated[
        str | None, typer.Argument(metavar="[MECHANIC]", help="Only the keys of one mechanic.", show_default=False)
    ] = None,
) -> int:
    """Print every key of a map file, with what it means."""
    from evaluation.html_theme.printable import printable
    from irollan_env.world.mechanics.reference import describe_keys

    try:
        print("\n".join(map(printable, describe_keys(mechanic).split("\n"))))
    except ValueError as error:
        return print_refusal(error)
    return 0


def _as_toml(valley_map: object) -> str:
    import tomli_w

    from irollan_env.map.records import MapRecords
    from irollan_env.map.toml_file import map_to_tables

    assert isinstance(valley_map, MapRecords)
    return tomli_w.dumps(map_to_tables(valley_map))


def _write(file: Path, text: str, *, force: bool) -> int:
    if reason := why_no_file(file):
        return print_error(reason, 2)
    if file.exists() and not force:
        return print_error(f"{file} is there already; give --force to replace it", 2)
    file.write_text(text, encoding="utf-8")
    print_path(file)
    print(f"irollan: check it with irollan map check {file}", file=sys.stderr)
    return 0
