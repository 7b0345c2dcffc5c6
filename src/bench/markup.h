/* SPDX-License-Identifier: Apache-2.0 */
/* markup.h: text that nobody vouches for, inside HTML, SVG and XML. */
#ifndef IG_BENCH_MARKUP_H
#define IG_BENCH_MARKUP_H

#include "base/str.h"

/* As content, or as the value of an attribute in quotes of either kind. What XML does not allow, is
 * no UTF-8, or turns the direction of the text around becomes U+FFFD. */
void ig_markup_text(ig_str *out, const char *text);
/* At most n_columns of it (wide characters are two), then an ellipsis. Returns the columns. */
size_t ig_markup_cut(ig_str *out, const char *text, size_t n_columns);

#endif
