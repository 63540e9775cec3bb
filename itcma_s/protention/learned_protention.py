"""A learned protention (Eq. 7): a small network that predicts the field which follows an action.

It works on objects, not on whole fields. The observer's own movement acts on everything that stays as one affine map
of positions, like the geometric rule; what appears and disappears, and where, is learned for each name separately.
``examples/train_protention.py`` trains it on rollouts of the valley.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from irollan_env.actions import Action, Primitive
from irollan_env.naming import kind, owner
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.geometric_rule import cartesian, spherical

FORMAT = "irollan protention"
VERSION = 1
"""Version of the file's layout; files of other versions are rejected."""

VERBS: tuple[str, ...] = (
    Primitive.GO_TO,
    Primitive.USE,
    Primitive.LEAVE,
    Primitive.TAKE,
    Primitive.PUT,
    Primitive.CHAT,
)
THERE = 0.5
"""Probability from which an object is predicted to be present."""

_LARGEST_VOCABULARY = 100_000
_METRES = 5.0
_FLAGS = 11  # present, x, y, z; imagined, x, y, z; retained; named first, named second
_FADING = 0.5


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network's layers, each at least 1."""

    embedding: int = 32
    hidden: int = 96
    context: int = 128

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 4096:
                raise ValueError(f"{name} of the network must be a whole number from 1 to 4096, got {value!r}")


class Vocabulary:
    """The names that a network knows, each with its parts: the name itself, its kind and its owner.

    Args:
        names: Distinct names.

    Raises:
        ValueError: for no names, an empty name, or a duplicate.
    """

    def __init__(self, names: Sequence[str]) -> None:
        if not 0 < len(names) <= _LARGEST_VOCABULARY or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"a vocabulary needs 1 to {_LARGEST_VOCABULARY} names, none of them empty")
        self.names = tuple(names)
        self.number = {name: number for number, name in enumerate(self.names)}
        if len(self.number) != len(self.names):
            raise ValueError("a vocabulary must have each name once")
        parts: dict[str, int] = {}
        rows = [
            [parts.setdefault(part, len(parts)) for part in (f"={name}", f"kind {kind(name)}", f"of {owner(name)}")]
            for name in self.names
        ]
        self.parts = torch.tensor(rows)
        self.size = len(parts)

    def __len__(self) -> int:
        return len(self.names)


class Network(nn.Module):
    """Network that predicts presence and position of every known name after an action."""

    def __init__(self, vocabulary: Vocabulary, shape: Shape) -> None:
        super().__init__()
        size, hidden, context = shape.embedding, shape.hidden, shape.context
        self.register_buffer("parts", vocabulary.parts, persistent=False)
        self.embedding = nn.EmbeddingBag(vocabulary.size, size, mode="sum")
        self.seen = nn.Linear(size + _FLAGS, context)
        self.context = nn.Sequential(
            nn.Linear(context + 2 * size + len(VERBS) + 3 + 1, context),
            nn.ReLU(),
            nn.Linear(context, context),
            nn.ReLU(),
        )
        self.motion = nn.Linear(context, 6)
        self.to_name = nn.Linear(context, size)
        self.of_context = nn.Linear(context, hidden)
        self.of_object = nn.Linear(2 * size + _FLAGS, hidden)
        self.last = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4))
        nn.init.zeros_(self.motion.weight)
        with torch.no_grad():
            self.motion.bias.copy_(torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]))

    def forward(self, objects: Tensor, verbs: Tensor, driver: Tensor) -> tuple[Tensor, Tensor]:
        """Predict presence and position of every name.

        Args:
            objects: Shape (batch, names, 11): the features of each name, from ``encode``.
            verbs: Shape (batch, 6), one-hot.
            driver: Shape (batch, 1), tanh of d.

        Returns:
            Logits of presence, shape (batch, names), and positions x, y, z in units of 5 m, shape (batch, names, 3).
        """
        names = self.embedding(self.parts)
        every = names.expand(len(objects), -1, -1)
        known = objects.abs().amax(2, keepdim=True).clamp(max=1.0)
        scene = (torch.relu(self.seen(torch.cat((every, objects), 2))) * known).sum(1) / 8
        first, second = objects[..., 9], objects[..., 10]
        target = torch.where(second.sum(1, keepdim=True) > 0, second, first)
        where = torch.einsum("bv,bvc->bc", target, objects[..., 1:4])
        action = torch.cat((first @ names, second @ names, verbs, where, driver), 1)
        context = self.context(torch.cat((scene, action), 1))
        agreement = every * self.to_name(context)[:, None]
        hidden = self.of_object(torch.cat((every, agreement, objects), 2)) + self.of_context(context)[:, None]
        out = self.last(hidden)
        motion = self.motion(context)
        moved = torch.einsum("bij,bvj->bvi", motion[:, :4].view(-1, 2, 2), objects[..., 1:3]) + motion[:, None, 4:]
        stays = objects[..., :1]
        base = torch.cat((moved, objects[..., 3:4]), 2) * stays
        return out[..., 0], base + out[..., 1:]


Encoded = tuple[NDArray[np.float32], int, float]
"""Network input for a moment and an action: features of the names for ``Network.forward``, verb, and tanh(driver)."""


