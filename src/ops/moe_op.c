/* SPDX-License-Identifier: Apache-2.0 */
/* moe_op.c: inference, reference and lowering of mixtures of experts. */
#include "ops/moe.h"
#include "ops/strided.h"

static const ig_info *info_at(const ig_info *const *in, int n_in, int i)
{
    return i >= 0 && i < n_in ? in[i] : NULL;
}

ig_status ig_moe_infer(ig_infer *c, const ig_moe_inputs inputs, bool is_quantized)
{
    const ig_info *in[IG_MOE_N_IN];
    ig_moe_shape s;
    bool is_known = true;
    IG_TRY(ig_infer_tensors(c, 3));
    for (int i = 0; i < IG_MOE_N_IN; i++) {
        in[i] = info_at(c->in, c->n_in, inputs[i]);
        is_known =
            is_known &&
            (!in[i] || (ig_info_is_static(in[i], NULL) && in[i]->type.dtype != INGOT_UNDEFINED));
    }
    for (int i = 0; i < c->n_in; i++) {
        bool is_used = c->in[i] == NULL;
        for (int k = 0; k < IG_MOE_N_IN; k++) is_used = is_used || inputs[k] == i;
        if (!is_used)
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                           "input %d is for weights of other types than integers", i);
    }
    for (int j = 0; j < 2; j++)
        if (!in[ig_moe_operand(j, IG_MOE_W)])
            return ig_fail(c->err, INGOT_ERR_INVALID, "weights of matrix %d are missing", j + 1);
    if (is_known) IG_TRY(ig_moe_read(c->node, is_quantized, in, &s, c->err));
    return ig_infer_same(c);
}

/* ---- reference ---- */

typedef struct ref_job {
    const ig_moe_shape *s;
    void *operands[IG_MOE_N_IN + 1];
    int matrix;
    int64_t expert, rows;
    const float *x;
    float *out;
} ref_job;

static double weight(const ref_job *j, int64_t n, int64_t k)
{
    const ig_moe_matrix *m = &j->s->matrix[j->matrix];
    void *const *o = j->operands;
    const int64_t row = j->expert * m->n + n, n_blocks = m->k / m->block;
    const void *w = o[ig_moe_operand(j->matrix, IG_MOE_W)];
    const float *scales = o[ig_moe_operand(j->matrix, IG_MOE_S)];
    const uint8_t *zeros = o[ig_moe_operand(j->matrix, IG_MOE_Z)];
    if (!m->bits) return (double)((const float *)w)[row * m->k + k];
    int zero = 1 << (m->bits - 1);
    if (m->has_zero && m->packs_zero_by_rows)
        zero = ig_nbits_get(zeros + j->expert * ((m->n * m->bits + 7) / 8), n, m->bits);
    else if (m->has_zero)
        zero = ig_nbits_get(zeros + row * ((n_blocks * m->bits + 7) / 8), k / m->block, m->bits);
    const int q = ig_nbits_get((const uint8_t *)w + row * (m->k * m->bits / 8), k, m->bits);
    return (double)(q - zero) * (double)scales[row * n_blocks + k / m->block];
}

/* Rows of the matrix. */
static void ref_rows(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_moe_matrix *m = &j->s->matrix[j->matrix];
    const float *bias = j->operands[ig_moe_operand(j->matrix, IG_MOE_B)];
    for (int64_t n = part.begin; n < part.end; n++) {
        double sums[IG_MOE_ROWS];
        for (int64_t r = 0; r < j->rows; r++)
            sums[r] = bias ? (double)bias[j->expert * m->n + n] : 0;
        for (int64_t k = 0; k < m->k; k++) {
            const double w = weight(j, n, k);
            for (int64_t r = 0; r < j->rows; r++) sums[r] += w * (double)j->x[r * m->k + k];
        }
        for (int64_t r = 0; r < j->rows; r++) j->out[r * m->n + n] = (float)sums[r];
    }
}

