/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

/* ---- names ---- */

ig_status ig_names_split(ig_arena *arena, const char *text, size_t bytes, ig_names *out,
                         ig_error *err)
{
    size_t cap = 0;
    *out = (ig_names){ 0 };
    for (size_t at = 0; at < bytes;) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        const size_t end = newline ? (size_t)(newline - text) : bytes;
        const size_t n = end > at && text[end - 1] == '\r' ? end - at - 1 : end - at;
        char *name = ig_arena_strndup(arena, text + at, n);
        if (!name || !IG_ARENA_PUSH(arena, out->items, out->n, cap, name)) return IG_NOMEM(err, n);
        at = end + 1;
    }
    return INGOT_OK;
}

/* A JSON array of names, or an object of "index": "name". */
static ig_status names_of_json(ig_arena *arena, const ig_json *json, const char *what,
                               ig_names *out, ig_error *err)
{
    size_t n = 0, position = 0;
    for (const ig_json *item = json->child; item; item = item->next) n++;
    out->items = ig_arena_array(arena, n + 1, sizeof *out->items);
    if (!out->items) return IG_NOMEM(err, n * sizeof *out->items);
    for (const ig_json *item = json->child; item; item = item->next, position++) {
        char *end = NULL;
        const size_t i = json->kind == IG_JSON_ARRAY ? position : strtoul(item->key, &end, 10);
        if (item->kind != IG_JSON_STRING || (end && *end) || i >= n)
            return ig_fail(err, INGOT_ERR_INVALID,
                           "%s: neither a list of names nor an object of \"0\": \"name\", …", what);
        out->items[i] = item->string;
    }
    for (size_t i = 0; i < n; i++)
        if (!out->items[i])
            return ig_fail(err, INGOT_ERR_INVALID, "%s: name %zu is missing", what, i);
    out->n = n;
    return INGOT_OK;
}

static ig_status read_names(ig_arena *arena, const char *path, ig_file *file, ig_names *out,
                            ig_error *err)
{
    const char *text = (const char *)file->data;
    size_t first = 0;
    while (first < file->bytes && strchr(" \t\r\n", text[first])) first++;
    const bool is_json = first < file->bytes && (text[first] == '[' || text[first] == '{') &&
                         strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".json") == 0;
    const ig_json *json = NULL;
    ig_status status;
    if (is_json) {
        status = ig_json_parse(arena, text, file->bytes, &json, err);
        if (status) ig_error_prepend(err, "%s", path);
        if (status == INGOT_OK) status = names_of_json(arena, json, path, out, err);
    } else {
        status = ig_names_split(arena, text, file->bytes, out, err);
    }
    ig_file_close(file);
    if (status == INGOT_OK && out->n == 0)
        status = ig_fail(err, INGOT_ERR_PARSE, "%s: no names in it", path);
    return status;
}

ig_status ig_names_read(ig_arena *arena, const char *path, ig_names *out, ig_error *err)
{
    ig_file file;
    IG_TRY(ig_file_open(path, &file, err));
    return read_names(arena, path, &file, out, err);
}

ig_status ig_names_read_sibling(ig_arena *arena, const char *card_path, const char *name,
                                bool allow_links, ig_names *out, ig_error *err)
{
    ig_file file;
    IG_TRY(ig_file_open_sibling(arena, card_path, name, strlen(name), allow_links, &file, err));
    return read_names(arena, name, &file, out, err);
}

/* ---- members of the card ---- */

typedef struct card_reader {
    ig_arena *arena;
    const char *path;
    ig_error *err;
} card_reader;

static ig_status wrong(const card_reader *r, const char *key, const char *wanted)
{
    return ig_fail(r->err, INGOT_ERR_INVALID, "%s: \"%s\" must be %s", r->path, key, wanted);
}

static ig_status get_text(const card_reader *r, const ig_json *object, const char *key,
                          const char **out)
{
    const ig_json *json = ig_json_get(object, key);
    if (!json) return INGOT_OK;
    if (json->kind != IG_JSON_STRING) return wrong(r, key, "a text");
    *out = json->string;
    return INGOT_OK;
}

static ig_status get_number(const card_reader *r, const ig_json *object, const char *key,
                            double min, double max, double *out)
{
    const ig_json *json = ig_json_get(object, key);
    if (!json) return INGOT_OK;
    if (json->kind != IG_JSON_NUMBER || !(json->number >= min && json->number <= max))
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s: \"%s\" must be a number between %g and %g",
                       r->path, key, min, max);
    *out = json->number;
    return INGOT_OK;
}

static ig_status get_numbers(const card_reader *r, const ig_json *object, const char *key,
                             ig_numbers *out)
{
    const ig_json *json = ig_json_get(object, key);
    if (!json) return INGOT_OK;
    const ig_json *item = json->kind == IG_JSON_ARRAY ? json->child : json;
    out->n = 0;
    for (; item; item = json->kind == IG_JSON_ARRAY ? item->next : NULL) {
        if (item->kind != IG_JSON_NUMBER || out->n == 3) return wrong(r, key, "1 or 3 numbers");
        out->v[out->n++] = item->number;
    }
    return out->n == 1 || out->n == 3 ? INGOT_OK : wrong(r, key, "1 or 3 numbers");
}

