/* SPDX-License-Identifier: Apache-2.0 */
/* attr.c: reading a node's attributes. */
#include <string.h>

#include "ops/activation.h"

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

/* com.microsoft's fused operators name their activation; parameters come as a list, or singly. */
static float activation_param(const ig_node *node, size_t i, float fallback)
{
    size_t n;
    const float *list = ig_attr_floats(node, "activation_params", &n);
    if (i < n) return list[i];
    return ig_attr_float(node, i ? "activation_beta" : "activation_alpha", fallback);
}

bool ig_node_activation(const ig_node *node, ig_epilogue *ep)
{
    static const struct {
        const char *name;
        ig_act act;
        float alpha, beta; /* defaults */
    } known[] = { { "Relu", IG_ACT_RELU, 0, 0 },
                  { "Sigmoid", IG_ACT_SIGMOID, 0, 0 },
                  { "Tanh", IG_ACT_TANH, 0, 0 },
                  { "LeakyRelu", IG_ACT_LEAKY_RELU, 0.01f, 0 },
                  { "Clip", IG_ACT_CLIP, -3.4028234664e38f, 3.4028234664e38f },
                  { "HardSigmoid", IG_ACT_HARD_SIGMOID, 0.2f, 0.5f } };
    *ep = (ig_epilogue){ 0 };
    if (ig_attr_is(node, "activation", "", true)) return true;
    for (size_t i = 0; i < IG_COUNT(known); i++)
        if (ig_attr_is(node, "activation", known[i].name, false)) {
            *ep = (ig_epilogue){ .act = known[i].act,
                                 .alpha = activation_param(node, 0, known[i].alpha),
                                 .beta = activation_param(node, 1, known[i].beta) };
            return true;
        }
    return false;
}

ig_epilogue ig_node_epilogue(const ig_node *node)
{
    const int64_t act = ig_attr_int(node, "ep_act", IG_ACT_NONE);
    ig_epilogue ep = { .act = act > 0 && act < IG_N_ACTS ? (ig_act)act : IG_ACT_NONE,
                       .alpha = ig_attr_float(node, "ep_alpha", 0),
                       .beta = ig_attr_float(node, "ep_beta", 0) };
    if (ep.act == IG_ACT_NONE && !ig_node_activation(node, &ep)) ep = (ig_epilogue){ 0 };
    return ep;
}

ig_status ig_axis(int64_t axis, int rank, int *out, ig_error *err)
{
    if (axis < -rank || axis >= rank)
        return ig_fail(err, INGOT_ERR_INVALID, "axis %lld is out of range for rank %d",
                       (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return INGOT_OK;
}
