/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_k.c: the k largest (or smallest) elements along an axis with their indices. Of equal ones
 * the lower index comes first; NaN counts as larger than every number. The output is always
 * sorted, which `sorted` = 0 allows.
 */
#include <string.h>

#include "ops/strided.h"

static ig_status check_k(int64_t k, ig_dim dim, ig_error *err)
{
    if (k < 0 || (ig_dim_is_const(dim) && k > dim))
        return ig_fail(err, INGOT_ERR_INVALID, "k is %lld for a dimension of %lld", (long long)k,
                       (long long)dim);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], elem[IG_MAX_ELEMS];
    int axis, n;
    int64_t k = 0;
    bool known = true;
    for (int i = 1; i < c->n_out; i++) c->out[i].type.dtype = INGOT_INT64;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), in->rank, &axis, c->err));
    if (c->opset < 10)
        k = ig_attr_int(c->node, "k", -1);
    else
        IG_TRY(ig_infer_scalar(c, 1, -1, &known, &k));
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    if (known) {
        IG_TRY(check_k(k, dims[axis], c->err));
        dims[axis] = k > IG_DIM_MAX ? IG_DIM_MAX : k;
    } else {
        dims[axis] = ig_infer_elems(c, 1, elem, &n) && n == 1 ? elem[0] : ig_dim_born(c->dims);
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    for (int i = 1; i < c->n_out; i++) ig_info_set_shape(&c->out[i], INGOT_INT64, in->rank, dims);
    return INGOT_OK;
}

typedef struct entry {
    uint64_t key;
    int64_t index;
} entry;

static bool comes_before(entry a, entry b)
{
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

/* heap[0] is the last in order. */
static void sift_down(entry *heap, int64_t n, int64_t i)
{
    const entry e = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && comes_before(heap[child], heap[child + 1])) child++;
        if (!comes_before(e, heap[child])) break;
        heap[i] = heap[child];
    }
    heap[i] = e;
}

/* The first k of n keys in order, sorted. */
static void select_first(const uint64_t *keys, int64_t n, bool largest, entry *heap, int64_t k)
{
    const uint64_t flip = largest ? UINT64_MAX : 0;
    for (int64_t i = 0; i < k; i++) heap[i] = (entry){ keys[i] ^ flip, i };
    for (int64_t i = k / 2 - 1; i >= 0; i--) sift_down(heap, k, i);
    for (int64_t i = k; i < n; i++) {
        if ((keys[i] ^ flip) >= heap[0].key) continue; /* equal keys: the earlier stays */
        heap[0] = (entry){ keys[i] ^ flip, i };
        sift_down(heap, k, 0);
    }
    for (int64_t last = k - 1; last > 0; last--) {
        const entry e = heap[0];
        heap[0] = heap[last];
        heap[last] = e;
        sift_down(heap, last, 0);
    }
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *values = c->out[0], *indices = c->n_out > 1 ? c->out[1] : NULL;
    const bool largest = c->opset < 11 || ig_attr_int(c->node, "largest", 1) != 0;
    int64_t k = ig_attr_int(c->node, "k", -1);
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), in->rank, &axis, c->err));
    if (c->opset >= 10) IG_TRY(ig_call_scalar(c, 1, -1, &k));
    const int64_t n = in->dims[axis], outer = ig_count(axis, in->dims);
    const int64_t inner = ig_count(in->rank - axis - 1, in->dims + axis + 1);
    IG_TRY(check_k(k, n, c->err));
    uint64_t *keys = ig_arena_array(c->scratch, (size_t)n, sizeof *keys);
    entry *heap = ig_arena_array(c->scratch, (size_t)k, sizeof *heap);
    if (!keys || !heap) return IG_NOMEM(c->err, (size_t)n * sizeof *keys);
    for (int64_t row = 0; row < outer * inner && k > 0; row++) {
        const int64_t first = row / inner * n * inner + row % inner;
        const int64_t to = row / inner * k * inner + row % inner;
        if (!ig_sort_keys(in->dtype, in->data, first, inner, n, keys))
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                           ingot_dtype_name(in->dtype));
        select_first(keys, n, largest, heap, k);
        for (int64_t i = 0; i < k; i++) {
            const size_t at = (size_t)(to + i * inner);
            if (indices) ((int64_t *)indices->data)[at] = heap[i].index;
            if (values)
                memcpy((char *)values->data + at * bytes,
                       (const char *)in->data + (size_t)(first + heap[i].index * inner) * bytes,
                       bytes);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,4]{0,1,2,3,4,5,6,7,8,9,10,11} i64{3} -> 2 = f32[3,3]{3,2,1,7,6,5,11,10,9} "
    "i64[3,3]{3,2,1,3,2,1,3,2,1}",
    "f32[3,4]{0,1,2,3,4,5,6,7,11,10,9,8} i64{3} largest=0 -> 2 = f32[3,3]{0,1,2,4,5,6,8,9,10} "
    "i64[3,3]{0,1,2,0,1,2,3,2,1}",
    "f32{1,3,3,1,3} i64{4} -> 2 = f32{3,3,3,1} i64{1,2,4,0}",
    "f32{1,3,1,3} i64{3} largest=0 -> 2 = f32{1,1,3} i64{0,2,1}",
    "f32{1,nan,inf,nan,-inf} i64{4} -> 2 = f32{nan,nan,inf,1} i64{1,3,2,0}",
    "f32{nan,1,nan,-inf} i64{3} largest=0 -> 2 = f32{-inf,1,nan} i64{3,1,0}",
    "f64[2,2]{nan,1,0,nan} i64{1} axis=0 -> 2 = f64[1,2]{nan,nan} i64[1,2]{0,1}",
    "f16{-1,nan,2} i64{2} -> 2 = f16{nan,2} i64{1,2}",
    "f32[2,3,2] c:i64{2} axis=1 -> 2",
    "f32[5,40] i64{7} axis=0 largest=0 sorted=0 -> 2 ! k is 7 for a dimension of 5",
    "f32[50,4] i64{7} axis=-2 -> 2",
    "i64[7] i64{3} -> 2",
    "u8[7] i64{3} -> 2",
    "f16[6] i64{2} -> 2",
    "f32[4] i64{0} -> 2",
    "f32[0,4] i64{2} -> 2",
    "f32[3,4] @1 k=2 -> 2",
    "f32[3,4] i64{2} @10 axis=0 -> 2",
    "f32[4] i64{-1} -> 2 ! k is -1",
    "f32[4] i64{1} axis=1 -> 2 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_top_k = {
    .onnx = "TopK",
    .since = { 1, 10, 11, 24 },
    .n_in = { 1, 2 },
    .n_out = { 1, 2 },
    .types = IG_T_NUMERIC,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
