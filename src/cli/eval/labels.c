/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c: classes, as labels and as models write them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/element.h"
#include "cli/eval/metric.h"

#define MAX_CLASSES 10000000

/* ---- labels ---- */

/* -1: no label is called so. */
static int64_t find_label(const ig_names *labels, const char *text, size_t n)
{
    for (size_t i = 0; i < labels->n; i++)
        if (strlen(labels->items[i]) == n && strncasecmp(labels->items[i], text, n) == 0)
            return (int64_t)i;
    return -1;
}

ig_status ig_class_of_label(const ig_judging *j, const char *text, int64_t n_classes, int32_t *out,
                            ig_error *err)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const bool is_number = *text && end != text && *end == '\0';
    const int64_t most = n_classes ? n_classes : MAX_CLASSES;
    if (!is_number) {
        const int64_t found = find_label(&j->labels, text, strlen(text));
        if (found < 0)
            return ig_fail(err, INGOT_ERR_INVALID,
                           "label '%.80s' is no number and none of the %zu names; give --labels",
                           text, j->labels.n);
        *out = (int32_t)found;
        return found < most ? INGOT_OK
                            : ig_fail(err, INGOT_ERR_INVALID,
                                      "label '%.80s' is class %lld, the model has %lld", text,
                                      (long long)found, (long long)most);
    }
    if (errno || number < -MAX_CLASSES || number + j->shift < 0 || number + j->shift >= most)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "label %.40s%s is out of range: the model's classes are 0 to %lld", text,
                       j->shift ? " with --truth-shift" : "", (long long)most - 1);
    *out = (int32_t)(number + j->shift);
    return INGOT_OK;
}

void ig_put_class(const ig_judging *j, int64_t class_i, ig_str *out)
{
    if (class_i >= 0 && (size_t)class_i < j->labels.n)
        ig_put_name(out, j->labels.items[class_i], 0);
    else
        ig_str_printf(out, "%lld", (long long)class_i);
}

/* ---- answers ---- */

static bool is_integer(ingot_dtype dtype)
{
    double one;
    const uint64_t zero = 0;
    return !ig_dtype_is_float(dtype) && ig_element_decode(dtype, &zero, 0, &one);
}

/* A label itself: one integer or string an item. */
static bool take_label(const ig_judging *j, const ig_part *p, ig_classified *out)
{
    if (p->count != 1) return false;
    if (p->dtype == INGOT_STRING) {
        const ingot_string *s = (const void *)p->data;
        char text[24];
        char *end;
        const int64_t named = find_label(&j->labels, s->data, s->bytes);
        out->best = (int32_t)named;
        if (named >= 0 || s->bytes == 0 || s->bytes >= sizeof text) return true;
        memcpy(text, s->data, s->bytes);
        text[s->bytes] = '\0';
        const long number = strtol(text, &end, 10);
        if (*end == '\0' && number >= 0 && number < MAX_CLASSES) out->best = (int32_t)number;
        return true;
    }
    if (!is_integer(p->dtype)) return false;
    const double class_i = ig_part_element(p, 0);
    out->best = class_i >= 0 && class_i < MAX_CLASSES ? (int32_t)class_i : -1;
    return true;
}

static bool take_scores(const ig_part *p, ig_classified *out)
{
    if (!p->is_numeric || p->count < 1 || p->count > MAX_CLASSES) return false;
    out->scores = *p;
    out->n_classes = p->count == 1 ? 2 : p->count;
    if (p->count == 1) {
        out->best = ig_part_element(p, 0) >= 0.5;
        return true;
    }
    int64_t best = 0;
    for (int64_t i = 1; i < p->count; i++)
        if (ig_ranks_before(ig_part_element(p, i), i, ig_part_element(p, best), best)) best = i;
    out->best = (int32_t)best;
    return true;
}

static bool is_wanted(const ig_judging *j, const ig_answer *a, size_t k)
{
    return !j->output || (a->names[k] && strcmp(a->names[k], j->output) == 0);
}

ig_status ig_classify(const ig_judging *j, const ig_answer *a, ig_classified *out, ig_error *err)
{
    *out = (ig_classified){ .best = -1 };
    for (size_t k = 0; k < a->n_outputs; k++) {
        ig_part p = { 0 };
        if (!is_wanted(j, a, k) || !ig_answer_part(a, k, &p)) continue;
        if (take_label(j, &p, out) || take_scores(&p, out)) return INGOT_OK;
    }
    return ig_fail(err, INGOT_ERR_SHAPE,
                   "no output has scores of classes or a label for each of %zu items%s", a->n,
                   a->n > 1 ? "; try --batch 1" : "");
}

ig_status ig_judge_class(const ig_tally *t, const ig_answer *a, const ig_item_truth *truth,
                         ig_classified *out, ig_mark *mark, ig_str *said, ig_error *err)
{
    IG_TRY(ig_classify(t->judging, a, out, err));
    t->judging->n_classes = out->n_classes;
    IG_TRY(ig_class_of_label(t->judging, truth->text, out->n_classes, &mark->truth_class, err));
    mark->said_class = out->best;
    mark->said = (uint64_t)(int64_t)out->best;
    mark->is_wrong = mark->truth_class != mark->said_class;
    mark->a = !mark->is_wrong;
    mark->b = 1;
    ig_put_class(t->judging, out->best, said);
    return INGOT_OK;
}

ig_status ig_positive_score(const ig_judging *j, const ig_answer *a, double *score, ig_error *err)
{
    for (size_t k = 0; k < a->n_outputs; k++) {
        ig_part p = { 0 };
        if (!is_wanted(j, a, k) || !ig_answer_part(a, k, &p) || !ig_dtype_is_float(p.dtype))
            continue;
        if (p.count == 1) {
            *score = j->positive ? ig_part_element(&p, 0) : -ig_part_element(&p, 0);
            return INGOT_OK;
        }
        if (p.count == 2) {
            *score = ig_part_element(&p, j->positive);
            return INGOT_OK;
        }
    }
    return ig_fail(err, INGOT_ERR_SHAPE, "auc: no output has one or two scores for each item");
}
