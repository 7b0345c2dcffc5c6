/* SPDX-License-Identifier: Apache-2.0 */
#include "api/named_dims.h"

#include <string.h>

/* Which dimension had a name first, as one number. */
static uint32_t place_of(size_t input, int dim)
{
    return (uint32_t)input * IG_MAX_RANK + (uint32_t)dim;
}

static ig_status add(ig_named_dims *names, ig_map *first, size_t input, int dim, const char *name,
                     ig_error *err)
{
    const uint32_t place = ig_map_get(first, name, strlen(name));
    if (place == IG_MAP_NONE) {
        if (ig_map_put(first, name, strlen(name), place_of(input, dim))) return INGOT_OK;
        return IG_NOMEM(err, strlen(name));
    }
    const ig_named_dim item = { .input = (uint32_t)input,
                                .first_input = place / IG_MAX_RANK,
                                .dim = (uint8_t)dim,
                                .first_dim = (uint8_t)(place % IG_MAX_RANK) };
    if (!IG_ARENA_PUSH(&names->arena, names->items, names->n, names->cap, item))
        return IG_NOMEM(err, sizeof item);
    return INGOT_OK;
}

static ig_status find_names(ig_named_dims *names, ig_arena *scratch, const ig_onnx_model *onnx,
                            ig_error *err)
{
    ig_map first;
    ig_map_init(&first, scratch);
    if (onnx->graph->n_inputs >= IG_MAP_NONE / IG_MAX_RANK)
        return ig_fail(err, INGOT_ERR_LIMIT, "%zu inputs are too many", onnx->graph->n_inputs);
    for (size_t i = 0; i < onnx->graph->n_inputs; i++) {
        const ig_onnx_io *io = &onnx->inputs[i];
        if (io->type.kind != INGOT_KIND_TENSOR) continue; /* items may differ */
        for (int d = 0; d < io->rank; d++)
            if (io->dim_names[d]) IG_TRY(add(names, &first, i, d, io->dim_names[d], err));
    }
    return INGOT_OK;
}

ig_status ig_named_dims_init(ig_named_dims *names, ig_alloc *alloc, const ig_onnx_model *onnx,
                             ig_error *err)
{
    ig_arena scratch;
    *names = (ig_named_dims){ 0 };
    ig_arena_init(&names->arena, alloc, INGOT_MEM_PLAN);
    ig_arena_init(&scratch, alloc, INGOT_MEM_PLAN);
    const ig_status status = find_names(names, &scratch, onnx, err);
    ig_arena_deinit(&scratch);
    return status;
}

void ig_named_dims_deinit(ig_named_dims *names) { ig_arena_deinit(&names->arena); }

ig_status ig_named_dims_check(const ig_named_dims *names, const ig_onnx_model *onnx,
                              const ig_tensor *const *inputs, ig_error *err)
{
    for (size_t k = 0; k < names->n; k++) {
        const ig_named_dim *item = &names->items[k];
        const int64_t dim = inputs[item->input]->dims[item->dim];
        const int64_t first = inputs[item->first_input]->dims[item->first_dim];
        if (dim == first) continue;
        return ig_fail(
            err, INGOT_ERR_SHAPE, "dimension '%s' is %lld in input '%s' but %lld in input '%s'",
            onnx->inputs[item->input].dim_names[item->dim], (long long)dim,
            onnx->inputs[item->input].name, (long long)first, onnx->inputs[item->first_input].name);
    }
    return INGOT_OK;
}
