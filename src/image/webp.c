/* SPDX-License-Identifier: Apache-2.0 */
/* webp.c: WebP through libwebp; of animations nothing. */
#include <webp/decode.h>

#include "image/codec.h"

ig_status ig_image_decode_webp(ig_image_job *job)
{
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(job->data, job->bytes, &features) != VP8_STATUS_OK)
        return ig_image_damaged(job, "WebP", "its header cannot be read");
    if (features.has_animation) return ig_image_damaged(job, "WebP", "it is an animation");
    IG_TRY(ig_image_place(job, (uint64_t)features.width, (uint64_t)features.height));
    const size_t row_bytes = (size_t)job->image.width * 3;
    if (!WebPDecodeRGBInto(job->data, job->bytes, job->image.rgb,
                           row_bytes * (size_t)job->image.height, (int)row_bytes))
        return ig_image_damaged(job, "WebP", "its pixels cannot be read");
    return INGOT_OK;
}
