/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: data sets that are lines of a file, a tab and what is right: a class, a text, boxes, or a
 * file with the outputs. Pictures come in batches, other files one at a time. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/eval/dataset.h"
#include "cli/items.h"

typedef struct list {
    ig_file file;
    const char *text, *base;
    size_t bytes, at, line;
    bool is_folder;
    size_t picture_input, file_input; /* that the files are for */
    /* pictures */
    bool has_format;
    size_t n_fixed; /* rows that the model wants, no more and no less; 0: any number */
    ig_picture_format format;
    ig_picture_batch batch;
    /* the batch's input and stored outputs */
    ingot_value *value;
    bool has_file;
    ig_npz npz, expected_npz;
    ig_loaded *expected;
    size_t n_expected;
} list;

/* One line, cut at its tabs; NULL label: it has no tab. */
typedef struct row {
    const char *file, *label;
} row;

/* ---- lines ---- */

/* The line at l->at, moving behind it. False at the end. */
static bool next_line(list *l, const char **line, size_t *n)
{
    if (l->at >= l->bytes) return false;
    const char *begin = l->text + l->at, *end = memchr(begin, '\n', l->bytes - l->at);
    *n = end ? (size_t)(end - begin) : l->bytes - l->at;
    l->at += *n + 1;
    l->line++;
    if (*n && begin[*n - 1] == '\r') --*n;
    *line = begin;
    return true;
}

static bool is_item(const char *line, size_t n) { return n > 0 && line[0] != '#'; }

static size_t count_items(list *l)
{
    const char *line;
    size_t n, n_items = 0;
    while (next_line(l, &line, &n)) n_items += is_item(line, n);
    l->at = l->line = 0;
    return n_items;
}

static ig_status cut(ig_dataset *d, const char *line, size_t n, row *out)
{
    const char *tab = memchr(line, '\t', n);
    const size_t n_file = tab ? (size_t)(tab - line) : n;
    const char *label = tab ? tab + 1 : NULL;
    const size_t n_rest = tab ? n - n_file - 1 : 0;
    const char *tab2 = label ? memchr(label, '\t', n_rest) : NULL;
    const list *l = d->more;
    *out = (row){ 0 };
    if (memchr(line, '\0', n))
        return ig_fail(&d->cli->err, INGOT_ERR_PARSE, "has a byte that is no text");
    if (!label || n_file == 0)
        return ig_fail(&d->cli->err, INGOT_ERR_PARSE, "'%.*s' is no file, a tab and a label",
                       (int)(n < 60 ? n : 60), line);
    out->file =
        ig_arena_printf(&d->scratch, "%s%.*s", line[0] == '/' ? "" : l->base, (int)n_file, line);
    out->label = ig_arena_strndup(&d->scratch, label, tab2 ? (size_t)(tab2 - label) : n_rest);
    return out->file && out->label ? INGOT_OK : IG_NOMEM(&d->cli->err, n);
}

static const char *place_of(ig_dataset *d, const char *line, size_t n)
{
    const list *l = d->more;
    if (!l->is_folder) return ig_arena_printf(&d->scratch, "%s: line %zu", d->path, l->line);
    const char *tab = memchr(line, '\t', n);
    return ig_arena_printf(&d->scratch, "%s%.*s", l->base, (int)(tab ? (size_t)(tab - line) : n),
                           line);
}

/* ---- stored outputs ---- */

static ig_status set_expected(ig_dataset *d, ig_item_truth *truth, const char **names)
{
    list *l = d->more;
    const ingot_value **values = ig_arena_array(&d->scratch, l->n_expected + 1, sizeof *values);
    if (!values) return IG_NOMEM(&d->cli->err, 0);
    for (size_t i = 0; i < l->n_expected; i++) values[i] = l->expected[i].value;
    truth->has_expected = true;
    truth->expected = (ig_answer){ l->n_expected, names, values, 0, 1 };
    return INGOT_OK;
}

