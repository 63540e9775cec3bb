"""PIANO (Project Sid, Altera.AL 2024): modules that run at once over one state, and a controller."""
