"""PIANO (Project Sid, Altera.AL 2024): concurrent modules over one shared state, and a controller."""
