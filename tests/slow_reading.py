"""The model read a second time, slowly: plain Python loops over lists, straight from the equations.

Nothing here knows numpy or the package.  The result maps the dotted name of each array to nested lists, under the
names that the run's records use, so that a comparison can be complete.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict

Row = list[float]
Matrix = list[Row]
Arrays = dict[str, Any]


class SlowHead(TypedDict):
    wq: Matrix
    wk: Matrix
    wv: Matrix


class SlowBlock(TypedDict):
    heads: list[SlowHead]
    wo: Matrix
    w1: Matrix
    b1: Row
    w2: Matrix
    b2: Row


class SlowModel(TypedDict):
    vocabulary: list[str]
    embedding: Matrix
    blocks: list[SlowBlock]


def read_slowly(model: SlowModel, prompt: Sequence[str], target: str) -> Arrays:
    """Return every array of the forward pass, the loss, and the step on the logits."""
    arrays: Arrays = {}
    table = model["embedding"]
    width = len(table[0])

    # 1: ids; rows of E; sinusoids; their sum
    lookup = [list(table[model["vocabulary"].index(word)]) for word in prompt]
    waves = [[wave(position, dimension, width) for dimension in range(width)] for position in range(len(prompt))]
    stream = add(lookup, waves)
    arrays |= {"embed.lookup": lookup, "embed.waves": waves, "embed.x": stream}

    for number, block in enumerate(model["blocks"]):
        stream = attend_slowly(arrays, f"blocks.{number}.attention", stream, block)
        stream = feed_forward_slowly(arrays, f"blocks.{number}.ffn", stream, block)

    # 4: the final norm on the last position only; logits by E transposed; softmax
    (z,) = norm(arrays, "logits.norm", [stream[-1]])
    logits = [dot(z, row) for row in table]
    arrays |= {"logits.z": z, "logits.logits": logits}
    p = softmax(arrays, "logits.softmax", logits)

    # 5: cross-entropy in nats; its gradient; one step of 0.5; the loss again
    chosen = model["vocabulary"].index(target)
    before = -math.log(p[chosen])
    gradient = [p[i] - (1.0 if i == chosen else 0.0) for i in range(len(p))]
    moved = [logit - 0.5 * slope for logit, slope in zip(logits, gradient, strict=True)]
    after = -math.log(softmax(arrays, "loss.softmax_after", moved)[chosen])
    arrays |= {
        "loss.before": before,
        "loss.gradient": gradient,
        "loss.logits_after": moved,
        "loss.after": after,
        "loss.improvement": before - after,
    }
    return arrays


def attend_slowly(arrays: Arrays, path: str, stream: Matrix, block: SlowBlock) -> Matrix:
    """Equation 2: pre-norm, heads, output projection, residual add."""
    normed = norm(arrays, f"{path}.norm", stream)
    scale = math.sqrt(len(block["heads"][0]["wq"][0]))
    joined: Matrix = [[] for _ in stream]
    for number, head in enumerate(block["heads"]):
        own = f"{path}.heads.{number}"
        q, k, v = (times(normed, head["wq"]), times(normed, head["wk"]), times(normed, head["wv"]))
        scores = [[dot(query, key) / scale for key in k] for query in q]
        masked = [[s if j <= i else -math.inf for j, s in enumerate(row)] for i, row in enumerate(scores)]
        weights = softmax_rows(arrays, f"{own}.softmax", masked)
        output = times(weights, v)
        arrays |= {
            f"{own}.q": q,
            f"{own}.k": k,
            f"{own}.v": v,
            f"{own}.scores": scores,
            f"{own}.masked": masked,
            f"{own}.output": output,
        }
        joined = [left + right for left, right in zip(joined, output, strict=True)]
    projected = times(joined, block["wo"])
    residual = add(stream, projected)
    arrays |= {
        f"{path}.scale": scale,
        f"{path}.joined": joined,
        f"{path}.projected": projected,
        f"{path}.residual": residual,
    }
    return residual


def feed_forward_slowly(arrays: Arrays, path: str, stream: Matrix, block: SlowBlock) -> Matrix:
    """Equation 3: pre-norm; ReLU(n W1 + b1) W2 + b2; residual add."""
    normed = norm(arrays, f"{path}.norm", stream)
    pre = add(times(normed, block["w1"]), [block["b1"]] * len(normed))
    hidden = [[u if u > 0 else 0.0 for u in row] for row in pre]
    output = add(times(hidden, block["w2"]), [block["b2"]] * len(normed))
    residual = add(stream, output)
    arrays |= {
        f"{path}.pre": pre,
        f"{path}.hidden": hidden,
        f"{path}.output": output,
        f"{path}.residual": residual,
    }
    return residual


def wave(position: int, dimension: int, width: int) -> float:
    """Return sin(p / 10000^(2i/d)) in dimension 2i, the cosine of the same angle in dimension 2i + 1."""
    i = dimension // 2
    angle = position / 10000 ** (2 * i / width)
    return math.sin(angle) if dimension == 2 * i else math.cos(angle)


def norm(arrays: Arrays, path: str, rows: Matrix) -> Matrix:
    """Norm each row: population variance, 1e-5 inside the root, no gain or bias."""
    means, variances, denominators = [], [], []
    output: Matrix = []
    for row in rows:
        mean = math.fsum(row) / len(row)
        variance = math.fsum((x - mean) * (x - mean) for x in row) / len(row)
        denominator = math.sqrt(variance + 1e-5)
        means.append([mean])
        variances.append([variance])
        denominators.append([denominator])
        output.append([(x - mean) / denominator for x in row])
    arrays |= {
        f"{path}.mean": means,
        f"{path}.variance": variances,
        f"{path}.denominator": denominators,
        f"{path}.output": output,
    }
    return output


def softmax(arrays: Arrays, path: str, row: Row) -> Row:
    """Softmax of one row, its maximum subtracted first."""
    inner: Arrays = {}
    (weights,) = softmax_rows(inner, path, [row])
    arrays |= {name: value[0] for name, value in inner.items()}
    return weights


def softmax_rows(arrays: Arrays, path: str, rows: Matrix) -> Matrix:
    """Softmax of each row, its maximum subtracted first."""
    maxima = [[max(row)] for row in rows]
    shifted = [[x - top for x in row] for row, (top,) in zip(rows, maxima, strict=True)]
    exponentials = [[math.exp(x) for x in row] for row in shifted]
    totals = [[math.fsum(row)] for row in exponentials]
    weights = [[x / total for x in row] for row, (total,) in zip(exponentials, totals, strict=True)]
    arrays |= {
        f"{path}.maximum": maxima,
        f"{path}.shifted": shifted,
        f"{path}.exponentials": exponentials,
        f"{path}.total": totals,
        f"{path}.weights": weights,
    }
    return weights


def dot(left: Row, right: Row) -> float:
    """Return the dot product of two rows."""
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def times(left: Matrix, right: Matrix) -> Matrix:
    """Return the matrix product."""
    return [[dot(row, [line[j] for line in right]) for j in range(len(right[0]))] for row in left]


def add(left: Matrix, right: Matrix) -> Matrix:
    """Return the sum, entry by entry."""
    return [[a + b for a, b in zip(one, other, strict=True)] for one, other in zip(left, right, strict=True)]


def count_slowly(
    vocabulary: int, width: int, layers: int, heads: int, head_width: int, hidden: int, context: int
) -> dict[str, int]:
    """Count parameters by listing the shape of every array there is, layer by layer, and adding them up.

    Learned positions, biases of attention, gain and bias of each norm belong to the exact count only.
    """
    shapes: dict[str, list[tuple[int, ...]]] = {
        part: [] for part in ("embedding", "attention", "feed_forward", "positions", "attention_biases", "norms")
    }
    shapes["embedding"].append((vocabulary, width))
    shapes["positions"].append((context, width))
    for _ in range(layers):
        for _ in range(heads):
            shapes["attention"] += [(width, head_width)] * 3
            shapes["attention_biases"] += [(head_width,)] * 3
        shapes["attention"].append((heads * head_width, width))
        shapes["attention_biases"].append((width,))
        shapes["feed_forward"] += [(width, hidden), (hidden,), (hidden, width), (width,)]
        shapes["norms"] += [(width,)] * 4  # two norms, a gain and a bias each
    shapes["norms"] += [(width,)] * 2  # the final norm
    counts = {part: sum(map(math.prod, own)) for part, own in shapes.items()}
    counts["simple"] = counts["embedding"] + counts["attention"] + counts["feed_forward"]
    counts["exact"] = sum(map(math.prod, (shape for own in shapes.values() for shape in own)))
    return counts
