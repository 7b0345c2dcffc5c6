/* SPDX-License-Identifier: Apache-2.0 */
/* The thread team: every index once, no lost wake-up, jobs back to back and far apart. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/team.h"
#include "check.h"

#define MAX_N 5000

typedef struct job {
    uint8_t seen[MAX_N]; /* not atomic: a sanitizer would see two threads at one index */
    int64_t n, grain;
    int n_threads;
    atomic_int n_calls, n_bad;
    atomic_uint threads; /* bit i: thread i took part */
} job;

static void mark(void *ctx, ig_part part)
{
    job *j = ctx;
    const bool is_ok = part.begin >= 0 && part.begin < part.end && part.end <= j->n &&
                       part.begin % j->grain == 0 &&
                       (part.end == j->n || part.end - part.begin >= j->grain) &&
                       part.i_thread >= 0 && part.i_thread < j->n_threads;
    if (!is_ok) atomic_fetch_add(&j->n_bad, 1);
    for (int64_t i = part.begin; i < part.end; i++) j->seen[i]++;
    atomic_fetch_add(&j->n_calls, 1);
    atomic_fetch_or(&j->threads, 1u << part.i_thread);
}

static bool run_once(ig_team *team, job *j, int64_t n, int64_t grain)
{
    memset(j->seen, 0, (size_t)n);
    j->n = n;
    j->grain = grain;
    j->n_threads = ig_team_n_threads(team);
    atomic_store(&j->n_calls, 0);
    ig_team_run(team, mark, j, n, grain);
    bool is_ok = atomic_load(&j->n_bad) == 0 && (n == 0) == (atomic_load(&j->n_calls) == 0);
    for (int64_t i = 0; i < n; i++) is_ok &= j->seen[i] == 1;
    return is_ok;
}

static void test_ranges(ig_alloc *a)
{
    static job j;
    for (int n_threads = 0; n_threads <= 4; n_threads++) {
        ig_team *team = NULL;
        ig_error err = { 0 };
        if (n_threads) CHECK(ig_team_create(a, n_threads, &team, &err) == INGOT_OK);
        CHECK(ig_team_n_threads(team) == (n_threads ? n_threads : 1));
        bool is_ok = true;
        for (int64_t n = 0; n < 300; n += 1 + n / 9)
            for (int64_t grain = 1; grain < 400; grain = grain * 2 + grain % 3)
                is_ok &= run_once(team, &j, n, grain);
        is_ok &= run_once(team, &j, MAX_N, 7);
        CHECK(is_ok);
        ig_team_destroy(team);
    }
    ig_team_destroy(NULL);
}

static void count(void *ctx, ig_part part)
{
    atomic_fetch_add((atomic_int_least64_t *)ctx, part.end - part.begin);
}

/* Ranges near the end of int64. */
static void test_huge(ig_alloc *a)
{
    ig_team *team = NULL;
    CHECK(ig_team_create(a, 3, &team, NULL) == INGOT_OK);
    static const int64_t grains[] = { INT64_MAX,         INT64_MAX - 1, INT64_MAX / 2,
                                      INT64_MAX / 2 + 7, INT64_MAX / 3, INT64_C(1) << 60 };
    for (size_t i = 0; i < IG_COUNT(grains); i++) {
        atomic_int_least64_t total = 0;
        ig_team_run(team, count, &total, INT64_MAX, grains[i]);
        CHECK(total == INT64_MAX);
    }
    ig_team_destroy(team);
}

/* Thousands of small jobs, some after a pause long enough for workers to fall asleep. */
static void test_many(ig_alloc *a, int n_threads)
{
    static job j;
    ig_team *team = NULL;
    CHECK(ig_team_create(a, n_threads, &team, NULL) == INGOT_OK);
    atomic_store(&j.threads, 0);
    bool is_ok = true;
    for (int i = 0; i < 4000; i++) {
        is_ok &= run_once(team, &j, 1 + i % 64, 1);
        if (i % 500 == 0) usleep(1000);
        if (i % 7 == 0) usleep((useconds_t)(i % 90));
    }
    CHECK(is_ok);
    ig_team_destroy(team);
}

static void sleep_a_little(void *ctx, ig_part part)
{
    usleep(3000);
    atomic_fetch_or((atomic_uint *)ctx, 1u << part.i_thread);
}

/* All threads take part, also after they fell asleep. */
static void test_participation(ig_alloc *a)
{
    ig_team *team = NULL;
    CHECK(ig_team_create(a, 3, &team, NULL) == INGOT_OK);
    for (int i = 0; i < 5; i++) {
        atomic_uint threads = 0;
        ig_team_run(team, sleep_a_little, &threads, 12, 1);
        CHECK(threads == 7);
        usleep(2000);
    }
    ig_team_destroy(team);
}

static void test_create_and_destroy(ig_alloc *a)
{
    ig_team *team = NULL;
    ig_error err = { 0 };
    static job j;
    bool is_ok = true;
    for (int i = 0; i < 100; i++) {
        is_ok &= ig_team_create(a, 1 + i % 4, &team, &err) == INGOT_OK;
        if (i % 3) is_ok &= run_once(team, &j, 20, 1);
        ig_team_destroy(team);
    }
    CHECK(is_ok);
    CHECK(ig_team_create(a, 0, &team, &err) == INGOT_OK &&
          ig_team_n_threads(team) == ig_cpu_n_usable());
    ig_team_destroy(team);
    CHECK(ig_team_create(a, 100000, &team, &err) == INGOT_OK && ig_team_n_threads(team) == 256);
    ig_team_destroy(team);
    CHECK(ig_team_create(a, -5, &team, &err) == INGOT_OK && ig_team_n_threads(team) == 1);
    ig_team_destroy(team);
    ig_alloc failing;
    ig_alloc_init(&failing, NULL, 0);
    failing.fail_countdown = 1;
    CHECK(ig_team_create(&failing, 2, &team, &err) == INGOT_ERR_NOMEM && err.message[0]);
}

/* A forked child has no workers: it does the job alone, and can destroy the team. */
static void test_fork(ig_alloc *a)
{
#if !defined(__SANITIZE_THREAD__)
    static job j;
    ig_team *team = NULL;
    CHECK(ig_team_create(a, 3, &team, NULL) == INGOT_OK && run_once(team, &j, 100, 1));
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        const bool is_ok = run_once(team, &j, 100, 1);
        ig_team_destroy(team);
        _exit(is_ok ? 0 : 1);
    }
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    ig_team_destroy(team);
#else
    (void)a;
#endif
}

static void print_latency(ig_alloc *a)
{
    ig_team *team = NULL;
    atomic_int_least64_t total = 0;
    if (ig_team_create(a, 2, &team, NULL) != INGOT_OK) return;
    for (int i = 0; i < 1000; i++) ig_team_run(team, count, &total, 2, 1);
    const uint64_t begin = ig_clock_ns();
    for (int i = 0; i < 10000; i++) ig_team_run(team, count, &total, 2, 1);
    printf("an empty job for 2 threads takes %.0f ns\n", (double)(ig_clock_ns() - begin) / 10000);
    ig_team_destroy(team);
}

int main(void)
{
    ig_alloc a;
    ig_alloc_init(&a, NULL, 0);
    test_ranges(&a);
    test_huge(&a);
    test_many(&a, 2);
    test_many(&a, 4);
    test_participation(&a);
    test_create_and_destroy(&a);
    test_fork(&a);
    print_latency(&a);
    CHECK(atomic_load(&a.total) == 0);
    return check_report();
}
