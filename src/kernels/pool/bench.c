/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: pooling layers. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/pool/pool.h"

typedef struct call {
    ig_pool_params params;
    ig_kernel_fn fn;
    void *operands[2];
} call;

static void run(void *ctx)
{
    call *c = ctx;
    c->fn(&c->params, c->operands, (ig_part){ 0, c->params.n_work, 0 });
}

static void bench(ig_isa isa, const ig_pool_shape *s)
{
    call c = { 0 };
    if (ig_pool_plan(s, isa, &c.params, &c.fn, NULL)) return;
    const int64_t n_x = s->in[1] * s->in[2] * s->channels;
    const int64_t n_y = s->out[1] * s->out[2] * s->channels;
    c.operands[0] = kt_floats(n_x);
    c.operands[1] = kt_floats(n_y);
    kt_fill_uniform(c.operands[0], n_x);
    const double t = kt_time(run, &c);
    printf("  %-32s %3lld^2 x %4lld k%lld s%lld %8.3f ms %6.1f GB/s\n", c.params.name,
           (long long)s->in[1], (long long)s->channels, (long long)s->kernel[1],
           (long long)s->stride[1], t * 1e3, 4e-9 * (double)(n_x + n_y) / t);
    kt_free_all();
}

void ig_bench_pool(ig_isa isa, double peak)
{
    (void)peak;
    printf("pool\n");
    for (int op = 0; op < 2; op++) {
        ig_pool_shape s;
        ig_pool_shape_global(&s, (ig_pool_op)op, 1, 1, 112, 112, 64);
        s.kernel[1] = s.kernel[2] = 3;
        s.stride[1] = s.stride[2] = 2;
        s.pad[1] = s.pad[2] = s.pad_end[1] = s.pad_end[2] = 1;
        s.out[1] = s.out[2] = 56;
        bench(isa, &s);
        ig_pool_shape_global(&s, (ig_pool_op)op, 1, 1, 7, 7, 2048);
        bench(isa, &s);
    }
}
