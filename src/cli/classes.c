/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c: the best classes, and whether they are right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/part.h"

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
static size_t find_best(const ig_part *p, size_t n, ranked *best)
{
    size_t n_best = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const ranked one = { ig_part_element(p, i), i };
        if (n_best == n && by_score(&one, &best[n - 1]) >= 0) continue;
        size_t at = n_best < n ? n_best++ : n - 1;
        for (; at > 0 && by_score(&one, &best[at - 1]) < 0; at--) best[at] = best[at - 1];
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
    if ((size_t) class >= a->labels.n) return false;
    return strlen(a->labels.items[class]) == n &&
           strncasecmp(a->labels.items[class], truth, n) == 0;
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

/* ---- both ---- */

ig_status ig_put_classes(ig_cli *cli, ig_answers *a, const ig_part *p, const char *name,
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