static void ref_product(void *ctx, int matrix, int64_t expert, const float *x, int64_t rows,
                        float *out, ig_team *team)
{
    ref_job *j = ctx;
    j->matrix = matrix;
    j->expert = expert;
    j->x = x;
    j->rows = rows;
    j->out = out;
    ig_team_run(team, ref_rows, j, j->s->matrix[matrix].n, 4);
}

ig_status ig_moe_ref(ig_call *c, const ig_moe_inputs inputs, bool is_quantized)
{
    ig_info infos[IG_MOE_N_IN];
    const ig_info *in[IG_MOE_N_IN] = { 0 };
    ig_moe_shape s;
    ref_job j = { .s = &s };
    size_t bytes;
    for (int i = 0; i < IG_MOE_N_IN; i++) {
        const ig_tensor *t = inputs[i] >= 0 && inputs[i] < c->n_in ? c->in[inputs[i]] : NULL;
        if (!t) continue;
        infos[i] = (ig_info){ 0 };
        ig_info_set_shape(&infos[i], t->dtype, t->rank, t->dims);
        in[i] = &infos[i];
        j.operands[i] = t->data;
    }
    j.operands[IG_MOE_N_IN] = c->out[0]->data;
    IG_TRY(ig_moe_read(c->node, is_quantized, in, &s, c->err));
    if (s.n_tokens == 0) return INGOT_OK;
    if (!ig_moe_scratch_bytes(&s, &bytes))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld tokens are too many", (long long)s.n_tokens);
    void *scratch = ig_arena_get(c->scratch, bytes);
    if (!scratch) return IG_NOMEM(c->err, bytes);
    ig_moe_run(&s, j.operands, scratch, ref_product, &j, c->team);
    return INGOT_OK;
}

/* ---- kernel ---- */

/* Products of one row, of a few, and of IG_MOE_ROWS. */
enum { ONE, FEW, MANY, N_PLANS };
static const int64_t plan_rows[N_PLANS] = { 1, IG_NBITS_FEW_ROWS, IG_MOE_ROWS };

typedef struct moe_params {
    ig_moe_shape s;
    ig_nbits_params nbits[3][N_PLANS];
    ig_gemm_params gemm[3][N_PLANS];
    size_t product_at; /* in scratch: the products' own */
} moe_params;

typedef struct product_job {
    const moe_params *p;
    void *const *operands; /* of the node */
    void *scratch;
    ig_kernel_fn kernel;
    const void *params;
    void *own[7]; /* operands of the product */
} product_job;

static void run_product(void *ctx, ig_part part)
{
    const product_job *j = ctx;
    j->kernel(j->params, j->own, part);
}

static void *at_byte(void *p, int64_t offset) { return p ? (char *)p + offset : NULL; }

static void product(void *ctx, int matrix, int64_t expert, const float *x, int64_t rows, float *out,
                    ig_team *team)
{
    product_job *j = ctx;
    const ig_moe_matrix *m = &j->p->s.matrix[matrix];
    const int plan = rows == 1 ? ONE : rows <= IG_NBITS_FEW_ROWS ? FEW : MANY;
    void *const *o = j->operands + ig_moe_operand(matrix, 0);
    const int64_t first = expert * m->n, float_bytes = (int64_t)sizeof(float);
    void *const rows_in = (void *)(uintptr_t)x;
    void *const bias = at_byte(o[IG_MOE_B], first * float_bytes);
    if (m->bits) {
        const ig_nbits_params *p = &j->p->nbits[matrix][plan];
        void *const own[7] = { rows_in,
                               at_byte(o[IG_MOE_W], first * ig_nbits_column_bytes(&p->shape)),
                               at_byte(o[IG_MOE_S],
                                       first * ig_nbits_n_blocks(&p->shape) * float_bytes),
                               at_byte(o[IG_MOE_Z], first * ig_nbits_zero_bytes(&p->shape)),
                               bias,
                               out,
                               j->scratch };
        for (int i = 0; i < 7; i++) j->own[i] = own[i];
        j->kernel = ig_k_nbits;
        j->params = p;
        ig_team_run(team, run_product, j, p->n_work, p->grain);
        return;
    }
    const ig_gemm_params *p = &j->p->gemm[matrix][plan];
    void *const own[6] = { rows_in, at_byte(o[IG_MOE_W], first * m->k * float_bytes),
                           bias,    NULL,
                           out,     j->scratch };
    for (int i = 0; i < 6; i++) j->own[i] = own[i];
    j->kernel = ig_k_gemm;
    j->params = p;
    ig_team_run(team, run_product, j, p->n_work, p->grain);
}

