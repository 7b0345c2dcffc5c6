/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pingpong.c: how far two CPUs are from each other. A host may move the CPUs of a guest to other
 * caches without a trace but this one; work that threads share then takes up to twice as long.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "bench/noise.h"

enum { N_TRIPS = 300, MAX_PARTNERS = 7 };
#define PAIR_NS 8000000  /* time for one pair */
#define MAX_TRIP_NS 5000 /* beyond, the two never ran at the same time */

typedef struct ball {
    _Alignas(128) atomic_uint at; /* odd: the other side's turn */
    _Alignas(128) atomic_bool is_over;
    int cpu, partner;
    double best_ns;
} ball;

static void stay_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static bool wait_for(ball *b, unsigned turn)
{
    while (atomic_load_explicit(&b->at, memory_order_acquire) != turn)
        if (atomic_load_explicit(&b->is_over, memory_order_relaxed)) return false;
    return true;
}

static void *answer(void *ctx)
{
    ball *b = ctx;
    stay_on(b->partner);
    for (unsigned turn = 1; wait_for(b, turn); turn += 2)
        atomic_store_explicit(&b->at, turn + 1, memory_order_release);
    return NULL;
}

/* The other thread may be off its CPU for long: give up waiting at the deadline. */
static void *serve(void *ctx)
{
    ball *b = ctx;
    stay_on(b->cpu);
    const uint64_t deadline_ns = ig_clock_ns() + PAIR_NS;
    unsigned turn = 0;
    bool is_late = false;
    while (!is_late) {
        const uint64_t begin_ns = ig_clock_ns();
        for (int i = 0; i < N_TRIPS && !is_late; i++) {
            atomic_store_explicit(&b->at, turn + 1, memory_order_release);
            turn += 2;
            for (unsigned spins = 1; atomic_load_explicit(&b->at, memory_order_acquire) != turn;
                 spins++)
                if (spins % 4096 == 0 && ig_clock_ns() > deadline_ns) {
                    is_late = true;
                    break;
                }
        }
        const uint64_t end_ns = ig_clock_ns();
        const double ns = (double)(end_ns - begin_ns) / N_TRIPS;
        if (!is_late && (b->best_ns == 0 || ns < b->best_ns)) b->best_ns = ns;
        is_late = is_late || end_ns > deadline_ns;
    }
    atomic_store(&b->is_over, true);
    return NULL;
}

static double trip_of(int cpu, int partner)
{
    ball b = { .cpu = cpu, .partner = partner };
    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, answer, &b)) return 0;
    const bool has_both = pthread_create(&threads[1], NULL, serve, &b) == 0;
    if (has_both)
        pthread_join(threads[1], NULL);
    else
        atomic_store(&b.is_over, true);
    pthread_join(threads[0], NULL);
    return b.best_ns;
}

/* Is `other` in the list of CPUs, "0-3,8-11", that share the last level with `cpu`? */
static bool share_cache(int cpu, int other)
{
    char path[96], list[256] = "";
    for (int index = 4; index >= 2 && !*list; index--) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
                 cpu, index);
        FILE *file = fopen(path, "re");
        if (!file) continue;
        if (!fgets(list, sizeof list, file)) list[0] = '\0';
        fclose(file);
    }
    for (const char *p = list; *p;) {
        int first = 0, last = 0, n = 0;
        if (sscanf(p, "%d%n", &first, &n) != 1) break;
        p += n;
        last = first;
        if (*p == '-' && sscanf(p + 1, "%d%n", &last, &n) == 1) p += 1 + n;
        if (other >= first && other <= last) return true;
        if (*p++ != ',') break;
    }
    return false;
}

double ig_noise_round_trip(bool *shares_cache)
{
    cpu_set_t set;
    double slowest = 0;
    int first = -1, n_partners = 0;
    *shares_cache = false;
    if (sched_getaffinity(0, sizeof set, &set)) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && n_partners < MAX_PARTNERS; cpu++) {
        if (!CPU_ISSET(cpu, &set)) continue;
        if (first < 0) {
            first = cpu;
            continue;
        }
        n_partners++;
        const double ns = trip_of(first, cpu);
        if (ns <= slowest || ns > MAX_TRIP_NS) continue;
        slowest = ns;
        *shares_cache = share_cache(first, cpu);
    }
    return slowest;
}
