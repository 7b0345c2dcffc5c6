/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IG_BASE_CLOCK_H
#define IG_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time in nanoseconds. */
uint64_t ig_clock_ns(void);

#endif
