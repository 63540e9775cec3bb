"""A toy embedder, and a small world whose fields are like the valley's."""

import math
import zlib

import numpy as np

from itcma_s.fields.phenomenal_field import Field


class ToyEmbedder:
    """Deterministic unit vectors; names with the same first word are alike, as tables are."""

    name = "toy"
    dimension = 24

    def __init__(self):
        self.batches = []

    def embed(self, texts):
        self.batches.append(list(texts))
        rows = []
        for text in texts:
            vector = sum(
                np.random.default_rng(zlib.crc32(part.encode())).normal(size=self.dimension)
                for part in (text, text.split()[0])
            )
            rows.append(vector / np.linalg.norm(vector))
        return np.array(rows, dtype=np.float32).reshape(-1, self.dimension)


def random_field(generator, table, size, names=12, jitter=0.0):
    """Objects of a few kinds anywhere; coarse coordinates, so that equal rows, but for the jitter, are common."""
    chosen = [f"{('table', 'bed', 'cup')[n % 3]} {n}" for n in generator.integers(0, names, size)]
    grid = generator.integers(0, 4, (size, 3))
    positions = grid * [math.pi / 3, math.pi / 2, 0.5]
    if jitter:
        less = positions - jitter * generator.random((size, 3))
        positions = np.where([False, True, False], np.mod(less, 2.0 * math.pi), np.abs(less))
    return Field(table.ids(chosen), positions)


def daily_life(generator, table, steps):
    """Places and fields of a resident who walks between furnished rooms where items and people move about."""
    kinds = ("table", "chair", "bed", "sinkbasin", "cabinet", "lamp", "shelf")
    rooms = []
    for room in range(6):
        furniture = [f"{kinds[int(generator.integers(len(kinds)))]} {room * 12 + n}" for n in range(12)]
        rooms.append((furniture, generator.uniform(0.0, 6.0, (12, 2))))
    movable = [f"{kind} {n}" for kind in ("book", "cup", "clothes") for n in range(10)] + ["SG", "MD", "WL", "LL", "WM"]
    where = generator.integers(0, 6, len(movable))
    spots = generator.uniform(0.0, 6.0, (len(movable), 2))
    room, stand, life = 0, 0, []
    for _ in range(steps):
        if generator.random() < 0.15:
            room = int(generator.integers(6))
        if generator.random() < 0.6:
            stand = int(generator.integers(12))
        moved = int(generator.integers(len(movable)))
        where[moved], spots[moved] = generator.integers(6), generator.uniform(0.0, 6.0, 2)
        furniture, places = rooms[room]
        here = np.flatnonzero(where == room)
        offsets = np.concatenate((places, spots[here])) - (places[stand] + [0.3, 0.4])
        facing = math.atan2(-0.4, -0.3)
        azimuth = np.mod(np.arctan2(offsets[:, 1], offsets[:, 0]) - facing, 2.0 * math.pi)
        azimuth[azimuth >= 2.0 * math.pi] = 0.0
        positions = np.stack((np.full(len(offsets), math.pi / 2), azimuth, np.hypot(*offsets.T)), axis=1)
        life.append((f"room {room}", Field(table.ids([*furniture, *(movable[n] for n in here)]), positions)))
    return life
