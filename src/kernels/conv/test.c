/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: convolutions, plain and transposed, on every row of the matrix kernels. */
#include <stdio.h>
#include <string.h>

#include "kernel_test.h"
#include "kernels/conv/conv.h"

enum { N_THREADS = 3 };

static int64_t pick(const int64_t *from, uint32_t n) { return from[kt_random(n)]; }

static void random_axis(ig_conv_shape *s, int d)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 7, 9, 13 }, kernels[] = { 1, 1, 2, 3, 3, 4, 5, 7 };
    s->in[d] = pick(sizes, IG_COUNT(sizes));
    s->kernel[d] = pick(kernels, IG_COUNT(kernels));
    s->stride[d] = 1 + kt_random(3);
    s->dilation[d] = kt_random(3) ? 1 : 1 + kt_random(3);
    s->pad[d] = kt_random((uint32_t)s->kernel[d] + 1);
    const int64_t span = (s->kernel[d] - 1) * s->dilation[d] + 1, pad_end = kt_random(3);
    if (s->is_transposed)
        s->out[d] = (s->in[d] - 1) * s->stride[d] + span - s->pad[d] - pad_end + kt_random(2);
    else
        s->out[d] = (s->in[d] + s->pad[d] + pad_end - span) / s->stride[d] + 1;
    if (s->out[d] < 1) s->out[d] = 1;
}

static ig_conv_shape random_shape(void)
{
    static const int64_t channels[] = { 1, 2, 3, 3, 4, 7, 8, 15, 16, 17, 31, 33, 40, 67 };
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.is_transposed = kt_random(3) == 0;
    s.batch = 1 + kt_random(2);
    s.groups = kt_random(3) ? 1 : 1 + kt_random(4);
    s.c_in = s.groups * pick(channels, s.groups > 1 ? 8 : IG_COUNT(channels));
    s.c_out = s.groups * pick(channels, s.groups > 1 ? 8 : IG_COUNT(channels));
    random_axis(&s, 2);
    if (kt_random(4)) random_axis(&s, 1);
    if (kt_random(6) == 0) random_axis(&s, 0);
    s.x_pitch = s.c_in + (kt_random(2) ? 0 : kt_random(4));
    s.y_pitch = s.c_out + (kt_random(2) ? 0 : kt_random(4));
    s.r_pitch = s.c_out + kt_random(3);
    s.has_bias = kt_random(2);
    s.has_residual = kt_random(3) == 0;
    s.w_is_packed = kt_random(4) != 0;
    s.w_layout = !s.is_transposed && kt_random(2) ? IG_CONV_W_OHWI : IG_CONV_W_ONNX;
    if (kt_random(2)) s.epilogue = (ig_epilogue){ (ig_act)kt_random(IG_N_ACTS), -0.5f, 0.5f };
    return s;
}

static int64_t pixels(int64_t batch, const int64_t dims[3], int64_t pitch, int64_t channels)
{
    const int64_t n = batch * dims[0] * dims[1] * dims[2];
    return n ? (n - 1) * pitch + channels : 0;
}

