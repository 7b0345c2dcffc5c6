/* SPDX-License-Identifier: Apache-2.0 */
/* qlinear.c: see qlinear.h. */
#include "ops/qlinear.h"

#include "ops/broadcast.h"

#define TABLE_BLOCK 4096

/* ---- parameters ---- */

static ig_status bad_param(ig_error *err, const char *what, int i)
{
    return ig_fail(err, INGOT_ERR_SHAPE, "input %d is not one %s", i, what);
}

static bool is_one_info(const ig_info *info, ingot_dtype dtype)
{
    int64_t dims[IG_MAX_RANK];
    if (info->type.kind != INGOT_KIND_TENSOR) return false;
    if (info->type.dtype != INGOT_UNDEFINED && dtype != INGOT_UNDEFINED &&
        info->type.dtype != dtype)
        return false;
    return !ig_info_is_static(info, dims) || ig_count(info->rank, dims) == 1;
}

static const ig_info *info_at(const ig_info *const *in, int n_in, int i)
{
    return i < n_in ? in[i] : NULL;
}

ig_status ig_qparam_infer(const ig_infer *c, int i_scale, int i_zero, ingot_dtype dtype)
{
    const ig_info *scale = info_at(c->in, c->n_in, i_scale),
                  *zero = info_at(c->in, c->n_in, i_zero);
    if (!scale || !is_one_info(scale, INGOT_FLOAT))
        return bad_param(c->err, "float32 scale", i_scale);
    if (zero && !is_one_info(zero, dtype))
        return bad_param(c->err, "zero point of the tensor's type", i_zero);
    return INGOT_OK;
}

ig_status ig_qparam_of_call(const ig_call *c, int i_scale, int i_zero, ingot_dtype dtype,
                            ig_qparam *q)
{
    const ig_tensor *scale = i_scale < c->n_in ? c->in[i_scale] : NULL;
    const ig_tensor *zero = i_zero < c->n_in ? c->in[i_zero] : NULL;
    *q = (ig_qparam){ 1, 0 };
    if (!scale || scale->dtype != INGOT_FLOAT || ig_tensor_count(scale) != 1)
        return bad_param(c->err, "float32 scale", i_scale);
    if (zero && (zero->dtype != dtype || ig_tensor_count(zero) != 1))
        return bad_param(c->err, "zero point of the tensor's type", i_zero);
    q->scale = *(const float *)scale->data;
    if (zero) q->zero = ig_q_load(dtype, zero->data, 0);
    return INGOT_OK;
}

bool ig_qparam_of_lower(const ig_lower *l, int i_scale, int i_zero, ig_qparam *q)
{
    const ig_info *scale = info_at(l->in, l->n_in, i_scale),
                  *zero = info_at(l->in, l->n_in, i_zero);
    *q = (ig_qparam){ 1, 0 };
    if (!scale || !scale->data || (zero && !zero->data)) return false;
    if (scale->type.dtype != INGOT_FLOAT || ig_tensor_count(scale->data) != 1) return false;
    if (zero && (!(IG_T(zero->type.dtype) & IG_T_8_BIT) || ig_tensor_count(zero->data) != 1))
        return false;
    q->scale = *(const float *)scale->data->data;
    if (zero) q->zero = ig_q_load(zero->type.dtype, zero->data->data, 0);
    return true;
}

/* ---- one tensor ---- */

ig_status ig_qlinear_unary_infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    IG_TRY(ig_qparam_infer(c, 1, 2, c->in[0]->type.dtype));
    return ig_qparam_infer(c, 3, 4, c->in[0]->type.dtype);
}

void ig_qlinear_table(ingot_dtype dtype, const ig_qparam *x, const ig_qparam *y, ig_qlinear_fn fn,
                      const ig_node *node, uint8_t table[256])
{
    for (int i = 0; i < 256; i++) {
        const uint8_t byte = (uint8_t)i;
        const float v = (ig_q_load(dtype, &byte, 0) - x->zero) * x->scale;
        table[i] = ig_q_quantize(dtype, y, fn ? fn(node, v) : v);
    }
}

ig_status ig_qlinear_unary_ref(ig_call *c, ig_qlinear_fn fn)
{
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x);
    uint8_t table[256];
    ig_qparam qx, qy;
    IG_TRY(ig_qparam_of_call(c, 1, 2, x->dtype, &qx));
    IG_TRY(ig_qparam_of_call(c, 3, 4, x->dtype, &qy));
    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    ig_qlinear_table(x->dtype, &qx, &qy, fn, c->node, table);
    for (int64_t i = 0; c->out[0] && i < n; i++)
        ((uint8_t *)c->out[0]->data)[i] = table[((const uint8_t *)x->data)[i]];
    return INGOT_OK;
}

typedef struct table_params {
    uint8_t table[256];
    int64_t n;
} table_params;

static void k_table(const void *params, void *const *operands, ig_part part)
{
    const table_params *p = params;
    const uint8_t *x = operands[0];
    uint8_t *y = operands[1];
    const int64_t end = part.end * TABLE_BLOCK < p->n ? part.end * TABLE_BLOCK : p->n;
    for (int64_t i = part.begin * TABLE_BLOCK; i < end; i++) y[i] = p->table[x[i]];
}

ig_status ig_qlinear_unary_lower(ig_lower *l, ig_qlinear_fn fn)
{
    int64_t dims[IG_MAX_RANK];
    ig_qparam qx, qy;
    const ingot_dtype dtype = l->in[0]->type.dtype;
    if (!ig_qparam_of_lower(l, 1, 2, &qx) || !ig_qparam_of_lower(l, 3, 4, &qy) ||
        !ig_info_is_static(l->in[0], dims))
        return INGOT_OK;
    table_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    ig_qlinear_table(dtype, &qx, &qy, fn, l->node, p->table);
    p->n = ig_count(l->in[0]->rank, dims);
    l->params = p;
    l->kernel = k_table;
    l->kernel_name = "ig_k_table_u8";
    l->n_operand_in = 1;
    l->n_work = (p->n + TABLE_BLOCK - 1) / TABLE_BLOCK;
    l->grain = 16;
    return INGOT_OK;
}

