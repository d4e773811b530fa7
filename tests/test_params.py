from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.strategies import random_model
from tinyxf.errors import InputError
from tinyxf.model import read_inputs
from tinyxf.params import Block, Model
from tinyxf.weights import PROMPT, TARGET, woodchuck


def with_block(**weights: Any) -> dict[str, Any]:
    return {"blocks": (replace(woodchuck().blocks[0], **weights),)}


def with_head(**weights: Any) -> dict[str, Any]:
    first, second = woodchuck().blocks[0].heads
    return with_block(heads=(first, replace(second, **weights)))


def poked(weight: np.ndarray[Any, Any], where: tuple[int, ...], value: float) -> np.ndarray[Any, Any]:
    other = weight.copy()
    other[where] = value
    return other


BLOCK = woodchuck().blocks[0]
HEAD = BLOCK.heads[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocabulary": ()}, "the vocabulary is empty, expected at least one word"),
        (
            {"vocabulary": ("a", "b", "a", "c", "d", "b", "a", "e")},
            "words must differ, found twice in the vocabulary: 'a', 'b'",
        ),
        ({"blocks": ()}, "expected at least one block, and one head in each"),
        (with_block(heads=()), "expected at least one block, and one head in each"),
        (
            {"blocks": (BLOCK, replace(BLOCK, heads=BLOCK.heads[:1], wo=BLOCK.wo[:2]))},
            "blocks have 2, 1 heads, expected the same number in all",
        ),
        # sizes
        ({"dimensions": ()}, "found 0 dimensions, expected at least 1"),
        (
            with_block(heads=(replace(HEAD, wq=np.zeros((4, 0))),)),
            "found 0 numbers in a head, expected at least 1",
        ),
        (with_block(w1=np.array(1.0)), "found 0 hidden units, expected at least 1"),
        # shapes
        ({"embedding": np.zeros((8, 3))}, "weight embedding has shape 8 x 3, expected 8 x 4 (V x D)"),
        ({"embedding": np.zeros((7, 4))}, "weight embedding has shape 7 x 4, expected 8 x 4 (V x D)"),
        ({"dimensions": ("thing",)}, "weight embedding has shape 8 x 4, expected 8 x 1 (V x D)"),
        (with_head(wq=np.zeros((4, 3))), "weight blocks.0.heads.1.wq has shape 4 x 3, expected 4 x 2 (D x K)"),
        (with_head(wk=np.zeros((2, 4))), "weight blocks.0.heads.1.wk has shape 2 x 4, expected 4 x 2 (D x K)"),
        (with_head(wv=np.zeros(4)), "weight blocks.0.heads.1.wv has shape 4, expected 4 x 2 (D x K)"),
        (with_block(wo=np.zeros((3, 4))), "weight blocks.0.wo has shape 3 x 4, expected 4 x 4 (H*K x D)"),
        (with_block(w1=np.zeros((8, 4))), "weight blocks.0.w1 has shape 8 x 4, expected 4 x 4 (D x F)"),
        (with_block(b1=np.zeros((1, 8))), "weight blocks.0.b1 has shape 1 x 8, expected 8 (F)"),
        (with_block(w2=np.zeros((4, 8))), "weight blocks.0.w2 has shape 4 x 8, expected 8 x 4 (F x D)"),
        (with_block(b2=np.array(0.0)), "weight blocks.0.b2 has shape of a single number, expected 4 (D)"),
        ({"blocks": (BLOCK, replace(BLOCK, b2=np.zeros(5)))}, "weight blocks.1.b2 has shape 5, expected 4 (D)"),
        # what is not finite
        (
            {"embedding": poked(woodchuck().embedding, (4, 3), np.nan)},
            "weight embedding holds nan at (4, 3), expected finite numbers",
        ),
        (
            with_head(wk=poked(HEAD.wk, (0, 1), -np.inf)),
            "weight blocks.0.heads.1.wk holds -inf at (0, 1), expected finite numbers",
        ),
        (
            with_block(b1=poked(BLOCK.b1, (7,), np.inf)),
            "weight blocks.0.b1 holds inf at (7,), expected finite numbers",
        ),
    ],
)
def test_a_model_that_does_not_fit_together_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        replace(woodchuck(), **change)
    assert str(error.value) == message


