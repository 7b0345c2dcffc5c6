/* SPDX-License-Identifier: Apache-2.0 */
/* integer_product_lower.c: lowering of 8-bit products to kernels/quant. */
#include <string.h>

#include "ops/integer_product.h"
#include "ops/quantize.h"

static const ig_info *info_of(const ig_lower *l, const int8_t *inputs, int role)
{
    const int i = inputs[role];
    return i >= 0 && i < l->n_in ? l->in[i] : NULL;
}

/* Elements of an operand: 0 where absent, -1 where not known. */
static int64_t count_of(const ig_lower *l, const int8_t *inputs, int role)
{
    int64_t dims[IG_MAX_RANK];
    const ig_info *info = info_of(l, inputs, role);
    if (!info) return 0;
    return ig_info_is_static(info, dims) ? ig_count(info->rank, dims) : -1;
}

typedef struct pack_job {
    const ig_qconv_params *params;
    const void *w_zero;
    int64_t n_matrices, matrix_elems;
    size_t matrix_bytes;
} pack_job;

static void pack(const void *ctx, const ig_tensor *src, void *dst)
{
    const pack_job *j = ctx;
    for (int64_t i = 0; i < j->n_matrices; i++)
        ig_qconv_pack_w(j->params, (const uint8_t *)src->data + i * j->matrix_elems, j->w_zero,
                        (uint8_t *)dst + (size_t)i * j->matrix_bytes);
}

static ig_status pack_constant(ig_lower *l, const int8_t *inputs, const ig_qconv_params *p)
{
    const ig_info *zero = info_of(l, inputs, IG_QP_W_ZERO);
    const ig_qconv_shape *s = &p->shape;
    const char *name = ig_qconv_kernel_name(p);
    const int64_t count = count_of(l, inputs, IG_QP_W);
    pack_job job = { .params = p,
                     .w_zero = zero ? zero->data->data : NULL,
                     .n_matrices = 1,
                     .matrix_elems = count,
                     .matrix_bytes = ig_qconv_packed_bytes(p) };
    size_t bytes = 0;
    if (s->w_layout == IG_QCONV_W_KN) {
        job.matrix_elems = s->c_in * s->c_out;
        job.n_matrices = count / job.matrix_elems;
    }
    if (!ig_size_mul(job.matrix_bytes, (size_t)job.n_matrices, &bytes) || bytes == 0)
        return ig_fail(l->err, INGOT_ERR_LIMIT, "packed weights do not fit in memory");
    const uint64_t variant =
        (uint64_t)p->is_depthwise + 2 * (uint64_t)s->groups + ((uint64_t)s->w_layout << 60);
    uint64_t key = ig_hash(name, strlen(name), variant);
    if (zero) key = ig_hash(job.w_zero, (size_t)count_of(l, inputs, IG_QP_W_ZERO), key);
    return ig_lower_pack(l, inputs[IG_QP_W], key, bytes, pack, &job);
}

ig_status ig_qp_plan(ig_lower *l, const int8_t inputs[IG_QP_N], ig_qconv_shape *s,
                     ig_qconv_params **params, ig_kernel_fn *fn)
{
    const ig_info *w = info_of(l, inputs, IG_QP_W), *zero = info_of(l, inputs, IG_QP_W_ZERO);
    const ingot_dtype x_dtype = info_of(l, inputs, IG_QP_X)->type.dtype;
    s->x_dtype = x_dtype == INGOT_INT8 ? INGOT_INT8 : INGOT_UINT8; /* float32: quantized to uint8 */
    s->w_dtype = w->type.dtype;
    s->is_w_zero_per_channel = count_of(l, inputs, IG_QP_W_ZERO) > 1;
    s->is_w_scale_per_channel = count_of(l, inputs, IG_QP_W_SCALE) > 1;
    s->w_is_packed = w->data && (!zero || zero->data) && count_of(l, inputs, IG_QP_W) > 0;
    if (s->w_is_packed && s->w_layout == IG_QCONV_W_KN) /* strides of packed ones: in matrices */
        for (int d = 0; d < s->n_batch_dims; d++) s->w_stride[d] /= s->c_in * s->c_out;
    ig_qconv_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_qconv_plan(s, l->isa, p, fn, l->err));
    if (s->w_is_packed) IG_TRY(pack_constant(l, inputs, p));
    *params = p;
    return INGOT_OK;
}

