/* SPDX-License-Identifier: Apache-2.0 */
/* integer_product.c: operands and references of 8-bit products (see integer_product.h). */
#include "ops/integer_product.h"

#include <math.h>

#include "ops/quantize.h"

#define IG_T_8_BIT (IG_T(INGOT_UINT8) | IG_T(INGOT_INT8))
#define IG_T_SCALE (IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16))

/* ---- checks ---- */

/* What is known of an operand: dtype INGOT_UNDEFINED, count -1 where nothing is. */
typedef struct fact {
    bool is_there;
    ingot_dtype dtype;
    int64_t count;
} fact;

static const char *const names[IG_QP_N] = { "the input",
                                            "the weights",
                                            "the bias",
                                            "the input's zero point",
                                            "the weights' zero point",
                                            "the input's scale",
                                            "the weights' scale",
                                            "the output's scale",
                                            "the output's zero point" };

static ig_status check_type(const fact f[IG_QP_N], int role, ig_dtype_set allowed, ig_error *err)
{
    if (!f[role].is_there || f[role].dtype == INGOT_UNDEFINED || (IG_T(f[role].dtype) & allowed))
        return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "%s cannot be %s here", names[role],
                   ingot_dtype_name(f[role].dtype));
}

/* One value, or n (n <= 0: never). */
static ig_status check_count(const fact f[IG_QP_N], int role, int64_t n, bool one_is_enough,
                             ig_error *err)
{
    const int64_t count = f[role].count;
    if (!f[role].is_there || count < 0 || (one_is_enough && count == 1) || count == n)
        return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "%s has %lld values where %s%lld are wanted", names[role],
                   (long long)count, one_is_enough && n != 1 ? "1 or " : "", (long long)n);
}

/* What operands may be: 8-bit integers, and 8-bit floats for operators that have them. */
static ig_dtype_set operand_types(const ig_node *node)
{
    return IG_T_8_BIT | (node->op ? node->op->types & IG_T_FLOAT8 : 0);
}

static ig_dtype_set same_as(const fact *f, ig_dtype_set operands)
{
    return f->dtype == INGOT_UNDEFINED ? operands : IG_T(f->dtype);
}

static ig_status check_presence(const int8_t inputs[IG_QP_N], const fact f[IG_QP_N], ig_error *err)
{
    static const int needed[] = { IG_QP_X, IG_QP_W, IG_QP_X_SCALE, IG_QP_W_SCALE, IG_QP_Y_SCALE };
    for (size_t i = 0; i < IG_COUNT(needed); i++)
        if (inputs[needed[i]] >= 0 && !f[needed[i]].is_there)
            return ig_fail(err, INGOT_ERR_INVALID, "%s is missing", names[needed[i]]);
    return INGOT_OK;
}

/* n_rows, n_channels: -1 where unknown. */
static ig_status check(const fact f[IG_QP_N], ig_dtype_set operands, int64_t n_rows,
                       int64_t n_channels, ig_error *err)
{
    IG_TRY(check_type(f, IG_QP_X, operands, err));
    IG_TRY(check_type(f, IG_QP_W, operands, err));
    IG_TRY(check_type(f, IG_QP_BIAS, IG_T(INGOT_INT32), err));
    IG_TRY(check_type(f, IG_QP_X_ZERO, same_as(&f[IG_QP_X], operands), err));
    IG_TRY(check_type(f, IG_QP_W_ZERO, same_as(&f[IG_QP_W], operands), err));
    IG_TRY(check_type(f, IG_QP_Y_ZERO, operands, err));
    for (int role = IG_QP_X_SCALE; role <= IG_QP_Y_SCALE; role++)
        IG_TRY(check_type(f, role, IG_T_SCALE, err));
    for (int role = IG_QP_X_SCALE; role <= IG_QP_Y_ZERO; role++)
        if (role != IG_QP_W_SCALE) IG_TRY(check_count(f, role, 1, true, err));
    if (n_rows >= 0) IG_TRY(check_count(f, IG_QP_X_ZERO, n_rows ? n_rows : 1, true, err));
    if (n_channels < 0) return INGOT_OK;
    IG_TRY(check_count(f, IG_QP_BIAS, n_channels, false, err));
    IG_TRY(check_count(f, IG_QP_W_ZERO, n_channels, true, err));
    return check_count(f, IG_QP_W_SCALE, n_channels, true, err);
}

