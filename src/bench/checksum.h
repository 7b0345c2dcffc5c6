/* SPDX-License-Identifier: Apache-2.0 */
/* checksum.h: SHA-256 (FIPS 180-4), so that a report says which file it is about. */
#ifndef IG_BENCH_CHECKSUM_H
#define IG_BENCH_CHECKSUM_H

#include <stddef.h>

/* 64 hexadecimal digits and a NUL. */
void ig_sha256(const void *data, size_t bytes, char hex[65]);

#endif
