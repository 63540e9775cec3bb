"""Unchanged entities of gdm-concordia (Vezhnevets et al. 2023), run with the valley's models and embedder."""
