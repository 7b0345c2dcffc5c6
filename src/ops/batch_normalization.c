/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_normalization.c: y = (x - mean) / sqrt(var + epsilon) scale + bias, one mean, var, scale
 * and bias a channel (axis 1, or the last with channels_last=1). spatial=0 (before opset 9) has one
 * for each element of a sample. training_mode=1 (opset 14 on) takes mean and var of the batch and
 * returns running ones, mixed by `momentum`. Before that, training was asked for by is_test=0 or
 * outputs 1 to 4: this engine then infers, and refuses the outputs.
 */
#include "ops/broadcast.h"

/* 1: x scale + bias of the folded constants. Otherwise scale and bias come from two more. */
IG_PRIM3(batch_normalization, a *b + c)
IG_PRIM2(batch_normalization_scale, a / vf_sqrt(b + p0))
IG_PRIM3(batch_normalization_shift, c - a * b)

#ifdef IG_BASE
#include <math.h>
#include <string.h>

static bool is_training(const ig_node *node)
{
    return node->opset >= 14 && ig_attr_int(node, "training_mode", 0) != 0;
}

static bool is_spatial(const ig_node *node)
{
    return node->opset >= 9 || ig_attr_int(node, "spatial", 1) != 0;
}

static int channel_axis(const ig_node *node, int rank)
{
    if (rank < 2) return -1; /* one channel */
    return ig_attr_int(node, "channels_last", 0) ? rank - 1 : 1;
}

/* ---- inference ---- */

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0];
    const int axis = x->rank < 0 ? -1 : channel_axis(c->node, x->rank);
    IG_TRY(ig_infer_same(c));
    for (int i = 1; i < 5; i++) {
        const ig_info *p = c->in[i];
        if (p->rank < 0 || axis < 0 || !is_spatial(c->node)) continue;
        if (p->rank != 1)
            return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "input %d has rank %d, not 1", i, p->rank);
        if (ig_dim_is_const(p->dims[0]) && ig_dim_is_const(x->dims[axis]) &&
            p->dims[0] != x->dims[axis])
            return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "input %d has %lld elements for %lld channels", i,
                              (long long)p->dims[0], (long long)x->dims[axis]);
    }
    for (int i = 1; i < c->n_out; i++) {
        if (c->node->outputs[i] != IG_NONE && !is_training(c->node))
            return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "output %d is one of training", i);
        c->out[i].type = c->in[3]->type;
        ig_info_set_shape(&c->out[i], c->in[3]->type.dtype, c->in[3]->rank, c->in[3]->dims);
    }
    return INGOT_OK;
}

/* ---- reference ---- */

/* The input as [outer, channels, inner]. */
typedef struct layout {
    int64_t outer, channels, inner;
} layout;

static layout layout_of(const ig_node *node, int rank, const int64_t *dims)
{
    layout v = { 1, 1, 1 };
    const int axis = channel_axis(node, rank);
    if (!is_spatial(node)) { /* one channel an element of the sample */
        for (int d = 0; d < rank; d++) *(d ? &v.channels : &v.outer) *= dims[d];
        return v;
    }
    for (int d = 0; d < rank; d++)
        *(d == axis ? &v.channels : d < axis ? &v.outer : &v.inner) *= dims[d];
    return v;
}

static double param(const ig_call *c, int i, int64_t k)
{
    return ig_get_f64(c->in[i]->dtype, c->in[i]->data, k);
}

static void batch_statistics(const ig_tensor *x, layout v, int64_t k, double *mean, double *var)
{
    const int64_t n = v.outer * v.inner;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (i / v.inner * v.channels + k) * v.inner + i % v.inner;
        sum += ig_get_f64(x->dtype, x->data, at);
    }
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (i / v.inner * v.channels + k) * v.inner + i % v.inner;
        const double d = ig_get_f64(x->dtype, x->data, at) - *mean;
        squares += d * d;
    }
    *var = squares / (double)n;
}

static void set_running(ig_call *c, int i, int64_t k, double old, double batch)
{
    const double momentum = (double)ig_attr_float(c->node, "momentum", 0.9f);
    if (i < c->n_out && c->out[i])
        ig_set_f64(c->out[i]->dtype, c->out[i]->data, k, old * momentum + batch * (1 - momentum));
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f);
    const layout v = layout_of(c->node, x->rank, x->dims);
    for (int i = 1; i < 5; i++)
        if (ig_tensor_count(c->in[i]) != v.channels)
            return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "input %d has %lld elements for %lld channels", i,
                              (long long)ig_tensor_count(c->in[i]), (long long)v.channels);
    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    for (int i = 1; i < c->n_out && i < 3; i++)
        IG_TRY(ig_call_output(c, i, c->in[3]->dtype, 1, &v.channels));
    for (int64_t k = 0; k < v.channels; k++) {
        double mean = param(c, 3, k), var = param(c, 4, k);
        if (is_training(c->node)) {
            const double old_mean = mean, old_var = var;
            batch_statistics(x, v, k, &mean, &var);
            set_running(c, 1, k, old_mean, mean);
            set_running(c, 2, k, old_var, var);
        }
        const double scale = param(c, 1, k) / sqrt(var + epsilon), bias = param(c, 2, k);
        for (int64_t i = 0; c->out[0] && i < v.outer * v.inner; i++) {
            const int64_t at = (i / v.inner * v.channels + k) * v.inner + i % v.inner;
            const double a = ig_get_f64(x->dtype, x->data, at);
            ig_set_f64(x->dtype, c->out[0]->data, at, (a - mean) * scale + bias);
        }
    }
    return INGOT_OK;
}

