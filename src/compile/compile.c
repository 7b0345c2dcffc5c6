/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c: file → graph → passes → plan. */
#include "compile/compile.h"

#include <string.h>

#include "base/clock.h"
#include "passes/pass.h"

static ig_status import(const char *path, const ingot_model_options *options, const ingot_log *log,
                        const ig_limits *limits, ig_compiled *c, const void *data, size_t bytes,
                        ig_error *err)
{
    IG_TRY(ig_onnx_import(data, bytes, path, &c->arena, &c->dims, c->alloc, log, limits, &c->onnx,
                          err));
    /* Old exporters list every weight as an input: folding and packing want constants. */
    ig_onnx_freeze_defaults(&c->onnx, options->overridable);
    return ig_ops_resolve_with(c->onnx.graph, &c->custom, err);
}

static ig_status compile(const char *path, const void *data, size_t bytes,
                         const ingot_model_options *options, const ingot_log *log, ig_compiled *c,
                         ig_error *err)
{
    ig_isa isa = IG_ISA_REF;
    ig_limits limits;
    ig_choices choices;
    IG_TRY(ig_limits_of(options, &limits, err));
    IG_TRY(ig_isa_choose(options->cpu, &isa, err));
    IG_TRY(ig_choices_of(options->precision, options->force, &choices, err));
    const uint64_t begin_ns = ig_clock_ns();
    if (path) {
        IG_TRY(ig_file_open(path, &c->file, err));
        data = c->file.data;
        bytes = c->file.bytes;
    }
    const uint64_t mapped_ns = ig_clock_ns();
    ig_status status = import(path, options, log, &limits, c, data, bytes, err);
    const uint64_t parsed_ns = ig_clock_ns();
    if (!status) status = ig_passes_run(c->onnx.graph, isa, options, log, err);
    c->map_ns = mapped_ns - begin_ns;
    c->parse_ns = parsed_ns - mapped_ns;
    c->optimise_ns = ig_clock_ns() - parsed_ns;
    if (!status)
        status = ig_plan_init(&c->plan, c->alloc, c->onnx.graph, isa, log, c->file.data,
                              c->file.bytes, err);
    if (!status) c->plan.limits = limits, c->plan.choices = choices;
    if (status && path) ig_error_prepend(err, "%s", path);
    return status;
}

ig_status ig_compile(const char *path, const void *data, size_t bytes,
                     const ingot_model_options *options, ig_alloc *alloc, const ingot_log *log,
                     ig_compiled *out, ig_error *err)
{
    out->alloc = alloc;
    out->custom.ops = options->ops;
    ig_arena_init(&out->arena, alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&out->dims, &out->arena);
    const ig_status status = compile(path, data, bytes, options, log, out, err);
    if (status) ig_compiled_deinit(out);
    return status;
}

void ig_compiled_deinit(ig_compiled *c)
{
    ig_plan_deinit(&c->plan);
    ig_custom_deinit(&c->custom);
    ig_onnx_model_deinit(&c->onnx);
    ig_arena_deinit(&c->arena);
    ig_file_close(&c->file);
    *c = (ig_compiled){ 0 };
}
