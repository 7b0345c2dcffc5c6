/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that the core reads itself, and what is none. tests/cli compares all formats with
 * Pillow. */
#include <stdlib.h>

#include "check.h"
#include "image/image.h"

static ig_alloc alloc;
static ig_arena arena;

/* Of an exact copy, so that a sanitizer sees any read past the end. */
static ig_status decode(const void *data, size_t bytes, ig_image *image, ig_error *err)
{
    *err = (ig_error){ 0 };
    ig_arena_reset(&arena);
    uint8_t *copy = malloc(bytes ? bytes : 1);
    if (!copy) return INGOT_ERR_NOMEM;
    memcpy(copy, data, bytes);
    const ig_status status = ig_image_decode(&arena, copy, bytes, image, err);
    free(copy);
    return status;
}

static void gives(const void *data, size_t bytes, int width, int height, const uint8_t *rgb)
{
    ig_image image;
    ig_error err;
    if (!CHECK(decode(data, bytes, &image, &err) == INGOT_OK)) {
        printf("  %s\n", err.message);
        return;
    }
    if (CHECK(image.width == width && image.height == height))
        CHECK(memcmp(image.rgb, rgb, (size_t)width * (size_t)height * 3) == 0);
    /* Every shorter file is damaged, and says so. */
    for (size_t n = 0; n < bytes; n++)
        if (!CHECK(decode(data, n, &image, &err) == INGOT_ERR_PARSE && err.message[0]))
            printf("  %zu of %zu bytes\n", n, bytes);
}

static void refuses(const void *data, size_t bytes, ig_status status, const char *message)
{
    ig_image image;
    ig_error err;
    CHECK(decode(data, bytes, &image, &err) == status);
    CHECK_STRING(err.message, message);
}

#define GIVES(text, width, height, ...)                                                            \
    gives(text, sizeof(text) - 1, width, height, (const uint8_t[]){ __VA_ARGS__ })
#define REFUSES(text, status, message) refuses(text, sizeof(text) - 1, status, message)

#define GRAY(x) x, x, x

static void test_pnm(void)
{
    GIVES("P1 #x\n3 1\n1 0 1", 3, 1, GRAY(0), GRAY(255), GRAY(0));
    GIVES("P1\n3 1\n101", 3, 1, GRAY(0), GRAY(255), GRAY(0));
    GIVES("P2 2 1 15\n15 0", 2, 1, GRAY(255), GRAY(0));
    GIVES("P3 1 1 1000\n0 500 9", 1, 1, 0, 128, 2);
    GIVES("P4 9 2\n\x80\x00\xff\x80", 9, 2, GRAY(0), GRAY(255), GRAY(255), GRAY(255), GRAY(255),
          GRAY(255), GRAY(255), GRAY(255), GRAY(255), GRAY(0), GRAY(0), GRAY(0), GRAY(0), GRAY(0),
          GRAY(0), GRAY(0), GRAY(0), GRAY(0));
    GIVES("P5 2 1\n#c\n255\n\x01\xfe", 2, 1, GRAY(1), GRAY(254));
    GIVES("P5 1 1 65535 \x80\x00", 1, 1, GRAY(128));
    GIVES("P6 1 2 255\n\1\2\3\4\5\6", 1, 2, 1, 2, 3, 4, 5, 6);
    REFUSES("P6 0 2 255\n", INGOT_ERR_PARSE, "a picture without pixels");
    REFUSES("P6 1 2 0\n\1", INGOT_ERR_PARSE, "damaged PNM: its greatest value is not 1 to 65535");
    REFUSES("P6 99999999999 2 255\n", INGOT_ERR_PARSE, "damaged PNM: it ends early");
    REFUSES("P4 999999999 999999999\n", INGOT_ERR_PARSE, "damaged PNM: it ends early");
}

/* A header of 40 bytes and what follows. */
#define BMP(at, width, height, bits, compression, n_colours)                                       \
    "BM----\0\0\0\0" at "\0\0\0\x28\0\0\0" width "\0\0\0" height "\1\0" bits "\0" compression      \
    "\0\0\0----"                                                                                   \
    "--------" n_colours "\0\0\0\0\0\0\0"

