/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mat_mul_n_bits.c: com.microsoft MatMulNBits, Y = A W + bias with W of K x N in 2, 4 or 8 bits,
 * quantized in blocks along K (kernels/nbits/nbits.h has the layout). accuracy_level allows worse
 * results and is not used. g_idx names the block of each k, where that is not k / block_size. W
 * without elements stands for zeros.
 */
#include "kernels/nbits/nbits.h"
#include "ops/strided.h"

enum { IN_A, IN_B, IN_SCALES, IN_ZEROS, IN_G_IDX, IN_BIAS };

/* Sizes that the file says: far below overflow of any product of two with the bits. */
#define MAX_SIZE (INT64_C(1) << 28)

/* m is left 0, zero and has_bias are by the inputs' types. */
static ig_status read_shape(const ig_node *node, const ig_info *const *in, int n_in,
                            ig_nbits_shape *s, ig_error *err)
{
    *s = (ig_nbits_shape){ .n = ig_attr_int(node, "N", 0),
                           .k = ig_attr_int(node, "K", 0),
                           .block = ig_attr_int(node, "block_size", 0) };
    const int64_t bits = ig_attr_int(node, "bits", 4);
    if (bits != 2 && bits != 4 && bits != 8)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "bits is %lld; 2, 4 and 8 are supported",
                       (long long)bits);
    if (s->n < 1 || s->k < 1 || s->n > MAX_SIZE || s->k > MAX_SIZE)
        return ig_fail(err, INGOT_ERR_INVALID, "N is %lld and K is %lld, not within 1 to 2^28",
                       (long long)s->n, (long long)s->k);
    if (s->block < 16 || s->block > MAX_SIZE || (s->block & (s->block - 1)))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "block_size is %lld; it must be a power of two from 16 to 2^28",
                       (long long)s->block);
    if (ig_attr_int(node, "weight_prepacked", 0))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "weights are packed for one kind of device (weight_prepacked=%lld); export "
                       "them with weight_prepacked=0",
                       (long long)ig_attr_int(node, "weight_prepacked", 0));
    s->bits = (int)bits;
    if (n_in > IN_ZEROS && in[IN_ZEROS])
        s->zero =
            in[IN_ZEROS]->type.dtype == INGOT_UINT8 ? IG_NBITS_ZERO_PACKED : IG_NBITS_ZERO_FLOAT;
    s->has_bias = n_in > IN_BIAS && in[IN_BIAS];
    return INGOT_OK;
}

/* Input i must have `count` elements of this type, as far as that is known. */
static ig_status check_input(const ig_infer *c, int i, const char *what, ingot_dtype dtype,
                             int64_t count)
{
    int64_t dims[IG_MAX_RANK];
    const ig_info *x = i < c->n_in ? c->in[i] : NULL;
    if (!x) return INGOT_OK;
    if (x->type.dtype != INGOT_UNDEFINED && x->type.dtype != dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, not %s", what,
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(dtype));
    if (!ig_info_is_static(x, dims) || ig_count(x->rank, dims) == count) return INGOT_OK;
    char text[128];
    return ig_fail(
        c->err, INGOT_ERR_SHAPE, "%s is %s; N, K, block_size and bits ask for %lld elements", what,
        ig_shape_format(x->type.dtype, x->rank, x->dims, text, sizeof text), (long long)count);
}

static bool is_empty(const ig_info *x)
{
    for (int d = 0; x && d < x->rank; d++)
        if (x->dims[d] == 0) return true;
    return false;
}

static ig_status check_inputs(const ig_infer *c, const ig_nbits_shape *s)
{
    const ingot_dtype dtype = c->in[IN_A]->type.dtype;
    const int64_t n_blocks = ig_nbits_n_blocks(s);
    IG_TRY(check_input(c, IN_BIAS, "bias", dtype, s->n));
    if (is_empty(c->in[IN_B])) return INGOT_OK;
    IG_TRY(check_input(c, IN_B, "B", INGOT_UINT8, s->n * ig_nbits_column_bytes(s)));
    IG_TRY(check_input(c, IN_SCALES, "scales", dtype, s->n * n_blocks));
    const bool is_packed = s->zero == IG_NBITS_ZERO_PACKED;
    IG_TRY(check_input(c, IN_ZEROS, "zero_points", is_packed ? INGOT_UINT8 : dtype,
                       s->n * (is_packed ? ig_nbits_zero_bytes(s) : n_blocks)));
    const ig_info *g_idx = c->n_in > IN_G_IDX ? c->in[IN_G_IDX] : NULL;
    if (!g_idx) return INGOT_OK;
    /* some exporters fill up the last block */
    const bool is_full = g_idx->rank == 1 && g_idx->dims[0] == n_blocks * s->block;
    return check_input(c, IN_G_IDX, "g_idx", INGOT_INT32, is_full ? n_blocks * s->block : s->k);
}

