/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c: opcheck [--list | --bench] [OPERATOR…]
 *
 * Walks all operators (or those named) and checks each of their cases. Every operator is checked in
 * a process of its own: a crash or a hang is one failure, which names case and check, and the walk
 * goes on with the next case. The last line is "N passed, N failed, N skipped": cases.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opcheck.h"

#define MAX_CASE_SECONDS 30

typedef enum run_mode { CHECK, LIST, BENCH } run_mode;

/* Seen by the walk and by the process that checks. */
typedef struct progress {
    size_t next_case;
    int n_passed, n_failed;
    char phase[OC_PHASE_BYTES];
} progress;

void oc_phase(oc_env *env, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(env->phase, OC_PHASE_BYTES, format, args);
    va_end(args);
}

void oc_failure(oc_env *env, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("FAIL %s case %zu \"%s\": %s: ", env->c->op->onnx, env->c->index, env->c->text,
           env->phase);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    env->n_failures++;
}

/* ---- one case ---- */

static void compare_expected(oc_env *env)
{
    char why[200];
    oc_phase(env, "expected outputs");
    for (int i = 0; i < env->c->n_expected; i++)
        if (!env->c->expected[i].is_absent &&
            !oc_same(env->reference[i], env->c->expected[i].value, &oc_literal, why, sizeof why))
            oc_failure(env, "output %d: %s", i, why);
}

/* The reference with guard pages on each side, and in place. False: no result. */
static bool run_references(oc_env *env, const ig_node *node, oc_guard *kept)
{
    static const char *const sides[] = { "guard page after", "guard page before" };
    char why[200];
    ig_error err = { 0 };
    oc_phase(env, "reference, %s", sides[0]);
    if (oc_run_reference(env, node, kept, -1, env->reference, &err)) {
        oc_failure(env, "%s", err.message);
        return false;
    }
    for (int i = -1; i < env->c->n_in; i++) {
        ig_tensor *out[OC_MAX_OPERANDS];
        oc_guard guard = { .is_before = i < 0 };
        if (i >= 0 && !oc_may_overwrite(env->c, env->reference[0], i)) continue;
        if (i < 0)
            oc_phase(env, "reference, %s", sides[1]);
        else
            oc_phase(env, "reference in place of input %d", i);
        if (oc_run_reference(env, node, &guard, i, out, &err)) {
            oc_failure(env, "%s", err.message);
            return false;
        }
        for (int k = 0; k < env->c->n_out; k++)
            if (!oc_same(out[k], env->reference[k], &oc_exact, why, sizeof why))
                oc_failure(env, "output %d: %s", k, why);
        oc_guard_free(&guard);
    }
    return true;
}

/* Subgraphs need frames to run in, so control flow has a plan without kernels as its reference. */
static bool run_planned_reference(oc_env *env, oc_model *m)
{
    ig_error err = { 0 };
    oc_phase(env, "run without kernels");
    if (oc_model_open(m, env->c, OC_AS_GIVEN, IG_ISA_REF, INGOT_OPT_NONE, &env->alloc, &err) ||
        oc_model_run(m, &env->alloc, &err)) {
        oc_failure(env, "%s", err.message);
        return false;
    }
    for (int i = 0; i < env->c->n_out; i++)
        env->reference[i] = (ig_tensor *)(uintptr_t)ig_frame_output(m->frame, (size_t)i);
    return true;
}

static void check_results(oc_env *env)
{
    oc_guard kept = { 0 };
    oc_model model = { 0 };
    ig_error err = { 0 };
    ig_graph *g;
    const bool has_subgraphs = (env->c->op->flags & IG_CONTROL_FLOW) != 0;
    oc_phase(env, "building");
    if (oc_graph(env->c, OC_AS_GIVEN, &env->arena, &env->dims, &g, &err)) {
        oc_failure(env, "%s", err.message);
        return;
    }
    const ig_node *node = g->nodes[0];
    if (has_subgraphs ? run_planned_reference(env, &model) : run_references(env, node, &kept)) {
        compare_expected(env);
        oc_check_inference(env, node);
        oc_check_symbolic(env, node);
        if (!has_subgraphs) oc_check_kernels(env);
        oc_check_fold(env);
        oc_check_plan(env);
        oc_check_failing_allocs(env);
    }
    oc_model_close(&model);
    oc_guard_free(&kept);
}