/* ---- folded scale and shift ---- */

typedef struct folding {
    const ig_tensor *in[4]; /* scale, bias, mean, var */
    double epsilon;
    int64_t n;
} folding;

static bool folding_of(const ig_node *node, const ig_info *const *in, folding *f)
{
    f->epsilon = (double)ig_attr_float(node, "epsilon", 1e-5f);
    if (is_training(node) || !is_spatial(node)) return false;
    for (int i = 0; i < 4; i++) {
        f->in[i] = in[i + 1] ? in[i + 1]->data : NULL;
        if (!f->in[i]) return false;
        const int64_t n = ig_tensor_count(f->in[i]);
        if (i > 0 && n != f->n) return false;
        f->n = n;
    }
    return true;
}

static double fold_scale(const folding *f, int64_t k)
{
    return ig_get_f64(f->in[0]->dtype, f->in[0]->data, k) /
           sqrt(ig_get_f64(f->in[3]->dtype, f->in[3]->data, k) + f->epsilon);
}

static double fold_shift(const folding *f, int64_t k)
{
    return ig_get_f64(f->in[1]->dtype, f->in[1]->data, k) -
           ig_get_f64(f->in[2]->dtype, f->in[2]->data, k) * fold_scale(f, k);
}

static bool channel_affine(const ig_node *node, const ig_info *const *in, ig_arena *arena,
                           float **scale, float **shift, int64_t *n)
{
    folding f;
    /* Whoever asks works on axis 1. */
    if (ig_attr_int(node, "channels_last", 0) || !folding_of(node, in, &f)) return false;
    *n = f.n;
    *scale = ig_arena_array(arena, (size_t)f.n, sizeof **scale);
    *shift = ig_arena_array(arena, (size_t)f.n, sizeof **shift);
    if (!*scale || !*shift) return false;
    for (int64_t k = 0; k < f.n; k++) {
        (*scale)[k] = (float)fold_scale(&f, k);
        (*shift)[k] = (float)fold_shift(&f, k);
    }
    return true;
}

/* ---- lowering ---- */

static void pack_scale(const void *ctx, const ig_tensor *src, void *dst)
{
    const folding *f = ctx;
    (void)src;
    for (int64_t k = 0; k < f->n; k++) ((float *)dst)[k] = (float)fold_scale(f, k);
}

static void pack_shift(const void *ctx, const ig_tensor *src, void *dst)
{
    const folding *f = ctx;
    (void)src;
    for (int64_t k = 0; k < f->n; k++) ((float *)dst)[k] = (float)fold_shift(f, k);
}

/* FNV-1a: scale and bias constants may be shared by nodes with other statistics. */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
    return h;
}

static uint64_t folding_key(const folding *f)
{
    uint64_t h = hash(0xcbf29ce484222325u, &f->epsilon, sizeof f->epsilon);
    for (int i = 0; i < 4; i++) {
        size_t bytes = 0;
        if (ig_tensor_bytes(f->in[i], &bytes)) h = hash(h, f->in[i]->data, bytes);
    }
    return h;
}

IG_PRIM_DECLARE(batch_normalization)
IG_PRIM_DECLARE(batch_normalization_scale)
IG_PRIM_DECLARE(batch_normalization_shift)
static const ig_prim affine = IG_PRIM_TABLE(batch_normalization, 3);
static const ig_prim prim_scale = IG_PRIM_TABLE(batch_normalization_scale, 2);
static const ig_prim prim_shift = IG_PRIM_TABLE(batch_normalization_shift, 3);

static ig_status lower_folded(ig_lower *l, const folding *f, ig_eltwise_program *program)
{
    const size_t bytes = (size_t)f->n * sizeof(float);
    const uint64_t key = folding_key(f);
    IG_TRY(ig_lower_pack(l, 1, key, bytes, pack_scale, f));
    IG_TRY(ig_lower_pack(l, 2, key ^ 1, bytes, pack_shift, f));
    program->n_in = 3;
    program->n_instrs = 1;
    program->in[1].dtype = program->in[2].dtype = INGOT_FLOAT;
    program->instrs[0] = (ig_eltwise_instr){ .prim = &affine, .dst = 3, .src = { 0, 1, 2 } };
    program->out_reg[0] = 3;
    return ig_lower_program(l, program, affine.name);
}

