/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pad.c: put elements round a tensor, or (negative pads) cut some off.
 *
 * Pads: attribute `paddings` in opset 1, `pads` in 2, an input since 11; axes since 18, wrap since
 * 19. Modes other than constant first cut, then repeat what is left: reflect mirrors without the
 * border element and, like wrap, goes on as often as needed.
 */
#include <string.h>

#include "ops/moves.h"
#include "ops/strided.h"

typedef enum pad_mode { CONSTANT, REFLECT, EDGE, WRAP } pad_mode;

typedef struct pads {
    bool known;
    unsigned axes; /* bit d: pads of axis d are (or may be) not zero */
    int64_t begin[IG_MAX_RANK], end[IG_MAX_RANK];
} pads;

static ig_status read_mode(const ig_node *node, pad_mode *mode, ig_error *err)
{
    if (ig_attr_is(node, "mode", "constant", true))
        *mode = CONSTANT;
    else if (ig_attr_is(node, "mode", "reflect", false))
        *mode = REFLECT;
    else if (ig_attr_is(node, "mode", "edge", false))
        *mode = EDGE;
    else if (ig_attr_is(node, "mode", "wrap", false))
        *mode = WRAP;
    else
        return ig_fail(err, INGOT_ERR_INVALID, "mode is none of constant, reflect, edge, wrap");
    return INGOT_OK;
}

static ig_status read_pads(const ig_infer *c, int rank, pads *p)
{
    ig_ints list, axes = { .n = -1, .n_known = -1 };
    int at[IG_MAX_RANK];
    const char *attr = c->opset < 2 ? "paddings" : c->opset < 11 ? "pads" : NULL;
    memset(p, 0, sizeof *p);
    IG_TRY(ig_infer_list(c, attr, attr ? -1 : 1, &list));
    if (list.n == -1) return ig_fail(c->err, INGOT_ERR_INVALID, "pads are missing");
    if (c->opset >= 18) IG_TRY(ig_infer_list(c, NULL, 3, &axes));
    p->known = list.n >= 0 && axes.n != -2;
    const int n = axes.n == -1 ? rank : axes.n;
    if (axes.n >= 0) IG_TRY(ig_axes(&axes, rank, at, c->err));
    if (axes.n == -1)
        for (int d = 0; d < rank; d++) at[d] = d;
    if (n >= 0 && list.n_known >= 0 && list.n_known != 2 * n && list.n < 0)
        list.n = list.n_known; /* contents unknown, but the number is wrong */
    if (n >= 0 && list.n >= 0 && list.n != 2 * n)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%d pads for %d axes, expected %d", list.n, n,
                       2 * n);
    for (int i = 0; i < n; i++) {
        p->axes |= 1u << at[i];
        if (!p->known) continue;
        for (int side = 0; side < 2; side++) {
            const int64_t v = list.v[i + side * n];
            if (v > IG_DIM_MAX / 4 || v < -IG_DIM_MAX / 4)
                return ig_fail(c->err, INGOT_ERR_SHAPE, "pad of axis %d is too large", at[i]);
            *(side ? &p->end[at[i]] : &p->begin[at[i]]) = v;
        }
    }
    if (n < 0) p->axes = (1u << rank) - 1;
    return INGOT_OK;
}

static ig_status check_pad(ig_infer *c, pad_mode mode, const pads *p, int d)
{
    const ig_dim dim = c->in[0]->dims[d];
    if (!ig_dim_is_const(dim)) return INGOT_OK;
    const int64_t b = p->begin[d], e = p->end[d];
    const int64_t left = dim + (b < 0 ? b : 0) + (e < 0 ? e : 0);
    if (dim + b + e < 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "pads %lld and %lld of axis %d cut more than %lld",
                       (long long)b, (long long)e, d, (long long)dim);
    if (mode != CONSTANT && left <= 0 && dim + b + e > 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "axis %d has no elements to repeat", d);
    return INGOT_OK;
}

