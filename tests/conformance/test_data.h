/* SPDX-License-Identifier: Apache-2.0 */
/* test_data.h: values from the files of a test of the ONNX backend suite (input_0.pb, …). */
#ifndef IG_TESTS_CONFORMANCE_TEST_DATA_H
#define IG_TESTS_CONFORMANCE_TEST_DATA_H

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "ingot.h"
#include "ir/tensor.h"

#define TEST_DATA_PATH_BYTES 4096

/* The value in the file, to be destroyed by the caller. *out NULL and INGOT_OK: there is no such
 * file. */
static inline ingot_status test_data_read(const char *path, const ingot_io_info *info,
                                          ingot_value **out, ingot_error *err)
{
    ig_file file;

    *out = NULL;
    if (access(path, F_OK)) return INGOT_OK;
    ingot_status status = ig_file_open(path, &file, err);
    if (status) return status;
    status = ingot_value_from_pb(file.data, file.bytes, info->kind, out, err);
    ig_file_close(&file);
    /* Test data from before protobuf knew bfloat16 call it uint16. */
    if (*out && info->kind == INGOT_KIND_TENSOR && info->dtype == INGOT_BFLOAT16 &&
        (*out)->dtype == INGOT_UINT16)
        (*out)->dtype = INGOT_BFLOAT16;
    return status;
}

/* Input i of the model from the test's folder of data, as above. */
static inline ingot_status test_data_input(const char *folder, const ingot_model *model, size_t i,
                                           ingot_value **out, ingot_error *err)
{
    char path[TEST_DATA_PATH_BYTES + 32];
    ingot_io_info info;

    ingot_model_input(model, i, &info);
    snprintf(path, sizeof path, "%s/input_%zu.pb", folder, i);
    return test_data_read(path, &info, out, err);
}

#endif