static void check_case(const ig_gemm_kernel *kernel, const ig_conv_shape *s, bool in_place)
{
    char what[300];
    snprintf(what, sizeof what,
             "%s%s b%lld %lldx%lldx%lldx%lld->%lldx%lldx%lldx%lld k%lldx%lldx%lld s%lld,%lld,%lld "
             "d%lld,%lld,%lld p%lld,%lld,%lld g%lld act%d layout%d",
             s->is_transposed ? "transposed " : "", ig_gemm_kernel_name(kernel),
             (long long)s->batch, (long long)s->in[0], (long long)s->in[1], (long long)s->in[2],
             (long long)s->c_in, (long long)s->out[0], (long long)s->out[1], (long long)s->out[2],
             (long long)s->c_out, (long long)s->kernel[0], (long long)s->kernel[1],
             (long long)s->kernel[2], (long long)s->stride[0], (long long)s->stride[1],
             (long long)s->stride[2], (long long)s->dilation[0], (long long)s->dilation[1],
             (long long)s->dilation[2], (long long)s->pad[0], (long long)s->pad[1],
             (long long)s->pad[2], (long long)s->groups, (int)s->epilogue.act, (int)s->w_layout);
    ig_conv_params params;
    ig_error err = { 0 };
    if (!kt_check(ig_conv_plan(s, kernel, &params, &err) == INGOT_OK, "%s: %s", what, err.message))
        return;
    const int64_t n_x = pixels(s->batch, s->in, s->x_pitch, s->c_in);
    const int64_t n_y = pixels(s->batch, s->out, s->y_pitch, s->c_out);
    const int64_t n_r = pixels(s->batch, s->out, s->r_pitch, s->c_out);
    const int64_t n_w =
        s->c_out * (s->c_in / s->groups) * s->kernel[0] * s->kernel[1] * s->kernel[2];
    float *x = kt_floats(n_x), *w = kt_floats(n_w), *y = kt_floats(n_y), *want = kt_floats(n_y);
    float *bias = kt_floats(s->c_out), *residual = kt_floats(n_r);
    float *packed = kt_scratch(ig_conv_packed_bytes(&params));
    kt_fill_exact(x, n_x);
    kt_fill_exact(w, n_w);
    kt_fill_exact(bias, s->c_out);
    kt_fill_exact(residual, n_r);
    if (kt_random(8) == 0) kt_sprinkle(x, n_x, 50);
    ig_conv_pack_w(&params, w, packed);
    void *ref_operands[] = { x, w, bias, residual, want, NULL };
    ig_k_conv_ref(&params, ref_operands, (ig_part){ 0, ig_conv_ref_n_work(s), 0 });
    void *operands[] = { x,
                         s->w_is_packed ? packed : w,
                         s->has_bias ? bias : NULL,
                         in_place ? y : residual,
                         y,
                         kt_scratch(params.scratch_bytes_per_thread * N_THREADS) };
    kt_run_split(what, ig_k_conv, &params, operands, params.n_work, N_THREADS, y, n_y,
                 in_place ? residual : NULL);
    const bool is_exact = s->epilogue.act <= IG_ACT_LEAKY_RELU;
    kt_compare(what, y, want, s->batch * s->out[0] * s->out[1] * s->out[2], s->c_out,
               in_place ? s->c_out : s->y_pitch, is_exact ? 0 : 2e-6);
    kt_free_all();
}

/* Several passes over K, residual in place. */
static void check_deep(const ig_gemm_kernel *kernel, int64_t channels, bool is_transposed)
{
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.is_transposed = is_transposed;
    s.in[1] = s.out[1] = 3;
    s.in[2] = s.out[2] = 5;
    s.kernel[1] = s.kernel[2] = 3;
    s.pad[1] = s.pad[2] = 1;
    s.c_in = s.x_pitch = channels;
    s.c_out = s.y_pitch = s.r_pitch = 50;
    s.has_residual = s.w_is_packed = true;
    check_case(kernel, &s, true);
}

static void check_refusals(const ig_gemm_kernel *kernel)
{
    ig_conv_shape s;
    ig_conv_params params;
    ig_error err = { 0 };
    ig_conv_shape_init(&s);
    s.groups = 2;
    kt_check(ig_conv_plan(&s, kernel, &params, &err) == INGOT_ERR_SHAPE, "groups refused");
    kt_check(err.message[0] != 0, "with a reason");
    ig_conv_shape_init(&s);
    s.stride[1] = 0;
    kt_check(ig_conv_plan(&s, kernel, &params, NULL) == INGOT_ERR_SHAPE, "stride 0 refused");
    ig_conv_shape_init(&s);
    s.in[1] = s.in[2] = s.out[1] = s.out[2] = INT64_C(1) << 30;
    kt_check(ig_conv_plan(&s, kernel, &params, NULL) == INGOT_ERR_SHAPE, "overflow refused");
    ig_conv_shape_init(&s);
    s.c_in = 3;
    kt_check(ig_conv_plan(&s, kernel, &params, NULL) == INGOT_ERR_SHAPE, "pitch refused");
}

void ig_test_conv(void)
{
    for (int i = 0; ig_gemm_kernel_at(i); i++) {
        const ig_gemm_kernel *kernel = ig_gemm_kernel_at(i);
        const bool is_emulated = strstr(ig_gemm_kernel_name(kernel), "emu") != NULL;
        if (!is_emulated && !ig_cpu_get()->has_isa[ig_gemm_kernel_isa(kernel)]) continue;
        kt_seed(11);
        for (int n = 0; n < 500; n++) {
            const ig_conv_shape s = random_shape();
            check_case(kernel, &s, false);
        }
        check_deep(kernel, 150, false);
        check_deep(kernel, 1200, false);
        check_deep(kernel, 150, true);
        check_refusals(kernel);
    }
}
