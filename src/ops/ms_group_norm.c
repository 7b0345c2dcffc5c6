/* SPDX-License-Identifier: Apache-2.0 */
/* ms_group_norm.c: com.microsoft GroupNorm: GroupNormalization, with channels last unless the node
 * says otherwise, then SiLU if activation is 1. */
#include "ops/op.h"

#ifndef IG_BASE

/* x *= sigmoid(x) */
void IG_KERNEL(ig_k_silu_in_place_f32)(float *x, int64_t n);
void IG_KERNEL(ig_k_silu_in_place_f32)(float *x, int64_t n)
{
    for (; n >= IG_VF; n -= IG_VF, x += IG_VF) {
        const vf v = vf_load(x);
        vf_store(x, v * vf_sigmoid(v));
    }
    const vf v = vf_load_n(x, (int)n);
    vf_store_n(x, v * vf_sigmoid(v), (int)n);
}

#else

#include "kernels/isa_table.h"
#include "ops/activated_norm.h"
#include "ops/channel_norm.h"

#define BLOCK 4096

IG_ISA_DECLARE(void, ig_k_silu_in_place_f32, (float *, int64_t))
typedef void (*silu_fn)(float *, int64_t);
static const silu_fn silu[IG_N_ISAS] = IG_ISA_TABLE(ig_k_silu_in_place_f32);

static ig_status infer(ig_infer *c)
{
    const ig_node *const node = c->node;
    IG_TRY(ig_activated_norm_node(node, c->arena, &c->node, c->err));
    const ig_status status = ig_infer_channel_norm(c, ig_attr_int(node, "groups", 0), false);
    c->node = node;
    return status;
}

static ig_status ref(ig_call *c)
{
    const ig_node *const node = c->node;
    IG_TRY(ig_activated_norm_node(node, c->scratch, &c->node, c->err));
    const ig_status status = ig_ref_channel_norm(c, ig_attr_int(node, "groups", 0), false);
    c->node = node;
    if (status == INGOT_OK) ig_activated_norm_finish(node, c->out[0]);
    return status;
}

/* The norm, then its activation in place. */
typedef struct two_steps {
    ig_kernel_fn norm;
    const void *params;
    int64_t n_work, grain, n;
    silu_fn silu;
} two_steps;

typedef struct job {
    const two_steps *p;
    void *const *operands;
} job;

static void run_norm(void *ctx, ig_part part)
{
    const job *j = ctx;
    j->p->norm(j->p->params, j->operands, part);
}

static void run_silu(void *ctx, ig_part part)
{
    const job *j = ctx;
    const int64_t begin = part.begin * BLOCK;
    const int64_t end = part.end * BLOCK < j->p->n ? part.end * BLOCK : j->p->n;
    j->p->silu((float *)j->operands[3] + begin, end - begin);
}

static void k_group_norm_silu(const void *params, void *const *operands, ig_team *team)
{
    job j = { .p = params, .operands = operands };
    ig_team_run(team, run_norm, &j, j.p->n_work, j.p->grain);
    ig_team_run(team, run_silu, &j, (j.p->n + BLOCK - 1) / BLOCK, 2);
}

static ig_status lower(ig_lower *l)
{
    const ig_node *const node = l->node;
    int64_t dims[IG_MAX_RANK];
    IG_TRY(ig_activated_norm_node(node, l->arena, &l->node, l->err));
    const ig_status status = ig_lower_channel_norm(l, ig_attr_int(node, "groups", 0), false);
    l->node = node;
    if (status || !l->kernel || !ig_attr_int(node, "activation", 0)) return status;
    if (!ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    two_steps *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    *p = (two_steps){ .norm = l->kernel,
                      .params = l->params,
                      .n_work = l->n_work,
                      .grain = l->grain,
                      .n = ig_count(l->in[0]->rank, dims),
                      .silu = IG_ISA_PICK(silu, l->isa) };
    l->kernel = NULL;
    l->team_kernel = k_group_norm_silu;
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_group_norm_silu_f32__%s", ig_isa_name(l->isa));
    l->params = p;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,6} f32[2]{1,2} f32[2]{0,1} groups=2 activation=0 epsilon=0.0 = "
    "f32[1,1,2,2]{-1,-1,1,3}",
    "f32[1,1,2,2]{1,2,3,6} f32[2]{1,2} f32[2]{0,1} groups=2 activation=1 epsilon=0.0 = "
    "f32[1,1,2,2]{-0.26894142,-0.26894142,0.73105858,2.8577224}",
    "f32[1,4,1,1]{1,3,2,6} f32[4]{1,1,1,2} f32[4]{0,0,1,0} groups=2 activation=0 channels_last=0 "
    "epsilon=0.0 = f32[1,4,1,1]{-1,1,0,2}",
    "f32[2,4,5,6] f32[6] f32[6] groups=3 activation=1",
    "f32[2,6,40,50] f32[6] f32[6] groups=2 activation=1 channels_last=0",
    "f16[2,3,4,6] f32[6] f32[6] groups=3 activation=1",
    "f32[0,4,5,6] f32[6] f32[6] groups=3 activation=1",
    "f32[2,4,5,6] f32[6] f32[6] groups=4 activation=0 ! do not make 4 groups",
    "f32[2,4,5,6] f32[6] f32[6] groups=2 activation=2 ! activation is 2",
    "f32[2,4,5,6] f32[6] f32[6] activation=1 ! groups is missing",
    NULL,
};

const ig_op ig_op_ms_group_norm = {
    .onnx = "GroupNorm",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};

#endif
