/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out: each allocation of opening a model, preparing it and running it fails in
 * turn, alone or with all that follow, until the whole sequence succeeds. Then the same with a
 * bound on memory that grows, and with threads that the system refuses. Every failure is one clean
 * line with the right status; all bytes come back; the session works once there is memory again.
 */
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "feed.h"
#include "unit/check.h"

#define MARGIN_BYTES 64 /* in front of each block: its size and purpose, kept alignment */
#define N_BOUNDS 48     /* steps of the sweep over bounds */

static int n_models;

/* ---- an allocator that fails and counts ---- */

typedef struct counting {
    int64_t fail_at; /* number of the allocation that fails; 0: none */
    bool all_after;  /* so do all that follow */
    atomic_int_least64_t n_allocs, n_failed, n_blocks, bytes;
    atomic_int n_wrong; /* frees that name another size or purpose */
} counting;

typedef struct margin {
    size_t bytes, align;
    ingot_mem_tag tag;
} margin;

static void *counting_alloc(void *ctx, size_t bytes, size_t align, ingot_mem_tag tag)
{
    counting *c = ctx;
    const int64_t k = atomic_fetch_add(&c->n_allocs, 1) + 1;
    const size_t offset = align > MARGIN_BYTES ? align : MARGIN_BYTES;
    void *base = NULL;

    if (c->fail_at && (c->all_after ? k >= c->fail_at : k == c->fail_at)) {
        atomic_fetch_add(&c->n_failed, 1);
        return NULL;
    }
    if (posix_memalign(&base, offset, offset + bytes) != 0) return NULL;
    uint8_t *block = (uint8_t *)base + offset;
    *(margin *)(void *)(block - MARGIN_BYTES) = (margin){ bytes, offset, tag };
    memset(block, 0xa5, bytes); /* nobody may count on zeroes */
    atomic_fetch_add(&c->n_blocks, 1);
    atomic_fetch_add(&c->bytes, (int64_t)bytes);
    return block;
}

static void counting_free(void *ctx, void *ptr, size_t bytes, ingot_mem_tag tag)
{
    counting *c = ctx;
    const margin *m = (const margin *)(const void *)((uint8_t *)ptr - MARGIN_BYTES);

    if (m->bytes != bytes || m->tag != tag) {
        atomic_fetch_add(&c->n_wrong, 1);
        printf("a block of %zu bytes for purpose %d is freed as %zu bytes for purpose %d\n",
               m->bytes, (int)m->tag, bytes, (int)tag);
    }
    atomic_fetch_sub(&c->n_blocks, 1);
    atomic_fetch_sub(&c->bytes, (int64_t)m->bytes);
    free((uint8_t *)ptr - m->align);
}

/* ---- threads that the system refuses ---- */

static atomic_int threads_left = 1000000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);

/* The linker sends the library's calls here (--wrap). */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    if (atomic_fetch_sub(&threads_left, 1) <= 0) return 11; /* EAGAIN */
    return __real_pthread_create(thread, attr, fn, arg);
}

/* ---- one life of a model ---- */

typedef struct outcome {
    ingot_status status;
    ingot_error err;
    int stage;              /* that failed */
    uint64_t first, second; /* outputs of a run, and of one with larger free dimensions */
    size_t peak_bytes;
} outcome;

enum { OPEN, SESSION, FIRST_RUN, SECOND_RUN, ALL, N_STAGES };
static const char *const stage_names[N_STAGES] = { "open", "session", "first run", "second run",
                                                   "all" };

typedef struct life {
    const char *path;
    ingot_opt_level level;
    int n_threads;
    bool has_second;  /* the model accepts larger inputs */
    counting *memory; /* NULL: malloc */
    size_t max_memory_bytes;
} life;

static bool run_with(ingot_model *model, ingot_session *session, int64_t free_dim, uint64_t *result,
                     outcome *o)
{
    feed f;

    feed_make(&f, model, free_dim, 0);
    o->status = feed_run(&f, session, &o->err);
    *result = o->status ? 0 : feed_outputs(model, session);
    feed_free(&f);
    return o->status == INGOT_OK;
}

static void use_session(const life *l, ingot_model *model, ingot_session *session, outcome *o)
{
    o->stage = FIRST_RUN;
    if (!run_with(model, session, 2, &o->first, o)) return;
    o->stage = SECOND_RUN;
    if (l->has_second && !run_with(model, session, 3, &o->second, o)) return;
    o->stage = ALL;
}

/* A session that had no memory works as soon as there is some. */
static void use_again(const life *l, ingot_model *model, ingot_session *session,
                      const outcome *want)
{
    outcome o = { 0 };

    l->memory->fail_at = 0;
    use_session(l, model, session, &o);
    if (CHECK(o.status == INGOT_OK)) {
        CHECK(o.first == want->first && o.second == want->second);
    } else {
        printf("  %s: after a failure in %s: %s\n", l->path, stage_names[o.stage], o.err.message);
    }
}

/* Open, create, run, run with other shapes, and tear down. want: what a life without failures
 * gives, to check that the session recovers; NULL: do not. */
