/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_vectorizer.c: ai.onnx.ml FeatureVectorizer: rows of all inputs side by side, as float32.
 *
 * inputdimensions tells the columns that each input takes in the output: of a wider input the rest
 * is left out, a narrower one is filled up with zeros. Without it inputs take what they have.
 */
#include "ops/ml_scores.h"
#include "ops/strided.h"

static ig_status read_widths(const ig_node *node, const int64_t **widths, ig_error *err)
{
    size_t n;
    *widths = ig_attr_ints(node, "inputdimensions", &n);
    if (n != 0 && n != node->n_inputs)
        return ig_fail(err, INGOT_ERR_INVALID, "inputdimensions has %zu entries for %u inputs", n,
                       node->n_inputs);
    for (size_t i = 0; i < n; i++)
        if ((*widths)[i] < 0)
            return ig_fail(err, INGOT_ERR_INVALID, "inputdimensions[%zu] is %lld", i,
                           (long long)(*widths)[i]);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const int64_t *widths;
    ig_dim n = 0, rows = 0;
    bool are_widths_known = true, are_rows_known = false;
    IG_TRY(ig_infer_tensors(c, c->n_in));
    IG_TRY(read_widths(c->node, &widths, c->err));
    for (int i = 0; i < c->n_in; i++) {
        const ig_info *x = c->in[i];
        if (x->type.dtype != INGOT_UNDEFINED && !(IG_T(x->type.dtype) & IG_T_ML_INPUT))
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "input %d has element type %s", i,
                           ingot_dtype_name(x->type.dtype));
        if (x->rank == 0) return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is a scalar", i);
        ig_dim width = 1;
        for (int d = x->rank > 1; d < x->rank; d++) width = ig_dim_mul(c->dims, width, x->dims[d]);
        are_widths_known = are_widths_known && (widths || x->rank > 0);
        n = ig_dim_add(c->dims, n, widths ? widths[i] : width);
        if (x->rank < 0) continue;
        const ig_dim mine = x->rank > 1 ? x->dims[0] : 1;
        if (are_rows_known)
            IG_TRY(ig_dim_unify(rows, mine, "number of rows", &rows, c->err));
        else
            rows = mine;
        are_rows_known = true;
    }
    const ig_dim dims[2] = { are_rows_known ? rows : ig_dim_born(c->dims),
                             are_widths_known ? n : ig_dim_born(c->dims) };
    ig_info_set_shape(&c->out[0], INGOT_FLOAT, 2, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const int64_t *widths;
    int64_t first = 0, dims[2] = { 0, 0 }, rows, n;
    IG_TRY(read_widths(c->node, &widths, c->err));
    for (int i = 0; i < c->n_in; i++) {
        ig_ml_rows(c->in[i]->rank, c->in[i]->dims, &rows, &n);
        if (i == 0) dims[0] = rows;
        if (rows != dims[0])
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has %lld rows, input 0 %lld", i,
                           (long long)rows, (long long)dims[0]);
        if (__builtin_add_overflow(dims[1], widths ? widths[i] : n, &dims[1]))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "inputdimensions overflow");
    }
    IG_TRY(ig_call_output(c, 0, INGOT_FLOAT, 2, dims));
    IG_TRY(ig_call_ready(c));
    for (int i = 0; i < c->n_in; i++) {
        const ig_tensor *x = c->in[i];
        ig_ml_rows(x->rank, x->dims, &rows, &n);
        const int64_t width = widths ? widths[i] : n;
        for (int64_t r = 0; r < rows; r++) {
            float *to = (float *)c->out[0]->data + r * dims[1] + first;
            for (int64_t k = 0; k < width; k++)
                to[k] = k < n ? (float)ig_get_f64(x->dtype, x->data, r * n + k) : 0;
        }
        first += width;
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,1]{5,6} inputdimensions=[2,1] = f32[2,3]{1,2,5,3,4,6}",
    "i64[2]{1,2} i64[1]{3} inputdimensions=[2,1] = f32[1,3]{1,2,3}",
    "f64[2,1]{0.5,1.5} f64[2,3]{1,2,3,4,5,6} inputdimensions=[2,2] = f32[2,4]{0.5,0,1,2,1.5,0,4,5}",
    "i32[1,2] i32[1,2]",
    "f32[2,2,2] f32[2,1] inputdimensions=[4,1]",
    "f32[0,2] f32[0,3] inputdimensions=[2,3]",
    "f32[3,2] inputdimensions=[2]",
    "f32[2,2] f32[3,2] inputdimensions=[2,2] ! number of rows",
    "f32[2,2] f32[2,2] inputdimensions=[2] ! has 1 entries for 2 inputs",
    "f32[2,2] inputdimensions=[-2] ! inputdimensions[0] is -2",
    "f32[] inputdimensions=[1] ! input 0 is a scalar",
    "f32[2,2] str[2,2] inputdimensions=[2,2] ! input 1 has element type string",
    NULL,
};

const ig_op ig_op_feature_vectorizer = {
    .onnx = "FeatureVectorizer",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, -1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
