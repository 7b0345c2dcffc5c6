/* SPDX-License-Identifier: Apache-2.0 */
/* quant.c: planning and packing of integer convolutions and products. */
#include "kernels/quant/quant.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/quant/qgemm.h"

#define A_BLOCK_BYTES 98304   /* widened activations of a work item: in L2 beside a weight panel */
#define MAX_M_BLOCK 192       /* more rows do not help */
#define MIN_ITEMS 8           /* fewer row blocks are split along the output channels too */
#define MIN_GRAIN_MACS 262144 /* less is not worth a second thread */

#define IG_QGEMM_KERNEL(isa, name, suffix, mr, nr)                                                 \
    void ig_k_qconv__##suffix(const void *params, void *const *operands, ig_part part);
#include "kernels/quant/kernels.inc"
#undef IG_QGEMM_KERNEL

static const ig_qgemm_kernel kernels[] = {
#define IG_QGEMM_KERNEL(isa, name, suffix, mr, nr)                                                 \
    { #name "__" #suffix, isa, mr, nr, ig_k_qconv__##suffix },
#include "kernels/quant/kernels.inc"
#undef IG_QGEMM_KERNEL
};

void ig_qconv_shape_init(ig_qconv_shape *shape)
{
    *shape = (ig_qconv_shape){ .batch = 1,
                               .c_in = 1,
                               .c_out = 1,
                               .groups = 1,
                               .x_dtype = INGOT_UINT8,
                               .w_dtype = INGOT_INT8,
                               .y_dtype = INGOT_UINT8 };
    for (int d = 0; d < 3; d++)
        shape->in[d] = shape->out[d] = shape->kernel[d] = shape->stride[d] = shape->dilation[d] = 1;
}

void ig_qmatmul_shape_init(ig_qconv_shape *shape, int64_t m, int64_t n, int64_t k)
{
    ig_qconv_shape_init(shape);
    shape->in[2] = shape->out[2] = m;
    shape->c_in = k, shape->c_out = n;
    shape->w_layout = IG_QCONV_W_KN;
    shape->ldw = n;
}

static bool is_8_bit(ingot_dtype t) { return t == INGOT_UINT8 || t == INGOT_INT8; }

/* The product of all, times *n; false when negative or beyond 2^61. */
static bool multiply(int64_t *n, const int64_t *sizes, int count)
{
    for (int i = 0; i < count; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(*n, sizes[i], n) || *n > INT64_MAX / 4)
            return false;
    return true;
}

static ig_status check_shape(const ig_qconv_shape *s, ig_error *err)
{
    if (!is_8_bit(s->x_dtype) || !is_8_bit(s->w_dtype) ||
        !(is_8_bit(s->y_dtype) || s->y_dtype == INGOT_INT32))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "integer convolution of types %d, %d to %d",
                       (int)s->x_dtype, (int)s->w_dtype, (int)s->y_dtype);
    if (s->groups < 1 || s->c_in < 0 || s->c_out < 0 || s->c_in % s->groups != 0 ||
        s->c_out % s->groups != 0 || s->x_pitch < s->c_in || s->y_pitch < s->c_out)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "integer convolution of %lld to %lld channels in %lld groups: bad size",
                       (long long)s->c_in, (long long)s->c_out, (long long)s->groups);
    int64_t n = 1, k = 1;
    bool is_ok = multiply(&n, &s->batch, 1) && multiply(&k, s->kernel, 3);
    for (int d = 0; d < 3; d++)
        is_ok = is_ok && s->in[d] >= 0 && s->kernel[d] > 0 && s->stride[d] > 0 &&
                s->dilation[d] > 0 && s->pad[d] >= 0;
    int64_t x = n, y = n, w = k;
    is_ok = is_ok && multiply(&x, s->in, 3) && multiply(&x, &s->x_pitch, 1) &&
            multiply(&y, s->out, 3) && multiply(&y, &s->y_pitch, 1) && multiply(&w, &s->c_in, 1) &&
            multiply(&w, &s->c_out, 1) && k < 1 << 24 && w < (int64_t)1 << 40;
    if (!is_ok) return ig_fail(err, INGOT_ERR_SHAPE, "integer convolution: bad or too large sizes");
    const bool is_product = s->w_layout == IG_QCONV_W_KN;
    if (is_product && (k != 1 || s->groups != 1 || s->ldw < s->c_out))
        return ig_fail(err, INGOT_ERR_SHAPE, "integer product: weights [K, N] want one tap");
    if (s->n_batch_dims < 0 || s->n_batch_dims > (is_product ? IG_QCONV_MAX_BATCH_DIMS : 0))
        return ig_fail(err, INGOT_ERR_SHAPE, "integer product: %d batch dimensions",
                       s->n_batch_dims);
    return INGOT_OK;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/* Rows and columns of a work item. */
