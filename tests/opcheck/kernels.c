/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: what lowering chooses at every instruction set, against the reference. */
#include <stdio.h>
#include <string.h>

#include "opcheck.h"

#define N_THREADS 3
#define SCRATCH_ALIGN_BYTES 64

/* ---- lowering by hand ---- */

ig_status oc_step_open(oc_step *s, oc_env *env, ig_graph *g, oc_consts consts, ig_isa isa,
                       ig_error *err)
{
    ig_info infos[OC_MAX_OPERANDS], out[OC_MAX_OPERANDS];
    const ig_info *in[OC_MAX_OPERANDS];
    const ig_node *node = g->nodes[0];
    *s = (oc_step){ 0 };
    ig_arena_init(&s->arena, &env->alloc, INGOT_MEM_PLAN);
    IG_TRY(ig_plan_init(&s->plan, &env->alloc, g, isa, NULL, NULL, 0, err));
    oc_infos(env->c, consts, false, infos, in);
    IG_TRY(ig_op_infer(node, in, out, &env->dims, &env->arena, err));
    for (int i = 0; i < env->c->n_out; i++)
        if (out[i].type.kind != INGOT_KIND_TENSOR || out[i].type.dtype == INGOT_STRING ||
            !ig_info_is_static(&out[i], NULL))
            return INGOT_OK; /* the run lowers it, if at all */
    return ig_step_lower(&s->plan, node, in, out, N_THREADS, &s->arena, &s->step, &s->sharing, err);
}

void oc_step_close(oc_step *s)
{
    ig_arena_deinit(&s->arena);
    ig_plan_deinit(&s->plan);
}

static bool make_outputs(oc_env *env, oc_guard *guard, ig_tensor **out, void *overwritten)
{
    for (int i = 0; i < env->c->n_out; i++) {
        size_t bytes = 0;
        out[i] = ig_arena_copy(&env->arena, env->reference[i], sizeof **out);
        if (!out[i] || !ig_tensor_bytes(out[i], &bytes)) return false;
        const size_t size = ig_dtype_size(out[i]->dtype);
        out[i]->data = i == 0 && overwritten ? overwritten : oc_guard_get(guard, bytes, size);
        if (!out[i]->data) return false;
    }
    return true;
}

bool oc_step_operands(oc_step *s, oc_env *env, oc_guard *guard, int in_place, ig_tensor **out)
{
    ig_step *step = &s->step;
    const oc_case *c = env->c;
    void *copies[OC_MAX_OPERANDS] = { 0 };
    step->n_operands = step->n_operand_in + step->n_operand_out + 1;
    if (step->n_operands > IG_COUNT(s->operands)) return false;
    step->operands = s->operands;
    memset(s->operands, 0, sizeof s->operands);
    for (int i = 0; i < c->n_in; i++)
        if (!c->in[i].is_absent && !(copies[i] = oc_guarded_copy(guard, c->in[i].value)))
            return false;
    for (uint32_t k = 0; k < step->n_operand_in; k++) {
        const uint32_t i = ig_step_input_of(step, k);
        if (i == IG_NONE) continue;
        s->operands[k] = copies[i];
        if (step->operand_const && step->operand_const[i])
            s->operands[k] = (void *)(uintptr_t)step->operand_const[i];
    }
    if (!make_outputs(env, guard, out, in_place >= 0 ? copies[in_place] : NULL)) return false;
    for (int i = 0; i < c->n_out; i++) s->operands[step->n_operand_in + (uint32_t)i] = out[i]->data;
    if (step->scratch_bytes)
        s->operands[step->n_operands - 1] =
            oc_guard_get(guard, step->scratch_bytes, SCRATCH_ALIGN_BYTES);
    return true;
}

/* ---- running ---- */

enum { IN_ONE, IN_ODD_PARTS, IN_PARTS_BACKWARDS, N_SPLITS };
static const char *const split_names[] = { "", ", odd parts", ", parts backwards" };

static void run(const ig_step *step, int split)
{
    if (step->team_kernel) {
        step->team_kernel(step->params, step->operands, NULL);
        return;
    }
    if (split == IN_ONE) {
        step->kernel(step->params, step->operands, (ig_part){ 0, step->n_work, 0 });
        return;
    }
    const int64_t piece = step->grain * (split == IN_ODD_PARTS ? 3 : 1);
    const int64_t n = (step->n_work + piece - 1) / piece;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (split == IN_PARTS_BACKWARDS ? n - 1 - i : i) * piece;
        const int64_t end = at + piece < step->n_work ? at + piece : step->n_work;
        step->kernel(step->params, step->operands, (ig_part){ at, end, (int)(i % N_THREADS) });
    }
}

static bool same_bits(const ig_tensor *a, const ig_tensor *b)
{
    size_t bytes = 0;
    return ig_tensor_bytes(a, &bytes) && (!bytes || !memcmp(a->data, b->data, bytes));
}

