/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a job runs. The caller writes the job's fields, opens the gate, and works. A worker that
 * finds the gate open joins by counting itself in, takes pieces until none is left, and counts
 * itself out. The caller, when no piece is left, shuts the gate and waits for those inside; then
 * the fields are its own again. So a worker that the system does not run just now delays nobody,
 * and nobody reads a field of a job that is over.
 */
#include "base/team.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"

#define MAX_THREADS 256
#define PIECES_A_THREAD 4 /* more balance better, fewer cost less */
#define SPIN_NS 40000
#define LINE_BYTES 64

#define GATE_OPEN 1u /* lowest bit of the gate; above it the number of workers inside */
#define GATE_ONE 2u

typedef struct worker {
    ig_team *team;
    pthread_t thread;
    int i_thread;
} worker;

struct ig_team {
    ig_alloc *alloc;
    size_t team_bytes; /* of this allocation */
    int n_threads;     /* with the caller */
    int n_started;     /* workers that run */
    uint64_t spin_ns;
    pid_t pid; /* a forked child has the memory but not the threads */

    /* The job; written only while the gate is shut and nobody is inside. */
    ig_team_fn fn;
    void *ctx;
    int64_t n, piece, n_pieces;

    _Alignas(LINE_BYTES) atomic_int_least64_t next_piece;
    _Alignas(LINE_BYTES) atomic_uint gate;
    atomic_uint is_caller_asleep;
    _Alignas(LINE_BYTES) atomic_uint n_posted; /* jobs so far; idle workers wait for it to change */
    atomic_uint n_asleep;
    atomic_uint is_stopping;
    _Alignas(LINE_BYTES) worker workers[];
};

