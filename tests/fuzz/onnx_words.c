/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_words.h"

#include <stdlib.h>
#include <string.h>

const ig_op *onnx_words_operator(const char *name, size_t bytes)
{
    for (size_t i = 0; i < ig_ops_count(); i++) {
        const char *onnx = ig_ops_at(i)->onnx;
        if (strlen(onnx) == bytes && memcmp(onnx, name, bytes) == 0) return ig_ops_at(i);
    }
    return NULL;
}

/* ---- attributes of cases ---- */

static const char *end_of_value(const char *p)
{
    if (*p == '"') return strchr(p + 1, '"');
    if (*p == '[') return strchr(p, ']');
    return p + strcspn(p, " ") - 1;
}

/* The next attribute at or behind p; NULL: none. */
static const char *next_attribute(const char *p, onnx_word *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    while (*p) {
        const size_t n = strspn(p, letters);
        const char *value = p + n + 1;
        /* Tensors and graphs are left out: "f32[2]{…}", "graph …". */
        if (n && p[n] == '=' && *value && strchr("\"[-.0123456789", *value)) {
            const char *end = end_of_value(value);
            if (!end) return NULL;
            *out = (onnx_word){ p, value, n, (size_t)(end - value) + 1 };
            return end + 1;
        }
        p += n;
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return NULL;
}

static size_t count_or_get(const ig_op *op, size_t wanted, onnx_word *out)
{
    size_t n = 0;
    for (const char *const *text = op->cases; text && *text; text++)
        for (const char *p = *text; (p = next_attribute(p, out)) != NULL;)
            if (n++ == wanted) return n;
    return n;
}

bool onnx_words_attribute(const ig_op *op, uint32_t choice, onnx_word *out)
{
    if (!op) op = ig_ops_at(choice % ig_ops_count());
    const size_t n = count_or_get(op, SIZE_MAX, out);
    if (n) count_or_get(op, choice / 7 % n, out);
    return n > 0;
}
