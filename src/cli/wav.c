/* SPDX-License-Identifier: Apache-2.0 */
/* wav.c: RIFF WAVE sounds: PCM of 8 to 32 bits, floats of 32 and 64 bits. */
#include <math.h>
#include <string.h>

#include "cli/load.h"

enum { FORMAT_PCM = 1, FORMAT_FLOAT = 3, FORMAT_EXTENSIBLE = 0xfffe };
#define MAX_CHANNELS 64

typedef struct wav {
    int format, n_channels, n_bits;
    const uint8_t *data;
    size_t bytes;
} wav;

static uint32_t little(const uint8_t *p, int n)
{
    uint32_t value = 0;
    for (int i = n - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}

static ig_status read_chunks(const uint8_t *data, size_t bytes, const char *path, wav *w,
                             ig_error *err)
{
    if (bytes < 12 || memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WAVE", 4) != 0)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: not a WAV file", path);
    for (size_t at = 12; bytes - at >= 8;) {
        const uint8_t *body = data + at + 8;
        size_t n = little(data + at + 4, 4);
        const bool is_data = memcmp(data + at, "data", 4) == 0;
        const bool is_cut = n > bytes - at - 8;
        /* Programs that write into a pipe leave the length at 0 or at the maximum. */
        if (is_cut && !(is_data && n >= UINT32_MAX - 255))
            return ig_fail(err, INGOT_ERR_PARSE, "%s: cut off: a chunk of %zu bytes has %zu", path,
                           n, bytes - at - 8);
        if (is_cut) n = bytes - at - 8;
        if (memcmp(data + at, "fmt ", 4) == 0 && n >= 16) {
            w->format = (int)little(body, 2);
            w->n_channels = (int)little(body + 2, 2);
            w->n_bits = (int)little(body + 14, 2);
            if (w->format == FORMAT_EXTENSIBLE && n >= 26) w->format = (int)little(body + 24, 2);
        }
        if (is_data) {
            w->data = body;
            w->bytes = n;
            break;
        }
        at += 8 + n;
        if (n & 1 && at < bytes) at++; /* chunks start at even places */
    }
    if (!w->data || !w->format)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: a WAV file without %s", path,
                       w->format ? "samples" : "a format");
    const bool is_known = (w->format == FORMAT_PCM && (w->n_bits == 8 || w->n_bits == 16 ||
                                                       w->n_bits == 24 || w->n_bits == 32)) ||
                          (w->format == FORMAT_FLOAT && (w->n_bits == 32 || w->n_bits == 64));
    if (!is_known || w->n_channels < 1 || w->n_channels > MAX_CHANNELS)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "%s: WAV format %d with %d bits and %d channels is not supported", path,
                       w->format, w->n_bits, w->n_channels);
    return INGOT_OK;
}

/* One sample in -1…1. */
static double sample(const wav *w, const uint8_t *p)
{
    if (w->format == FORMAT_FLOAT && w->n_bits == 32) {
        float x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    if (w->format == FORMAT_FLOAT) {
        double x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    if (w->n_bits == 8) return (p[0] - 128) / 128.0;
    const int n = w->n_bits / 8;
    return (double)(int32_t)(little(p, n) << (32 - w->n_bits)) / 0x1p31;
}

/* Dimensions for n samples; *n_channels becomes how many the tensor has. */
static ig_status choose_shape(const ingot_io_info *input, const char *path, int64_t n,
                              int *n_channels, int64_t dims[INGOT_MAX_RANK], int *rank,
                              ig_error *err)
{
    const int rank_wanted = input->rank < 0 ? 2 : input->rank;
    const bool has_channels = *n_channels > 1 && rank_wanted >= 2 && rank_wanted <= 3 &&
                              input->dims[rank_wanted - 2] == *n_channels;
    if (!has_channels) *n_channels = 1;
    *rank = rank_wanted;
    switch (rank_wanted) {
    case 1: dims[0] = n; return INGOT_OK;
    case 2:
        dims[0] = *n_channels;
        dims[1] = n;
        return INGOT_OK;
    case 3: {
        const bool is_last = !has_channels && input->dims[2] == 1;
        dims[0] = 1;
        dims[1] = is_last ? n : *n_channels;
        dims[2] = is_last ? 1 : n;
        return INGOT_OK;
    }
    default:
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%s: a sound does not fit input '%s', which has %d dimensions", path,
                       input->name, rank_wanted);
    }
}

/* Channel c of frame i, or the average of all. */
static double frame_value(const wav *w, size_t i, int c, bool is_mixed)
{
    const size_t n_bytes = (size_t)w->n_bits / 8;
    const uint8_t *frame = w->data + i * n_bytes * (size_t)w->n_channels;
    double sum = 0;
    if (!is_mixed) return sample(w, frame + (size_t)c * n_bytes);
    for (int k = 0; k < w->n_channels; k++) sum += sample(w, frame + (size_t)k * n_bytes);
    return sum / w->n_channels;
}

/* A file of floats may hold anything: what is not a number is silence. */
static int16_t to_int16(double x)
{
    if (isnan(x)) return 0;
    return (int16_t)(x >= 32767.0 / 32768 ? 32767 : x <= -1 ? -32768 : x * 32768);
}

ig_status ig_wav_read(const uint8_t *data, size_t bytes, const char *path,
                      const ingot_io_info *input, ingot_value **out, ig_error *err)
{
    wav w = { 0 };
    int64_t dims[INGOT_MAX_RANK];
    int rank = 0;
    IG_TRY(read_chunks(data, bytes, path, &w, err));
    const size_t n = w.bytes / ((size_t)w.n_bits / 8 * (size_t)w.n_channels);
    int n_channels = w.n_channels;
    IG_TRY(choose_shape(input, path, (int64_t)n, &n_channels, dims, &rank, err));
    const bool is_int16 = input->dtype == INGOT_INT16;
    if (!is_int16 && input->dtype != INGOT_FLOAT && input->dtype != INGOT_UNDEFINED)
        return ig_fail(err, INGOT_ERR_SHAPE, "%s: a sound does not fit input '%s' of type %s", path,
                       input->name, ingot_dtype_name(input->dtype));
    IG_TRY(ingot_tensor_create(is_int16 ? INGOT_INT16 : INGOT_FLOAT, rank, dims, out, err));
    void *to = ingot_tensor_data_mutable(*out);
    for (int c = 0; c < n_channels; c++)
        for (size_t i = 0; i < n; i++) {
            const double x = frame_value(&w, i, c, n_channels != w.n_channels);
            const size_t at = (size_t)c * n + i;
            if (is_int16)
                ((int16_t *)to)[at] = to_int16(x);
            else
                ((float *)to)[at] = (float)x;
        }
    return INGOT_OK;
}