/* ---- two tensors ---- */

enum { IN_A, IN_A_SCALE, IN_A_ZERO, IN_B, IN_B_SCALE, IN_B_ZERO, IN_C_SCALE, IN_C_ZERO };

ig_status ig_qlinear_binary_infer(ig_infer *c)
{
    const ig_info *both[2] = { c->in[IN_A], c->in[IN_B] };
    const ingot_dtype dtype = both[0]->type.dtype;
    if (!both[1] || both[1]->type.dtype != dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "A and B differ in element type");
    IG_TRY(ig_qparam_infer(c, IN_A_SCALE, IN_A_ZERO, dtype));
    IG_TRY(ig_qparam_infer(c, IN_B_SCALE, IN_B_ZERO, dtype));
    IG_TRY(ig_qparam_infer(c, IN_C_SCALE, IN_C_ZERO, dtype));
    ig_infer inner = *c;
    inner.in = both;
    inner.n_in = 2;
    return ig_infer_broadcast(&inner);
}

ig_status ig_qlinear_binary_ref(ig_call *c, bool is_product)
{
    const ig_tensor *both[2] = { c->in[IN_A], c->in[IN_B] };
    const ingot_dtype dtype = both[0]->dtype;
    int64_t dims[IG_MAX_RANK];
    int rank;
    ig_qparam qa, qb, qc;
    ig_rows r;
    if (!both[1] || both[1]->dtype != dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "A and B differ in element type");
    IG_TRY(ig_qparam_of_call(c, IN_A_SCALE, IN_A_ZERO, dtype, &qa));
    IG_TRY(ig_qparam_of_call(c, IN_B_SCALE, IN_B_ZERO, dtype, &qb));
    IG_TRY(ig_qparam_of_call(c, IN_C_SCALE, IN_C_ZERO, dtype, &qc));
    IG_TRY(ig_tensors_broadcast(both, 2, &rank, dims, c->err));
    IG_TRY(ig_call_output(c, 0, dtype, rank, dims));
    if (!c->out[0]) return INGOT_OK;
    uint8_t *y = c->out[0]->data;
    for (ig_rows_begin(&r, rank, dims, both, 2); r.n_left > 0; ig_rows_next(&r))
        for (int64_t i = 0; i < r.n_cols; i++) {
            const float a = ig_q_load(dtype, both[0]->data, r.at[0] + i * r.step[0]);
            const float b = ig_q_load(dtype, both[1]->data, r.at[1] + i * r.step[1]);
            const float va = (a - qa.zero) * qa.scale, vb = (b - qb.zero) * qb.scale;
            y[r.out_at + i] = ig_q_quantize(dtype, &qc, is_product ? va * vb : va + vb);
        }
    return INGOT_OK;
}

IG_PRIM_DECLARE(dequantize)
IG_PRIM_DECLARE(quantize)
static const ig_prim dequantize = IG_PRIM_TABLE(dequantize, 3);
static const ig_prim quantize = IG_PRIM_TABLE(quantize, 3);

/* The next operand of a program: node input i, or -1 where it is absent. */
static int8_t add_operand(const ig_lower *l, ig_eltwise_program *p, int8_t *map, int i,
                          bool is_full)
{
    const ig_info *info = info_at(l->in, l->n_in, i);
    if (!info) return -1;
    map[p->n_in] = (int8_t)i;
    if (is_full)
        ig_eltwise_set_operand(&p->in[p->n_in], info);
    else
        p->in[p->n_in] = (ig_eltwise_operand){ .dtype = info->type.dtype };
    return (int8_t)p->n_in++;
}

static void add_instr(ig_eltwise_program *p, const ig_prim *prim, int dst, int a, int b, int zero)
{
    p->instrs[p->n_instrs++] = (ig_eltwise_instr){ .prim = prim,
                                                   .dst = (int8_t)dst,
                                                   .src = { (int8_t)a, (int8_t)b,
                                                            (int8_t)(prim->n_sources < 3 ? -1
                                                                     : zero < 0          ? b
                                                                                         : zero) },
                                                   .params = { zero < 0 ? 0.0f : 1.0f } };
}

ig_status ig_qlinear_binary_lower(ig_lower *l, const ig_prim *prim)
{
    ig_eltwise_program p = { .n_out = 1 };
    int8_t *map = ig_arena_get(l->arena, 8), at[8];
    if (!map) return IG_NOMEM(l->err, 8);
    if (!prim->fn[l->isa]) return INGOT_OK;
    for (int i = 0; i < 8; i++) at[i] = add_operand(l, &p, map, i, i == IN_A || i == IN_B);
    const int a = p.n_in, b = p.n_in + 1;
    add_instr(&p, &dequantize, a, at[IN_A], at[IN_A_SCALE], at[IN_A_ZERO]);
    add_instr(&p, &dequantize, b, at[IN_B], at[IN_B_SCALE], at[IN_B_ZERO]);
    add_instr(&p, prim, a, a, b, 0);
    add_instr(&p, &quantize, a, a, at[IN_C_SCALE], at[IN_C_ZERO]);
    ig_eltwise_set_operand(&p.out[0], &l->out[0]);
    p.out_reg[0] = (int8_t)a;
    IG_TRY(ig_lower_program(l, &p, ig_arena_printf(l->arena, "qlinear_%s", prim->name)));
    l->operand_inputs = map;
    return INGOT_OK;
}
