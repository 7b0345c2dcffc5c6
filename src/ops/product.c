/* SPDX-License-Identifier: Apache-2.0 */
/* product.c: shapes of matrix products, lowering to kernels/gemm. */
#include "ops/product.h"

#include <string.h>

ig_status ig_matmul_shape(ig_infer *c, const ig_info *a, const ig_info *b, ig_info *out)
{
    ig_info batch[2] = { *a, *b };
    const ig_info *both[2] = { &batch[0], &batch[1] };
    if (a->rank < 1 || b->rank < 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is a scalar", a->rank < 1 ? 0 : 1);
    const ig_dim ka = a->dims[a->rank - 1], kb = b->dims[b->rank == 1 ? 0 : b->rank - 2];
    if (ka != kb && ig_dim_is_const(ka) && ig_dim_is_const(kb))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "inner dimensions are %lld and %lld", (long long)ka,
                       (long long)kb);
    batch[0].rank = a->rank > 2 ? a->rank - 2 : 0;
    batch[1].rank = b->rank > 2 ? b->rank - 2 : 0;
    ig_infer inner = *c;
    inner.in = both;
    inner.n_in = 2;
    ig_info shape = { .rank = -1 };
    IG_TRY(ig_broadcast_shapes(&inner, 2, &shape));
    int rank = shape.rank;
    if (rank + 2 > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "the product has rank %d", rank + 2);
    if (a->rank > 1) shape.dims[rank++] = a->dims[a->rank - 2];
    if (b->rank > 1) shape.dims[rank++] = b->dims[b->rank - 1];
    ig_info_set_shape(out, a->type.dtype, rank, shape.dims);
    return INGOT_OK;
}

void ig_matmul_view_init(ig_matmul_view *v, int a_rank, const int64_t *a, int b_rank,
                         const int64_t *b)
{
    memset(v, 0, sizeof *v);
    v->m = a_rank > 1 ? a[a_rank - 2] : 1;
    v->k = a[a_rank - 1];
    v->n = b_rank > 1 ? b[b_rank - 1] : 1;
    const int na = a_rank > 2 ? a_rank - 2 : 0, nb = b_rank > 2 ? b_rank - 2 : 0;
    const int n = na > nb ? na : nb;
    int64_t a_step = v->m * v->k, b_step = v->k * v->n;
    v->n_batch_dims = n;
    v->n_batch = 1;
    for (int d = n - 1; d >= 0; d--) {
        const int64_t da = d - (n - na) >= 0 ? a[d - (n - na)] : 1;
        const int64_t db = d - (n - nb) >= 0 ? b[d - (n - nb)] : 1;
        v->batch_dims[d] = da == 1 ? db : da;
        v->a_stride[d] = da == 1 ? 0 : a_step;
        v->b_stride[d] = db == 1 ? 0 : b_step;
        a_step *= da;
        b_step *= db;
        v->n_batch *= v->batch_dims[d];
    }
}

void ig_matmul_offsets(const ig_matmul_view *v, int64_t i, int64_t *a, int64_t *b)
{
    *a = *b = 0;
    for (int d = v->n_batch_dims - 1; d >= 0; d--) {
        const int64_t at = i % v->batch_dims[d];
        i /= v->batch_dims[d];
        *a += at * v->a_stride[d];
        *b += at * v->b_stride[d];
    }
}

typedef struct pack_job {
    const ig_gemm_kernel *kernel;
    int64_t k, n, n_matrices;
    bool trans;
    size_t matrix_bytes;
} pack_job;

static void pack_b(const void *ctx, const ig_tensor *src, void *dst)
{
    const pack_job *j = ctx;
    for (int64_t i = 0; i < j->n_matrices; i++)
        ig_gemm_pack_b(j->kernel, (const float *)src->data + i * j->k * j->n,
                       j->trans ? j->k : j->n, j->trans, j->k, j->n,
                       (float *)((uint8_t *)dst + (size_t)i * j->matrix_bytes));
}

static ig_status pack_constant(ig_lower *l, ig_gemm_shape *s, const ig_gemm_kernel *kernel)
{
    pack_job job = { .kernel = kernel, .k = s->k, .n = s->n, .trans = s->trans_b };
    const int64_t count = ig_tensor_count(l->in[1]->data);
    size_t bytes = 0;
    job.n_matrices = s->k > 0 && s->n > 0 ? count / (s->k * s->n) : 0;
    if (!ig_gemm_packed_bytes(kernel, s->k, s->n, &job.matrix_bytes) ||
        !ig_size_mul(job.matrix_bytes, (size_t)job.n_matrices, &bytes) || bytes == 0)
        return INGOT_OK;
    s->b_is_packed = true;
    for (int d = 0; d < s->n_batch_dims; d++) s->b_stride[d] /= s->k * s->n;
    const char *name = ig_gemm_kernel_name(kernel);
    return ig_lower_pack(l, 1, ig_hash(name, strlen(name), s->trans_b), bytes, pack_b, &job);
}

ig_status ig_lower_product(ig_lower *l, ig_gemm_shape *s)
{
    const ig_gemm_kernel *kernel = ig_gemm_choose(s, l->isa);
    if (l->in[1]->data) IG_TRY(pack_constant(l, s, kernel));
    ig_gemm_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_gemm_plan(s, kernel, p, l->err));
    l->kernel = ig_k_gemm;
    l->kernel_name = ig_gemm_kernel_name(kernel);
    l->params = p;
    l->n_operand_in = 4;
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}
