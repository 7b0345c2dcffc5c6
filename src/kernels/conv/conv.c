/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: the plan of a convolution: blocking, scratch, packed weights. run.c runs it. */
#include "kernels/conv/conv.h"

#include "base/alloc.h"
#include "kernels/conv/axis.h"
#include "kernels/conv/pack.h"
#include "kernels/gemm/igemm.h"

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

void ig_conv_shape_init(ig_conv_shape *shape)
{
    *shape = (ig_conv_shape){ .batch = 1,
                              .in = { 1, 1, 1 },
                              .out = { 1, 1, 1 },
                              .c_in = 1,
                              .c_out = 1,
                              .groups = 1,
                              .kernel = { 1, 1, 1 },
                              .stride = { 1, 1, 1 },
                              .dilation = { 1, 1, 1 },
                              .x_pitch = 1,
                              .y_pitch = 1,
                              .r_pitch = 1 };
}

const ig_gemm_kernel *ig_conv_choose(const ig_conv_shape *s, ig_isa isa)
{
    const int64_t rows = s->batch * s->out[0] * s->out[1] * s->out[2];
    ig_gemm_shape g;
    ig_gemm_shape_init(&g, rows, s->groups > 0 ? s->c_out / s->groups : 1, 1, false, false);
    return ig_gemm_choose(&g, isa);
}

/* Everything below multiplies these without looking again: keep each product under 2^60. */
static bool product_fits(const int64_t *factors, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        if (factors[i] < 0 || __builtin_mul_overflow(p, max64(factors[i], 1), &p) ||
            p > INT64_C(1) << 58)
            return false;
    return true;
}

ig_status ig_conv_check(const ig_conv_shape *s, ig_error *err)
{
    if (s->groups < 1 || s->c_in < 1 || s->c_out < 1 || s->c_in % s->groups || s->c_out % s->groups)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "convolution of %lld to %lld channels in %lld groups: not divisible",
                       (long long)s->c_in, (long long)s->c_out, (long long)s->groups);
    for (int d = 0; d < 3; d++) {
        const int64_t limit = INT64_C(1) << 30;
        if (s->kernel[d] < 1 || s->stride[d] < 1 || s->dilation[d] < 1 || s->in[d] < 0 ||
            s->out[d] < 0 || s->kernel[d] > limit || s->stride[d] > limit ||
            s->dilation[d] > limit || s->pad[d] > limit || s->pad[d] < -limit || s->in[d] > limit ||
            s->out[d] > limit)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "convolution: kernel %lld, stride %lld, dilation %lld, pad %lld, input "
                           "%lld, output %lld do not fit",
                           (long long)s->kernel[d], (long long)s->stride[d],
                           (long long)s->dilation[d], (long long)s->pad[d], (long long)s->in[d],
                           (long long)s->out[d]);
    }
    if (s->x_pitch < s->c_in || s->y_pitch < s->c_out || (s->has_residual && s->r_pitch < s->c_out))
        return ig_fail(err, INGOT_ERR_SHAPE, "convolution: pixels overlap (pitch too small)");
    if (s->is_transposed && s->w_layout != IG_CONV_W_ONNX)
        return ig_fail(err, INGOT_ERR_SHAPE, "transposed convolution: weight layout");
    const int64_t x[] = { s->batch, s->in[0], s->in[1], s->in[2], s->x_pitch, 4 };
    const int64_t y[] = { s->batch,
                          s->out[0],
                          s->out[1],
                          s->out[2],
                          max64(s->y_pitch, s->has_residual ? s->r_pitch : 1),
                          4 };
    const int64_t w[] = { s->c_in,      s->c_out + 64 * s->groups,
                          s->kernel[0], s->kernel[1],
                          s->kernel[2], 4 };
    if (!product_fits(x, 6) || !product_fits(y, 6) || !product_fits(w, 6))
        return ig_fail(err, INGOT_ERR_SHAPE, "convolution: too large");
    return INGOT_OK;
}

static size_t align64(int64_t bytes) { return ig_align_up((size_t)bytes, 64); }

/* A row of the kernel over few channels is one run of memory: one long tap instead of kW short
 * ones. At the picture's edges such runs are copied with zeros, so they must be short. */
static bool can_merge(const ig_conv_shape *s)
{
    return !s->is_transposed && s->groups == 1 && s->dilation[2] == 1 && s->kernel[2] > 1 &&
           s->c_in < 32 && s->x_pitch == s->c_in &&
           s->kernel[0] * s->kernel[1] * s->kernel[2] * s->c_in <= 2048;
}

/* Taps and rows of the largest phase. */
static void measure_phases(ig_conv_params *p)
{
    const ig_conv_shape *s = &p->shape;
    p->n_phases = ig_conv_n_phases(s);
    p->k_taps = p->m_rows = 0;
    for (int64_t i = 0; i < p->n_phases; i++) {
        ig_conv_axis a[3];
        ig_conv_axes(s, i, a);
        const int64_t taps = a[0].n_taps * a[1].n_taps * (p->is_merged ? 1 : a[2].n_taps);
        p->k_taps = max64(p->k_taps, taps);
        p->m_rows = max64(p->m_rows, s->batch * a[0].n_out * a[1].n_out * a[2].n_out);
    }
}

