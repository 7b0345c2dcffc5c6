# SPDX-License-Identifier: Apache-2.0
"""Entries of com.microsoft's attention, with padding masks and caches, and of what adds to it; of
attention as a recurrence; of attention with graphs between its stages."""

import numpy as np
from onnx import TensorProto as TP
from onnx import helper

from composites import body, info
from draw import NUMPY, Case, reals
from entries import EXACT, close, entry, loose
from quantized import BYTES, byte, scale, zero

MS = {"domain": "com.microsoft", "opsets": [1]}
HALVES = [TP.FLOAT, TP.FLOAT, TP.FLOAT, TP.FLOAT16]


def attended(q, k, v, scale, added=None, seen=None, sink=None, cap=0.0):
    """softmax(scale q k^T + added) v of q [.., queries, d], where `seen` holds. sink: a logit that
    takes part in the sum alone; cap: scores are kept within it by tanh."""
    scores = scale * q @ np.swapaxes(k, -1, -2)
    if cap:
        scores = cap * np.tanh(scores / cap)
    scores = scores if added is None else scores + added
    if seen is not None:
        scores = np.where(seen, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    if sink is not None:
        top = np.maximum(top, sink)
    e = np.exp(scores - top)
    total = e.sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - top))
    return e / total @ v


def by_heads(x, heads):
    """[batch, rows, heads * d] as [batch, heads, rows, d]"""
    return np.swapaxes(x.reshape(*x.shape[:2], heads, -1), 1, 2)


def side_by_side(x):
    return np.swapaxes(x, 1, 2).reshape(x.shape[0], x.shape[2], -1)


# ---- one product for queries, keys, values ----


def is_padding(mask, batch, n_q, n_kv):
    """[batch, 1, queries, keys]"""
    if mask is None:
        return np.zeros((1, 1, 1, 1), bool)
    m, keys = mask.values, np.arange(n_kv)
    if m.ndim == 1:
        first = m[batch:, None] if len(m) > batch else 0
        return ((keys >= m[:batch, None]) | (keys < first))[:, None, None]
    return (m <= 0)[:, None, None] if m.ndim == 2 else (m <= 0)[:, None]


def attention_answer(x, w, bias, mask, past, added, attributes, widths):
    """Outputs of com.microsoft Attention in float64: the padded keys count as mask_filter_value, those
    behind the query (unidirectional) not at all."""
    heads, n_q = attributes["num_heads"], x.shape[1]
    whole = x @ w + (0 if bias is None else bias)
    q, k, v = (by_heads(p, heads) for p in np.split(whole, np.cumsum(widths)[:2], -1))
    if past is not None:
        k, v = (np.concatenate([p, new], 2) for p, new in zip(past, (k, v)))
    n_kv = k.shape[2]
    low = attributes.get("mask_filter_value") or -10000.0
    total = np.where(is_padding(mask, len(x), n_q, n_kv), low, 0.0)
    total = total if added is None else total + added
    seen = None
    if attributes.get("unidirectional"):
        seen = np.arange(n_kv) <= np.arange(n_q)[:, None] + n_kv - n_q
    scale = attributes.get("scale") or q.shape[-1] ** -0.5
    y = side_by_side(attended(q, k, v, scale, total, seen))
    return (y, np.stack([k, v])) if k.shape == v.shape else (y,)


def padding_mask(d, batch, n_q, n_kv):
    """Ends; ends and begins; keys; pairs. Some key of each row is seen."""
    kind = d.pick(["none", "ends", "ranges", "keys", "pairs"])
    if kind == "none":
        return None
    if kind == "ends":
        return d.values((batch,), TP.INT32, low=1, high=n_kv)
    if kind == "ranges":
        ends = d.rng.integers(1, n_kv + 1, batch)
        mask = d.values((2 * batch,), TP.INT32)
        mask.values = np.concatenate([ends, [d.int(0, e - 1) for e in ends]]).astype(np.int32)
        return mask
    mask = d.values((batch, n_kv) if kind == "keys" else (batch, n_q, n_kv), TP.INT32, low=0, high=1)
    mask.values[..., 0] = 1
    return mask


