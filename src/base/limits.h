/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: what a caller bounds besides memory as a whole. */
#ifndef IG_BASE_LIMITS_H
#define IG_BASE_LIMITS_H

#include "base/error.h"

/* 0: no bound. */
typedef struct ig_limits {
    int64_t max_nodes;       /* of the file, subgraphs and inlined functions included */
    size_t max_tensor_bytes; /* of a tensor that is computed */
    int64_t max_loop_steps;  /* of Loop and Scan, in one run */
    bool allow_links;        /* to files that the model names */
    const char *data_folder; /* of those files; NULL: that of the model */
} ig_limits;

/* The caller's bounds, with the defaults that ingot.h states for those left at 0. Negative ones are
 * INGOT_ERR_INVALID. */
ig_status ig_limits_of(const ingot_model_options *options, ig_limits *out,
                       ig_error *err) IG_MUST_USE;
/* INGOT_ERR_LIMIT when a tensor of so many bytes is beyond the bound. limits may be NULL. */
ig_status ig_limits_check_tensor(const ig_limits *limits, size_t bytes, ig_error *err) IG_MUST_USE;

#endif
