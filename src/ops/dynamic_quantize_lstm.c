/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic_quantize_lstm.c: com.microsoft DynamicQuantizeLSTM: LSTM with 8-bit W [directions, input,
 * 4 * hidden] and R [directions, hidden, 4 * hidden]; scale and zero point are one a direction or
 * one a column of it. Weights are made real values and turned; inputs and states stay float32, so
 * nothing is lost between steps.
 */
#include "ops/qlinear.h"
#include "ops/recurrent.h"
#include "ops/strided.h"

enum { IN_X, IN_W, IN_R, N_LSTM = 8, IN_W_SCALE = N_LSTM, IN_W_ZERO, IN_R_SCALE, IN_R_ZERO };

typedef struct weights {
    ingot_dtype dtype;
    int64_t n_dirs, rows, cols;
    const float *scale;
    const void *zero; /* NULL: 0 */
    bool is_scale_full, is_zero_full;
} weights;

/* i_scale and the input behind it have one element a direction, or one a column of W or R. */
static ig_status check_params(const ig_infer *c, int i_weights, int i_scale)
{
    const ig_info *w = c->in[i_weights];
    int64_t dims[IG_MAX_RANK];
    if (w->type.dtype != INGOT_UNDEFINED && !(IG_T(w->type.dtype) & IG_T_8_BIT))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "weights are %s",
                       ingot_dtype_name(w->type.dtype));
    if (w->rank >= 0 && w->rank != 3)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "weights have rank %d, not 3", w->rank);
    for (int i = i_scale; i <= i_scale + 1; i++) {
        const ig_info *x = i < c->n_in ? c->in[i] : NULL;
        const ingot_dtype want = i == i_scale ? INGOT_FLOAT : w->type.dtype;
        if (!x && i == i_scale)
            return ig_fail(c->err, INGOT_ERR_INVALID, "input %d, a scale, is missing", i);
        if (!x) continue;
        if (x->type.dtype != want && x->type.dtype != INGOT_UNDEFINED && want != INGOT_UNDEFINED)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, not %s", i,
                           ingot_dtype_name(x->type.dtype), ingot_dtype_name(want));
        if (!ig_info_is_static(x, dims) || w->rank != 3 || !ig_dim_is_const(w->dims[0]) ||
            !ig_dim_is_const(w->dims[2]))
            continue;
        const int64_t n = ig_count(x->rank, dims), each[2] = { w->dims[0], w->dims[2] };
        if (n != each[0] && n != ig_count(2, each))
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "input %d has %lld elements for %lld directions of %lld columns", i,
                           (long long)n, (long long)each[0], (long long)each[1]);
    }
    return INGOT_OK;
}

/* LSTM's inputs: W and R as float32, turned, without contents. */
static int real_infos(const ig_info *const *in, int n_in, ig_info wide[2],
                      const ig_info *real[N_LSTM])
{
    const int n = n_in < N_LSTM ? n_in : N_LSTM;
    for (int i = 0; i < n; i++) real[i] = in[i];
    for (int i = 0; i < 2; i++) {
        wide[i] = *in[IN_W + i];
        wide[i].type.dtype = INGOT_FLOAT;
        wide[i].data = NULL;
        wide[i].dims[1] = in[IN_W + i]->dims[2];
        wide[i].dims[2] = in[IN_W + i]->dims[1];
        real[IN_W + i] = &wide[i];
    }
    return n;
}

static ig_status infer(ig_infer *c)
{
    ig_info wide[2];
    const ig_info *real[N_LSTM];
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(check_params(c, IN_W, IN_W_SCALE));
    IG_TRY(check_params(c, IN_R, IN_R_SCALE));
    ig_infer as = *c;
    as.n_in = real_infos(c->in, c->n_in, wide, real);
    as.in = real;
    return ig_infer_recurrent(&as, IG_RECURRENT_LSTM);
}

/* ---- real values ---- */

