/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "cli/element.h"

#define MAX_CLASSES 10000000
#define N_SHOWN 8

/* ---- settings ---- */

/* A file beside the card; flags' files are taken as they are. */
static ig_status card_file(ig_cli *cli, const ig_card *card, const char *name, const char **path)
{
    char *sibling = NULL;
    IG_TRY(ig_path_sibling(&cli->arena, card->path, name, strlen(name), &sibling, &cli->err));
    *path = sibling;
    return INGOT_OK;
}

static ig_status load_labels(ig_cli *cli, const ig_card *card, ig_names *labels)
{
    const char *path = cli->options.labels;
    *labels = card->labels;
    if (!path && !card->labels_file) return INGOT_OK;
    if (!path) IG_TRY(card_file(cli, card, card->labels_file, &path));
    return ig_names_read(&cli->arena, path, labels, &cli->err);
}

static ig_status metadata_keys(ig_cli *cli, const ig_engine *e, const char *name, ig_names *keys)
{
    for (size_t i = 0; i < ingot_model_n_metadata(e->model); i++) {
        const char *key, *value;
        ingot_model_metadata(e->model, i, &key, &value);
        if (strcmp(key, name) == 0)
            return ig_names_split(&cli->arena, value, strlen(value), keys, &cli->err);
    }
    return ig_fail(&cli->err, INGOT_ERR_INVALID, "--ctc: %s has no metadata '%s'", e->path, name);
}

static ig_status load_keys(ig_cli *cli, const ig_engine *e, const ig_card *card, ig_answers *a)
{
    const char *text = cli->options.ctc ? cli->options.ctc : card->ctc;
    if (!text) return INGOT_OK;
    a->has_keys = true;
    if (strncmp(text, "metadata:", 9) == 0) return metadata_keys(cli, e, text + 9, &a->keys);
    if (!cli->options.ctc) IG_TRY(card_file(cli, card, text, &text));
    return ig_names_read(&cli->arena, text, &a->keys, &cli->err);
}

/* Does the first output look like scores of classes? */
static bool has_classes(const ig_engine *e)
{
    ingot_io_info info;
    int n_wide = 0;
    if (ingot_model_n_outputs(e->model) != 1) return false;
    ingot_model_output(e->model, 0, &info);
    if (info.kind != INGOT_KIND_TENSOR || !ig_dtype_is_float(info.dtype)) return false;
    for (int d = 1; d < info.rank; d++) n_wide += info.dims[d] != 1;
    return info.rank >= 2 && n_wide == 1;
}

ig_status ig_answers_init(ig_cli *cli, const ig_engine *e, const ig_card *card, bool has_pictures,
                          ig_answers *a)
{
    const ig_options *o = &cli->options;
    *a = (ig_answers){ .is_json = o->json, .has_softmax = card->softmax, .top = card->top };
    IG_TRY(load_labels(cli, card, &a->labels));
    IG_TRY(load_keys(cli, e, card, a));
    if (!a->top && !a->has_keys && (a->labels.n || o->truth || (has_pictures && has_classes(e))))
        a->top = 5;
    a->is_quiet = (o->out || o->truth) && !o->json && !o->top;
    a->truth_shift = o->truth_shift;
    if (o->truth) IG_TRY(ig_names_read(&cli->arena, o->truth, &a->truth, &cli->err));
    return INGOT_OK;
}

/* ---- parts of outputs ---- */

/* Part i of n along the first dimension of a tensor. */
typedef struct part {
    ingot_dtype dtype;
    const uint8_t *data;
    int64_t count;
    int rank;
    int64_t dims[INGOT_MAX_RANK];
    bool is_numeric;
} part;

