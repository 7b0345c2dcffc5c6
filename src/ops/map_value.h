/* SPDX-License-Identifier: Apache-2.0 */
/* map_value.h: maps as inputs of operators (CastMap, DictVectorizer). */
#ifndef IG_OPS_MAP_VALUE_H
#define IG_OPS_MAP_VALUE_H

#include "ops/key_map.h"

/* Input 0 must be a map. */
ig_status ig_infer_is_map(const ig_infer *c) IG_MUST_USE;

/* Input 0 as two lists of one length: keys (int64 or string, each once), ready to be looked up, and
 * values. INGOT_ERR_SHAPE for what is no map, INGOT_ERR_INVALID for a key that comes twice. Of a
 * map without entries the values may be of INGOT_UNDEFINED. */
typedef struct ig_map_value {
    ig_keys keys;
    ig_list values;
} ig_map_value;
ig_status ig_call_map(const ig_call *c, ig_map_value *out) IG_MUST_USE;

#endif
