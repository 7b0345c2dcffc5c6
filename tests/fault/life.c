/* SPDX-License-Identifier: Apache-2.0 */
#include "life.h"

#include <pthread.h>
#include <stdio.h>

#include "conformance/test_data.h"
#include "feed.h"

#define MARGIN_BYTES 64 /* in front of each block: its size and purpose, kept alignment */

/* ---- an allocator that fails and counts ---- */

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

atomic_int life_threads_left = LIFE_MANY_THREADS;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);

/* The linker sends the library's calls here (--wrap). */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    if (atomic_fetch_sub(&life_threads_left, 1) <= 0) return 11; /* EAGAIN */
    return __real_pthread_create(thread, attr, fn, arg);
}

/* ---- one life of a model ---- */

const char *const life_stage_names[LIFE_N_STAGES] = { "open", "session", "first run", "second run",
                                                      "all" };

/* Inputs made up, or from the files of a test; those without a file stay NULL. False: a file cannot
 * be read, and the outcome says so. */
static bool make_feed(feed *f, const life *l, const ingot_model *model, int64_t free_dim,
                      outcome *o)
{
    if (!l->data) {
        feed_make(f, model, free_dim, 0);
        return true;
    }
    *f = (feed){ .n = ingot_model_n_inputs(model) };
    if (f->n > FEED_MAX_INPUTS) f->n = FEED_MAX_INPUTS;
    for (size_t i = 0; i < f->n && !o->status; i++)
        o->status = test_data_input(l->data, model, i, &f->values[i], &o->err);
    if (o->status) feed_free(f);
    return o->status == INGOT_OK;
}

static bool run_with(const life *l, ingot_model *model, ingot_session *session, int64_t free_dim,
                     uint64_t *result, outcome *o)
{
    feed f;

    if (!make_feed(&f, l, model, free_dim, o)) return false;
    o->status = feed_run(&f, session, &o->err);
    *result = o->status ? 0 : feed_outputs(model, session);
    feed_free(&f);
    return o->status == INGOT_OK;
}

static void use_session(const life *l, ingot_model *model, ingot_session *session, outcome *o)
{
    o->stage = LIFE_FIRST_RUN;
    if (!run_with(l, model, session, 2, &o->first, o)) return;
    o->stage = LIFE_SECOND_RUN;
    if (l->has_second && !run_with(l, model, session, 3, &o->second, o)) return;
    o->stage = LIFE_ALL;
}

/* A session that had no memory works as soon as there is some. */
static bool works_again(const life *l, ingot_model *model, ingot_session *session,
                        const outcome *want)
{
    outcome o = { 0 };

    l->memory->fail_at = 0;
    use_session(l, model, session, &o);
    if (o.status)
        printf("  %s: after a failure, in %s: %s\n", l->path, life_stage_names[o.stage],
               o.err.message);
    return o.status == INGOT_OK && o.first == want->first && o.second == want->second;
}

outcome life_live(const life *l, const outcome *want)
{
    const ingot_allocator allocator = { l->memory, counting_alloc, counting_free };
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_session_options session_options = INGOT_SESSION_OPTIONS_INIT;
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    outcome o = { .stage = LIFE_OPEN, .is_sound = true };
    ingot_memory_stats stats = { 0 };

    options.opt_level = l->level;
    options.max_memory_bytes = l->max_memory_bytes;
    if (l->memory) options.allocator = &allocator;
    session_options.n_threads = l->n_threads;
    o.status = ingot_model_open(l->path, &options, &model, &o.err);
    if (o.status) {
        o.is_sound = model == NULL;
        return o;
    }
    o.stage = LIFE_SESSION;
    o.status = ingot_session_create(model, &session_options, &session, &o.err);
    if (o.status) o.is_sound = session == NULL;
    if (!o.status) use_session(l, model, session, &o);
    if (o.status && session && want) o.is_sound = works_again(l, model, session, want);
    ingot_session_destroy(session);
    ingot_model_memory(model, &stats);
    o.peak_bytes = stats.total_peak_bytes;
    ingot_model_close(model);
    return o;
}