static bool get_part(const ingot_value *value, size_t i, size_t n, part *p)
{
    double number;
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR) return false;
    *p = (part){ .dtype = ingot_tensor_dtype(value), .rank = ingot_tensor_rank(value) };
    const size_t bits = (size_t)ingot_dtype_bits(p->dtype);
    p->count = ingot_tensor_count(value);
    p->data = ingot_tensor_data(value);
    memcpy(p->dims, ingot_tensor_dims(value), (size_t)p->rank * sizeof *p->dims);
    if (n > 1 && p->rank > 0 && bits >= 8 && p->dims[0] % (int64_t)n == 0) {
        p->count /= (int64_t)n;
        p->dims[0] /= (int64_t)n;
        p->data += i * (size_t)p->count * (bits / 8);
    }
    p->is_numeric = p->count > 0 && ig_element_decode(p->dtype, p->data, 0, &number);
    return true;
}

static double element(const part *p, int64_t i)
{
    double value = 0;
    ig_element_decode(p->dtype, p->data, i, &value);
    return value;
}

size_t ig_answers_n_parts(const ig_answers *a, const ig_engine *e)
{
    const ingot_value *output = ingot_session_output(e->session, 0);
    if ((!a->top && !a->has_keys) || ingot_value_kind(output) != INGOT_KIND_TENSOR) return 1;
    const int rank = ingot_tensor_rank(output);
    const int64_t n = rank >= 2 ? ingot_tensor_dims(output)[0] : 1;
    return n >= 1 ? (size_t)n : 1;
}

/* ---- classes ---- */

typedef struct ranked {
    double score;
    int64_t i;
} ranked;

/* Higher first; NaN last; equal scores in the order of classes. */
static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score > y->score) return -1;
    if (x->score < y->score) return 1;
    if (isnan(x->score) != isnan(y->score)) return isnan(x->score) ? 1 : -1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* The n best, sorted, by insertion into a small list. */
static size_t find_best(const part *p, size_t n, ranked *best)
{
    size_t n_best = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const ranked one = { element(p, i), i };
        if (n_best == n && by_score(&one, &best[n - 1]) >= 0) continue;
        size_t at = n_best < n ? n_best++ : n - 1;
        for (; at > 0 && by_score(&one, &best[at - 1]) < 0; at--) best[at] = best[at - 1];
        best[at] = one;
    }
    return n_best;
}

static void apply_softmax(const part *p, ranked *best, size_t n)
{
    double sum = 0;
    const double largest = n ? best[0].score : 0;
    for (int64_t i = 0; i < p->count; i++) sum += exp(element(p, i) - largest);
    for (size_t k = 0; k < n; k++) best[k].score = exp(best[k].score - largest) / sum;
}

static void put_score(ig_str *out, double score)
{
    const double size = fabs(score);
    ig_str_printf(out, score == 0 || (size >= 0.0001 && size < 1e6) ? "%.4f" : "%.3e", score);
}

static void put_label(const ig_answers *a, int64_t i, ig_str *out)
{
    if ((size_t)i < a->labels.n)
        ig_str_puts(out, a->labels.items[i]);
    else
        ig_str_printf(out, "%s%lld", a->labels.n ? "class " : "", (long long)i);
}

/* Control characters in a name must not reach a terminal or break a line. */
static void put_name(ig_str *out, const char *name, int width)
{
    int column = 0;
    for (const char *p = name; *p; p++) {
        ig_str_putc(out, (unsigned char)*p < 32 || *p == 127 ? '?' : *p);
        column += ((unsigned char)*p & 0xc0) != 0x80;
    }
    for (; column < width; column++) ig_str_putc(out, ' ');
}

static void put_classes(const ig_answers *a, const char *name, const ranked *best, size_t n,
                        ig_str *out)
{
    if (a->top == 1) {
        put_name(out, name, a->path_width);
        ig_str_puts(out, "  ");
        if (n) put_label(a, best[0].i, out);
        ig_str_puts(out, "  ");
        if (n) put_score(out, best[0].score);
        ig_str_putc(out, '\n');
        return;
    }
    ig_str_printf(out, "%s", ig_bold(stdout));
    put_name(out, name, 0);
    ig_str_printf(out, "%s\n", ig_plain(stdout));
    for (size_t k = 0; k < n; k++) {
        ig_str_puts(out, "  ");
        put_score(out, best[k].score);
        ig_str_puts(out, "  ");
        put_label(a, best[k].i, out);
        ig_str_putc(out, '\n');
    }
}

