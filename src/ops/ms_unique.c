/* SPDX-License-Identifier: Apache-2.0 */
/* ms_unique.c: com.microsoft Unique: values of a vector in the order of their first occurrence,
 * the number of its value for each element, and counts. */
#include "ops/op.h"

/* ONNX's outputs: values, first indices, inverse, counts. */
enum { N_OF_ONNX = 4 };
static const int of_onnx[3] = { 0, 2, 3 };

extern const ig_op ig_op_unique;

/* The node as ONNX's, unsorted. */
static ig_node unsorted(const ig_node *node, ig_attr *sorted)
{
    ig_node as = *node;
    *sorted = (ig_attr){ .name = "sorted", .kind = IG_ATTR_INT, .n = 1, .i = 0 };
    as.attrs = sorted;
    as.n_attrs = 1;
    return as;
}

static ig_status infer(ig_infer *c)
{
    ig_attr sorted;
    ig_info out[N_OF_ONNX];
    const ig_node node = unsorted(c->node, &sorted);
    if (c->in[0] && c->in[0]->rank >= 0 && c->in[0]->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "x has rank %d, not 1", c->in[0]->rank);
    for (int i = 0; i < N_OF_ONNX; i++) out[i] = (ig_info){ .rank = -1 };
    ig_infer as = *c;
    as.node = &node;
    as.out = out;
    as.n_out = N_OF_ONNX;
    IG_TRY(ig_op_unique.infer(&as));
    for (int i = 0; i < c->n_out; i++) c->out[i] = out[of_onnx[i]];
    return INGOT_OK;
}

/* Outputs that ONNX's reference gives are the caller's, by number. */
typedef struct renumbered {
    ig_call call;
    ig_call *outer;
} renumbered;

static ig_status alloc_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    renumbered *r = (renumbered *)(void *)c;
    for (int k = 0; k < r->outer->n_out; k++) {
        if (of_onnx[k] != i) continue;
        IG_TRY(ig_call_output(r->outer, k, dtype, rank, dims));
        c->out[i] = r->outer->out[k];
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_attr sorted;
    ig_tensor *out[N_OF_ONNX] = { 0 };
    const ig_node node = unsorted(c->node, &sorted);
    renumbered r = { .call = *c, .outer = c };
    for (int k = 0; k < c->n_out; k++) out[of_onnx[k]] = c->out[k];
    r.call.node = &node;
    r.call.out = out;
    r.call.n_out = N_OF_ONNX;
    r.call.alloc_output = alloc_output;
    return ig_op_unique.ref(&r.call);
}

static const char *const cases[] = {
    "f32{2,1,1,3,4,3} -> 3 = f32{2,1,3,4} i64{0,1,1,2,3,2} i64{1,2,2,1}",
    "i64[9] -> 3",
    "f32[0] -> 3 = f32{} i64{} i64{}",
    "str{\"b\",\"a\",\"b\",\"\"} -> 3 = str{\"b\",\"a\",\"\"} i64{0,1,0,2} i64{2,1,1}",
    "f32[2,2] -> 3 ! x has rank 2, not 1",
    NULL,
};

const ig_op ig_op_ms_unique = {
    .onnx = "Unique",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 3, 3 },
    .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
