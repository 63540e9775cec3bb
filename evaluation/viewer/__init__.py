"""Viewer: an HTML page to explore a run, and a local web application for running runs."""
