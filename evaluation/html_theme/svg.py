"""Inline SVG figures whose colours follow the page's light or dark theme."""

from __future__ import annotations

import io
import re
import warnings

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from evaluation.html_theme import colours

_THEMED = {
    colours.INK: "--ink",
    colours.MUTED: "--muted",
    colours.FAINT: "--line",
    colours.HEAT: "--heat",
    colours.ON_HEAT: "--on-heat",
    **{shade: f"--c{index}" for index, shade in enumerate(colours.COLOURS)},
    **{shade: f"--s{index}" for index, shade in enumerate(colours.COMMON)},
}


def inline_svg(figure: Figure, name: str, title: str) -> Markup:
    """Render a figure as an ``svg`` element.

    Args:
        figure: Drawn in the colours of ``evaluation.html_theme.colours``; the page maps them to its variables.
        name: Name of the figure, unique on the page.
        title: Text for screen readers.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": f"irollan-{name}"}), warnings.catch_warnings():
        # Text stays text, and the browser has a font for what this machine's has not.
        warnings.filterwarnings("ignore", r"Glyph \d+")
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style .*?</style>", "", text, flags=re.DOTALL)
    # Each figure numbers its groups from 1; a prefix keeps the ids of one page apart.
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(url\(#|xlink:href="#)', rf"\1{name}-", text)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg height="[^"]*" ', r"<svg \1", text, count=1)
    for shade, variable in _THEMED.items():
        text = text.replace(f": {shade}", f": var({variable}, {shade})")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1))