/* The input constant_value, where there is one, fits the input. */
static ig_status check_value(const ig_infer *c)
{
    const ig_info *in = c->in[0], *value = c->opset >= 11 && c->n_in > 2 ? c->in[2] : NULL;
    int64_t dims[IG_MAX_RANK];
    if (!value) return INGOT_OK;
    if (value->type.dtype != in->type.dtype && value->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "constant_value has element type %s, the input %s",
                       ingot_dtype_name(value->type.dtype), ingot_dtype_name(in->type.dtype));
    if (ig_info_is_static(value, dims) && ig_count(value->rank, dims) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "constant_value must hold one element");
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    pad_mode mode;
    pads p;
    IG_TRY(read_mode(c->node, &mode, c->err));
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(read_pads(c, in->rank, &p));
    IG_TRY(check_value(c));
    for (int d = 0; d < in->rank; d++) {
        if (p.known) IG_TRY(check_pad(c, mode, &p, d));
        dims[d] = !(p.axes >> d & 1) ? in->dims[d]
                  : p.known          ? ig_dim_add(c->dims, in->dims[d], p.begin[d] + p.end[d])
                                     : ig_dim_born(c->dims);
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    return INGOT_OK;
}

/* Input index of each output index along an axis, -1: the constant. */
static void index_map(pad_mode mode, int64_t dim, int64_t begin, int64_t end, int64_t n_out,
                      int64_t *map)
{
    const int64_t low = begin < 0 ? -begin : 0, shift = begin > 0 ? begin : 0;
    const int64_t extent = dim - low + (end < 0 ? end : 0);
    for (int64_t o = 0; o < n_out; o++) {
        int64_t t = o - shift;
        if (mode == CONSTANT) {
            map[o] = o - begin >= 0 && o - begin < dim ? o - begin : -1;
            continue;
        }
        if (mode == EDGE) {
            t = t < 0 ? 0 : t >= extent ? extent - 1 : t;
        } else if (extent == 1) {
            t = 0;
        } else {
            const int64_t period = mode == WRAP ? extent : 2 * (extent - 1);
            t %= period;
            t += t < 0 ? period : 0;
            if (t >= extent) t = period - t;
        }
        map[o] = low + t;
    }
}

/* The element that constant mode writes. */
static ig_status fill_value(const ig_call *c, void *value)
{
    const ig_tensor *in = c->in[0];
    const size_t bytes =
        in->dtype == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(in->dtype);
    if (c->opset < 11) {
        const float v = ig_attr_float(c->node, "value", 0);
        if (v != 0 && in->dtype != INGOT_STRING) ig_set_f64(in->dtype, value, 0, (double)v);
    } else if (c->n_in > 2 && c->in[2]) {
        if (ig_tensor_count(c->in[2]) != 1)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "constant_value must hold one element");
        memcpy(value, c->in[2]->data, bytes);
    }
    return INGOT_OK;
}

/* All rows along the last axis; maps[d] as from index_map. */
static ig_status pad_rows(ig_call *c, int64_t *const *maps, const void *value)
{
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    const int rank = out->rank, last = rank - 1;
    int64_t index[IG_MAX_RANK] = { 0 }, strides[IG_MAX_RANK];
    const int64_t n = out->dims[last], count = ig_tensor_count(out);
    ig_row_major(rank, in->dims, strides);
    IG_SWITCH_SIZE(c, in->dtype, {
        T fill;
        memcpy(&fill, value, sizeof fill);
        const T *src = in->data;
        T *dst = out->data;
        for (int64_t at = 0; at < count; at += n) {
            int64_t base = 0;
            bool is_outside = false;
            for (int d = 0; d < last; d++) {
                const int64_t m = maps[d][index[d]];
                is_outside |= m < 0;
                base += m * strides[d];
            }
            for (int64_t i = 0; i < n; i++)
                dst[at + i] = is_outside || maps[last][i] < 0 ? fill : src[base + maps[last][i]];
            for (int d = last - 1; d >= 0; d--) {
                if (++index[d] < out->dims[d]) break;
                index[d] = 0;
            }
        }
    })
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    ig_info infos[4];
    const ig_info *ins[4];
    ig_infer f;
    int64_t *maps[IG_MAX_RANK];
    char value[16] = { 0 };
    pad_mode mode;
    pads p;
    size_t bytes;
    ig_infer_of_call(c, infos, ins, 4, &f);
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(read_mode(c->node, &mode, c->err));
    IG_TRY(read_pads(&f, in->rank, &p));
    IG_TRY(fill_value(c, value));
    if (in->rank == 0) return ig_ref_copy(c);
    if (ig_tensor_count(out) == 0) return INGOT_OK;
    for (int d = 0; d < in->rank; d++) {
        maps[d] = ig_arena_array(c->scratch, (size_t)out->dims[d], sizeof *maps[d]);
        if (!maps[d]) return IG_NOMEM(c->err, (size_t)out->dims[d] * sizeof *maps[d]);
        index_map(mode, in->dims[d], p.begin[d], p.end[d], out->dims[d], maps[d]);
    }
    return pad_rows(c, maps, value);
}