static void plan_blocks(ig_qconv_params *p)
{
    const ig_qconv_shape *s = &p->shape;
    const int64_t mr = p->kernel->mr, nr = p->kernel->nr;
    int64_t m = A_BLOCK_BYTES / (p->k_pairs * 4 + 1) / mr * mr;
    if (m > MAX_M_BLOCK) m = MAX_M_BLOCK / mr * mr;
    if (m > round_up(p->m_rows, mr)) m = round_up(p->m_rows, mr);
    p->m_block = m < mr ? mr : m;
    p->n_m_blocks = ceil_div(p->m_rows, p->m_block);
    const int64_t panels = ceil_div(p->n_group, nr);
    const int64_t items = p->n_m_blocks * s->groups * p->n_matrices;
    int64_t n_splits = items > 0 && items < MIN_ITEMS ? ceil_div(MIN_ITEMS, items) : 1;
    if (n_splits > panels) n_splits = panels;
    if (n_splits < 1) n_splits = 1;
    p->n_block = ceil_div(panels, n_splits) * nr;
    p->n_n_blocks = p->n_block > 0 ? ceil_div(p->n_group, p->n_block) : 0;
    p->n_work = items * p->n_n_blocks;
    p->packed_group_elems = panels * nr * p->k_pairs * 2;
    p->a_bytes = (size_t)(p->m_block * p->k_pairs * 4);
    p->w_bytes = s->w_is_packed ? 0 : (size_t)(p->n_block * p->k_pairs * 4);
}

static void plan_depthwise(ig_qconv_params *p)
{
    const ig_qconv_shape *s = &p->shape;
    const int64_t c = round_up(s->c_out, p->kernel->nr);
    p->n_group = s->c_out;
    p->m_block = s->out[2] > 0 ? s->out[2] : 1; /* a row of the picture */
    p->n_m_blocks = ceil_div(p->m_rows, p->m_block);
    p->n_block = c;
    p->n_n_blocks = 1;
    p->n_work = p->n_m_blocks;
    p->packed_group_elems = c * p->k_pairs * 2;
    /* pointers of the taps, and a padding pixel */
    p->a_bytes = ig_align_up((size_t)p->k_pairs * 2 * sizeof(void *), 64) + (size_t)c;
    p->w_bytes = s->w_is_packed ? 0 : (size_t)p->packed_group_elems * 2;
}

ig_status ig_qconv_plan(const ig_qconv_shape *shape, ig_isa isa, ig_qconv_params *params,
                        ig_kernel_fn *fn, ig_error *err)
{
    ig_qconv_params *p = params;
    *p = (ig_qconv_params){ .shape = *shape, .n_matrices = 1 };
    ig_qconv_shape *s = &p->shape;
    if (s->x_pitch == 0) s->x_pitch = s->c_in;
    if (s->y_pitch == 0) s->y_pitch = s->c_out;
    IG_TRY(check_shape(s, err));
    if (!multiply(&p->n_matrices, s->batch_dims, s->n_batch_dims))
        return ig_fail(err, INGOT_ERR_SHAPE, "integer product: bad batch dimensions");
    p->kernel = &kernels[0];
    for (size_t i = 0; i < IG_COUNT(kernels); i++)
        if (kernels[i].isa <= isa) p->kernel = &kernels[i];
    p->k = s->kernel[0] * s->kernel[1] * s->kernel[2] * (s->c_in / s->groups);
    p->k_pairs = ceil_div(p->k, 2);
    p->m_rows = s->batch * s->out[0] * s->out[1] * s->out[2];
    p->n_group = s->c_out / s->groups;
    p->is_depthwise = s->groups > 1 && s->c_in == s->groups && s->c_out == s->groups;
    if (p->is_depthwise)
        plan_depthwise(p);
    else
        plan_blocks(p);
    if (p->m_rows == 0 || s->c_out == 0) p->n_work = 0;
    p->a_bytes = ig_align_up(p->a_bytes, 64);
    p->w_bytes = ig_align_up(p->w_bytes, 64);
    p->scale_bytes = ig_align_up((size_t)s->c_out * 4, 64);
    p->scratch_bytes_per_thread = p->a_bytes + p->w_bytes + p->scale_bytes;
    const int64_t macs = p->m_block * (p->is_depthwise ? s->c_out : p->n_block) * p->k + 1;
    p->grain = ceil_div(MIN_GRAIN_MACS, macs);
    *fn = ig_k_qconv;
    return INGOT_OK;
}