static void plan_scratch(ig_conv_params *p)
{
    const ig_conv_shape *s = &p->shape;
    p->table_bytes = align64((p->k_taps + 2) * p->m_block * (int64_t)sizeof(void *));
    p->edge_bytes = p->is_merged ? align64(p->k_taps * p->m_block * p->k_per_tap * 4) : 0;
    p->zero_bytes = align64(p->k_per_tap * 4);
    p->acc_bytes = ig_align_up(
        ig_igemm_acc_bytes(p->kernel, p->k_taps, p->k_per_tap, p->k_block, p->m_block, p->n_block),
        64);
    p->packed_bytes = s->w_is_packed ? 0 : align64(p->group_stride * 4);
    p->scratch_bytes_per_thread =
        p->table_bytes + p->edge_bytes + p->zero_bytes + p->acc_bytes + p->packed_bytes;
}

ig_status ig_conv_plan(const ig_conv_shape *shape, const ig_gemm_kernel *kernel, ig_conv_params *p,
                       ig_error *err)
{
    enum { MAX_TABLE = 8192 }; /* row pointers: should stay in the L1 and L2 caches */
    IG_TRY(ig_conv_check(shape, err));
    *p = (ig_conv_params){ .shape = *shape, .kernel = kernel };
    const ig_conv_shape *s = &p->shape;
    const int64_t c_group = s->c_in / s->groups, m_group = s->c_out / s->groups;
    p->is_merged = can_merge(s);
    p->k_per_tap = p->is_merged ? s->kernel[2] * c_group : c_group;
    measure_phases(p);
    p->m_block = ig_igemm_m_block(kernel, p->m_rows);
    if (p->k_taps * p->m_block > MAX_TABLE)
        p->m_block = max64(MAX_TABLE / p->k_taps / kernel->mr, 1) * kernel->mr;
    p->m_block = max64(min64(p->m_block, p->m_rows), 1);
    p->n_m_blocks = div_up(p->m_rows, p->m_block);
    const int64_t depth = p->k_taps * p->k_per_tap;
    p->k_block = ig_igemm_k_block(kernel, max64(p->k_taps, 1), p->k_per_tap);
    p->n_block = ig_igemm_n_block(kernel, depth, m_group, p->n_m_blocks * s->groups * p->n_phases);
    p->n_n_blocks = div_up(m_group, p->n_block);
    p->group_stride = div_up(m_group, kernel->nr) * kernel->nr * s->kernel[0] * s->kernel[1] *
                      s->kernel[2] * c_group;
    plan_scratch(p);
    p->n_work = s->groups * p->n_phases * p->n_n_blocks * p->n_m_blocks;
    p->grain = ig_igemm_grain(p->m_block * p->n_block * max64(depth, 1));
    return INGOT_OK;
}

/* ---- weights ---- */
size_t ig_conv_packed_bytes(const ig_conv_params *p)
{
    return align64(p->group_stride * p->shape.groups * 4);
}

/* One panel of n <= nr output channels of one phase: [taps][C/group][nr]. src is at the group's
 * first weight for output channel 0 of the panel; the strides are those of the raw weights. */
static float *pack_panel(const ig_conv_shape *s, const ig_conv_axis a[3], const float *src,
                         int64_t m_stride, int64_t c_stride, int64_t n, int64_t nr, float *dst)
{
    const int64_t c_group = s->c_in / s->groups;
    const int64_t tap_stride = s->w_layout == IG_CONV_W_OHWI ? c_group : 1;
    for (int64_t j0 = 0; j0 < a[0].n_taps; j0++)
        for (int64_t j1 = 0; j1 < a[1].n_taps; j1++)
            for (int64_t j2 = 0; j2 < a[2].n_taps; j2++) {
                const int64_t t0 = a[0].tap_first + j0 * a[0].tap_step;
                const int64_t t1 = a[1].tap_first + j1 * a[1].tap_step;
                const int64_t t2 = a[2].tap_first + j2 * a[2].tap_step;
                const float *w = src + ((t0 * s->kernel[1] + t1) * s->kernel[2] + t2) * tap_stride;
                for (int64_t c = 0; c < c_group; c++, dst += nr) {
                    for (int64_t m = 0; m < n; m++) dst[m] = w[m * m_stride + c * c_stride];
                    for (int64_t m = n; m < nr; m++) dst[m] = 0;
                }
            }
    return dst;
}

/* One group, phase after phase. */
void ig_conv_pack_group(const ig_conv_params *p, const float *src, int64_t group, float *dst)
{
    const ig_conv_shape *s = &p->shape;
    const int64_t c_group = s->c_in / s->groups, m_group = s->c_out / s->groups;
    const int64_t nr = p->kernel->nr, n_taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    const bool is_ohwi = s->w_layout == IG_CONV_W_OHWI;
    const int64_t m_stride = s->is_transposed ? n_taps : n_taps * c_group;
    const int64_t c_stride = s->is_transposed ? m_group * n_taps : is_ohwi ? 1 : n_taps;
    src += group * m_group * c_group * n_taps;
    for (int64_t i = 0; i < p->n_phases; i++) {
        ig_conv_axis a[3];
        ig_conv_axes(s, i, a);
        for (int64_t m = 0; m < m_group; m += nr)
            dst = pack_panel(s, a, src + m * m_stride, m_stride, c_stride, min64(nr, m_group - m),
                             nr, dst);
    }
}

void ig_conv_pack_w(const ig_conv_params *p, const float *src, float *dst)
{
    for (int64_t g = 0; g < p->shape.groups; g++)
        ig_conv_pack_group(p, src, g, dst + g * p->group_stride);
}