/* The box of the output that is filled before (side 0) or after the copied part along axis d, for
 * indices of earlier axes inside the copied part. */
static void fill_box(ig_move_item *item, const ig_info *out, const int64_t *low,
                     const int64_t *high, int d, int side)
{
    ig_move_shape *s = &item->shape;
    s->rank = out->rank;
    ig_row_major(out->rank, out->dims, s->dst_strides);
    for (int k = 0; k < out->rank; k++) {
        const int64_t from = k < d ? low[k] : k == d && side ? high[k] : 0;
        const int64_t to = k < d ? high[k] : k == d && !side ? low[k] : out->dims[k];
        s->dims[k] = to - from;
        s->dst_offset += from * s->dst_strides[k];
    }
}

/* Constant mode: one copy, and up to two boxes to fill for each axis. */
static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0], *out = &l->out[0];
    ig_infer f = {
        .node = l->node, .opset = l->opset, .n_in = l->n_in, .in = l->in, .err = l->err
    };
    ig_move_item items[1 + 2 * IG_MAX_RANK] = { 0 };
    int64_t low[IG_MAX_RANK], high[IG_MAX_RANK];
    const size_t bytes = ig_move_elem_bytes(in->type.dtype);
    pad_mode mode;
    pads p;
    int n = 1;
    IG_TRY(read_mode(l->node, &mode, l->err));
    IG_TRY(read_pads(&f, in->rank, &p));
    if (mode != CONSTANT || !p.known || bytes == 0) return INGOT_OK;
    ig_move_item *copy = &items[0];
    copy->dst = l->n_in;
    copy->shape.rank = in->rank;
    ig_row_major(in->rank, in->dims, copy->shape.src_strides);
    ig_row_major(in->rank, out->dims, copy->shape.dst_strides);
    for (int d = 0; d < in->rank; d++) {
        low[d] = p.begin[d] > 0 ? p.begin[d] : 0;
        high[d] = in->dims[d] + p.begin[d] < out->dims[d] ? in->dims[d] + p.begin[d] : out->dims[d];
        if (high[d] <= low[d]) return INGOT_OK; /* nothing of the input is left */
        copy->shape.dims[d] = high[d] - low[d];
        copy->shape.src_offset += (low[d] - p.begin[d]) * copy->shape.src_strides[d];
        copy->shape.dst_offset += low[d] * copy->shape.dst_strides[d];
    }
    const bool has_value = l->opset >= 11 && l->n_in > 2 && l->in[2];
    for (int d = 0; d < in->rank; d++)
        for (int side = 0; side < 2; side++) {
            if (side ? high[d] == out->dims[d] : low[d] == 0) continue;
            ig_move_item *fill = &items[n++];
            fill->src = has_value ? 2 : IG_MOVE_VALUE;
            fill->dst = l->n_in;
            if (l->opset < 11)
                ig_set_f64(in->type.dtype, &fill->value, 0,
                           (double)ig_attr_float(l->node, "value", 0));
            fill_box(fill, out, low, high, d, side);
        }
    for (int i = 0; i < n; i++) items[i].shape.elem_bytes = bytes;
    return ig_lower_moves(l, items, n);
}

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    ig_infer f = { .node = node, .opset = node->opset, .n_in = (int)node->n_inputs, .in = in };
    pads p;
    (void)out;
    if (in[0]->rank < 0 || read_pads(&f, in[0]->rank, &p) != INGOT_OK || !p.known) return false;
    for (int d = 0; d < in[0]->rank; d++)
        if (p.begin[d] != 0 || p.end[d] != 0) return false;
    return true;
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int64_t v[2 * IG_MAX_RANK], moved[2 * IG_MAX_RANK], axes[IG_MAX_RANK];
    const char *attr = node->opset < 2 ? "paddings" : "pads";
    int n, axis;
    if (node->opset >= 18 && node->n_inputs > 3 && node->inputs[3] != IG_NONE) {
        if (!ig_node_ints(g, node, 3, axes, IG_MAX_RANK, &n)) return false;
        for (int i = 0; i < n; i++) {
            if (ig_axis(axes[i], rank, &axis, NULL) != INGOT_OK) return false;
            axes[i] = ig_renamed_axis(perm, rank, axis);
        }
        return ig_set_ints_input(g, node, 3, axes, n);
    }
    if (node->opset < 11) {
        size_t count;
        const int64_t *list = ig_attr_ints(node, attr, &count);
        if (count != 2 * (size_t)rank) return false;
        memcpy(v, list, count * sizeof *v);
    } else if (!ig_node_ints(g, node, 1, v, 2 * IG_MAX_RANK, &n) || n != 2 * rank) {
        return false;
    }
    for (int d = 0; d < rank; d++) {
        moved[d] = v[perm[d]];
        moved[rank + d] = v[rank + perm[d]];
    }
    return node->opset < 11 ? ig_node_set_ints(g, node, attr, moved, 2 * (size_t)rank)
                            : ig_set_ints_input(g, node, 1, moved, 2 * rank);
}

