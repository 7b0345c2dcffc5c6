/* SPDX-License-Identifier: Apache-2.0 */
/* fourier.c: transforms by their definition, in double, with exact angles: k*j is reduced modulo n
 * before the table is asked. */
#include "ops/fourier.h"

#include <math.h>

ig_status ig_fourier_init(ig_fourier *f, int64_t n, ig_arena *arena, ig_error *err)
{
    const double turn = 6.283185307179586476925;
    if (n > INT64_C(1) << 31)
        return ig_fail(err, INGOT_ERR_LIMIT, "a transform of %lld points is too long",
                       (long long)n);
    f->n = n;
    f->cos = ig_arena_array(arena, (size_t)n, 4 * sizeof *f->cos);
    if (!f->cos) return IG_NOMEM(err, (size_t)n * 4 * sizeof *f->cos);
    f->sin = f->cos + n;
    f->re = f->sin + n;
    f->im = f->re + n;
    for (int64_t k = 0; k < n; k++) {
        f->cos[k] = cos(turn * (double)k / (double)n);
        f->sin[k] = sin(turn * (double)k / (double)n);
    }
    return INGOT_OK;
}

void ig_fourier_term(const ig_fourier *f, int64_t k, int sign, double *re, double *im)
{
    double r = 0, i = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < f->n; j++) {
        const double c = f->cos[at], s = sign * f->sin[at];
        r += f->re[j] * c - f->im[j] * s;
        i += f->re[j] * s + f->im[j] * c;
        at += k;
        if (at >= f->n) at -= f->n;
    }
    *re = r;
    *im = i;
}
