/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svm_regressor.c: ai.onnx.ml SVMRegressor: y = coefficients . K(x, support vectors) + rho, and 1
 * or -1 by its sign where the model is of one class (anomaly detection).
 */
#include "ops/strided.h"
#include "ops/svm.h"

typedef struct regressor {
    ig_svm svm;
    bool is_one_class;
    ingot_dtype dtype;
} regressor;

static ig_status read(const ig_node *node, ig_arena *arena, regressor *r, ig_error *err)
{
    ig_post_transform post;
    const int64_t n = ig_attr_int(node, "n_supports", 0);
    if (n < 0) return ig_fail(err, INGOT_ERR_INVALID, "n_supports is %lld", (long long)n);
    r->is_one_class = ig_attr_int(node, "one_class", 0) != 0;
    /* Checked, and without effect on the only score there is, as in ONNX Runtime. */
    IG_TRY(ig_post_transform_read(node, &post, err));
    IG_TRY(ig_svm_read(node, n, 1, arena, &r->svm, err));
    if (n && r->svm.n_coefficients != n)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "coefficients has %lld entries for %lld support vectors",
                       (long long)r->svm.n_coefficients, (long long)n);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    return ig_ml_infer(c, NULL, 1);
}

static void run(const regressor *r, const void *x, float *y, double *k, ig_part part)
{
    const ig_svm *s = &r->svm;
    for (int64_t i = part.begin; i < part.end; i++) {
        double sum = (double)s->rho[0];
        ig_svm_kernels(s, r->dtype, x, i, k);
        if (s->is_linear) sum += k[0];
        for (int64_t v = 0; !s->is_linear && v < s->n_vectors; v++)
            sum += k[v] * (double)s->coefficients[v];
        y[i] = r->is_one_class ? (sum > 0 ? 1.0F : -1.0F) : (float)sum;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    regressor r = { .dtype = x->dtype };
    int64_t dims[2] = { 0, 1 }, n_features;
    IG_TRY(read(c->node, c->scratch, &r, c->err));
    ig_ml_rows(x->rank, x->dims, &dims[0], &n_features);
    IG_TRY(ig_svm_check_features(&r.svm, n_features, c->err));
    IG_TRY(ig_call_output(c, 0, INGOT_FLOAT, 2, dims));
    IG_TRY(ig_call_ready(c));
    double *k = ig_arena_array(c->scratch, (size_t)r.svm.n_vectors, sizeof *k);
    if (!k) return IG_NOMEM(c->err, (size_t)r.svm.n_vectors * sizeof *k);
    run(&r, x->data, c->out[0]->data, k, (ig_part){ 0, dims[0], 0 });
    return INGOT_OK;
}

static void k_svm_regressor(const void *params, void *const *operands, ig_part part)
{
    const regressor *r = params;
    double *k = (double *)operands[2] + (int64_t)part.i_thread * r->svm.n_vectors;
    run(r, operands[0], operands[1], k, part);
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK], n_features;
    if (!ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    regressor *r = ig_arena_get(l->arena, sizeof *r);
    if (!r) return IG_NOMEM(l->err, sizeof *r);
    r->dtype = l->in[0]->type.dtype;
    IG_TRY(read(l->node, l->arena, r, l->err));
    ig_ml_rows(l->in[0]->rank, dims, &l->n_work, &n_features);
    IG_TRY(ig_svm_check_features(&r->svm, n_features, l->err));
    l->params = r;
    l->kernel = k_svm_regressor;
    l->kernel_name = "ig_k_svm_regressor";
    l->grain = ig_svm_grain(&r->svm);
    l->scratch_bytes = (size_t)r->svm.n_vectors * (size_t)l->n_threads * sizeof(double);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,2]{0.55,-0.44,0.3,-0.47,-0.33,-1.29} kernel_type=\"LINEAR\" kernel_params=[0.5,"
    "0.25,3.0] one_class=0 n_supports=3 rho=[0.2] coefficients=[-0.47,0.93,1.53] "
    "post_transform=\"NONE\" support_vectors=[0.03,-1.13,-1.3,-0.03,0.88,0.27] = f32[3,"
    "1]{-0.135357,-0.193671,-1.02272}",
    "f32[3,2]{0.78,0.36,-0.69,1.1,-0.78,-3.06} kernel_type=\"POLY\" kernel_params=[0.5,0.25,"
    "3.0] one_class=0 n_supports=3 rho=[0.2] coefficients=[-1.57,-0.48,-1.11] "
    "post_transform=\"NONE\" support_vectors=[-0.96,0.67,-0.11,2.91,0.93,-0.63] = f32[3,"
    "1]{-0.125588,-4.29676,34.1573}",
    "f32[3,2]{0.11,-0.08,0.1,0.84,-0.81,0.61} kernel_type=\"RBF\" kernel_params=[0.5,0.25,"
    "3.0] one_class=0 n_supports=3 rho=[0.2] coefficients=[0.79,-0.62,1.49] "
    "post_transform=\"LOGISTIC\" support_vectors=[-0.65,-1.18,1.55,-1.08,0.2,1.45] = f32[3,"
    "1]{0.850216,1.4741,0.976686}",
    "f32[3,2]{-0.66,-0.09,-2.55,-0.89,1.54,-0.68} kernel_type=\"SIGMOID\" kernel_params=[0.5,"
    "0.25,3.0] one_class=0 n_supports=3 rho=[0.2] coefficients=[0.58,2.33,-0.34] "
    "post_transform=\"NONE\" support_vectors=[-0.91,0.74,-0.4,0.29,0.13,1.17] = f32[3,"
    "1]{1.24628,2.10167,-0.497097}",
    "f32[3,2]{1.74,0.41,-0.12,-0.52,-0.24,0.86} kernel_type=\"RBF\" kernel_params=[0.5,0.25,"
    "3.0] one_class=1 n_supports=3 rho=[-0.3] coefficients=[-0.7,-1.22,0.58] "
    "post_transform=\"NONE\" support_vectors=[0.18,-1.19,0.67,0.26,0.75,-0.64] = f32[3,1]{-1,"
    "-1,-1}",
    "f32[3,2]{0.58,1.35,0.81,-0.06,-1.91,0.3} kernel_type=\"LINEAR\" kernel_params=[0.5,0.25,"
    "3.0] one_class=0 n_supports=0 rho=[0.2] coefficients=[-0.27,1.08] "
    "post_transform=\"NONE\" = f32[3,1]{1.5014,-0.0835,1.0397}",
    "f32[3,2]{0.56,-0.47,-0.38,-0.94,1.36,0.16} kernel_type=\"LINEAR\" kernel_params=[0.5,"
    "0.25,3.0] one_class=1 n_supports=0 rho=[-0.3] coefficients=[0.79,0.16] "
    "post_transform=\"SOFTMAX\" = f32[3,1]{1,-1,1}",
    "f64[2,2]{1,2,3,4} coefficients=[1.0,2.0] rho=[0.5] = f32[2,1]{5.5,11.5}",
    "i64[2]{1,2} coefficients=[1.0,2.0] rho=[0.5] = f32[1,1]{5.5}",
    "i32[2,1]{1,-1} coefficients=[1.0] rho=[0.5] one_class=1 = f32[2,1]{1,-1}",
    "f32[0,2] coefficients=[1.0,2.0] rho=[0.5]",
    "f32[40,3] support_vectors=[1.0,2.0,3.0,4.0,5.0,6.0] n_supports=2 coefficients=[1.0,-2.0] "
    "rho=[0.5] kernel_type=\"RBF\" kernel_params=[0.1,0.0,0.0]",
    "f32[2,2] coefficients=[1.0,2.0] ! and rho 0",
    "f32[2,3] coefficients=[1.0,2.0] rho=[0.5] ! rows have 3 features, the model 2",
    "f32[2,1] support_vectors=[1.0,2.0] n_supports=2 coefficients=[1.0] rho=[0.5] ! coefficients "
    "has "
    "1 entries for 2",
    "f32[2,1] support_vectors=[1.0,2.0,3.0] n_supports=2 coefficients=[1.0,2.0] rho=[0.5] ! "
    "support_vectors has 3 entries",
    "f32[2,1] n_supports=2 coefficients=[1.0,2.0] rho=[0.5] ! support_vectors has 0 entries",
    "f32[2,1] n_supports=-2 coefficients=[1.0,2.0] rho=[0.5] ! n_supports is -2",
    "f32[2,2] coefficients=[1.0,2.0] rho=[0.5] post_transform=\"TANH\" ! post_transform is none of",
    NULL,
};

const ig_op ig_op_svm_regressor = {
    .onnx = "SVMRegressor",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
