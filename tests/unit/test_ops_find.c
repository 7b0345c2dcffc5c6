/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by name, domain and opset: what is found, and what the error says otherwise. */
#include "check.h"
#include "ops/op.h"

#define SUPPLY "; a library of custom operators (--custom-op, ingot_op_register) can supply it"

static void check_found(const char *domain, const char *op_type, int64_t opset)
{
    ig_error err = { 0 };
    const ig_op *op = ig_ops_find(domain, op_type, opset, &err);
    CHECK(op != NULL);
    if (op) CHECK_STRING(op->onnx, op_type);
    CHECK_STRING(err.message, "");
}

static void check_refused(const char *domain, const char *op_type, int64_t opset, const char *want)
{
    ig_error err = { 0 };
    CHECK(ig_ops_find(domain, op_type, opset, &err) == NULL);
    CHECK(err.status == INGOT_ERR_UNSUPPORTED);
    CHECK_STRING(err.message, want);
}

static void found(void)
{
    check_found("", "Relu", 1);
    check_found("ai.onnx", "Relu", 99); /* newer than known */
    check_found("ai.onnx.preview.training", "Adam", 1);
    check_found("", "Upsample", 10);
}

static void refused(void)
{
    check_refused("", "SwiGLU", 27, "operator SwiGLU came with opset 28, the model declares 27");
    check_refused("", "Upsample", 11,
                  "operator Upsample was removed after opset 10, the model declares 11");
    check_refused("", "Reluu", 13,
                  "operator Reluu of domain 'ai.onnx', version 13, is not known; did the exporter "
                  "mean Relu?" SUPPLY);
    check_refused("ai.onnx.ml", "Relu", 1,
                  "operator Relu of domain 'ai.onnx.ml', version 1, is not known; domain 'ai.onnx' "
                  "has one of that "
                  "name" SUPPLY);
    check_refused(
        "com.example", "NoSuchOperator", 1,
        "operator NoSuchOperator of domain 'com.example', version 1, is not known" SUPPLY);
    check_refused("ai.onnx.preview.training", "Gradient", 1,
                  "operator Gradient is not supported: it differentiates the graph, which is for "
                  "training; export the model for inference");
    check_refused("com.microsoft", "EPContext", 1,
                  "operator EPContext is not supported: it holds a graph that was compiled for one "
                  "execution provider and device; use the model it was made from");
}

int main(void)
{
    found();
    refused();
    return check_report();
}
