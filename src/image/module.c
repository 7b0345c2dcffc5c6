/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: the codecs that were built; all that libingot_image.so shows. */
#include "image/codec.h"

__attribute__((visibility("default"))) const ig_image_module ingot_image_module = {
    .version = IG_IMAGE_VERSION,
    .job_bytes = sizeof(ig_image_job),
    .codecs = {
#ifdef IG_HAVE_JPEG
        [IG_IMAGE_JPEG] = ig_image_decode_jpeg,
#endif
#ifdef IG_HAVE_PNG
        [IG_IMAGE_PNG] = ig_image_decode_png,
#endif
#ifdef IG_HAVE_WEBP
        [IG_IMAGE_WEBP] = ig_image_decode_webp,
#endif
#ifdef IG_HAVE_TIFF
        [IG_IMAGE_TIFF] = ig_image_decode_tiff,
#endif
#ifdef IG_HAVE_JPEG2000
        [IG_IMAGE_JPEG2000] = ig_image_decode_jpeg2000,
#endif
    },
};
