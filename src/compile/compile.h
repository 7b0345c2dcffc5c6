/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h: the driver: file → graph → passes → plan. */
#ifndef IG_COMPILE_COMPILE_H
#define IG_COMPILE_COMPILE_H

#include "import/onnx/onnx.h"
#include "ops/custom.h"
#include "plan/plan.h"

/* A model that is ready for sessions, and all that it lives on. */
typedef struct ig_compiled {
    ig_alloc *alloc;
    ig_file file;
    ig_arena arena; /* graph, constants, names */
    ig_dims dims;
    ig_onnx_model onnx;
    ig_custom custom;
    ig_plan plan;
    uint64_t map_ns, parse_ns, optimise_ns; /* what the parts of compiling took */
} ig_compiled;

/* From a file (path) or memory (data, path NULL; borrowed). `out` is zeroed by the caller; on
 * failure nothing is left to free. Errors start with the path. */
ig_status ig_compile(const char *path, const void *data, size_t bytes,
                     const ingot_model_options *options, ig_alloc *alloc, const ingot_log *log,
                     ig_compiled *out, ig_error *err) IG_MUST_USE;
void ig_compiled_deinit(ig_compiled *compiled); /* accepts a zeroed one */

#endif