const char *ig_qconv_kernel_name(const ig_qconv_params *params) { return params->kernel->name; }

void ig_k_qconv(const void *params, void *const *operands, ig_part part)
{
    ((const ig_qconv_params *)params)->kernel->run(params, operands, part);
}

/* ---- weights ---- */

size_t ig_qconv_packed_bytes(const ig_qconv_params *params)
{
    const int64_t n_groups = params->is_depthwise ? 1 : params->shape.groups;
    return ig_align_up((size_t)(params->packed_group_elems * n_groups) * 2, 64);
}

/* Weight of output channel o (over all groups) at depth k = tap*I + c, less its zero point. */
static int16_t weight(const ig_qconv_params *p, const void *src, const void *w_zero, int64_t o,
                      int64_t k)
{
    const ig_qconv_shape *s = &p->shape;
    const int64_t n_in = s->c_in / s->groups, tap = k / n_in, c = k % n_in;
    const int64_t at = s->w_layout == IG_QCONV_W_KN     ? k * s->ldw + o
                       : s->w_layout == IG_QCONV_W_OHWI ? o * p->k + k
                                                        : (o * n_in + c) * (p->k / n_in) + tap;
    return (int16_t)(ig_qconv_zero(src, s->w_dtype, at) -
                     ig_qconv_zero(w_zero, s->w_dtype, s->is_w_zero_per_channel ? o : 0));
}

void ig_qconv_pack_panels(const ig_qconv_params *params, const void *src, const void *w_zero,
                          int64_t group, int64_t first, int64_t n, int16_t *dst)
{
    const int64_t nr = params->is_depthwise ? params->n_block : params->kernel->nr;
    for (int64_t j = first; j < first + n; j += nr)
        for (int64_t k = 0; k < params->k_pairs * 2; k += 2)
            for (int64_t i = 0; i < nr; i++, dst += 2)
                for (int64_t b = 0; b < 2; b++) {
                    const bool is_in = k + b < params->k && j + i < params->n_group;
                    const int64_t o = group * params->n_group + j + i;
                    dst[b] = is_in ? weight(params, src, w_zero, o, k + b) : (int16_t)0;
                }
}

void ig_qconv_pack_w(const ig_qconv_params *params, const void *src, const void *w_zero, void *dst)
{
    const int64_t n_groups = params->is_depthwise ? 1 : params->shape.groups;
    for (int64_t g = 0; g < n_groups; g++)
        ig_qconv_pack_panels(params, src, w_zero, g, 0, params->n_group,
                             (int16_t *)dst + g * params->packed_group_elems);
    const size_t used = (size_t)(params->packed_group_elems * n_groups) * 2;
    memset((char *)dst + used, 0, ig_qconv_packed_bytes(params) - used);
}

void ig_qconv_matrix_offsets(const ig_qconv_shape *shape, int64_t i, int64_t *x, int64_t *w,
                             int64_t *y)
{
    *x = *w = *y = 0;
    for (int d = shape->n_batch_dims - 1; d >= 0; d--) {
        const int64_t k = i % shape->batch_dims[d];
        i /= shape->batch_dims[d];
        *x += k * shape->x_stride[d];
        *w += k * shape->w_stride[d];
        *y += k * shape->y_stride[d];
    }
}
