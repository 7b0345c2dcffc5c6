/* SPDX-License-Identifier: Apache-2.0 */
/* name.c: names and versions from the file. */
#include <string.h>

#include "import/onnx/importer.h"

ig_onnx_text ig_onnx_printable(ig_pb_bytes name)
{
    ig_onnx_text text;
    size_t n = name.n < 80 ? name.n : 80;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = name.data[i];

        text.s[i] = (char)(c < 32 || c == 127 ? '?' : c);
    }
    memcpy(text.s + n, name.n > n ? "..." : "", name.n > n ? 4 : 1);
    return text;
}

bool ig_onnx_same(ig_pb_bytes a, const char *b)
{
    return a.n == strlen(b) && memcmp(a.data, b, a.n) == 0;
}

ig_pb_bytes ig_onnx_domain(ig_pb_bytes domain)
{
    return ig_onnx_same(domain, "ai.onnx") ? (ig_pb_bytes){ domain.data, 0 } : domain;
}

ig_status ig_onnx_check_name(ig_onnx_importer *m, ig_pb_bytes name, const char *what)
{
    if (name.n > IG_ONNX_MAX_NAME_BYTES)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "%s of %zu bytes: at most %d are supported", what,
                       name.n, IG_ONNX_MAX_NAME_BYTES);
    if (name.n && memchr(name.data, 0, name.n))
        return ig_fail(m->err, INGOT_ERR_INVALID, "%s '%s' holds a zero byte", what,
                       ig_onnx_printable(name).s);
    return INGOT_OK;
}

ig_status ig_onnx_intern(ig_onnx_importer *m, ig_pb_bytes name, const char *what, const char **out)
{
    const char *key = name.n ? (const char *)name.data : "";
    uint32_t i = ig_map_get(&m->strings, key, name.n);

    if (i != IG_MAP_NONE) {
        *out = m->interned[i];
        return INGOT_OK;
    }
    IG_TRY(ig_onnx_check_name(m, name, what));
    *out = ig_arena_strndup(m->arena, key, name.n);
    if (!*out || !IG_ARENA_PUSH(&m->scratch, m->interned, m->n_interned, m->cap_interned, *out) ||
        !ig_map_put(&m->strings, *out, name.n, (uint32_t)(m->n_interned - 1)))
        return IG_NOMEM(m->err, name.n);
    return INGOT_OK;
}

ig_status ig_onnx_text_copy(ig_onnx_importer *m, ig_pb_bytes text, const char **out)
{
    const void *end = text.n ? memchr(text.data, 0, text.n) : NULL;
    size_t n = end ? (size_t)((const uint8_t *)end - text.data) : text.n;

    *out = n ? ig_arena_strndup(m->arena, (const char *)text.data, n) : "";
    return *out ? INGOT_OK : IG_NOMEM(m->err, n);
}

/* ---- opsets ---- */

static const ig_opset *find_opset(const ig_opset *items, size_t n, const char *domain)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(items[i].domain, domain) == 0) return &items[i];
    return NULL;
}

ig_status ig_onnx_opset_add(ig_onnx_importer *m, ig_onnx_opsets *opsets, ig_pb_bytes message)
{
    ig_pb_bytes domain = { message.data, 0 };
    ig_opset item = { 0 };
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) domain = ig_pb_span(&r, &f);
        if (f.number == 2) item.version = ig_pb_int(&r, &f);
    }
    IG_TRY(r.status);
    if (item.version < 0 || item.version > INT32_MAX)
        return ig_fail(m->err, INGOT_ERR_INVALID, "opset version %lld of domain '%s' is absurd",
                       (long long)item.version, ig_onnx_printable(domain).s);
    if (opsets->n == IG_ONNX_MAX_IMPORTS)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d opset imports", IG_ONNX_MAX_IMPORTS);
    IG_TRY(ig_onnx_intern(m, ig_onnx_domain(domain), "opset domain", &item.domain));
    const ig_opset *old = find_opset(opsets->items, opsets->n, item.domain);
    if (old && old->version != item.version)
        return ig_fail(m->err, INGOT_ERR_INVALID, "opset %lld and %lld of domain '%s'",
                       (long long)old->version, (long long)item.version,
                       ig_onnx_printable(domain).s);
    if (old) return INGOT_OK;
    if (!IG_ARENA_PUSH(m->arena, opsets->items, opsets->n, opsets->cap, item))
        return IG_NOMEM(m->err, sizeof item);
    return INGOT_OK;
}

int ig_onnx_opset_of(const ig_onnx_importer *m, const ig_onnx_opsets *opsets, const char *domain)
{
    const ig_graph *g = m->model->graph;
    const ig_opset *found = find_opset(opsets->items, opsets->n, domain);

    if (!found && g) found = find_opset(g->opsets, g->n_opsets, domain);
    if (found) return found->version > 1 ? (int)found->version : 1;
    if (m->model->ir_version < 3) return 1;
    if (!domain[0]) return IG_ONNX_OPSET;
    return strcmp(domain, "ai.onnx.ml") == 0 ? IG_ONNX_ML_OPSET : 1;
}
