/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model whose shapes are inferred, with its defaults as inputs or as constants. What
 * was inferred once must be accepted a second time, and the graph stays valid.
 */
#include "fuzz.h"
#include "import/onnx/onnx.h"

static void infer(fuzz_graph *f, ig_graph *g)
{
    ig_status status = ig_ops_resolve(g, &f->err);
    if (!status) status = ig_graph_infer(g, &f->err);
    if (status) {
        fuzz_check_error(&f->err, status);
        return;
    }
    status = ig_graph_infer(g, &f->err);
    if (status && status != INGOT_ERR_NOMEM)
        FUZZ_FOUND("inferred once, but not twice: %s", f->err.message);
    if (!status && ig_graph_verify(g, &f->err) != INGOT_OK)
        FUZZ_FOUND("inferred, but not valid: %s", f->err.message);
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
        if (fuzz_choice(data, bytes) & 1) ig_onnx_freeze_defaults(&model, NULL);
        infer(&f, model.graph);
        ig_onnx_model_deinit(&model);
    }
    fuzz_end(&f);
    return 0;
}
