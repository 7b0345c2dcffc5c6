/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unicode.h: code points, their case and their categories, from tables of our own: no locale.
 *
 * Mappings are the simple ones, from one code point to one: 'ß' has no upper case. The version of
 * Unicode is what ig_unicode_version says (tools/unicode-tables writes the tables).
 */
#ifndef IG_BASE_UNICODE_H
#define IG_BASE_UNICODE_H

#include "base/error.h"

#define IG_CODE_POINT_MAX 0x10ffff

/* The code point that begins at s, of which n >= 1 bytes may be read, and its length in bytes; -1
 * and length 1 where these bytes are no UTF-8. */
int32_t ig_utf8_get(const char *s, size_t n, size_t *length);
/* Writes 1 to 4 bytes, returns how many. */
size_t ig_utf8_put(int32_t c, char *s);

int32_t ig_unicode_lower(int32_t c);
int32_t ig_unicode_upper(int32_t c);

/* Code points that differ in case alone form a ring: the next one after c, c itself where it is
 * alone. */
int32_t ig_unicode_next_case(int32_t c);
/* The first code point >= c that has others of another case; -1 when there is none. */
int32_t ig_unicode_find_cased(int32_t c);

/* Walk the ranges of general categories in ascending order. `name` is one such as "L", "Lu", "Nd"
 * (name_bytes 1 or 2); start with *i = 0; false at the end. A letter stands for its subcategories;
 * unassigned code points (Cn) belong to none. */
bool ig_unicode_category(const char *name, size_t name_bytes, size_t *i, int32_t *first,
                         int32_t *last);
/* Is there such a category? */
bool ig_unicode_has_category(const char *name, size_t name_bytes);

/* "14.0.0" */
const char *ig_unicode_version(void);

#endif
