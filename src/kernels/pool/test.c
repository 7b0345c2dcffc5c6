/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: max and average pooling against plain loops. */
#include <math.h>
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/pool/pool.h"

static void random_axis(ig_pool_shape *s, int d)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 7, 9, 13, 19 },
                         kernels[] = { 1, 2, 2, 3, 3, 5, 7 };
    s->in[d] = sizes[kt_random(IG_COUNT(sizes))];
    s->kernel[d] = kernels[kt_random(IG_COUNT(kernels))];
    s->stride[d] = 1 + kt_random(3);
    s->dilation[d] = kt_random(3) ? 1 : 1 + kt_random(3);
    s->pad[d] = kt_random((uint32_t)s->kernel[d] + 1);
    s->pad_end[d] = kt_random((uint32_t)s->kernel[d] + 1);
    const int64_t span = (s->kernel[d] - 1) * s->dilation[d] + 1;
    s->out[d] = (s->in[d] + s->pad[d] + s->pad_end[d] - span) / s->stride[d] + 1;
    if (kt_random(2)) s->out[d]++; /* as ceil_mode does */
    if (s->out[d] < 1) s->out[d] = 1;
}

static ig_pool_shape random_shape(void)
{
    static const int64_t channels[] = { 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 67, 131 };
    ig_pool_shape s;
    const int64_t c = channels[kt_random(IG_COUNT(channels))];
    const ig_pool_op op = kt_random(2) ? IG_POOL_MAX : IG_POOL_AVERAGE;
    ig_pool_shape_global(&s, op, 1 + kt_random(2), 1, 1 + kt_random(8), 1 + kt_random(8), c);
    if (kt_random(5)) {
        s.in[0] = s.in[1] = s.kernel[0] = s.kernel[1] = 1;
        random_axis(&s, 2);
        if (kt_random(4)) random_axis(&s, 1);
        if (kt_random(6) == 0) random_axis(&s, 0);
    }
    s.count_include_pad = kt_random(2);
    s.x_pitch += kt_random(2) ? 0 : kt_random(4);
    s.y_pitch += kt_random(2) ? 0 : kt_random(4);
    return s;
}

static int64_t pixels(int64_t batch, const int64_t dims[3], int64_t pitch, int64_t channels)
{
    const int64_t n = batch * dims[0] * dims[1] * dims[2];
    return n ? (n - 1) * pitch + channels : 0;
}

static void check_case(ig_isa isa, const ig_pool_shape *s)
{
    char what[200];
    ig_pool_params params;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!kt_check(ig_pool_plan(s, isa, &params, &fn, &err) == INGOT_OK, "pool: %s", err.message))
        return;
    snprintf(what, sizeof what,
             "%s %lldx%lldx%lldx%lld k%lldx%lldx%lld s%lld,%lld d%lld p%lld,%lld", params.name,
             (long long)s->in[0], (long long)s->in[1], (long long)s->in[2], (long long)s->channels,
             (long long)s->kernel[0], (long long)s->kernel[1], (long long)s->kernel[2],
             (long long)s->stride[1], (long long)s->stride[2], (long long)s->dilation[2],
             (long long)s->pad[2], (long long)s->pad_end[2]);
    const int64_t n_x = pixels(s->batch, s->in, s->x_pitch, s->channels);
    const int64_t n_y = pixels(s->batch, s->out, s->y_pitch, s->channels);
    float *x = kt_floats(n_x), *y = kt_floats(n_y), *want = kt_floats(n_y);
    kt_fill_exact(x, n_x);
    if (kt_random(4) == 0) kt_sprinkle(x, n_x, 20);
    void *operands[] = { x, y }, *ref_operands[] = { x, want };
    ig_k_pool_ref(&params, ref_operands, (ig_part){ 0, params.n_work, 0 });
    kt_run_split(what, fn, &params, operands, params.n_work, 2, y, n_y, NULL);
    kt_compare(what, y, want, s->batch * s->out[0] * s->out[1] * s->out[2], s->channels, s->y_pitch,
               s->op == IG_POOL_MAX ? 0 : 3e-7);
    kt_free_all();
}

/* Rules of pool.h that a shared mistake in kernel and reference could hide. */
static void check_rules(ig_isa isa)
{
    ig_pool_shape s;
    ig_pool_params params;
    ig_kernel_fn fn;
    float x[4] = { 1, 2, 3, NAN }, y[3] = { 0 };
    void *operands[] = { x, y };
    ig_pool_shape_global(&s, IG_POOL_AVERAGE, 1, 1, 1, 3, 1);
    s.kernel[2] = s.stride[2] = 2;
    s.out[2] = 2; /* ceil_mode: the last window has one pixel and no padding */
    s.count_include_pad = true;
    kt_check(ig_pool_plan(&s, isa, &params, &fn, NULL) == INGOT_OK, "plan");
    fn(&params, operands, (ig_part){ 0, params.n_work, 0 });
    kt_check(y[0] == 1.5f && y[1] == 3.0f, "a window beyond the padding does not count");
    s.pad_end[2] = 1;
    kt_check(ig_pool_plan(&s, isa, &params, &fn, NULL) == INGOT_OK, "plan");
    fn(&params, operands, (ig_part){ 0, params.n_work, 0 });
    kt_check(y[1] == 1.5f, "padding counts");
    ig_pool_shape_global(&s, IG_POOL_MAX, 1, 1, 2, 2, 1);
    kt_check(ig_pool_plan(&s, isa, &params, &fn, NULL) == INGOT_OK, "plan");
    fn(&params, operands, (ig_part){ 0, params.n_work, 0 });
    kt_check(isnan(y[0]), "NaN wins");
    s.stride[0] = 0;
    kt_check(ig_pool_plan(&s, isa, &params, &fn, NULL) == INGOT_ERR_SHAPE, "stride 0 refused");
}

void ig_test_pool(void)
{
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        if (!KT_CAN_RUN(isa)) continue;
        kt_seed(17);
        for (int n = 0; n < 1500; n++) {
            const ig_pool_shape s = random_shape();
            check_case((ig_isa)isa, &s);
        }
        check_rules((ig_isa)isa);
    }
}
