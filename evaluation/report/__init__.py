"""Figures and HTML reports of single runs, and the comparison of two runs."""
