/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: every kernel on shapes that choose it, against plain loops. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/depthwise/depthwise.h"

static void random_axis(ig_depthwise_shape *s, int d)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 7, 9, 13, 19 };
    static const int64_t kernels[] = { 1, 2, 3, 3, 3, 5, 5, 7 };
    s->in[d] = sizes[kt_random(IG_COUNT(sizes))];
    s->kernel[d] = kernels[kt_random(IG_COUNT(kernels))];
    s->stride[d] = 1 + kt_random(3);
    s->dilation[d] = kt_random(3) ? 1 : 1 + kt_random(3);
    s->pad[d] = kt_random((uint32_t)s->kernel[d] + 1);
    const int64_t span = (s->kernel[d] - 1) * s->dilation[d] + 1;
    s->out[d] = (s->in[d] + s->pad[d] + kt_random(3) - span) / s->stride[d] + 1;
    if (s->out[d] < 1) s->out[d] = 1;
}

static ig_depthwise_shape random_shape(void)
{
    static const int64_t channels[] = { 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 67 };
    ig_depthwise_shape s = { .batch = 1 + kt_random(2),
                             .in = { 1, 1, 1 },
                             .out = { 1, 1, 1 },
                             .kernel = { 1, 1, 1 },
                             .stride = { 1, 1, 1 },
                             .dilation = { 1, 1, 1 } };
    s.channels = channels[kt_random(IG_COUNT(channels))];
    s.multiplier = kt_random(4) ? 1 : 1 + kt_random(4);
    random_axis(&s, 2);
    if (kt_random(4)) random_axis(&s, 1);
    if (kt_random(6) == 0) random_axis(&s, 0);
    const int64_t c_out = s.channels * s.multiplier;
    s.x_pitch = s.channels + (kt_random(2) ? 0 : kt_random(4));
    s.y_pitch = c_out + (kt_random(2) ? 0 : kt_random(4));
    s.r_pitch = c_out + kt_random(3);
    s.has_bias = kt_random(2);
    s.has_residual = kt_random(3) == 0;
    if (kt_random(2)) s.epilogue = (ig_epilogue){ (ig_act)kt_random(IG_N_ACTS), -0.5f, 0.5f };
    return s;
}

static int64_t pixels(int64_t batch, const int64_t dims[3], int64_t pitch, int64_t channels)
{
    const int64_t n = batch * dims[0] * dims[1] * dims[2];
    return n ? (n - 1) * pitch + channels : 0;
}

static void check_case(ig_isa isa, const ig_depthwise_shape *s)
{
    char what[200];
    ig_depthwise_params params;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!kt_check(ig_depthwise_plan(s, isa, &params, &fn, &err) == INGOT_OK, "depthwise: %s",
                  err.message))
        return;
    snprintf(what, sizeof what,
             "%s %lldx%lldx%lldx%lld k%lldx%lldx%lld s%lld,%lld d%lld p%lld m%lld", params.name,
             (long long)s->in[0], (long long)s->in[1], (long long)s->in[2], (long long)s->channels,
             (long long)s->kernel[0], (long long)s->kernel[1], (long long)s->kernel[2],
             (long long)s->stride[1], (long long)s->stride[2], (long long)s->dilation[2],
             (long long)s->pad[2], (long long)s->multiplier);
    const int64_t c_out = s->channels * s->multiplier;
    const int64_t n_x = pixels(s->batch, s->in, s->x_pitch, s->channels);
    const int64_t n_y = pixels(s->batch, s->out, s->y_pitch, c_out);
    const int64_t n_r = pixels(s->batch, s->out, s->r_pitch, c_out);
    const int64_t n_w = c_out * s->kernel[0] * s->kernel[1] * s->kernel[2];
    float *x = kt_floats(n_x), *w = kt_floats(n_w), *packed = kt_floats(n_w);
    float *bias = kt_floats(c_out), *residual = kt_floats(n_r);
    float *y = kt_floats(n_y), *want = kt_floats(n_y);
    kt_fill_exact(x, n_x);
    kt_fill_exact(w, n_w);
    kt_fill_exact(bias, c_out);
    kt_fill_exact(residual, n_r);
    if (kt_random(8) == 0) kt_sprinkle(x, n_x, 50);
    ig_depthwise_pack_w(s, w, packed);
    void *operands[] = { x, packed, bias, residual, y };
    void *ref_operands[] = { x, packed, bias, residual, want };
    ig_k_depthwise_ref(&params, ref_operands, (ig_part){ 0, params.n_work, 0 });
    kt_run_split(what, fn, &params, operands, params.n_work, 2, y, n_y, NULL);
    kt_compare(what, y, want, s->batch * s->out[0] * s->out[1] * s->out[2], c_out, s->y_pitch,
               s->epilogue.act <= IG_ACT_LEAKY_RELU ? 0 : 2e-6);
    kt_free_all();
}

void ig_test_depthwise(void)
{
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        if (!KT_CAN_RUN(isa)) continue;
        kt_seed(13);
        for (int n = 0; n < 1500; n++) {
            const ig_depthwise_shape s = random_shape();
            check_case((ig_isa)isa, &s);
        }
    }
    ig_depthwise_shape s = { .batch = 1, .channels = 0 };
    ig_depthwise_params params;
    ig_kernel_fn fn;
    kt_check(ig_depthwise_plan(&s, IG_ISA_AVX2, &params, &fn, NULL) == INGOT_ERR_SHAPE,
             "empty kernel refused");
}
