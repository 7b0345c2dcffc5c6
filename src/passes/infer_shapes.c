/* SPDX-License-Identifier: Apache-2.0 */
/* infer_shapes.c: types, shapes and small contents of all values, subgraphs included. */
#include "passes/pass.h"

ig_status ig_pass_infer_shapes(ig_pass_ctx *ctx, ig_graph *g)
{
    return ig_graph_infer(g, ctx->err);
}
