/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: --bench: time of each case and kernel. */
#include <stdio.h>

#include "base/clock.h"
#include "opcheck.h"

#define MIN_BENCH_NS 2000000

/* Calls until MIN_BENCH_NS have passed; nanoseconds a call. */
static double time_kernel(const ig_step *step)
{
    uint64_t n = 0, begin = ig_clock_ns(), now = begin;
    for (uint64_t batch = 1; now - begin < MIN_BENCH_NS; batch *= 2) {
        for (uint64_t i = 0; i < batch; i++) {
            if (step->team_kernel)
                step->team_kernel(step->params, step->operands, NULL);
            else
                step->kernel(step->params, step->operands, (ig_part){ 0, step->n_work, 0 });
        }
        n += batch;
        now = ig_clock_ns();
    }
    return (double)(now - begin) / (double)n;
}

static void print_times(const oc_env *env, const ig_step *step, ig_tensor *const *out)
{
    size_t bytes = 0, all = 0;
    const double ns = time_kernel(step);
    for (int i = 0; i < env->c->n_in; i++)
        if (env->c->in[i].value && ig_tensor_bytes(env->c->in[i].value, &bytes)) all += bytes;
    for (int i = 0; i < env->c->n_out; i++)
        if (ig_tensor_bytes(out[i], &bytes)) all += bytes;
    printf("%-24s %-44s %10.0f ns %8.2f GB/s %8.2f GFLOP/s  %s\n", env->c->op->onnx,
           step->kernel_name, ns, (double)all / ns, (double)step->flops / ns, env->c->text);
}

void oc_bench(oc_env *env)
{
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++) {
        ig_error err = { 0 };
        oc_guard guard = { 0 };
        ig_graph *g;
        ig_tensor *out[OC_MAX_OPERANDS];
        oc_step s;
        if (!ig_cpu_get()->has_isa[isa] ||
            oc_graph(env->c, OC_AS_GIVEN, &env->arena, &env->dims, &g, &err))
            continue;
        if (oc_step_open(&s, env, g, OC_AS_GIVEN, (ig_isa)isa, &err) == INGOT_OK &&
            !s.sharing.is_view && (s.step.kernel || s.step.team_kernel) &&
            oc_step_operands(&s, env, &guard, -1, out))
            print_times(env, &s.step, out);
        oc_step_close(&s);
        oc_guard_free(&guard);
    }
}
