/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c: a case as a model: folded, planned and run, broken, and short of memory. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "opcheck.h"

bool oc_error_is_fine(const ig_error *err)
{
    const size_t n = strnlen(err->message, sizeof err->message);
    return err->status != INGOT_OK && n > 0 && n < sizeof err->message &&
           !strpbrk(err->message, "\r\n");
}

static bool is_random(const oc_env *env) { return (env->c->op->flags & IG_RANDOM) != 0; }

static void compare_outputs(oc_env *env, const oc_model *m, const oc_tolerance *tol)
{
    char why[200];
    for (int i = 0; i < env->c->n_out; i++) {
        const ig_tensor *got = ig_frame_output(m->frame, (size_t)i), *want = env->reference[i];
        ig_tensor shape_only[2];
        if (is_random(env)) { /* another seed: shape and type alone */
            if (!got) continue;
            shape_only[0] = *got, shape_only[1] = *want;
            if (ig_tensor_count(want) > 0) shape_only[0].data = shape_only[1].data = want->data;
            got = &shape_only[0], want = &shape_only[1];
        }
        if (!oc_same(got, want, tol, why, sizeof why)) oc_failure(env, "output %d: %s", i, why);
    }
}

/* ---- folded ---- */

static void compare_folded(oc_env *env, const oc_model *m)
{
    char why[200];
    for (int i = 0; i < env->c->n_out; i++) {
        const ig_tensor *want = env->reference[i];
        const ig_value *v = m->g->values[m->g->outputs[i]];
        if (want->kind != INGOT_KIND_TENSOR) continue;
        if (!v->info.data)
            oc_failure(env, "output %d is not folded", i);
        else if (!oc_same(v->info.data, want, &oc_exact, why, sizeof why))
            oc_failure(env, "folded output %d: %s", i, why);
    }
}

void oc_check_fold(oc_env *env)
{
    oc_model m;
    ig_error err = { 0 };
    oc_phase(env, "constant folding");
    for (int i = 0; i < env->c->n_in; i++)
        if (env->c->in[i].value && env->c->in[i].value->kind != INGOT_KIND_TENSOR) return;
    if (is_random(env) || (env->c->op->flags & IG_CONTROL_FLOW)) return;
    if (oc_model_open(&m, env->c, OC_ALL_CONST, env->best, INGOT_OPT_ALL, &env->alloc, &err))
        oc_failure(env, "%s", err.message);
    else
        compare_folded(env, &m);
    oc_model_close(&m);
}

/* ---- planned ---- */

static void check_runs(oc_env *env, ig_isa isa, ingot_opt_level level, oc_consts consts)
{
    oc_model m;
    ig_error err = { 0 };
    ig_alloc run_alloc;
    ig_alloc_init(&run_alloc, NULL, OC_MEMORY_BYTES);
    ig_status status = oc_model_open(&m, env->c, consts, isa, level, &env->alloc, &err);
    for (int i = 0; !status && i < 2; i++) { /* the second run has its binding ready */
        status = oc_model_run(&m, &run_alloc, &err);
        if (!status) compare_outputs(env, &m, isa == IG_ISA_REF ? &oc_literal : &oc_kernel);
    }
    if (status) oc_failure(env, "%s", err.message);
    oc_model_close(&m);
    if (atomic_load(&run_alloc.total))
        oc_failure(env, "%zu bytes are never freed", atomic_load(&run_alloc.total));
}

void oc_check_plan(oc_env *env)
{
    static const ingot_opt_level levels[] = { INGOT_OPT_NONE, INGOT_OPT_ALL };
    static const char *const names[] = { "none", "all" };
    for (size_t l = 0; l < IG_COUNT(levels); l++) {
        oc_phase(env, "run at ref, optimisation %s", names[l]);
        check_runs(env, IG_ISA_REF, levels[l], OC_AS_GIVEN);
        oc_phase(env, "run at %s, optimisation %s", ig_isa_name(env->best), names[l]);
        check_runs(env, env->best, levels[l], OC_AS_GIVEN);
    }
    oc_phase(env, "run at %s, all inputs constant", ig_isa_name(env->best));
    check_runs(env, env->best, INGOT_OPT_NONE, OC_ALL_CONST);
    oc_phase(env, "run at %s, no input constant", ig_isa_name(env->best));
    check_runs(env, env->best, INGOT_OPT_ALL, OC_NONE_CONST);
}

/* ---- what must fail ---- */

/* Build, optimise and run c with little memory; the error is in err. */
static ig_status try_case(oc_env *env, const oc_case *c, ig_isa isa, ig_error *err)
{
    oc_model m;
    ig_alloc small;
    *err = (ig_error){ 0 };
    ig_alloc_init(&small, NULL, OC_MEMORY_BYTES);
    ig_status status = oc_model_open(&m, c, OC_AS_GIVEN, isa, INGOT_OPT_ALL, &small, err);
    if (!status) status = oc_model_run(&m, &small, err);
    oc_model_close(&m);
    if (atomic_load(&small.total))
        oc_failure(env, "%zu bytes are never freed", atomic_load(&small.total));
    if (status && !oc_error_is_fine(err))
        oc_failure(env, "status %d with a bad message: %s", (int)status, err->message);
    if (status && err->status != status)
        oc_failure(env, "status %d returned, %d in the error", (int)status, (int)err->status);
    return status;
}

void oc_check_must_fail(oc_env *env)
{
    for (int k = 0; k < 2; k++) {
        ig_error err;
        const ig_isa isa = k ? env->best : IG_ISA_REF;
        oc_phase(env, "must fail at %s", ig_isa_name(isa));
        if (try_case(env, env->c, isa, &err) == INGOT_OK)
            oc_failure(env, "it does not fail");
        else if (!strstr(err.message, env->c->fails))
            oc_failure(env, "it fails otherwise: %s", err.message);
    }
}

