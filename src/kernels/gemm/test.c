/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: every row of the list against plain loops. */
#include <stdio.h>
#include <string.h>

#include "kernel_test.h"
#include "kernels/gemm/gemm.h"

enum { N_THREADS = 3 };

/* Extent of n matrices of rows x pitch, the last row cut at cols. */
static int64_t extent(int64_t n, int64_t stride, int64_t rows, int64_t cols, int64_t pitch)
{
    if (n == 0 || rows == 0) return 0;
    return (n - 1) * stride + (rows - 1) * pitch + cols;
}

static double tolerance_of(const ig_epilogue *e)
{
    return e->act <= IG_ACT_CLIP || e->act == IG_ACT_LEAKY_RELU ? 0 : 2e-6;
}

typedef struct arrays {
    float *a, *b, *packed, *c, *r, *y, *want;
    int64_t n_y;
} arrays;

static arrays make_arrays(const ig_gemm_kernel *kernel, ig_gemm_shape *s, int64_t n_batch,
                          bool sprinkle)
{
    arrays m = { 0 };
    const int64_t a_rows = s->trans_a ? s->k : s->m, a_cols = s->trans_a ? s->m : s->k;
    const int64_t b_rows = s->trans_b ? s->n : s->k, b_cols = s->trans_b ? s->k : s->n;
    const int64_t n_a = extent(n_batch, s->a_stride[0], a_rows, a_cols, s->lda);
    const int64_t n_b = extent(n_batch, s->b_stride[0], b_rows, b_cols, s->ldb);
    m.n_y = extent(n_batch, s->y_stride[0], s->m, s->n, s->ldy);
    m.a = kt_floats(n_a);
    m.b = kt_floats(n_b);
    kt_fill_exact(m.a, n_a);
    kt_fill_exact(m.b, n_b);
    if (sprinkle) kt_sprinkle(m.a, n_a, 40);
    const int64_t n_c[] = { 0, 1, s->n, s->m ? (s->m - 1) * s->ldc + 1 : 0,
                            extent(1, 0, s->m, s->n, s->ldc) };
    if (s->c) m.c = kt_floats(n_c[s->c]), kt_fill_exact(m.c, n_c[s->c]);
    const int64_t n_r = extent(n_batch, s->r_stride[0], s->m, s->n, s->ldr);
    if (s->has_residual) m.r = kt_floats(n_r), kt_fill_exact(m.r, n_r);
    m.y = kt_floats(m.n_y);
    m.want = kt_floats(m.n_y);
    if (s->b_is_packed) {
        size_t bytes = 0;
        const int64_t n_mats = s->b_stride[0] ? n_batch : 1;
        kt_check(ig_gemm_packed_bytes(kernel, s->k, s->n, &bytes), "packed size");
        m.packed = kt_scratch(bytes * (size_t)n_mats);
        for (int64_t i = 0; i < n_mats; i++)
            ig_gemm_pack_b(kernel, m.b + i * s->b_stride[0], s->ldb, s->trans_b, s->k, s->n,
                           m.packed + (size_t)i * (bytes / 4));
    }
    return m;
}

static void check_case(const ig_gemm_kernel *kernel, ig_gemm_shape s, bool sprinkle)
{
    char what[200];
    ig_error err = { 0 };
    ig_gemm_params params;
    const int64_t n_batch = s.n_batch_dims ? s.batch_dims[0] : 1;
    snprintf(what, sizeof what, "%s %lldx%lldx%lld ta%d tb%d packed%d batch%lld c%d act%d",
             ig_gemm_kernel_name(kernel), (long long)s.m, (long long)s.n, (long long)s.k, s.trans_a,
             s.trans_b, s.b_is_packed, (long long)n_batch, (int)s.c, (int)s.epilogue.act);
    arrays m = make_arrays(kernel, &s, n_batch, sprinkle);
    ig_gemm_params ref = { .shape = s };
    void *ref_operands[] = { m.a, m.b, m.c, m.r, m.want, NULL };
    if (m.n_y) ig_k_gemm_ref(&ref, ref_operands, (ig_part){ 0, ig_gemm_ref_n_work(&s), 0 });
    if (s.b_is_packed && s.b_stride[0]) s.b_stride[0] = 1;
    if (!kt_check(ig_gemm_plan(&s, kernel, &params, &err) == INGOT_OK, "%s: %s", what, err.message))
        return;
    void *operands[] = { m.a, s.b_is_packed ? m.packed : m.b,
                         m.c, m.r,
                         m.y, kt_scratch(params.scratch_bytes_per_thread * N_THREADS) };
    kt_run_split(what, ig_k_gemm, &params, operands, params.n_work, N_THREADS, m.y, m.n_y, NULL);
    for (int64_t i = 0; i < n_batch && m.n_y; i++)
        kt_compare(what, m.y + i * s.y_stride[0], m.want + i * s.y_stride[0], s.m, s.n, s.ldy,
                   tolerance_of(&s.epilogue));
    kt_free_all();
}

