/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model that all passes change, for an instruction set and a level that the bytes
 * choose, at times with a pass left out. A graph whose shapes could be inferred must come through
 * all passes (each verifies it), and its text must read back.
 */
#include "fuzz.h"
#include "import/onnx/onnx.h"
#include "passes/pass.h"

/* Constants may contradict each other in a way that only computing them shows: the model's fault.
 */
static bool is_contradiction(const ig_error *err)
{
    static const char folding[] = "pass fold_constants: node ";
    return strncmp(err->message, folding, sizeof folding - 1) == 0 &&
           (err->status == INGOT_ERR_SHAPE || err->status == INGOT_ERR_INVALID);
}

static void optimise(fuzz_graph *f, ig_graph *g, uint32_t choice)
{
    static const ingot_opt_level levels[] = { INGOT_OPT_ALL, INGOT_OPT_ALL, INGOT_OPT_BASIC,
                                              INGOT_OPT_NONE };
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    options.opt_level = levels[choice & 3];
    options.max_tensor_bytes = FUZZ_MAX_BYTES / 8;
    if (choice >> 2 & 1) options.disable_passes = ingot_pass_name(1 + (choice >> 3 & 15));
    ig_status status = ig_ops_resolve(g, &f->err);
    if (!status) status = ig_passes_run(g, (ig_isa)(choice >> 8 & 3), &options, NULL, &f->err);
    if (status) {
        fuzz_check_error(&f->err, status);
        if (strncmp(f->err.message, "pass ", 5) == 0 && status != INGOT_ERR_NOMEM &&
            status != INGOT_ERR_LIMIT && !is_contradiction(&f->err))
            FUZZ_FOUND("a pass fails: %s", f->err.message);
        return;
    }
    fuzz_check_text(f, g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_graph f;
    ig_onnx_model model;
    fuzz_begin(&f);
    const ig_status status =
        ig_onnx_import(data, bytes, NULL, &f.arena, &f.dims, &f.alloc, NULL, NULL, &model, &f.err);
    if (status) {
        fuzz_check_error(&f.err, status);
    } else {
        ig_onnx_freeze_defaults(&model, NULL);
        optimise(&f, model.graph, fuzz_choice(data, bytes));
        ig_onnx_model_deinit(&model);
    }
    fuzz_end(&f);
    return 0;
}
