/* SPDX-License-Identifier: Apache-2.0 */
/* tree_ensemble.c: ai.onnx.ml TreeEnsemble (version 5), targets of rows by decision trees. */
#include "ops/trees.h"

static ig_status infer(ig_infer *c) { return ig_trees_infer(c, IG_TREES_ENSEMBLE); }
static ig_status ref(ig_call *c) { return ig_trees_ref(c, IG_TREES_ENSEMBLE); }
static ig_status lower(ig_lower *l) { return ig_trees_lower(l, IG_TREES_ENSEMBLE); }

static const char *const cases[] = {
    "f32[4,2]{0,1,-1,2,2,-2,1,0} tree_roots=[0,3] n_targets=2 nodes_featureids=[0,0,1,1,0] "
    "nodes_modes=u8{0,0,0,0,0} nodes_splits=f32{0,1,-1,0,0} nodes_truenodeids=[1,0,2,4,4] "
    "nodes_trueleafs=[0,1,1,0,1] nodes_falsenodeids=[2,1,3,6,5] nodes_falseleafs=[0,1,1,1,1] "
    "leaf_targetids=[1,1,0,1,0,1,0] leaf_weights=f32{1.66,0.66,0.15,0.24,-1.49,-1.92,-0.66} "
    "post_transform=0 aggregate_function=1 = f32[4,2]{-0.66,1.66,-0.66,1.66,0.15,-1.92,0,"
    "-1.68}",
    "f64[4,2]{0,1,-1,2,2,-2,1,0} tree_roots=[0,2] n_targets=1 nodes_featureids=[1,0,1,0,1] "
    "nodes_modes=u8{0,6,6,0,0} nodes_splits=f64{2,0,-2,-1,0} nodes_truenodeids=[0,1,3,3,5] "
    "nodes_trueleafs=[1,1,0,1,1] nodes_falsenodeids=[1,2,4,4,6] nodes_falseleafs=[0,1,0,1,1] "
    "leaf_targetids=[0,0,0,0,0,0,0] leaf_weights=f64{1.48,0.78,-2.12,-0.98,-0.8,0.75,0.85} "
    "membership_values=f64{0,-1,3,nan,-3,-2,nan} post_transform=0 aggregate_function=1 = "
    "f64[4,1]{2.33,2.33,0.68,2.23}",
    "f32[4,2]{0,1,-1,2,2,-2,nan,0} tree_roots=[0,3] n_targets=2 nodes_featureids=[0,1,0,0,0,"
    "0] nodes_modes=u8{1,0,0,2,5,5} nodes_splits=f32{0,-1,-2,1,1,-2} nodes_truenodeids=[1,0,"
    "2,4,4,6] nodes_trueleafs=[0,1,1,0,1,1] nodes_falsenodeids=[2,1,3,5,5,7] "
    "nodes_falseleafs=[0,1,1,0,1,1] leaf_targetids=[1,1,1,1,1,0,1,0] leaf_weights=f32{-0.13,"
    "-0.51,-0.37,0.77,0.17,0.66,0.32,1.21} nodes_missing_value_tracks_true=[1,1,1,0,0,1] "
    "post_transform=2 aggregate_function=1 = f32[4,2]{0.5,0.748382,0.5,0.452642,0.5,0.7191,"
    "0.5,0.452642}",
    "f32[4,2]{0,1,-1,2,2,-2,nan,0} tree_roots=[0,3] n_targets=3 nodes_featureids=[0,1,1,0,1,"
    "1] nodes_modes=u8{0,0,6,6,0,6} nodes_splits=f32{-1,0,1,0,0,1} nodes_truenodeids=[1,0,2,"
    "4,4,6] nodes_trueleafs=[0,1,1,0,1,1] nodes_falsenodeids=[2,1,3,5,5,7] "
    "nodes_falseleafs=[0,1,1,0,1,1] leaf_targetids=[0,1,2,1,0,0,0,1] leaf_weights=f32{1.85,"
    "1.06,-0.08,0.8,-0.78,-1.19,0.17,0.52} nodes_missing_value_tracks_true=[0,0,0,1,1,1] "
    "membership_values=f32{0,0,nan,1,nan,1,2,nan} post_transform=1 aggregate_function=0 = "
    "f32[4,3]{0.304065,0.416648,0.279287,0.287439,0.448545,0.264016,0.254143,0.491714,"
    "0.254143,0.25667,0.379097,0.364233}",
    "f64[4,2]{0,1,-1,2,2,-2,1,0} tree_roots=[0,3] n_targets=2 nodes_featureids=[0,0,1,1,0,1] "
    "nodes_modes=u8{3,3,3,3,3,3} nodes_splits=f64{1,-1,-2,2,-1,-1} nodes_truenodeids=[1,0,2,"
    "4,4,6] nodes_trueleafs=[0,1,1,0,1,1] nodes_falsenodeids=[2,1,3,5,5,7] "
    "nodes_falseleafs=[0,1,1,0,1,1] leaf_targetids=[0,1,0,1,1,0,1,1] leaf_weights=f64{0.78,"
    "0.8,1.35,0.09,0.12,-0.92,-0.17,2.26} post_transform=3 aggregate_function=2 = f64[4,"
    "2]{0.820539,0.179462,0.820539,0.179462,0.185427,0.814573,0.820539,0.179462}",
    "f32[4,2]{0,1,-1,2,2,-2,1,0} tree_roots=[0,2,5] n_targets=1 nodes_featureids=[1,0,0,1,1,"
    "1,0,0] nodes_modes=u8{6,6,6,6,6,6,6,6} nodes_splits=f32{1,-2,2,-1,-2,-2,-1,1} "
    "nodes_truenodeids=[1,0,3,3,5,6,7,9] nodes_trueleafs=[0,1,0,1,1,0,1,1] "
    "nodes_falsenodeids=[2,1,4,4,6,7,8,10] nodes_falseleafs=[1,1,0,1,1,0,1,1] "
    "leaf_targetids=[0,0,0,0,0,0,0,0,0,0,0] leaf_weights=f32{1.22,0.27,-0.86,1.23,1,-0.05,"
    "0.61,-0.13,0.27,-0.1,1.9} membership_values=f32{1,2,2,nan,3,2,nan,0,nan,3,nan,-2,3,-1,"
    "nan,2,-1,3,nan,-2,1,nan,1,0,nan} post_transform=0 aggregate_function=3 = f32[4,1]{1,"
    "0.61,1.9,0.61}",
    "f16[3,2]{0,2,1,0,0,3} tree_roots=[0] n_targets=2 nodes_featureids=[0,1] "
    "nodes_modes=u8{0,6} nodes_splits=f16{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,"
    "1] nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f16{1,2,3} membership_values=f16{2,4}",
    "f32[0,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan}",
    "f32[2]{0,4} tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan}",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[0,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! node 0 is part of a cycle",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[2,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_truenodeids[0] is 2, "
    "there are 2 nodes",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,-1] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_falsenodeids[1] is -1, "
    "there are 3 leaves",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] leaf_weights=f32{1,"
    "2,3} membership_values=f32{2,4,nan} ! nodes_falsenodeids has 1 entries, 2 are wanted",
    "f32[2,2] tree_roots=[5] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! tree_roots[0] is 5",
    "f32[2,2] tree_roots=[0,0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! node 0 is part of the trees 0 "
    "and 1",
    "f32[2,2] tree_roots=[0,1] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! node 1 is part of the trees 1 "
    "and 0",
    "f32[2,2] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} nodes_splits=f32{0.5,0} "
    "nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] nodes_falsenodeids=[0,2] "
    "nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] leaf_weights=f32{1,2,3} "
    "membership_values=f32{2,4,nan} ! tree_roots has 0 entries",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,7,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! leaf_targetids[1] is 7, there "
    "are 2",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,9} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_modes[1] is 9",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=i64{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_modes has element type "
    "int64",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_splits has 1 entries",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "membership_values=f32{2,4,nan} ! attribute leaf_weights is missing",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} ! membership_values has 0 sets",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{1,nan,2,nan} ! more sets than there are "
    "nodes",
    "f32[2,1] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! a node asks for feature 1, "
    "rows have 1",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[-1,0] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! nodes_featureids[0] is -1",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} aggregate_function=4 ! "
    "aggregate_function is 4",
    "f32[2,2] tree_roots=[0] n_targets=2 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} post_transform=-1 ! "
    "post_transform is -1",
    "f32[2,2] tree_roots=[0] n_targets=0 nodes_featureids=[0,1] nodes_modes=u8{0,6} "
    "nodes_splits=f32{0.5,0} nodes_truenodeids=[1,1] nodes_trueleafs=[0,1] "
    "nodes_falsenodeids=[0,2] nodes_falseleafs=[1,1] leaf_targetids=[0,1,0] "
    "leaf_weights=f32{1,2,3} membership_values=f32{2,4,nan} ! n_targets is 0",
    /* many rows, one comparison */
    "f32[75,2] tree_roots=[0,4] n_targets=1 nodes_featureids=[0,1,1,1,0,1,1,0,0,1,0] "
    "nodes_modes=u8{0,0,0,0,0,0,0,0,0,0,0} nodes_splits=f32{-1,0,1,1,-2,2,1,-2,0,1,-2} "
    "nodes_truenodeids=[1,2,0,2,5,6,5,7,9,9,11] nodes_trueleafs=[0,0,1,1,0,0,1,1,0,1,1] "
    "nodes_falsenodeids=[4,3,1,3,8,7,6,8,10,10,12] nodes_falseleafs=[1,0,1,1,0,0,1,1,0,1,1] "
    "leaf_targetids=[0,0,0,0,0,0,0,0,0,0,0,0,0] leaf_weights=f32{-1.66,0.66,0.25,-0.39,2.52,"
    "1.39,-0.51,-1.52,2.34,-1.17,0.55,-0.59,-1.46} nodes_missing_value_tracks_true=[1,1,1,0,"
    "1,1,1,1,1,1,0]",
    "f32[75,2] tree_roots=[0,7] n_targets=2 nodes_featureids=[1,0,0,1,0,0,1,1,1,1,1,1,0] "
    "nodes_modes=u8{1,1,1,1,1,1,1,1,1,1,1,1,1} nodes_splits=f32{-2,-1,1,-1,-1,-2,-1,1,1,-2,"
    "-1,-2,1} nodes_truenodeids=[1,2,0,2,5,4,6,8,8,9,11,11,13] nodes_trueleafs=[0,0,1,1,0,1,"
    "1,0,1,1,0,1,1] nodes_falsenodeids=[4,3,1,3,6,5,7,10,9,10,12,12,14] nodes_falseleafs=[0,"
    "0,1,1,0,1,1,0,0,1,0,1,1] leaf_targetids=[0,1,1,0,1,0,0,1,0,0,1,1,1,1,1] "
    "leaf_weights=f32{-0.18,-0.97,-1.18,-1.08,0.97,-0.98,0.4,2.39,0.48,-0.75,0.16,-1.12,0.34,"
    "-0.28,0.45} nodes_missing_value_tracks_true=[0,1,1,0,1,1,1,0,0,1,0,1,1]",
    "f32[9,2]{nan,1,0.5,nan,nan,nan,-1,2,2,2,1,1,0,0,-3,nan,nan,0} tree_roots=[0,3] "
    "n_targets=1 nodes_featureids=[0,1,1,1,1,0,1] nodes_modes=u8{2,2,2,2,2,2,2} "
    "nodes_splits=f32{1,0,0,-1,0,0,1} nodes_truenodeids=[1,0,1,4,5,4,6] nodes_trueleafs=[0,1,"
    "1,0,0,1,1] nodes_falsenodeids=[3,2,2,8,6,5,7] nodes_falseleafs=[1,0,1,1,0,1,1] "
    "leaf_targetids=[0,0,0,0,0,0,0,0,0] leaf_weights=f32{-1.16,-0.96,2.23,-0.51,-0.57,0.28,"
    "-1.56,1.53,0.81} nodes_missing_value_tracks_true=[1,1,1,1,1,0,1]",
    "f32[9,2]{nan,1,0.5,nan,nan,nan,-1,2,2,2,1,1,0,0,-3,nan,nan,0} tree_roots=[0,5] "
    "n_targets=2 nodes_featureids=[0,1,1,0,0,0,1,0,1,1,0,1] nodes_modes=u8{3,3,3,3,3,3,3,3,3,"
    "3,3,3} nodes_splits=f32{-2,-2,0,2,0,1,1,1,0,2,2,2} nodes_truenodeids=[1,2,0,4,3,6,7,6,8,"
    "10,10,12] nodes_trueleafs=[0,0,1,0,1,0,0,1,1,0,1,1] nodes_falsenodeids=[3,2,1,5,4,9,8,7,"
    "9,11,11,13] nodes_falseleafs=[0,1,1,1,1,0,0,1,1,0,1,1] leaf_targetids=[0,1,1,0,1,1,0,0,"
    "0,0,0,0,1,0] leaf_weights=f32{-1.46,1.38,-0.11,0.93,0.92,0.78,0.3,0.99,-1.38,0.43,-0.35,"
    "0.53,0.92,0.37} nodes_missing_value_tracks_true=[1,1,1,1,1,0,0,0,0,1,0,0]",
    NULL,
};

const ig_op ig_op_tree_ensemble = {
    .onnx = "TreeEnsemble",
    .domain = "ai.onnx.ml",
    .since = { 5 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_FLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
