/* SPDX-License-Identifier: Apache-2.0 */
/* resampling.h: what Resize and Upsample share. */
#ifndef IG_OPS_RESAMPLING_H
#define IG_OPS_RESAMPLING_H

#include "ops/op.h"

/* How an output index maps to a coordinate of the input. */
typedef enum ig_resample_coords {
    IG_COORDS_HALF_PIXEL = 0,
    IG_COORDS_HALF_PIXEL_SYMMETRIC,
    IG_COORDS_PYTORCH_HALF_PIXEL,
    IG_COORDS_TF_HALF_PIXEL_FOR_NN,
    IG_COORDS_ALIGN_CORNERS,
    IG_COORDS_ASYMMETRIC,
    IG_COORDS_TF_CROP_AND_RESIZE,
    IG_N_COORDS
} ig_resample_coords;

typedef enum ig_resample_mode {
    IG_RESAMPLE_NEAREST,
    IG_RESAMPLE_LINEAR,
    IG_RESAMPLE_CUBIC
} ig_resample_mode;

/* SIMPLE: before opset 11, down towards more, up towards less. */
typedef enum ig_nearest {
    IG_NEAREST_ROUND_PREFER_FLOOR,
    IG_NEAREST_ROUND_PREFER_CEIL,
    IG_NEAREST_FLOOR,
    IG_NEAREST_CEIL,
    IG_NEAREST_SIMPLE
} ig_nearest;

typedef enum ig_aspect { IG_ASPECT_STRETCH, IG_ASPECT_NOT_LARGER, IG_ASPECT_NOT_SMALLER } ig_aspect;

/* A node's attributes, checked. */
typedef struct ig_resample {
    ig_resample_mode mode;
    ig_resample_coords coords;
    ig_nearest nearest;
    ig_aspect aspect;
    bool antialias, exclude_outside;
    float cubic_a, extrapolation;
    int rank, n_axes;
    int axes[IG_MAX_RANK]; /* of the tensor as it lies, in the order of scales, sizes, roi */
    int in_scales, in_sizes, in_roi; /* inputs, -1: none */
    size_t n_attr_scales;            /* Upsample 7 */
    float attr_scales[IG_MAX_RANK];
} ig_resample;

/* Output shape, reference and lowering of both operators; `read` fills the struct for a node. */
typedef ig_status (*ig_resample_read)(const ig_node *node, int rank, ig_resample *r, ig_error *err);
ig_status ig_infer_resample(ig_infer *c, ig_resample_read read);
ig_status ig_ref_resample(ig_call *c, ig_resample_read read);
ig_status ig_lower_resample(ig_lower *l, ig_resample_read read);

/* Mode from the attribute; all axes in order (channels_last respected): what `read` starts with. */
ig_status ig_resample_init(const ig_node *node, int rank, ig_resample *r, ig_error *err);
/* permute: between channels first and channels last. */
bool ig_permute_resample(ig_graph *g, ig_node *node, const int *perm, int rank);
/* Nothing changes: all scales are 1 (and nothing is cropped). */
bool ig_resample_is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out,
                             ig_resample_read read);

/* One axis with everything known. */
typedef struct ig_resample_axis {
    int64_t in, out;
    float scale;  /* out / in */
    float length; /* of the output, before it was rounded */
    float roi_begin, roi_end;
    bool is_same; /* output index i is input index i */
} ig_resample_axis;

/* Where each output index takes its value: tap t of output o at t * out + o. */
typedef struct ig_resample_taps {
    int n;
    int32_t *index;
    double *weight;   /* NULL: nearest */
    bool *is_outside; /* gets the extrapolation value; NULL: none is */
} ig_resample_taps;
ig_status ig_resample_make_taps(const ig_resample *r, const ig_resample_axis *axis, ig_arena *arena,
                                ig_resample_taps *taps, ig_error *err) IG_MUST_USE;

#endif
