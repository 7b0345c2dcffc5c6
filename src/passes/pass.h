/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass.h: graph to graph, by named passes in the order of the array in pipeline.c.
 *
 * A pass works on one graph; subgraphs of control flow are visited one by one. It knows operators
 * by the properties in their records, never by name; what a file's idioms look like is in
 * patterns.c, and nodes that passes make come from build.c.
 */
#ifndef IG_PASSES_PASS_H
#define IG_PASSES_PASS_H

#include "base/limits.h"
#include "base/log.h"
#include "ops/op.h"

typedef struct ig_pass_ctx {
    ig_isa isa;
    const ingot_log *log;
    ig_limits limits; /* max_tensor_bytes counts */
    ig_error *err;
    ig_arena *scratch; /* until the pass returns */
    bool is_subgraph;  /* inputs with known contents are constants then: nobody can feed others */
    int64_t n_changes; /* what the pass did, for the log */
} ig_pass_ctx;

typedef struct ig_pass {
    const char *name;
    ingot_opt_level level; /* runs at this level of optimisation and all above it */
    bool is_whole;         /* sees subgraphs by itself: called for the outermost graph alone */
    ig_status (*run)(ig_pass_ctx *ctx, ig_graph *g);
} ig_pass;

/* Run the pipeline on a resolved graph (node->op set). options: opt_level, disable_passes,
 * dump_after and max_tensor_bytes count; unknown names in the lists are INGOT_ERR_INVALID. Infos of
 * all values are up to date afterwards. */
ig_status ig_passes_run(ig_graph *g, ig_isa isa, const ingot_model_options *options,
                        const ingot_log *log, ig_error *err) IG_MUST_USE;

/* Run one pass by name on g and its subgraphs, then verify: for tests. */
ig_status ig_pass_run_named(ig_graph *g, ig_isa isa, const char *name, const ingot_log *log,
                            ig_error *err) IG_MUST_USE;

#define IG_PASS(name) ig_status ig_pass_##name(ig_pass_ctx *ctx, ig_graph *g)
IG_PASS(infer_shapes);
IG_PASS(fold_constants);
IG_PASS(remove_identities);
IG_PASS(merge_duplicates);
IG_PASS(remove_dead_code);
IG_PASS(fuse_patterns);
IG_PASS(fold_affine);
IG_PASS(fuse_bias);
IG_PASS(fuse_residual);
IG_PASS(fuse_activation);
IG_PASS(assign_layout);
IG_PASS(merge_transposes);
IG_PASS(fuse_elementwise);

#endif
