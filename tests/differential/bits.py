# SPDX-License-Identifier: Apache-2.0
"""Entries of com.microsoft's operators on weights of 2, 4 and 8 bits: products, tables, experts.

ONNX Runtime rounds activations to 8 bits in some of them, which its own documentation leaves to
accuracy_level. The answers in NumPy here keep the real numbers."""

import numpy as np
from onnx import TensorProto as TP

import engines
from draw import NUMPY, Case, Operand, reals
from entries import close, entry, loose
from networks import recurring
from quantized import BYTES, byte, scale, zero

MS = {"domain": "com.microsoft", "opsets": [1]}
HALVES = [TP.FLOAT, TP.FLOAT, TP.FLOAT16]


def ceil_div(a, b):
    return -(-a // b)


def unpacked(packed, bits, n):
    """n numbers of each row of bytes, the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    numbers = (packed[..., None] >> shifts) & ((1 << bits) - 1)
    return numbers.reshape(*packed.shape[:-1], -1)[..., :n].astype(np.float64)


def octets(d, shape):
    return d.values(shape, TP.UINT8, low=0, high=255)


# ---- products and tables ----


def few_bit_product(d):
    """MatMulNBits: each column of W is blocks along K, with a scale and a zero point each."""
    bits, block = d.pick([4, 4, 8, 2]), d.pick([16, 16, 32, 64])
    k, n, m = d.pick([1, 15, 16, 32, 40, 70, 130]), d.pick([1, 2, 5, 8, 17, 33]), d.pick([1, 1, 2, 3, 5, 9])
    blocks, number = ceil_div(k, block), d.pick(HALVES)
    a = d.values((*d.pick([(), (), (2,)]), m, k), number)
    w = octets(d, (n, blocks, block * bits // 8))
    s = d.values(d.pick([(n, blocks), (n * blocks,)]), number, low=0.01, high=0.2)
    kind = d.pick([None, "packed", "packed", "real"])
    z = None
    if kind == "packed":
        z = octets(d, (n, ceil_div(blocks * bits, 8)))
    if kind == "real":
        z = d.values((n, blocks), number, low=0, high=(1 << bits) - 1)
    places = d.values((k,), TP.INT32, low=0, high=blocks - 1) if d.chance(0.12) else None
    bias = d.maybe(d.values((n,), number))
    attributes = {"N": n, "K": k, "block_size": block, "bits": bits if bits != 4 or d.chance(0.5) else None}
    attributes["accuracy_level"] = d.pick([None, 0, 1, 4])

    def answer():
        q = unpacked(w.values.reshape(n, -1), bits, blocks * block)[:, :k]
        at = np.arange(k) // block if places is None else places.values
        zeros = np.full((n, blocks), float(1 << (bits - 1)))
        if kind == "packed":
            zeros = unpacked(z.values, bits, blocks)
        if kind == "real":
            zeros = reals(z)
        wide = (q - zeros[:, at]) * reals(s).reshape(n, blocks)[:, at]
        y = reals(a) @ wide.T + (0 if bias is None else reals(bias))
        return y.astype(a.values.dtype)

    return Case([a, w, s, z, places, bias], attributes, numpy=answer)


def few_bit_rows(d):
    """GatherBlockQuantized of bytes, which hold numbers packed along the last axis."""
    bits, block = d.pick([4, 4, 8]), d.pick([16, 16, 32])
    rows, width, number = d.int(1, 6), d.pick([16, 32, 48, 64]), d.pick(HALVES)
    lead = d.shape(0, 1, zero=0, most=3)
    blocks = ceil_div(width, block)
    data = octets(d, (rows, *lead, width * bits // 8))
    s = d.values((rows, *lead, blocks), number, low=0.01, high=0.2)
    z = d.maybe(octets(d, (rows, *lead, ceil_div(blocks * bits, 8))))
    found = d.values(d.shape(0, 2, most=8), d.pick([TP.INT32, TP.INT64]), low=-rows, high=rows - 1)
    attributes = {"block_size": block, "bits": bits, "gather_axis": 0}
    attributes["quantize_axis"] = d.pick([-1, len(lead) + 1])

    def answer():
        zeros = np.full(s.shape, float(1 << (bits - 1)))
        if z is not None:
            zeros = unpacked(z.values, bits, blocks)
        at = np.arange(width) // block
        wide = (unpacked(data.values, bits, width) - zeros[..., at]) * reals(s)[..., at]
        return wide[found.values].astype(s.values.dtype)

    return Case([data, found, s, z], attributes, numpy=answer)


entry("MatMulNBits", few_bit_product, loose(2e-5), **MS)
entry("GatherBlockQuantized", few_bit_rows, close(1e-6), **MS)


# ---- mixtures of experts ----


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


PLAIN = {
    "relu": lambda h: np.maximum(h, 0),
    "gelu": gelu,
    "silu": lambda h: h * sigmoid(h),
    "identity": lambda h: h,
}


def gated(h, linear, attributes):
    """SwiGLU as com.microsoft has it: limits on both halves, beta beside the linear one."""
    limit = attributes.get("swiglu_limit") or np.inf
    h, linear = np.minimum(h, limit), np.clip(linear, -limit, limit)
    return h * sigmoid((attributes.get("activation_alpha") or 1) * h) * (
        linear + (attributes.get("activation_beta") or 0)
    )


def mixed(x, router, matrices, attributes, mix=None):
    """x [tokens, hidden]; matrices: (W [experts, out, in], bias or None) of the two products. mix:
    weights of the experts in place of the softmax of router."""
    (w1, b1), (w2, b2) = matrices
    y = np.zeros((len(x), w2.shape[1]))
    for t, row in enumerate(x):
        chosen = np.argsort(-router[t], kind="stable")[: attributes["k"]]
        odds = np.exp(router[t] - router[t].max()) if mix is None else mix[t]
        if attributes.get("normalize_routing_weights"):
            odds = odds / odds[chosen].sum()
        elif mix is None:
            odds = odds / odds.sum()
        for e in chosen:
            h = w1[e] @ row + (0 if b1 is None else b1[e])
            if attributes["activation_type"] == "swiglu":
                h = gated(h[0::2], h[1::2], attributes)
            else:
                h = PLAIN[attributes["activation_type"]](h)
            y[t] += odds[e] * (w2[e] @ h + (0 if b2 is None else b2[e]))
    return y


def expert_options(d, experts):
    act = d.pick([*PLAIN, "swiglu"])
    attributes = {"k": d.int(1, min(3, experts)), "activation_type": act}
    attributes["normalize_routing_weights"] = d.pick([None, 0, 1])
    if act == "swiglu":
        attributes |= {"swiglu_fusion": 1, "activation_alpha": d.maybe(d.real(0.5, 2))}
        attributes |= {"activation_beta": d.maybe(d.real(0, 1)), "swiglu_limit": d.maybe(d.real(0.5, 7))}
    return attributes


def tokens(d, hidden, experts, number):
    lead = (d.int(1, 6),) if d.chance(0.6) else (d.int(1, 2), d.int(1, 4))
    return d.values((*lead, hidden), number), d.values((int(np.prod(lead)), experts), number)


def experts_of(d):
    """MoE."""
    experts, hidden, inter, number = d.int(1, 5), d.pick([4, 8, 16]), d.pick([4, 8, 12]), d.pick(HALVES)
    attributes = expert_options(d, experts)
    wide = 2 * inter if attributes["activation_type"] == "swiglu" else inter
    x, router = tokens(d, hidden, experts, number)
    w1, w2 = d.values((experts, wide, hidden), number), d.values((experts, hidden, inter), number)
    b1, b2 = d.maybe(d.values((experts, wide), number)), d.maybe(d.values((experts, hidden), number))
    operands = [(reals(w), b and reals(b)) for w, b in ((w1, b1), (w2, b2))]

    def answer():
        y = mixed(reals(x).reshape(-1, hidden), reals(router), operands, attributes)
        return y.reshape(x.shape).astype(x.values.dtype)

    return Case([x, router, w1, b1, w2, b2], attributes, numpy=answer)


def few_bit_matrix(d, experts, rows, columns, bits, block, number):
    """(weights, scales, zero points or None, real numbers)"""
    w = octets(d, (experts, rows, columns * bits // 8))
    blocks = columns // block if block else 1
    s = d.values((experts, rows, blocks) if block else (experts, rows), number, low=0.005, high=0.03)
    z = None
    if d.chance(0.4):
        packed = ceil_div(blocks * bits, 8) if block else ceil_div(rows * bits, 8)
        z = octets(d, (experts, rows, packed) if block else (experts, packed))
    zeros = np.full((experts, rows, blocks), float(1 << (bits - 1)))
    if z is not None:
        zeros = unpacked(z.values, bits, blocks if block else rows).reshape(experts, rows, blocks)
    at = np.arange(columns) // block if block else np.zeros(columns, int)
    q = unpacked(w.values, bits, columns)
    return w, s, z, (q - zeros[..., at]) * reals(s).reshape(experts, rows, blocks)[..., at]


def few_bit_experts(d):
    """QMoE."""
    experts, hidden, inter, number = d.int(1, 4), d.pick([16, 32, 64]), d.pick([16, 32]), d.pick(HALVES)
    bits, block = d.pick([4, 4, 8, 2]), d.pick([None, None, 16])
    attributes = expert_options(d, experts)
    if attributes["activation_type"] not in ("swiglu", "silu"):
        attributes["activation_type"] = d.pick(["silu", "relu", "identity", "gelu"])
    wide = 2 * inter if attributes["activation_type"] == "swiglu" else inter
    x, router = tokens(d, hidden, experts, number)
    w1, s1, z1, r1 = few_bit_matrix(d, experts, wide, hidden, bits, block, number)
    w2, s2, z2, r2 = few_bit_matrix(d, experts, hidden, inter, bits, block, number)
    b1, b2 = d.maybe(d.values((experts, wide), number)), d.maybe(d.values((experts, hidden), number))
    attributes |= {"expert_weight_bits": bits, "block_size": block}
    mix = d.maybe(d.values(router.shape, number, low=0.05, high=1), 0.2)

    def answer():
        operands = [(r1, b1 and reals(b1)), (r2, b2 and reals(b2))]
        rows = reals(x).reshape(-1, hidden)
        y = mixed(rows, reals(router), operands, attributes, mix and reals(mix))
        return y.reshape(x.shape).astype(x.values.dtype)

    inputs = [x, router, w1, s1, b1, w2, s2, b2, None, None, None, z1, z2, None, mix]
    return Case(inputs, attributes, numpy=answer)


entry("MoE", experts_of, loose(5e-5), **MS)
entry("QMoE", few_bit_experts, loose(5e-5), **MS)


# ---- embeddings ----


def embedding(d):
    """EmbedLayerNormalization, QEmbedLayerNormalization."""
    is_quantized = d.operator.startswith("Q")
    batch, length, hidden = d.int(1, 3), d.int(1, 5), d.pick([1, 3, 4, 8, 17])
    words, kinds = d.int(1, 9), d.int(1, 3)
    number = TP.FLOAT if is_quantized else d.pick(HALVES)
    has_segments = d.chance(0.6)

    def ids(most):
        return d.values((batch, length), TP.INT32, low=0, high=most - 1)

    code = d.pick(BYTES)
    shapes = [(words, hidden), (length + d.int(0, 2), hidden), (kinds, hidden), (hidden,), (hidden,)]
    tables = [byte(d, s, code) if is_quantized else d.values(s, number) for s in shapes]
    mask = d.maybe(ids(2))
    if not has_segments:
        tables[2] = None
    inputs = [ids(words), ids(kinds) if has_segments else None, *tables, mask]
    if is_quantized:
        inputs += [None if t is None else scale(d) for t in tables]
        inputs += [None if t is None else zero(d, code) for t in tables]
    elif d.chance(0.4):
        order = np.stack([d.rng.permutation(length) for _ in range(batch)])
        inputs.append(Operand(order.astype(np.int32), TP.INT32))
    epsilon, n_out = d.maybe(d.real(1e-6, 0.1)), d.int(1, 2) if is_quantized else d.int(1, 3)

    def answer():
        real = [reals(t) if t else None for t in tables]
        if is_quantized:
            points = zip(real, inputs[8:13], inputs[13:18])
            real = [None if t is None else (t - int(z.values)) * float(s.values) for t, s, z in points]
        order = np.arange(length) if is_quantized or len(inputs) < 9 else inputs[8].values
        whole = real[0][inputs[0].values] + real[1][order]
        whole = whole + (real[2][inputs[1].values] if has_segments else 0)
        off = whole - whole.mean(-1, keepdims=True)
        spread = np.sqrt((off**2).mean(-1, keepdims=True) + (1e-12 if epsilon is None else epsilon))
        ones = np.zeros(batch, np.int32) if mask is None else mask.values.sum(1).astype(np.int32)
        kind = NUMPY[number]
        return ((off / spread * real[3] + real[4]).astype(kind), ones, whole.astype(kind))[:n_out]

    return Case(inputs, {"epsilon": epsilon}, n_out, numpy=answer)


entry("EmbedLayerNormalization QEmbedLayerNormalization", embedding, loose(5e-5), **MS)


# ---- recurrent ----


def few_bit_recurrence(d):
    """DynamicQuantizeLSTM: what LSTM gives on the real values of its weights, which stand turned."""
    d.types["T"] = TP.FLOAT
    case = recurring(4, 3, True)(d)
    case.attributes = {k: v for k, v in case.attributes.items() if k in ("hidden_size", "direction")}
    case.inputs += [None] * (8 - len(case.inputs))
    plain, codes, points = list(case.inputs), [], []
    for i in (1, 2):
        ways, columns, rows = plain[i].shape
        number = d.pick(BYTES)
        w = byte(d, (ways, rows, columns), number)
        dims = (ways, columns) if d.chance(0.4) else (ways,)
        s, z = scale(d, dims), zero(d, number, dims)
        s.values = np.asarray(s.values / 20, np.float32)
        s_wide, z_wide = (v.values.reshape(ways, 1, -1) for v in (s, z))
        real = (w.values.astype(np.float64) - z_wide) * s_wide
        plain[i] = Operand(np.ascontiguousarray(real.transpose(0, 2, 1), np.float32), TP.FLOAT)
        codes.append(w)
        points += [s, z]
    inputs = [case.inputs[0], *codes, *case.inputs[3:8], *points]

    def answer():
        arrays = [x and x.values for x in plain]
        return tuple(engines.one_node("LSTM", arrays, case.attributes, 14, 3))

    return Case(inputs, case.attributes, 3, numpy=answer)


entry("DynamicQuantizeLSTM", few_bit_recurrence, close(2e-5), **MS)
