/* SPDX-License-Identifier: Apache-2.0 */
/* tree_ensemble_regressor.c: ai.onnx.ml TreeEnsembleRegressor, targets of rows by decision trees.
 */
#include "ops/trees.h"

static ig_status infer(ig_infer *c) { return ig_trees_infer(c, IG_TREES_REGRESSOR); }
static ig_status ref(ig_call *c) { return ig_trees_ref(c, IG_TREES_REGRESSOR); }
static ig_status lower(ig_lower *l) { return ig_trees_lower(l, IG_TREES_REGRESSOR); }

static const char *const cases[] = {
    "f32[3,1]{0,1,0.5} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "target_treeids=[0,0] target_nodeids=[1,2] target_ids=[0,0] target_weights=[10.0,20.0] = "
    "f32[3,1]{10,20,10}",
    "f64[3,1]{0,1,0.5} nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "target_treeids=[0,0] target_nodeids=[1,2] target_ids=[0,0] target_weights=[10.0,20.0] "
    "aggregate_function=\"MAX\" base_values=[0.5] = f32[3,1]{10.5,20.5,10.5}",
    "f32[3,1] nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[3,0,0] "
    "nodes_values=[0.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] "
    "nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] "
    "target_treeids=[0,0] target_nodeids=[1,2] target_ids=[0,0] target_weights=[10.0,20.0] ! asks "
    "for feature 3",
    NULL,
};

const ig_op ig_op_tree_ensemble_regressor = {
    .onnx = "TreeEnsembleRegressor",
    .domain = "ai.onnx.ml",
    .since = { 1, 3, 5 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