ig_status ig_qp_infer_check(ig_infer *c, const int8_t inputs[IG_QP_N], ig_dim n_rows,
                            ig_dim n_channels)
{
    fact f[IG_QP_N] = { 0 };
    int64_t dims[IG_MAX_RANK];
    for (int r = 0; r < IG_QP_N; r++) {
        const ig_info *in = inputs[r] >= 0 && inputs[r] < c->n_in ? c->in[inputs[r]] : NULL;
        if (!in) continue;
        f[r] = (fact){ true, in->type.dtype, -1 };
        if (in->type.kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is not a tensor", names[r]);
        if (ig_info_is_static(in, dims)) f[r].count = ig_count(in->rank, dims);
    }
    IG_TRY(check_presence(inputs, f, c->err));
    return check(f, operand_types(c->node), ig_dim_is_const(n_rows) ? n_rows : -1,
                 ig_dim_is_const(n_channels) ? n_channels : -1, c->err);
}

ingot_dtype ig_qp_result_type(const ig_infer *c, const int8_t inputs[IG_QP_N])
{
    const int i = inputs[IG_QP_Y_ZERO];
    if (i < 0) return INGOT_INT32;
    return i < c->n_in && c->in[i] ? c->in[i]->type.dtype : INGOT_UINT8;
}

ig_status ig_qp_operands_read(const ig_call *c, const int8_t inputs[IG_QP_N], int64_t n_rows,
                              int64_t n_channels, ig_qp_operands *o)
{
    fact f[IG_QP_N] = { 0 };
    *o = (ig_qp_operands){ 0 };
    for (int r = 0; r < IG_QP_N; r++) {
        o->t[r] = inputs[r] >= 0 && inputs[r] < c->n_in ? c->in[inputs[r]] : NULL;
        if (o->t[r]) f[r] = (fact){ true, o->t[r]->dtype, ig_tensor_count(o->t[r]) };
    }
    IG_TRY(check_presence(inputs, f, c->err));
    IG_TRY(check(f, operand_types(c->node), n_rows, n_channels, c->err));
    o->is_x_zero_per_row = f[IG_QP_X_ZERO].count > 1;
    o->is_w_zero_per_channel = f[IG_QP_W_ZERO].count > 1;
    o->is_w_scale_per_channel = f[IG_QP_W_SCALE].count > 1;
    return INGOT_OK;
}

/* ---- references ---- */

/* What a sum is multiplied with. */
static float scale_of(const ig_qp_operands *o, int64_t channel)
{
    const ig_tensor *const *t = o->t;
    const int64_t i_scale = o->is_w_scale_per_channel ? channel : 0;
    const float x_scale = (float)ig_get_f64(t[IG_QP_X_SCALE]->dtype, t[IG_QP_X_SCALE]->data, 0);
    const float w_scale =
        (float)ig_get_f64(t[IG_QP_W_SCALE]->dtype, t[IG_QP_W_SCALE]->data, i_scale);
    const float y_scale = (float)ig_get_f64(t[IG_QP_Y_SCALE]->dtype, t[IG_QP_Y_SCALE]->data, 0);
    return x_scale * w_scale / y_scale;
}

void ig_qp_store(const ig_qp_operands *o, ig_tensor *y, int64_t at, int64_t channel, int64_t sum)
{
    const int32_t acc = (int32_t)(uint32_t)(uint64_t)sum;
    if (!o->t[IG_QP_Y_SCALE]) {
        ((int32_t *)y->data)[at] = acc;
        return;
    }
    const float q =
        rintf((float)acc * scale_of(o, channel)) + (float)ig_qp_get(o->t[IG_QP_Y_ZERO], 0);
    ig_set_f64(y->dtype, y->data, at, (double)q);
}

/* Element i of an operand that may be of 8-bit floats; 0 where t is NULL. */
static double get_real(const ig_tensor *t, int64_t i)
{
    return t ? ig_get_f64(t->dtype, t->data, i) : 0;
}

/* The same for a sum of reals. 8-bit floats are rounded by their type and have no zero point. */
static void store_real(const ig_qp_operands *o, ig_tensor *y, int64_t at, int64_t channel,
                       double sum)
{
    const float v = (float)sum * scale_of(o, channel);
    const bool is_float = IG_T(y->dtype) & IG_T_FLOAT8;
    const float q = is_float ? v : rintf(v) + (float)get_real(o->t[IG_QP_Y_ZERO], 0);
    ig_set_f64(y->dtype, y->data, at, (double)q);
}

typedef struct conv_job {
    ig_conv_geometry g;
    ig_qp_operands o;
    ig_tensor *y;
} conv_job;

/* Sum over one output element. at: first input pixel under the window (may be outside). */
static int64_t dot(const conv_job *j, int64_t x0, int64_t m, const int64_t at[3])
{
    const ig_conv_geometry *g = &j->g;
    const int64_t *k = g->w.kernel, c_group = g->c / g->group, n_taps = k[0] * k[1] * k[2];
    const int64_t x_zero = ig_qp_x_zero(&j->o, 0), w_zero = ig_qp_w_zero(&j->o, m);
    int64_t sum = 0;
    for (int64_t tap = 0; tap < n_taps; tap++) {
        const int64_t p[3] = { at[0] + tap / k[2] / k[1] * g->w.dilation[0],
                               at[1] + tap / k[2] % k[1] * g->w.dilation[1],
                               at[2] + tap % k[2] * g->w.dilation[2] };
        int64_t xi = x0;
        bool is_inside = true;
        for (int d = 0; d < 3; d++) {
            is_inside = is_inside && p[d] >= 0 && p[d] < g->in[d];
            xi += p[d] * g->x_s[d];
        }
        for (int64_t c = 0; is_inside && c < c_group; c++)
            sum += (ig_qp_get(j->o.t[IG_QP_X], xi + c * g->x_c) - x_zero) *
                   (ig_qp_get(j->o.t[IG_QP_W], (m * c_group + c) * n_taps + tap) - w_zero);
    }
    return sum;
}

static void conv_part(void *ctx, ig_part part)
{
    const conv_job *j = ctx;
    const ig_conv_geometry *g = &j->g;
    const ig_tensor *bias = j->o.t[IG_QP_BIAS];
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t n = p / g->m, m = p % g->m;
        const int64_t x0 = n * g->x_n + m / (g->m / g->group) * (g->c / g->group) * g->x_c;
        int64_t o[3], at[3];
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++)
                for (o[2] = 0; o[2] < g->out[2]; o[2]++) {
                    int64_t yi = n * g->y_n + m * g->y_c;
                    for (int d = 0; d < 3; d++) {
                        at[d] = o[d] * g->w.stride[d] - g->w.pad[d];
                        yi += o[d] * g->y_s[d];
                    }
                    int64_t sum = dot(j, x0, m, at);
                    if (bias) sum += ((const int32_t *)bias->data)[m];
                    ig_qp_store(&j->o, j->y, yi, m, sum);
                }
    }
}

