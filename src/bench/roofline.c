/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.c: peaks of arithmetic and memory, and the steps under them. */
#include "bench/roofline.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"

#define PEAK_MS 60
#define BANDWIDTH_NS 60000000u
#define MIN_BUFFER (64.0 * 1024 * 1024)
#define MAX_BUFFER (256.0 * 1024 * 1024)
#define MAX_READERS 64
#define PROFILE_NS 300000000u
#define MIN_PROFILE_RUNS 3

typedef uint64_t vector __attribute__((vector_size(64)));

typedef struct reader {
    const vector *data;
    size_t n;
    uint64_t deadline_ns;
    double best_rate; /* of one pass: a roof is what can be reached, not what is usual */
    vector sum;       /* kept, so that the reads are */
} reader;

/* Compiled for several widths: only wide loads find the end of a cache. Vectors are passed by
 * address, which is the same for all of them. */
#define READ_OVER(name, target)                                                                    \
    target static void name(const vector *data, size_t n, vector *sum)                             \
    {                                                                                              \
        vector a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };                                         \
        for (size_t i = 0; i + 4 <= n; i += 4) {                                                   \
            a += data[i];                                                                          \
            b += data[i + 1];                                                                      \
            c += data[i + 2];                                                                      \
            d += data[i + 3];                                                                      \
        }                                                                                          \
        *sum += a + b + c + d;                                                                     \
    }
READ_OVER(read_portable, )
#if defined(__x86_64__)
READ_OVER(read_avx2, __attribute__((target("avx2"))))
READ_OVER(read_avx512, __attribute__((target("avx512f"))))
#endif

static void read_over(const vector *data, size_t n, vector *sum)
{
#if defined(__x86_64__)
    const ig_cpu *cpu = ig_cpu_get();
    if (cpu->has_isa[IG_ISA_AVX512]) {
        read_avx512(data, n, sum);
        return;
    }
    if (cpu->has_isa[IG_ISA_AVX2]) {
        read_avx2(data, n, sum);
        return;
    }
#endif
    read_portable(data, n, sum);
}

static void *read_on(void *ctx)
{
    reader *r = ctx;
    for (uint64_t begin_ns = ig_clock_ns(), end_ns = 0; end_ns < r->deadline_ns;
         begin_ns = end_ns) {
        read_over(r->data, r->n, &r->sum);
        end_ns = ig_clock_ns();
        const double rate = (double)(r->n * sizeof(vector)) / (double)(end_ns - begin_ns);
        r->best_rate = fmax(r->best_rate, rate);
    }
    return NULL;
}

double ig_roofline_bandwidth(int n_threads, size_t bytes, ig_alloc *alloc)
{
    reader readers[MAX_READERS];
    pthread_t threads[MAX_READERS];
    const int n = n_threads < 1 ? 1 : n_threads > MAX_READERS ? MAX_READERS : n_threads;
    vector *data = ig_alloc_get(alloc, bytes, sizeof *data, INGOT_MEM_OTHER);
    if (!data) return 0;
    memset(data, 1, bytes);
    const size_t n_each = bytes / sizeof *data / (size_t)n / 4 * 4;
    const uint64_t deadline_ns = ig_clock_ns() + BANDWIDTH_NS;
    double rate = 0;
    int n_started = 1;
    for (int i = 0; i < n; i++)
        readers[i] =
            (reader){ .data = data + (size_t)i * n_each, .n = n_each, .deadline_ns = deadline_ns };
    while (n_started < n &&
           pthread_create(&threads[n_started], NULL, read_on, &readers[n_started]) == 0)
        n_started++;
    read_on(&readers[0]);
    for (int i = 1; i < n_started; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < n_started; i++) rate += readers[i].best_rate;
    ig_alloc_put(alloc, data, bytes, INGOT_MEM_OTHER);
    return rate;
}

double ig_roofline_share(const ig_roofline *roof, double flops, double bytes, double ns,
                         bool *is_memory_bound)
{
    const double arithmetic_ns = roof->gflops > 0 ? flops / roof->gflops : 0;
    const double held = fmin(bytes, (double)roof->cache_bytes);
    const double memory_ns = roof->gbytes > 0 && roof->cached_gbytes > 0
                                 ? held / roof->cached_gbytes + (bytes - held) / roof->gbytes
                                 : 0;
    *is_memory_bound = memory_ns > arithmetic_ns;
    const double least_ns = fmax(arithmetic_ns, memory_ns);
    return least_ns > 0 && ns > 0 ? least_ns / ns : NAN;
}

ig_status ig_roofline_measure(ingot_session *session, const ig_feeds *feeds, ig_arena *arena,
                              ig_roofline *out, ig_error *err)
{
    const int n_threads = ingot_session_n_threads(session);
    double least_ns = 0;
    const ig_cpu *cpu = ig_cpu_get();
    const size_t large = (size_t)fmin(fmax(4.0 * (double)cpu->l3_bytes, MIN_BUFFER), MAX_BUFFER);
    *out = (ig_roofline){ .gflops = ingot_cpu_peak_gflops(PEAK_MS) * n_threads,
                          .cache_bytes = cpu->l3_bytes };
    out->gbytes = ig_roofline_bandwidth(n_threads, large, arena->alloc);
    out->cached_gbytes =
        ig_roofline_bandwidth(n_threads, cpu->l2_bytes / 2 * (size_t)n_threads, arena->alloc);
    IG_TRY(ingot_session_run(session, feeds->values, feeds->n, err));
    ingot_session_set_profiling(session, 1);
    const uint64_t begin_ns = ig_clock_ns();
    for (int i = 0; i < MIN_PROFILE_RUNS || ig_clock_ns() - begin_ns < PROFILE_NS; i++)
        IG_TRY(ingot_session_run(session, feeds->values, feeds->n, err));
    ingot_session_set_profiling(session, 0);
    out->n_steps = ingot_session_n_steps(session);
    out->steps = ig_arena_array(arena, out->n_steps + 1, sizeof *out->steps);
    if (!out->steps) return IG_NOMEM(err, out->n_steps * sizeof *out->steps);
    for (size_t i = 0; i < out->n_steps; i++) {
        ig_roofline_step *s = &out->steps[i];
        s->info.struct_bytes = sizeof s->info;
        ingot_session_step(session, i, &s->info);
        /* The fastest run: what the step can do, not what the machine let it. */
        s->ns = (double)s->info.min_ns;
        s->share = ig_roofline_share(out, (double)s->info.flops, (double)s->info.bytes, s->ns,
                                     &s->is_memory_bound);
        out->total_ns += s->ns;
        if (isfinite(s->share)) least_ns += s->share * s->ns;
    }
    out->share = out->total_ns > 0 ? least_ns / out->total_ns : NAN;
    return INGOT_OK;
}
