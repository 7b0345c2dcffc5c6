/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the family against its reference: odd sizes, special values, guard pages, splits.
 */
#include "../tests/kernels/light.h"
#include "kernels/reduce/reduce.h"

void ig_test_reduce(void);

static int64_t random_size(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 130, 600 };
    return sizes[light_int(0, (int64_t)IG_COUNT(sizes) - 1)];
}

/* Ordinary numbers, or with NaN, infinities and the like. */
static float *random_input(int64_t n, bool is_special)
{
    float *x = light_alloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) {
        x[i] = light_float(-4, 4);
        if (is_special && light_int(0, 40) == 0) x[i] = light_special();
    }
    return x;
}

/* Squares of huge numbers overflow in float, and one huge number drowns the rest of a mean: right
 * by the formula in float, but not comparable with double. */
static void tame(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (fabsf(x[i]) > 100 && !isinf(x[i])) x[i] = 100;
}

/* Run, run again split, compare bits, compare with the reference. Operand i_out is the output. */
static void check(const char *name, ig_kernel_fn fn, ig_kernel_fn ref, const void *params,
                  void **operands, int i_out, int64_t n_out, int64_t n_work, double rtol,
                  double atol)
{
    const size_t bytes = (size_t)n_out * 4;
    float *whole = light_alloc(bytes), *split = light_alloc(bytes), *want = malloc(bytes + 1);
    operands[i_out] = whole;
    light_run(fn, params, operands, n_work, false);
    operands[i_out] = split;
    light_run(fn, params, operands, n_work, true);
    light_check(memcmp(whole, split, bytes) == 0, "%s: a split changes bits", name);
    operands[i_out] = want;
    memset(want, 0xa5, bytes);
    light_run(ref, params, operands, n_work, false);
    for (int64_t i = 0; i < n_out; i++)
        if (!light_check(light_close(whole[i], (double)want[i], rtol, atol),
                         "%s: element %lld of %lld is %.9g, not %.9g", name, (long long)i,
                         (long long)n_out, (double)whole[i], (double)want[i]))
            break;
    light_free(whole);
    light_free(split);
    free(want);
}

static void test_reduce(ig_isa isa)
{
    static const char *const names[IG_N_REDUCE_OPS] = { "sum", "mean",    "sum_square",  "l1",
                                                        "l2",  "log_sum", "log_sum_exp", "prod",
                                                        "max", "min" };
    int64_t dims[4];
    const int rank = (int)light_int(0, 4);
    int64_t n = 1;
    for (int d = 0; d < rank; d++) {
        dims[d] = random_size();
        if (n * dims[d] > 100000) dims[d] = 1;
        if (light_int(0, 60) == 0) dims[d] = 0;
        n *= dims[d];
    }
    ig_reduce_shape s;
    const ig_reduce_op op = (ig_reduce_op)light_int(0, IG_N_REDUCE_OPS - 1);
    ig_reduce_shape_init(&s, op, rank, dims, light_rng() & 15);
    int64_t n_in = n, n_out = 1, n_terms = 1;
    if (light_int(0, 2) == 0 && n > 0) { /* a pitch between pixels, or between elements */
        const int64_t factor = light_int(1, 3);
        int64_t stride = factor == 3 ? 2 : 1;
        for (int d = rank - 1; d >= 0; d--) {
            s.strides[d] = stride;
            stride *= dims[d];
            if (d == rank - 1) stride += factor;
        }
        n_in = 1;
        for (int d = 0; d < rank; d++) n_in += (dims[d] - 1) * s.strides[d];
    }
    for (int d = 0; d < rank; d++) *(s.is_reduced[d] ? &n_terms : &n_out) *= dims[d];
    ig_reduce_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_reduce_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "reduce: %s", err.message))
        return;
    float *x = random_input(n_in, light_int(0, 3) == 0);
    if (op == IG_REDUCE_PROD || op == IG_REDUCE_LOG_SUM)
        for (int64_t i = 0; i < n_in; i++) x[i] = expf(x[i] / 40);
    if (op == IG_REDUCE_L2 || op == IG_REDUCE_SUM_SQUARE) tame(x, n_in);
    void *operands[2] = { x, NULL };
    /* terms of 4 at most; signed sums cancel, so the bound is absolute */
    const bool is_signed_sum = op == IG_REDUCE_SUM || op == IG_REDUCE_MEAN;
    const double scale = op == IG_REDUCE_MEAN ? 1 : (double)n_terms;
    const double rtol = op == IG_REDUCE_PROD ? 1e-6 * (double)(n_terms + 2) : 4e-6;
    check(names[op], fn, ig_k_reduce_ref, &p, operands, 1, n_out, p.n_work, rtol,
          is_signed_sum ? 4 * scale * 6e-8 * 8 : 1e-6);
    light_free(x);
}

