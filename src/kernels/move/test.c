/* SPDX-License-Identifier: Apache-2.0 */
/* Random strided copies against one element at a time. */
#include "../tests/kernels/light.h"
#include "kernels/move/move.h"

void ig_test_move(void);

static int64_t random_dim(void)
{
    static const int64_t sizes[] = { 1, 1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 40, 100 };
    return light_int(0, 50) ? sizes[light_int(0, (int64_t)IG_COUNT(sizes) - 1)]
                            : light_int(0, 3) * 3000;
}

/* A view of `dims` laid out in a random order of dimensions, with gaps and reversals. Returns the
 * elements that it spans; *offset is where index 0 lies. */
static int64_t random_view(int rank, const int64_t *dims, bool is_source, int64_t *strides,
                           int64_t *offset)
{
    int order[INGOT_MAX_RANK];
    for (int d = 0; d < rank; d++) order[d] = d;
    if (light_int(0, 2))
        for (int d = rank - 1; d > 0; d--) {
            const int k = (int)light_int(0, d), t = order[d];
            order[d] = order[k], order[k] = t;
        }
    int64_t span = 1;
    *offset = 0;
    for (int i = rank - 1; i >= 0; i--) {
        const int d = order[i];
        if (is_source && light_int(0, 7) == 0) {
            strides[d] = 0;
            continue;
        }
        strides[d] = span + (light_int(0, 3) ? 0 : light_int(0, 3));
        if (dims[d] > 0) span = (dims[d] - 1) * strides[d] + span;
        if (light_int(0, 9) == 0) { /* backwards */
            if (dims[d] > 0) *offset += (dims[d] - 1) * strides[d];
            strides[d] = -strides[d];
        }
    }
    return span;
}

static void test_one(ig_isa isa)
{
    static const size_t elem_sizes[] = { 1, 2, 4, 4, 4, 8 };
    ig_move_shape s = { .rank = (int)light_int(0, 5), .elem_bytes = elem_sizes[light_int(0, 5)] };
    int64_t n = 1;
    for (int d = 0; d < s.rank; d++) {
        s.dims[d] = random_dim();
        if (n * s.dims[d] > 60000) s.dims[d] = 1;
        n *= s.dims[d];
    }
    const int64_t n_src = random_view(s.rank, s.dims, true, s.src_strides, &s.src_offset);
    const int64_t n_dst = random_view(s.rank, s.dims, false, s.dst_strides, &s.dst_offset);
    ig_move_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_move_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "move: %s", err.message))
        return;
    const size_t e = s.elem_bytes;
    unsigned char *src = light_alloc((size_t)n_src * e), *dst = light_alloc((size_t)n_dst * e);
    unsigned char *want = malloc((size_t)n_dst * e);
    for (size_t i = 0; i < (size_t)n_src * e; i++) src[i] = (unsigned char)light_rng();
    memcpy(want, dst, (size_t)n_dst * e); /* gaps must stay */
    for (int64_t i = 0; i < n; i++) {
        int64_t from = s.src_offset, to = s.dst_offset, rest = i;
        for (int d = s.rank - 1; d >= 0; d--) {
            from += rest % s.dims[d] * s.src_strides[d];
            to += rest % s.dims[d] * s.dst_strides[d];
            rest /= s.dims[d];
        }
        memcpy(want + to * (int64_t)e, src + from * (int64_t)e, e);
    }
    void *operands[2] = { src, dst };
    light_run(fn, &p, operands, p.n_work, light_int(0, 1));
    light_check(memcmp(want, dst, (size_t)n_dst * e) == 0,
                "move: rank %d, %lld elements of %zu bytes, path %d: wrong", s.rank, (long long)n,
                e, (int)p.path);
    light_free(src), light_free(dst);
    free(want);
}

static void test_transpose(ig_isa isa)
{
    const int64_t dims[3] = { light_int(1, 3), light_int(1, 70), light_int(1, 300) };
    static const int perm[3] = { 0, 2, 1 };
    ig_move_shape s;
    ig_move_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    ig_move_shape_transpose(&s, 3, dims, perm, 4);
    if (!light_check(ig_move_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "move: %s", err.message))
        return;
    const int64_t n = dims[0] * dims[1] * dims[2];
    int32_t *src = light_alloc((size_t)n * 4), *dst = light_alloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) src[i] = (int32_t)i;
    void *operands[2] = { src, dst };
    light_run(fn, &p, operands, p.n_work, true);
    bool ok = true;
    for (int64_t i = 0; i < n; i++) {
        const int64_t b = i / (dims[1] * dims[2]), h = i / dims[1] % dims[2], c = i % dims[1];
        ok = ok && dst[i] == (b * dims[1] + c) * dims[2] + h;
    }
    light_check(ok, "transpose of %lld x %lld", (long long)dims[1], (long long)dims[2]);
    light_free(src), light_free(dst);
}

void ig_test_move(void)
{
    for (int i = 0; light_isa(i) >= 0; i++)
        for (int k = 0; k < 2000 && light_n_failed() < 20; k++) {
            test_one((ig_isa)light_isa(i));
            if (k % 4 == 0) test_transpose((ig_isa)light_isa(i));
        }
}