/* The label is a file beside the list: one array for the first output, or an archive by names. */
static ig_status read_expected(ig_dataset *d, const char *label, ig_item_truth *truth)
{
    list *l = d->more;
    ig_cli *cli = d->cli;
    const char *path = ig_arena_printf(&d->scratch, "%s%s", label[0] == '/' ? "" : l->base, label);
    if (!path) return IG_NOMEM(&cli->err, 0);
    const bool is_archive = ig_file_kind_of(path) == IG_FILE_NPZ;
    if (is_archive) IG_TRY(ig_npz_open(&d->scratch, path, &l->expected_npz, &cli->err));
    const size_t n = is_archive ? l->expected_npz.n : 1;
    const char **names = ig_arena_array(&d->scratch, n + 1, sizeof *names);
    l->expected = ig_arena_array(&d->scratch, n + 1, sizeof *l->expected);
    if (!names || !l->expected) return IG_NOMEM(&cli->err, 0);
    ingot_io_info info = { 0 };
    ig_shape shape;
    ingot_model_output(d->engine->model, 0, &info);
    shape.rank = info.rank;
    memcpy(shape.dims, info.dims, sizeof shape.dims);
    for (size_t i = 0; i < n; i++) {
        ig_loaded *one = &l->expected[i];
        if (is_archive) names[i] = l->expected_npz.members[i].name;
        IG_TRY(is_archive ? ig_npz_read(&l->expected_npz, i, path, cli->alloc, one, &cli->err)
                          : ig_load_file(cli->alloc, path, &info, &shape, INGOT_UNDEFINED, one,
                                         &cli->err));
        l->n_expected = i + 1;
    }
    return set_expected(d, truth, names);
}

/* ---- one item ---- */

/* How many pictures a run takes: what the model fixes, else --batch. */
static ig_status init_pictures(ig_dataset *d)
{
    list *l = d->more;
    const ig_engine *e = d->engine;
    const ingot_io_info *input = &e->inputs[l->picture_input];
    IG_TRY(ig_picture_format_init(&d->card->preprocess, input, &l->format, &d->cli->err));
    l->batch = (ig_picture_batch){ .alloc = d->cli->alloc, .format = &l->format, .max = 1 };
    const bool has_others = e->n_inputs > 1;
    if (l->format.is_batch_free && !has_others && d->truth != IG_TRUTH_ARRAYS)
        l->batch.max = d->n_batch;
    if (l->format.has_batch && input->dims[0] > 1 && input->dims[0] <= IG_MAX_BATCH)
        l->n_fixed = l->batch.max = (size_t)input->dims[0];
    else if (l->batch.max > d->n_expected)
        l->batch.max = d->n_expected;
    l->has_format = true;
    ig_note_assumed_format(d->cli, e, d->card, &l->format);
    return INGOT_OK;
}

