/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out: each allocation of opening a model, preparing it and running it fails in
 * turn, alone or with all that follow, until the whole sequence succeeds. Then the same with a
 * bound on memory that grows, and with threads that the system refuses. Every failure is one clean
 * line with the right status; all bytes come back; the session works once there is memory again.
 *
 *   allocations PATH…    model files, folders of them, and tests of the ONNX backend suite: folders
 *                        with model.onnx and test_data_set_0. Of those only the allocations fail.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "feed.h"
#include "life.h"
#include "unit/check.h"

#define N_BOUNDS 48   /* steps of the sweep over bounds */
#define MAX_FAILED 40 /* what is broken is broken everywhere */

static int n_models;

static void check_failure(const life *l, const outcome *o, const char *what, int64_t k)
{
    const ingot_status want = l->max_memory_bytes ? INGOT_ERR_LIMIT : INGOT_ERR_NOMEM;
    const bool is_ok = o->status == want && feed_is_clean_error(&o->err, o->status);
    if (!CHECK(is_ok))
        printf("  %s, level %d, %s %lld, %s: %s: %s\n", l->path, (int)l->level, what, (long long)k,
               life_stage_names[o->stage], ingot_status_name(o->status), o->err.message);
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

/* Let the k-th allocation fail for k = 1, 2, … until nothing fails any more. Returns the last k. */
static int64_t fail_each(life *l, const outcome *want, bool all_after, int n_failed[LIFE_N_STAGES])
{
    const char *what = all_after ? "from allocation" : "allocation";

    for (int64_t k = 1;; k++) {
        counting memory = { .fail_at = k, .all_after = all_after };

        l->memory = &memory;
        const outcome o = life_live(l, want);
        l->memory = NULL;
        const bool has_failed = atomic_load(&memory.n_failed) > 0;
        CHECK(o.is_sound);
        if (o.status)
            check_failure(l, &o, what, k);
        else
            check_result(l, &o, want, what, k);
        if (o.status) n_failed[o.stage]++;
        check_given_back(&memory);
        if (!has_failed || check_counts.n_failed > MAX_FAILED) return k - 1;
    }
}

/* Bounds from next to nothing to more than what is needed. */
static void raise_bound(life *l, const outcome *want)
{
    for (int64_t i = 1; i <= N_BOUNDS + 1; i++) {
        counting memory = { 0 };

        l->memory = &memory;
        l->max_memory_bytes = want->peak_bytes * (size_t)i / N_BOUNDS + 1;
        const outcome o = life_live(l, NULL);
        CHECK(o.is_sound);
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
        atomic_store(&life_threads_left, n);
        const outcome o = life_live(l, NULL);
        if (!CHECK(o.status == INGOT_OK)) printf("  %s: %s\n", l->path, o.err.message);
        check_result(l, &o, want, "threads", n);
    }
    atomic_store(&life_threads_left, LIFE_MANY_THREADS);
    l->n_threads = n_threads;
}

/* data: as in life. */
static void test_model(const char *path, const char *data, ingot_opt_level level)
{
    life l = { .path = path, .data = data, .level = level, .n_threads = 2, .has_second = !data };
    int n_failed[LIFE_N_STAGES] = { 0 };
    outcome want = life_live(&l, NULL);

    if (want.status && want.stage == LIFE_SECOND_RUN) {
        l.has_second = false;
        want = life_live(&l, NULL);
    }
    if (!CHECK(want.status == INGOT_OK)) {
        printf("  %s: %s\n", path, want.err.message);
        return;
    }
    const int64_t n = fail_each(&l, &want, false, n_failed);
    fail_each(&l, &want, true, n_failed);
    /* Every part of a model's life was reached. */
    for (int stage = LIFE_OPEN; stage <= LIFE_FIRST_RUN; stage++) CHECK(n_failed[stage] > 0);
    if (!data) {
        raise_bound(&l, &want);
        refuse_threads(&l, &want);
    }
    printf("%s at level %d: %lld allocations failed in turn\n", path, (int)level, (long long)n);
    fflush(stdout);
}

static void test_levels(const char *path, const char *data)
{
    test_model(path, data, INGOT_OPT_ALL);
    test_model(path, data, INGOT_OPT_NONE);
    n_models++;
}

/* False: not a folder of the suite. */
static bool test_suite_folder(const char *folder)
{
    char model[PATH_MAX], data[PATH_MAX];

    snprintf(model, sizeof model, "%s/model.onnx", folder);
    snprintf(data, sizeof data, "%s/test_data_set_0", folder);
    if (access(data, F_OK)) return false;
    test_levels(model, data);
    return true;
}

static void test_path(const char *path)
{
    if (test_suite_folder(path)) return;
    DIR *dir = opendir(path);
    if (!dir) test_levels(path, NULL);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        char file[PATH_MAX];
        if (entry->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        test_levels(file, NULL);
    }
    if (dir) closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) test_path(argv[i]);
    CHECK(n_models >= argc - 1 && argc > 1);
    return check_report();
}
