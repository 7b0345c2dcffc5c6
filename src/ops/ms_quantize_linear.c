/* SPDX-License-Identifier: Apache-2.0 */
/* ms_quantize_linear.c: com.microsoft QuantizeLinear: as ONNX's, 16- and 4-bit types from the
 * start. */
#include "ops/quantize.h"

static const char *const cases[] = {
    "f32[6]{0,2,3,1000,-254,-1000} f32[]{2} u8[]{128} = u8[6]{128,129,130,255,1,0}",
    "f32[3]{70000,-5,7} f32[]{1} u16[]{3} = u16[3]{65535,0,10}",
    "f32[2,2]{1,2,3,4} f32[2]{1,0.5} i8[2]{0,10} axis=0 = i8[2,2]{1,2,16,18}", "f32[0] f32[]{1}",
    NULL
};

const ig_op ig_op_ms_quantize_linear = { .onnx = "QuantizeLinear",
                                         .domain = "com.microsoft",
                                         .since = { 1 },
                                         .n_in = { 2, 3 },
                                         .n_out = { 1, 1 },
                                         .types = IG_T_FLOATS | IG_T(INGOT_INT32),
                                         .flags = IG_OWN_HALF,
                                         .infer = ig_quantize_infer,
                                         .ref = ig_quantize_ref,
                                         .lower = ig_quantize_lower,
                                         .permute = ig_quant_permute,
                                         .cases = cases };
