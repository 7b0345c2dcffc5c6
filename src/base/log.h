/* SPDX-License-Identifier: Apache-2.0 */
/* log.h: lines to the caller's sink. A NULL log, or one without a write function, is silent. */
#ifndef IG_BASE_LOG_H
#define IG_BASE_LOG_H

#include "base/error.h"

/* One line; longer than 1 kB is cut. */
void ig_log(const ingot_log *log, ingot_log_level level, const char *format, ...) IG_PRINTF(3, 4);
/* Text of any length, split at newlines. */
void ig_log_text(const ingot_log *log, ingot_log_level level, const char *text, size_t bytes);

#endif