def projecting(d):
    """Attention and QAttention: X W + bias holds queries, keys and values side by side."""
    is_quantized = d.operator == "QAttention"
    batch, n_q, width = d.int(1, 2), d.int(1, 5), d.pick([1, 3, 4, 8])
    heads, size = d.int(1, 3), d.pick([1, 2, 4, 8])
    past = d.int(1, 4) if d.chance(0.3) else 0
    number = TP.FLOAT if is_quantized else d.pick(HALVES)
    v_size = size if past or is_quantized or d.chance(0.6) else d.pick([2, 4, 8])
    columns = heads * (2 * size + v_size)
    n_out = 2 if past else (1 if v_size != size else d.int(1, 2))
    attributes = {"num_heads": heads, "unidirectional": d.pick([None, 0, 1])}
    attributes["scale"] = d.maybe(d.real(0.1, 1), 0.3)
    attributes["mask_filter_value"] = d.maybe(-5000.0, 0.2)
    if v_size != size:
        attributes["qkv_hidden_sizes"] = [heads * size, heads * size, heads * v_size]
    bias = d.values((columns,), number)
    mask = padding_mask(d, batch, n_q, past + n_q)
    cache = d.values((2, batch, heads, past, size), number) if past else None
    added, widths = None, [heads * size, heads * size, heads * v_size]

    def answer(x_real, w_real):
        others = [bias and reals(bias), mask, cache and reals(cache), added and reals(added)]
        found = attention_answer(x_real, w_real, *others, attributes, widths)[:n_out]
        return tuple(y.astype(NUMPY[number]) for y in found)

    if is_quantized:
        a, b = d.pick(BYTES), d.pick(BYTES)
        x, w = byte(d, (batch, n_q, width), a), byte(d, (width, columns), b)
        per = (columns,) if d.chance(0.3) else ()
        w_scale, w_zero = scale(d, per), zero(d, b, per)
        w_scale.values = np.asarray(w_scale.values / 20, np.float32)
        x_zero, x_scale = d.maybe(zero(d, a)) if not per else zero(d, a), scale(d)

        def answer_real():
            x_real = (reals(x) - (0 if x_zero is None else int(x_zero.values))) * float(x_scale.values)
            w_real = (reals(w) - reals(w_zero)) * reals(w_scale)
            return answer(x_real, w_real)

        inputs = [x, w, bias, x_scale, w_scale, mask, x_zero, w_zero, cache]
        return Case(inputs, attributes, n_out, numpy=answer_real)
    if d.chance(0.3):
        added = d.values((d.pick([1, batch]), d.pick([1, heads]), n_q, past + n_q), number)
    x, w, bias = d.values((batch, n_q, width), number), d.values((width, columns), number), d.maybe(bias, 0.8)
    inputs = [x, w, bias, mask, cache, added]
    return Case(inputs, attributes, n_out, numpy=lambda: answer(reals(x), reals(w)))


entry("Attention QAttention", projecting, loose(5e-5), **MS)


# ---- caches of fewer heads ----


def query_parts(d, batch, n_q, heads, kv_heads, size, number):
    """[query, key, value], or all three packed in the first."""
    if d.chance(0.25):
        return [d.values((batch, n_q, (heads + 2 * kv_heads) * size), number), None, None]
    widths = (heads, kv_heads, kv_heads)
    return [d.values((batch, n_q, n * size), number) for n in widths]


def lengths_of(d, batch, n_q, past):
    """Rows in use after the step. A prompt fills an empty cache, or one row goes behind a past."""
    if past == 0:
        return np.array([d.int(1, n_q) if d.chance(0.3) else n_q for _ in range(batch)], np.int32)
    if n_q == 1:
        return np.array([d.int(1, past + 1) for _ in range(batch)], np.int32)
    return np.full(batch, past + n_q, np.int32)  # several rows: ONNX Runtime wants one sample


