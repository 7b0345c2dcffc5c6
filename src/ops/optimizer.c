/* SPDX-License-Identifier: Apache-2.0 */
/* optimizer.c: see optimizer.h. */
#include "ops/optimizer.h"

#include "ops/strided.h"

enum { IN_RATE, IN_COUNT, IN_TENSORS };

static ig_status check_tensors(ig_infer *c, int n_groups, int *n)
{
    const int n_tensors = c->n_in - IN_TENSORS;
    if (n_tensors < n_groups || n_tensors % n_groups)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "has %d tensors to optimize, a multiple of %d is needed", n_tensors,
                       n_groups);
    *n = n_tensors / n_groups;
    if (c->n_out != *n * (n_groups - 1))
        return ig_fail(c->err, INGOT_ERR_INVALID, "has %d outputs, %d are needed", c->n_out,
                       *n * (n_groups - 1));
    return INGOT_OK;
}

/* Tensors k of all groups are alike; out: their common shape. */
static ig_status unify(ig_infer *c, int n_groups, int n, int k, ig_info *out)
{
    *out = (ig_info){ .type = c->in[IN_TENSORS + k]->type, .rank = -1 };
    if (!(IG_T(out->type.dtype) & (IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_UNDEFINED))))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                       ingot_dtype_name(out->type.dtype));
    for (int g = 0; g < n_groups; g++) {
        const int i = IN_TENSORS + g * n + k;
        const ig_info *in = c->in[i];
        if (in->type.dtype != out->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, its parameter is %s", i,
                           ingot_dtype_name(in->type.dtype), ingot_dtype_name(out->type.dtype));
        if (in->rank < 0) continue;
        if (out->rank < 0) {
            ig_info_set_shape(out, out->type.dtype, in->rank, in->dims);
            continue;
        }
        if (in->rank != out->rank)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has rank %d, its parameter has %d", i,
                           in->rank, out->rank);
        for (int d = 0; d < in->rank; d++)
            IG_TRY(ig_dim_unify(out->dims[d], in->dims[d], "a parameter and what belongs to it",
                                &out->dims[d], c->err));
    }
    return INGOT_OK;
}

ig_status ig_infer_optimizer(ig_infer *c, int n_groups)
{
    int n = 0;
    bool known;
    int64_t unused;
    IG_TRY(check_tensors(c, n_groups, &n));
    IG_TRY(ig_infer_tensors(c, c->n_in));
    IG_TRY(ig_infer_is_int(c, IN_COUNT, "T"));
    IG_TRY(ig_infer_scalar(c, IN_RATE, 0, &known, &unused));
    IG_TRY(ig_infer_scalar(c, IN_COUNT, 0, &known, &unused));
    for (int k = 0; k < n; k++) {
        ig_info alike;
        IG_TRY(unify(c, n_groups, n, k, &alike));
        for (int g = 0; g < n_groups - 1; g++) c->out[g * n + k] = alike;
    }
    return INGOT_OK;
}

ig_status ig_optimizer_begin(const ig_call *c, ig_optimizer *o)
{
    const ig_tensor *rate = c->in[IN_RATE];
    *o = (ig_optimizer){ .rate = 0 };
    if (ig_tensor_count(rate) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input 0 must hold one element");
    o->rate = ig_get_f64(rate->dtype, rate->data, 0);
    return ig_call_scalar(c, IN_COUNT, 0, &o->count);
}

/* Output of group g of the inputs: the gradients have none. */
static ig_tensor *output_of(const ig_call *c, int n, int g, int k)
{
    return g == 1 ? NULL : c->out[(g > 1 ? g - 1 : 0) * n + k];
}

ig_status ig_optimize(ig_call *c, int n_groups, const ig_optimizer *o, ig_optimize_fn fn)
{
    const int n = (c->n_in - IN_TENSORS) / n_groups;
    for (int k = 0; k < n; k++) {
        const ig_tensor *x = c->in[IN_TENSORS + k];
        const int64_t count = ig_tensor_count(x);
        for (int g = 0; g < n_groups; g++) {
            const ig_tensor *in = c->in[IN_TENSORS + g * n + k];
            if (in->dtype != x->dtype || ig_tensor_count(in) != count)
                return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is not like its parameter",
                               IN_TENSORS + g * n + k);
            if (output_of(c, n, g, k))
                IG_TRY(ig_call_output(c, (g > 1 ? g - 1 : 0) * n + k, x->dtype, x->rank, x->dims));
        }
        for (int64_t i = 0; i < count; i++) {
            double v[IG_OPTIMIZER_MAX_GROUPS];
            for (int g = 0; g < n_groups; g++)
                v[g] = ig_get_f64(x->dtype, c->in[IN_TENSORS + g * n + k]->data, i);
            fn(o, v);
            for (int g = 0; g < n_groups; g++) {
                ig_tensor *out = output_of(c, n, g, k);
                if (out) ig_set_f64(x->dtype, out->data, i, v[g]);
            }
        }
    }
    return INGOT_OK;
}