/* scale, zero: NULL where absent. */
static ig_status read_weights(const ig_tensor *w, const ig_tensor *scale, const ig_tensor *zero,
                              weights *out, ig_error *err)
{
    const int64_t each[2] = { w->rank == 3 ? w->dims[0] : -1, w->rank == 3 ? w->dims[2] : -1 };
    const int64_t n_scales = scale ? ig_tensor_count(scale) : -1;
    const int64_t n_zeros = zero ? ig_tensor_count(zero) : each[0];
    *out = (weights){ .dtype = w->dtype,
                      .n_dirs = each[0],
                      .rows = w->dims[1],
                      .cols = each[1],
                      .scale = scale ? scale->data : NULL,
                      .zero = zero ? zero->data : NULL,
                      .is_scale_full = n_scales != each[0],
                      .is_zero_full = n_zeros != each[0] };
    if (n_scales < 0 || scale->dtype != INGOT_FLOAT || (zero && zero->dtype != w->dtype) ||
        (out->is_scale_full && n_scales != ig_count(2, each)) ||
        (out->is_zero_full && n_zeros != ig_count(2, each)))
        return ig_fail(err, INGOT_ERR_SHAPE, "a scale or zero point does not fit the weights");
    return INGOT_OK;
}

/* to: [n_dirs, cols, rows] */
static void widen_weights(const weights *w, const void *from, float *to)
{
    for (int64_t d = 0; d < w->n_dirs; d++)
        for (int64_t c = 0; c < w->cols; c++) {
            const int64_t full = d * w->cols + c;
            const float scale = w->scale[w->is_scale_full ? full : d];
            const float zero =
                w->zero ? ig_q_load(w->dtype, w->zero, w->is_zero_full ? full : d) : 0;
            for (int64_t r = 0; r < w->rows; r++)
                to[full * w->rows + r] =
                    (ig_q_load(w->dtype, from, (d * w->rows + r) * w->cols + c) - zero) * scale;
        }
}

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_status ref(ig_call *c)
{
    const ig_tensor *real[N_LSTM] = { 0 };
    ig_call as = *c;
    as.n_in = c->n_in < N_LSTM ? c->n_in : N_LSTM;
    for (int i = 0; i < as.n_in; i++) real[i] = c->in[i];
    for (int i = 0; i < 2; i++) {
        const ig_tensor *w = c->in[IN_W + i];
        ig_tensor *wide = NULL;
        weights read;
        IG_TRY(read_weights(w, tensor(c, IN_W_SCALE + 2 * i), tensor(c, IN_W_ZERO + 2 * i), &read,
                            c->err));
        const int64_t dims[3] = { read.n_dirs, read.cols, read.rows };
        IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, 3, dims, NULL, &wide, c->err));
        widen_weights(&read, w->data, wide->data);
        real[IN_W + i] = wide;
    }
    as.in = real;
    return ig_ref_recurrent(&as, IG_RECURRENT_LSTM);
}

/* ---- kernel ---- */

static void pack(const void *ctx, const ig_tensor *src, void *dst)
{
    widen_weights(ctx, src->data, dst);
}

/* Constant W or R becomes what LSTM's kernel reads. */
static ig_status pack_weights(ig_lower *l, int i, const ig_tensor *scale, const ig_tensor *zero)
{
    weights *w = ig_arena_get(l->arena, sizeof *w);
    const ig_tensor *t = l->in[i]->data;
    if (!w) return IG_NOMEM(l->err, sizeof *w);
    IG_TRY(read_weights(t, scale, zero, w, l->err));
    const size_t n_scales = (size_t)ig_tensor_count(scale);
    const uint64_t of_zeros = zero ? ig_hash(zero->data, (size_t)ig_tensor_count(zero), 1) : 0;
    const uint64_t key = ig_hash(scale->data, n_scales * sizeof(float), of_zeros);
    return ig_lower_pack(l, i, key, (size_t)ig_tensor_count(t) * sizeof(float), pack, w);
}

