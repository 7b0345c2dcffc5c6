/* SPDX-License-Identifier: Apache-2.0 */
/* same.c: see same.h. */
#include "ops/same.h"

#include <string.h>

ig_status ig_node_with(const ig_node *node, const char *name, int64_t value, ig_arena *arena,
                       const ig_node **out, ig_error *err)
{
    ig_node *copy = ig_arena_copy(arena, node, sizeof *node);
    ig_attr *attrs = ig_arena_array(arena, (size_t)node->n_attrs + 1, sizeof *attrs);
    uint32_t n = 0;
    if (!copy || !attrs) return IG_NOMEM(err, ((size_t)node->n_attrs + 1) * sizeof *attrs);
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (strcmp(node->attrs[i].name, name) != 0) attrs[n++] = node->attrs[i];
    attrs[n++] = (ig_attr){ .name = name, .kind = IG_ATTR_INT, .n = 1, .i = value };
    copy->attrs = attrs;
    copy->n_attrs = n;
    *out = copy;
    return INGOT_OK;
}
