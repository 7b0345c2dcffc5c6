/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *name;
    int exit_code;
} statuses[INGOT_N_STATUS] = {
    [INGOT_OK] = { "ok", 0 },
    [INGOT_ERR_NOMEM] = { "out of memory", 3 },
    [INGOT_ERR_IO] = { "input/output error", 4 },
    [INGOT_ERR_PARSE] = { "malformed data", 5 },
    [INGOT_ERR_INVALID] = { "invalid", 6 },
    [INGOT_ERR_SHAPE] = { "shape or type mismatch", 7 },
    [INGOT_ERR_UNSUPPORTED] = { "unsupported", 8 },
    [INGOT_ERR_LIMIT] = { "limit exceeded", 9 },
    [INGOT_ERR_CANCELLED] = { "cancelled", 10 },
    [INGOT_ERR_INTERNAL] = { "internal error", 70 },
};

const char *ingot_status_name(ingot_status status)
{
    return (unsigned)status < INGOT_N_STATUS ? statuses[status].name : "unknown status";
}

int ingot_status_exit_code(ingot_status status)
{
    return statuses[(unsigned)status < INGOT_N_STATUS ? status : INGOT_ERR_INTERNAL].exit_code;
}

/* Names and values from files end up in messages: keep them to one line of UTF-8, whatever they
 * hold. A sequence that the end of the buffer has cut is dropped. */
static void make_one_line(char *message)
{
    size_t n = strlen(message);
    for (size_t i = 0; i < n;) {
        const size_t char_bytes = ig_utf8_bytes(message + i, n - i);
        if (char_bytes == 0 && ig_utf8_is_cut(message + i, n - i)) {
            message[i] = '\0';
            return;
        }
        if (char_bytes == 0 || (unsigned char)message[i] < 0x20 || message[i] == 0x7f)
            message[i] = '?';
        i += char_bytes ? char_bytes : 1;
    }
}

ingot_status ingot_error_set(ingot_error *err, ingot_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    if (vsnprintf(err->message, sizeof err->message, format, args) < 0) err->message[0] = '\0';
    va_end(args);
    make_one_line(err->message);
    err->status = status;
    return status;
}

ig_status ig_fail(ig_error *err, ig_status status, const char *format, ...)
{
    if (!err) return status;
    if (err->status != INGOT_OK) return err->status;
    va_list args;
    va_start(args, format);
    if (vsnprintf(err->message, sizeof err->message, format, args) < 0) err->message[0] = '\0';
    va_end(args);
    make_one_line(err->message);
    err->status = status;
    return status;
}

void ig_error_prepend(ig_error *err, const char *format, ...)
{
    if (!err || err->status == INGOT_OK) return;
    const size_t room = sizeof err->message;
    char cause[sizeof err->message];
    memcpy(cause, err->message, room);
    va_list args;
    va_start(args, format);
    const int wanted = vsnprintf(err->message, room, format, args);
    va_end(args);
    /* A context that leaves no room for the cause is shortened: the cause matters more. */
    size_t n = wanted < 0 ? 0 : (size_t)wanted;
    if (n > room / 2) n = room / 2;
    const size_t cause_bytes = strnlen(cause, room - n - 3);
    memcpy(err->message + n, ": ", 2);
    memcpy(err->message + n + 2, cause, cause_bytes);
    err->message[n + 2 + cause_bytes] = '\0';
    make_one_line(err->message);
}

void ig_error_clear(ig_error *err)
{
    if (!err) return;
    err->status = INGOT_OK;
    err->message[0] = '\0';
}