static ig_status lower(ig_lower *l)
{
    ig_info wide[2];
    const ig_info *real[N_LSTM];
    const ig_tensor *data[4] = { 0 }; /* scale and zero point of W and of R */
    for (int i = 0; i < 4; i++) {
        const ig_info *x = IN_W_SCALE + i < l->n_in ? l->in[IN_W_SCALE + i] : NULL;
        data[i] = x ? x->data : NULL;
        if (x && !data[i]) return INGOT_OK;
    }
    if (!l->in[IN_W]->data || !l->in[IN_R]->data || !data[0] || !data[2]) return INGOT_OK;
    ig_lower as = *l;
    as.n_in = real_infos(l->in, l->n_in, wide, real);
    as.in = real;
    IG_TRY(ig_lower_recurrent(&as, IG_RECURRENT_LSTM));
    if (!as.team_kernel) return INGOT_OK;
    IG_TRY(pack_weights(l, IN_W, data[0], data[1]));
    IG_TRY(pack_weights(l, IN_R, data[2], data[3]));
    l->team_kernel = as.team_kernel;
    l->kernel_name = as.kernel_name;
    l->params = as.params;
    l->n_operand_in = as.n_operand_in;
    l->n_operand_out = as.n_operand_out;
    l->scratch_bytes = as.scratch_bytes;
    l->flops = as.flops;
    return INGOT_OK;
}

static const char *const cases[] = {
    /* LSTM's first case */
    "f32[2,1,1]{1,2} i8[1,1,4]{5,-5,10,20} i8[1,1,4]{1,2,3,4} _ _ _ _ _ f32[1]{0.1} i8[1]{0} "
    "f32[1]{0.1} i8[1]{0} hidden_size=1 -> 3 = f32[2,1,1,1]{0.20277631,0.23625882} "
    "f32[1,1,1]{0.23625882} f32[1,1,1]{1.2668904}",
    /* by column: the same weights */
    "f32[2,1,1]{1,2} u8[1,1,4]{133,123,148,133} u8[1,1,4]{1,2,3,4} _ _ _ _ _ "
    "f32[1,4]{0.1,0.1,0.05,0.4} u8[1,4]{128} f32[1]{0.1} u8[1]{0} hidden_size=1 -> 3 = "
    "f32[2,1,1,1]{0.20277631,0.23625882} f32[1,1,1]{0.23625882} f32[1,1,1]{1.2668904}",
    "f32[5,3,4] c:i8[2,4,28] c:i8[2,7,28] c:f32[2,56] i32[3]{5,2,3} f32[2,3,7] f32[2,3,7] "
    "f32[2,21] c:f32[2]{0.02} c:i8[2]{1} c:f32[2,28]{0.01} c:i8[2,28]{-2} hidden_size=7 "
    "direction=\"bidirectional\" -> 3",
    "f32[5,3,4] u8[1,4,28] u8[1,7,28] _ _ _ _ _ f32[1]{0.02} u8[1]{128} f32[1]{0.01} u8[1]{128} "
    "hidden_size=7 direction=\"reverse\" -> 1",
    "f32[2,1,3] i8[1,3,8] i8[1,2,8] _ _ _ _ _ f32[3] i8[1] f32[1] i8[1] hidden_size=2 ! input 8 "
    "has 3 elements for 1 directions of 8 columns",
    "f32[2,1,3] i8[1,3,8] i8[1,2,9] _ _ _ _ _ f32[1] i8[1] f32[1] i8[1] hidden_size=2 ! R has 9 "
    "elements along axis 1, expected 8",
    "f32[2,1,3] i8[1,3,8] i8[1,2,8] _ _ _ _ _ f32[1] u8[1] f32[1] i8[1] hidden_size=2 ! input 9 "
    "is uint8, not int8",
    "f32[2,1,3] f32[1,3,8] f32[1,2,8] _ _ _ _ _ f32[1] i8[1] f32[1] i8[1] hidden_size=2 ! weights "
    "are float32",
    NULL,
};

const ig_op ig_op_dynamic_quantize_lstm = {
    .onnx = "DynamicQuantizeLSTM",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 11, 12 },
    .gaps = 31 << 3,
    .n_out = { 0, 3 },
    .types = IG_T(INGOT_FLOAT),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
