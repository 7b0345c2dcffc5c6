/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c: bounds that the caller sets, and their defaults. */
#include "base/limits.h"

#include <unistd.h>

#define DEFAULT_MAX_NODES 1000000
#define DEFAULT_MAX_LOOP_STEPS 100000000

/* A tensor that the machine's memory cannot hold would be paid for with its other programs. */
static size_t memory_bytes(void)
{
    const long n_pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (n_pages <= 0 || page_bytes <= 0) return 0;
    return (size_t)n_pages * (size_t)page_bytes;
}

ig_status ig_limits_of(const ingot_model_options *options, ig_limits *out, ig_error *err)
{
    *out = (ig_limits){ .max_nodes = options->max_nodes,
                        .max_tensor_bytes = options->max_tensor_bytes,
                        .max_loop_steps = options->max_loop_steps,
                        .allow_links = options->allow_links != 0,
                        .data_folder = options->data_folder };
    if (out->max_nodes < 0 || out->max_loop_steps < 0)
        return ig_fail(err, INGOT_ERR_INVALID, "max_%s is %lld; a bound is not negative",
                       out->max_nodes < 0 ? "nodes" : "loop_steps",
                       (long long)(out->max_nodes < 0 ? out->max_nodes : out->max_loop_steps));
    if (out->max_nodes == 0) out->max_nodes = DEFAULT_MAX_NODES;
    if (out->max_tensor_bytes == 0) out->max_tensor_bytes = memory_bytes();
    if (out->max_loop_steps == 0) out->max_loop_steps = DEFAULT_MAX_LOOP_STEPS;
    return INGOT_OK;
}

ig_status ig_limits_check_tensor(const ig_limits *limits, size_t bytes, ig_error *err)
{
    if (!limits || !limits->max_tensor_bytes || bytes <= limits->max_tensor_bytes) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_LIMIT,
                   "a tensor of %zu bytes is more than the %zu that max_tensor_bytes "
                   "(--max-tensor) allows",
                   bytes, limits->max_tensor_bytes);
}
