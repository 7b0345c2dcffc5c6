/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: data sets that are archives of arrays: rows of some are inputs, rows of others what is
 * right about them. */
#include "cli/eval/rows.h"

#include <math.h>
#include <string.h>

#include "cli/element.h"

typedef struct rows {
    ig_npz npz;
    size_t n_rows, at, n_fixed;
    ig_row_source *inputs, *expected;
    size_t n_inputs, n_expected;
    size_t labels_member; /* SIZE_MAX: none */
    ig_loaded labels;
    const char **expected_names;
    const ingot_value **expected_values;
} rows;

/* ---- which array is what ---- */

static size_t find_member(const ig_npz *npz, const char *name)
{
    for (size_t i = 0; i < npz->n; i++)
        if (strcmp(npz->members[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static ig_status find_labels(ig_dataset *d, rows *r)
{
    static const char *const names[] = { "labels", "label", "y", "targets", "target", "truth" };
    const char *wanted = d->cli->options.truth;
    r->labels_member = wanted ? find_member(&r->npz, wanted) : SIZE_MAX;
    if (wanted && r->labels_member == SIZE_MAX)
        return ig_fail(&d->cli->err, INGOT_ERR_INVALID, "%s: has no array '%s' (--truth)", d->path,
                       wanted);
    for (size_t i = 0; !wanted && i < IG_COUNT(names) && r->labels_member == SIZE_MAX; i++) {
        const size_t found = find_member(&r->npz, names[i]);
        /* A model's own input may be called so. */
        if (found != SIZE_MAX && ingot_model_find_input(d->engine->model, names[i]) < 0)
            r->labels_member = found;
    }
    return INGOT_OK;
}

static bool is_output(const ig_dataset *d, const char *name, size_t *k)
{
    for (size_t i = 0; i < ingot_model_n_outputs(d->engine->model); i++) {
        ingot_io_info info;
        ingot_model_output(d->engine->model, i, &info);
        if (strcmp(info.name, name) != 0) continue;
        *k = i;
        return true;
    }
    return false;
}

/* The array for an input: of its name, or the only one that is nothing else. */
static ig_status find_input_array(ig_dataset *d, const rows *r, size_t i, size_t n_wanted,
                                  size_t *out)
{
    size_t n_left = 0, k;
    *out = find_member(&r->npz, d->engine->inputs[i].name);
    if (*out != SIZE_MAX) return INGOT_OK;
    for (size_t m = 0; m < r->npz.n; m++)
        if (m != r->labels_member && !is_output(d, r->npz.members[m].name, &k)) {
            n_left++;
            *out = m;
        }
    if (n_left == 1 && n_wanted == 1) return INGOT_OK;
    return ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                   "%s: has no array '%s' for the model's input of that name", d->path,
                   d->engine->inputs[i].name);
}

/* ---- opening ---- */

static ig_status check_rows(ig_dataset *d, rows *r, const char *name, int rank, int64_t n)
{
    if (rank < 1)
        return ig_fail(&d->cli->err, INGOT_ERR_SHAPE, "%s: array '%s' has no rows", d->path, name);
    if (r->n_rows == SIZE_MAX) r->n_rows = (size_t)n;
    if ((size_t)n == r->n_rows) return INGOT_OK;
    return ig_fail(&d->cli->err, INGOT_ERR_SHAPE,
                   "%s: array '%s' has %lld rows, the one before %zu", d->path, name, (long long)n,
                   r->n_rows);
}

static ig_status open_source(ig_dataset *d, rows *r, size_t member, ig_row_source *s)
{
    IG_TRY(ig_npz_stream_open(&r->npz, member, d->path, &s->stream, &d->cli->err));
    const ig_npy_header *h = &s->stream.header;
    if (h->rank == INGOT_MAX_RANK)
        return ig_fail(&d->cli->err, INGOT_ERR_SHAPE, "%s: array '%s' has too many dimensions",
                       d->path, s->stream.name);
    return check_rows(d, r, s->stream.name, h->rank, h->dims[0]);
}

static ig_status open_inputs(ig_dataset *d, rows *r)
{
    const ig_engine *e = d->engine;
    size_t n_wanted = 0;
    for (size_t i = 0; i < e->n_inputs; i++) n_wanted += !e->feeds[i] && !e->inputs[i].has_default;
    r->inputs = ig_arena_array(&d->cli->arena, e->n_inputs + 1, sizeof *r->inputs);
    if (!r->inputs) return IG_NOMEM(&d->cli->err, 0);
    for (size_t i = 0; i < e->n_inputs; i++) {
        size_t member = find_member(&r->npz, e->inputs[i].name);
        if (e->feeds[i] || (e->inputs[i].has_default && member == SIZE_MAX)) continue;
        IG_TRY(find_input_array(d, r, i, n_wanted, &member));
        ig_row_source *s = &r->inputs[r->n_inputs++];
        s->target = i;
        IG_TRY(open_source(d, r, member, s));
    }
    if (r->n_inputs) return INGOT_OK;
    return ig_fail(&d->cli->err, INGOT_ERR_INVALID, "%s: no input of the model is left to be fed",
                   d->path);
}

/* Stored outputs: arrays of their names, else the labels' array for the first. */
static ig_status open_expected(ig_dataset *d, rows *r)
{
    ig_arena *arena = &d->cli->arena;
    const size_t n = r->npz.n + 1;
    r->expected = ig_arena_array(arena, n, sizeof *r->expected);
    r->expected_names = ig_arena_array(arena, n, sizeof *r->expected_names);
    r->expected_values = ig_arena_array(arena, n, sizeof *r->expected_values);
    if (!r->expected || !r->expected_names || !r->expected_values) return IG_NOMEM(&d->cli->err, 0);
    for (size_t m = 0; m < r->npz.n; m++) {
        size_t k;
        if (!is_output(d, r->npz.members[m].name, &k) || d->cli->options.truth) continue;
        r->expected_names[r->n_expected] = r->npz.members[m].name;
        IG_TRY(open_source(d, r, m, &r->expected[r->n_expected++]));
    }
    if (r->n_expected) return INGOT_OK;
    if (r->labels_member != SIZE_MAX)
        return open_source(d, r, r->labels_member, &r->expected[r->n_expected++]);
    return ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                   "%s: has no array that is called like an output; --truth names one", d->path);
}

static ig_status open_labels(ig_dataset *d, rows *r)
{
    if (r->labels_member == SIZE_MAX)
        return ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                       "%s: has no array labels, label, y, targets, target or truth; --truth names "
                       "one",
                       d->path);
    IG_TRY(
        ig_npz_read(&r->npz, r->labels_member, d->path, d->cli->alloc, &r->labels, &d->cli->err));
    const ingot_value *labels = r->labels.value;
    const int rank = ingot_tensor_rank(labels);
    IG_TRY(check_rows(d, r, r->npz.members[r->labels_member].name, rank,
                      rank ? ingot_tensor_dims(labels)[0] : 0));
    const int64_t *dims = ingot_tensor_dims(labels);
    const bool is_boxes = d->truth == IG_TRUTH_BOXES;
    const bool is_fine = is_boxes ? rank == 3 && (dims[2] == 5 || dims[2] == 6)
                                  : ingot_tensor_count(labels) == dims[0];
    if (is_fine) return INGOT_OK;
    return ig_fail(&d->cli->err, INGOT_ERR_SHAPE, "%s: array '%s' must have %s", d->path,
                   r->npz.members[r->labels_member].name,
                   is_boxes ? "rows of boxes: n x boxes x (class, x1, y1, x2, y2[, ignored])"
                            : "one label a row");
}

/* ---- labels as text ---- */

static const char *label_text(ig_dataset *d, const ingot_value *labels, size_t i)
{
    double value;
    if (ingot_tensor_dtype(labels) == INGOT_STRING) {
        const ingot_string *s = (const ingot_string *)ingot_tensor_data(labels) + i;
        return ig_arena_strndup(&d->scratch, s->data, s->bytes);
    }
    if (!ig_element_decode(ingot_tensor_dtype(labels), ingot_tensor_data(labels), (int64_t)i,
                           &value))
        return ig_arena_strdup(&d->scratch, "?");
    return ig_arena_printf(&d->scratch, "%.17g", value);
}

/* Rows of boxes as a list writes them; a negative class is padding. */
static const char *boxes_text(ig_dataset *d, const ingot_value *labels, size_t i)
{
    const int64_t *dims = ingot_tensor_dims(labels);
    ig_str text;
    ig_str_init(&text, d->cli->alloc);
    for (int64_t b = 0; b < dims[1]; b++) {
        double v[6] = { 0 };
        for (int64_t k = 0; k < dims[2]; k++)
            ig_element_decode(ingot_tensor_dtype(labels), ingot_tensor_data(labels),
                              ((int64_t)i * dims[1] + b) * dims[2] + k, &v[k]);
        if (!(v[0] >= 0)) continue;
        ig_str_printf(&text, " %.0f,%.17g,%.17g,%.17g,%.17g,%d", v[0], v[1], v[2], v[3], v[4],
                      v[5] != 0);
    }
    const char *kept = ig_str_ok(&text) ? ig_arena_strdup(&d->scratch, ig_str_cstr(&text)) : NULL;
    ig_str_deinit(&text);
    return kept;
}

static ig_status set_item(ig_dataset *d, rows *r, size_t i, size_t n_fed)
{
    ig_eval_item *item = &d->items[i];
    const size_t row = r->at + i;
    *item = (ig_eval_item){ .name = ig_arena_printf(&d->scratch, "%zu", row),
                            .place = ig_arena_printf(&d->scratch, "%s: row %zu", d->path, row) };
    if (d->truth == IG_TRUTH_ARRAYS) {
        item->truth.has_expected = true;
        item->truth.text = "";
        item->truth.expected =
            (ig_answer){ r->n_expected, r->expected_names, r->expected_values, i, n_fed };
    } else {
        item->truth.text = d->truth == IG_TRUTH_BOXES ? boxes_text(d, r->labels.value, row)
                                                      : label_text(d, r->labels.value, row);
    }
    return item->name && item->place && item->truth.text ? INGOT_OK : IG_NOMEM(&d->cli->err, 0);
}

/* ---- batches ---- */

static ig_status next(ig_dataset *d)
{
    rows *r = d->more;
    ig_error *err = &d->cli->err;
    size_t n = r->n_fixed ? r->n_fixed : d->n_batch;
    if (n > r->n_rows - r->at) n = r->n_rows - r->at;
    const int64_t limit = d->cli->options.limit;
    if (limit && n > (uint64_t)limit - d->n_taken) n = (size_t)limit - d->n_taken;
    if (n == 0) return INGOT_OK;
    d->n_fed = r->n_fixed ? r->n_fixed : n;
    for (size_t i = 0; i < r->n_inputs; i++) {
        IG_TRY(ig_row_source_read(&r->inputs[i], n, d->n_fed, err));
        d->engine->feeds[r->inputs[i].target] = r->inputs[i].value;
    }
    for (size_t i = 0; i < r->n_expected; i++) {
        IG_TRY(ig_row_source_read(&r->expected[i], n, n, err));
        r->expected_values[i] = r->expected[i].value;
    }
    for (size_t i = 0; i < n; i++) IG_TRY(set_item(d, r, i, n));
    r->at += n;
    d->n = n;
    d->n_taken += n;
    return INGOT_OK;
}

static void release(ig_dataset *d)
{
    rows *r = d->more;
    for (size_t i = 0; i < r->n_inputs; i++) d->engine->feeds[r->inputs[i].target] = NULL;
}

static void close_rows(ig_dataset *d)
{
    rows *r = d->more;
    for (size_t i = 0; i < r->n_inputs; i++) ig_row_source_close(&r->inputs[i], d->cli->alloc);
    for (size_t i = 0; i < r->n_expected; i++) ig_row_source_close(&r->expected[i], d->cli->alloc);
    ig_loaded_free(&r->labels);
    ig_npz_close(&r->npz);
}

static ig_status plan_rows(ig_dataset *d, rows *r)
{
    for (size_t i = 0; i < r->n_inputs; i++) {
        ig_row_source *s = &r->inputs[i];
        const ingot_io_info *input = &d->engine->inputs[s->target];
        IG_TRY(ig_row_source_plan(s, d, input));
        const size_t n = ig_row_source_n_fixed(s, input);
        if (n && r->n_fixed && n != r->n_fixed)
            return ig_fail(&d->cli->err, INGOT_ERR_UNSUPPORTED,
                           "%s: its inputs want %zu and %zu rows at once", d->engine->path,
                           r->n_fixed, n);
        if (n) r->n_fixed = n;
    }
    const size_t n_room = r->n_fixed ? r->n_fixed : d->n_batch;
    for (size_t i = 0; i < r->n_inputs; i++)
        IG_TRY(ig_row_source_make_room(&r->inputs[i], d, n_room));
    for (size_t i = 0; i < r->n_expected; i++) {
        IG_TRY(ig_row_source_plan(&r->expected[i], d, NULL));
        IG_TRY(ig_row_source_make_room(&r->expected[i], d, n_room));
    }
    return INGOT_OK;
}

ig_status ig_rows_open(ig_dataset *d)
{
    rows *r = ig_arena_array(&d->cli->arena, 1, sizeof *r);
    if (!r) return IG_NOMEM(&d->cli->err, sizeof *r);
    r->n_rows = SIZE_MAX;
    d->more = r;
    d->next = next;
    d->release = release;
    d->close = close_rows;
    IG_TRY(ig_npz_open(&d->cli->arena, d->path, &r->npz, &d->cli->err));
    IG_TRY(find_labels(d, r));
    IG_TRY(open_inputs(d, r));
    IG_TRY(d->truth == IG_TRUTH_ARRAYS ? open_expected(d, r) : open_labels(d, r));
    IG_TRY(plan_rows(d, r));
    d->n_expected = r->n_rows;
    return INGOT_OK;
}