def cached_told(lengths, n_q, past):
    """What is beyond the rows in use has no meaning, in the caches as in the output."""

    def told(outputs):
        y, *caches = outputs
        found = [y[b, : min(n_q, n) if past == 0 else n_q] for b, n in enumerate(lengths)]
        return found + [c[b, :, :n] for c in caches for b, n in enumerate(lengths)]

    return told


def turned(x, positions, cos, sin, is_interleaved):
    """Rotary embedding of x [.., rows, d]: pairs are neighbours, or half a row apart."""
    half = cos.shape[-1]
    c, s = cos[positions], sin[positions]
    a, b = (x[..., 0::2], x[..., 1::2]) if is_interleaved else (x[..., :half], x[..., half:])
    pair = [a * c - b * s, a * s + b * c]
    return np.stack(pair, -1).reshape(x.shape) if is_interleaved else np.concatenate(pair, -1)


def cached_answer(operands, lengths, is_prompt, rotary, attributes, extra):
    """Outputs of attention over a cache in float64: y, keys, values. operands: query, key, value, past
    keys, past values. rotary: cos, sin or None. extra(b, positions, n): added, seen and sink of sample
    b, whose queries stand at these positions before n keys."""
    heads, kv_heads = attributes["num_heads"], attributes["kv_num_heads"]
    q, k, v, *past = (None if o is None else reals(o) for o in operands)
    if k is None:
        size = q.shape[-1] // (heads + 2 * kv_heads)
        q, k, v = np.split(q, [heads * size, (heads + kv_heads) * size], -1)
    q, k, v = by_heads(q, heads), by_heads(k, kv_heads), by_heads(v, kv_heads)
    n_q, group = q.shape[2], heads // kv_heads
    rows = max(max(lengths), n_q, 0 if past[0] is None else past[0].shape[2])
    out = [np.zeros(q.shape), *(np.zeros((*k.shape[:2], rows, k.shape[3])) for _ in range(2))]
    for b, n in enumerate(lengths):
        new = min(n_q, n)
        first = 0 if is_prompt else n - new
        at = np.arange(first, first + new)
        q_b, k_b, v_b = q[b, :, :new], k[b, :, :new], v[b, :, :new]
        if rotary:
            q_b, k_b = (turned(x, at, *rotary, attributes.get("rotary_interleaved")) for x in (q_b, k_b))
        for cache, old, fresh in zip(out[1:], past, (k_b, v_b)):
            if first:
                cache[b, :, :first] = old[b, :, :first]
            cache[b, :, first:n] = fresh
        added, seen, sink = extra(b, at, n)
        seen = seen & (np.arange(n) <= at[:, None])
        keys, values = (np.repeat(c[b, :, :n], group, 0) for c in out[1:])
        scale = attributes.get("scale") or q.shape[-1] ** -0.5
        cap = attributes.get("softcap") or 0.0
        out[0][b, :, :new] = attended(q_b, keys, values, scale, added, seen, sink, cap)
    return side_by_side(out[0]), out[1], out[2]


def angles(d, rows, half, number):
    turn = d.rng.uniform(-3, 3, (rows, half))
    made = []
    for f in (np.cos, np.sin):
        made.append(d.values((rows, half), number))
        made[-1].values = f(turn).astype(NUMPY[number])
    return made


