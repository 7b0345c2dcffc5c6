/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same model at addresses of every alignment: large constants are used where they lie, so each
 * reader of one must be ready for that. Results are the same; the undefined-behaviour sanitizer
 * finds the reader that is not.
 */
#include <stdio.h>

#include "base/file.h"
#include "feed.h"
#include "unit/check.h"

#define N_OFFSETS 8

static uint64_t outputs_at(const void *data, size_t n, ingot_opt_level level, const char *cpu)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    ingot_error err = { 0 };
    uint64_t hash = 0;
    feed f;

    options.opt_level = level;
    options.cpu = cpu;
    if (!CHECK(ingot_model_open_memory(data, n, &options, &model, &err) == INGOT_OK)) {
        printf("  %s\n", err.message);
        return 0;
    }
    feed_make(&f, model, 2, 0);
    if (ingot_session_create(model, NULL, &session, &err) == INGOT_OK &&
        feed_run(&f, session, &err) == INGOT_OK)
        hash = feed_outputs(model, session);
    if (!CHECK(hash != 0)) printf("  %s\n", err.message);
    feed_free(&f);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return hash;
}

static void test_file(const char *path, ingot_opt_level level, const char *cpu)
{
    ig_file file;
    uint64_t first = 0;

    if (!CHECK(ig_file_open(path, &file, NULL) == INGOT_OK)) return;
    for (size_t offset = 0; offset < N_OFFSETS; offset++) {
        uint8_t *copy = malloc(file.bytes + offset);

        memcpy(copy + offset, file.data, file.bytes);
        const uint64_t hash = outputs_at(copy + offset, file.bytes, level, cpu);
        if (offset == 0) first = hash;
        if (!CHECK(hash == first))
            printf("  %s, level %d, cpu %s, offset %zu: another result\n", path, (int)level, cpu,
                   offset);
        free(copy);
    }
    ig_file_close(&file);
}

/* Arguments: model files. */
int main(int argc, char **argv)
{
    static const char *const cpus[] = { "ref", "portable", "avx2" };

    CHECK(argc > 1);
    for (int i = 1; i < argc; i++)
        for (int level = INGOT_OPT_ALL; level <= INGOT_OPT_NONE; level++)
            for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++)
                test_file(argv[i], (ingot_opt_level)level, cpus[c]);
    return check_report();
}
