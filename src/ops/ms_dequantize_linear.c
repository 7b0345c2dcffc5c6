/* SPDX-License-Identifier: Apache-2.0 */
/* ms_dequantize_linear.c: com.microsoft DequantizeLinear: as ONNX's, 16- and 4-bit types from the
 * start. */
#include "ops/quantize.h"

static const char *const cases[] = {
    "u8[4]{0,3,128,255} f32[]{2} u8[]{128} = f32[4]{-256,-250,0,254}",
    "u16[2]{65535,0} f32[]{2} u16[]{32767} = f32[2]{65536,-65534}",
    "i8[2,2]{1,2,3,4} f32[2]{1,0.5} i8[2]{0,10} axis=0 = f32[2,2]{1,2,-3.5,-3}", "u8[0] f32[]{1}",
    NULL
};

const ig_op ig_op_ms_dequantize_linear = { .onnx = "DequantizeLinear",
                                           .domain = "com.microsoft",
                                           .since = { 1 },
                                           .n_in = { 2, 3 },
                                           .n_out = { 1, 1 },
                                           .types = IG_T_QUANT | IG_T(INGOT_INT32),
                                           .flags = IG_OWN_HALF,
                                           .infer = ig_dequantize_infer,
                                           .ref = ig_dequantize_ref,
                                           .lower = ig_dequantize_lower,
                                           .permute = ig_quant_permute,
                                           .cases = cases };
