/* SPDX-License-Identifier: Apache-2.0 */
/* quantize.c: see quantize.h. */
#include "ops/quantize.h"

#include "ops/broadcast.h"

static ig_status bad_scale(int scale_rank, const int64_t *scale_dims, ig_error *err,
                           const char *what)
{
    char text[96];
    return ig_fail(err, INGOT_ERR_SHAPE, "scale %s %s",
                   ig_shape_format(INGOT_FLOAT, scale_rank, scale_dims, text, sizeof text), what);
}

ig_status ig_quant_layout_of(const ig_node *node, int rank, const int64_t *dims, int scale_rank,
                             const int64_t *scale_dims, ig_quant_layout *q, ig_error *err)
{
    int axis = 0;
    const int64_t block = ig_attr_int(node, "block_size", 0);
    *q = (ig_quant_layout){ .outer = 1, .dim = 1, .inner = 1, .n_blocks = 1 };
    if (block < 0) return ig_fail(err, INGOT_ERR_INVALID, "block_size is %lld", (long long)block);
    q->is_per_tensor = block == 0 && ig_count(scale_rank, scale_dims) == 1;
    if (q->is_per_tensor) {
        q->inner = ig_count(rank, dims);
        if (q->inner < 1) q->inner = 1; /* a divisor */
        return INGOT_OK;
    }
    IG_TRY(ig_axis(ig_attr_int(node, "axis", 1), rank, &axis, err));
    for (int d = 0; d < axis; d++) q->outer *= dims[d];
    q->dim = dims[axis];
    for (int d = axis + 1; d < rank; d++) q->inner *= dims[d];
    if (block == 0) {
        if (scale_rank != 1 || scale_dims[0] != q->dim)
            return bad_scale(scale_rank, scale_dims, err, "is neither one value nor one per index");
        return INGOT_OK;
    }
    q->block = block;
    q->n_blocks = q->dim / block + (q->dim % block != 0);
    bool fits = scale_rank == rank;
    for (int d = 0; fits && d < rank; d++)
        fits = scale_dims[d] == (d == axis ? q->n_blocks : dims[d]);
    return fits ? INGOT_OK : bad_scale(scale_rank, scale_dims, err, "does not fit the blocks");
}

ig_status ig_quant_infer(ig_infer *c, ingot_dtype out_dtype)
{
    int64_t dims[IG_MAX_RANK], scale_dims[IG_MAX_RANK];
    ig_quant_layout q;
    const ig_info *x = c->in[0], *scale = c->in[1], *zero = c->n_in > 2 ? c->in[2] : NULL;
    const ig_dtype_set scales = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16) |
                                IG_T(INGOT_FLOAT8E8M0) | IG_T(INGOT_INT32);
    if (scale->type.dtype && !(IG_T(scale->type.dtype) & scales))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "scales of element type %s are not possible",
                          ingot_dtype_name(scale->type.dtype));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = out_dtype;
    if (!ig_info_is_static(scale, scale_dims)) return INGOT_OK;
    if (ig_info_is_static(x, dims))
        IG_TRY(ig_quant_layout_of(c->node, x->rank, dims, scale->rank, scale_dims, &q, c->err));
    if (zero && ig_info_is_static(zero, dims) &&
        ig_count(zero->rank, dims) != ig_count(scale->rank, scale_dims))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "scale and zero point differ in shape");
    return INGOT_OK;
}

/* Blocks become a dimension of their own, which needs them whole. */
static void param_operand(const ig_quant_layout *q, ingot_dtype dtype, ig_eltwise_operand *o)
{
    *o = (ig_eltwise_operand){ .dtype = dtype };
    if (q->is_per_tensor) return;
    const int64_t per_axis[] = { 1, q->dim, 1, 1 };
    const int64_t blocked[] = { q->outer, q->n_blocks, 1, q->inner };
    o->rank = 4;
    for (int d = 0; d < 4; d++) o->dims[d] = q->block ? blocked[d] : per_axis[d];
    if (q->block == 0) o->dims[3] = 1;
}

static void full_operand(const ig_quant_layout *q, ingot_dtype dtype, ig_eltwise_operand *o)
{
    const int64_t plain[] = { q->outer, q->dim, 1, q->inner };
    const int64_t blocked[] = { q->outer, q->n_blocks, q->block, q->inner };
    *o = (ig_eltwise_operand){ .dtype = dtype, .rank = 4 };
    for (int d = 0; d < 4; d++) o->dims[d] = q->block ? blocked[d] : plain[d];
}

ig_status ig_quant_lower(ig_lower *l, const ig_prim *prim)
{
    int64_t dims[IG_MAX_RANK], scale_dims[IG_MAX_RANK];
    ig_quant_layout q;
    const ig_info *x = l->in[0], *scale = l->in[1], *zero = l->n_in > 2 ? l->in[2] : NULL;
    if (!ig_info_is_static(x, dims) || !ig_info_is_static(scale, scale_dims)) return INGOT_OK;
    IG_TRY(ig_quant_layout_of(l->node, x->rank, dims, scale->rank, scale_dims, &q, l->err));
    if (ig_count(x->rank, dims) == 0 || (q.block && q.dim % q.block)) return INGOT_OK;
    if (!prim->fn[l->isa] || !ig_eltwise_dtype_ok(x->type.dtype) ||
        !ig_eltwise_dtype_ok(l->out[0].type.dtype))
        return INGOT_OK;
    const int8_t n_in = zero ? 3 : 2;
    ig_eltwise_program program = { .n_in = n_in, .n_out = 1, .n_instrs = 1, .out_reg = { n_in } };
    full_operand(&q, x->type.dtype, &program.in[0]);
    param_operand(&q, scale->type.dtype, &program.in[1]);
    if (zero) param_operand(&q, zero->type.dtype, &program.in[2]);
    full_operand(&q, l->out[0].type.dtype, &program.out[0]);
    program.instrs[0] = (ig_eltwise_instr){
        .prim = prim, .dst = n_in, .src = { 0, 1, zero ? 2 : 1 }, .params = { zero ? 1.0f : 0.0f }
    };
    return ig_lower_program(l, &program, prim->name);
}

bool ig_quant_permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int axis;
    /* out of range: a scale for all, or an error that inference reports */
    if (ig_axis(ig_attr_int(node, "axis", 1), rank, &axis, NULL)) return true;
    for (int d = 0; d < rank; d++)
        if (perm[d] == axis) return ig_node_set_int(g, node, "axis", d);
    return false;
}
