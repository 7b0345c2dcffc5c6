/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/eval/dataset.h"

#include <string.h>
#include <sys/stat.h>

#define DEFAULT_BATCH 8

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Inputs that neither --input nor the data set give. */
static ig_status check_inputs(ig_dataset *d)
{
    const ig_engine *e = d->engine;
    for (size_t i = 0; i < e->n_inputs; i++)
        if (e->feeds[i] && ingot_value_kind(e->feeds[i]) != INGOT_KIND_TENSOR)
            return ig_fail(&d->cli->err, INGOT_ERR_UNSUPPORTED,
                           "%s: input '%s' is no tensor, which eval feeds alone", e->path,
                           e->inputs[i].name);
    return INGOT_OK;
}

ig_status ig_dataset_open(ig_dataset *d, const char *path)
{
    const int n_wished = d->cli->options.n_batch;
    d->path = path;
    ig_arena_init(&d->scratch, d->cli->alloc, INGOT_MEM_OTHER);
    d->n_batch = n_wished ? (size_t)n_wished : DEFAULT_BATCH;
    IG_TRY(check_inputs(d));
    IG_TRY(is_folder(path)                        ? ig_folder_open(d)
           : ig_file_kind_of(path) == IG_FILE_NPZ ? ig_rows_open(d)
                                                  : ig_list_open(d));
    if (d->n_expected == 0)
        return ig_fail(&d->cli->err, INGOT_ERR_INVALID, "%s: has no items", path);
    const int64_t limit = d->cli->options.limit;
    if (limit && (uint64_t)limit < d->n_expected) d->n_expected = (size_t)limit;
    d->items = ig_arena_array(&d->cli->arena, IG_MAX_BATCH, sizeof *d->items);
    return d->items ? INGOT_OK : IG_NOMEM(&d->cli->err, IG_MAX_BATCH * sizeof *d->items);
}

bool ig_dataset_wants_more(const ig_dataset *d)
{
    const int64_t limit = d->cli->options.limit;
    return !limit || d->n_taken < (uint64_t)limit;
}

ig_status ig_dataset_next(ig_dataset *d)
{
    d->release(d);
    ig_arena_reset(&d->scratch);
    d->n = d->n_fed = 0;
    return d->next(d);
}

void ig_dataset_close(ig_dataset *d)
{
    if (d->more) {
        d->release(d);
        d->close(d);
    }
    ig_arena_deinit(&d->scratch);
    *d = (ig_dataset){ 0 };
}

ig_status ig_dataset_leave_out(ig_dataset *d, const char *place, ig_status status)
{
    ig_error *err = &d->cli->err;
    ig_error_prepend(err, "%s", place);
    if (!d->cli->options.keep_going || status == INGOT_ERR_CANCELLED || status == INGOT_ERR_NOMEM)
        return status;
    const char *message = ig_arena_strdup(&d->cli->arena, err->message);
    ig_error_clear(err);
    if (!message ||
        !IG_ARENA_PUSH(&d->cli->arena, d->failures, d->n_failures, d->cap_failures, message))
        return IG_NOMEM(err, 0);
    return INGOT_OK;
}
