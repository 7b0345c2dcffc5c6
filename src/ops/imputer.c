/* SPDX-License-Identifier: Apache-2.0 */
/* imputer.c: ai.onnx.ml Imputer: elements that equal one value become another, the same for all or
 * one for each column of the last dimension. */
#include <math.h>

#include "ops/key_map.h"
#include "ops/ml_scores.h"
#include "ops/strided.h"

static bool is_float(ingot_dtype dtype) { return dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE; }

static ig_status check_values(const ig_node *node, ingot_dtype dtype, int64_t columns,
                              ig_list *values, ig_error *err)
{
    const char *name = is_float(dtype) ? "imputed_value_floats" : "imputed_value_int64s";
    IG_TRY(ig_list_read(node, name, NULL, values, err));
    if (values->n != 1 && (values->n < 1 || (columns >= 0 && values->n != columns)))
        return ig_fail(err, INGOT_ERR_INVALID, "%s has %lld entries for %lld columns", name,
                       (long long)values->n, (long long)columns);
    if (dtype != INGOT_INT32) return INGOT_OK;
    for (int64_t k = 0; k < values->n; k++) {
        const int64_t x = ((const int64_t *)values->data)[k];
        if (x < INT32_MIN || x > INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "%s[%lld] is %lld, too large for int32", name,
                           (long long)k, (long long)x);
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ig_list values;
    const ig_info *x = c->in[0];
    IG_TRY(ig_infer_tensors(c, 1));
    const bool is_known = x->rank > 0 && ig_dim_is_const(x->dims[x->rank - 1]);
    const int64_t columns = is_known ? x->dims[x->rank - 1] : x->rank == 0 ? 1 : -1;
    IG_TRY(check_values(c->node, x->type.dtype, columns, &values, c->err));
    return ig_infer_same(c);
}

static void replace_floats(const ig_tensor *x, ig_tensor *y, double wanted, const ig_list *values)
{
    const int64_t n = ig_tensor_count(x);
    for (int64_t i = 0; i < n; i++) {
        const double v = ig_get_f64(x->dtype, x->data, i);
        const bool is_hit = v == wanted || (isnan(v) && isnan(wanted));
        const float *to = values->data;
        ig_set_f64(x->dtype, y->data, i, is_hit ? (double)to[i % values->n] : v);
    }
}

static void replace_ints(const ig_tensor *x, ig_tensor *y, int64_t wanted, const ig_list *values)
{
    const int64_t n = ig_tensor_count(x);
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = ig_get_i64(x->dtype, x->data, i);
        const int64_t *to = values->data;
        ig_set_i64(x->dtype, y->data, i, v == wanted ? to[i % values->n] : v);
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    ig_list values;
    IG_TRY(ig_call_ready(c));
    IG_TRY(check_values(c->node, x->dtype, x->rank ? x->dims[x->rank - 1] : 1, &values, c->err));
    if (is_float(x->dtype))
        replace_floats(x, c->out[0], (double)ig_attr_float(c->node, "replaced_value_float", 0),
                       &values);
    else
        replace_ints(x, c->out[0], ig_attr_int(c->node, "replaced_value_int64", 0), &values);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{nan,1,2,nan} imputed_value_floats=[5.0,6.0] replaced_value_float=nan = "
    "f32[2,2]{5,1,2,6}",
    "f32[3]{0,-0,2} imputed_value_floats=[7.0] replaced_value_float=0.0 = f32[3]{7,7,2}",
    "f64[1,2]{3,4} imputed_value_floats=[0.5,0.25] replaced_value_float=4.0 = f64[1,2]{3,0.25}",
    "i64[2,2]{-1,2,3,-1} imputed_value_int64s=[8,9] replaced_value_int64=-1 = i64[2,2]{8,2,3,9}",
    "i32[2]{0,5} imputed_value_int64s=[8] replaced_value_int64=0 = i32[2]{8,5}",
    "f32[2,2,2]{0,0,1,1,0,1,1,0} imputed_value_floats=[3.0,4.0] = f32[2,2,2]{3,4,1,1,3,1,1,4}",
    "f32[0,2] imputed_value_floats=[3.0,4.0]",
    "f32[] imputed_value_floats=[3.0]",
    "f32[2,2] imputed_value_floats=[3.0,4.0,5.0] ! has 3 entries for 2 columns",
    "i64[2] imputed_value_floats=[3.0] ! imputed_value_int64s has 0 entries",
    "i32[1] imputed_value_int64s=[4294967296] ! too large for int32",
    NULL,
};

const ig_op ig_op_imputer = {
    .onnx = "Imputer",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .flags = IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
