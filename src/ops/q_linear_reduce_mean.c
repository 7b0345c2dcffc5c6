/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_reduce_mean.c: com.microsoft QLinearReduceMean: ReduceMean of 8-bit data, in real
 * values. */
#include "ops/qlinear.h"
#include "ops/reduction.h"

enum { IN_X, IN_X_SCALE, IN_X_ZERO, IN_Y_SCALE, IN_Y_ZERO };

static ig_status infer(ig_infer *c)
{
    const ingot_dtype dtype = c->in[IN_X]->type.dtype;
    IG_TRY(ig_qparam_infer(c, IN_X_SCALE, IN_X_ZERO, dtype));
    IG_TRY(ig_qparam_infer(c, IN_Y_SCALE, IN_Y_ZERO, dtype));
    ig_infer one = *c;
    one.n_in = 1; /* axes are an attribute */
    return ig_infer_reduction(&one, NULL);
}

static double add(double sum, double x) { return sum + x; }
static double divide(double sum, int64_t n) { return sum / (double)n; }
static const ig_reduction mean = { .step = add, .finish = divide };

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X];
    ig_tensor *y = c->out[0], *wide = NULL, *result = NULL;
    ig_qparam qx, qy;
    IG_TRY(ig_qparam_of_call(c, IN_X_SCALE, IN_X_ZERO, x->dtype, &qx));
    IG_TRY(ig_qparam_of_call(c, IN_Y_SCALE, IN_Y_ZERO, x->dtype, &qy));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, x->rank, x->dims, NULL, &wide, c->err));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, y->rank, y->dims, NULL, &result, c->err));
    const int64_t n_x = ig_tensor_count(x), n_y = ig_tensor_count(y);
    for (int64_t i = 0; i < n_x; i++)
        ((float *)wide->data)[i] = (ig_q_load(x->dtype, x->data, i) - qx.zero) * qx.scale;
    const ig_tensor *const in[] = { wide };
    ig_tensor *out[] = { result };
    ig_call real = *c;
    real.in = in;
    real.n_in = 1;
    real.out = out;
    IG_TRY(ig_ref_reduction(&real, &mean));
    for (int64_t i = 0; i < n_y; i++)
        ((uint8_t *)y->data)[i] = ig_q_quantize(y->dtype, &qy, ((const float *)result->data)[i]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "u8[2,2]{10,20,30,50} f32[]{0.5} u8[]{10} f32[]{0.25} u8[]{3} axes=[1] keepdims=1 = "
    "u8[2,1]{13,63}",
    "i8[2,3,4] f32[]{0.02} i8[]{3} f32[]{0.013} i8[]{-7} axes=[-1,1] keepdims=0",
    "u8[2,3,4] c:f32[]{0.02} c:u8[]{128} c:f32[]{0.013} c:u8[]{12} axes=[0,1,2] keepdims=1",
    "u8[0,3] f32[]{0.02} u8[]{128} f32[]{0.013} u8[]{12} axes=[1] keepdims=1",
    "u8[2,3] f32[]{0.02} _ f32[]{0.013} axes=[1] keepdims=1",
    "u8[2,3] f32[2] u8[]{1} f32[]{1} u8[]{1} axes=[1] keepdims=1 ! not one float32 scale",
    "u8[2,3] f32[] u8[]{1} f32[]{1} u8[]{1} axes=[2] keepdims=1 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_q_linear_reduce_mean = {
    .onnx = "QLinearReduceMean",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 5 },
    .gaps = 1 << 2,
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