/* ---- broken attributes ---- */

static const int64_t absurd_ints[] = {
    INT64_MIN, INT64_MIN + 1,    INT32_MIN,     -9,       -1, 0, 1, 9,
    INT32_MAX, (int64_t)1 << 32, INT64_MAX - 1, INT64_MAX
};
static const float absurd_floats[] = { 0.0f, -1.0f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN };
static const int64_t long_list[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static const float float_list[12] = { 0.5f, 0.5f };
static const ingot_string text_list[3] = { { "x", 1 }, { "", 0 }, { "NOTSET", 6 } };
static char long_text[2000];

static void try_attr(oc_env *env, const oc_case *original, oc_case *c, int i, ig_attr a)
{
    ig_error err;
    a.name = original->attrs[i].name;
    c->attrs[i] = a;
    (void)try_case(env, c, env->best, &err);
    c->attrs[i] = original->attrs[i];
}

static void break_lists(oc_env *env, const oc_case *original, oc_case *c, int i)
{
    const ig_attr *a = &original->attrs[i];
    const size_t lengths[] = { 0, 1, 2, 5, 12 };
    int64_t changed[16];
    for (size_t k = 0; k < IG_COUNT(lengths); k++) {
        try_attr(env, original, c, i,
                 (ig_attr){ .kind = IG_ATTR_INTS, .n = lengths[k], .ints = long_list });
        try_attr(env, original, c, i,
                 (ig_attr){ .kind = IG_ATTR_FLOATS, .n = lengths[k], .floats = float_list });
    }
    try_attr(env, original, c, i,
             (ig_attr){ .kind = IG_ATTR_STRINGS, .n = 3, .strings = text_list });
    if (a->kind != IG_ATTR_INTS || a->n == 0 || a->n > IG_COUNT(changed)) return;
    for (size_t at = 0; at < 2; at++) /* first and last element */
        for (size_t k = 0; k < IG_COUNT(absurd_ints); k++) {
            memcpy(changed, a->ints, a->n * sizeof *changed);
            changed[at ? a->n - 1 : 0] = absurd_ints[k];
            try_attr(env, original, c, i,
                     (ig_attr){ .kind = IG_ATTR_INTS, .n = a->n, .ints = changed });
        }
}

static void break_attr(oc_env *env, const oc_case *original, oc_case *c, int i)
{
    for (size_t k = 0; k < IG_COUNT(absurd_ints); k++)
        try_attr(env, original, c, i,
                 (ig_attr){ .kind = IG_ATTR_INT, .n = 1, .i = absurd_ints[k] });
    for (size_t k = 0; k < IG_COUNT(absurd_floats); k++)
        try_attr(env, original, c, i,
                 (ig_attr){ .kind = IG_ATTR_FLOAT, .n = 1, .f = absurd_floats[k] });
    memset(long_text, 'x', sizeof long_text);
    for (size_t k = 0; k < IG_COUNT(text_list); k++)
        try_attr(env, original, c, i,
                 (ig_attr){ .kind = IG_ATTR_STRING, .n = 1, .s = text_list[k] });
    try_attr(env, original, c, i,
             (ig_attr){ .kind = IG_ATTR_STRING, .n = 1, .s = { long_text, sizeof long_text } });
    break_lists(env, original, c, i);
}

/* An attribute that nobody expected stays unread, so the case is tried without attribute i too. */
static void drop_attr(oc_env *env, const oc_case *original, oc_case *c, int i)
{
    ig_error err;
    for (int k = i; k + 1 < original->n_attrs; k++) {
        c->attrs[k] = original->attrs[k + 1];
        c->graph_text[k] = original->graph_text[k + 1];
    }
    c->n_attrs--;
    (void)try_case(env, c, env->best, &err);
    *c = *original;
}

void oc_check_broken_attrs(oc_env *env)
{
    const oc_case *original = env->c;
    oc_case *c = ig_arena_copy(&env->arena, original, sizeof *original);
    for (int i = 0; c && i < original->n_attrs; i++) {
        oc_phase(env, "broken attribute %s", original->attrs[i].name);
        drop_attr(env, original, c, i);
        break_attr(env, original, c, i);
    }
}

/* ---- failing allocations ---- */

#define MAX_ALLOCS 1000

void oc_check_failing_allocs(oc_env *env)
{
    oc_model m;
    ig_error err = { 0 };
    ig_alloc failing;
    ig_status status =
        oc_model_open(&m, env->c, OC_AS_GIVEN, env->best, INGOT_OPT_ALL, &env->alloc, &err);
    bool is_done = status != INGOT_OK;
    for (int k = 1; !is_done && k < MAX_ALLOCS; k++) {
        oc_phase(env, "allocation %d fails", k);
        err = (ig_error){ 0 };
        ig_alloc_init(&failing, NULL, 0);
        atomic_store(&failing.fail_countdown, k);
        status = oc_model_run(&m, &failing, &err);
        is_done = !atomic_load(&failing.is_failing);
        if (!is_done && status == INGOT_OK) oc_failure(env, "the run succeeds nevertheless");
        if (status && !oc_error_is_fine(&err)) oc_failure(env, "bad message: %s", err.message);
        if (!is_done && status && status != INGOT_ERR_NOMEM)
            oc_failure(env, "status %d: %s", (int)status, err.message);
        oc_model_stop(&m);
        if (atomic_load(&failing.total))
            oc_failure(env, "%zu bytes are never freed", atomic_load(&failing.total));
    }
    oc_model_close(&m);
}
