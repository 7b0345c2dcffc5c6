/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: products by plain loops. */
#include "kernels/act.h"
#include "kernels/gemm/gemm.h"

int64_t ig_gemm_ref_n_work(const ig_gemm_shape *s)
{
    int64_t n = s->m;
    for (int d = 0; d < s->n_batch_dims; d++) n *= s->batch_dims[d];
    return n;
}

static int64_t offset(const ig_gemm_shape *s, const int64_t *stride, int64_t i)
{
    int64_t at = 0;
    for (int d = s->n_batch_dims - 1; d >= 0; d--) {
        at += i % s->batch_dims[d] * stride[d];
        i /= s->batch_dims[d];
    }
    return at;
}

static double c_at(const ig_gemm_shape *s, const float *c, int64_t i, int64_t j)
{
    switch (s->c) {
    case IG_GEMM_C_SCALAR: return (double)c[0];
    case IG_GEMM_C_N: return (double)c[j];
    case IG_GEMM_C_M: return (double)c[i * s->ldc];
    case IG_GEMM_C_MN: return (double)c[i * s->ldc + j];
    case IG_GEMM_C_NONE: break;
    }
    return 0;
}

void ig_k_gemm_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_gemm_shape *s = &((const ig_gemm_params *)params)->shape;
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t i = w % s->m, batch = w / s->m;
        const float *a = (const float *)operands[0] + offset(s, s->a_stride, batch);
        const float *b = (const float *)operands[1] + offset(s, s->b_stride, batch);
        const float *c = (const float *)operands[2];
        const float *r = (const float *)operands[3];
        float *y = (float *)operands[4] + offset(s, s->y_stride, batch) + i * s->ldy;
        for (int64_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < s->k; k++)
                sum += (double)a[s->trans_a ? k * s->lda + i : i * s->lda + k] *
                       (double)b[s->trans_b ? j * s->ldb + k : k * s->ldb + j];
            sum *= (double)s->alpha;
            if (s->c != IG_GEMM_C_NONE && c && s->beta != 0.0f)
                sum += (double)s->beta * c_at(s, c + offset(s, s->c_stride, batch), i, j);
            if (s->has_residual && r)
                sum += (double)r[offset(s, s->r_stride, batch) + i * s->ldr + j];
            y[j] = (float)ig_act_ref(&s->epilogue, sum);
        }
    }
}