/* 10 million ones and a bit: a single float accumulator would stop at 2^24. */
static void test_long_sum(ig_isa isa)
{
    const int64_t n = 20000000;
    float *x = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) x[i] = 1.1f;
    for (int axis = 0; axis < 2; axis++) {
        ig_reduce_shape s;
        ig_reduce_params p;
        ig_kernel_fn fn;
        ig_error err = { 0 };
        const int64_t dims[2] = { n / 4, 4 };
        ig_reduce_shape_init(&s, IG_REDUCE_SUM, 2, dims, axis ? 3 : 1);
        float y[4] = { 0 };
        void *operands[2] = { x, y };
        if (!light_check(ig_reduce_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "%s", err.message))
            break;
        light_run(fn, &p, operands, p.n_work, false);
        const double want = (double)1.1f * (double)(axis ? n : n / 4);
        light_check(light_close(y[0], want, 4e-6, 0), "sum of %lld is off: %g", (long long)n,
                    (double)y[0] - want);
    }
    free(x);
}

static void test_softmax(ig_isa isa)
{
    ig_axis_shape s = { .n_outer = light_int(0, 5),
                        .n_axis = random_size(),
                        .n_inner = light_int(0, 1) ? 1 : random_size(),
                        .is_log = light_int(0, 1) };
    ig_axis_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_softmax_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "%s", err.message))
        return;
    const int64_t n = s.n_outer * s.n_axis * s.n_inner;
    float *x = random_input(n, light_int(0, 3) == 0);
    if (light_int(0, 5) == 0)
        for (int64_t i = 0; i < n; i++) x[i] *= 1000;
    void *operands[2] = { x, NULL };
    check(s.is_log ? "log_softmax" : "softmax", fn, ig_k_softmax_ref, &p, operands, 1, n, p.n_work,
          2e-6, s.is_log ? 2e-6 : 1e-44);
    /* in place */
    float *y = light_alloc((size_t)n * 4), *z = light_alloc((size_t)n * 4);
    memcpy(z, x, (size_t)n * 4);
    operands[1] = y;
    light_run(fn, &p, operands, p.n_work, false);
    operands[0] = operands[1] = z;
    light_run(fn, &p, operands, p.n_work, true);
    light_check(memcmp(y, z, (size_t)n * 4) == 0, "softmax in place differs");
    light_free(x), light_free(y), light_free(z);
}

static void test_argmax(ig_isa isa)
{
    ig_axis_shape s = { .n_outer = light_int(0, 5),
                        .n_axis = random_size(),
                        .n_inner = light_int(0, 1) ? 1 : random_size(),
                        .is_min = light_int(0, 1),
                        .is_last_of_ties = light_int(0, 1) };
    ig_axis_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_argmax_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "%s", err.message)) return;
    const int64_t n = s.n_outer * s.n_axis * s.n_inner, n_out = s.n_outer * s.n_inner;
    float *x = random_input(n, light_int(0, 2) == 0);
    if (light_int(0, 1)) /* ties */
        for (int64_t i = 0; i < n; i++) x[i] = rintf(x[i]);
    int64_t *y = light_alloc((size_t)n_out * 8), *z = light_alloc((size_t)n_out * 8);
    void *operands[2] = { x, y };
    light_run(fn, &p, operands, p.n_work, light_int(0, 1));
    operands[1] = z;
    light_run(ig_k_argmax_ref, &p, operands, p.n_work, false);
    for (int64_t i = 0; i < n_out; i++)
        if (!light_check(y[i] == z[i], "argmax of %lld: %lld, not %lld", (long long)s.n_axis,
                         (long long)y[i], (long long)z[i]))
            break;
    light_free(x), light_free(y), light_free(z);
}