static void k_moe(const void *params, void *const *operands, ig_team *team)
{
    const moe_params *p = params;
    char *scratch = operands[IG_MOE_N_IN + 1];
    product_job j = { .p = p, .operands = operands, .scratch = scratch + p->product_at };
    ig_moe_run(&p->s, operands, scratch, product, &j, team);
}

/* Can kernels/nbits read the matrix? */
static bool is_fast(const ig_moe_matrix *m)
{
    return !m->bits || (m->block % 16 == 0 && !(m->has_zero && m->packs_zero_by_rows));
}

static ig_status plan_matrix(ig_lower *l, int j, bool has_bias, moe_params *p,
                             size_t *scratch_bytes)
{
    const ig_moe_matrix *m = &p->s.matrix[j];
    for (int i = 0; i < N_PLANS; i++) {
        size_t bytes;
        if (m->bits) {
            const ig_nbits_shape s = { .m = plan_rows[i],
                                       .n = m->n,
                                       .k = m->k,
                                       .block = m->block,
                                       .bits = m->bits,
                                       .zero = m->has_zero ? IG_NBITS_ZERO_PACKED
                                                           : IG_NBITS_ZERO_MIDDLE,
                                       .has_bias = has_bias };
            IG_TRY(ig_nbits_plan(&s, l->isa, &p->nbits[j][i], l->err));
            bytes = p->nbits[j][i].scratch_bytes_per_thread;
        } else {
            ig_gemm_shape s;
            ig_gemm_shape_init(&s, plan_rows[i], m->n, m->k, false, true);
            if (has_bias) s.c = IG_GEMM_C_N;
            IG_TRY(ig_gemm_plan(&s, ig_gemm_choose(&s, l->isa), &p->gemm[j][i], l->err));
            bytes = p->gemm[j][i].scratch_bytes_per_thread;
        }
        if (bytes > *scratch_bytes) *scratch_bytes = bytes;
    }
    return INGOT_OK;
}

ig_status ig_moe_lower(ig_lower *l, const ig_moe_inputs inputs, bool is_quantized)
{
    const ig_info *in[IG_MOE_N_IN];
    size_t product_bytes = 0;
    for (int i = 0; i < IG_MOE_N_IN; i++) {
        in[i] = info_at(l->in, l->n_in, inputs[i]);
        if (in[i] && !ig_info_is_static(in[i], NULL)) return INGOT_OK;
    }
    if (in[IG_MOE_X]->type.dtype != INGOT_FLOAT) return INGOT_OK;
    moe_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_moe_read(l->node, is_quantized, in, &p->s, l->err));
    for (int j = 0; j < 3; j++)
        if (!is_fast(&p->s.matrix[j])) return INGOT_OK;
    if (p->s.n_tokens == 0 || !ig_moe_scratch_bytes(&p->s, &p->product_at)) return INGOT_OK;
    for (int j = 0; j < 3; j++)
        if (p->s.matrix[j].n)
            IG_TRY(plan_matrix(l, j, in[ig_moe_operand(j, IG_MOE_B)] != NULL, p, &product_bytes));
    l->team_kernel = k_moe;
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_moe_%s__%s", is_quantized ? "nbits" : "f32",
                                     ig_isa_name(l->isa));
    l->params = p;
    l->operand_inputs = inputs;
    l->n_operand_in = IG_MOE_N_IN;
    l->scratch_bytes = p->product_at + product_bytes * (size_t)l->n_threads;
    return INGOT_OK;
}
