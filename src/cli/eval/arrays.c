/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.c: outputs against stored ones, element by element. */
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "cli/eval/metric.h"

/* The stored output that belongs to output k: of its name, else the unnamed one at its place. */
static size_t find_expected(const ig_answer *answer, const ig_answer *expected, size_t k)
{
    for (size_t i = 0; i < expected->n_outputs; i++)
        if (expected->names[i] && answer->names[k] &&
            strcmp(expected->names[i], answer->names[k]) == 0)
            return i;
    return k < expected->n_outputs && !expected->names[k] ? k : SIZE_MAX;
}

static void add_elements(const ig_part *a, const ig_part *b, ig_array_sums *out)
{
    for (int64_t i = 0; i < a->count; i++) {
        const double x = ig_part_element(a, i), y = ig_part_element(b, i);
        const bool is_same = x == y || (isnan(x) && isnan(y));
        const double error = is_same ? 0 : isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY;
        if (error > out->max_error) out->max_error = error;
        out->error_sq += error * error;
        if (!isfinite(x) || !isfinite(y)) continue;
        out->dot += x * y;
        out->answer_sq += x * x;
        out->truth_sq += y * y;
    }
    out->n += (double)a->count;
    out->is_bytes &= b->dtype == INGOT_UINT8;
}

ig_status ig_compare_to_expected(const ig_judging *j, const ig_answer *answer,
                                 const ig_item_truth *truth, ig_array_sums *out, ig_error *err)
{
    *out = (ig_array_sums){ .is_bytes = true };
    for (size_t k = 0; k < answer->n_outputs; k++) {
        ig_part a = { 0 }, b = { 0 };
        const char *name = answer->names[k] ? answer->names[k] : "";
        if (j->output && strcmp(name, j->output) != 0) continue;
        /* A single stored array without a name is the output that was asked for. */
        const size_t e = j->output && truth->expected.n_outputs == 1 && !truth->expected.names[0]
                             ? 0
                             : find_expected(answer, &truth->expected, k);
        if (e == SIZE_MAX) continue;
        if (!ig_answer_part(answer, k, &a) || !ig_answer_part(&truth->expected, e, &b) ||
            a.count != b.count || (a.count && (!a.is_numeric || !b.is_numeric)))
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "output '%.80s' has %lld numbers for an item, the stored one %lld", name,
                           (long long)a.count, (long long)b.count);
        add_elements(&a, &b, out);
        out->hash =
            ig_hash(a.data, (size_t)a.count * (size_t)ingot_dtype_bits(a.dtype) / 8, out->hash);
    }
    if (out->n > 0) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "no stored array belongs to an output of the model");
}
