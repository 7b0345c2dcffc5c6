/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One model, many threads: sessions that run at the same time give what a lone one gives, are made
 * and destroyed while others run, outlive the model's handle, and stop when another thread asks.
 * Made for the thread sanitizer; without it the results are still compared.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "feed.h"
#include "unit/check.h"

#define N_WORKERS 4
#define N_SESSIONS 3 /* of each worker, one after the other */
#define N_RUNS 6     /* of each session */
#define N_SHAPES 2

/* ---- many sessions ---- */

typedef struct shared {
    ingot_model *model;
    uint64_t want[N_SHAPES][N_WORKERS]; /* outputs by free dimension and seed */
    atomic_int n_ready, n_bad;
} shared;

typedef struct worker {
    shared *shared;
    unsigned seed;
    pthread_t thread;
} worker;

static uint64_t outputs_of(ingot_model *model, ingot_session *session, int shape, unsigned seed)
{
    uint64_t hash = 0;
    feed f;

    feed_make(&f, model, 2 + shape, seed);
    if (feed_run(&f, session, NULL) == INGOT_OK) hash = feed_outputs(model, session);
    feed_free(&f);
    return hash;
}

static ingot_session *session_of(ingot_model *model, int n_threads, ingot_session *share)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    ingot_session *session = NULL;

    options.n_threads = n_threads;
    options.share_team = share;
    return ingot_session_create(model, &options, &session, NULL) == INGOT_OK ? session : NULL;
}

/* Everybody begins at once: the first runs pack weights, which is where they meet. */
static void wait_for_others(shared *s)
{
    atomic_fetch_add(&s->n_ready, 1);
    while (atomic_load(&s->n_ready) < N_WORKERS) sched_yield();
}

static void *work(void *arg)
{
    const worker *w = arg;
    shared *s = w->shared;

    wait_for_others(s);
    for (int i = 0; i < N_SESSIONS; i++) {
        ingot_session *session = session_of(s->model, 1 + (i + (int)w->seed) % 3, NULL);
        ingot_session *other = session ? session_of(s->model, 0, session) : NULL;

        for (int run = 0; run < N_RUNS; run++) {
            const int shape = run % N_SHAPES;
            ingot_session *in_turn = run % 3 == 2 ? other : session;

            if (!in_turn ||
                outputs_of(s->model, in_turn, shape, w->seed) != s->want[shape][w->seed])
                atomic_fetch_add(&s->n_bad, 1);
        }
        ingot_session_destroy(other);
        ingot_session_destroy(session);
    }
    return NULL;
}

/* What a lone session says, from a model of its own, so that the shared one is still unused. */
static bool find_wanted(shared *s, const char *path)
{
    ingot_model *model = NULL;
    ingot_error err = { 0 };

    if (!CHECK(ingot_model_open(path, NULL, &model, &err) == INGOT_OK)) {
        printf("  %s\n", err.message);
        return false;
    }
    ingot_session *session = session_of(model, 1, NULL);
    for (int shape = 0; session && shape < N_SHAPES; shape++)
        for (unsigned seed = 0; seed < N_WORKERS; seed++)
            s->want[shape][seed] = outputs_of(model, session, shape, seed);
    CHECK(session && s->want[0][0] != 0);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return session != NULL;
}

static void test_many_sessions(const char *path)
{
    shared s = { 0 };
    worker workers[N_WORKERS];

    if (!find_wanted(&s, path)) return;
    if (!CHECK(ingot_model_open(path, NULL, &s.model, NULL) == INGOT_OK)) return;
    for (unsigned i = 0; i < N_WORKERS; i++) {
        workers[i] = (worker){ .shared = &s, .seed = i };
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < N_WORKERS; i++) pthread_join(workers[i].thread, NULL);
    ingot_model_close(s.model);
    if (!CHECK(atomic_load(&s.n_bad) == 0))
        printf("  %s: %d runs gave something else\n", path, atomic_load(&s.n_bad));
}

/* ---- sessions that outlive the model's handle ---- */

typedef struct heir {
    ingot_session *session;
    feed inputs;
    ingot_status status;
    pthread_t thread;
} heir;

