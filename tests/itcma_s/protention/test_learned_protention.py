import math

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file
from scenes import EMBEDDER

from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.learned_protention import LearnedProtention, Shape, Vocabulary, batch, encode, named

TABLE = NameTable(EMBEDDER)
NAMES = ("LL", "SG", "bed 1", "book 1", "door to LL's Home", "door to outside", "table 1")
SMALL = Shape(embedding=4, hidden=8, context=8)
LEVEL = math.pi / 2


def field(**positions):
    names = [name.replace("_", " ") for name in positions]
    return Field(TABLE.ids(names), np.array(list(positions.values())))


HERE = field(table_1=(LEVEL, 0, 2), book_1=(LEVEL, 0, 2), LL=(LEVEL, 1, 1))


def moment(present=HERE, **more):
    return Moment(**{"retention": (), "present": present, "imagination": present, "driver": 0.0, **more})


def network(names=NAMES):
    torch.manual_seed(0)
    return LearnedProtention("learned", Vocabulary(names), SMALL)


def test_what_the_network_sees_by_hand():
    vocabulary = Vocabulary(NAMES)
    past = field(book_1=(LEVEL, 0, 0), bed_1=(LEVEL, 0, 3))
    one = moment(retention=(past, past), imagination=field(book_1=(LEVEL, LEVEL, 5)), driver=-0.5)
    objects, verb, driver = encode(one, "put book 1 in/on table 1", TABLE, vocabulary)
    assert (verb, driver) == (4, pytest.approx(math.tanh(-0.5)))
    book = objects[vocabulary.number["book 1"]]
    # present, 2 m ahead in units of 5 m; imagined 5 m to the left; retained one and two steps ago; named first
    np.testing.assert_allclose(book, [1, 0.4, 0, 0, 1, 0, 1, 0, 0.75, 1, 0], atol=1e-6)
    np.testing.assert_allclose(objects[vocabulary.number["table 1"]], [1, 0.4, 0, 0, 0, 0, 0, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(objects[vocabulary.number["bed 1"]], [0] * 8 + [0.75, 0, 0])
    assert not objects[vocabulary.number["SG"]].any()


@pytest.mark.parametrize(
    ("action", "names"),
    [
        ("go to LL's Home", ("door to LL's Home",)),
        ("use bed 1", ("bed 1",)),
        ("leave LL", ("LL",)),
        ("take book 1 from table 1", ("book 1", "table 1")),
        ("chat with LL: ...", ("LL",)),
    ],
)
def test_what_an_action_names(action, names):
    assert named(action) == names


def test_no_action_and_names_that_are_not_known():
    assert network().forecast(moment(), [], TABLE) == []
    with pytest.raises(ValueError, match="none of the six actions"):
        network().forecast(moment(), ["dance"], TABLE)
    strange = field(dragon_1=(LEVEL, 0, 2), book_1=(LEVEL, 0, 2))
    known = field(book_1=(LEVEL, 0, 2))
    vocabulary = Vocabulary(NAMES)
    with_it, without = (encode(moment(one), "use dragon 1", TABLE, vocabulary)[0] for one in (strange, known))
    np.testing.assert_array_equal(with_it, without)
    assert set(network().forecast(moment(strange), ["use bed 1"], TABLE)[0].names(TABLE)) <= set(NAMES)


def test_it_learns_what_follows_and_says_the_surest_first(tmp_path):
    learned = network()
    after = field(LL=(LEVEL, 0, 1), door_to_outside=(LEVEL, LEVEL, 4))
    vocabulary = learned.vocabulary
    present = torch.zeros(2, len(NAMES))
    positions = torch.zeros(2, len(NAMES), 3)
    for name, point in (("LL", (0.2, 0, 0)), ("door to outside", (0, 0.8, 0))):
        present[0, vocabulary.number[name]] = 1
        positions[0, vocabulary.number[name]] = torch.tensor(point)
    inputs = batch([encode(moment(), action, TABLE, vocabulary) for action in ("go to LL's Home", "use bed 1")])
    # By plain descent: the first optimizer of torch takes seconds to import.
    for _ in range(400):
        logits, points = learned.network(*inputs)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, present)
        loss = loss + ((points - positions).square().sum(2) * present).mean()
        weights = list(learned.network.parameters())
        with torch.no_grad():
            for weight, slope in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                weight -= 0.5 * slope
    there, nothing = learned.forecast(moment(), ["go to LL's Home", "use bed 1"], TABLE)
    assert len(nothing) == 0
    assert set(there.names(TABLE)) == set(after.names(TABLE))
    (probabilities, _), _ = learned.predict(
        [encode(moment(), a, TABLE, vocabulary) for a in ("go to LL's Home", "use bed 1")]
    )
    in_order = [probabilities[vocabulary.number[name]] for name in there.names(TABLE)]
    assert in_order == sorted(in_order, reverse=True)
    distances = dict(zip(there.names(TABLE), there.positions[:, 2], strict=True))
    assert distances == pytest.approx({"LL": 1.0, "door to outside": 4.0}, abs=0.4)

    learned.save(tmp_path / "it.safetensors")
    again = LearnedProtention.load(tmp_path / "it.safetensors")
    assert again.vocabulary.names == NAMES
    assert again.forecast(moment(), ["go to LL's Home", "use bed 1"], TABLE) == [there, nothing]


def test_the_observers_own_movement_carries_what_stays_along():
    learned = network()
    with torch.no_grad():
        learned.network.last[-1].weight.zero_()
        learned.network.last[-1].bias.zero_()
    inputs = batch([encode(moment(), "use bed 1", TABLE, learned.vocabulary)])
    with torch.inference_mode():
        _, points = learned.network(*inputs)
    # Untrained, the movement is none, and nothing is known of what is not there.
    np.testing.assert_allclose(points[0, learned.vocabulary.number["table 1"]], [0.4, 0, 0], atol=1e-6)
    np.testing.assert_allclose(points[0, learned.vocabulary.number["SG"]], [0, 0, 0])


def test_a_file_that_is_missing_strange_old_or_damaged_is_named(tmp_path):
    path = tmp_path / "it.safetensors"
    with pytest.raises(
        FileNotFoundError, match=r"no learned protention at .*it.safetensors; examples/train_protention"
    ):
        LearnedProtention.load(path)
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(ValueError, match="is no safetensors file"):
        LearnedProtention.load(path)
    network().save(path)
    weights, header = load_file(path), {"format": "irollan protention", "version": "1"}
    names, shape = '["LL", "SG"]', '{"embedding": 4, "hidden": 8, "context": 8}'
    for wrong, complaint in (
        ({"format": "other"}, "must have the format 'irollan protention', got 'other'"),
        ({"version": "0"}, "must be of version 1, got '0'; train it again"),
        ({}, "is damaged: 'names'"),
        ({"names": '["LL", "LL"]', "shape": shape}, "is damaged: a vocabulary must have each name once"),
        ({"names": names, "shape": shape}, "is damaged: Error"),
        (
            {"names": names, "shape": '{"embedding": 1e9, "hidden": 8, "context": 8}'},
            "embedding of the network must be",
        ),
    ):
        save_file(weights, path, {**header, **wrong})
        with pytest.raises(ValueError, match=complaint):
            LearnedProtention.load(path)
    learned = network()
    with torch.no_grad():
        learned.network.motion.bias[0] = math.nan
    learned.save(path)
    with pytest.raises(ValueError, match=r"is damaged: motion.bias has values that are not finite"):
        LearnedProtention.load(path)
