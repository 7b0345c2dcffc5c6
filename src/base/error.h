/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h: one line about what went wrong.
 *
 * Everything that can fail returns an ig_status and fills a caller-owned ig_error. The first error
 * wins; on the way up each layer may put context in front, so that the user reads "net.onnx: node
 * 12 'conv1' (Conv): weight has 3 channels, …".
 */
#ifndef IG_BASE_ERROR_H
#define IG_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingot.h"

typedef ingot_status ig_status;
typedef ingot_error ig_error;

#define IG_MUST_USE __attribute__((warn_unused_result))
#define IG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define IG_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define IG_UNUSED __attribute__((unused))

/* Fill err (may be NULL) unless it holds an error already; returns the status of the error that
 * stands then, so that `return ig_fail(…)` reads well and agrees with err. */
ig_status ig_fail(ig_error *err, ig_status status, const char *format, ...) IG_PRINTF(3, 4);

/* Put "text: " in front of the message of a failure; does nothing when err is NULL or holds none.
 */
void ig_error_prepend(ig_error *err, const char *format, ...) IG_PRINTF(2, 3);

/* Forget an error, before an operation that may set one. */
void ig_error_clear(ig_error *err);

/* Return from the calling function when `call` fails. */
#define IG_TRY(call)                                                                               \
    do {                                                                                           \
        ig_status ig_try_status_ = (call);                                                         \
        if (ig_try_status_ != INGOT_OK) return ig_try_status_;                                     \
    } while (0)

/* The usual failure of an allocation. */
#define IG_NOMEM(err, bytes)                                                                       \
    ig_fail((err), INGOT_ERR_NOMEM, "out of memory (%zu bytes wanted)", (size_t)(bytes))

#endif
