"""Entities of gdm-concordia (Vezhnevets et al. 2023), as they come, with the valley's models and embedder."""
