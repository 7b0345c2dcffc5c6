/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: Winograd convolutions on every row of the matrix kernels: against plain loops, what a NaN
 * reaches, and how much more they round than a direct convolution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_test.h"
#include "kernels/winograd/winograd.h"

enum { N_THREADS = 3 };

static const char *const algorithm_names[] = { "direct", "F(2)", "F(4)" };

static ig_conv_shape shape_of(int64_t batch, int64_t h, int64_t w, int64_t c_in, int64_t c_out)
{
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.batch = batch;
    s.in[1] = s.out[1] = h, s.in[2] = s.out[2] = w;
    s.kernel[1] = s.kernel[2] = 3;
    s.pad[1] = s.pad[2] = 1;
    s.c_in = s.x_pitch = c_in;
    s.c_out = s.y_pitch = s.r_pitch = c_out;
    s.w_is_packed = true;
    return s;
}

static ig_conv_shape random_shape(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 9, 13, 16, 22 };
    static const int64_t channels[] = { 1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 40, 67, 130 };
    ig_conv_shape s = shape_of(1 + kt_random(3), 0, 0, channels[kt_random(IG_COUNT(channels))],
                               channels[kt_random(IG_COUNT(channels))]);
    for (int d = 1; d < 3; d++) {
        s.in[d] = sizes[kt_random(IG_COUNT(sizes))];
        s.pad[d] = (int64_t)kt_random(5) - 1; /* -1 crops */
        s.out[d] = s.in[d] + s.pad[d] + kt_random(4) - 2;
        if (s.out[d] < 1) s.out[d] = 1;
    }
    s.x_pitch = s.c_in + (kt_random(2) ? 0 : kt_random(4));
    s.y_pitch = s.c_out + (kt_random(2) ? 0 : kt_random(4));
    s.r_pitch = s.c_out + kt_random(3);
    s.has_bias = kt_random(2);
    s.has_residual = kt_random(2);
    s.w_layout = kt_random(2) ? IG_CONV_W_OHWI : IG_CONV_W_ONNX;
    if (kt_random(2)) s.epilogue = (ig_epilogue){ (ig_act)kt_random(IG_N_ACTS), -0.5f, 0.5f };
    return s;
}

static int64_t floats_of(int64_t batch, const int64_t dims[3], int64_t pitch, int64_t channels)
{
    const int64_t n = batch * dims[1] * dims[2];
    return n ? (n - 1) * pitch + channels : 0;
}

/* A convolution and its operands, all but the result. */
typedef struct job {
    ig_winograd_params params;
    int64_t n_x, n_y;
    float *x, *w, *packed, *bias, *residual;
    void *scratch;
} job;

static bool prepare(job *j, const char *what, const ig_conv_shape *s, ig_conv_algorithm algorithm,
                    const ig_gemm_kernel *kernel)
{
    ig_error err = { 0 };
    if (!kt_check(ig_winograd_plan(s, algorithm, kernel, &j->params, &err) == INGOT_OK, "%s: %s",
                  what, err.message))
        return false;
    j->n_x = floats_of(s->batch, s->in, s->x_pitch, s->c_in);
    j->n_y = floats_of(s->batch, s->out, s->y_pitch, s->c_out);
    const int64_t n_r = floats_of(s->batch, s->out, s->r_pitch, s->c_out);
    j->x = kt_floats(j->n_x);
    j->w = kt_floats(s->c_out * s->c_in * 9);
    j->bias = kt_floats(s->c_out);
    j->residual = kt_floats(n_r);
    j->packed = kt_scratch(ig_winograd_packed_bytes(&j->params));
    j->scratch = kt_scratch(j->params.scratch_bytes_per_thread * N_THREADS);
    kt_fill_exact(j->x, j->n_x);
    kt_fill_exact(j->w, s->c_out * s->c_in * 9);
    kt_fill_exact(j->bias, s->c_out);
    kt_fill_exact(j->residual, n_r);
    ig_winograd_pack_w(&j->params, j->w, j->packed);
    return true;
}

static void run_direct_ref(const job *j, float *y)
{
    const ig_conv_params reference = { .shape = j->params.shape };
    void *operands[] = { j->x, j->w, j->bias, j->residual, y, NULL };
    ig_k_conv_ref(&reference, operands, (ig_part){ 0, ig_conv_ref_n_work(&j->params.shape), 0 });
}

static void run_whole(const job *j, float *y)
{
    void *operands[] = { j->x, j->packed, j->bias, j->residual, y, j->scratch };
    ig_k_winograd(&j->params, operands, (ig_part){ 0, j->params.n_work, 0 });
}

