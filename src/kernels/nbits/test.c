/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: products with weights of few bits against plain loops, on data whose sums are exact. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/nbits/nbits.h"

static int64_t pick(const int64_t *list, int n) { return list[kt_random((uint32_t)n)]; }

static ig_nbits_shape random_shape(void)
{
    static const int64_t ms[] = { 1, 1, 1, 2, 3, 4, 5, 9, 33 };
    static const int64_t ns[] = { 1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 67, 130 };
    static const int64_t ks[] = { 1, 3, 15, 16, 17, 31, 32, 40, 64, 100, 257 };
    static const int64_t blocks[] = { 16, 32, 64 }, bits[] = { 2, 4, 8 };
    return (ig_nbits_shape){ .m = pick(ms, IG_COUNT(ms)),
                             .n = pick(ns, IG_COUNT(ns)),
                             .k = pick(ks, IG_COUNT(ks)),
                             .block = pick(blocks, IG_COUNT(blocks)),
                             .bits = (int)pick(bits, IG_COUNT(bits)),
                             .zero = (ig_nbits_zero)kt_random(3),
                             .has_bias = kt_random(2) };
}

/* Random bytes that end at a page that must not be touched. */
static uint8_t *random_bytes(int64_t n)
{
    const int64_t n_floats = (n + 3) / 4;
    uint8_t *p = (uint8_t *)kt_floats(n_floats) + (n_floats * 4 - n);
    for (int64_t i = 0; i < n; i++) p[i] = (uint8_t)kt_random(256);
    return p;
}

typedef struct operands {
    float *a, *scales, *bias;
    uint8_t *w;
    void *zeros;
} operands;

static float zero_of(const ig_nbits_shape *s, const operands *o, int64_t n, int64_t b)
{
    if (s->zero == IG_NBITS_ZERO_MIDDLE) return (float)(1 << (s->bits - 1));
    if (s->zero == IG_NBITS_ZERO_FLOAT)
        return ((const float *)o->zeros)[n * ig_nbits_n_blocks(s) + b];
    return (float)ig_nbits_get((const uint8_t *)o->zeros + n * ig_nbits_zero_bytes(s), b, s->bits);
}

static void multiply(const ig_nbits_shape *s, const operands *o, float *y)
{
    for (int64_t m = 0; m < s->m; m++)
        for (int64_t n = 0; n < s->n; n++) {
            double sum = s->has_bias ? (double)o->bias[n] : 0;
            for (int64_t k = 0; k < s->k; k++) {
                const int64_t b = k / s->block;
                const int q = ig_nbits_get(o->w + n * ig_nbits_column_bytes(s), k, s->bits);
                sum += (double)o->a[m * s->k + k] * (double)((float)q - zero_of(s, o, n, b)) *
                       (double)o->scales[n * ig_nbits_n_blocks(s) + b];
            }
            y[m * s->n + n] = (float)sum;
        }
}

static void check_case(ig_isa isa, const ig_nbits_shape *s)
{
    const int64_t n_scales = s->n * ig_nbits_n_blocks(s);
    ig_nbits_params params;
    ig_error err = { 0 };
    char what[160];
    if (!kt_check(ig_nbits_plan(s, isa, &params, &err) == INGOT_OK, "nbits: %s", err.message))
        return;
    snprintf(what, sizeof what, "nbits %s %lldx%lldx%lld, %d bits, blocks of %lld, zeros %d",
             ig_isa_name(isa), (long long)s->m, (long long)s->n, (long long)s->k, s->bits,
             (long long)s->block, (int)s->zero);
    operands o = { .a = kt_floats(s->m * s->k), .scales = kt_floats(n_scales) };
    o.w = random_bytes(s->n * ig_nbits_column_bytes(s));
    kt_fill_exact(o.a, s->m * s->k);
    for (int64_t i = 0; i < n_scales; i++) o.scales[i] = kt_random(2) ? 0.5f : -0.25f;
    if (s->zero == IG_NBITS_ZERO_PACKED) o.zeros = random_bytes(s->n * ig_nbits_zero_bytes(s));
    if (s->zero == IG_NBITS_ZERO_FLOAT) {
        o.zeros = kt_floats(n_scales);
        kt_fill_exact(o.zeros, n_scales);
    }
    if (s->has_bias) {
        o.bias = kt_floats(s->n);
        kt_fill_exact(o.bias, s->n);
    }
    float *y = kt_floats(s->m * s->n), *want = kt_floats(s->m * s->n);
    void *const all[] = {
        o.a, o.w, o.scales, o.zeros, o.bias, y, kt_scratch(2 * params.scratch_bytes_per_thread)
    };
    multiply(s, &o, want);
    kt_run_split(what, ig_k_nbits, &params, all, params.n_work, 2, y, s->m * s->n, NULL);
    kt_compare(what, y, want, s->m, s->n, s->n, 0);
    kt_free_all();
}

void ig_test_nbits(void)
{
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        if (!KT_CAN_RUN(isa)) continue;
        kt_seed(31);
        for (int n = 0; n < 600; n++) {
            const ig_nbits_shape s = random_shape();
            check_case((ig_isa)isa, &s);
        }
    }
    const ig_nbits_shape empty = { .m = 1, .n = 0, .k = 16, .block = 16, .bits = 4 };
    ig_nbits_params params;
    kt_check(ig_nbits_plan(&empty, IG_ISA_PORTABLE, &params, NULL) == INGOT_ERR_SHAPE,
             "no columns are refused");
}