static ig_status get_choice(const card_reader *r, const ig_json *object, const char *key,
                            const char *choices, int *out)
{
    const char *text = NULL;
    char what[600];
    IG_TRY(get_text(r, object, key, &text));
    if (!text) return INGOT_OK;
    snprintf(what, sizeof what, "%s: \"%s\"", r->path, key);
    IG_TRY(ig_parse_choice(what, text, choices, out, r->err));
    ++*out; /* 0 is "not said" */
    return INGOT_OK;
}

/* 224, "320x240", "x48" or [width, height] */
static ig_status get_size(const card_reader *r, const ig_json *object, ig_picture_size *out)
{
    const ig_json *json = ig_json_get(object, "size");
    char text[64], what[600];
    if (!json) return INGOT_OK;
    const ig_json *first = json->child, *second = first ? first->next : NULL;
    if (json->kind == IG_JSON_NUMBER)
        snprintf(text, sizeof text, "%.17g", json->number);
    else if (json->kind == IG_JSON_STRING)
        snprintf(text, sizeof text, "%s", json->string);
    else if (json->kind == IG_JSON_ARRAY && second && !second->next)
        snprintf(text, sizeof text, "%.17gx%.17g", first->number, second->number);
    else
        return wrong(r, "size", "224, \"320x240\" or [320, 240]");
    snprintf(what, sizeof what, "%s: \"size\"", r->path);
    return ig_parse_picture_size(what, text, out, r->err);
}

static ig_status read_preprocess(const card_reader *r, const ig_json *json, ig_preprocess *p)
{
    const char *preset = NULL;
    IG_TRY(get_text(r, json, "preset", &preset));
    if (preset && !ig_preset_find(preset))
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s: no preset is called '%s'", r->path, preset);
    if (preset) *p = *ig_preset_find(preset);
    IG_TRY(get_size(r, json, &p->size));
    IG_TRY(get_number(r, json, "crop", 0.01, 1, &p->crop));
    IG_TRY(get_number(r, json, "scale", -1e9, 1e9, &p->scale));
    IG_TRY(get_numbers(r, json, "mean", &p->mean));
    IG_TRY(get_numbers(r, json, "std", &p->std));
    IG_TRY(get_choice(r, json, "layout", IG_LAYOUT_NAMES, &p->layout));
    IG_TRY(get_choice(r, json, "color", IG_COLOR_NAMES, &p->color));
    return get_choice(r, json, "filter", IG_FILTER_NAMES, &p->filter);
}

static ig_status read_labels(const card_reader *r, const ig_json *json, ig_card *card)
{
    char what[600];
    if (!json) return INGOT_OK;
    if (json->kind == IG_JSON_STRING) {
        card->labels_file = json->string;
        return INGOT_OK;
    }
    if (json->kind != IG_JSON_ARRAY && json->kind != IG_JSON_OBJECT)
        return wrong(r, "labels", "a list of names or the name of a file");
    snprintf(what, sizeof what, "%s: \"labels\"", r->path);
    return names_of_json(r->arena, json, what, &card->labels, r->err);
}

static ig_status read_card(const card_reader *r, const ig_json *json, ig_card *card)
{
    double top = 0;
    if (json->kind != IG_JSON_OBJECT)
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s: not a JSON object", r->path);
    IG_TRY(get_text(r, json, "name", &card->name));
    IG_TRY(get_text(r, json, "source", &card->source));
    IG_TRY(read_preprocess(r, ig_json_get(json, "preprocess"), &card->preprocess));
    IG_TRY(read_labels(r, ig_json_get(json, "labels"), card));
    const ig_json *post = ig_json_get(json, "postprocess"), *softmax = ig_json_get(post, "softmax");
    IG_TRY(get_number(r, post, "top", 1, 1e6, &top));
    IG_TRY(get_text(r, post, "ctc", &card->ctc));
    if (softmax && softmax->kind != IG_JSON_TRUE && softmax->kind != IG_JSON_FALSE)
        return wrong(r, "softmax", "true or false");
    card->softmax = softmax && softmax->kind == IG_JSON_TRUE;
    card->top = (int)top;
    const ig_json *evaluate = ig_json_get(json, "evaluate");
    double shift = 0;
    IG_TRY(get_text(r, evaluate, "metric", &card->metric));
    IG_TRY(get_number(r, evaluate, "truth_shift", -1000, 1000, &shift));
    card->truth_shift = (int)shift;
    return INGOT_OK;
}

/* ---- finding it ---- */