static void test_bmp(void)
{
    /* from the bottom to the top, and the other way */
    GIVES(BMP("\x36", "\1", "\2\0\0\0", "\x18", "\0", "\0") "\3\2\1\0\6\5\4\0", 1, 2, 4, 5, 6, 1, 2,
          3);
    GIVES(BMP("\x36", "\1", "\xfe\xff\xff\xff", "\x20", "\0", "\0") "\3\2\1\0\6\5\4\0", 1, 2, 1, 2,
          3, 4, 5, 6);
    GIVES(BMP("\x3e", "\3", "\1\0\0\0", "\1", "\0", "\2") "\3\2\1\0\6\5\4\0"
                                                          "\xa0\0\0\0",
          3, 1, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    GIVES(BMP("\x3e", "\3", "\1\0\0\0", "\4", "\0", "\2") "\3\2\1\0\6\5\4\0"
                                                          "\x10\x10\0\0",
          3, 1, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    GIVES(BMP("\x3e", "\1", "\1\0\0\0", "\x8", "\0", "\2") "\3\2\1\0\6\5\4\0"
                                                           "\1\0\0\0",
          1, 1, 4, 5, 6);
    GIVES(BMP("\x36", "\1", "\1\0\0\0", "\x10", "\0", "\0") "\x1f\x7c\0\0", 1, 1, 255, 0, 255);
    GIVES(BMP("\x42", "\1", "\1\0\0\0", "\x10", "\3", "\0") "\0\xf8\0\0\xe0\7\0\0\x1f\0\0\0"
                                                            "\xe0\7\0\0",
          1, 1, 0, 255, 0);
    REFUSES(BMP("\x3e", "\1", "\1\0\0\0", "\x8", "\0", "\2") "\3\2\1\0\6\5\4\0"
                                                             "\2\0\0\0",
            INGOT_ERR_PARSE, "damaged BMP: a pixel is beyond the palette");
    REFUSES(BMP("\x36", "\1", "\1\0\0\0", "\x8", "\1", "\0"), INGOT_ERR_PARSE,
            "damaged BMP: its compression is not supported");
    REFUSES(BMP("\x36", "\1", "\1\0\0\0", "\x7", "\0", "\1") "\0\0\0\0\0\0\0\0", INGOT_ERR_PARSE,
            "damaged BMP: its pixels have a strange number of bits");
    REFUSES(BMP("\x36", "\1", "\xff\xff\xff\x7f", "\x18", "\0", "\0") "\0\0\0\0", INGOT_ERR_PARSE,
            "damaged BMP: it ends early");
}

static void test_others(void)
{
    uint8_t gray[3];
    REFUSES("", INGOT_ERR_PARSE, "a picture of no known format");
    REFUSES("GIF89a", INGOT_ERR_PARSE, "a picture of no known format");
    ig_image_to_gray((const uint8_t[]){ 255, 0, 0, 10, 200, 30, 7, 7, 7 }, 3, gray);
    CHECK(gray[0] == 76 && gray[1] == 124 && gray[2] == 7);
}

/* This program has no module inside. Whether it finds one or not, the file is not accepted. */
static void test_module(void)
{
    ig_image image;
    ig_error err;
    const ig_status status = decode("\x89PNG\r\n\x1a\n????", 12, &image, &err);
    CHECK(status == INGOT_ERR_PARSE || status == INGOT_ERR_UNSUPPORTED);
    if (status == INGOT_ERR_UNSUPPORTED)
        CHECK(strncmp(err.message, "PNG picture: the image codecs cannot be loaded (", 48) == 0);
    else
        CHECK(strncmp(err.message, "damaged PNG: ", 13) == 0);
}

int main(void)
{
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_OTHER);
    test_pnm();
    test_bmp();
    test_others();
    test_module();
    ig_arena_deinit(&arena);
    return check_report();
}
