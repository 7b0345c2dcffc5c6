/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: running references. */
#include <string.h>

#include "ops/op.h"

/* ---- outputs ---- */

ig_status ig_call_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    ig_tensor *out = i < c->n_out ? c->out[i] : NULL;
    if (!out) return INGOT_OK;
    bool is_same = out->data && out->dtype == dtype && out->rank == rank;
    for (int d = 0; is_same && d < rank; d++) is_same = out->dims[d] == dims[d];
    return is_same ? INGOT_OK : c->alloc_output(c, i, dtype, rank, dims);
}

/* ---- broadcasting walk ---- */

void ig_walk_begin(ig_walk *w, const ig_tensor *out, const ig_tensor *const *in, int n)
{
    memset(w, 0, sizeof *w);
    w->rank = out->rank;
    w->n = n;
    w->left = ig_tensor_count(out);
    for (int d = 0; d < out->rank; d++) w->dims[d] = out->dims[d];
    for (int i = 0; i < n; i++) {
        int64_t stride = 1;
        const int shift = out->rank - in[i]->rank;
        for (int d = in[i]->rank - 1; d >= 0; d--) {
            w->strides[i][d + shift] = in[i]->dims[d] == 1 ? 0 : stride;
            stride *= in[i]->dims[d];
        }
    }
}

bool ig_walk_next(ig_walk *w)
{
    if (--w->left <= 0) return false;
    for (int d = w->rank - 1; d >= 0; d--) {
        for (int i = 0; i < w->n; i++) w->at[i] += w->strides[i][d];
        if (++w->index[d] < w->dims[d]) return true;
        for (int i = 0; i < w->n; i++) w->at[i] -= w->strides[i][d] * w->dims[d];
        w->index[d] = 0;
    }
    return false;
}

/* ---- float16 and bfloat16 through float32, types of a few bits through bytes ---- */

static bool is_half(ingot_dtype dtype) { return dtype == INGOT_FLOAT16 || dtype == INGOT_BFLOAT16; }

/* Bits of an element of a type below a byte, else 0. */
static int packed_bits(ingot_dtype dtype)
{
    const bool is_4 = dtype == INGOT_INT4 || dtype == INGOT_UINT4 || dtype == INGOT_FLOAT4E2M1;
    return is_4 ? 4 : dtype == INGOT_INT2 || dtype == INGOT_UINT2 ? 2 : 0;
}

/* The type that a reference gets for this one. */
static ingot_dtype wide_type(ingot_dtype dtype)
{
    return is_half(dtype) ? INGOT_FLOAT : packed_bits(dtype) ? INGOT_UINT8 : dtype;
}

static float half_to_f32(ingot_dtype dtype, uint16_t h)
{
    return dtype == INGOT_FLOAT16 ? ig_f16_to_f32(h) : ig_bf16_to_f32(h);
}

static uint16_t f32_to_half(ingot_dtype dtype, float x)
{
    return dtype == INGOT_FLOAT16 ? ig_f32_to_f16(x) : ig_f32_to_bf16(x);
}

static ig_status widen(ig_call *c, const ig_tensor *src, const ig_tensor **out)
{
    ig_tensor *t = NULL;
    const uint16_t *h = src->data;
    const int64_t n = ig_tensor_count(src);
    const int bits = packed_bits(src->dtype);
    IG_TRY(ig_tensor_in_arena(c->scratch, wide_type(src->dtype), src->rank, src->dims, NULL, &t,
                              c->err));
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * bits;
        if (bits)
            ((uint8_t *)t->data)[i] =
                (uint8_t)(((const uint8_t *)src->data)[at / 8] >> at % 8 & ((1 << bits) - 1));
        else
            ((float *)t->data)[i] = half_to_f32(src->dtype, h[i]);
    }
    *out = t;
    return INGOT_OK;
}

/* Memory of outputs of a widened call: scratch, narrowed afterwards. */
static ig_status alloc_wide(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    ig_tensor *t = NULL;
    IG_TRY(ig_tensor_in_arena(c->scratch, dtype, rank, dims, NULL, &t, c->err));
    *c->out[i] = *t;
    return INGOT_OK;
}

static void pack(int bits, const uint8_t *src, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * bits;
        if (at % 8 == 0) dst[at / 8] = 0;
        dst[at / 8] = (uint8_t)(dst[at / 8] | (src[i] & ((1 << bits) - 1)) << at % 8);
    }
}

