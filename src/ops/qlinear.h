/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qlinear.h: what the QLinear… operators share: 8-bit tensors with one scale and one zero point
 * each, real value = (q - zero) * scale.
 */
#ifndef IG_OPS_QLINEAR_H
#define IG_OPS_QLINEAR_H

#include <math.h>

#include "ops/op.h"

#define IG_T_8_BIT (IG_T(INGOT_UINT8) | IG_T(INGOT_INT8))

typedef struct ig_qparam {
    float scale;
    float zero;
} ig_qparam;

/* Inputs i_scale and i_zero (may be absent: 0) must be one float32 and one element of this type
 * (INGOT_UNDEFINED: not known), as far as that is known. */
ig_status ig_qparam_infer(const ig_infer *c, int i_scale, int i_zero,
                          ingot_dtype dtype) IG_MUST_USE;
/* The same check, and the values, of a call. */
ig_status ig_qparam_of_call(const ig_call *c, int i_scale, int i_zero, ingot_dtype dtype,
                            ig_qparam *q) IG_MUST_USE;
/* The values where both are constants that fit; false otherwise. */
bool ig_qparam_of_lower(const ig_lower *l, int i_scale, int i_zero, ig_qparam *q);

static inline float ig_q_load(ingot_dtype dtype, const void *data, int64_t i)
{
    return dtype == INGOT_INT8 ? (float)((const int8_t *)data)[i]
                               : (float)((const uint8_t *)data)[i];
}
/* round(v) + zero, saturated. */
static inline uint8_t ig_q_store(ingot_dtype dtype, const ig_qparam *q, float v)
{
    const float lo = dtype == INGOT_INT8 ? -128.0f : 0, hi = lo + 255.0f;
    const float r = rintf(v) + q->zero;
    return (uint8_t)(int)(r > hi ? hi : r > lo ? r : lo); /* NaN: the lowest */
}
/* Of a real value. */
static inline uint8_t ig_q_quantize(ingot_dtype dtype, const ig_qparam *q, float v)
{
    return ig_q_store(dtype, q, v / q->scale);
}

/* ---- functions of one 8-bit tensor: inputs X, X_scale, X_zero, Y_scale, Y_zero ---- */

/* A function on real values. */
typedef float (*ig_qlinear_fn)(const ig_node *node, float x);

ig_status ig_qlinear_unary_infer(ig_infer *c);
ig_status ig_qlinear_unary_ref(ig_call *c, ig_qlinear_fn fn);
/* A table of 256 entries, where the parameters are constants. */
ig_status ig_qlinear_unary_lower(ig_lower *l, ig_qlinear_fn fn);
/* table[byte of x] = byte of y, both of this type. fn NULL: identity. */
void ig_qlinear_table(ingot_dtype dtype, const ig_qparam *x, const ig_qparam *y, ig_qlinear_fn fn,
                      const ig_node *node, uint8_t table[256]);

/* ---- functions of two: inputs A, A_scale, A_zero, B, B_scale, B_zero, C_scale, C_zero ---- */

ig_status ig_qlinear_binary_infer(ig_infer *c);
ig_status ig_qlinear_binary_ref(ig_call *c, bool is_product);
/* A program of two dequantizations, `prim`, one quantization. */
ig_status ig_qlinear_binary_lower(ig_lower *l, const ig_prim *prim);

#endif