static ig_status infer(ig_infer *c)
{
    ig_nbits_shape s;
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(read_shape(c->node, c->in, c->n_in, &s, c->err));
    IG_TRY(check_inputs(c, &s));
    const ig_info *a = c->in[IN_A];
    c->out[0].type.dtype = a->type.dtype;
    if (a->rank < 0) return INGOT_OK;
    if (a->rank < 1) return ig_fail(c->err, INGOT_ERR_SHAPE, "A is a scalar");
    for (int d = 0; d < a->rank; d++) dims[d] = a->dims[d];
    if (ig_dim_is_const(dims[a->rank - 1]) && dims[a->rank - 1] != s.k)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "inner dimensions are %lld and %lld",
                       (long long)dims[a->rank - 1], (long long)s.k);
    dims[a->rank - 1] = s.n;
    ig_info_set_shape(&c->out[0], a->type.dtype, a->rank, dims);
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct ref_job {
    ig_nbits_shape s;
    const float *a, *scales, *bias;
    const uint8_t *w; /* NULL: zeros */
    const void *zeros;
    const int32_t *g_idx;
    float *y;
} ref_job;

static double weight(const ref_job *j, int64_t n, int64_t k)
{
    const ig_nbits_shape *s = &j->s;
    const int64_t n_blocks = ig_nbits_n_blocks(s), b = j->g_idx ? j->g_idx[k] : k / s->block;
    double zero = 1 << (s->bits - 1);
    if (s->zero == IG_NBITS_ZERO_PACKED)
        zero = ig_nbits_get((const uint8_t *)j->zeros + n * ig_nbits_zero_bytes(s), b, s->bits);
    else if (s->zero == IG_NBITS_ZERO_FLOAT)
        zero = (double)((const float *)j->zeros)[n * n_blocks + b];
    return ((double)ig_nbits_get(j->w + n * ig_nbits_column_bytes(s), k, s->bits) - zero) *
           (double)j->scales[n * n_blocks + b];
}

/* Columns of Y. */
static void ref_columns(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_nbits_shape *s = &j->s;
    for (int64_t n = part.begin; n < part.end; n++)
        for (int64_t m = 0; m < s->m; m++) {
            double sum = j->bias ? (double)j->bias[n] : 0;
            for (int64_t k = 0; j->w && k < s->k; k++)
                sum += (double)j->a[m * s->k + k] * weight(j, n, k);
            j->y[m * s->n + n] = (float)sum;
        }
}

static ig_status check_g_idx(const ig_call *c, const ref_job *j)
{
    for (int64_t k = 0; j->g_idx && k < j->s.k; k++)
        if (j->g_idx[k] < 0 || j->g_idx[k] >= ig_nbits_n_blocks(&j->s))
            return ig_fail(c->err, INGOT_ERR_INVALID, "g_idx[%lld] is %d; there are %lld blocks",
                           (long long)k, j->g_idx[k], (long long)ig_nbits_n_blocks(&j->s));
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_info infos[IN_BIAS + 1], out;
    const ig_info *in[IN_BIAS + 1];
    ig_infer known = { 0 };
    ref_job j = { 0 };
    IG_TRY(ig_call_ready(c));
    ig_infer_of_call(c, infos, in, IN_BIAS + 1, &known);
    known.out = &out;
    IG_TRY(read_shape(c->node, in, known.n_in, &j.s, c->err));
    IG_TRY(check_inputs(&known, &j.s));
    j.s.m = ig_tensor_count(c->in[IN_A]) / j.s.k;
    j.a = c->in[IN_A]->data;
    j.w = ig_tensor_count(c->in[IN_B]) ? c->in[IN_B]->data : NULL;
    j.scales = c->in[IN_SCALES]->data;
    if (c->n_in > IN_ZEROS && c->in[IN_ZEROS]) j.zeros = c->in[IN_ZEROS]->data;
    if (c->n_in > IN_G_IDX && c->in[IN_G_IDX]) j.g_idx = c->in[IN_G_IDX]->data;
    if (j.s.has_bias) j.bias = c->in[IN_BIAS]->data;
    j.y = c->out[0]->data;
    if (j.w) IG_TRY(check_g_idx(c, &j));
    ig_team_run(c->team, ref_columns, &j, j.s.n, 8);
    return INGOT_OK;
}

/* ---- kernel ---- */

static ig_status lower(ig_lower *l)
{
    static const int8_t inputs[] = { IN_A, IN_B, IN_SCALES, IN_ZEROS, IN_BIAS };
    int64_t a[IG_MAX_RANK], b[IG_MAX_RANK];
    ig_nbits_shape s;
    if (l->in[IN_A]->type.dtype != INGOT_FLOAT || (l->n_in > IN_G_IDX && l->in[IN_G_IDX]))
        return INGOT_OK;
    IG_TRY(read_shape(l->node, l->in, l->n_in, &s, l->err));
    if (!ig_info_is_static(l->in[IN_A], a) || !ig_info_is_static(l->in[IN_B], b) ||
        is_empty(l->in[IN_B]))
        return INGOT_OK;
    s.m = ig_count(l->in[IN_A]->rank, a) / s.k;
    if (s.m < 1) return INGOT_OK;
    ig_nbits_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_nbits_plan(&s, l->isa, p, l->err));
    l->kernel = ig_k_nbits;
    l->kernel_name = "ig_k_nbits_f32";
    l->params = p;
    l->operand_inputs = inputs;
    l->n_operand_in = IG_COUNT(inputs);
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t y[IG_MAX_RANK];
    (void)in;
    if (!ig_info_is_static(&out[0], y)) return 0;
    return 2 * ig_attr_int(node, "K", 0) * ig_count(out[0].rank, y);
}

