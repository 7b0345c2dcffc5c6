/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged models: each file is truncated, its bits are flipped, and its fields are given other
 * numbers and lengths, always in the same way. What remains is opened and run with a bound on
 * memory and a timer that cancels. Whatever happens ends in a result or in one clean line, soon.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "feed.h"
#include "unit/check.h"

#define N_MUTATIONS 300 /* of each file */
#define MAX_MEMORY_BYTES ((size_t)64 << 20)
#define CANCEL_NS 2000000000u
#define MAX_NS 60000000000u /* of one mutation: sanitizers and busy machines are slow */
#define MAX_FIELDS 4096

/* ---- the timer ---- */

typedef struct watch {
    pthread_mutex_t lock;
    ingot_session *session; /* that runs; NULL: none */
    uint64_t begin_ns;
    int n_cancelled;
    bool is_over;
} watch;

static watch timer = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *watch_runs(void *unused)
{
    bool is_over = false;

    while (!is_over) {
        usleep(20000);
        pthread_mutex_lock(&timer.lock);
        if (timer.session && ig_clock_ns() - timer.begin_ns > CANCEL_NS) {
            ingot_session_cancel(timer.session);
            timer.n_cancelled++;
        }
        is_over = timer.is_over;
        pthread_mutex_unlock(&timer.lock);
    }
    return unused;
}

static void set_timer(ingot_session *session)
{
    pthread_mutex_lock(&timer.lock);
    timer.session = session;
    timer.begin_ns = ig_clock_ns();
    pthread_mutex_unlock(&timer.lock);
}

/* ---- mutations ---- */

/* A field of a message somewhere in the file: where its number or length stands. */
typedef struct field {
    size_t at, n;
    bool is_length;
} field;

typedef struct fields {
    field items[MAX_FIELDS];
    size_t n;
} fields;

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static bool read_varint(const uint8_t *data, size_t end, size_t *at, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = data[(*at)++];

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static void add_field(fields *list, size_t at, size_t n, bool is_length)
{
    if (list->n < MAX_FIELDS) list->items[list->n++] = (field){ at, n, is_length };
}

/* Notes the fields of [at, end) if it is a message; whatever parses as one is taken for one. */
static bool find_fields(const uint8_t *data, size_t at, size_t end, int depth, fields *list)
{
    const size_t before = list->n;

    while (at < end) {
        uint64_t tag, value;
        size_t begin;

        if (!read_varint(data, end, &at, &tag) || tag >> 3 == 0) break;
        begin = at;
        if ((tag & 7) == 5 || (tag & 7) == 1) {
            if (end - at < ((tag & 7) == 5 ? 4u : 8u)) break;
            at += (tag & 7) == 5 ? 4 : 8;
            continue;
        }
        if (((tag & 7) != 0 && (tag & 7) != 2) || !read_varint(data, end, &at, &value)) break;
        add_field(list, begin, at - begin, (tag & 7) == 2);
        if ((tag & 7) == 0) continue;
        if (value > end - at) break;
        if (depth < 12 && value > 1) find_fields(data, at, at + (size_t)value, depth + 1, list);
        at += (size_t)value;
    }
    if (at != end) list->n = before;
    return at == end;
}

static size_t write_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7) to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

/* Another number in a field. In one half of the cases what follows moves, so that the lengths round
 * the field are wrong; in the other it takes the place of the old number. */
static size_t edit_field(uint8_t *data, size_t n, const field *f, uint64_t random)
{
    static const uint64_t numbers[] = {
        0,          1,          2,          3,          7,          8,          9,
        16,         127,        128,        255,        65535,      65536,      INT32_MAX,
        UINT32_MAX, 1ull << 31, 1ull << 40, INT64_MAX,  UINT64_MAX, 1ull << 63, UINT64_MAX - 1,
        1000000,    1ull << 62, 4294967297, 1ull << 33,
    };
    uint8_t bytes[10];
    size_t n_bytes = write_varint(bytes, numbers[random % (sizeof numbers / sizeof *numbers)]);

    if ((random >> 32 & 1) && n_bytes > f->n) { /* keep all lengths right */
        memset(bytes, 0xff, f->n);
        bytes[f->n - 1] = 0x7f;
        n_bytes = f->n;
    }
    memmove(data + f->at + n_bytes, data + f->at + f->n, n - f->at - f->n);
    memcpy(data + f->at, bytes, n_bytes);
    return n - f->n + n_bytes;
}

