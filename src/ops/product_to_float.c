/* SPDX-License-Identifier: Apache-2.0 */
/* product_to_float.c: see product_to_float.h. */
#include "ops/product_to_float.h"

#include <math.h>
#include <string.h>

#include "ops/quantize.h"

static ig_status check_bias(int64_t count, ingot_dtype dtype, int64_t n, ig_error *err)
{
    if (dtype == INGOT_FLOAT && count == n) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "the bias is not %lld float32 values", (long long)n);
}

ig_status ig_ptf_infer(ig_infer *c, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic)
{
    const ig_info *a = c->in[inputs[IG_QP_X]], *b = c->in[inputs[IG_QP_W]];
    const ig_info *bias = i_bias < c->n_in ? c->in[i_bias] : NULL;
    int8_t checked[IG_QP_N];
    int64_t dims[IG_MAX_RANK];
    memcpy(checked, inputs, sizeof checked);
    if (is_dynamic) checked[IG_QP_X] = -1;
    c->out[0].type.dtype = INGOT_FLOAT;
    if (!a || !b) return ig_fail(c->err, INGOT_ERR_INVALID, "a matrix is missing");
    if (is_dynamic && a->type.dtype != INGOT_FLOAT)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "A is %s, float32 is wanted",
                       ingot_dtype_name(a->type.dtype));
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    IG_TRY(ig_matmul_shape(c, a, b, &c->out[0]));
    c->out[0].type.dtype = INGOT_FLOAT;
    const ig_dim n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
    if (bias && ig_dim_is_const(n) && ig_info_is_static(bias, dims))
        IG_TRY(check_bias(ig_count(bias->rank, dims), bias->type.dtype, n, c->err));
    return ig_qp_infer_check(c, checked, 0, n);
}

/* Range of x widened to hold 0 over 255 steps, as DynamicQuantizeLinear. */
static void choose_scale(const float *x, int64_t n, float *scale, uint8_t *zero)
{
    float min = 0, max = 0;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < min) min = x[i];
        if (x[i] > max) max = x[i];
    }
    *scale = (max - min) / 255.0f;
    if (!(*scale > 0)) *scale = 1.0f;
    const float z = rintf(-min / *scale);
    *zero = (uint8_t)(z > 255.0f ? 255.0f : z > 0 ? z : 0);
}

static ig_status quantize(ig_call *c, const ig_tensor *a, ig_tensor **q, float *scale)
{
    const int64_t n = ig_tensor_count(a);
    const float *x = a->data;
    uint8_t zero;
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_UINT8, a->rank, a->dims, NULL, &q[0], c->err));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_UINT8, 0, NULL, NULL, &q[1], c->err));
    choose_scale(x, n, scale, &zero);
    *(uint8_t *)q[1]->data = zero;
    for (int64_t i = 0; i < n; i++)
        ig_set_f64(INGOT_UINT8, q[0]->data, i, (double)(rintf(x[i] / *scale) + (float)zero));
    return INGOT_OK;
}

static const ig_tensor *tensor_at(const ig_call *c, int i)
{
    return i >= 0 && i < c->n_in ? c->in[i] : NULL;
}

ig_status ig_ptf_ref(ig_call *c, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic)
{
    const ig_tensor *a = c->in[inputs[IG_QP_X]], *b = c->in[inputs[IG_QP_W]];
    const ig_tensor *bias = tensor_at(c, i_bias);
    ig_tensor *y = c->out[0], *q[2] = { NULL, NULL };
    ig_matmul_view v;
    ig_qp_operands o;
    int8_t checked[IG_QP_N];
    float a_scale = 1;
    if (!y) return INGOT_OK;
    ig_matmul_view_init(&v, a->rank, a->dims, b->rank, b->dims);
    memcpy(checked, inputs, sizeof checked);
    if (is_dynamic) checked[IG_QP_X] = -1;
    IG_TRY(ig_qp_operands_read(c, checked, 0, v.n, &o));
    if (bias) IG_TRY(check_bias(ig_tensor_count(bias), bias->dtype, v.n, c->err));
    if (is_dynamic) {
        IG_TRY(quantize(c, a, q, &a_scale));
        o.t[IG_QP_X] = q[0];
        o.t[IG_QP_X_ZERO] = q[1];
    } else {
        a_scale = *(const float *)o.t[IG_QP_X_SCALE]->data;
    }
    const float *b_scale = o.t[IG_QP_W_SCALE]->data;
    for (int64_t row = 0; row < v.n_batch * v.m; row++) {
        int64_t at_a, at_b;
        ig_matmul_offsets(&v, row / v.m, &at_a, &at_b);
        at_a += row % v.m * v.k;
        for (int64_t n = 0; n < v.n; n++) {
            int64_t sum = 0;
            for (int64_t k = 0; k < v.k; k++)
                sum += (ig_qp_get(o.t[IG_QP_X], at_a + k) - ig_qp_x_zero(&o, 0)) *
                       (ig_qp_get(o.t[IG_QP_W], at_b + k * v.n + n) - ig_qp_w_zero(&o, n));
            const float scale = a_scale * b_scale[o.is_w_scale_per_channel ? n : 0];
            const float r = (float)(int32_t)(uint32_t)(uint64_t)sum * scale;
            ((float *)y->data)[row * v.n + n] = bias ? r + ((const float *)bias->data)[n] : r;
        }
    }
    return INGOT_OK;
}

