/* SPDX-License-Identifier: Apache-2.0 */
/* Values through their protobuf form and back. */
#include <stdlib.h>

#include "base/error.h"
#include "ingot.h"
#include "check.h"

typedef struct sink {
    char bytes[4096];
    size_t n, stop_after;
} sink;

static int collect(void *ctx, const char *text, size_t n)
{
    sink *s = ctx;

    if (s->n + n > sizeof s->bytes || (s->stop_after && s->n >= s->stop_after)) return 1;
    memcpy(s->bytes + s->n, text, n);
    s->n += n;
    return 0;
}

static bool same(const ingot_value *a, const ingot_value *b)
{
    if (ingot_value_kind(a) != ingot_value_kind(b)) return false;
    if (ingot_value_kind(a) != INGOT_KIND_TENSOR) {
        if (ingot_value_n_items(a) != ingot_value_n_items(b)) return false;
        for (size_t i = 0; i < ingot_value_n_items(a); i++)
            if (!same(ingot_value_item(a, i), ingot_value_item(b, i))) return false;
        return true;
    }
    if (ingot_tensor_dtype(a) != ingot_tensor_dtype(b) ||
        ingot_tensor_rank(a) != ingot_tensor_rank(b) ||
        ingot_tensor_count(a) != ingot_tensor_count(b))
        return false;
    for (int d = 0; d < ingot_tensor_rank(a); d++)
        if (ingot_tensor_dims(a)[d] != ingot_tensor_dims(b)[d]) return false;
    if (ingot_tensor_dtype(a) != INGOT_STRING)
        return memcmp(ingot_tensor_data(a), ingot_tensor_data(b), ingot_tensor_bytes(a)) == 0;
    for (int64_t i = 0; i < ingot_tensor_count(a); i++) {
        const ingot_string *x = (const ingot_string *)ingot_tensor_data(a) + i;
        const ingot_string *y = (const ingot_string *)ingot_tensor_data(b) + i;

        if (x->bytes != y->bytes) return false;
        if (x->bytes && memcmp(x->data, y->data, x->bytes) != 0) return false;
    }
    return true;
}

/* Writes, reads back, compares; every truncation of the bytes must be refused or read, not crash.
 */
static void round_trip(ingot_value *value)
{
    ingot_error err = { 0 };
    ingot_value *back = NULL;
    sink s = { .n = 0 };

    CHECK(ingot_value_to_pb(value, "name", collect, &s, &err) == INGOT_OK);
    CHECK(ingot_value_from_pb(s.bytes, s.n, ingot_value_kind(value), &back, &err) == INGOT_OK);
    if (back)
        CHECK(same(value, back));
    else
        printf("  %s\n", err.message);
    ingot_value_destroy(back);
    for (size_t n = 0; n < s.n; n++) {
        char *part = malloc(n ? n : 1);

        memcpy(part, s.bytes, n);
        if (ingot_value_from_pb(part, n, ingot_value_kind(value), &back, &err) == INGOT_OK)
            ingot_value_destroy(back);
        else
            CHECK(err.message[0] != 0 && back == NULL);
        free(part);
    }
}

static ingot_value *tensor(ingot_dtype dtype, int64_t n, int first)
{
    const int64_t dims[] = { 2, n };
    ingot_value *value = NULL;
    char text[8];

    CHECK(ingot_tensor_create(dtype, 2, dims, &value, NULL) == INGOT_OK);
    for (size_t i = 0; dtype != INGOT_STRING && i < ingot_tensor_bytes(value); i++)
        ((uint8_t *)ingot_tensor_data_mutable(value))[i] =
            (uint8_t)(dtype == INGOT_BOOL ? i & 1 : (size_t)first + i);
    for (int i = 0; dtype == INGOT_STRING && i < 2 * n; i++) {
        snprintf(text, sizeof text, "s%d", first + i);
        CHECK(ingot_tensor_set_string(value, i, text, strlen(text), NULL) == INGOT_OK);
    }
    return value;
}

