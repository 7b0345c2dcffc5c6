/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of arrays, as the command reads them: an archive (.npz) when they begin like
 * one, sound (.wav) when they do, else one array (.npy). What is read must be written and read
 * again alike. Checksums of stored members are made right, or nothing would lie behind them.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/load.h"
#include "fuzz.h"

static void check_again(fuzz_graph *f, const ingot_value *value)
{
    ingot_value *again = NULL;
    ig_str text;
    ig_str_init(&text, &f->alloc);
    const ig_status status = ig_npy_write(value, &text, &f->err);
    if (status) {
        fuzz_check_error(&f->err, status);
    } else if (ig_npy_read((const uint8_t *)ig_str_cstr(&text), text.n, "again", &again, &f->err)) {
        FUZZ_FOUND("written, but not read: %s", f->err.message);
    } else if (ingot_tensor_dtype(value) != INGOT_STRING &&
               ingot_tensor_dtype(value) != INGOT_BFLOAT16 &&
               (ingot_tensor_bytes(value) != ingot_tensor_bytes(again) ||
                memcmp(ingot_tensor_data(value), ingot_tensor_data(again),
                       ingot_tensor_bytes(value)) != 0)) {
        FUZZ_FOUND("other contents after a round");
    }
    ingot_value_destroy(again);
    ig_str_deinit(&text);
}

static void read_archive(fuzz_graph *f, const uint8_t *data, size_t bytes)
{
    char path[64];
    ig_npz npz;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) FUZZ_FOUND("no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ig_status status = ig_npz_open(&f->arena, path, &npz, &f->err);
    if (status) fuzz_check_error(&f->err, status);
    for (size_t i = 0; !status && i < npz.n && i < 16; i++) {
        ig_npz_member *m = &npz.members[i];
        ig_loaded loaded = { 0 };
        ig_error err = { 0 };
        if (m->method == 0 && m->bytes == m->packed_bytes)
            m->crc = (uint32_t)crc32_z(0, npz.file.data + m->offset, m->bytes);
        const ig_status read = ig_npz_read(&npz, i, path, &f->alloc, &loaded, &err);
        if (read)
            fuzz_check_error(&err, read);
        else
            check_again(f, loaded.value);
        if (!read) ig_loaded_free(&loaded);
    }
    if (!status) ig_npz_close(&npz);
    close(fd);
}

static ig_status read_sound(const uint8_t *data, size_t bytes, ingot_value **out, ig_error *err)
{
    const int64_t dims[] = { 1, -1, 1 };
    ingot_io_info input = { .kind = INGOT_KIND_TENSOR, .dtype = INGOT_FLOAT };
    input.rank = data[bytes - 1] % 4;
    memcpy(input.dims, dims, sizeof dims);
    if (data[bytes - 1] & 4) input.dtype = INGOT_INT16;
    return ig_wav_read(data, bytes, "sound", &input, out, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_graph f;
    fuzz_begin(&f);
    if (bytes > 4 && memcmp(data, "PK", 2) == 0) {
        read_archive(&f, data, bytes);
    } else {
        ingot_value *value = NULL;
        const bool is_sound = bytes > 12 && memcmp(data, "RIFF", 4) == 0;
        const ig_status status = is_sound ? read_sound(data, bytes, &value, &f.err)
                                          : ig_npy_read(data, bytes, "array", &value, &f.err);
        if (status)
            fuzz_check_error(&f.err, status);
        else
            check_again(&f, value);
        ingot_value_destroy(value);
    }
    fuzz_end(&f);
    return 0;
}
