/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: what all codecs need; a part of the core and of the module. */
#include "image/codec.h"

ig_status ig_image_place(ig_image_job *job, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return ig_fail(job->err, INGOT_ERR_PARSE, "a picture without pixels");
    if (width > IG_IMAGE_MAX_PIXELS || height > IG_IMAGE_MAX_PIXELS / width)
        return ig_fail(job->err, INGOT_ERR_LIMIT, "%llu x %llu pixels are too many, at most %llu",
                       (unsigned long long)width, (unsigned long long)height,
                       (unsigned long long)IG_IMAGE_MAX_PIXELS);
    const size_t n = (size_t)(width * height);
    job->image = (ig_image){ .width = (int)width, .height = (int)height };
    job->image.rgb = ig_arena_array(job->arena, n, 3);
    return job->image.rgb ? INGOT_OK : IG_NOMEM(job->err, n * 3);
}

ig_status ig_image_damaged(const ig_image_job *job, const char *name, const char *reason)
{
    return ig_fail(job->err, INGOT_ERR_PARSE, "damaged %s: %s", name, reason);
}
