/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a picture. Without the module only BMP and PNM are read; with it all formats. */
#include <stdlib.h>

#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define MAX_BYTES ((size_t)1 << 28)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ig_alloc alloc;
    ig_arena arena;
    ig_image image;
    ig_error err = { 0 };
    unsigned sum = 0;
    ig_alloc_init(&alloc, NULL, MAX_BYTES);
    ig_arena_init(&arena, &alloc, INGOT_MEM_OTHER);
    const ig_status status = ig_image_decode(&arena, data, bytes, &image, &err);
    if (status == INGOT_OK) {
        /* All pixels are there. */
        for (size_t i = 0; i < (size_t)image.width * (size_t)image.height * 3; i++)
            sum += image.rgb[i];
        if (sum > 255u * 3 * (size_t)image.width * (size_t)image.height) abort();
    } else if (err.status != status || err.message[0] == '\0') {
        abort(); /* a failure without a text */
    }
    ig_arena_deinit(&arena);
    if (atomic_load(&alloc.total) != 0) abort();
    return 0;
}
