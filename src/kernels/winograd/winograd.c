/* SPDX-License-Identifier: Apache-2.0 */
/* winograd.c: the plan of a Winograd convolution: tiles, blocking, scratch, packed weights. */
#include "kernels/winograd/winograd.h"

#include "base/alloc.h"
#include "kernels/gemm/igemm.h"
#include "kernels/isa_table.h"
#include "kernels/uarch.h"
#include "kernels/winograd/transform.h"

#define DECLARE(isa)                                                                               \
    extern const ig_winograd_transforms ig_winograd_transforms_2__##isa;                           \
    extern const ig_winograd_transforms ig_winograd_transforms_4__##isa;
#define ROW(isa)                                                                                   \
    {                                                                                              \
        [IG_CONV_WINOGRAD2] = &ig_winograd_transforms_2__##isa,                                    \
        [IG_CONV_WINOGRAD4] = &ig_winograd_transforms_4__##isa                                     \
    }

DECLARE(portable)
#if defined(IG_SIMD_EMULATE)
DECLARE(avx512emu)
#elif defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
#endif

static const ig_winograd_transforms *const transforms[IG_N_ISAS][IG_N_CONV_ALGORITHMS] = {
    [IG_ISA_PORTABLE] = ROW(portable),
#if defined(IG_SIMD_EMULATE)
    [IG_ISA_AVX512] = ROW(avx512emu),
#elif defined(__x86_64__)
    [IG_ISA_AVX2] = ROW(avx2),
    [IG_ISA_AVX512] = ROW(avx512),
#endif
};

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static size_t align64(int64_t bytes) { return ig_align_up((size_t)bytes, 64); }

bool ig_winograd_fits(const ig_conv_shape *s)
{
    return !s->is_transposed && s->w_is_packed && s->groups == 1 && s->in[0] == 1 &&
           s->out[0] == 1 && s->kernel[0] == 1 && s->pad[0] == 0 && s->kernel[1] == 3 &&
           s->kernel[2] == 3 && s->stride[1] == 1 && s->stride[2] == 1 && s->dilation[1] == 1 &&
           s->dilation[2] == 1;
}

static void cut_tiles(ig_winograd_params *p, ig_conv_algorithm algorithm)
{
    const ig_conv_shape *s = &p->shape;
    p->tile = algorithm == IG_CONV_WINOGRAD4 ? 4 : 2;
    p->points = p->tile + 2;
    p->n_tiles_h = div_up(s->out[1], p->tile);
    p->n_tiles_w = div_up(s->out[2], p->tile);
    p->n_tiles = s->batch * p->n_tiles_h * p->n_tiles_w;
}

const ig_gemm_kernel *ig_winograd_kernel(const ig_conv_shape *s, ig_conv_algorithm algorithm,
                                         ig_isa isa)
{
    ig_winograd_params p = { .shape = *s };
    cut_tiles(&p, algorithm);
    ig_gemm_shape g;
    ig_gemm_shape_init(&g, p.n_tiles, s->c_out, 1, false, false);
    return ig_gemm_choose(&g, isa);
}

/* At least n floats from one row to the next, an odd number of cache lines: 6 x 6 points, or the
 * rows of a tile of the matrix kernel, do not meet in few sets of the caches. */
static int64_t odd_pitch(int64_t n) { return (div_up(n, 16) | 1) * 16; }

/* Transformed tiles and products of an item should lie in the L2 cache. But transformed weights are
 * read anew for each block of tiles: where they come from beyond that cache, blocks are so large
 * that the tiles and products of all blocks together move as many bytes as the weights do. */
static int64_t choose_tile_block(const ig_winograd_params *p)
{
    enum { MIN_TILES = 24, MAX_TILES = 96 };
    const int64_t points2 = (int64_t)p->points * p->points, mr = p->kernel->mr;
    const int64_t c = p->shape.c_in, m = p->shape.c_out;
    const int64_t l2 = (int64_t)ig_uarch_get().b_block_bytes; /* half of it */
    int64_t want = l2 / 2 / (points2 * (c + min64(m, 64)) * 4);
    if (ig_winograd_packed_bytes(p) > (size_t)l2) want = max64(want, c * m / (c + m));
    want = max64(min64(want, MAX_TILES), MIN_TILES) / mr * mr;
    if (p->n_tiles <= want) return max64(p->n_tiles, 1);
    return div_up(div_up(p->n_tiles, div_up(p->n_tiles, want)), mr) * mr;
}

