/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a protobuf value (the first byte chooses the kind). What is read must survive being
 * written and read again. */
#include <stdlib.h>

#include "base/str.h"
#include "ingot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int append(void *ctx, const char *text, size_t n)
{
    ig_str_append(ctx, text, n);
    return !ig_str_ok(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ingot_value *value = NULL, *again = NULL;
    ingot_error err = { 0 };
    ingot_kind kind;
    ig_str text;

    if (bytes == 0) return 0;
    kind = (ingot_kind)(data[0] % 4);
    if (ingot_value_from_pb(data + 1, bytes - 1, kind, &value, &err) != INGOT_OK) {
        if (!err.message[0]) abort();
        return 0;
    }
    ig_str_init(&text, ig_alloc_default());
    if (ingot_value_to_pb(value, NULL, append, &text, &err) == INGOT_OK) {
        if (ingot_value_from_pb(ig_str_cstr(&text), text.n, kind, &again, &err) != INGOT_OK)
            abort();
    } else if (err.status == INGOT_ERR_INTERNAL) {
        abort();
    }
    ig_str_deinit(&text);
    ingot_value_destroy(value);
    ingot_value_destroy(again);
    return 0;
}