static void test_layer_norm(ig_isa isa)
{
    const ig_layer_norm_shape s = { .n_rows = light_int(0, 9),
                                    .n = random_size() * light_int(1, 5),
                                    .epsilon = 1e-5f,
                                    .is_rms = light_int(0, 1) };
    ig_layer_norm_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_layer_norm_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "%s", err.message))
        return;
    const int64_t n = s.n_rows * s.n;
    float *x = random_input(n, light_int(0, 5) == 0);
    tame(x, n);
    float *scale = light_int(0, 1) ? random_input(s.n, false) : NULL;
    float *bias = light_int(0, 1) ? random_input(s.n, false) : NULL;
    float *mean = light_alloc((size_t)s.n_rows * 4), *inverse = light_alloc((size_t)s.n_rows * 4);
    void *operands[6] = { x, scale, bias, NULL, mean, light_int(0, 1) ? inverse : NULL };
    check("layer_norm", fn, ig_k_layer_norm_ref, &p, operands, 3, n, p.n_work, 4e-6, 2e-5);
    float *y = light_alloc((size_t)n * 4);
    operands[3] = y;
    light_run(fn, &p, operands, p.n_work, false);
    operands[0] = operands[3] = x;
    light_run(fn, &p, operands, p.n_work, true);
    light_check(memcmp(x, y, (size_t)n * 4) == 0, "layer norm in place differs");
    light_free(x), light_free(y), light_free(scale), light_free(bias);
    light_free(mean), light_free(inverse);
}

static void test_group_norm(ig_isa isa)
{
    const int64_t per_group = light_int(0, 3) ? light_int(1, 20) : light_int(500, 1100);
    const int64_t n_groups = per_group > 100 ? light_int(1, 2) : light_int(1, 40);
    ig_group_norm_shape s = { .n_batch = light_int(0, 3),
                              .n_groups = n_groups,
                              .n_channels = n_groups * per_group,
                              .n_spatial = light_int(1, 150),
                              .is_channels_last = light_int(0, 1),
                              .epsilon = 1e-5f };
    s.x_pitch = s.n_channels + light_int(0, 2);
    s.y_pitch = s.n_channels;
    ig_group_norm_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_group_norm_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "%s", err.message))
        return;
    const int64_t n_out = s.n_batch * s.n_spatial * s.n_channels;
    const int64_t n_in = s.is_channels_last ? s.n_batch * s.n_spatial * s.x_pitch : n_out;
    float *x = random_input(n_in, light_int(0, 5) == 0);
    tame(x, n_in);
    float *scale = light_int(0, 1) ? random_input(s.n_channels, false) : NULL;
    float *bias = light_int(0, 1) ? random_input(s.n_channels, false) : NULL;
    void *operands[4] = { x, scale, bias, NULL };
    check("group_norm", fn, ig_k_group_norm_ref, &p, operands, 3, n_out, p.n_work, 4e-6, 4e-5);
    light_free(x), light_free(scale), light_free(bias);
}

void ig_test_reduce(void)
{
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        test_long_sum(isa);
        for (int k = 0; k < 400 && light_n_failed() < 20; k++) {
            test_reduce(isa);
            test_reduce(isa);
            test_softmax(isa);
            test_argmax(isa);
            test_layer_norm(isa);
            test_group_norm(isa);
        }
    }
}
