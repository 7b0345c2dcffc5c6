/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: outputs as text. */
#include "cli/part.h"

double ig_decode_ctc(const ig_names *keys, const ig_part *p, ig_str *text)
{
    const int64_t n_classes = p->dims[p->rank - 1], n_steps = p->count / n_classes;
    int64_t last = 0, n_kept = 0;
    double sum = 0;
    for (int64_t t = 0; t < n_steps; t++) {
        int64_t best = 0;
        for (int64_t c = 1; c < n_classes; c++)
            if (ig_part_element(p, t * n_classes + c) > ig_part_element(p, t * n_classes + best))
                best = c;
        if (best && best != last) {
            ig_str_puts(text, (size_t)best <= keys->n ? keys->items[best - 1] : " ");
            sum += ig_part_element(p, t * n_classes + best);
            n_kept++;
        }
        last = best;
    }
    return n_kept ? sum / (double)n_kept : 0;
}

ig_status ig_put_text(ig_cli *cli, const ig_answers *a, const ig_part *p, const char *name,
                      ig_json_writer *w, ig_str *out)
{
    ig_str text;
    if (!p->is_numeric || p->rank < 2)
        return ig_fail(&cli->err, INGOT_ERR_SHAPE,
                       "--ctc: the first output is no table of scores: steps x classes");
    ig_str_init(&text, cli->alloc);
    const double score = ig_decode_ctc(&a->keys, p, &text);
    if (w) {
        ig_json_key(w, "text");
        ig_json_string(w, ig_str_cstr(&text), text.n);
        ig_json_key(w, "score");
        ig_json_number(w, score);
    } else {
        ig_put_name(out, name, a->path_width);
        ig_str_printf(out, "  %s  ", ig_str_cstr(&text));
        ig_put_score(out, score);
        ig_str_putc(out, '\n');
    }
    ig_str_deinit(&text);
    return INGOT_OK;
}