static ig_status lower(ig_lower *l, const int8_t *inputs, ig_qconv_shape *s)
{
    ig_qconv_params *p = NULL;
    IG_TRY(ig_qp_plan(l, inputs, s, &p, &l->kernel));
    l->kernel_name = ig_qconv_kernel_name(p);
    l->params = p;
    l->n_operand_in = IG_QP_N;
    l->operand_inputs = inputs;
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

/* Operands of 8-bit integers, float32 scales, one zero point for X. */
static bool has_kernel(const ig_lower *l, const int8_t *inputs)
{
    for (int role = 0; role < IG_QP_N; role++) {
        const ig_info *info = info_of(l, inputs, role);
        if (info && (IG_T(info->type.dtype) & IG_T_FLOAT8)) return false;
    }
    for (int role = IG_QP_X_SCALE; role <= IG_QP_Y_SCALE; role++) {
        const ig_info *scale = info_of(l, inputs, role);
        if (inputs[role] >= 0 && (!scale || scale->type.dtype != INGOT_FLOAT)) return false;
    }
    for (int role = 0; role < IG_QP_N; role++)
        if (count_of(l, inputs, role) < 0) return false;
    return count_of(l, inputs, IG_QP_X_ZERO) <= 1;
}

ig_status ig_qp_conv_lower(ig_lower *l, const int8_t inputs[IG_QP_N])
{
    const ig_info *x_info = info_of(l, inputs, IG_QP_X), *w_info = info_of(l, inputs, IG_QP_W);
    int64_t x[IG_MAX_RANK], w[IG_MAX_RANK], y[IG_MAX_RANK];
    ig_conv_geometry g;
    ig_qconv_shape s;
    if (!ig_attr_int(l->node, "channels_last", 0) || !has_kernel(l, inputs)) return INGOT_OK;
    if (!ig_info_is_static(x_info, x) || !ig_info_is_static(w_info, w) ||
        !ig_info_is_static(&l->out[0], y) || ig_count(l->out[0].rank, y) == 0)
        return INGOT_OK;
    IG_TRY(ig_conv_geometry_read(l->node, x, x_info->rank, w, y, &g, l->err));
    ig_qconv_shape_init(&s);
    s.batch = g.batch, s.c_in = g.c, s.c_out = g.m, s.groups = g.group;
    for (int i = 0; i < 3; i++) {
        s.in[i] = g.in[i], s.out[i] = g.out[i], s.kernel[i] = g.w.kernel[i];
        s.stride[i] = g.w.stride[i], s.dilation[i] = g.w.dilation[i], s.pad[i] = g.w.pad[i];
    }
    s.y_dtype = l->out[0].type.dtype;
    return lower(l, inputs, &s);
}

bool ig_qp_matmul_shape(const ig_lower *l, const int8_t inputs[IG_QP_N], ingot_dtype y_dtype,
                        ig_qconv_shape *s)
{
    const ig_info *a_info = info_of(l, inputs, IG_QP_X), *b_info = info_of(l, inputs, IG_QP_W);
    int64_t a[IG_MAX_RANK], b[IG_MAX_RANK];
    ig_matmul_view v;
    if (!has_kernel(l, inputs) || !ig_info_is_static(a_info, a) || !ig_info_is_static(b_info, b))
        return false;
    ig_matmul_view_init(&v, a_info->rank, a, b_info->rank, b);
    if (v.m < 1 || v.n < 1 || v.k < 1 || v.n_batch < 1) return false;
    bool is_tall = true; /* batches of A against one B are one product */
    for (int d = 0; d < v.n_batch_dims; d++)
        is_tall = is_tall && v.b_stride[d] == 0 && (v.a_stride[d] != 0 || v.batch_dims[d] == 1);
    if (is_tall) v.m *= v.n_batch, v.n_batch_dims = 0;
    if (v.n_batch_dims > IG_QCONV_MAX_BATCH_DIMS) return false;
    ig_qmatmul_shape_init(s, v.m, v.n, v.k);
    s->n_batch_dims = v.n_batch_dims;
    int64_t y_step = v.m * v.n;
    for (int d = v.n_batch_dims - 1; d >= 0; d--) {
        s->batch_dims[d] = v.batch_dims[d];
        s->x_stride[d] = v.a_stride[d];
        s->w_stride[d] = v.b_stride[d];
        s->y_stride[d] = y_step;
        y_step *= v.batch_dims[d];
    }
    s->y_dtype = y_dtype;
    return true;
}

ig_status ig_qp_matmul_lower(ig_lower *l, const int8_t inputs[IG_QP_N])
{
    ig_qconv_shape s;
    if (!ig_qp_matmul_shape(l, inputs, l->out[0].type.dtype, &s)) return INGOT_OK;
    return lower(l, inputs, &s);
}

/* ---- cost ---- */

int64_t ig_qp_conv_flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t w[IG_MAX_RANK], y[IG_MAX_RANK];
    const ig_info *weights = in[node->n_inputs > 4 ? 3 : 1]; /* QLinearConv, ConvInteger */
    if (!ig_info_is_static(weights, w) || !ig_info_is_static(&out[0], y) || w[0] == 0) return 0;
    return 2 * ig_count(out[0].rank, y) * (ig_count(weights->rank, w) / w[0]);
}

int64_t ig_qp_matmul_flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t y[IG_MAX_RANK];
    (void)node;
    if (!ig_info_is_static(&out[0], y) || in[0]->rank < 1) return 0;
    const ig_dim k = in[0]->dims[in[0]->rank - 1];
    return ig_dim_is_const(k) ? 2 * k * ig_count(out[0].rank, y) : 0;
}