static void bench_case(oc_env *env)
{
    oc_guard kept = { 0 };
    ig_error err = { 0 };
    ig_graph *g;
    if (env->c->fails || (env->c->op->flags & IG_CONTROL_FLOW)) return;
    if (!oc_graph(env->c, OC_AS_GIVEN, &env->arena, &env->dims, &g, &err) &&
        !oc_run_reference(env, g->nodes[0], &kept, -1, env->reference, &err))
        oc_bench(env);
    oc_guard_free(&kept);
}

/* True when nothing failed. */
static bool do_case(const ig_op *op, size_t index, ig_isa best, run_mode mode, char *phase)
{
    oc_env env = { .best = best, .phase = phase };
    oc_case c = { .op = op, .index = index, .text = op->cases[index] };
    ig_error err = { 0 };
    env.c = &c;
    ig_alloc_init(&env.alloc, NULL, 0);
    ig_arena_init(&env.arena, &env.alloc, INGOT_MEM_OTHER);
    ig_dims_init(&env.dims, &env.arena);
    oc_phase(&env, "parsing");
    if (oc_parse(&c, &env.arena, &env.dims, &err)) {
        oc_failure(&env, "%s", err.message);
    } else if (mode == LIST) {
        oc_list(&env);
    } else if (mode == BENCH) {
        bench_case(&env);
    } else {
        if (c.fails)
            oc_check_must_fail(&env);
        else
            check_results(&env);
        oc_check_broken_attrs(&env);
    }
    ig_arena_deinit(&env.arena);
    oc_phase(&env, "closing");
    if (atomic_load(&env.alloc.total))
        oc_failure(&env, "%zu bytes are never freed", atomic_load(&env.alloc.total));
    return env.n_failures == 0;
}

/* ---- the walk ---- */

static void do_cases(const ig_op *op, progress *p, ig_isa best, run_mode mode)
{
    while (op->cases && op->cases[p->next_case]) {
        alarm(mode == BENCH ? 0 : MAX_CASE_SECONDS);
        const size_t index = p->next_case++;
        if (do_case(op, index, best, mode, p->phase))
            p->n_passed++;
        else
            p->n_failed++;
    }
}

static void do_operator(const ig_op *op, progress *p, ig_isa best, run_mode mode)
{
    if (!op->cases || !op->cases[0]) {
        if (mode == CHECK) printf("FAIL %s has no cases\n", op->onnx), p->n_failed++;
        return;
    }
    p->next_case = 0;
    while (op->cases[p->next_case]) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            do_cases(op, p, best, mode);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status == 0) break;
        printf("FAIL %s case %zu \"%s\": %s: ended by %s %d\n", op->onnx, p->next_case - 1,
               p->next_case ? op->cases[p->next_case - 1] : "", p->phase,
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        p->n_failed++;
    }
}

static bool is_wanted(const ig_op *op, int n_names, char **names)
{
    for (int i = 0; i < n_names; i++)
        if (!strcmp(names[i], op->onnx)) return true;
    return n_names == 0;
}

int main(int argc, char **argv)
{
    run_mode mode = CHECK;
    ig_isa best;
    int n_skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not swallow what was found before */
    if (argc > 1 && !strcmp(argv[1], "--list")) mode = LIST;
    if (argc > 1 && !strcmp(argv[1], "--bench")) mode = BENCH;
    const int n_options = mode == CHECK ? 1 : 2;
    progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || ig_isa_choose(NULL, &best, NULL)) return 1;
    for (size_t i = 0; i < ig_ops_count(); i++)
        if (is_wanted(ig_ops_at(i), argc - n_options, argv + n_options))
            do_operator(ig_ops_at(i), p, best, mode);
    if (mode == LIST) return 0;
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        if (ig_cpu_get()->has_isa[isa]) continue;
        printf("skip: %s: not on this CPU\n", ig_isa_name((ig_isa)isa));
        n_skipped++;
    }
    printf("%d passed, %d failed, %d skipped\n", p->n_passed, p->n_failed, n_skipped);
    return p->n_failed ? 1 : 0;
}
