/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unary.h: what elementwise operators of one input share.
 *
 * A function on floats (sin.c and its kin) is three lines: the vector primitive, IG_UNARY_EVAL
 * with the same formula on a double x and the parameters p, and IG_UNARY_FLOAT_OP with what
 * differs from the common record.
 */
#ifndef IG_OPS_UNARY_H
#define IG_OPS_UNARY_H

#include "ops/op.h"

typedef double (*ig_unary_fn)(double x, const float p[IG_PRIM_N_PARAMS]);

/* Reference on float32 and float64: y = f(x, p), computed in double; p as the op's prim_params
 * gives it for the node (without infos: they must come from attributes). */
ig_status ig_ref_unary(ig_call *c, ig_unary_fn f);

/* Properties. */
bool ig_always_identity(const ig_node *node, const ig_info *const *in, const ig_info *out);

#define IG_UNARY_EVAL(expr)                                                                        \
    static double eval(double x, const float p[IG_PRIM_N_PARAMS])                                  \
    {                                                                                              \
        (void)p;                                                                                   \
        return (expr);                                                                             \
    }                                                                                              \
    static ig_status ref(ig_call *c) { return ig_ref_unary(c, eval); }

#define IG_UNARY_FLOAT_OP(name, onnx_, ...)                                                        \
    IG_PRIM_DECLARE(name)                                                                          \
    static const ig_prim prim = IG_PRIM_TABLE(name, 1);                                            \
    const ig_op ig_op_##name = { .onnx = (onnx_),                                                  \
                                 .n_in = { 1, 1 },                                                 \
                                 .n_out = { 1, 1 },                                                \
                                 .types = IG_T_FLOATS,                                             \
                                 .flags = IG_ELEMENTWISE | IG_INPLACE,                             \
                                 .infer = ig_infer_same,                                           \
                                 .ref = ref,                                                       \
                                 .prim = &prim,                                                    \
                                 .cases = cases,                                                   \
                                 __VA_ARGS__ };

#define IG_UNARY_LOOP_(expr)                                                                       \
    for (int64_t i_ = 0; i_ < n; i_++) {                                                           \
        const T a = ((const T *)x_)[i_];                                                           \
        ((T *)y_)[i_] = (T)(expr);                                                                 \
    }
/* A reference with one expression of `T a` for floats and one for integers. */
#define IG_UNARY_REF(float_expr, int_expr)                                                         \
    static ig_status ref(ig_call *c)                                                               \
    {                                                                                              \
        const ig_tensor *in = c->in[0];                                                            \
        const int64_t n = ig_tensor_count(in);                                                     \
        IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));                               \
        if (!c->out[0]) return INGOT_OK;                                                           \
        const void *x_ = in->data;                                                                 \
        void *y_ = c->out[0]->data;                                                                \
        switch ((int)in->dtype) {                                                                  \
            IG_CASES_FLOAT_(IG_UNARY_LOOP_(float_expr))                                            \
            IG_CASES_INT_(IG_UNARY_LOOP_(int_expr))                                                \
        default:                                                                                   \
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",      \
                           ingot_dtype_name(in->dtype));                                           \
        }                                                                                          \
        return INGOT_OK;                                                                           \
    }
/* Is T signed? (A comparison with zero would warn where T is not.) */
#define IG_IS_SIGNED(T) ((T)-1 < (T)1)

#endif