def test_sizes_are_read_off_the_weights() -> None:
    model = random_model(0, vocabulary=("a", "b", "c"), width=5, heads=3, head_width=2, hidden=7, blocks=2)
    assert (model.width, model.head_width, model.hidden) == (5, 2, 7)
    assert model.blocks[1].wo.shape == (6, 5)


def test_weights_may_be_whole_numbers() -> None:
    model = woodchuck()
    whole = replace(model, embedding=(2 * model.embedding).astype(np.int64))
    assert whole.embedding.dtype == np.int64


# -- prompt and target -----------------------------------------------------------------------------------------------

KNOWN = "Expected one of: a, chuck, how, much, wood, woodchuck, would, ."


@pytest.mark.parametrize(
    ("prompt", "target", "message"),
    [
        ((), "wood", "the prompt is empty, expected 1 to 16 tokens"),
        (("a",) * 17, "wood", "the prompt has 17 tokens, expected 1 to 16 tokens"),
        (("a", "wodchuck"), "wood", f'unknown token "wodchuck"; did you mean "woodchuck" or "chuck"? {KNOWN}'),
        (("a", "zebra", "quagga"), "wood", f'unknown token "zebra". unknown token "quagga". {KNOWN}'),
        (("A",), "wood", f'unknown token "A"; did you mean "a"? {KNOWN}'),
        (("a",), "wod", f'unknown target "wod"; did you mean "wood" or "would"? {KNOWN}'),
        (("a",), "", f'unknown target "". {KNOWN}'),
    ],
)
def test_a_prompt_or_target_that_the_model_cannot_take_is_refused(
    prompt: tuple[str, ...], target: str, message: str
) -> None:
    with pytest.raises(InputError) as error:
        read_inputs(woodchuck(), prompt, target)
    assert str(error.value) == message


@pytest.mark.parametrize(("count", "more"), [(20, ""), (23, " and 3 more")])
def test_a_large_vocabulary_is_not_listed_whole(count: int, more: str) -> None:
    words = tuple(f"w{i}" for i in range(count))
    model = random_model(0, vocabulary=words, width=2, heads=1, head_width=1, hidden=1, blocks=1)
    with pytest.raises(InputError) as error:
        read_inputs(model, ("zebra",), "w0")
    assert str(error.value) == f'unknown token "zebra". Expected one of: {", ".join(words[:20])}{more}'


def test_a_prompt_becomes_ids_positions_and_a_target() -> None:
    inputs = read_inputs(woodchuck(), ["would", "a", "would"], "a")
    assert (inputs.prompt, inputs.ids, inputs.target, inputs.target_id) == (
        ("would", "a", "would"),
        (6, 0, 6),
        "a",
        0,
    )
    assert inputs.positions.tolist() == [0.0, 1.0, 2.0]
    assert inputs.one_hot.tolist() == [1.0, 0, 0, 0, 0, 0, 0, 0]
    assert [array.item() for array in (inputs.base, inputs.eps, inputs.rate, inputs.head_width)] == [
        10000,
        1e-5,
        0.5,
        2,
    ]


def test_a_prompt_may_have_one_token_or_sixteen() -> None:
    for count in (1, 16):
        assert len(read_inputs(woodchuck(), ("a",) * count, TARGET).ids) == count


def test_sizes_start_with_this_model() -> None:
    sizes = read_inputs(woodchuck(), PROMPT, TARGET).sizes
    own = [getattr(sizes, name)[0] for name in sizes.__slots__]
    assert own == [8, 4, 1, 2, 4, 8, 0]  # V, d, L, H, H K, f, n_ctx
    # Radford et al. 2019, table 2; Brown et al. 2020, table 2.1
    assert sizes.layers.tolist() == [1, 12, 24, 36, 48, 96]
    assert sizes.width.tolist() == [4, 768, 1024, 1280, 1600, 12288]
    assert sizes.heads.tolist() == [2, 12, 16, 20, 25, 96]
    assert (sizes.hidden[1:] == 4 * sizes.width[1:]).all()


def test_records_are_frozen() -> None:
    model: Model = woodchuck()
    block: Block = model.blocks[0]
    with pytest.raises(AttributeError):
        model.name = "other"  # type: ignore[misc]  # what must not work
    with pytest.raises(AttributeError):
        block.wo = model.embedding  # type: ignore[misc]  # the same