/* NULL: none. */
static ig_status find_card(ig_cli *cli, const char *model_path, const char **path)
{
    const char *slash = strrchr(model_path, '/'), *dot = strrchr(model_path, '.');
    const size_t n =
        dot && (!slash || dot > slash) ? (size_t)(dot - model_path) : strlen(model_path);
    *path = NULL;
    const char *const names[] = {
        ig_arena_printf(&cli->arena, "%s.card.json", model_path),
        ig_arena_printf(&cli->arena, "%.*s.card.json", (int)n, model_path),
    };
    for (size_t i = 0; i < IG_COUNT(names); i++) {
        if (!names[i]) return IG_NOMEM(&cli->err, 0);
        if (access(names[i], F_OK) != 0) continue;
        *path = names[i];
        return INGOT_OK;
    }
    return INGOT_OK;
}

static ig_status read_file(ig_cli *cli, ig_card *card)
{
    const card_reader reader = { &cli->arena, card->path, &cli->err };
    const ig_json *json = NULL;
    ig_file file;
    IG_TRY(ig_file_open(card->path, &file, &cli->err));
    ig_status status =
        ig_json_parse(&cli->arena, (const char *)file.data, file.bytes, &json, &cli->err);
    if (status) ig_error_prepend(&cli->err, "%s", card->path);
    if (status == INGOT_OK) status = read_card(&reader, json, card);
    ig_file_close(&file);
    return status;
}

ig_status ig_card_load(ig_cli *cli, const char *model_path, ig_card *card)
{
    const ig_options *o = &cli->options;
    *card = (ig_card){ .path = o->card };
    if (o->preset && !ig_preset_find(o->preset))
        return ig_cli_usage(
            cli, "--preset: no preset is called '%s'; ingot help presets lists them", o->preset);
    if (!o->card) IG_TRY(find_card(cli, model_path, &card->path));
    if (o->card && strcmp(o->card, "none") == 0) card->path = NULL;
    if (card->path) IG_TRY(read_file(cli, card));
    if (o->preset) ig_preprocess_merge(&card->preprocess, ig_preset_find(o->preset));
    ig_preprocess_merge(&card->preprocess, &o->preprocess);
    if (o->top) card->top = o->top;
    if (o->softmax) card->softmax = true;
    return INGOT_OK;
}

/* ---- writing ---- */

static void write_numbers(ig_json_writer *w, const char *key, const ig_numbers *numbers)
{
    if (!numbers->n) return;
    ig_json_key(w, key);
    ig_json_open(w, '[');
    for (int i = 0; i < numbers->n; i++) ig_json_number(w, numbers->v[i]);
    ig_json_close(w, ']');
}

static void write_text(ig_json_writer *w, const char *key, const char *text)
{
    if (!text) return;
    ig_json_key(w, key);
    ig_json_cstr(w, text);
}

static void write_preprocess(ig_json_writer *w, const ig_preprocess *p)
{
    static const char *const layouts[] = { NULL, "nchw", "nhwc" };
    static const char *const colors[] = { NULL, "rgb", "bgr", "gray" };
    static const char *const filters[] = {
        NULL, "bilinear", "bicubic", "lanczos", "box", "nearest"
    };
    char size[32];
    ig_json_key(w, "preprocess");
    ig_json_open(w, '{');
    if (p->size.height && p->size.width == p->size.height) {
        ig_json_key(w, "size");
        ig_json_int(w, p->size.height);
    } else if (p->size.height) {
        snprintf(size, sizeof size, p->size.width ? "%dx%d" : "%.0dx%d", p->size.width,
                 p->size.height);
        write_text(w, "size", size);
    }
    if (p->crop != 0) {
        ig_json_key(w, "crop");
        ig_json_number(w, p->crop);
    }
    if (p->scale != 0) {
        ig_json_key(w, "scale");
        ig_json_number(w, p->scale);
    }
    write_numbers(w, "mean", &p->mean);
    write_numbers(w, "std", &p->std);
    write_text(w, "color", colors[p->color]);
    write_text(w, "layout", layouts[p->layout]);
    write_text(w, "filter", filters[p->filter]);
    ig_json_close(w, '}');
}

void ig_card_write(const ig_card *card, ig_str *out)
{
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    write_text(&w, "name", card->name);
    write_text(&w, "source", card->source);
    write_preprocess(&w, &card->preprocess);
    write_text(&w, "labels", card->labels_file);
    if (!card->labels_file && card->labels.n) {
        ig_json_key(&w, "labels");
        ig_json_open(&w, '[');
        for (size_t i = 0; i < card->labels.n; i++) ig_json_cstr(&w, card->labels.items[i]);
        ig_json_close(&w, ']');
    }
    ig_json_key(&w, "postprocess");
    ig_json_open(&w, '{');
    if (card->top) {
        ig_json_key(&w, "top");
        ig_json_int(&w, card->top);
    }
    if (card->softmax) {
        ig_json_key(&w, "softmax");
        ig_json_bool(&w, true);
    }
    write_text(&w, "ctc", card->ctc);
    ig_json_close(&w, '}');
    if (card->metric || card->truth_shift) {
        ig_json_key(&w, "evaluate");
        ig_json_open(&w, '{');
        write_text(&w, "metric", card->metric);
        if (card->truth_shift) {
            ig_json_key(&w, "truth_shift");
            ig_json_int(&w, card->truth_shift);
        }
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}