/* ---- lowering ---- */

typedef struct ptf_params {
    const ig_qconv_params *product;
    ig_kernel_fn product_fn, quantize_fn; /* quantize_fn NULL: A is quantized already */
    ig_dynamic_quantize_params quantize;
    int64_t n_rows, n;
    size_t a_offset; /* of A, quantized, in scratch; then its scale and zero point */
    bool is_b_scale_per_column;
} ptf_params;

typedef struct ptf_job {
    const ptf_params *p;
    void *const *operands;
    void *product[IG_QP_N + 2]; /* operands of the product */
    const float *a_scale;
    float *y;
} ptf_job;

static void product_part(void *ctx, ig_part part)
{
    const ptf_job *j = ctx;
    j->p->product_fn(j->p->product, j->product, part);
}

/* int32 sums become float32 where they are. */
static void scale_rows(void *ctx, ig_part part)
{
    const ptf_job *j = ctx;
    const int64_t n = j->p->n;
    const float *b_scale = j->operands[IG_QP_W_SCALE], *bias = j->operands[IG_QP_BIAS];
    const float a_scale = *j->a_scale;
    for (int64_t i = part.begin; i < part.end; i++) {
        float *y = j->y + i * n;
        const int32_t *sum = (const int32_t *)(const void *)y;
        for (int64_t k = 0; k < n; k++) {
            int32_t s;
            memcpy(&s, sum + k, sizeof s);
            const float r = (float)s * (a_scale * b_scale[j->p->is_b_scale_per_column ? k : 0]);
            y[k] = bias ? r + bias[k] : r;
        }
    }
}

static void k_product_to_float(const void *params, void *const *operands, ig_team *team)
{
    const ptf_params *p = params;
    ptf_job j = { .p = p, .operands = operands, .y = operands[IG_QP_N] };
    memcpy(j.product, operands, IG_QP_N * sizeof *operands);
    j.product[IG_QP_BIAS] = NULL;
    j.product[IG_QP_N] = j.y;
    j.product[IG_QP_N + 1] = operands[IG_QP_N + 1];
    j.a_scale = operands[IG_QP_X_SCALE];
    if (p->quantize_fn) {
        uint8_t *a = (uint8_t *)operands[IG_QP_N + 1] + p->a_offset;
        float *scale = (float *)(void *)(a + ig_align_up((size_t)p->quantize.n, 64));
        void *const quantized[] = { operands[IG_QP_X], a, scale, scale + 1 };
        p->quantize_fn(&p->quantize, quantized, (ig_part){ 0, 1, 0 });
        j.product[IG_QP_X] = a;
        j.product[IG_QP_X_ZERO] = scale + 1;
        j.a_scale = scale;
    }
    for (int r = IG_QP_X_SCALE; r <= IG_QP_Y_ZERO; r++) j.product[r] = NULL;
    ig_team_run(team, product_part, &j, p->product->n_work, p->product->grain);
    ig_team_run(team, scale_rows, &j, p->n_rows, 1 + 4096 / (p->n + 1));
}

ig_status ig_ptf_lower(ig_lower *l, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic)
{
    ig_qconv_shape s;
    ig_qconv_params *product = NULL;
    int64_t y[IG_MAX_RANK], a[IG_MAX_RANK], scale[IG_MAX_RANK];
    int8_t *map = ig_arena_get(l->arena, IG_QP_N);
    ptf_params *p = ig_arena_get(l->arena, sizeof *p);
    const ig_info *b_scale = l->in[inputs[IG_QP_W_SCALE]];
    if (!map || !p) return IG_NOMEM(l->err, sizeof *p);
    if (!ig_qp_matmul_shape(l, inputs, INGOT_INT32, &s)) return INGOT_OK;
    if (is_dynamic && !ig_dynamic_quantize_kernel(l->isa)) return INGOT_OK;
    IG_TRY(ig_qp_plan(l, inputs, &s, &product, &p->product_fn));
    if (!ig_info_is_static(&l->out[0], y) || !ig_info_is_static(l->in[inputs[IG_QP_X]], a) ||
        !ig_info_is_static(b_scale, scale))
        return INGOT_OK;
    memcpy(map, inputs, IG_QP_N);
    map[IG_QP_BIAS] = (int8_t)i_bias;
    p->product = product;
    p->n = s.c_out;
    p->n_rows = ig_count(l->out[0].rank, y) / p->n;
    p->is_b_scale_per_column = ig_count(b_scale->rank, scale) > 1;
    l->scratch_bytes = ig_align_up(product->scratch_bytes_per_thread * (size_t)l->n_threads, 64);
    if (is_dynamic) {
        p->quantize_fn = ig_dynamic_quantize_kernel(l->isa);
        p->quantize.n = ig_count(l->in[inputs[IG_QP_X]]->rank, a);
        p->a_offset = l->scratch_bytes;
        l->scratch_bytes += ig_align_up((size_t)p->quantize.n, 64) + 64;
    }
    l->params = p;
    l->team_kernel = k_product_to_float;
    l->kernel_name = ig_arena_printf(l->arena, "%s_to_f32", ig_qconv_kernel_name(product));
    l->n_operand_in = IG_QP_N;
    l->operand_inputs = map;
    return INGOT_OK;
}
