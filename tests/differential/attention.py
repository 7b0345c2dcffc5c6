# SPDX-License-Identifier: Apache-2.0
"""Entries of attention and what goes with it."""

from onnx import TensorProto as TP

from draw import Case
from entries import close, entry, loose

HALVES = [TP.FLOAT, TP.FLOAT16, TP.DOUBLE]


def attending(d):
    """Attention: rank 4, or rank 3 with numbers of heads; grouped heads, masks, a cache."""
    batch, kv_heads = d.int(1, 2), d.int(1, 2)
    heads = kv_heads * d.pick([1, 1, 2, 3])
    n_q, n_kv, size, v_size = d.int(1, 5), d.int(1, 6), d.pick([1, 2, 4, 8, 9]), d.pick([1, 4, 8])
    number = d.type("T1", HALVES)
    d.types["T2"] = number
    past = d.int(1, 3) if d.chance(0.3) else 0

    def t(*shape):
        return d.values(shape, number)

    if d.chance(0.5):
        q, k, v = (batch, heads, n_q, size), (batch, kv_heads, n_kv, size), (batch, kv_heads, n_kv, v_size)
        attributes = {}
    else:
        q, k, v = (batch, n_q, heads * size), (batch, n_kv, kv_heads * size), (batch, n_kv, kv_heads * v_size)
        attributes = {"q_num_heads": heads, "kv_num_heads": kv_heads}
    total = past + n_kv
    mask = None
    if d.chance(0.5):
        shape = d.pick([(n_q, total), (1, 1, n_q, total), (batch, heads, n_q, total), (batch, 1, n_q, total)])
        mask = d.values(shape, TP.BOOL) if d.chance(0.4) else t(*shape)
        if mask.number == TP.BOOL:
            mask.values[..., 0] = True
        d.types["U"] = mask.number
    cache = [t(batch, kv_heads, past, size), t(batch, kv_heads, past, v_size)] if past else [None, None]
    attributes |= {
        "is_causal": d.pick([None, 0, 1]),
        "scale": d.maybe(d.real(0.1, 1), 0.4),
        "softcap": d.maybe(d.real(1, 5), 0.3),
        "qk_matmul_output_mode": d.pick([None, 0, 1, 2, 3]),
    }
    n_out = d.pick([1, 3, 4]) if past else d.pick([1, 1, 4])
    return Case([t(*q), t(*k), t(*v), mask, *cache], attributes, n_out)


def rotating(d):
    batch, heads, length = d.int(1, 2), d.int(1, 3), d.int(1, 5)
    size = d.pick([2, 4, 8, 10])
    part = d.pick([None, 2]) if size > 2 else None
    half = (part or size) // 2
    number = d.type("T", HALVES)
    positions = d.int(length, 9)
    three = d.chance(0.5)
    x = d.values((batch, length, heads * size) if three else (batch, heads, length, size), number)
    attributes = {"interleaved": d.pick([None, 0, 1]), "rotary_embedding_dim": part}
    attributes["num_heads"] = heads if three else None
    if d.chance(0.6):
        ids = d.int64s(d.rng.integers(0, positions, (batch, length)))
        caches = [d.values((positions, half), number, low=-1, high=1) for _ in range(2)]
        return Case([x, *caches, ids], attributes)
    caches = [d.values((batch, length, half), number, low=-1, high=1) for _ in range(2)]
    return Case([x, *caches], attributes)


def many_heads(d):
    """com.microsoft MultiHeadAttention."""
    batch, heads, size = d.int(1, 2), d.int(1, 3), d.pick([2, 4, 8])
    n_q, n_kv = d.int(1, 4), d.int(1, 5)
    wide = heads * size
    q, k, v = (d.float32((batch, n, wide)) for n in (n_q, n_kv, n_kv))
    bias = d.maybe(d.float32((3 * wide,)), 0.4)
    added = d.maybe(d.float32((d.pick([1, batch]), d.pick([1, heads]), n_q, n_kv)), 0.4)
    attributes = {"num_heads": heads, "scale": d.maybe(d.real(0.1, 1), 0.3)}
    attributes["unidirectional"] = d.pick([None, 0]) if n_q != n_kv else d.pick([None, 0, 1])
    return Case([q, k, v, bias, None, added], attributes)


def gating(d):
    shape = d.shape(1, zero=0)
    return Case([d.tensor(shape), d.tensor(shape)], {"alpha": d.maybe(d.real(-1, 2))})


def remembering(d):
    """CausalConvWithState."""
    batch, channels, length, kernel = d.int(1, 2), d.int(1, 4), d.int(1, 6), d.int(1, 4)
    number = d.type("T", HALVES)

    def t(*shape):
        return d.values(shape, number)

    past = d.maybe(t(batch, channels, kernel - 1)) if kernel > 1 else None
    activation = d.pick([None, "none", "silu", "swish"])
    inputs = [t(batch, channels, length), t(channels, 1, kernel), d.maybe(t(channels)), past]
    return Case(inputs, {"activation": activation}, 2)


entry("Attention", attending, loose(2e-5), opsets=[23, 24])
entry("RotaryEmbedding", rotating, close(2e-6), opsets=[23, 24])
entry("SwiGLU", gating, close(5e-6), opsets=[28])
entry("CausalConvWithState", remembering, loose(1e-5), opsets=[27])
entry("MultiHeadAttention", many_heads, loose(2e-5), domain="com.microsoft", opsets=[1])

