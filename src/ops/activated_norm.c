/* SPDX-License-Identifier: Apache-2.0 */
/* activated_norm.c: see activated_norm.h. */
#include "ops/activated_norm.h"

#include <math.h>

#include "ops/same.h"

ig_status ig_activated_norm_node(const ig_node *node, ig_arena *arena, const ig_node **out,
                                 ig_error *err)
{
    const int64_t activation = ig_attr_int(node, "activation", 0);
    if (activation != 0 && activation != 1)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "activation is %lld, neither 0 nor 1 (SiLU)",
                       (long long)activation);
    if (ig_attr_int(node, "groups", 0) < 1)
        return ig_fail(err, INGOT_ERR_INVALID, "groups is missing or not positive");
    return ig_node_with(node, "channels_last", ig_attr_int(node, "channels_last", 1), arena, out,
                        err);
}

void ig_activated_norm_finish(const ig_node *node, ig_tensor *y)
{
    if (!ig_attr_int(node, "activation", 0)) return;
    const int64_t n = ig_tensor_count(y);
    for (int64_t i = 0; i < n; i++) {
        const double x = ig_get_f64(y->dtype, y->data, i);
        ig_set_f64(y->dtype, y->data, i, x / (1 + exp(-x)));
    }
}
