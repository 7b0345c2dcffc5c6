/* SPDX-License-Identifier: Apache-2.0 */
/* where.c: y = condition ? a : b. */
#include "ops/broadcast.h"

#include <string.h>

IG_PRIM3(where, vf_select(a != vf_zero(), b, c))

#ifdef IG_BASE

/* Shapes that pick between known ones: the pattern of an Expand with -1. */
static ig_status infer_elems(ig_infer *c)
{
    ig_dim flag[IG_MAX_ELEMS], a[IG_MAX_ELEMS], b[IG_MAX_ELEMS], y[IG_MAX_ELEMS];
    int64_t dims[IG_MAX_RANK];
    int n_flag, n_a, n_b;
    ig_info *out = &c->out[0];
    if (!(IG_T(out->type.dtype) & (IG_T(INGOT_INT64) | IG_T(INGOT_INT32)))) return INGOT_OK;
    if (!ig_info_is_static(out, dims)) return INGOT_OK;
    const int64_t n = ig_count(out->rank, dims);
    if (n < 0 || n > IG_MAX_ELEMS || !ig_infer_ints(c, 0, flag, IG_MAX_ELEMS, &n_flag) ||
        !ig_infer_ints(c, 1, a, IG_MAX_ELEMS, &n_a) || !ig_infer_ints(c, 2, b, IG_MAX_ELEMS, &n_b))
        return INGOT_OK;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at[] = { ig_broadcast_index(out, c->in[0], i),
                               ig_broadcast_index(out, c->in[1], i),
                               ig_broadcast_index(out, c->in[2], i) };
        if (at[0] >= n_flag || at[1] >= n_a || at[2] >= n_b) return INGOT_OK;
        if (!ig_dim_is_const(flag[at[0]])) return INGOT_OK;
        y[i] = flag[at[0]] ? a[at[1]] : b[at[2]];
        if (y[i] == IG_DIM_MAX || y[i] == IG_DIM_MIN_CONST) return INGOT_OK; /* was clamped */
    }
    return ig_infer_set_elems(c, 0, y, (int)n);
}

static ig_status infer(ig_infer *c)
{
    const ingot_dtype condition = c->in[0]->type.dtype;
    if (condition != INGOT_BOOL && condition != INGOT_UNDEFINED)
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the condition is %s, not bool",
                          ingot_dtype_name(condition));
    IG_TRY(ig_infer_same_type(c, 1, 2));
    c->out[0].type = c->in[1]->type;
    IG_TRY(ig_broadcast_shapes(c, 3, &c->out[0]));
    return infer_elems(c);
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    int64_t dims[IG_MAX_RANK];
    int rank = 0;
    IG_TRY(ig_tensors_broadcast(c->in, 3, &rank, dims, c->err));
    IG_TRY(ig_call_output(c, 0, c->in[1]->dtype, rank, dims));
    if (!c->out[0]) return INGOT_OK;
    ig_rows_begin(&r, rank, dims, c->in, 3);
    IG_SWITCH_SIZE(c, c->in[1]->dtype, {
        for (; r.n_left > 0; ig_rows_next(&r)) {
            const uint8_t *flag = (const uint8_t *)c->in[0]->data + r.at[0];
            const T *a = (const T *)c->in[1]->data + r.at[1];
            const T *b = (const T *)c->in[2]->data + r.at[2];
            T *y = (T *)c->out[0]->data + r.out_at;
            for (int64_t i = 0; i < r.n_cols; i++)
                y[i] = flag[i * r.step[0]] ? a[i * r.step[1]] : b[i * r.step[2]];
        }
    })
    return INGOT_OK;
}

static const char *const cases[] = {
    "bool[3]{1,0,1} f32[3]{1,2,3} f32[3]{4,5,6} = f32[3]{1,5,3}",
    "bool[2,1]{1,0} i64[2]{1,2} i64[]{9} = i64[2,2]{1,2,9,9}",
    "bool[2]{1,0} c:i64{3,4} c:i64{5,6} = i64{3,6}",
    "c:bool[2]{1,0} c:i64{3,4} c:i64{5,6} = i64{3,6}",
    "bool[2]{1,0} str[2]{\"a\",\"b\"} str[1]{\"c\"} = str[2]{\"a\",\"c\"}",
    "bool[2]{1,0} f32[2]{nan,1} f32[2]{1,nan} = f32[2]{nan,nan}",
    "bool[3,1,5] f32[4,1] f32[5]",
    "bool[7] f16[7] f16[1]",
    "bool[7] u8[7] u8[7]",
    "bool[] f64[2,2] f64[2]",
    "bool[0] f32[1] f32[1]",
    "f32[2] f32[2] f32[2] ! element type",
    "bool[2] f32[2] i32[2] ! element types",
    "bool[2] f32[3] f32[3] ! broadcast",
    NULL
};

IG_PRIM_DECLARE(where)
static const ig_prim prim = IG_PRIM_TABLE(where, 3);
const ig_op ig_op_where = { .onnx = "Where",
                            .since = { 9, 16 },
                            .n_in = { 3, 3 },
                            .n_out = { 1, 1 },
                            .types = IG_T_BOOL,
                            .flags = IG_ELEMENTWISE | IG_INPLACE | IG_OWN_HALF,
                            .infer = infer,
                            .ref = ref,
                            .prim = &prim,
                            .cases = cases };
#endif
