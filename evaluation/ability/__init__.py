"""How well an agent solves tasks: those of the valley, and games of TextWorld."""
