/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.c: which class does a model see in raw pixels? The library in one page.
 *
 *     classify MODEL.onnx PIXELS.raw      (float32 elements, as many as the model's input takes)
 *
 *     cc classify.c $(pkg-config --cflags --libs ingot) -o classify
 */
#include <stdio.h>
#include <stdlib.h>

#include "ingot.h"

/* A tensor in the shape of the model's first input (free dimensions are 1), filled from a file. */
static ingot_status read_input(const ingot_model *model, const char *path, ingot_value **out,
                               ingot_error *err)
{
    ingot_io_info info;
    ingot_model_input(model, 0, &info);
    for (int d = 0; d < info.rank; d++)
        if (info.dims[d] < 0) info.dims[d] = 1;
    ingot_status status = ingot_tensor_create(info.dtype, info.rank, info.dims, out, err);
    if (status) return status;

    FILE *file = fopen(path, "rb");
    const size_t bytes = ingot_tensor_bytes(*out);
    const size_t n = file ? fread(ingot_tensor_data_mutable(*out), 1, bytes, file) : 0;
    if (file) fclose(file);
    if (n == bytes) return INGOT_OK;
    snprintf(err->message, sizeof err->message, "%s: %lu bytes, the input takes %lu", path,
             (unsigned long)n, (unsigned long)bytes);
    return err->status = INGOT_ERR_IO;
}

static ingot_status classify(const char *model_path, const char *pixels_path, ingot_error *err)
{
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    ingot_value *input = NULL;

    ingot_status status = ingot_model_open(model_path, NULL, &model, err);
    if (!status) status = ingot_session_create(model, NULL, &session, err);
    if (!status) status = read_input(model, pixels_path, &input, err);
    if (!status) {
        const ingot_value *const inputs[] = { input };
        status = ingot_session_run(session, inputs, 1, err);
    }
    if (!status) {
        const ingot_value *output = ingot_session_output(session, 0);
        const float *scores = (const float *)ingot_tensor_data(output);
        int64_t best = 0;
        for (int64_t i = 1; i < ingot_tensor_count(output); i++)
            if (scores[i] > scores[best]) best = i;
        printf("class %ld, score %.4f\n", (long)best, scores[best]);
    }
    ingot_value_destroy(input);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return status;
}

int main(int argc, char **argv)
{
    ingot_error err = { INGOT_OK, "" };
    if (argc != 3) {
        fprintf(stderr, "usage: classify MODEL.onnx PIXELS.raw\n");
        return 2;
    }
    const ingot_status status = classify(argv[1], argv[2], &err);
    if (status) fprintf(stderr, "classify: %s\n", err.message);
    return ingot_status_exit_code(status);
}
