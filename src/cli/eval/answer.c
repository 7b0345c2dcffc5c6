/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: one item's share of the outputs of a run. */
#include "cli/eval/metric.h"

/* Strings, which ig_part_of does not divide, have no bits. */
static void divide_strings(const ig_answer *a, ig_part *p)
{
    p->count /= (int64_t)a->n;
    p->dims[0] /= (int64_t)a->n;
    p->data += a->i * (size_t)p->count * sizeof(ingot_string);
}

bool ig_answer_part(const ig_answer *a, size_t k, ig_part *p)
{
    if (k >= a->n_outputs || !a->values[k]) return false;
    const ingot_value *value = a->values[k];
    if (ingot_value_kind(value) == INGOT_KIND_SEQUENCE) {
        if (ingot_value_n_items(value) != a->n) return false;
        value = ingot_value_item(value, a->i);
        if (ingot_value_kind(value) != INGOT_KIND_MAP) return false;
        return ig_part_of(ingot_value_item(value, 1), 0, 1, p);
    }
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR) return false;
    const int rank = ingot_tensor_rank(value);
    const int64_t n = (int64_t)a->n;
    if (n > 1 && (rank == 0 || ingot_tensor_dims(value)[0] < n || ingot_tensor_dims(value)[0] % n))
        return false;
    if (!ig_part_of(value, a->i, a->n, p)) return false;
    if (n > 1 && p->dtype == INGOT_STRING) divide_strings(a, p);
    return true;
}