static void check_case(const ig_gemm_kernel *kernel, const ig_conv_shape *s,
                       ig_conv_algorithm algorithm, bool in_place)
{
    char what[200];
    snprintf(what, sizeof what, "%s %s b%lld %lldx%lldx%lld->%lldx%lldx%lld p%lld,%lld act%d res%d",
             algorithm_names[algorithm], ig_gemm_kernel_name(kernel), (long long)s->batch,
             (long long)s->in[1], (long long)s->in[2], (long long)s->c_in, (long long)s->out[1],
             (long long)s->out[2], (long long)s->c_out, (long long)s->pad[1], (long long)s->pad[2],
             (int)s->epilogue.act, s->has_residual);
    job j;
    if (!prepare(&j, what, s, algorithm, kernel)) return;
    float *y = kt_floats(j.n_y), *want = kt_floats(j.n_y);
    run_direct_ref(&j, want);
    void *operands[] = { j.x, j.packed, s->has_bias ? j.bias : NULL, in_place ? y : j.residual,
                         y,   j.scratch };
    kt_run_split(what, ig_k_winograd, &j.params, operands, j.params.n_work, N_THREADS, y, j.n_y,
                 in_place ? j.residual : NULL);
    /* The weights of F(2) are exact, those of F(4) are thirds: errors grow as sums do. */
    const bool is_exact = algorithm == IG_CONV_WINOGRAD2 && s->epilogue.act <= IG_ACT_LEAKY_RELU;
    const double tolerance = is_exact                         ? 0
                             : algorithm == IG_CONV_WINOGRAD2 ? 2e-6
                                                              : 1e-4 * sqrt((double)s->c_in);
    kt_compare(what, y, want, s->batch * s->out[1] * s->out[2], s->c_out,
               in_place ? s->c_out : s->y_pitch, tolerance);
    kt_free_all();
}

/* Several passes over K and several blocks of tiles and channels, residual in place. */
static void check_deep(const ig_gemm_kernel *kernel, ig_conv_algorithm algorithm)
{
    ig_conv_shape s = shape_of(2, 33, 30, 20, 200);
    s.has_residual = s.has_bias = true;
    check_case(kernel, &s, algorithm, true);
    s = shape_of(1, 6, 10, 900, 70);
    s.has_residual = true;
    check_case(kernel, &s, algorithm, true);
}

/* One pixel is NaN or infinite: tiles that do not see it keep their bits, and pixels that a direct
 * convolution would spoil are not finite. */
static void check_spread(const ig_gemm_kernel *kernel, ig_conv_algorithm algorithm, float special)
{
    const ig_conv_shape s = shape_of(1, 13, 13, 5, 7);
    job j;
    if (!prepare(&j, "spread", &s, algorithm, kernel)) return;
    float *clean = kt_floats(j.n_y), *y = kt_floats(j.n_y);
    run_whole(&j, clean);
    const int64_t at_h = kt_random(13), at_w = kt_random(13), tile = j.params.tile;
    j.x[(at_h * 13 + at_w) * 5 + kt_random(5)] = special;
    run_whole(&j, y);
    bool is_kept = true, is_spoilt = true;
    for (int64_t h = 0; h < 13; h++)
        for (int64_t w = 0; w < 13; w++) {
            const int64_t tile_h = h / tile * tile, tile_w = w / tile * tile, o = (h * 13 + w) * 7;
            const bool tile_sees = at_h >= tile_h - 1 && at_h <= tile_h + tile &&
                                   at_w >= tile_w - 1 && at_w <= tile_w + tile;
            if (!tile_sees) is_kept = is_kept && memcmp(y + o, clean + o, 7 * sizeof *y) == 0;
            if (llabs(h - at_h) <= 1 && llabs(w - at_w) <= 1)
                for (int i = 0; i < 7; i++) is_spoilt = is_spoilt && !isfinite(y[o + i]);
        }
    kt_check(is_kept, "%s: %g at %lld,%lld reaches tiles that do not see it",
             algorithm_names[algorithm], (double)special, (long long)at_h, (long long)at_w);
    kt_check(is_spoilt, "%s: %g at %lld,%lld is lost", algorithm_names[algorithm], (double)special,
             (long long)at_h, (long long)at_w);
    kt_free_all();
}

/* ---- rounding ---- */
static float normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)kt_random(1u << 30) / (1u << 30);
    return (float)sum;
}

static double rms(const float *y, const float *want, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += pow((double)y[i] - (double)want[i], 2);
    return sqrt(sum / (double)n);
}

