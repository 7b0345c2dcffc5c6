/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c: the best classes. */
#include <math.h>
#include <string.h>

#include "cli/part.h"

/* ---- classes ---- */

typedef struct ranked {
    double score;
    int64_t i;
} ranked;

bool ig_ranks_before(double score_i, int64_t i, double score_k, int64_t k)
{
    if (score_i > score_k) return true;
    if (score_i < score_k) return false;
    if (isnan(score_i) != isnan(score_k)) return isnan(score_k);
    return i < k;
}

static bool is_before(const ranked *x, const ranked *y)
{
    return ig_ranks_before(x->score, x->i, y->score, y->i);
}

/* The n best, sorted, by insertion into a small list. */
static size_t find_best(const ig_part *p, size_t n, ranked *best)
{
    size_t n_best = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const ranked one = { ig_part_element(p, i), i };
        if (n_best == n && !is_before(&one, &best[n - 1])) continue;
        size_t at = n_best < n ? n_best++ : n - 1;
        for (; at > 0 && is_before(&one, &best[at - 1]); at--) best[at] = best[at - 1];
        best[at] = one;
    }
    return n_best;
}

static void apply_softmax(const ig_part *p, ranked *best, size_t n)
{
    double sum = 0;
    const double largest = n ? best[0].score : 0;
    for (int64_t i = 0; i < p->count; i++) sum += exp(ig_part_element(p, i) - largest);
    for (size_t k = 0; k < n; k++) best[k].score = exp(best[k].score - largest) / sum;
}

static void put_label(const ig_answers *a, int64_t i, ig_str *out)
{
    if ((size_t)i < a->labels.n)
        ig_str_puts(out, a->labels.items[i]);
    else
        ig_str_printf(out, "%s%lld", a->labels.n ? "class " : "", (long long)i);
}

static void put_classes(const ig_answers *a, const char *name, const ranked *best, size_t n,
                        ig_str *out)
{
    if (a->top == 1) {
        ig_put_name(out, name, a->path_width);
        ig_str_puts(out, "  ");
        if (n) put_label(a, best[0].i, out);
        ig_str_puts(out, "  ");
        if (n) ig_put_score(out, best[0].score);
        ig_str_putc(out, '\n');
        return;
    }
    ig_str_printf(out, "%s", ig_bold(stdout));
    ig_put_name(out, name, 0);
    ig_str_printf(out, "%s\n", ig_plain(stdout));
    for (size_t k = 0; k < n; k++) {
        ig_str_puts(out, "  ");
        ig_put_score(out, best[k].score);
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

ig_status ig_put_classes(ig_cli *cli, ig_answers *a, const ig_part *p, const char *name,
                         ig_json_writer *w, ig_str *out)
{
    size_t n_wanted = (size_t)a->top;
    if ((int64_t)n_wanted > p->count) n_wanted = (size_t)p->count;
    ranked *best = ig_alloc_get(cli->alloc, n_wanted * sizeof *best, 0, INGOT_MEM_OTHER);
    if (!best) return IG_NOMEM(&cli->err, n_wanted * sizeof *best);
    const size_t n_best = find_best(p, n_wanted, best);
    if (a->has_softmax) apply_softmax(p, best, n_best);
    if (w)
        json_classes(a, best, n_best, w);
    else
        put_classes(a, name, best, n_best, out);
    ig_alloc_put(cli->alloc, best, n_wanted * sizeof *best, INGOT_MEM_OTHER);
    return INGOT_OK;
}
