/* SPDX-License-Identifier: Apache-2.0 */
/* zip_map.c: ai.onnx.ml ZipMap, a sequence with a map from class labels to scores for each row. */
#include "ops/ml_scores.h"
#include "ops/sequence.h"

static ig_status read_labels(const ig_node *node, ig_labels *l, ig_error *err)
{
    ig_labels_read(node, "classlabels_int64s", "classlabels_strings", l);
    if (l->n < 1) return ig_fail(err, INGOT_ERR_INVALID, "there are no class labels");
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ig_labels labels;
    const ig_info *x = c->in[0];
    IG_TRY(read_labels(c->node, &labels, c->err));
    if (x->rank == 0 || x->rank > 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, rows of scores are wanted",
                       x->rank);
    if (x->rank > 0 && ig_dim_is_const(x->dims[x->rank - 1]) && x->dims[x->rank - 1] != labels.n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "rows have %lld scores for %lld labels",
                       (long long)x->dims[x->rank - 1], (long long)labels.n);
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_SEQUENCE,
                                .dtype = INGOT_FLOAT,
                                .item_kind = INGOT_KIND_MAP,
                                .key_dtype = ig_labels_dtype(&labels) };
    c->out[0].rank = -1;
    return INGOT_OK;
}

/* A map is a value of two items: keys and values. */
static ig_status make_map(ig_call *c, const ig_tensor *keys, float *scores, ig_tensor **out)
{
    ig_tensor *map = ig_arena_get(c->scratch, sizeof *map), *values = NULL;
    ig_tensor **items = ig_arena_array(c->scratch, 2, sizeof *items);
    if (!map || !items) return IG_NOMEM(c->err, sizeof *map);
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, 1, keys->dims, scores, &values, c->err));
    items[0] = (ig_tensor *)(uintptr_t)keys; /* read only until it is copied */
    items[1] = values;
    *map = (ig_tensor){
        .kind = INGOT_KIND_MAP, .dtype = INGOT_FLOAT, .items = items, .n_items = 2, .cap_items = 2
    };
    *out = map;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_labels labels;
    ig_tensor *keys = NULL, *map = NULL;
    int64_t n_rows, n;
    IG_TRY(read_labels(c->node, &labels, c->err));
    ig_ml_rows(c->in[0]->rank, c->in[0]->dims, &n_rows, &n);
    if (n != labels.n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "rows have %lld scores for %lld labels",
                       (long long)n, (long long)labels.n);
    if (!c->out[0]) return INGOT_OK;
    IG_TRY(ig_tensor_in_arena(c->scratch, ig_labels_dtype(&labels), 1, &n, NULL, &keys, c->err));
    for (int64_t k = 0; k < n; k++) ig_labels_put(&labels, keys->data, k, k);
    IG_TRY(ig_call_items(c, INGOT_KIND_SEQUENCE, INGOT_FLOAT, (size_t)n_rows));
    for (int64_t i = 0; i < n_rows; i++) {
        IG_TRY(make_map(c, keys, (float *)c->in[0]->data + i * n, &map));
        ig_call_set_item(c, (size_t)i, map);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,3] classlabels_int64s=[4,5,6]",
    "f32[2,2] classlabels_strings=[\"a\",\"b\"]",
    "f32[3] classlabels_int64s=[4,5,6]",
    "f32[0,1] classlabels_int64s=[4]",
    "f32[2,3] ! there are no class labels",
    "f32[2,3] classlabels_int64s=[4,5] ! 3 scores for 2 labels",
    NULL,
};

const ig_op ig_op_zip_map = {
    .onnx = "ZipMap",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