static bool inputs_are_unchanged(const oc_env *env, const oc_step *s, int in_place)
{
    for (uint32_t k = 0; k < s->step.n_operand_in; k++) {
        const uint32_t i = ig_step_input_of(&s->step, k);
        size_t bytes = 0;
        if (i == IG_NONE || (int)i == in_place || !s->operands[k]) continue;
        if (s->step.operand_const && s->step.operand_const[i]) continue;
        const ig_tensor *t = env->c->in[i].value;
        if (ig_tensor_bytes(t, &bytes) && bytes && memcmp(s->operands[k], t->data, bytes))
            return false;
    }
    return true;
}

/* Run into fresh operands. `first`: outputs that must have the same bits, filled by the first
 * call. */
static void run_and_compare(oc_env *env, oc_step *s, oc_guard *guard, int split, int in_place,
                            ig_tensor **first)
{
    ig_tensor *out[OC_MAX_OPERANDS];
    char why[200];
    if (!oc_step_operands(s, env, guard, in_place, out)) {
        oc_failure(env, "no memory for operands");
        return;
    }
    run(&s->step, split);
    for (int i = 0; i < env->c->n_out; i++) {
        if (!first[i]) {
            first[i] = out[i];
            if (!oc_same(out[i], env->reference[i], &oc_kernel, why, sizeof why))
                oc_failure(env, "output %d: %s", i, why);
        } else if (!same_bits(out[i], first[i])) {
            (void)oc_same(out[i], first[i], &oc_exact, why, sizeof why);
            oc_failure(env, "output %d has other bits: %s", i, why);
        }
    }
    if (!inputs_are_unchanged(env, s, in_place)) oc_failure(env, "the kernel changed an input");
}

/* The piece at offset_bytes of the whole has the contents of `part`. */
static void check_piece(oc_env *env, const ig_tensor *whole, size_t offset_bytes,
                        const ig_tensor *part, const char *what, int i)
{
    size_t whole_bytes = 0, bytes = 0;
    if (!ig_tensor_bytes(whole, &whole_bytes) || !ig_tensor_bytes(part, &bytes)) return;
    if (offset_bytes + bytes > whole_bytes)
        oc_failure(env, "%s %d ends beyond the whole", what, i);
    else if (bytes && memcmp((const char *)whole->data + offset_bytes, part->data, bytes))
        oc_failure(env, "%s %d shows other contents than the reference", what, i);
}

static void check_view(oc_env *env, const oc_step *s)
{
    const size_t *offsets = s->sharing.view_offset_bytes;
    for (int i = 0; i < env->c->n_out; i++)
        if (env->reference[i])
            check_piece(env, env->c->in[0].value, offsets ? offsets[i] : 0, env->reference[i],
                        "view", i);
}

static void check_join(oc_env *env, const oc_step *s)
{
    for (int i = 0; i < env->c->n_in && s->sharing.join_offset_bytes; i++)
        check_piece(env, env->reference[0], s->sharing.join_offset_bytes[i], env->c->in[i].value,
                    "joined input", i);
}

static void check_step(oc_env *env, oc_step *s, const char *isa, const char *consts)
{
    ig_tensor *first[OC_MAX_OPERANDS] = { 0 };
    oc_guard kept = { 0 };
    if (s->sharing.is_view) {
        oc_phase(env, "view, %s%s", isa, consts);
        check_view(env, s);
        return;
    }
    oc_phase(env, "join, %s%s", isa, consts);
    check_join(env, s);
    if (!s->step.kernel && !s->step.team_kernel) return;
    for (int side = 0; side < 2; side++) {
        for (int split = 0; split < (s->step.kernel ? N_SPLITS : 1); split++) {
            oc_guard guard = { .is_before = side == 1 };
            oc_phase(env, "%s%s, guard page %s%s", s->step.kernel_name, consts,
                     side ? "before" : "after", split_names[split]);
            run_and_compare(env, s, first[0] ? &guard : &kept, split, -1, first);
            oc_guard_free(&guard);
        }
    }
    for (int i = 0; i < env->c->n_in; i++) {
        oc_guard guard = { 0 };
        if (!oc_may_overwrite(env->c, env->reference[0], i) || s->step.operand_const) continue;
        oc_phase(env, "%s%s, in place of input %d", s->step.kernel_name, consts, i);
        run_and_compare(env, s, &guard, IN_ONE, i, first);
        oc_guard_free(&guard);
    }
    oc_guard_free(&kept);
}

void oc_check_kernels(oc_env *env)
{
    bool has_const = false;
    for (int i = 0; i < env->c->n_in; i++) has_const = has_const || env->c->in[i].is_const;
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        if (!ig_cpu_get()->has_isa[isa]) continue;
        for (int consts = 0; consts < (has_const ? 2 : 1); consts++) {
            const oc_consts form = consts ? OC_NONE_CONST : OC_AS_GIVEN;
            const char *note = consts ? " without constants" : "";
            ig_error err = { 0 };
            ig_graph *g;
            oc_step s;
            oc_phase(env, "lowering, %s%s", ig_isa_name((ig_isa)isa), note);
            if (oc_graph(env->c, form, &env->arena, &env->dims, &g, &err)) {
                oc_failure(env, "%s", err.message);
                return;
            }
            if (oc_step_open(&s, env, g, form, (ig_isa)isa, &err))
                oc_failure(env, "%s", err.message);
            else
                check_step(env, &s, ig_isa_name((ig_isa)isa), note);
            oc_step_close(&s);
        }
    }
}