static ig_status lower(ig_lower *l)
{
    const ig_info *x = l->in[0];
    const int axis = channel_axis(l->node, x->rank);
    int64_t dims[IG_MAX_RANK];
    folding f;
    if (is_training(l->node) || !is_spatial(l->node) || axis < 0 || l->n_in < 5) return INGOT_OK;
    if (!affine.fn[l->isa] || !ig_info_is_static(x, dims)) return INGOT_OK;
    ig_eltwise_program program = { .n_out = 1 };
    for (int i = 0; i < 5; i++) {
        if (!ig_is_float_operand(l->in[i])) return INGOT_OK;
        ig_eltwise_set_operand(&program.in[i], l->in[i]);
        if (i == 0) continue;
        /* [channels, 1, …] */
        program.in[i].rank = x->rank - axis;
        for (int d = 0; d < program.in[i].rank; d++) program.in[i].dims[d] = d ? 1 : x->dims[axis];
    }
    ig_eltwise_set_operand(&program.out[0], &l->out[0]);
    if (folding_of(l->node, l->in, &f)) return lower_folded(l, &f, &program);
    program.n_in = 5;
    program.n_instrs = 3;
    program.instrs[0] = (ig_eltwise_instr){
        .prim = &prim_scale,
        .dst = 5,
        .src = { 1, 4, -1 },
        .params = { ig_attr_float(l->node, "epsilon", 1e-5f) },
    };
    program.instrs[1] = (ig_eltwise_instr){ .prim = &prim_shift, .dst = 6, .src = { 3, 5, 2 } };
    program.instrs[2] = (ig_eltwise_instr){ .prim = &affine, .dst = 7, .src = { 0, 5, 6 } };
    program.out_reg[0] = 7;
    return ig_lower_program(l, &program, affine.name);
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    const int axis = channel_axis(node, rank);
    if (axis < 0 || !is_spatial(node)) return false;
    if (perm[rank - 1] == axis) return ig_node_set_int(g, node, "channels_last", 1);
    if (perm[1] != axis) return false;
    ig_node_remove_attr(node, "channels_last");
    return true;
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)node, (void)in;
    return 2 * ig_count(out[0].rank, out[0].dims);
}

static const char *const cases[] = {
    "f32[1,2,2]{1,2,3,4} f32[2]{1,2} f32[2]{0,1} f32[2]{1,0} f32[2]{3,0.99} epsilon=1.0 = "
    "f32[1,2,2]{0,0.5,5.2532872,6.6710496}",
    "f32[2,3,4,5] c:f32[3] c:f32[3] c:f32[3] c:f32[3]{1,2,3}",
    "f32[2,3,4,5] f32[3] f32[3] f32[3] f32[3]{1,2,3}",
    "f32[2,4,5,3] c:f32[3] c:f32[3] c:f32[3] c:f32[3]{1,2,3} channels_last=1",
    "f32[2,4,5,3] f32[3] f32[3] f32[3] f32[3]{1,2,3} channels_last=1",
    "f32[4,3] c:f32[3] c:f32[3] c:f32[3] c:f32[3]{1,2,3} @7",
    "f32[2,3,2] f32[3] f32[3] f32[3] f32[3]{1,2,3} @6 is_test=1",
    "f32[2,2,2] f32[2,2] f32[2,2] f32[2,2] f32[2,2]{1} @7 spatial=0",
    "f64[2,3,4] f64[3] f64[3] f64[3] f64[3]{1}",
    "f16[2,3,4] f16[3] f16[3] f16[3] f16[3]{1}",
    "f16[2,3,4] f16[3] f16[3] f32[3] f32[3]{1} @15",
    "f32[2,1,2]{1,2,3,6} f32[1]{1} f32[1]{0} f32[1]{1} f32[1]{2} training_mode=1 epsilon=0.5 "
    "momentum=0.5 -> 3 = f32[2,1,2]{-1,-0.5,0,1.5} f32[1]{2} f32[1]{2.75}",
    "f32[0,3,4] f32[3] f32[3] f32[3] f32[3]",
    "f32[2,3,4] f32[2] f32[3] f32[3] f32[3] ! channels",
    "f32[2,3,4] f32[3] f32[3] f32[3] f32[3] @7 -> 5 ! training",
    NULL
};

const ig_op ig_op_batch_normalization = { .onnx = "BatchNormalization",
                                          .since = { 1, 6, 7, 9, 14, 15 },
                                          .n_in = { 5, 5 },
                                          .n_out = { 1, 5 },
                                          .types = IG_T_FLOATS,
                                          .flags = IG_INPLACE | IG_CHANNELS_LAST | IG_OWN_HALF,
                                          .infer = infer,
                                          .ref = ref,
                                          .lower = lower,
                                          .channel_affine = channel_affine,
                                          .permute = permute,
                                          .flops = flops,
                                          .cases = cases };
#endif