def grouped(d):
    """GroupQueryAttention."""
    kv_heads, size = d.int(1, 2), d.pick([8, 16, 16])
    heads = kv_heads * d.int(1, 3)
    past = d.int(1, 5) if d.chance(0.6) else 0
    n_q = 1 if past and d.chance(0.7) else d.int(1, 5)
    batch = 1 if past and n_q > 1 else d.int(1, 2)
    number = d.pick(HALVES)
    lengths = lengths_of(d, batch, n_q, past)
    total = int(lengths.max()) if past else n_q
    operands = query_parts(d, batch, n_q, heads, kv_heads, size, number)
    operands += [d.values((batch, kv_heads, past, size), number) if past else None for _ in range(2)]
    ends = d.values((batch,), TP.INT32)
    ends.values = lengths - 1
    operands += [ends, d.values((1,), TP.INT32, low=total, high=total)]
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "scale": d.maybe(d.real(0.1, 1), 0.3)}
    attributes["softcap"] = d.maybe(d.real(1, 5), 0.25)
    attributes["local_window_size"] = d.maybe(d.int(1, 4), 0.25)
    extras = [None] * 5
    if d.chance(0.4):
        extras[:2] = angles(d, past + n_q + 3, size // 2, number)
        attributes |= {"do_rotary": 1, "rotary_interleaved": d.pick([None, 0, 1])}
    if d.chance(0.2):
        extras[3] = d.values((d.pick([1, batch]), d.pick([1, heads]), n_q, total), number)
    if d.chance(0.2):
        extras[4] = d.values((heads,), number)
    elif d.chance(0.15):
        attributes["smooth_softmax"] = 1

    def extra(b, at, n):
        bias, sink = extras[3], extras[4]
        left = attributes["local_window_size"]
        seen = np.arange(n) > at[:, None] - (left or n + 1)
        if bias is not None:
            bias = reals(bias)[min(b, bias.shape[0] - 1), :, : len(at), :n]
        zero_sink = np.zeros((heads, 1, 1)) if attributes.get("smooth_softmax") else None
        return bias, seen, zero_sink if sink is None else reals(sink)[:, None, None]

    def answer():
        rotary = [reals(x) for x in extras[:2]] if extras[0] else None
        found = cached_answer(operands[:5], lengths, not past, rotary, attributes, extra)
        return tuple(y.astype(NUMPY[number]) for y in found)

    told = cached_told(lengths, n_q, past)
    return Case([*operands, *extras], attributes, 3, numpy=answer, told=told)


def block_layout(d, blocks):
    """Rows and columns of a lower triangle of blocks that holds its diagonal, in CSR form."""
    rows, columns = [0], []
    for q in range(blocks):
        columns += [k for k in range(q) if d.chance(0.5)] + [q]
        rows.append(len(columns))
    return rows, columns


def sparse(d):
    """SparseAttention."""
    kv_heads, size, block = d.int(1, 2), d.pick([8, 16]), d.pick([1, 2, 4])
    heads = kv_heads * d.int(1, 2)
    blocks = d.int(2, 4)
    most = blocks * block
    batch, number = d.int(1, 2), d.pick(HALVES)
    is_prompt = d.chance(0.5)
    n_q = d.int(1, most) if is_prompt else 1
    total = n_q if is_prompt else d.int(2, most) if most > 1 else 1
    lengths = np.array([d.int(1, total) for _ in range(batch)], np.int32)
    lengths[0] = total
    layouts = [block_layout(d, blocks) for _ in range(d.pick([1, heads]))]
    longest = max(len(c) for _, c in layouts)
    rows, columns = d.values((len(layouts), blocks + 1), TP.INT32), d.values((len(layouts), longest), TP.INT32)
    rows.values = np.array([r for r, _ in layouts], np.int32)
    columns.values = np.array([c + [-1] * (longest - len(c)) for _, c in layouts], np.int32)
    operands = query_parts(d, batch, n_q, heads, kv_heads, size, number)
    operands += [d.values((batch, kv_heads, most, size), number) for _ in range(2)]
    ends = d.values((batch,), TP.INT32)
    ends.values = lengths
    operands += [rows, columns, d.values((1,), TP.INT32, low=total, high=total), ends]
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "sparse_block_size": block}
    attributes["scale"] = d.maybe(d.real(0.1, 1), 0.3)
    if d.chance(0.4):
        operands += angles(d, most, size // 2, number)
        attributes |= {"do_rotary": 1, "rotary_interleaved": d.pick([None, 0, 1])}

    def extra(b, at, n):
        """Head h has layout h modulo their number."""
        seen = np.zeros((heads, len(at), n), bool)
        for h in range(heads):
            ends, found = layouts[h % len(layouts)]
            for i, position in enumerate(at):
                row = position // block
                blocks_seen = found[ends[row] : ends[row + 1]]
                seen[h, i] = np.isin(np.arange(n) // block, blocks_seen)
        return None, seen, None

    def answer():
        rotary = [reals(x) for x in operands[9:11]] if attributes.get("do_rotary") else None
        found = cached_answer(operands[:5], lengths, is_prompt, rotary, attributes, extra)
        return tuple(y.astype(NUMPY[number]) for y in found)

    told = cached_told(lengths, n_q, 0 if is_prompt else most)
    return Case(operands, attributes, 3, numpy=answer, told=told)


entry("GroupQueryAttention", grouped, loose(2e-5), **MS)
entry("SparseAttention", sparse, loose(2e-5), **MS)


# ---- what adds to it ----


def rotating(d):
    batch, heads, length, size = d.int(1, 2), d.int(1, 3), d.int(1, 5), d.pick([2, 4, 8, 10])
    part = d.pick([None, None, 2]) if size > 2 else None
    number, rows = d.pick(HALVES), d.int(length, 9)
    shape = (batch, length, heads * size) if d.chance(0.5) or part else (batch, heads, length, size)
    if d.chance(0.5):
        at = d.int64s(d.rng.integers(0, rows, (batch, length)))
    else:
        at = d.int64s([d.int(0, rows - length)])
    attributes = {"interleaved": d.pick([None, 0, 1]), "rotary_embedding_dim": part}
    attributes["num_heads"] = heads if part or d.chance(0.3) else None
    return Case([d.values(shape, number), at, *angles(d, rows, (part or size) // 2, number)], attributes)


def bucket(distance, buckets, both_ways, most):
    """T5's bucket of a distance key - query: half of them for one distance each, the rest grow with
    the logarithm up to `most`."""
    first = 0
    if both_ways:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    part = np.log(np.float32(distance) / np.float32(exact)) / np.log(np.float32(most) / np.float32(exact))
    return first + min(buckets - 1, exact + int(part * np.float32(buckets - exact)))


def biasing_by_distance(d):
    """RelativePositionBias. The table lies head by head, whatever its shape says."""
    both, most = d.int(0, 1), d.pick([16, 20, 128])
    buckets, heads, n_q, n_k = d.pick([4, 8, 16]), d.int(1, 3), d.int(1, 9), d.int(1, 12)
    table = d.values((buckets, heads), d.pick([TP.FLOAT, TP.FLOAT16]))

    def answer():
        by_head = table.values.reshape(heads, buckets)
        at = [[bucket(k - q, buckets, both, most) for k in range(n_k)] for q in range(n_q)]
        return by_head[:, at][None]

    attributes = {"max_distance": most, "is_bidirectional": both if both or d.chance(0.5) else None}
    return Case([table, d.int64s([n_q]), d.int64s([n_k])], attributes, numpy=answer)


entry("RotaryEmbedding", rotating, close(2e-6), **MS)
entry("RelativePositionBias", biasing_by_distance, EXACT, **MS)


# ---- a recurrence ----


def recurring_attention(d):
    """LinearAttention."""
    batch, steps, kv_heads = d.int(1, 2), d.int(1, 6), d.int(1, 2)
    heads, k, v = kv_heads * d.int(1, 3), d.pick([1, 2, 4, 8]), d.pick([1, 3, 4])
    rule = d.pick(["linear", "gated", "delta", "gated_delta", None])
    number = d.type("T")
    state = d.type("S", [number, TP.FLOAT])

    def t(*shape, **limits):
        return d.values(shape, number, **limits)

    decay = beta = None
    if rule in ("gated", "gated_delta", None):
        decay = t(batch, steps, kv_heads * d.pick([1, k]), low=-2, high=0)
    if rule in ("delta", "gated_delta", None):
        beta = t(batch, steps, d.pick([1, kv_heads]), low=0, high=1)
    key = t(batch, steps, kv_heads * k, low=-1, high=1)
    past = d.maybe(d.values((batch, kv_heads, k, v), state))
    if past is None:  # without a past the state has the type of the operands
        d.types["S"] = number
    attributes = {"q_num_heads": heads, "kv_num_heads": kv_heads, "update_rule": rule}
    attributes |= {"scale": d.maybe(d.real(0.1, 1), 0.4), "chunk_size": d.maybe(d.pick([1, 64]), 0.3)}
    inputs = [t(batch, steps, heads * k), key, t(batch, steps, kv_heads * v), past, decay, beta]
    return Case(inputs, attributes, d.int(1, 2))


entry("LinearAttention", recurring_attention, loose(3e-5), opsets=[27, 28])


# ---- graphs between the stages ----

MODIFIERS = {  # operators that keep the shape, each from the value before; the same in NumPy
    "double": ([("Add", ["x", "x"])], lambda x, outer: x + x),
    "cap": ([("Tanh", ["x"])], lambda x, outer: np.tanh(x)),
    "outer": ([("Mul", ["x", "outer"])], lambda x, outer: x * outer),
    "both": ([("Tanh", ["x"]), ("Add", ["x", "outer"])], lambda x, outer: np.tanh(x) + outer),
}


def modifier(name, number):
    nodes, last = [], "x"
    for k, (operator, operands) in enumerate(MODIFIERS[name][0]):
        operands = [last if o == "x" else o for o in operands]
        nodes.append(helper.make_node(operator, operands, [f"m{k}"]))
        last = f"m{k}"
    return body(nodes, name, [info("x", number)], [info(last, number)])


def flexible(d):
    """FlexAttention."""
    batch, kv_heads, n_q, n_kv = d.int(1, 2), d.int(1, 2), d.int(1, 5), d.int(1, 6)
    heads, size, v_size = kv_heads * d.int(1, 3), d.pick([1, 2, 4, 8, 9]), d.pick([1, 4, 8])
    number = d.type("T1", [TP.FLOAT, TP.DOUBLE, TP.FLOAT16])
    wide = TP.DOUBLE if number == TP.DOUBLE else TP.FLOAT
    shapes = [(batch, heads, n_q, size), (batch, kv_heads, n_kv, size), (batch, kv_heads, n_kv, v_size)]
    names = [d.pick([None, *MODIFIERS]) for _ in range(2)]
    attributes = {"scale": d.maybe(d.real(0.1, 1), 0.4)}
    for stage, name in zip(("score_mod", "prob_mod"), names):
        attributes[stage] = name and modifier(name, wide)
    outer = d.values((n_kv,), wide)
    operands = [d.values(s, number) for s in shapes]

    def answer():
        q, k, v = (reals(o) for o in operands)
        k, v = (np.repeat(x, heads // kv_heads, 1) for x in (k, v))
        score_mod, prob_mod = (MODIFIERS[n][1] if n else lambda x, _: x for n in names)
        scale = attributes["scale"] or size**-0.5
        scores = score_mod(scale * q @ np.swapaxes(k, -1, -2), reals(outer))
        e = np.exp(scores - scores.max(-1, keepdims=True))
        y = prob_mod(e / e.sum(-1, keepdims=True), reals(outer)) @ v
        return y.astype(NUMPY[number])

    captures = {"outer": outer} if {"outer", "both"} & set(names) else {}
    return Case(operands, attributes, captures=captures, numpy=answer)


entry("FlexAttention", flexible, loose(2e-5), domain="ai.onnx.preview", opsets=[1])