static void plan_blocks(ig_winograd_params *p)
{
    const ig_conv_shape *s = &p->shape;
    const int64_t nr = p->kernel->nr, n_panels = div_up(s->c_out, nr);
    p->u_stride = n_panels * nr * s->c_in;
    p->tile_block = choose_tile_block(p);
    p->n_tile_blocks = div_up(p->n_tiles, p->tile_block);
    p->k_block = ig_igemm_k_block(p->kernel, 1, s->c_in);
    p->n_block = ig_igemm_n_block(p->kernel, s->c_in, s->c_out, p->n_tile_blocks);
    p->n_n_blocks = div_up(s->c_out, p->n_block);
    p->v_pitch = odd_pitch(s->c_in);
    p->v_stride = odd_pitch(p->tile_block * p->v_pitch);
    p->m_pitch = odd_pitch(p->n_block);
    p->m_stride = odd_pitch(p->tile_block * p->m_pitch);
}

static void plan_scratch(ig_winograd_params *p)
{
    const ig_conv_shape *s = &p->shape;
    const int64_t points2 = (int64_t)p->points * p->points, tile2 = (int64_t)p->tile * p->tile;
    p->pointer_bytes = align64((points2 + 2 * tile2 + 2 * p->tile_block) * (int64_t)sizeof(void *));
    p->row_bytes = align64(max64(s->c_in, s->c_out) * 4);
    p->v_bytes = align64(points2 * p->v_stride * 4);
    p->m_bytes = align64(points2 * p->m_stride * 4);
    p->acc_bytes = ig_align_up(
        ig_igemm_acc_bytes(p->kernel, 1, s->c_in, p->k_block, p->tile_block, p->n_block), 64);
    p->scratch_bytes_per_thread =
        p->pointer_bytes + 2 * p->row_bytes + p->v_bytes + p->m_bytes + p->acc_bytes;
}

ig_status ig_winograd_plan(const ig_conv_shape *shape, ig_conv_algorithm algorithm,
                           const ig_gemm_kernel *kernel, ig_winograd_params *p, ig_error *err)
{
    IG_TRY(ig_conv_check(shape, err));
    if (!ig_winograd_fits(shape) || algorithm == IG_CONV_DIRECT)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "Winograd convolution: kernel %lldx%lldx%lld of stride %lld,%lld; it takes "
                       "1x3x3 of stride and dilation 1, one group and constant weights",
                       (long long)shape->kernel[0], (long long)shape->kernel[1],
                       (long long)shape->kernel[2], (long long)shape->stride[1],
                       (long long)shape->stride[2]);
    *p = (ig_winograd_params){ .shape = *shape, .kernel = kernel };
    p->transforms = transforms[kernel->isa][algorithm];
    cut_tiles(p, algorithm);
    plan_blocks(p);
    plan_scratch(p);
    p->n_work = p->n_tile_blocks * p->n_n_blocks;
    p->grain = ig_igemm_grain(p->points * p->points * p->tile_block * p->n_block * shape->c_in);
    return INGOT_OK;
}

/* ---- weights ---- */
size_t ig_winograd_packed_bytes(const ig_winograd_params *p)
{
    return align64(p->points * p->points * p->u_stride * 4);
}

void ig_winograd_pack_w(const ig_winograd_params *p, const float *src, float *dst)
{
    const ig_conv_shape *s = &p->shape;
    const int64_t nr = p->kernel->nr, points2 = (int64_t)p->points * p->points;
    const bool is_ohwi = s->w_layout == IG_CONV_W_OHWI;
    const int64_t tap_stride = is_ohwi ? s->c_in : 1, c_stride = is_ohwi ? 1 : 9;
    for (int64_t m = 0; m < s->c_out; m += nr) {
        const int64_t n = min64(nr, s->c_out - m);
        for (int64_t c = 0; c < s->c_in; c++) {
            float *u = dst + (m / nr * s->c_in + c) * nr;
            p->transforms->weights(src + m * 9 * s->c_in + c * c_stride, 9 * s->c_in, tap_stride, n,
                                   u, p->u_stride);
            for (int64_t point = 0; point < points2; point++)
                for (int64_t i = n; i < nr; i++) u[point * p->u_stride + i] = 0;
        }
    }
}