static outcome live(const life *l, const outcome *want)
{
    const ingot_allocator allocator = { l->memory, counting_alloc, counting_free };
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_session_options session_options = INGOT_SESSION_OPTIONS_INIT;
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    outcome o = { .stage = OPEN };
    ingot_memory_stats stats = { 0 };

    options.opt_level = l->level;
    options.max_memory_bytes = l->max_memory_bytes;
    if (l->memory) options.allocator = &allocator;
    session_options.n_threads = l->n_threads;
    o.status = ingot_model_open(l->path, &options, &model, &o.err);
    if (o.status) {
        CHECK(model == NULL);
        return o;
    }
    o.stage = SESSION;
    o.status = ingot_session_create(model, &session_options, &session, &o.err);
    if (o.status) CHECK(session == NULL);
    if (!o.status) use_session(l, model, session, &o);
    if (o.status && session && want) use_again(l, model, session, want);
    ingot_session_destroy(session);
    ingot_model_memory(model, &stats);
    o.peak_bytes = stats.total_peak_bytes;
    ingot_model_close(model);
    return o;
}

static void check_failure(const life *l, const outcome *o, const char *what, int64_t k)
{
    const ingot_status want = l->max_memory_bytes ? INGOT_ERR_LIMIT : INGOT_ERR_NOMEM;
    const bool is_ok = o->status == want && feed_is_clean_error(&o->err, o->status);
    if (!CHECK(is_ok))
        printf("  %s, level %d, %s %lld, %s: %s: %s\n", l->path, (int)l->level, what, (long long)k,
               stage_names[o->stage], ingot_status_name(o->status), o->err.message);
}

static void check_result(const life *l, const outcome *o, const outcome *want, const char *what,
                         int64_t k)
{
    if (!CHECK(o->first == want->first && o->second == want->second))
        printf("  %s, level %d, %s %lld: another result\n", l->path, (int)l->level, what,
               (long long)k);
}

static void check_given_back(const counting *c)
{
    CHECK(atomic_load(&c->n_blocks) == 0);
    CHECK(atomic_load(&c->bytes) == 0);
    CHECK(atomic_load(&c->n_wrong) == 0);
}

/* Let the k-th allocation fail for k = 1, 2, … until nothing fails any more. */
static int64_t fail_each(life *l, const outcome *want, bool all_after, int n_failed[N_STAGES])
{
    for (int64_t k = 1;; k++) {
        counting memory = { .fail_at = k, .all_after = all_after };

        l->memory = &memory;
        const outcome o = live(l, want);
        const bool has_failed = atomic_load(&memory.n_failed) > 0;
        if (o.status)
            check_failure(l, &o, all_after ? "from allocation" : "allocation", k);
        else
            check_result(l, &o, want, all_after ? "from allocation" : "allocation", k);
        if (o.status) n_failed[o.stage]++;
        check_given_back(&memory);
        l->memory = NULL;
        if (!has_failed || check_counts.n_failed > 40) return k - 1;
    }
}

/* Bounds from next to nothing to more than what is needed. */
static void raise_bound(life *l, const outcome *want)
{
    for (int64_t i = 1; i <= N_BOUNDS + 1; i++) {
        counting memory = { 0 };

        l->memory = &memory;
        l->max_memory_bytes = want->peak_bytes * (size_t)i / N_BOUNDS + 1;
        const outcome o = live(l, NULL);
        if (o.status)
            check_failure(l, &o, "bound", (int64_t)l->max_memory_bytes);
        else
            check_result(l, &o, want, "bound", (int64_t)l->max_memory_bytes);
        CHECK(o.peak_bytes <= l->max_memory_bytes);
        if (i > N_BOUNDS) CHECK(o.status == INGOT_OK);
        check_given_back(&memory);
    }
    l->memory = NULL;
    l->max_memory_bytes = 0;
}

static void refuse_threads(life *l, const outcome *want)
{
    const int n_threads = l->n_threads;

    l->n_threads = 4;
    for (int n = 0; n < 4; n++) {
        atomic_store(&threads_left, n);
        const outcome o = live(l, NULL);
        if (!CHECK(o.status == INGOT_OK)) printf("  %s: %s\n", l->path, o.err.message);
        check_result(l, &o, want, "threads", n);
    }
    atomic_store(&threads_left, 1000000);
    l->n_threads = n_threads;
}

static void test_model(const char *path, ingot_opt_level level)
{
    life l = { .path = path, .level = level, .n_threads = 2, .has_second = true };
    outcome want = live(&l, NULL);

    if (want.status && want.stage == SECOND_RUN) {
        l.has_second = false;
        want = live(&l, NULL);
    }
    if (!CHECK(want.status == INGOT_OK)) {
        printf("  %s: %s\n", path, want.err.message);
        return;
    }
    int n_failed[N_STAGES] = { 0 };
    const int64_t n = fail_each(&l, &want, false, n_failed);
    fail_each(&l, &want, true, n_failed);
    /* Every part of a model's life was reached. */
    for (int stage = OPEN; stage <= FIRST_RUN; stage++) CHECK(n_failed[stage] > 0);
    raise_bound(&l, &want);
    refuse_threads(&l, &want);
    printf("%s at level %d: %lld allocations failed in turn\n", path, (int)level, (long long)n);
    fflush(stdout);
}

static void test_levels(const char *path)
{
    test_model(path, INGOT_OPT_ALL);
    test_model(path, INGOT_OPT_NONE);
    n_models++;
}

/* Arguments: model files, and folders of them. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (!dir) test_levels(argv[i]);
        for (const struct dirent *entry; dir && (entry = readdir(dir));) {
            char path[PATH_MAX];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            test_levels(path);
        }
        if (dir) closedir(dir);
    }
    CHECK(n_models >= argc - 1 && argc > 1);
    return check_report();
}
