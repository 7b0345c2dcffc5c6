/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes into the ONNX importer. What it accepts must be a valid graph that prints; what it
 * refuses must leave a one-line text; and nothing may leak. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_graph(const ig_graph *g, ig_alloc *alloc)
{
    ig_error err = { 0 };
    ig_str text;

    if (ig_graph_verify(g, &err) != INGOT_OK) {
        fprintf(stderr, "imported, but not valid: %s\n", err.message);
        abort();
    }
    ig_str_init(&text, alloc);
    ig_graph_print(g, false, &text);
    ig_str_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ig_alloc alloc;
    ig_arena arena;
    ig_dims dims;
    ig_onnx_model model;
    ig_error err = { 0 };

    ig_alloc_init(&alloc, NULL, (size_t)512 << 20);
    ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&dims, &arena);
    if (ig_onnx_import(data, bytes, NULL, &arena, &dims, &alloc, NULL, NULL, &model, &err) ==
        INGOT_OK) {
        check_graph(model.graph, &alloc);
        ig_onnx_model_deinit(&model);
    } else if (err.status == INGOT_OK || !err.message[0] || strchr(err.message, '\n')) {
        abort();
    }
    ig_arena_deinit(&arena);
    if (atomic_load(&alloc.total) != 0) abort();
    return 0;
}
