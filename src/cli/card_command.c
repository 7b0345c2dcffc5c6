/* SPDX-License-Identifier: Apache-2.0 */
/* card_command.c: `ingot card`: write MODEL.card.json from flags, the old card and the model. */
#include <string.h>
#include <unistd.h>

#include "cli/card.h"
#include "cli/engine.h"

/* A path that means the same when read from beside `base`: relative to the card's folder where the
 * file lies there, which is the only place that cards may point to. */
static ig_status relative_to(ig_cli *cli, const char *base, const char *path, const char *flag,
                             const char **out)
{
    const char *slash = strrchr(base, '/');
    const size_t n = slash ? (size_t)(slash - base) + 1 : 0;
    if (access(path, R_OK) != 0)
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: cannot be read (%s)", path, flag);
    *out = path;
    if (n && strncmp(path, base, n) == 0)
        *out = path + n;
    else if (n || path[0] == '/' || strstr(path, ".."))
        return ig_cli_usage(cli, "%s: the file must lie beside the card: copy %s to %.*s", flag,
                            path, n ? (int)n : 1, n ? base : ".");
    return INGOT_OK;
}

/* Labels from a file elsewhere become part of the card. */
static ig_status take_labels(ig_cli *cli, ig_card *card, const char *card_path)
{
    const char *path = cli->options.labels;
    if (!path) return INGOT_OK;
    card->labels_file = NULL;
    IG_TRY(ig_names_read(&cli->arena, path, &card->labels, &cli->err));
    const ig_status status = relative_to(cli, card_path, path, "--labels", &card->labels_file);
    if (status == INGOT_OK) return INGOT_OK;
    ig_error_clear(&cli->err);
    cli->is_usage_error = false;
    card->labels_file = NULL;
    return INGOT_OK;
}

static ig_status take_keys(ig_cli *cli, ig_card *card, const char *card_path)
{
    if (!cli->options.ctc) return INGOT_OK;
    card->ctc = cli->options.ctc;
    if (strncmp(card->ctc, "metadata:", 9) == 0) return INGOT_OK;
    return relative_to(cli, card_path, card->ctc, "--ctc", &card->ctc);
}

/* What nobody said follows from the model's input. */
static ig_status complete(ig_cli *cli, const ig_engine *e, ig_card *card)
{
    ig_picture_format format;
    ig_preprocess *p = &card->preprocess;
    ingot_model_info info = { .struct_bytes = sizeof info };
    ingot_model_get_info(e->model, &info);
    if (!card->name && *info.graph_name) card->name = info.graph_name;
    size_t i = 0;
    while (i < e->n_inputs && e->inputs[i].rank != 3 && e->inputs[i].rank != 4) i++;
    if (i == e->n_inputs) return INGOT_OK; /* takes no pictures */
    IG_TRY(ig_picture_format_init(p, &e->inputs[i], &format, &cli->err));
    if (!p->size.height && format.height)
        p->size = (ig_picture_size){ format.width, format.height };
    p->layout = (int)format.layout;
    p->color = (int)format.color;
    p->filter = (int)format.filter;
    if (!p->mean.n && !p->std.n) p->scale = format.scale;
    return INGOT_OK;
}

ig_status ig_cli_card(ig_cli *cli)
{
    const char *model_path, *path = cli->options.out;
    ig_engine engine = { 0 };
    ig_card card;
    ig_str text;
    IG_TRY(ig_cli_model_path(cli, 1, &model_path));
    if (!path) path = ig_arena_printf(&cli->arena, "%s.card.json", model_path);
    if (!path) return IG_NOMEM(&cli->err, 0);
    IG_TRY(ig_card_load(cli, model_path, &card));
    ig_str_init(&text, cli->alloc);
    ig_status status = ig_engine_open(cli, model_path, &engine);
    if (status == INGOT_OK) status = take_labels(cli, &card, path);
    if (status == INGOT_OK) status = take_keys(cli, &card, path);
    if (status == INGOT_OK) status = complete(cli, &engine, &card);
    if (status == INGOT_OK) ig_card_write(&card, &text);
    if (status == INGOT_OK && !ig_str_ok(&text)) status = IG_NOMEM(&cli->err, text.n);
    if (status == INGOT_OK) status = ig_write_file(path, text.data, text.n, &cli->err);
    ig_str_deinit(&text);
    ig_engine_close(&engine);
    return status;
}
