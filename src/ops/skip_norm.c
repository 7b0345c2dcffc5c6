/* SPDX-License-Identifier: Apache-2.0 */
/* skip_norm.c: see skip_norm.h. */
#include "ops/skip_norm.h"

#include <math.h>
#include <string.h>

#include "kernels/reduce/reduce.h"

enum { IN_X, IN_SKIP, IN_GAMMA };
enum { OUT_Y, OUT_MEAN, OUT_INVERSE, OUT_SUM };

static bool is_vector_of(const ig_info *v, ig_dim n)
{
    if (!v || v->rank < 0) return true;
    return v->rank == 1 && (v->dims[0] == n || !ig_dim_is_const(v->dims[0]) || !ig_dim_is_const(n));
}

/* A suffix of x's shape, after dimensions of 1. */
static bool is_skip_of(const ig_info *x, const ig_info *skip)
{
    bool has_started = false;
    if (skip->rank < 0) return true;
    if (skip->rank > x->rank || skip->rank < 1) return false;
    for (int d = 0; d < skip->rank; d++) {
        const ig_dim a = x->dims[x->rank - skip->rank + d], b = skip->dims[d];
        if (!has_started && b == 1 && d + 1 < skip->rank) continue;
        has_started = true;
        if (a != b && ig_dim_is_const(a) && ig_dim_is_const(b)) return false;
    }
    return true;
}

ig_status ig_skip_norm_infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *skip = c->in[IN_SKIP];
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_same(c));
    for (int i = 0; i <= IN_GAMMA; i++)
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    for (int i = 1; i < c->n_in; i++)
        if (c->in[i] && c->in[i]->type.dtype != x->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, the input %s", i,
                           ingot_dtype_name(c->in[i]->type.dtype), ingot_dtype_name(x->type.dtype));
    if (x->rank < 0) return INGOT_OK;
    if (x->rank < 1 || !is_skip_of(x, skip))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "skip does not broadcast to the input");
    for (int i = IN_GAMMA; i < c->n_in; i++)
        if (!is_vector_of(c->in[i], x->dims[x->rank - 1]))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is not one value a column", i);
    memcpy(dims, x->dims, sizeof dims);
    if (c->n_out > OUT_SUM) ig_info_set_shape(&c->out[OUT_SUM], x->type.dtype, x->rank, dims);
    dims[x->rank - 1] = 1;
    for (int o = OUT_MEAN; o <= OUT_INVERSE && o < c->n_out; o++)
        ig_info_set_shape(&c->out[o], INGOT_FLOAT, x->rank, dims);
    return INGOT_OK;
}

static double at(const ig_call *c, int i, int64_t k, double fallback)
{
    const ig_tensor *t = i < c->n_in ? c->in[i] : NULL;
    return t ? ig_get_f64(t->dtype, t->data, k) : fallback;
}

static void put(const ig_call *c, int o, int64_t k, double v)
{
    if (o < c->n_out && c->out[o]) ig_set_f64(c->out[o]->dtype, c->out[o]->data, k, v);
}

ig_status ig_skip_norm_ref(ig_call *c, bool is_rms)
{
    const ig_tensor *x = c->in[IN_X];
    const int64_t n = x->dims[x->rank - 1], n_rows = n ? ig_tensor_count(x) / n : 0;
    const int64_t n_skip = ig_tensor_count(c->in[IN_SKIP]);
    const int i_beta = is_rms ? c->n_in : 3, i_bias = is_rms ? 3 : 4;
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-12f);
    double *s = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *s);
    if (!s) return IG_NOMEM(c->err, (size_t)n * sizeof *s);
    for (int64_t r = 0; r < n_rows; r++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < n; i++) {
            s[i] = at(c, IN_X, r * n + i, 0) + at(c, IN_SKIP, (r * n + i) % n_skip, 0) +
                   at(c, i_bias, i, 0);
            put(c, OUT_SUM, r * n + i, s[i]);
            if (!is_rms) mean += s[i] / (double)n;
        }
        for (int64_t i = 0; i < n; i++) variance += (s[i] - mean) * (s[i] - mean) / (double)n;
        const double inverse = 1 / sqrt(variance + epsilon);
        for (int64_t i = 0; i < n; i++)
            put(c, OUT_Y, r * n + i,
                (s[i] - mean) * inverse * at(c, IN_GAMMA, i, 1) + at(c, i_beta, i, 0));
        put(c, OUT_MEAN, r, mean);
        put(c, OUT_INVERSE, r, inverse);
    }
    return INGOT_OK;
}

/* ---- lowering: the sum of a row, then the kernel of the normalisation on it ---- */

IG_PRIM_DECLARE(add)
static const ig_prim add = IG_PRIM_TABLE(add, 2);

typedef struct skip_params {
    ig_layer_norm_params norm;
    ig_kernel_fn norm_fn;
    ig_prim_fn add;
    int64_t n, n_skip_rows;
} skip_params;

/* Operands: x, skip, gamma, beta, bias, y, mean, inverse, sum. */
static void k_skip_norm(const void *params, void *const *operands, ig_part part)
{
    const skip_params *p = params;
    const float none[IG_PRIM_N_PARAMS] = { 0 };
    const int64_t n = p->n;
    float *sums = operands[8] ? operands[8] : operands[5]; /* the kernel may overwrite its input */
    for (int64_t r = part.begin; r < part.end; r++) {
        float *s = sums + r * n;
        p->add(s, (const float *)operands[0] + r * n,
               (const float *)operands[1] + r % p->n_skip_rows * n, NULL, none, n);
        if (operands[4]) p->add(s, s, operands[4], NULL, none, n);
    }
    void *const norm[] = { sums, operands[2], operands[3], operands[5], operands[6], operands[7] };
    p->norm_fn(&p->norm, norm, part);
}

ig_status ig_skip_norm_lower(ig_lower *l, bool is_rms)
{
    static const int8_t with_mean[] = { 0, 1, 2, 3, 4 }, rms[] = { 0, 1, 2, -1, 3 };
    int64_t x[IG_MAX_RANK], skip[IG_MAX_RANK];
    if (l->in[IN_X]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[IN_X], x) ||
        !ig_info_is_static(l->in[IN_SKIP], skip) || !add.fn[l->isa])
        return INGOT_OK;
    const int64_t n = x[l->in[IN_X]->rank - 1], count = ig_count(l->in[IN_X]->rank, x);
    if (count < 1) return INGOT_OK;
    const ig_layer_norm_shape s = { .n_rows = count / n,
                                    .n = n,
                                    .epsilon = ig_attr_float(l->node, "epsilon", 1e-12f),
                                    .is_rms = is_rms };
    skip_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_layer_norm_plan(&s, l->isa, &p->norm, &p->norm_fn, l->err));
    p->add = add.fn[l->isa];
    p->n = n;
    p->n_skip_rows = ig_count(l->in[IN_SKIP]->rank, skip) / n;
    l->params = p;
    l->kernel = k_skip_norm;
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_skip_%s_norm_f32__%s",
                                     is_rms ? "rms" : "layer", ig_isa_name(l->isa));
    l->n_operand_in = 5;
    l->n_operand_out = 4;
    l->operand_inputs = is_rms ? rms : with_mean;
    l->n_work = p->norm.n_work;
    l->grain = p->norm.grain;
    return INGOT_OK;
}