static void *run_and_destroy(void *arg)
{
    heir *h = arg;

    h->status = feed_run(&h->inputs, h->session, NULL);
    ingot_session_destroy(h->session);
    return NULL;
}

static void test_close_before_sessions(const char *path)
{
    ingot_model *model = NULL;
    heir heirs[N_WORKERS];

    if (!CHECK(ingot_model_open(path, NULL, &model, NULL) == INGOT_OK)) return;
    for (int i = 0; i < N_WORKERS; i++) {
        heirs[i].session = session_of(model, 2, NULL);
        feed_make(&heirs[i].inputs, model, 2, (unsigned)i);
    }
    for (int i = 0; i < N_WORKERS; i++)
        CHECK(pthread_create(&heirs[i].thread, NULL, run_and_destroy, &heirs[i]) == 0);
    ingot_model_close(model);
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_join(heirs[i].thread, NULL);
        CHECK(heirs[i].status == INGOT_OK);
        feed_free(&heirs[i].inputs);
    }
}

/* ---- cancel ---- */

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

typedef struct canceller {
    ingot_session *session;
    atomic_bool is_over;
} canceller;

/* Asks again and again: a request that comes before the run begins has nothing to stop. */
static void *cancel(void *arg)
{
    canceller *c = arg;

    while (!atomic_load(&c->is_over)) {
        sleep_ms(5);
        ingot_session_cancel(c->session);
    }
    return NULL;
}

/* A Loop without end stops, and the session runs into the same end again. */
static void test_cancel_endless(const char *path)
{
    ingot_model *model = NULL;
    ingot_error err = { 0 };
    feed f;

    if (!CHECK(ingot_model_open(path, NULL, &model, &err) == INGOT_OK)) {
        printf("  %s\n", err.message);
        return;
    }
    canceller c = { .session = session_of(model, 1, NULL) };
    feed_make(&f, model, 2, 0);
    for (int i = 0; CHECK(c.session != NULL) && i < 3; i++) {
        pthread_t thread;

        atomic_store(&c.is_over, false);
        if (!CHECK(pthread_create(&thread, NULL, cancel, &c) == 0)) break;
        const ingot_status status = feed_run(&f, c.session, &err);
        atomic_store(&c.is_over, true);
        pthread_join(thread, NULL);
        CHECK(status == INGOT_ERR_CANCELLED && feed_is_clean_error(&err, status));
        CHECK(ingot_session_output(c.session, 0) == NULL);
    }
    feed_free(&f);
    ingot_session_destroy(c.session);
    ingot_model_close(model);
}

/* A short run either ends well or is cancelled; the next one, left alone, is right. */
static void test_cancel_anytime(const char *path)
{
    ingot_model *model = NULL;
    pthread_t thread;

    if (!CHECK(ingot_model_open(path, NULL, &model, NULL) == INGOT_OK)) return;
    canceller c = { .session = session_of(model, 2, NULL) };
    const uint64_t want = outputs_of(model, c.session, 0, 1);
    feed f;
    feed_make(&f, model, 2, 1);
    if (CHECK(want != 0) && CHECK(pthread_create(&thread, NULL, cancel, &c) == 0)) {
        for (int i = 0; i < 200; i++) {
            const ingot_status status = feed_run(&f, c.session, NULL);

            CHECK(status == INGOT_OK ? feed_outputs(model, c.session) == want
                                     : status == INGOT_ERR_CANCELLED);
        }
        atomic_store(&c.is_over, true);
        pthread_join(thread, NULL);
        CHECK(outputs_of(model, c.session, 0, 1) == want);
    }
    feed_free(&f);
    ingot_session_destroy(c.session);
    ingot_model_close(model);
}

/* Arguments: a model whose run has no end, then ordinary ones. */
int main(int argc, char **argv)
{
    CHECK(argc > 2);
    if (argc > 1) test_cancel_endless(argv[1]);
    for (int i = 2; i < argc; i++) {
        test_many_sessions(argv[i]);
        test_close_before_sessions(argv[i]);
        test_cancel_anytime(argv[i]);
    }
    return check_report();
}