static void pause_a_bit(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sleeps while *word is `value`; may return early. */
static void futex_wait(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Spins until *word differs from `value`, for a bounded time; returns the last value seen. */
static unsigned spin_while(atomic_uint *word, unsigned value, uint64_t spin_ns)
{
    const uint64_t begin_ns = spin_ns ? ig_clock_ns() : 0;
    unsigned now;
    do {
        for (int i = 0; i < 32; i++) {
            now = atomic_load_explicit(word, memory_order_acquire);
            if (now != value || spin_ns == 0) return now;
            pause_a_bit();
        }
    } while (ig_clock_ns() - begin_ns < spin_ns);
    return now;
}

static void work(ig_team *team, int i_thread)
{
    for (;;) {
        const int64_t i = atomic_fetch_add_explicit(&team->next_piece, 1, memory_order_relaxed);
        if (i >= team->n_pieces) return;
        const int64_t begin = i * team->piece;
        const int64_t end = i + 1 < team->n_pieces ? begin + team->piece : team->n;
        team->fn(team->ctx, (ig_part){ begin, end, i_thread });
    }
}

/* ---- workers ---- */

static bool join(ig_team *team)
{
    unsigned gate = atomic_load_explicit(&team->gate, memory_order_relaxed);
    while (gate & GATE_OPEN)
        if (atomic_compare_exchange_weak_explicit(&team->gate, &gate, gate + GATE_ONE,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

static void leave(ig_team *team)
{
    const unsigned before = atomic_fetch_sub(&team->gate, GATE_ONE);
    /* Last one out of a shut gate. Sequentially consistent, as is the caller's side: either it sees
     * the new count, or we see that it sleeps. */
    if (before == GATE_ONE && atomic_load(&team->is_caller_asleep)) futex_wake(&team->gate, 1);
}

/* Waits for a job after job `seen`; returns the newest. */
static unsigned wait_for_job(ig_team *team, unsigned seen)
{
    unsigned now = spin_while(&team->n_posted, seen, team->spin_ns);
    if (now != seen) return now;
    atomic_fetch_add(&team->n_asleep, 1);
    while ((now = atomic_load(&team->n_posted)) == seen) futex_wait(&team->n_posted, seen);
    atomic_fetch_sub(&team->n_asleep, 1);
    return now;
}

static void *worker_main(void *arg)
{
    const worker *self = arg;
    ig_team *team = self->team;
    unsigned seen = 0;
    while (!atomic_load(&team->is_stopping)) {
        if (join(team)) {
            work(team, self->i_thread);
            leave(team);
        }
        seen = wait_for_job(team, seen);
    }
    return NULL;
}

/* Starts workers until `n_wanted` run. When the system refuses one the team stays smaller. */
static void start_workers(ig_team *team, int n_wanted)
{
    sigset_t all, old;
    if (team->n_started >= n_wanted) return;
    /* Signals are for the program's own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (team->n_started < n_wanted) {
        worker *w = &team->workers[team->n_started];
        *w = (worker){ .team = team, .i_thread = team->n_started + 1 };
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            team->n_threads = team->n_started + 1;
            break;
        }
        team->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- the caller ---- */

ig_status ig_team_create(ig_alloc *alloc, int n_threads, ig_team **out, ig_error *err)
{
    const int n_usable = ig_cpu_n_usable();
    if (n_threads == 0) n_threads = n_usable;
    if (n_threads < 1) n_threads = 1;
    if (n_threads > MAX_THREADS) n_threads = MAX_THREADS;
    const size_t bytes = sizeof(ig_team) + (size_t)n_threads * sizeof(worker);
    ig_team *team = ig_alloc_get(alloc, bytes, LINE_BYTES, INGOT_MEM_OTHER);
    if (!team) return IG_NOMEM(err, bytes);
    memset(team, 0, bytes);
    team->alloc = alloc;
    team->team_bytes = bytes;
    team->n_threads = n_threads;
    team->pid = getpid();
    /* With more threads than CPUs a spinning one keeps a working one from its CPU. */
    team->spin_ns = n_threads <= n_usable ? SPIN_NS : 0;
    *out = team;
    return INGOT_OK;
}

void ig_team_destroy(ig_team *team)
{
    if (!team) return;
    atomic_store(&team->is_stopping, 1);
    atomic_fetch_add(&team->n_posted, 1);
    futex_wake(&team->n_posted, MAX_THREADS);
    if (team->pid == getpid())
        for (int i = 0; i < team->n_started; i++) pthread_join(team->workers[i].thread, NULL);
    ig_alloc_put(team->alloc, team, team->team_bytes, INGOT_MEM_OTHER);
}

int ig_team_n_threads(const ig_team *team) { return team ? team->n_threads : 1; }

static void open_gate(ig_team *team)
{
    atomic_store_explicit(&team->next_piece, 0, memory_order_relaxed);
    atomic_store_explicit(&team->gate, GATE_OPEN, memory_order_release);
    /* Either a worker that goes to sleep sees the new number, or we see that it sleeps. */
    atomic_fetch_add(&team->n_posted, 1);
    const unsigned n_asleep = atomic_load(&team->n_asleep);
    const int64_t n_useful = team->n_pieces - 1;
    if (n_asleep)
        futex_wake(&team->n_posted, (int)(n_useful < MAX_THREADS ? n_useful : MAX_THREADS));
}

static void shut_gate(ig_team *team)
{
    unsigned gate = atomic_fetch_and(&team->gate, ~GATE_OPEN) & ~GATE_OPEN;
    while (gate) {
        const unsigned now = spin_while(&team->gate, gate, team->spin_ns);
        if (now == gate) {
            atomic_store(&team->is_caller_asleep, 1);
            if (atomic_load(&team->gate) == gate) futex_wait(&team->gate, gate);
            atomic_store(&team->is_caller_asleep, 0);
        }
        gate = atomic_load_explicit(&team->gate, memory_order_acquire);
    }
}

/* The size of pieces: a multiple of grain that gives each thread a few. */
static int64_t piece_size(int64_t n, int64_t grain, int n_threads)
{
    const int64_t fair = n / ((int64_t)n_threads * PIECES_A_THREAD);
    int64_t n_grains = fair > 0 ? (fair - 1) / grain + 1 : 1;
    if (n_grains > n / grain) n_grains = n / grain; /* so that the product cannot overflow */
    return n_grains * grain;
}

void ig_team_run(ig_team *team, ig_team_fn fn, void *ctx, int64_t n, int64_t grain)
{
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    if (!team || team->n_threads == 1 || n <= grain) {
        fn(ctx, (ig_part){ 0, n, 0 });
        return;
    }
    team->fn = fn;
    team->ctx = ctx;
    team->n = n;
    team->piece = piece_size(n, grain, team->n_threads);
    team->n_pieces = (n - 1) / team->piece + 1;
    const int64_t n_wanted = team->n_pieces < team->n_threads ? team->n_pieces : team->n_threads;
    start_workers(team, (int)n_wanted - 1);
    open_gate(team);
    work(team, 0);
    shut_gate(team);
}
