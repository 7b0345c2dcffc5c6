/* SPDX-License-Identifier: Apache-2.0 */
/* cast_like.c: y = x in the element type of the second input; the rules are in cast.h. */
#include "ops/cast.h"

static ig_status infer(ig_infer *c)
{
    if (c->in[1]->type.dtype != INGOT_UNDEFINED) return ig_infer_cast(c, c->in[1]->type.dtype);
    return ig_infer_same(c);
}

static ig_status ref(ig_call *c) { return ig_ref_cast(c, c->in[1]->dtype); }

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)node, (void)out;
    return in[0]->type.dtype == in[1]->type.dtype;
}

/* Elementwise in input 0 alone: nothing to rewrite. */
static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    (void)g, (void)node, (void)perm, (void)rank;
    return true;
}

static const char *const cases[] = { "f32[3]{-1.7,1.7,300} i8[1] = i8[3]{-1,1,127}",
                                     "i64[2]{1,0} bool[] = bool[2]{1,0}",
                                     "f32[2,3] f16[7]",
                                     "f16[5] f32[1]",
                                     "f32[2] f32[5]",
                                     "f32[0] i64[1]",
                                     "f32[1]{2.5} str[1]{\"a\"} = str[1]{\"2.5\"}",
                                     NULL };

const ig_op ig_op_cast_like = { .onnx = "CastLike",
                                .since = { 15, 19, 21, 23, 24, 25 },
                                .n_in = { 2, 2 },
                                .n_out = { 1, 1 },
                                .flags = IG_OWN_HALF,
                                .infer = infer,
                                .ref = ref,
                                .lower = ig_lower_cast,
                                .is_identity = is_identity,
                                .permute = permute,
                                .cases = cases };