/* Mutation i of the n bytes at `data`, which has room for 64 more; returns the new size. */
static size_t mutate(uint8_t *data, size_t n, const fields *list, int i)
{
    uint64_t state = (uint64_t)i * 7919 + 1;

    if (n == 0) return 0;
    if (i % 5 == 0) return (size_t)(next_random(&state) % n);
    if (i % 5 <= 2 || list->n == 0) {
        for (int flips = 1 + i % 3; flips > 0; flips--) {
            const uint64_t random = next_random(&state);

            data[(random >> 8) % n] ^= (uint8_t)(1u << (random & 7));
        }
        return n;
    }
    for (int edits = i % 5 - 2; edits > 0; edits--) {
        /* Only the last edit may change the size: the fields' places hold until then. */
        const field *f = &list->items[next_random(&state) % list->n];
        const uint64_t random = next_random(&state);

        if (edits > 1)
            data[f->at + f->n - 1] = (uint8_t)(random & 0x7f);
        else
            n = edit_field(data, n, f, random);
    }
    return n;
}

/* ---- one damaged model ---- */

typedef struct tally {
    int n_refused, n_failed, n_run;
} tally;

static void run_model(ingot_model *model, const char *name, int i, tally *t)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    ingot_session *session = NULL;
    ingot_error err = { 0 };
    feed f;

    options.n_threads = 1 + i % 2;
    ingot_status status = ingot_session_create(model, &options, &session, &err);
    feed_make(&f, model, 2, (unsigned)i);
    if (!status) {
        set_timer(session);
        status = feed_run(&f, session, &err);
        set_timer(NULL);
    }
    /* All outputs are read, so that sanitizers see what is not there. */
    const bool is_good = status ? feed_is_clean_error(&err, status) && status != INGOT_ERR_INTERNAL
                                : feed_outputs(model, session) != 0;
    if (!CHECK(is_good))
        printf("  %s, mutation %d, run: %s: %s\n", name, i, ingot_status_name(status), err.message);
    status ? t->n_failed++ : t->n_run++;
    feed_free(&f);
    ingot_session_destroy(session);
}

static void try_bytes(const void *data, size_t n, const char *name, int i, tally *t)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_model *model = NULL;
    ingot_error err = { 0 };
    ingot_memory_stats stats;

    options.opt_level = i & 1 ? INGOT_OPT_ALL : INGOT_OPT_NONE;
    options.max_memory_bytes = MAX_MEMORY_BYTES;
    const ingot_status status = ingot_model_open_memory(data, n, &options, &model, &err);
    if (status) {
        t->n_refused++;
        if (!CHECK(feed_is_clean_error(&err, status) && status != INGOT_ERR_INTERNAL))
            printf("  %s, mutation %d, open: %s: %s\n", name, i, ingot_status_name(status),
                   err.message);
        return;
    }
    run_model(model, name, i, t);
    ingot_model_memory(model, &stats);
    CHECK(stats.total_peak_bytes <= MAX_MEMORY_BYTES);
    ingot_model_close(model);
}

static void test_file(const char *path, int only)
{
    static fields list;
    ig_file file;
    tally t = { 0 };

    if (!CHECK(ig_file_open(path, &file, NULL) == INGOT_OK)) return;
    list.n = 0;
    find_fields(file.data, 0, file.bytes, 0, &list);
    for (int i = only < 0 ? 0 : only; i < (only < 0 ? N_MUTATIONS : only + 1); i++) {
        /* Exactly as long as the data, so that sanitizers see every overread. */
        uint8_t *room = malloc(file.bytes + 64), *exact = NULL;
        const uint64_t begin_ns = ig_clock_ns();

        memcpy(room, file.data, file.bytes);
        const size_t n = mutate(room, file.bytes, &list, i);
        exact = malloc(n ? n : 1);
        memcpy(exact, room, n);
        try_bytes(exact, n, path, i, &t);
        free(exact);
        free(room);
        if (!CHECK(ig_clock_ns() - begin_ns < MAX_NS)) printf("  %s, mutation %d\n", path, i);
        const uint64_t ms = (ig_clock_ns() - begin_ns) / 1000000;
        if (ms > 500) printf("%s, mutation %d: %d ms\n", path, i, (int)ms);
    }
    printf("%s: %zu fields; %d refused, %d failed in a run, %d ran\n", path, list.n, t.n_refused,
           t.n_failed, t.n_run);
    fflush(stdout);
    ig_file_close(&file);
}

/* Arguments: model files. FILE:N makes mutation N alone. */
int main(int argc, char **argv)
{
    pthread_t thread;

    CHECK(argc > 1);
    if (!CHECK(pthread_create(&thread, NULL, watch_runs, NULL) == 0)) return check_report();
    for (int i = 1; i < argc; i++) {
        char *colon = strrchr(argv[i], ':');
        const int only = colon ? atoi(colon + 1) : -1;

        if (colon) *colon = '\0';
        test_file(argv[i], only);
    }
    pthread_mutex_lock(&timer.lock);
    timer.is_over = true;
    pthread_mutex_unlock(&timer.lock);
    pthread_join(thread, NULL);
    return check_report();
}
