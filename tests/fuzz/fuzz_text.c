/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the text of a graph. What is accepted must be a valid graph, print, and read back to
 * the same text; it is then inferred as well. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_graph f;
    ig_graph *g = NULL;
    fuzz_begin(&f);
    ig_status status = ig_graph_parse(&f.arena, &f.dims, (const char *)data, bytes, &g, &f.err);
    if (!status) {
        if (ig_graph_verify(g, &f.err) != INGOT_OK)
            FUZZ_FOUND("parsed, but not valid: %s", f.err.message);
        fuzz_check_text(&f, g);
        status = ig_ops_resolve(g, &f.err);
        if (!status) status = ig_graph_infer(g, &f.err);
        if (!status) fuzz_check_text(&f, g);
    }
    if (status) fuzz_check_error(&f.err, status);
    fuzz_end(&f);
    return 0;
}
