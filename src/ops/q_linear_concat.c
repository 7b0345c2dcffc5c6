/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q_linear_concat.c: com.microsoft QLinearConcat: inputs y_scale, y_zero, then tensor, scale and
 * zero point of each part; the parts are requantized and put one after the other along `axis`.
 */
#include <string.h>

#include "ops/qlinear.h"

#define FIRST 2 /* the first part's tensor; parts are three inputs each */

static ig_status infer(ig_infer *c)
{
    ig_dim dims[IG_MAX_RANK];
    int rank = -1, axis = 0;
    if ((c->n_in - FIRST) % 3)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%d inputs are not 2 and 3 a part", c->n_in);
    for (int i = FIRST; i < c->n_in; i += 3) {
        const ig_info *x = c->in[i], *first = c->in[FIRST];
        if (!x || !(IG_T(x->type.dtype) & IG_T_8_BIT) || x->type.dtype != first->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is not an 8-bit tensor like input %d",
                           i, FIRST);
        IG_TRY(ig_qparam_infer(c, i + 1, i + 2, x->type.dtype));
        c->out[0].type = x->type;
        if (x->rank < 0) return INGOT_OK;
        if (rank < 0) {
            rank = x->rank;
            memcpy(dims, x->dims, sizeof dims);
            IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), rank, &axis, c->err));
            continue;
        }
        bool fits = x->rank == rank;
        for (int d = 0; fits && d < rank; d++)
            fits = d == axis || x->dims[d] == dims[d] || !ig_dim_is_const(x->dims[d]) ||
                   !ig_dim_is_const(dims[d]);
        if (!fits)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d does not fit the ones before it", i);
        dims[axis] = ig_dim_add(c->dims, dims[axis], x->dims[axis]);
    }
    IG_TRY(ig_qparam_infer(c, 0, 1, c->out[0].type.dtype));
    ig_info_set_shape(&c->out[0], c->out[0].type.dtype, rank, dims);
    return INGOT_OK;
}

/* Rows of `bytes` elements through a table into rows `pitch` apart. */
static void map_rows(const uint8_t table[256], const uint8_t *x, int64_t bytes, uint8_t *y,
                     int64_t pitch, int64_t n_rows)
{
    for (int64_t r = 0; r < n_rows; r++, y += pitch, x += bytes)
        for (int64_t i = 0; i < bytes; i++) y[i] = table[x[i]];
}

static ig_status ref(ig_call *c)
{
    ig_tensor *y = c->out[0];
    int axis = 0;
    int64_t at = 0;
    ig_qparam qx, qy;
    uint8_t table[256];
    if (!y) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), y->rank, &axis, c->err));
    IG_TRY(ig_qparam_of_call(c, 0, 1, y->dtype, &qy));
    const int64_t n_outer = ig_count(axis, y->dims);
    const int64_t pitch = ig_count(y->rank - axis, y->dims + axis);
    for (int i = FIRST; i < c->n_in; i += 3) {
        const ig_tensor *x = c->in[i];
        const int64_t bytes = ig_count(x->rank - axis, x->dims + axis);
        IG_TRY(ig_qparam_of_call(c, i + 1, i + 2, y->dtype, &qx));
        ig_qlinear_table(y->dtype, &qx, &qy, NULL, c->node, table);
        map_rows(table, x->data, bytes, (uint8_t *)y->data + at, pitch, n_outer);
        at += bytes;
    }
    return INGOT_OK;
}

typedef struct piece {
    uint8_t table[256];
    bool is_copy;
    int64_t bytes, at;
} piece;

typedef struct concat_params {
    int n;
    int64_t pitch;
    piece pieces[]; /* n */
} concat_params;

static void k_concat(const void *params, void *const *operands, ig_part part)
{
    const concat_params *p = params;
    for (int i = 0; i < p->n; i++) {
        const piece *q = &p->pieces[i];
        const uint8_t *x = (const uint8_t *)operands[i] + part.begin * q->bytes;
        uint8_t *y = (uint8_t *)operands[p->n] + part.begin * p->pitch + q->at;
        if (!q->is_copy) {
            map_rows(q->table, x, q->bytes, y, p->pitch, part.end - part.begin);
            continue;
        }
        for (int64_t r = part.begin; r < part.end; r++, x += q->bytes, y += p->pitch)
            memcpy(y, x, (size_t)q->bytes);
    }
}

static ig_status lower(ig_lower *l)
{
    int64_t y[IG_MAX_RANK], x[IG_MAX_RANK], at = 0;
    ig_qparam qx, qy;
    int axis = 0;
    const int n = (l->n_in - FIRST) / 3;
    if (n > 40 || !ig_info_is_static(&l->out[0], y) || !ig_qparam_of_lower(l, 0, 1, &qy))
        return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", 0), l->out[0].rank, &axis, l->err));
    concat_params *p = ig_arena_get(l->arena, sizeof *p + (size_t)n * sizeof p->pieces[0]);
    int8_t *map = ig_arena_get(l->arena, (size_t)n + 1);
    if (!p || !map) return IG_NOMEM(l->err, sizeof *p);
    for (int i = 0; i < n; i++) {
        const int k = FIRST + 3 * i;
        piece *q = &p->pieces[i];
        if (!ig_info_is_static(l->in[k], x) || !ig_qparam_of_lower(l, k + 1, k + 2, &qx))
            return INGOT_OK;
        ig_qlinear_table(l->out[0].type.dtype, &qx, &qy, NULL, l->node, q->table);
        q->is_copy = qx.scale == qy.scale && qx.zero == qy.zero;
        q->bytes = ig_count(l->in[k]->rank - axis, x + axis);
        q->at = at;
        at += q->bytes;
        map[i] = (int8_t)k;
    }
    p->n = n;
    p->pitch = at;
    l->params = p;
    l->kernel = k_concat;
    l->kernel_name = "ig_k_concat_table_u8";
    l->n_operand_in = n;
    l->operand_inputs = map;
    l->n_work = at ? ig_count(axis, y) : 0;
    l->grain = 1 + 65536 / (at + 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[]{0.5} u8[]{10} u8[2]{1,2} f32[]{1} u8[]{0} u8[1]{20} f32[]{0.5} u8[]{10} axis=0 "
    "= u8[3]{12,14,20}",
    "c:f32[]{0.5} c:i8[]{10} i8[2,3,4] c:f32[]{0.6} c:i8[]{0} i8[2,2,4] c:f32[]{0.5} c:i8[]{10} "
    "axis=1",
    "f32[]{1} u8[]{0} u8[2,3] f32[]{1} u8[]{0} u8[3,3] f32[]{1} u8[]{0} axis=1 ! does not fit",
    "f32[]{1} u8[]{0} u8[2,3] f32[]{1} u8[]{0} u8[2,3] axis=0 ! 2 and 3 a part",
    NULL,
};

const ig_op ig_op_q_linear_concat = {
    .onnx = "QLinearConcat",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 5, -1 },
    .n_out = { 1, 1 },
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