static const char *const cases[] = {
    "i4[3]{1,-2,3} i64{1,2} i4[]{-8} = i4[6]{-8,1,-2,3,-8,-8}",
    "f32[1,3,4,5] i64{0,0,1,3,0,0,2,4} f32[]{1.2}",
    "f32[2,3] c:i64{1,0,0,2}",
    "f32[2,2]{1,2,3,4} i64{0,1,1,0} f32{9} = f32[3,3]{9,1,2,9,3,4,9,9,9}",
    "f32[1,3,4,5] i64{0,0,1,1,0,0,1,1} mode=\"reflect\"",
    "f32[3]{1,2,3} i64{2,1} mode=\"reflect\" = f32[6]{3,2,1,2,3,2}",
    "f32[3]{1,2,3} i64{5,0} mode=\"reflect\" = f32[8]{2,1,2,3,2,1,2,3}",
    "f32[1,3,4,5] i64{0,0,1,1,0,0,1,1} mode=\"edge\"",
    "f32[3]{1,2,3} i64{4,2} @19 mode=\"wrap\" = f32[9]{3,1,2,3,1,2,3,1,2}",
    "f32[3]{1,2,3} i64{-1,2} @19 mode=\"wrap\" = f32[4]{2,3,2,3}",
    "f32[4]{1,2,3,4} i64{-1,-1} = f32[2]{2,3}",
    "f32[4]{1,2,3,4} i64{-1,2} f32{7} = f32[5]{2,3,4,7,7}",
    "f32[2]{1,2} i64{-3,5} f32{7} = f32[4]{7,7,7,7}",
    "f32[1,3,4,5] i64{1,3} f32{1} i64{-1}",
    "f32[1,3,4,5] i64{1,3,0,2} _ c:i64{3,2}",
    "f32[0,2] i64{1,0,1,0}",
    "f32[] i64{}",
    "i64[2,2] i64{1,1,1,1} i64{5}",
    "i8[3,3] c:i64{1,1,1,1}",
    "bool[2] i64{1,1}",
    "f16[2,2] i64{1,1,1,1}",
    "str[1]{\"a\"} i64{1,1} str{\"z\"} = str[3]{\"z\",\"a\",\"z\"}",
    "f32[2,2] @2 pads=[1,0,0,1] value=3.5",
    "f32[2,3] @2 pads=[0,1,0,1] mode=\"reflect\"",
    "f32[2,2] @1 paddings=[0,1,0,1] value=-1.0",
    "f32[2,2] i64{1,1} ! 2 pads for 2 axes, expected 4",
    "f32[2] i64{-2,-1} ! cut more than 2",
    "f32[0] i64{1,0} mode=\"edge\" ! no elements to repeat",
    "f32[2] i64{1,1} f32[0] ! constant_value must hold one element",
    "f32[2] i64{1,1} f32[2] ! constant_value must hold one element",
    "f32[2] i64{1,1} mode=\"mirror\" ! none of constant",
    "f32[2] i64{1152921504606846976,0} ! too large",
    NULL,
};

const ig_op ig_op_pad = {
    .onnx = "Pad",
    .since = { 1, 2, 11, 13, 18, 19, 21, 23, 24, 25 },
    .n_in = { 1, 4 },
    .n_out = { 1, 1 },
    .flags = IG_MOVES_UNPACKED | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = permute,
    .cases = cases,
};
