/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c: running one node at compile time. */
#include "passes/rewrite.h"

typedef struct evaluation {
    ig_arena *arena; /* of the results */
    const ig_limits *limits;
} evaluation;

/* What overflows is left to the allocation. */
static ig_status check_size(const ig_limits *limits, ingot_dtype dtype, int rank,
                            const int64_t *dims, ig_error *err)
{
    size_t bytes = 0;
    const int64_t n = ig_count(rank, dims);
    if (n < 0 || !ig_dtype_bytes(dtype, n, &bytes)) return INGOT_OK;
    return ig_limits_check_tensor(limits, bytes, err);
}

static ig_status alloc_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    const evaluation *e = c->frame;
    ig_tensor *t;
    IG_TRY(check_size(e->limits, dtype, rank, dims, c->err));
    IG_TRY(ig_tensor_in_arena(e->arena, dtype, rank, dims, NULL, &t, c->err));
    *c->out[i] = *t;
    return INGOT_OK;
}

/* Tensors for the outputs: with memory where inference knows the shape. */
static ig_status prepare_outputs(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node,
                                 ig_arena *arena, ig_tensor **out)
{
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        int64_t dims[IG_MAX_RANK];
        if (node->outputs[i] == IG_NONE) continue;
        const ig_info *info = &g->values[node->outputs[i]]->info;
        if (info->type.kind == INGOT_KIND_TENSOR && info->type.dtype != INGOT_UNDEFINED &&
            ig_info_is_static(info, dims)) {
            IG_TRY(check_size(&ctx->limits, info->type.dtype, info->rank, dims, ctx->err));
            IG_TRY(ig_tensor_in_arena(arena, info->type.dtype, info->rank, dims, NULL, &out[i],
                                      ctx->err));
            continue;
        }
        out[i] = ig_arena_get(arena, sizeof **out);
        if (!out[i]) return IG_NOMEM(ctx->err, sizeof **out);
        out[i]->kind = info->type.kind;
        out[i]->dtype = info->type.dtype;
    }
    return INGOT_OK;
}

/* References borrow the bytes of strings from inputs or scratch; results must outlive both. */
static ig_status own_strings(ig_tensor *t, ig_arena *arena, ig_error *err)
{
    if (!t || t->kind != INGOT_KIND_TENSOR || t->dtype != INGOT_STRING) return INGOT_OK;
    ingot_string *strings = t->data;
    for (int64_t i = 0; i < ig_tensor_count(t); i++) {
        strings[i].data = ig_arena_strndup(arena, strings[i].data, strings[i].bytes);
        if (!strings[i].data) return IG_NOMEM(err, strings[i].bytes);
    }
    return INGOT_OK;
}

ig_status ig_evaluate(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node,
                      const ig_tensor *const *in, ig_arena *arena, const ig_tensor **out)
{
    evaluation e = { arena, &ctx->limits };
    char text[200];
    ig_arena scratch;
    ig_tensor **results =
        ig_arena_array(ctx->scratch, (size_t)node->n_outputs + 1, sizeof *results);
    if (!results) return IG_NOMEM(ctx->err, node->n_outputs * sizeof *results);
    IG_TRY(prepare_outputs(ctx, g, node, arena, results));
    ig_arena_init(&scratch, arena->alloc, arena->tag);
    ig_call call = { .node = node,
                     .opset = node->opset,
                     .n_in = (int)node->n_inputs,
                     .n_out = (int)node->n_outputs,
                     .in = in,
                     .out = results,
                     .scratch = &scratch,
                     .err = ctx->err,
                     .alloc_output = alloc_output,
                     .frame = &e };
    ig_status status = ig_op_call(&call);
    for (uint32_t i = 0; !status && i < node->n_outputs; i++)
        status = own_strings(results[i], arena, ctx->err);
    ig_arena_deinit(&scratch);
    if (status != INGOT_OK) {
        ig_error_prepend(ctx->err, "%s", ig_node_describe(g, node, text, sizeof text));
        return status;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) out[i] = results[i];
    return INGOT_OK;
}
