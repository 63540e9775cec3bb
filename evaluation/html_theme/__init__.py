"""Shared parts of all HTML pages: colours, templates, and figures as SVG."""
