/* SPDX-License-Identifier: Apache-2.0 */
/* pnm.c: portable bitmaps, graymaps and pixmaps, as text (P1 to P3) or bytes (P4 to P6). */
#include "image/codec.h"

typedef struct pnm {
    const uint8_t *at, *end;
    int kind; /* 1 to 6 */
    uint32_t most;
} pnm;

static ig_status damaged(const ig_image_job *job, const char *reason)
{
    return ig_image_damaged(job, "PNM", reason);
}

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skip white space and comments, then a number of at most n_digits digits. */
static bool number(pnm *p, int n_digits, uint32_t *out)
{
    bool is_comment = false;
    for (; p->at < p->end && (is_comment || is_space(*p->at) || *p->at == '#'); p->at++)
        is_comment = is_comment ? *p->at != '\n' && *p->at != '\r' : *p->at == '#';
    *out = 0;
    int n = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9' && n < n_digits; p->at++, n++)
        *out = *out * 10 + (*p->at - '0');
    return n > 0;
}

/* The next sample, spread to 0…255; false at an early end. */
static bool sample(pnm *p, uint8_t *out)
{
    uint32_t value;
    if (p->kind <= 3) {
        /* Bits need no space between them. */
        if (!number(p, p->kind == 1 ? 1 : 6, &value)) return false;
    } else {
        const int n = p->most > 255 ? 2 : 1;
        if (p->end - p->at < n) return false;
        value = n == 2 ? (uint32_t)p->at[0] << 8 | p->at[1] : p->at[0];
        p->at += n;
    }
    if (value > p->most) value = p->most;
    *out = (uint8_t)((value * 255 + p->most / 2) / p->most);
    if (p->kind == 1) *out = 255 - *out; /* ones are black */
    return true;
}

static ig_status read_bits(ig_image_job *job, pnm *p)
{
    const size_t width = (size_t)job->image.width, row_bytes = (width + 7) / 8;
    uint8_t *rgb = job->image.rgb;
    for (int y = 0; y < job->image.height; y++, p->at += row_bytes) {
        if ((size_t)(p->end - p->at) < row_bytes) return damaged(job, "it ends early");
        for (size_t x = 0; x < width; x++, rgb += 3)
            rgb[0] = rgb[1] = rgb[2] = p->at[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    }
    return INGOT_OK;
}

static ig_status read_samples(ig_image_job *job, pnm *p)
{
    const size_t n = (size_t)job->image.width * (size_t)job->image.height;
    const int n_samples = p->kind == 3 || p->kind == 6 ? 3 : 1;
    uint8_t *rgb = job->image.rgb;
    for (size_t i = 0; i < n; i++, rgb += 3) {
        for (int c = 0; c < n_samples; c++)
            if (!sample(p, &rgb[c])) return damaged(job, "it ends early");
        if (n_samples == 1) rgb[1] = rgb[2] = rgb[0];
    }
    return INGOT_OK;
}

ig_status ig_image_decode_pnm(ig_image_job *job)
{
    pnm p = { .at = job->data + 2, .end = job->data + job->bytes, .most = 1 };
    uint32_t width, height;
    p.kind = job->data[1] - '0';
    if (!number(&p, 9, &width) || !number(&p, 9, &height)) return damaged(job, "it has no size");
    const bool is_bitmap = p.kind == 1 || p.kind == 4;
    if (!is_bitmap && (!number(&p, 6, &p.most) || p.most == 0 || p.most > 65535))
        return damaged(job, "its greatest value is not 1 to 65535");
    /* One white space ends the header. */
    if (p.kind > 3 && (p.at == p.end || !is_space(*p.at++)))
        return damaged(job, "its header has no end");
    /* A pixel takes a bit at least: no large memory for a short file. */
    if ((uint64_t)width * height / 8 > job->bytes) return damaged(job, "it ends early");
    IG_TRY(ig_image_place(job, width, height));
    return p.kind == 4 ? read_bits(job, &p) : read_samples(job, &p);
}