static ig_epilogue random_epilogue(void)
{
    ig_epilogue e = { (ig_act)kt_random(IG_N_ACTS), 0.25f, 0.5f };
    if (e.act == IG_ACT_CLIP) e.alpha = -1.0f, e.beta = 6.0f;
    return e;
}

static ig_gemm_shape random_shape(int64_t m, int64_t n, int64_t k)
{
    ig_gemm_shape s;
    ig_gemm_shape_init(&s, m, n, k, kt_random(4) == 0, kt_random(2));
    s.lda += kt_random(3);
    s.ldb += kt_random(3);
    s.ldy += kt_random(3);
    s.ldr += kt_random(3);
    s.b_is_packed = kt_random(2);
    s.c = (ig_gemm_c)kt_random(5);
    s.ldc = s.c == IG_GEMM_C_M ? 1 + kt_random(2) : n + kt_random(3);
    s.has_residual = kt_random(3) == 0;
    const float scales[] = { 1, 1, 1, 0.5f, -2, 0 };
    s.alpha = scales[kt_random(6)];
    s.beta = scales[kt_random(6)];
    if (kt_random(2)) s.epilogue = random_epilogue();
    if (kt_random(3) == 0) {
        s.n_batch_dims = 1;
        s.batch_dims[0] = 1 + kt_random(3);
        s.a_stride[0] = kt_random(3) ? (s.trans_a ? k : m) * s.lda : 0;
        s.b_stride[0] = kt_random(3) ? (s.trans_b ? n : k) * s.ldb : 0;
        s.r_stride[0] = m * s.ldr;
        s.y_stride[0] = m * s.ldy;
    }
    return s;
}

/* residual == Y, with several passes over K too. */
static void check_residual_in_place(const ig_gemm_kernel *kernel)
{
    const int64_t m = 13, n = 70, k = 4000;
    ig_gemm_shape s;
    ig_error err = { 0 };
    ig_gemm_params params;
    ig_gemm_shape_init(&s, m, n, k, false, false);
    s.has_residual = true;
    s.b_is_packed = true;
    arrays a = make_arrays(kernel, &s, 1, false);
    ig_gemm_params ref = { .shape = s };
    void *ref_operands[] = { a.a, a.b, NULL, a.r, a.want, NULL };
    ig_k_gemm_ref(&ref, ref_operands, (ig_part){ 0, m, 0 });
    kt_check(ig_gemm_plan(&s, kernel, &params, &err) == INGOT_OK, "plan: %s", err.message);
    kt_check(params.k_block < k, "K is split");
    void *operands[] = { a.a, a.packed, NULL,
                         a.y, a.y,      kt_scratch(params.scratch_bytes_per_thread * N_THREADS) };
    kt_run_split("residual in place", ig_k_gemm, &params, operands, params.n_work, N_THREADS, a.y,
                 m * n, a.r);
    kt_compare("residual in place", a.y, a.want, m, n, n, 0);
    kt_free_all();
}

static void check_refusals(const ig_gemm_kernel *kernel)
{
    ig_gemm_shape s;
    ig_gemm_params params;
    ig_error err = { 0 };
    ig_gemm_shape_init(&s, 4, 4, 4, false, false);
    s.lda = 3;
    kt_check(ig_gemm_plan(&s, kernel, &params, &err) == INGOT_ERR_SHAPE, "pitch of A refused");
    kt_check(err.message[0] != 0, "with a reason");
    ig_gemm_shape_init(&s, INT64_C(1) << 39, INT64_C(1) << 39, 4, false, false);
    kt_check(ig_gemm_plan(&s, kernel, &params, NULL) == INGOT_ERR_SHAPE, "overflow refused");
    ig_gemm_shape_init(&s, -1, 4, 4, false, false);
    kt_check(ig_gemm_plan(&s, kernel, &params, NULL) == INGOT_ERR_SHAPE, "negative size refused");
}

void ig_test_gemm(void)
{
    static const int64_t sizes[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13,
                                     15, 16, 17, 24, 31, 33, 48, 67, 97, 130 };
    for (int i = 0; ig_gemm_kernel_at(i); i++) {
        const ig_gemm_kernel *kernel = ig_gemm_kernel_at(i);
        const bool is_emulated = strstr(ig_gemm_kernel_name(kernel), "emu") != NULL;
        if (!is_emulated && !ig_cpu_get()->has_isa[ig_gemm_kernel_isa(kernel)]) continue;
        kt_check(ig_gemm_find(ig_gemm_kernel_name(kernel)) == kernel, "found by name");
        kt_seed(7);
        for (int n = 0; n < 600; n++) {
            const int64_t m = sizes[kt_random(IG_COUNT(sizes))];
            const int64_t cols = sizes[kt_random(IG_COUNT(sizes))];
            const int64_t k = kt_random(12) ? sizes[kt_random(IG_COUNT(sizes))] : 700;
            check_case(kernel, random_shape(m, cols, k), kt_random(8) == 0);
        }
        check_residual_in_place(kernel);
        check_refusals(kernel);
    }
}
