/* SPDX-License-Identifier: Apache-2.0 */
/* tree_ensemble_classifier.c: ai.onnx.ml TreeEnsembleClassifier, class labels and scores of rows by
 * decision trees. */
#include "ops/trees.h"

static ig_status infer(ig_infer *c) { return ig_trees_infer(c, IG_TREES_CLASSIFIER); }
static ig_status ref(ig_call *c) { return ig_trees_ref(c, IG_TREES_CLASSIFIER); }
static ig_status lower(ig_lower *l) { return ig_trees_lower(l, IG_TREES_CLASSIFIER); }

static const char *const cases[] = {
    "f32[3,1]{0,1,0.5} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,1] class_weights=[1.0,1.0] "
    "classlabels_int64s=[7,8] post_transform=\"SOFTMAX\" -> 2",
    "f32[2,1]{0,1} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,0] class_weights=[0.25,0.75] "
    "classlabels_int64s=[7,8] -> 2 = i64[2]{7,8} f32[2,2]{0.75,0.25,0.25,0.75}",
    "i64[2,1]{0,1} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,0] class_weights=[0.25,0.75] "
    "classlabels_strings=[\"a\",\"b\"] -> 2",
    "f32[2,1]{0,1} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[0,0,0] nodes_falsenodeids=[2,0,0] "
    "class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,1] class_weights=[1.0,1.0] "
    "classlabels_int64s=[7,8] -> 2 ! is part of a cycle",
    "f32[2,1]{0,1} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[9,0,0] nodes_falsenodeids=[2,0,0] "
    "class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,1] class_weights=[1.0,1.0] "
    "classlabels_int64s=[7,8] -> 2 ! there is none",
    NULL,
};

const ig_op ig_op_tree_ensemble_classifier = {
    .onnx = "TreeEnsembleClassifier",
    .domain = "ai.onnx.ml",
    .since = { 1, 3, 5 },
    .n_in = { 1, 1 },
    .n_out = { 1, 2 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
