/* SPDX-License-Identifier: Apache-2.0 */
/* op_node.c: a custom operator's node: its names and attributes. */
#include "ops/custom.h"

const char *ingot_op_node_name(const ingot_op_node *node) { return node->node->name; }

int ingot_op_node_version(const ingot_op_node *node) { return node->node->opset; }

size_t ingot_op_node_n_inputs(const ingot_op_node *node) { return node->node->n_inputs; }

size_t ingot_op_node_n_outputs(const ingot_op_node *node) { return node->node->n_outputs; }

int ingot_op_has_attr(const ingot_op_node *node, const char *name)
{
    return ig_node_attr(node->node, name) != NULL;
}

/* *out NULL: absent. */
static ig_status find(const ingot_op_node *node, const char *name, ig_attr_kind kind,
                      const char *noun, const ig_attr **out, ig_error *err)
{
    *out = ig_node_attr(node->node, name);
    if (!*out || (*out)->kind == kind) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is not %s", name, noun);
}

ingot_status ingot_op_attr_int(const ingot_op_node *node, const char *name, int64_t *value,
                               ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find(node, name, IG_ATTR_INT, "an int", &a, err));
    if (a) *value = a->i;
    return INGOT_OK;
}

ingot_status ingot_op_attr_float(const ingot_op_node *node, const char *name, float *value,
                                 ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find(node, name, IG_ATTR_FLOAT, "a float", &a, err));
    if (a) *value = a->f;
    return INGOT_OK;
}

ingot_status ingot_op_attr_string(const ingot_op_node *node, const char *name, ingot_string *value,
                                  ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find(node, name, IG_ATTR_STRING, "a string", &a, err));
    if (a) *value = a->s;
    return INGOT_OK;
}

ingot_status ingot_op_attr_tensor(const ingot_op_node *node, const char *name,
                                  const ingot_value **value, ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find(node, name, IG_ATTR_TENSOR, "a tensor", &a, err));
    if (a) *value = a->t;
    return INGOT_OK;
}

/* A list without elements has no kind in a file: it is one of any. */
static ig_status find_list(const ingot_op_node *node, const char *name, ig_attr_kind kind,
                           const char *noun, const ig_attr **out, ig_error *err)
{
    static const ig_attr empty = { .name = "" };
    *out = ig_node_attr(node->node, name);
    if (*out && (*out)->n == 0 && (*out)->kind >= IG_ATTR_INTS && (*out)->kind <= IG_ATTR_STRINGS)
        *out = &empty;
    if (!*out || *out == &empty || (*out)->kind == kind) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is not %s", name, noun);
}

ingot_status ingot_op_attr_ints(const ingot_op_node *node, const char *name, const int64_t **value,
                                size_t *n, ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find_list(node, name, IG_ATTR_INTS, "a list of ints", &a, err));
    if (a) *value = a->ints, *n = a->n;
    return INGOT_OK;
}

ingot_status ingot_op_attr_floats(const ingot_op_node *node, const char *name, const float **value,
                                  size_t *n, ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find_list(node, name, IG_ATTR_FLOATS, "a list of floats", &a, err));
    if (a) *value = a->floats, *n = a->n;
    return INGOT_OK;
}

ingot_status ingot_op_attr_strings(const ingot_op_node *node, const char *name,
                                   const ingot_string **value, size_t *n, ingot_error *err)
{
    const ig_attr *a = NULL;
    IG_TRY(find_list(node, name, IG_ATTR_STRINGS, "a list of strings", &a, err));
    if (a) *value = a->strings, *n = a->n;
    return INGOT_OK;
}