/* type: of the output; where it is its own wide type, the bytes go as they are */
static ig_status narrow(ig_call *outer, int i, ingot_dtype type, const ig_tensor *wide)
{
    const bool is_narrow = wide->dtype == wide_type(type) && type != wide->dtype;
    IG_TRY(ig_call_output(outer, i, is_narrow ? type : wide->dtype, wide->rank, wide->dims));
    ig_tensor *out = outer->out[i];
    const int64_t n = ig_tensor_count(wide);
    size_t bytes = 0;
    if (is_narrow && is_half(type)) {
        uint16_t *h = out->data;
        for (int64_t k = 0; k < n; k++) h[k] = f32_to_half(type, ((const float *)wide->data)[k]);
    } else if (is_narrow) {
        pack(packed_bits(type), wide->data, n, out->data);
    } else if (ig_tensor_bytes(wide, &bytes)) {
        memcpy(out->data, wide->data, bytes);
    }
    return INGOT_OK;
}

#define MAX_WIDE_OPERANDS 64

/* type: of a narrow input, and of outputs whose type inference did not know */
static ig_status call_widened(ig_call *c, ingot_dtype type)
{
    const ig_tensor *in[MAX_WIDE_OPERANDS];
    ig_tensor wide[MAX_WIDE_OPERANDS], *out[MAX_WIDE_OPERANDS];
    if (c->n_in > MAX_WIDE_OPERANDS || c->n_out > MAX_WIDE_OPERANDS)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "more than %d operands of a type below 32 bits",
                       MAX_WIDE_OPERANDS);
    for (int i = 0; i < c->n_in; i++) {
        in[i] = c->in[i];
        if (in[i] && in[i]->kind == INGOT_KIND_TENSOR && is_half(in[i]->dtype) == is_half(type) &&
            wide_type(in[i]->dtype) != in[i]->dtype)
            IG_TRY(widen(c, c->in[i], &in[i]));
    }
    ig_call inner = *c;
    inner.in = in;
    inner.out = out;
    inner.alloc_output = alloc_wide;
    for (int i = 0; i < c->n_out; i++) {
        out[i] = c->out[i] ? &wide[i] : NULL;
        wide[i] = (ig_tensor){ .kind = INGOT_KIND_TENSOR };
        if (!c->out[i]) continue;
        const ig_tensor *o = c->out[i];
        if (o->data) /* the shape is known */
            IG_TRY(alloc_wide(&inner, i, wide_type(o->dtype), o->rank, o->dims));
    }
    IG_TRY(c->node->op->ref(&inner));
    for (int i = 0; i < c->n_out; i++)
        if (out[i]) { /* inference knows the type, where operands of several types meet */
            const ingot_dtype known = c->out[i]->dtype;
            IG_TRY(narrow(c, i, known == INGOT_UNDEFINED ? type : known, &wide[i]));
        }
    return INGOT_OK;
}

/* Constants may lie anywhere in the model file; references read arrays. */
static ig_status align_inputs(ig_call *c)
{
    const ig_tensor **in = NULL;
    for (int i = 0; i < c->n_in; i++) {
        ig_tensor *copy = NULL;
        size_t bytes = 0;
        if (i == 0 && (c->node->op->flags & IG_BYTES)) continue;
        if (!c->in[i] || ig_tensor_is_aligned(c->in[i]) || !ig_tensor_bytes(c->in[i], &bytes))
            continue;
        if (!in) {
            in = ig_arena_array(c->scratch, (size_t)c->n_in, sizeof *in);
            if (!in) return IG_NOMEM(c->err, (size_t)c->n_in * sizeof *in);
            memcpy(in, c->in, (size_t)c->n_in * sizeof *in);
        }
        IG_TRY(ig_tensor_in_arena(c->scratch, c->in[i]->dtype, c->in[i]->rank, c->in[i]->dims, NULL,
                                  &copy, c->err));
        memcpy(copy->data, c->in[i]->data, bytes);
        in[i] = copy;
    }
    if (in) c->in = in;
    return INGOT_OK;
}

/* Are all results of a known shape without elements? Then there is nothing to compute, however
 * large the dimensions beside the 0 are: references may count them. */
static bool is_empty(const ig_call *c)
{
    int n = 0;
    for (int i = 0; i < c->n_out; i++) {
        const ig_tensor *o = c->out[i];
        if (!o) continue;
        if (o->kind != INGOT_KIND_TENSOR || !o->data || ig_tensor_count(o) != 0) return false;
        n++;
    }
    return n > 0;
}

ig_status ig_op_call(ig_call *c)
{
    const ig_op *op = c->node->op;
    if (!op->ref)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "%s has no implementation", op->onnx);
    if (is_empty(c)) return INGOT_OK;
    IG_TRY(align_inputs(c));
    if (op->flags & IG_CONTROL_FLOW) return op->ref(c);
    for (int i = 0; i < c->n_in; i++) {
        if (!c->in[i] || c->in[i]->kind != INGOT_KIND_TENSOR) continue;
        const ingot_dtype type = c->in[i]->dtype;
        if ((is_half(type) && !(op->flags & IG_OWN_HALF)) ||
            (packed_bits(type) && op->flags & IG_MOVES_UNPACKED))
            return call_widened(c, type);
    }
    return op->ref(c);
}
