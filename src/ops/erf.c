/* SPDX-License-Identifier: Apache-2.0 */
/* erf.c: y = error function of x. */
#include "ops/unary.h"

IG_PRIM1(erf, vf_erf(a))

#ifdef IG_BASE
#include <math.h>

/* of an integer: -1, 0 or 1; beyond 3 it is 1 in float32 */
IG_UNARY_REF(erf((double)a), (float)erf((double)a))

static const char *const cases[] = {
    "f32[5]{0,1,-1,inf,-inf} = f32[5]{0,0.84270079,-0.84270079,1,-1}",
    "f64[1]{0.5} = f64[1]{0.5204998778130465}",
    "f32[2,31]",
    "f32[0]",
    "bf16[5] @9",
    "i32[5]{0,1,-1,4,-9} = i32[5]{0,0,0,1,-1}",
    "u8[3]{0,1,200} = u8[3]{0,0,1}",
    NULL
};

IG_PRIM_DECLARE(erf)
static const ig_prim prim = IG_PRIM_TABLE(erf, 1);

const ig_op ig_op_erf = {
    .onnx = "Erf",
    .since = { 9, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC,
    .flags = IG_ELEMENTWISE | IG_INPLACE,
    .infer = ig_infer_same,
    .ref = ref,
    .prim = &prim,
    .cases = cases,
};
#endif
