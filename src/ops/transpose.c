/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.c: output dimension d is input dimension perm[d]; without perm, all are reversed. */
#include <string.h>

#include "ops/moves.h"
#include "ops/strided.h"

static ig_status read_perm(const ig_node *node, int rank, int *perm, ig_error *err)
{
    ig_ints list = { .n = rank };
    size_t n;
    const int64_t *v = ig_attr_ints(node, "perm", &n);
    if (!v || rank == 0) {
        for (int d = 0; d < rank; d++) perm[d] = rank - 1 - d;
        return INGOT_OK;
    }
    if (n != (size_t)rank)
        return ig_fail(err, INGOT_ERR_INVALID, "perm has %zu entries, the input has rank %d", n,
                       rank);
    memcpy(list.v, v, n * sizeof *v);
    return ig_axes(&list, rank, perm, err);
}

/* Strides of the input, in the order of the output. */
static void permuted_strides(int rank, const int64_t *in_dims, const int *perm, int64_t *strides)
{
    int64_t s[IG_MAX_RANK];
    ig_row_major(rank, in_dims, s);
    for (int d = 0; d < rank; d++) strides[d] = s[perm[d]];
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], elems[IG_MAX_ELEMS], moved[IG_MAX_ELEMS];
    int64_t strides[IG_MAX_RANK], dense[IG_MAX_RANK];
    int perm[IG_MAX_RANK], rank = in->rank, n;
    size_t n_perm;
    if (rank < 0) {
        (void)ig_attr_ints(c->node, "perm", &n_perm);
        if (n_perm == 0 || n_perm > IG_MAX_RANK) return INGOT_OK;
        for (size_t d = 0; d < n_perm; d++) dims[d] = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], in->type.dtype, (int)n_perm, dims);
        return INGOT_OK;
    }
    IG_TRY(read_perm(c->node, rank, perm, c->err));
    for (int d = 0; d < rank; d++) dims[d] = in->dims[perm[d]];
    ig_info_set_shape(&c->out[0], in->type.dtype, rank, dims);
    if (!ig_info_is_static(in, NULL) || !ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    permuted_strides(rank, in->dims, perm, strides);
    ig_row_major(rank, dims, dense);
    ig_copy_box(sizeof(ig_dim), rank, dims, moved, dense, elems, strides);
    return ig_infer_give_elems(c, 0, moved, n);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    int64_t strides[IG_MAX_RANK], dense[IG_MAX_RANK];
    int perm[IG_MAX_RANK];
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(read_perm(c->node, in->rank, perm, c->err));
    permuted_strides(in->rank, in->dims, perm, strides);
    ig_row_major(out->rank, out->dims, dense);
    ig_copy_box(bytes, out->rank, out->dims, out->data, dense, in->data, strides);
    return INGOT_OK;
}

/* Does the order of dimensions that are not 1 stay? */
static bool moves_nothing(const int *perm, int rank, const int64_t *in_dims)
{
    int last = -1;
    for (int d = 0; d < rank; d++) {
        if (in_dims[perm[d]] == 1) continue;
        if (perm[d] < last) return false;
        last = perm[d];
    }
    return true;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0];
    ig_move_item item = { .src = 0, .dst = l->n_in };
    int perm[IG_MAX_RANK];
    IG_TRY(read_perm(l->node, in->rank, perm, l->err));
    if (moves_nothing(perm, in->rank, in->dims)) return ig_lower_view(l);
    const size_t bytes = ig_move_elem_bytes(in->type.dtype);
    if (bytes == 0) return INGOT_OK;
    ig_move_shape_transpose(&item.shape, in->rank, in->dims, perm, bytes);
    return ig_lower_moves(l, &item, 1);
}

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int perm[IG_MAX_RANK];
    (void)out;
    if (in[0]->rank < 0 || read_perm(node, in[0]->rank, perm, NULL) != INGOT_OK) return false;
    for (int d = 0; d < in[0]->rank; d++)
        if (perm[d] != d) return false;
    return true;
}

static const char *const cases[] = {
    "u4[2,3]{1,2,3,4,5,15} = u4[3,2]{1,4,2,5,3,15}",
    "i2[3,3] perm=[1,0]",
    "f32[2,3,4]",
    "f32[2,3]{1,2,3,4,5,6} = f32[3,2]{1,4,2,5,3,6}",
    "f32[2,3,4] perm=[0,2,1]",
    "f32[2,3,4,5] perm=[0,2,3,1]",
    "f32[1,3,4,5] perm=[0,3,1,2]",
    "f32[2,3,4,5] perm=[0,1,2,3]",
    "f32[1,1,4,5] perm=[2,0,3,1]",
    "f32[]",
    "f32[0,3] perm=[1,0]",
    "i8[5,7] perm=[1,0]",
    "f16[3,4]",
    "f64[3,4]",
    "str[2,2]{\"a\",\"b\",\"c\",\"d\"}",
    "f32[2,3] perm=[0] ! perm has 1 entries, the input has rank 2",
    "f32[2,3] perm=[0,0] ! given twice",
    "f32[2,3] perm=[0,2] ! axis 2 is out of range for rank 2",
    NULL,
};

const ig_op ig_op_transpose = {
    .onnx = "Transpose",
    .since = { 1, 13, 21, 23, 24, 25 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_MOVES_UNPACKED | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .cases = cases,
};
