/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers.h"

#include <math.h>
#include <string.h>

#include "cli/element.h"
#include "cli/part.h"

#define MAX_CLASSES 10000000

/* ---- settings ---- */

/* A file beside the card, which is not trusted; flags' files are taken as they are. */
static ig_status read_card_file(ig_cli *cli, const ig_card *card, const char *name, ig_names *out)
{
    return ig_names_read_sibling(&cli->arena, card->path, name, cli->options.allow_links, out,
                                 &cli->err);
}

static ig_status load_labels(ig_cli *cli, const ig_card *card, ig_names *labels)
{
    const char *path = cli->options.labels;
    *labels = card->labels;
    if (!path && !card->labels_file) return INGOT_OK;
    if (!path) return read_card_file(cli, card, card->labels_file, labels);
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
    if (!cli->options.ctc) return read_card_file(cli, card, text, &a->keys);
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
    if (!a->top && !a->has_keys && (a->labels.n || (has_pictures && has_classes(e)))) a->top = 5;
    a->is_quiet = o->out && !o->json && !o->top;
    return INGOT_OK;
}

/* ---- words ---- */

void ig_put_score(ig_str *out, double score)
{
    const double size = fabs(score);
    ig_str_printf(out, score == 0 || (size >= 0.0001 && size < 1e6) ? "%.4f" : "%.3e", score);
}

/* Control characters in a name must not reach a terminal or break a line. */
void ig_put_name(ig_str *out, const char *name, int width)
{
    int column = 0;
    for (const char *p = name; *p; p++) {
        ig_str_putc(out, (unsigned char)*p < 32 || *p == 127 ? '?' : *p);
        column += ((unsigned char)*p & 0xc0) != 0x80;
    }
    for (; column < width; column++) ig_str_putc(out, ' ');
}

size_t ig_answers_n_parts(const ig_answers *a, const ig_engine *e)
{
    const ingot_value *output = ingot_session_output(e->session, 0);
    if ((!a->top && !a->has_keys) || ingot_value_kind(output) != INGOT_KIND_TENSOR) return 1;
    const int rank = ingot_tensor_rank(output);
    const int64_t n = rank >= 2 ? ingot_tensor_dims(output)[0] : 1;
    return n >= 1 ? (size_t)n : 1;
}

/* ---- one answer ---- */

ig_status ig_answers_put(ig_cli *cli, ig_answers *a, const ig_engine *e, const char *name, size_t i,
                         size_t n_parts, ig_str *out)
{
    ig_json_writer writer, *w = a->is_json ? &writer : NULL;
    ig_part p = { 0 };
    ig_status status = INGOT_OK;
    if (a->is_quiet) return INGOT_OK;
    if (w) {
        ig_json_begin(w, out, -1);
        ig_json_open(w, '{');
        ig_json_key(w, "input");
        ig_json_cstr(w, *name ? name : NULL);
    }
    const bool is_tensor = ingot_model_n_outputs(e->model) > 0 &&
                           ig_part_of(ingot_session_output(e->session, 0), i, n_parts, &p);
    if (a->has_keys && is_tensor)
        status = ig_put_text(cli, a, &p, name, w, out);
    else if (a->top && is_tensor && p.is_numeric && p.count <= MAX_CLASSES)
        status = ig_put_classes(cli, a, &p, name, w, out);
    else
        ig_put_outputs(e, name, i, n_parts, w, out);
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
