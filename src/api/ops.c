/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: sets of custom operators: made, added to, kept. */
#include <dlfcn.h>
#include <string.h>

#include "api/handles.h"

#define MAX_OPERANDS 127
#define MAX_NAME_BYTES 255

ingot_status ingot_ops_create(ingot_ops **out, ingot_error *err)
{
    ig_alloc *alloc = ig_alloc_default();
    ig_error_clear(err);
    *out = NULL;
    ingot_ops *ops = ig_alloc_get(alloc, sizeof *ops, _Alignof(ingot_ops), INGOT_MEM_OTHER);
    if (!ops) return IG_NOMEM(err, sizeof *ops);
    *ops = (ingot_ops){ .n_defs = 0 };
    atomic_init(&ops->n_owners, 1);
    ig_arena_init(&ops->arena, alloc, INGOT_MEM_OTHER);
    *out = ops;
    return INGOT_OK;
}

void ig_ops_retain(ingot_ops *ops) { atomic_fetch_add(&ops->n_owners, 1); }

void ingot_ops_destroy(ingot_ops *ops)
{
    if (!ops || atomic_fetch_sub(&ops->n_owners, 1) != 1) return;
    for (size_t i = ops->n_libraries; i-- > 0;) dlclose(ops->libraries[i]);
    ig_arena_deinit(&ops->arena);
    ig_alloc_put(ig_alloc_default(), ops, sizeof *ops, INGOT_MEM_OTHER);
}

/* ---- registering ---- */

static ig_status check_arity(const char *what, const int n[2], ig_error *err)
{
    const bool is_ok =
        n[0] >= 0 && n[0] <= MAX_OPERANDS && n[1] <= MAX_OPERANDS && (n[1] == -1 || n[1] >= n[0]);
    if (is_ok) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "%d to %d %s make no sense (0 to %d; most -1: any)",
                   n[0], n[1], what, MAX_OPERANDS);
}

static ig_status check_name(const char *what, const char *text, ig_error *err)
{
    if (strlen(text) <= MAX_NAME_BYTES) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "the %s is longer than %d bytes", what, MAX_NAME_BYTES);
}

static ig_status check_def(const ingot_op_def *def, ig_error *err)
{
    if (!def->name || !def->name[0])
        return ig_fail(err, INGOT_ERR_INVALID, "the operator has no name");
    IG_TRY(check_name("name", def->name, err));
    IG_TRY(check_name("domain", def->domain, err));
    if (!def->run) return ig_fail(err, INGOT_ERR_INVALID, "the operator has no run callback");
    if (def->since_version < 1)
        return ig_fail(err, INGOT_ERR_INVALID, "version %d does not exist", def->since_version);
    if (def->flags & ~INGOT_OP_PURE)
        return ig_fail(err, INGOT_ERR_INVALID, "flags 0x%x are not known", def->flags);
    IG_TRY(check_arity("inputs", def->n_inputs, err));
    return check_arity("outputs", def->n_outputs, err);
}

static ig_status check_clash(const ingot_ops *ops, const ingot_op_def *def, ig_error *err)
{
    const char *shown = def->domain[0] ? def->domain : "ai.onnx";
    /* Operators that passes make are looked up in that domain. */
    if (strcmp(def->domain, "ingot") == 0 || ig_ops_has(def->domain, def->name))
        return ig_fail(err, INGOT_ERR_INVALID, "domain '%s' %s; use a domain of your own", shown,
                       strcmp(def->domain, "ingot") == 0 ? "is Ingot's own"
                                                         : "has an operator of that name already");
    for (size_t i = 0; i < ops->n_defs; i++) {
        const ingot_op_def *other = &ops->defs[i]->def;
        if (strcmp(other->name, def->name) == 0 && strcmp(other->domain, def->domain) == 0 &&
            other->since_version == def->since_version)
            return ig_fail(err, INGOT_ERR_INVALID,
                           "version %d of it is registered in domain '%s' already",
                           def->since_version, shown);
    }
    return INGOT_OK;
}

static ig_status add(ingot_ops *ops, const ingot_op_def *def, ig_error *err)
{
    ingot_op_def own = *def;
    ig_custom_def *custom = ig_arena_get(&ops->arena, sizeof *custom);
    own.name = ig_arena_strdup(&ops->arena, def->name);
    own.domain = ig_arena_strdup(&ops->arena, def->domain);
    if (!custom || !own.name || !own.domain) return IG_NOMEM(err, sizeof *custom);
    ig_custom_def_init(custom, &own);
    if (!IG_ARENA_PUSH(&ops->arena, ops->defs, ops->n_defs, ops->cap_defs, custom))
        return IG_NOMEM(err, sizeof custom);
    return INGOT_OK;
}

static ig_status register_op(ingot_ops *ops, const ingot_op_def *def, ig_error *err)
{
    IG_TRY(check_def(def, err));
    IG_TRY(check_clash(ops, def, err));
    return add(ops, def, err);
}

ingot_status ingot_op_register(ingot_ops *ops, const ingot_op_def *given, ingot_error *err)
{
    ingot_op_def def = INGOT_OP_DEF_INIT;
    ig_error_clear(err);
    if (given->struct_bytes < offsetof(ingot_op_def, domain))
        return ig_fail(err, INGOT_ERR_INVALID, "ingot_op_def is not set up by INGOT_OP_DEF_INIT");
    memcpy(&def, given, given->struct_bytes < sizeof def ? given->struct_bytes : sizeof def);
    /* Of another version even the place of the name is not sure. */
    if (def.api_version != INGOT_OP_API_VERSION)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "a custom operator is built for version %d of the operator interface, this "
                       "Ingot has version %d; build it with this Ingot's ingot.h",
                       def.api_version, INGOT_OP_API_VERSION);
    if (!def.domain || strcmp(def.domain, "ai.onnx") == 0) def.domain = "";
    if (def.since_version == 0) def.since_version = 1;
    const ig_status status = register_op(ops, &def, err);
    if (status) ig_error_prepend(err, "custom operator %.100s", def.name ? def.name : "");
    return status;
}
