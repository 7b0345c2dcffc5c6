/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model file beside which there are a few files of data, links, a folder, and a file
 * one folder up that it may not have. Whatever it asks for, no constant holds what stands there
 * unless links are allowed.
 */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "import/onnx/onnx.h"

#define SECRET "this is none of the model's business"

static char top[64], model_path[96];

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path);
}

static void remove_all(void) { nftw(top, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

static void put_file(const char *name, const void *data, size_t bytes)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
        FUZZ_FOUND("cannot write %s", path);
}

static void prepare(void)
{
    uint8_t counting[8192];
    char name[160];
    snprintf(top, sizeof top, "%s/ingot-fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(top)) FUZZ_FOUND("no folder");
    atexit(remove_all);
    snprintf(model_path, sizeof model_path, "%s/dir/model.onnx", top);
    for (size_t i = 0; i < sizeof counting; i++) counting[i] = (uint8_t)(i * 7);
    static const char *const folders[] = { "dir", "dir/sub" };
    for (size_t i = 0; i < IG_COUNT(folders); i++) {
        snprintf(name, sizeof name, "%s/%s", top, folders[i]);
        mkdir(name, 0700);
    }
    put_file("secret", SECRET, sizeof SECRET);
    put_file("dir/w.bin", counting, 64);
    put_file("dir/sub/w.bin", counting, sizeof counting);
    put_file("dir/empty", counting, 0);
    snprintf(name, sizeof name, "%s/dir/link", top);
    if (symlink("../secret", name)) FUZZ_FOUND("no link");
    snprintf(name, sizeof name, "%s/dir/loop", top);
    if (symlink("loop", name)) FUZZ_FOUND("no link");
    snprintf(name, sizeof name, "%s/dir/up", top);
    if (symlink("..", name)) FUZZ_FOUND("no link");
}

/* All bytes are read, so that a sanitizer sees those that are not there. */
static void check_constants(const ig_graph *g, bool allow_links)
{
    for (size_t i = 0; i < g->n_values; i++) {
        const ig_tensor *t = g->values[i] ? g->values[i]->info.data : NULL;
        size_t bytes = 0;
        unsigned sum = 0;
        if (!t || t->dtype == INGOT_STRING || ig_tensor_bytes(t, &bytes)) continue;
        for (size_t k = 0; k < bytes; k++) sum += ((const uint8_t *)t->data)[k];
        if (sum > 255 * bytes) abort();
        if (!allow_links && bytes >= 8 && memmem(t->data, bytes, "business", 8))
            FUZZ_FOUND("a constant holds what lies outside the folder");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_graph f;
    ig_onnx_model model;
    ig_file file = { 0 };
    if (!top[0]) prepare();
    if (memmem(data, bytes, "business", 8)) return 0;
    fuzz_begin(&f);
    put_file("dir/model.onnx", data, bytes);
    const ig_limits limits = { .max_tensor_bytes = FUZZ_MAX_BYTES / 8,
                               .allow_links = fuzz_choice(data, bytes) & 1 };
    ig_status status = ig_file_open(model_path, &file, &f.err);
    if (!status)
        status = ig_onnx_import(file.data, file.bytes, model_path, &f.arena, &f.dims, &f.alloc,
                                NULL, &limits, &model, &f.err);
    if (status) {
        fuzz_check_error(&f.err, status);
    } else {
        check_constants(model.graph, limits.allow_links);
        ig_onnx_model_deinit(&model);
    }
    ig_file_close(&file);
    fuzz_end(&f);
    return 0;
}
