/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/protobuf.h"

#include "check.h"

/* Walks the bytes to the end; the last field seen is left in *f, the number of fields returned. */
static int walk(const char *bytes, size_t n, ig_pb_field *f, ig_error *err)
{
    ig_pb r;
    int count = 0;
    ig_pb_field field;

    *err = (ig_error){ 0 };
    ig_pb_init(&r, (const uint8_t *)bytes, (ig_pb_bytes){ (const uint8_t *)bytes, n }, err);
    while (ig_pb_next(&r, &field)) {
        *f = field;
        count++;
    }
    CHECK(r.status == err->status);
    return r.status ? -1 : count;
}
#define WALK(literal) walk((literal), sizeof(literal) - 1, &f, &err)
#define FAILS(literal, text) CHECK(WALK(literal) == -1 && check_holds(&err, (text)))

static bool check_holds(const ig_error *err, const char *text)
{
    if (err->status == INGOT_ERR_PARSE && strstr(err->message, text)) return true;
    printf("  got: %s\n", err->message);
    return false;
}

static void test_fields(void)
{
    ig_pb_field f = { 0 };
    ig_error err;

    CHECK(WALK("") == 0);
    CHECK(WALK("\x08\x96\x01") == 1 && f.number == 1 && f.value == 150);
    CHECK(WALK("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") == 1 && f.value == UINT64_MAX);
    CHECK(WALK("\x12\x03"
               "abc") == 1 &&
          f.bytes.n == 3 && f.bytes.data[2] == 'c');
    CHECK(WALK("\x1d\x01\x02\x03\x04") == 1 && f.value == 0x04030201);
    CHECK(WALK("\x19\x01\x00\x00\x00\x00\x00\x00\x80") == 1 && f.value == 0x8000000000000001u);
    /* A group round a varint and a nested group, skipped; then field 2. */
    CHECK(WALK("\x0b\x08\x01\x13\x14\x0c\x10\x05") == 1 && f.number == 2 && f.value == 5);
    CHECK(WALK("\xf8\xff\xff\xff\x0f\x01") == 1 && f.number == 0x1fffffff);
}

static void test_damage(void)
{
    ig_pb_field f;
    ig_error err;

    FAILS("\x08", "bad varint at byte 1");
    FAILS("\x08\x80", "bad varint at byte 1");
    FAILS("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "bad varint");
    FAILS("\x12\x05"
          "abc",
          "length runs past the end of the message at byte 1");
    FAILS("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "length runs past");
    FAILS("\x1d\x01\x02\x03", "number is cut off at byte 1");
    FAILS("\x19\x01\x02\x03\x04\x05\x06\x07", "number is cut off");
    FAILS("\x00\x01", "field number 0");
    FAILS("\x0e\x01", "unknown wire type");
    FAILS("\x0f\x01", "unknown wire type");
    FAILS("\x0c", "end of a group that is not open");
    FAILS("\x0b", "group has no end");
    FAILS("\x0b\x14", "end of a group that is not open");
    FAILS("\xff\xff\xff\xff\xff\x01", "bad field tag");
}

static void test_deep_groups(void)
{
    char bytes[4000];
    ig_pb_field f;
    ig_error err;

    memset(bytes, 0x0b, sizeof bytes);
    CHECK(walk(bytes, sizeof bytes, &f, &err) == -1 && check_holds(&err, "nested too deep"));
}

static void test_lists(void)
{
    static const char packed[] = "\x0a\x04\x01\x96\x01\x02", cut[] = "\x0a\x02\x01\x96";
    static const char floats[] = "\x0a\x05\x00\x00\x80\x3f\x00";
    ig_error err = { 0 };
    ig_pb r;
    ig_pb_field f;
    uint64_t value, sum = 0;
    size_t at = 0;

    ig_pb_init(&r, (const uint8_t *)packed, (ig_pb_bytes){ (const uint8_t *)packed, 6 }, &err);
    CHECK(ig_pb_next(&r, &f) && ig_pb_count_varints(&r, &f) == 3);
    while (ig_pb_next_varint(&r, &f, &at, &value)) sum = sum * 1000 + value;
    CHECK(sum == 1150002 && r.status == INGOT_OK);

    at = 0;
    ig_pb_init(&r, (const uint8_t *)cut, (ig_pb_bytes){ (const uint8_t *)cut, 4 }, &err);
    CHECK(ig_pb_next(&r, &f));
    CHECK(ig_pb_next_varint(&r, &f, &at, &value) && value == 1);
    CHECK(!ig_pb_next_varint(&r, &f, &at, &value) && r.status == INGOT_ERR_PARSE);

    err = (ig_error){ 0 };
    ig_pb_init(&r, (const uint8_t *)floats, (ig_pb_bytes){ (const uint8_t *)floats, 7 }, &err);
    CHECK(ig_pb_next(&r, &f) && ig_pb_fixed(&r, &f, 4).n == 0 && r.status == INGOT_ERR_PARSE);
}

static void test_wrong_wire_type(void)
{
    ig_error err = { 0 };
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, (const uint8_t *)"\x08\x01", (ig_pb_bytes){ (const uint8_t *)"\x08\x01", 2 },
               &err);
    CHECK(ig_pb_next(&r, &f));
    CHECK(ig_pb_span(&r, &f).n == 0 && r.status == INGOT_ERR_PARSE);
    CHECK(strstr(err.message, "field 1 has wire type 0") != NULL);
    CHECK(!ig_pb_next(&r, &f));
}

int main(void)
{
    test_fields();
    test_damage();
    test_deep_groups();
    test_lists();
    test_wrong_wire_type();
    return check_report();
}