def encode(moment: Moment, action: str, table: NameTable, vocabulary: Vocabulary) -> Encoded:
    """Encode a moment and an action as network input; unknown names are left out.

    Raises:
        ValueError: for a text that is none of the six primitives.
    """
    objects = np.zeros((len(vocabulary), _FLAGS), dtype=np.float32)
    for column, field in ((0, moment.present), (4, moment.imagination)):
        rows, names = _known(field, table, vocabulary)
        objects[names, column] = 1.0
        objects[names, column + 1 : column + 4] = cartesian(field.positions)[rows] / _METRES
    for age, field in enumerate(reversed(moment.retention)):
        _, names = _known(field, table, vocabulary)
        objects[names, 8] += _FADING ** (age + 1)
    for column, name in zip((9, 10), named(action), strict=False):
        if (number := vocabulary.number.get(name)) is not None:
            objects[number, column] = 1.0
    primitive = Action(action).primitive
    # The network knows six verbs; a primitive of one's own is foreseen as a use.
    verb = VERBS.index(primitive if primitive in VERBS else Primitive.USE)
    return objects, verb, float(np.tanh(moment.driver))


def _known(field: Field, table: NameTable, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """Return the rows of a field whose names are known, and the numbers of these names."""
    numbers = [vocabulary.number.get(table.name(int(id))) for id in field.ids]
    pairs = [(row, number) for row, number in enumerate(numbers) if number is not None]
    return [row for row, _ in pairs], [number for _, number in pairs]


def named(action: str) -> tuple[str, ...]:
    """Return the objects that an action names, as fields name them: a place to go to is its door.

    Raises:
        ValueError: for a text that is none of the six primitives.
    """
    read = Action(action)
    if read.primitive is Primitive.GO_TO:
        return (f"door to {read.target}",)
    return (read.target,) if read.item is None else (read.item, read.target)


class LearnedProtention:
    """A ``Forecaster`` whose network is loaded from a file.

    Attributes:
        name: ``"learned:FILE"``.
        vocabulary: The known names.
        network: The network; about a millisecond per action on one thread.
    """

    def __init__(self, name: str, vocabulary: Vocabulary, shape: Shape) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self.shape = shape
        self.network = Network(vocabulary, shape)

    def forecast(self, moment: Moment, actions: Sequence[str], table: NameTable) -> list[Field | None]:
        """Predict a field for every action, as ``Forecaster.forecast``; never None."""
        if not actions:
            return []
        present, positions = self.predict([encode(moment, action, table, self.vocabulary) for action in actions])
        fields: list[Field | None] = []
        for probabilities, points in zip(present, positions, strict=True):
            order = np.argsort(-probabilities, kind="stable")
            there = order[probabilities[order] >= THERE]
            ids = table.ids(self.vocabulary.names[number] for number in there)
            fields.append(Field(ids, spherical(points[there])))
        return fields

    def predict(self, encoded: Sequence[Encoded]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return probabilities of presence, shape (n, names), and positions x, y, z in metres, shape (n, names, 3)."""
        self.network.eval()
        with torch.inference_mode():
            logits, points = self.network(*batch(encoded))
        return torch.sigmoid(logits.double()).numpy(), points.double().numpy() * _METRES

    def save(self, path: str | Path) -> None:
        """Write the network and its vocabulary to a safetensors file."""
        header = {
            "format": FORMAT,
            "version": str(VERSION),
            "names": json.dumps(self.vocabulary.names, ensure_ascii=False),
            "shape": json.dumps(asdict(self.shape)),
        }
        save_file({name: value.contiguous() for name, value in self.network.state_dict().items()}, str(path), header)

    @classmethod
    def load(cls, path: str | Path) -> LearnedProtention:
        """Read a file written by ``save``.

        Raises:
            FileNotFoundError: if there is no such file.
            ValueError: if it is not such a file, of another version, or damaged; the message says which.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"no learned protention at {path}; examples/train_protention.py makes one")
        where = f"the learned protention {path}"
        try:
            with safe_open(str(path), framework="pt") as file:
                header = file.metadata() or {}
                weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)
        except SafetensorError as error:
            raise ValueError(f"{where} is no safetensors file: {error}") from None
        if header.get("format") != FORMAT:
            raise ValueError(f"{where} must have the format {FORMAT!r}, got {header.get('format')!r}")
        if header.get("version") != str(VERSION):
            raise ValueError(f"{where} must be of version {VERSION}, got {header.get('version')!r}; train it again")
        try:
            learned = cls(
                f"learned:{path}", Vocabulary(json.loads(header["names"])), Shape(**json.loads(header["shape"]))
            )
            if bad := [name for name, value in weights.items() if not bool(torch.isfinite(value).all())]:
                raise ValueError(f"{bad[0]} has values that are not finite")
            learned.network.load_state_dict(weights)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"{where} is damaged: {error}") from None
        return learned


def batch(encoded: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """Stack encoded moments and actions as tensors for ``Network.forward``."""
    objects = torch.from_numpy(np.stack([one[0] for one in encoded]))
    verbs = nn.functional.one_hot(torch.tensor([one[1] for one in encoded]), len(VERBS)).float()
    return objects, verbs, torch.tensor([[one[2]] for one in encoded], dtype=torch.float32)