static double direct_rms(const job *j, const ig_gemm_kernel *kernel, const float *want, float *y)
{
    ig_conv_params p;
    if (!kt_check(ig_conv_plan(&j->params.shape, kernel, &p, NULL) == INGOT_OK, "direct plan"))
        return 0;
    float *packed = kt_scratch(ig_conv_packed_bytes(&p));
    ig_conv_pack_w(&p, j->w, packed);
    void *operands[] = { j->x, packed, NULL, NULL, y, kt_scratch(p.scratch_bytes_per_thread) };
    ig_k_conv(&p, operands, (ig_part){ 0, p.n_work, 0 });
    return rms(y, want, j->n_y);
}

/* Activations after a ReLU, weights as networks start with. The bounds are those of
 * docs/NUMERICS.md. */
static void check_rounding(const ig_gemm_kernel *kernel, ig_conv_algorithm algorithm,
                           int64_t channels)
{
    const ig_conv_shape s = shape_of(1, 24, 24, channels, 32);
    const double most = algorithm == IG_CONV_WINOGRAD2 ? 1 : 4;
    job j;
    if (!prepare(&j, "rounding", &s, algorithm, kernel)) return;
    for (int64_t i = 0; i < j.n_x; i++) j.x[i] = fmaxf(normal(), 0);
    for (int64_t i = 0; i < 32 * channels * 9; i++)
        j.w[i] = normal() * sqrtf(2.0f / (float)(9 * channels));
    ig_winograd_pack_w(&j.params, j.w, j.packed);
    float *y = kt_floats(j.n_y), *want = kt_floats(j.n_y);
    run_direct_ref(&j, want);
    const double direct = direct_rms(&j, kernel, want, y);
    run_whole(&j, y);
    const double ratio = rms(y, want, j.n_y) / direct;
    kt_check(ratio <= most, "%s %s, %lld channels: %.2f times the rms error of a direct one",
             ig_gemm_kernel_name(kernel), algorithm_names[algorithm], (long long)channels, ratio);
    kt_free_all();
}

static void check_refusals(const ig_gemm_kernel *kernel)
{
    ig_winograd_params p;
    ig_error err = { 0 };
    ig_conv_shape s = shape_of(1, 8, 8, 16, 16);
    kt_check(ig_winograd_plan(&s, IG_CONV_DIRECT, kernel, &p, NULL) == INGOT_ERR_SHAPE, "direct");
    s.stride[1] = 2;
    kt_check(ig_winograd_plan(&s, IG_CONV_WINOGRAD4, kernel, &p, &err) == INGOT_ERR_SHAPE,
             "stride refused");
    kt_check(err.message[0] != 0, "with a reason");
    s = shape_of(1, INT64_C(1) << 30, INT64_C(1) << 30, 16, 16);
    kt_check(ig_winograd_plan(&s, IG_CONV_WINOGRAD4, kernel, &p, NULL) == INGOT_ERR_SHAPE,
             "overflow refused");
    const unsigned all = ~0u;
    s = shape_of(1, 56, 56, 64, 64);
    kt_check(ig_winograd_choose(&s, ig_gemm_kernel_isa(kernel), all) == IG_CONV_WINOGRAD4,
             "F(4) for a large layer");
    kt_check(ig_winograd_choose(&s, ig_gemm_kernel_isa(kernel), 1u << IG_CONV_DIRECT) ==
                 IG_CONV_DIRECT,
             "direct if nothing else is allowed");
    s.groups = 2;
    kt_check(ig_winograd_choose(&s, ig_gemm_kernel_isa(kernel), all) == IG_CONV_DIRECT,
             "direct for groups");
    s = shape_of(1, 56, 56, 15, 64);
    kt_check(ig_winograd_choose(&s, ig_gemm_kernel_isa(kernel), 1u << IG_CONV_WINOGRAD4) ==
                 IG_CONV_DIRECT,
             "direct for few channels");
}

void ig_test_winograd(void)
{
    for (int i = 0; ig_gemm_kernel_at(i); i++) {
        const ig_gemm_kernel *kernel = ig_gemm_kernel_at(i);
        const bool is_emulated = strstr(ig_gemm_kernel_name(kernel), "emu") != NULL;
        if (!is_emulated && !ig_cpu_get()->has_isa[ig_gemm_kernel_isa(kernel)]) continue;
        kt_seed(17);
        for (ig_conv_algorithm a = IG_CONV_WINOGRAD2; a < IG_N_CONV_ALGORITHMS; a++) {
            for (int n = 0; n < 100; n++) {
                const ig_conv_shape s = random_shape();
                check_case(kernel, &s, a, false);
            }
            check_deep(kernel, a);
            for (int n = 0; n < 10; n++) {
                check_spread(kernel, a, NAN);
                check_spread(kernel, a, INFINITY);
            }
            check_rounding(kernel, a, IG_WINOGRAD_MIN_CHANNELS);
            check_rounding(kernel, a, 64);
            check_rounding(kernel, a, 256);
        }
        check_refusals(kernel);
    }
}