ig_status ig_qp_conv_ref(ig_call *c, const int8_t inputs[IG_QP_N])
{
    const ig_tensor *x = c->in[inputs[IG_QP_X]], *w = c->in[inputs[IG_QP_W]];
    conv_job job = { .y = c->out[0] };
    if (!job.y) return INGOT_OK;
    IG_TRY(ig_conv_geometry_read(c->node, x->dims, x->rank, w->dims, job.y->dims, &job.g, c->err));
    IG_TRY(ig_qp_operands_read(c, inputs, 0, job.g.m, &job.o));
    if (ig_tensor_count(job.y) > 0) ig_team_run(c->team, conv_part, &job, job.g.batch * job.g.m, 1);
    return INGOT_OK;
}

typedef struct matmul_job {
    ig_matmul_view v;
    ig_qp_operands o;
    ig_tensor *y;
} matmul_job;

static void matmul_rows(void *ctx, ig_part part)
{
    const matmul_job *j = ctx;
    const ig_matmul_view *v = &j->v;
    for (int64_t row = part.begin; row < part.end; row++) {
        int64_t a, b;
        ig_matmul_offsets(v, row / v->m, &a, &b);
        a += row % v->m * v->k;
        const int64_t x_zero = ig_qp_x_zero(&j->o, row % v->m);
        for (int64_t n = 0; n < v->n; n++) {
            const int64_t w_zero = ig_qp_w_zero(&j->o, n);
            int64_t sum = 0;
            for (int64_t k = 0; k < v->k; k++)
                sum += (ig_qp_get(j->o.t[IG_QP_X], a + k) - x_zero) *
                       (ig_qp_get(j->o.t[IG_QP_W], b + k * v->n + n) - w_zero);
            ig_qp_store(&j->o, j->y, row * v->n + n, n, sum);
        }
    }
}

/* Any of the operands of 8-bit floats: products and sums are exact in double, or nearly so. */
static void real_matmul_rows(void *ctx, ig_part part)
{
    const matmul_job *j = ctx;
    const ig_matmul_view *v = &j->v;
    const ig_qp_operands *o = &j->o;
    for (int64_t row = part.begin; row < part.end; row++) {
        int64_t a, b;
        ig_matmul_offsets(v, row / v->m, &a, &b);
        a += row % v->m * v->k;
        const double x_zero = get_real(o->t[IG_QP_X_ZERO], o->is_x_zero_per_row ? row % v->m : 0);
        for (int64_t n = 0; n < v->n; n++) {
            const double w_zero = get_real(o->t[IG_QP_W_ZERO], o->is_w_zero_per_channel ? n : 0);
            double sum = 0;
            for (int64_t k = 0; k < v->k; k++)
                sum += (get_real(o->t[IG_QP_X], a + k) - x_zero) *
                       (get_real(o->t[IG_QP_W], b + k * v->n + n) - w_zero);
            store_real(o, j->y, row * v->n + n, n, sum);
        }
    }
}

ig_status ig_qp_matmul_ref(ig_call *c, const int8_t inputs[IG_QP_N])
{
    const ig_tensor *a = c->in[inputs[IG_QP_X]], *b = c->in[inputs[IG_QP_W]];
    matmul_job job = { .y = c->out[0] };
    if (!job.y) return INGOT_OK;
    ig_matmul_view_init(&job.v, a->rank, a->dims, b->rank, b->dims);
    IG_TRY(ig_qp_operands_read(c, inputs, job.v.m, job.v.n, &job.o));
    const bool is_real =
        ((IG_T(a->dtype) | IG_T(b->dtype) | IG_T(job.y->dtype)) & IG_T_FLOAT8) != 0;
    if (ig_tensor_count(job.y) > 0)
        ig_team_run(c->team, is_real ? real_matmul_rows : matmul_rows, &job,
                    job.v.n_batch * job.v.m, 1);
    return INGOT_OK;
}