static const char *const cases[] = {
    /* q - 8: 1 at even k, -1 at odd k */
    "f32[1,16]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17} u8[1,1,8]{121} f32[1,1]{0.5} N=1 K=16 "
    "block_size=16 = f32[1,1]{-4.5}",
    "f32[1,32] c:u8[5,2,8] c:f32[5,2] c:u8[5,1] N=5 K=32 block_size=16 bits=4",
    "f32[2,3,40] c:u8[7,3,8] c:f32[7,3] c:u8[7,2] _ c:f32[7] N=7 K=40 block_size=16 bits=4",
    "f32[3,40] c:u8[19,2,16] c:f32[19,2] N=19 K=40 block_size=32 accuracy_level=4",
    "f32[1,70] c:u8[33,3,32] c:f32[33,3] c:u8[33,3] N=33 K=70 block_size=32 bits=8",
    "f32[9,70] c:u8[83,3,32] c:f32[83,3] c:u8[83,3] _ c:f32[83] N=83 K=70 block_size=32 bits=8",
    "f32[1,130] u8[6,9,4] f32[6,9] u8[6,3] N=6 K=130 block_size=16 bits=2",
    "f32[6,130] u8[70,9,4] f32[70,9] N=70 K=130 block_size=16 bits=2",
    "f32[5,64] c:u8[6,2,16] c:f32[6,2] c:f32[6,2] N=6 K=64 block_size=32",
    "f32[1,64] c:u8[6,2,16] c:f32[6,2] c:f32[6,2] N=6 K=64 block_size=32",
    "f32[1,32] c:u8[2,2,8] c:f32[4] c:u8[2] N=2 K=32 block_size=16",
    "f16[3,32] c:u8[5,2,8] c:f16[5,2] c:u8[5,1] _ c:f16[5] N=5 K=32 block_size=16",
    "bf16[1,32] c:u8[5,2,8] c:bf16[5,2] N=5 K=32 block_size=16",
    "f32[1,32] c:u8[2,2,8] c:f32[2,2] _ "
    "c:i32[32]{0,1,0,1,1,0,0,1,1,0,1,0,0,1,1,0,0,1,0,1,1,0,0,1,1,0,1,0,0,1,1,0} N=2 K=32 "
    "block_size=16",
    "f32[0,32] c:u8[5,2,8] c:f32[5,2] N=5 K=32 block_size=16",
    "f32[2,32] c:u8[5,0,8] c:f32[0] _ _ f32[5]{1,2,3,4,5} N=5 K=32 block_size=16 = "
    "f32[2,5]{1,2,3,4,5,1,2,3,4,5}",
    "f32[1,16] u8[1,1,8] f32[1,1] _ i32[16]{1} N=1 K=16 block_size=16 ! g_idx[0] is 1; there are 1",
    "f32[1,32] u8[5,2,7] f32[5,2] N=5 K=32 block_size=16 ! B is uint8[5,2,7]; N, K, block_size and "
    "bits "
    "ask for 80 elements",
    "f32[1,32] u8[5,2,8] f32[5,3] N=5 K=32 block_size=16 ! scales is float32[5,3]",
    "f32[1,32] u8[5,2,8] f32[5,2] u8[5,2] N=5 K=32 block_size=16 ! zero_points is uint8[5,2]",
    "f32[1,32] u8[5,2,8] f32[5,2] _ _ f32[4] N=5 K=32 block_size=16 ! bias is float32[4]",
    "f32[1,31] u8[5,2,8] f32[5,2] N=5 K=32 block_size=16 ! inner dimensions are 31 and 32",
    "f32[1,32] u8[5,2,8] f32[5,2] N=5 K=32 block_size=24 ! a power of two",
    "f32[1,32] u8[5,2,8] f32[5,2] N=5 K=32 block_size=16 bits=3 ! bits is 3",
    "f32[1,32] u8[5,2,8] f32[5,2] N=9223372036854775807 K=32 block_size=16 ! not within 1 to 2^28",
    "f32[1,32] u8[5,2,8] f32[5,2] N=5 K=32 block_size=16 weight_prepacked=1 ! weight_prepacked=0",
    NULL,
};

const ig_op ig_op_mat_mul_n_bits = {
    .onnx = "MatMulNBits",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 6 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = flops,
    .cases = cases,
};