static void json_classes(const ig_answers *a, const ranked *best, size_t n, ig_json_writer *w)
{
    ig_json_key(w, "top");
    ig_json_open(w, '[');
    for (size_t k = 0; k < n; k++) {
        ig_json_open(w, '{');
        ig_json_key(w, "index");
        ig_json_int(w, best[k].i);
        ig_json_key(w, "label");
        ig_json_cstr(w, (size_t)best[k].i < a->labels.n ? a->labels.items[best[k].i] : NULL);
        ig_json_key(w, "score");
        ig_json_number(w, best[k].score);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}

/* ---- the right answers ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The class that --truth has for an input: what stands between the first two tabs; NULL: none. */
static const char *find_truth(const ig_answers *a, const char *name)
{
    const char *base = base_name(name);
    const size_t n = strlen(base);
    for (size_t i = 0; i < a->truth.n; i++) {
        const char *line = a->truth.items[i], *tab = strchr(line, '\t');
        if (!tab) continue;
        const char *file = tab;
        while (file > line && file[-1] != '/') file--;
        if ((size_t)(tab - file) == n && strncmp(file, base, n) == 0) return tab + 1;
    }
    return NULL;
}

static bool is_right(const ig_answers *a, const char *truth, int64_t class)
{
    char *end;
    const long long number = strtoll(truth, &end, 10);
    const size_t n = strcspn(truth, "\t");
    if (end == truth + n && n) return number + a->truth_shift == class;
    if ((size_t)class >= a->labels.n) return false;
    return strlen(a->labels.items[class]) == n && strncasecmp(a->labels.items[class], truth, n) == 0;
}

static void judge(ig_answers *a, const char *name, const ranked *best, size_t n)
{
    const char *truth = find_truth(a, name);
    if (!truth || n == 0) return;
    a->n_judged++;
    a->n_right += is_right(a, truth, best[0].i);
    for (size_t k = 0; k < n && k < 5; k++) {
        if (!is_right(a, truth, best[k].i)) continue;
        a->n_right5++;
        break;
    }
}

void ig_answers_end(const ig_answers *a, ig_str *out)
{
    if (!a->truth.n) return;
    const double n = a->n_judged ? (double)a->n_judged : 1;
    const double top1 = (double)a->n_right / n, top5 = (double)a->n_right5 / n;
    if (!a->is_json) {
        ig_str_printf(out, "top-1 %.2f %%, top-5 %.2f %% of %zu inputs with a known answer\n",
                      100 * top1, 100 * top5, a->n_judged);
        return;
    }
    ig_json_writer w;
    ig_json_begin(&w, out, -1);
    ig_json_open(&w, '{');
    ig_json_key(&w, "top1");
    ig_json_number(&w, top1);
    ig_json_key(&w, "top5");
    ig_json_number(&w, top5);
    ig_json_key(&w, "judged");
    ig_json_int(&w, (int64_t)a->n_judged);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

/* ---- text ---- */

/* Greedy CTC: the best class of each step, repeats dropped, then blanks (class 0). Class i is key
 * i - 1, the class after the last key a space. */
static double decode_text(const ig_answers *a, const part *p, ig_str *text)
{
    const int64_t n_classes = p->dims[p->rank - 1], n_steps = p->count / n_classes;
    int64_t last = 0, n_kept = 0;
    double sum = 0;
    for (int64_t t = 0; t < n_steps; t++) {
        int64_t best = 0;
        for (int64_t c = 1; c < n_classes; c++)
            if (element(p, t * n_classes + c) > element(p, t * n_classes + best)) best = c;
        if (best && best != last) {
            ig_str_puts(text, (size_t)best <= a->keys.n ? a->keys.items[best - 1] : " ");
            sum += element(p, t * n_classes + best);
            n_kept++;
        }
        last = best;
    }
    return n_kept ? sum / (double)n_kept : 0;
}

static ig_status put_text(ig_cli *cli, const ig_answers *a, const part *p, const char *name,
                          ig_json_writer *w, ig_str *out)
{
    ig_str text;
    if (!p->is_numeric || p->rank < 2)
        return ig_fail(&cli->err, INGOT_ERR_SHAPE,
                       "--ctc: the first output is no table of scores: steps x classes");
    ig_str_init(&text, cli->alloc);
    const double score = decode_text(a, p, &text);
    if (w) {
        ig_json_key(w, "text");
        ig_json_string(w, ig_str_cstr(&text), text.n);
        ig_json_key(w, "score");
        ig_json_number(w, score);
    } else {
        put_name(out, name, a->path_width);
        ig_str_printf(out, "  %s  ", ig_str_cstr(&text));
        put_score(out, score);
        ig_str_putc(out, '\n');
    }
    ig_str_deinit(&text);
    return INGOT_OK;
}

/* ---- numbers ---- */

static void put_summary(const part *p, ig_str *out)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    if (p->dtype == INGOT_STRING) {
        const ingot_string *strings = (const void *)p->data;
        for (int64_t i = 0; i < p->count && i < N_SHOWN; i++)
            ig_str_printf(out, " '%.*s'", (int)(strings[i].bytes < 40 ? strings[i].bytes : 40),
                          strings[i].data);
    }
    if (!p->is_numeric) return;
    for (int64_t i = 0; i < p->count; i++) {
        const double x = element(p, i);
        low = fmin(low, x);
        high = fmax(high, x);
        sum += x;
    }
    if (p->count > N_SHOWN)
        ig_str_printf(out, "  min %.4g  max %.4g  mean %.4g ", low, high, sum / (double)p->count);
    for (int64_t i = 0; i < p->count && i < N_SHOWN; i++)
        ig_str_printf(out, " %.5g", element(p, i));
    if (p->count > N_SHOWN) ig_str_puts(out, " …");
}

static void put_value(const char *name, const ingot_value *value, size_t i, size_t n, int depth,
                      ig_str *out)
{
    part p;
    ig_str_printf(out, "%*s%s  ", 2 + 2 * depth, "", name);
    if (!get_part(value, i, n, &p)) {
        ig_describe_value(value, out);
        ig_str_putc(out, '\n');
        for (size_t k = 0; k < ingot_value_n_items(value) && k < N_SHOWN && depth < 4; k++)
            put_value("-", ingot_value_item(value, k), 0, 1, depth + 1, out);
        return;
    }
    ig_str_printf(out, "%s[", ingot_dtype_name(p.dtype));
    for (int d = 0; d < p.rank; d++)
        ig_str_printf(out, "%s%lld", d ? "," : "", (long long)p.dims[d]);
    ig_str_putc(out, ']');
    put_summary(&p, out);
    ig_str_putc(out, '\n');
}

static void json_value(ig_json_writer *w, const ingot_value *value, size_t i, size_t n)
{
    part p;
    if (!get_part(value, i, n, &p)) {
        ig_json_open(w, '[');
        for (size_t k = 0; k < ingot_value_n_items(value); k++)
            json_value(w, ingot_value_item(value, k), 0, 1);
        ig_json_close(w, ']');
        return;
    }
    ig_json_open(w, '{');
    ig_json_key(w, "type");
    ig_json_cstr(w, ingot_dtype_name(p.dtype));
    ig_json_key(w, "shape");
    ig_json_open(w, '[');
    for (int d = 0; d < p.rank; d++) ig_json_int(w, p.dims[d]);
    ig_json_close(w, ']');
    ig_json_key(w, "data");
    ig_json_open(w, '[');
    const ingot_string *strings = (const void *)p.data;
    for (int64_t k = 0; k < p.count && (p.is_numeric || p.dtype == INGOT_STRING); k++)
        if (p.is_numeric)
            ig_json_number(w, element(&p, k));
        else
            ig_json_string(w, strings[k].data, strings[k].bytes);
    ig_json_close(w, ']');
    ig_json_close(w, '}');
}

static void put_outputs(const ig_engine *e, const char *name, size_t i, size_t n, ig_json_writer *w,
                        ig_str *out)
{
    if (w) {
        ig_json_key(w, "outputs");
        ig_json_open(w, '{');
    } else if (*name) {
        put_name(out, name, 0);
        ig_str_putc(out, '\n');
    }
    for (size_t k = 0; k < ingot_model_n_outputs(e->model); k++) {
        ingot_io_info info;
        ingot_model_output(e->model, k, &info);
        if (w) {
            ig_json_key(w, info.name);
            json_value(w, ingot_session_output(e->session, k), i, n);
        } else {
            put_value(info.name, ingot_session_output(e->session, k), i, n, 0, out);
        }
    }
    if (w) ig_json_close(w, '}');
}

/* ---- one answer ---- */

static ig_status put_best(ig_cli *cli, ig_answers *a, const part *p, const char *name,
                          ig_json_writer *w, ig_str *out)
{
    size_t n_wanted = (size_t)a->top;
    if (a->truth.n && n_wanted < 5) n_wanted = 5;
    if ((int64_t)n_wanted > p->count) n_wanted = (size_t)p->count;
    ranked *best = ig_alloc_get(cli->alloc, n_wanted * sizeof *best, 0, INGOT_MEM_OTHER);
    if (!best) return IG_NOMEM(&cli->err, n_wanted * sizeof *best);
    const size_t n_best = find_best(p, n_wanted, best);
    if (a->has_softmax) apply_softmax(p, best, n_best);
    judge(a, name, best, n_best);
    const size_t n_shown = n_best < (size_t)a->top ? n_best : (size_t)a->top;
    if (w)
        json_classes(a, best, n_shown, w);
    else if (!a->is_quiet)
        put_classes(a, name, best, n_shown, out);
    ig_alloc_put(cli->alloc, best, n_wanted * sizeof *best, INGOT_MEM_OTHER);
    return INGOT_OK;
}

ig_status ig_answers_put(ig_cli *cli, ig_answers *a, const ig_engine *e, const char *name, size_t i,
                         size_t n_parts, ig_str *out)
{
    ig_json_writer writer, *w = a->is_json ? &writer : NULL;
    part p = { 0 };
    ig_status status = INGOT_OK;
    if (a->is_quiet && !a->truth.n) return INGOT_OK;
    if (w) {
        ig_json_begin(w, out, -1);
        ig_json_open(w, '{');
        ig_json_key(w, "input");
        ig_json_cstr(w, *name ? name : NULL);
    }
    const bool is_tensor = ingot_model_n_outputs(e->model) > 0 &&
                           get_part(ingot_session_output(e->session, 0), i, n_parts, &p);
    if (a->has_keys && is_tensor)
        status = put_text(cli, a, &p, name, w, out);
    else if (a->top && is_tensor && p.is_numeric && p.count <= MAX_CLASSES)
        status = put_best(cli, a, &p, name, w, out);
    else if (!a->is_quiet)
        put_outputs(e, name, i, n_parts, w, out);
    if (w) {
        ig_json_close(w, '}');
        ig_str_putc(out, '\n');
    }
    return status;
}

void ig_answers_put_failure(const ig_answers *a, const char *name, const char *message, ig_str *out)
{
    if (!a->is_json) return;
    ig_json_writer w;
    ig_json_begin(&w, out, -1);
    ig_json_open(&w, '{');
    ig_json_key(&w, "input");
    ig_json_cstr(&w, name);
    ig_json_key(&w, "error");
    ig_json_cstr(&w, message);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}