static ig_status read_file(ig_dataset *d, const char *path)
{
    list *l = d->more;
    /* A name that is a number would fill the input with it. */
    if (access(path, F_OK) != 0)
        return ig_fail(&d->cli->err, INGOT_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    if (ig_file_kind_of(path) == IG_FILE_NPZ)
        return ig_engine_feed_npz(d->cli, d->engine, path, &l->npz);
    l->has_file = true;
    return ig_engine_feed(d->cli, d->engine, l->file_input, path);
}

/* *is_taken false: it does not go with those that wait. */
static ig_status read_item(ig_dataset *d, const row *r, ig_item_truth *truth, bool *is_taken)
{
    list *l = d->more;
    *is_taken = true;
    truth->text = r->label;
    if (ig_file_kind_of(r->file) == IG_FILE_PICTURE) {
        if (!l->has_format) IG_TRY(init_pictures(d));
        IG_TRY(ig_picture_batch_add(&l->batch, r->file, is_taken, &d->cli->err));
    } else if (l->batch.n) {
        *is_taken = false;
    } else {
        IG_TRY(read_file(d, r->file));
    }
    if (*is_taken && d->truth == IG_TRUTH_ARRAYS) IG_TRY(read_expected(d, r->label, truth));
    return INGOT_OK;
}

static ig_status feed_pictures(ig_dataset *d)
{
    list *l = d->more;
    ig_picture_batch *b = &l->batch;
    const uint8_t *last = b->data + (b->n - 1) * b->picture_bytes;
    for (; d->n_fed < l->n_fixed; d->n_fed++) /* the last one again fills it up */
        memcpy(b->data + d->n_fed * b->picture_bytes, last, b->picture_bytes);
    IG_TRY(ig_picture_batch_wrap(b, 0, d->n_fed, &l->value, &d->cli->err));
    d->engine->feeds[l->picture_input] = l->value;
    return INGOT_OK;
}

/* Take what belongs to the batch back from the engine. */
static void release(ig_dataset *d)
{
    list *l = d->more;
    for (size_t i = 0; i < l->n_expected; i++) ig_loaded_free(&l->expected[i]);
    l->n_expected = 0;
    ig_npz_close(&l->expected_npz);
    if (l->value) d->engine->feeds[l->picture_input] = NULL;
    ingot_value_destroy(l->value);
    l->value = NULL;
    l->batch.n = 0;
    if (l->has_file) {
        ig_loaded_free(&d->engine->loaded[l->file_input]);
        d->engine->feeds[l->file_input] = NULL;
    }
    l->has_file = false;
    ig_engine_unfeed_npz(d->engine);
    ig_npz_close(&l->npz);
}

/* An item that was read in part and failed leaves nothing behind. */
static void forget_item(ig_dataset *d)
{
    list *l = d->more;
    if (l->batch.n > d->n) l->batch.n = d->n;
    if (d->n == 0) release(d);
}

static ig_status take_line(ig_dataset *d, const char *line, size_t n, bool *is_taken)
{
    row r;
    const char *place = place_of(d, line, n);
    ig_eval_item *item = &d->items[d->n];
    *item = (ig_eval_item){ .place = place };
    *is_taken = true;
    if (!place) return IG_NOMEM(&d->cli->err, 0);
    ig_status status = cut(d, line, n, &r);
    if (!status) status = read_item(d, &r, &item->truth, is_taken);
    if (!status && !*is_taken) return INGOT_OK;
    d->n_taken++;
    if (status) {
        *is_taken = true; /* it is dealt with */
        forget_item(d);
        return ig_dataset_leave_out(d, place, status);
    }
    item->name = r.file;
    d->n++;
    return INGOT_OK;
}

static ig_status next(ig_dataset *d)
{
    list *l = d->more;
    const char *line;
    size_t n;
    while (ig_dataset_wants_more(d)) {
        const size_t at = l->at, number = l->line;
        bool is_taken;
        if (!next_line(l, &line, &n)) break;
        if (!is_item(line, n)) continue;
        IG_TRY(take_line(d, line, n, &is_taken));
        if (!is_taken) { /* again, first in the next batch */
            l->at = at;
            l->line = number;
            break;
        }
        /* Stored outputs are held of one item alone. */
        const bool is_single = l->batch.n == 0 || d->truth == IG_TRUTH_ARRAYS;
        if (d->n && (is_single || l->batch.n >= l->batch.max)) break;
    }
    d->n_fed = d->n;
    return l->batch.n ? feed_pictures(d) : INGOT_OK;
}

static void close_list(ig_dataset *d)
{
    list *l = d->more;
    ig_picture_batch_free(&l->batch);
    ig_file_close(&l->file);
}

/* ---- opening ---- */

ig_status ig_list_open_text(ig_dataset *d, const char *text, size_t bytes, const char *base,
                            bool is_folder)
{
    list *l = ig_arena_array(&d->cli->arena, 1, sizeof *l);
    if (!l) return IG_NOMEM(&d->cli->err, sizeof *l);
    *l = (list){ .text = text, .bytes = bytes, .base = base, .is_folder = is_folder };
    l->picture_input = ig_items_main_input(d->engine, true);
    l->file_input = ig_items_main_input(d->engine, false);
    d->more = l;
    d->next = next;
    d->release = release;
    d->close = close_list;
    d->n_expected = count_items(l);
    return INGOT_OK;
}

ig_status ig_list_open(ig_dataset *d)
{
    ig_file file;
    const char *slash = strrchr(d->path, '/');
    const char *base =
        ig_arena_strndup(&d->cli->arena, d->path, slash ? (size_t)(slash + 1 - d->path) : 0);
    if (!base) return IG_NOMEM(&d->cli->err, 0);
    IG_TRY(ig_file_open(d->path, &file, &d->cli->err));
    const ig_status status = ig_list_open_text(d, (const char *)file.data, file.bytes, base, false);
    if (status)
        ig_file_close(&file);
    else
        ((list *)d->more)->file = file;
    return status;
}
