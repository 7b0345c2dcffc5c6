/* SPDX-License-Identifier: Apache-2.0 */
/* plain_conv.c: move to channels last, convolve, move back. */
#include "ops/plain_conv.h"

#include "kernels/move/move.h"

enum { IN_X, IN_W, IN_BIAS, OPERAND_Y = 4, OPERAND_SCRATCH };

typedef struct plain_params {
    ig_move_params to_last, to_plain;
    ig_kernel_fn move_in, move_out, conv;
    const void *conv_params;
    int64_t conv_work, conv_grain;
    size_t x_bytes, y_bytes;
} plain_params;

typedef struct stage {
    ig_kernel_fn fn;
    const void *params;
    void *const *operands;
} stage;

static void run_stage(void *ctx, ig_part part)
{
    const stage *s = ctx;
    s->fn(s->params, s->operands, part);
}

static void conv_plain(const void *params, void *const *operands, ig_team *team)
{
    const plain_params *p = params;
    uint8_t *scratch = operands[OPERAND_SCRATCH];
    void *x = scratch, *y = scratch + p->x_bytes, *rest = scratch + p->x_bytes + p->y_bytes;
    void *const in[] = { operands[IN_X], x };
    void *const mid[] = { x, operands[IN_W], operands[IN_BIAS], NULL, y, rest };
    void *const out[] = { y, operands[OPERAND_Y] };
    ig_team_run(team, run_stage, &(stage){ p->move_in, &p->to_last, in }, p->to_last.n_work,
                p->to_last.grain);
    ig_team_run(team, run_stage, &(stage){ p->conv, p->conv_params, mid }, p->conv_work,
                p->conv_grain);
    ig_team_run(team, run_stage, &(stage){ p->move_out, &p->to_plain, out }, p->to_plain.n_work,
                p->to_plain.grain);
}

ig_status ig_lower_plain_conv(ig_lower *l, ig_status (*lower_last)(ig_lower *l, const void *ctx),
                              const void *ctx)
{
    const int rank = l->in[IN_X]->rank;
    int to_last[IG_MAX_RANK], to_plain[IG_MAX_RANK];
    int64_t x[IG_MAX_RANK], y[IG_MAX_RANK], y_last[IG_MAX_RANK];
    ig_move_shape move;
    plain_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    if (!ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(&l->out[0], y)) return INGOT_OK;
    for (int d = 0; d < rank; d++) {
        to_last[d] = d == 0 ? 0 : d == rank - 1 ? 1 : d + 1;
        to_plain[d] = d == 0 ? 0 : d == 1 ? rank - 1 : d - 1;
        y_last[d] = y[to_last[d]];
    }
    ig_move_shape_transpose(&move, rank, x, to_last, sizeof(float));
    IG_TRY(ig_move_plan(&move, l->isa, &p->to_last, &p->move_in, l->err));
    ig_move_shape_transpose(&move, rank, y_last, to_plain, sizeof(float));
    IG_TRY(ig_move_plan(&move, l->isa, &p->to_plain, &p->move_out, l->err));
    IG_TRY(lower_last(l, ctx));
    p->conv = l->kernel;
    p->conv_params = l->params;
    p->conv_work = l->n_work;
    p->conv_grain = l->grain;
    p->x_bytes = ig_align_up((size_t)ig_count(rank, x) * sizeof(float), 64);
    p->y_bytes = ig_align_up((size_t)ig_count(rank, y) * sizeof(float), 64);
    l->scratch_bytes += p->x_bytes + p->y_bytes;
    l->params = p;
    l->kernel = NULL;
    l->team_kernel = conv_plain;
    l->kernel_name = ig_arena_printf(l->arena, "%s_plain", l->kernel_name);
    return INGOT_OK;
}
