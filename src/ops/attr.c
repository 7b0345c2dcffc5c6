/* SPDX-License-Identifier: Apache-2.0 */
/* attr.c: reading a node's attributes. */
#include <string.h>

#include "ops/op.h"

int64_t ig_attr_int(const ig_node *node, const char *name, int64_t fallback)
{
    const ig_attr *a = ig_node_attr(node, name);
    return a && a->kind == IG_ATTR_INT ? a->i : fallback;
}

float ig_attr_float(const ig_node *node, const char *name, float fallback)
{
    const ig_attr *a = ig_node_attr(node, name);
    return a && a->kind == IG_ATTR_FLOAT ? a->f : fallback;
}

bool ig_attr_is(const ig_node *node, const char *name, const char *value, bool if_absent)
{
    const ig_attr *a = ig_node_attr(node, name);
    if (!a || a->kind != IG_ATTR_STRING) return if_absent;
    return a->s.bytes == strlen(value) && memcmp(a->s.data, value, a->s.bytes) == 0;
}

const int64_t *ig_attr_ints(const ig_node *node, const char *name, size_t *n)
{
    const ig_attr *a = ig_node_attr(node, name);
    *n = a && a->kind == IG_ATTR_INTS ? a->n : 0;
    return *n ? a->ints : NULL;
}

const float *ig_attr_floats(const ig_node *node, const char *name, size_t *n)
{
    const ig_attr *a = ig_node_attr(node, name);
    *n = a && a->kind == IG_ATTR_FLOATS ? a->n : 0;
    return *n ? a->floats : NULL;
}

ig_epilogue ig_node_epilogue(const ig_node *node)
{
    const int64_t act = ig_attr_int(node, "ep_act", IG_ACT_NONE);
    return (ig_epilogue){
        .act = act > 0 && act < IG_N_ACTS ? (ig_act)act : IG_ACT_NONE,
        .alpha = ig_attr_float(node, "ep_alpha", 0),
        .beta = ig_attr_float(node, "ep_beta", 0),
    };
}

ig_status ig_axis(int64_t axis, int rank, int *out, ig_error *err)
{
    if (axis < -rank || axis >= rank)
        return ig_fail(err, INGOT_ERR_INVALID, "axis %lld is out of range for rank %d",
                       (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return INGOT_OK;
}