static void test_tensors(void)
{
    for (int dtype = INGOT_FLOAT; dtype < INGOT_N_DTYPES; dtype++) {
        for (int64_t n = 0; n < 4; n += 3) {
            ingot_value *value = tensor((ingot_dtype)dtype, n, 1);

            round_trip(value);
            ingot_value_destroy(value);
        }
    }
}

static void test_nested(void)
{
    ingot_value *inner = NULL, *outer = NULL, *optional = NULL, *nothing = NULL;

    CHECK(ingot_sequence_create(&inner, NULL) == INGOT_OK);
    CHECK(ingot_sequence_push(inner, tensor(INGOT_FLOAT, 2, 1), NULL) == INGOT_OK);
    CHECK(ingot_sequence_push(inner, tensor(INGOT_FLOAT, 3, 7), NULL) == INGOT_OK);
    round_trip(inner);
    CHECK(ingot_optional_create(inner, &optional, NULL) == INGOT_OK);
    round_trip(optional);
    CHECK(ingot_sequence_create(&outer, NULL) == INGOT_OK);
    CHECK(ingot_sequence_push(outer, optional, NULL) == INGOT_OK);
    round_trip(outer);
    ingot_value_destroy(outer);
    CHECK(ingot_optional_create(NULL, &nothing, NULL) == INGOT_OK);
    round_trip(nothing);
    ingot_value_destroy(nothing);
}

/* {3: 0.5, 4: 2} as MapProto bytes. */
static void test_map(void)
{
    static const char map[] = "\x18\x03\x18\x04\x2a\x14\x1a\x08\x10\x01\x4a\x04\x00\x00\x00\x3f"
                              "\x1a\x08\x10\x01\x4a\x04\x00\x00\x00\x40";
    ingot_error err = { 0 };
    ingot_value *value = NULL;

    CHECK(ingot_value_from_pb(map, sizeof map - 1, INGOT_KIND_MAP, &value, &err) == INGOT_OK);
    if (!value) {
        printf("  %s\n", err.message);
        return;
    }
    CHECK(((const int64_t *)ingot_tensor_data(ingot_value_item(value, 0)))[1] == 4);
    CHECK(((const float *)ingot_tensor_data(ingot_value_item(value, 1)))[0] == 0.5f);
    round_trip(value);
    ingot_value_destroy(value);
}

static ingot_value *vector(ingot_dtype dtype, int64_t n)
{
    ingot_value *value = NULL;

    CHECK(ingot_tensor_create(dtype, 1, &n, &value, NULL) == INGOT_OK);
    return value;
}

static void test_made_map(void)
{
    ingot_value *keys = vector(INGOT_STRING, 2), *values = vector(INGOT_FLOAT, 2), *map = NULL;
    ingot_value *three = vector(INGOT_FLOAT, 3);
    ingot_error err = { 0 };

    CHECK(ingot_tensor_set_string(keys, 1, "k", 1, NULL) == INGOT_OK);
    CHECK(ingot_map_create(keys, three, &map, &err) == INGOT_ERR_SHAPE && !map);
    CHECK(strstr(err.message, "2 keys and 3 values") != NULL);
    CHECK(ingot_map_create(values, values, &map, &err) == INGOT_ERR_INVALID && !map);
    CHECK(ingot_map_create(keys, NULL, &map, &err) == INGOT_ERR_INVALID && !map);
    CHECK(ingot_map_create(keys, values, &map, &err) == INGOT_OK);
    CHECK(ingot_value_n_items(map) == 2 && ingot_value_item(map, 0) == keys);
    round_trip(map);
    ingot_value_destroy(map);
    ingot_value_destroy(three);
}

static void test_stop(void)
{
    ingot_value *value = tensor(INGOT_FLOAT, 3, 1);
    ingot_error err = { 0 };
    sink s = { .stop_after = 3 };

    CHECK(ingot_value_to_pb(value, "name", collect, &s, &err) == INGOT_ERR_CANCELLED);
    ingot_value_destroy(value);
}

int main(void)
{
    test_tensors();
    test_nested();
    test_map();
    test_made_map();
    test_stop();
    return check_report();
}
