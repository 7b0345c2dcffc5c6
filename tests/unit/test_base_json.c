/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader and writer. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "check.h"

static ig_alloc alloc;
static ig_arena arena;

static const ig_json *parse(const char *text)
{
    const ig_json *json = NULL;
    ig_error err = { 0 };
    /* An exact heap copy, so that a sanitizer sees any read past the end. */
    const size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    if (!copy) return NULL;
    memcpy(copy, text, n);
    const ig_status status = ig_json_parse(&arena, copy, n, &json, &err);
    free(copy);
    if (status != INGOT_OK) printf("  %s: %s\n", text, err.message);
    return status == INGOT_OK ? json : NULL;
}

static void refuses(const char *text, const char *message)
{
    const ig_json *json = NULL;
    ig_error err = { 0 };
    CHECK(ig_json_parse(&arena, text, strlen(text), &json, &err) == INGOT_ERR_PARSE);
    CHECK_STRING(err.message, message);
}

static void test_read(void)
{
    const ig_json *j = parse(" {\"a\": [1, -2.5e1, true, false, null], \"b\": {\"c\": \"x\"},"
                             " \"a b\": 0, \"dup\": 1, \"dup\": 2} \n");
    if (!CHECK(j != NULL)) return;
    const ig_json *a = ig_json_get(j, "a");
    CHECK(a && a->kind == IG_JSON_ARRAY && a->child->number == 1.0);
    CHECK(a->child->next->number == -25.0 && a->child->next->next->kind == IG_JSON_TRUE);
    CHECK(a->child->next->next->next->kind == IG_JSON_FALSE);
    CHECK(a->child->next->next->next->next->kind == IG_JSON_NULL);
    CHECK(!a->child->next->next->next->next->next);
    CHECK_STRING(ig_json_get(ig_json_get(j, "b"), "c")->string, "x");
    CHECK(ig_json_get(j, "dup")->number == 2.0 && !ig_json_get(j, "none"));
    CHECK(!ig_json_get(a, "x") && !ig_json_get(NULL, "x"));
    CHECK(parse("[]") && parse("{}") && parse("\xef\xbb\xbf[1]") && parse("3")->number == 3.0);
}

static void test_strings(void)
{
    const ig_json *j =
        parse("\"q\\\"\\\\\\/\\b\\f\\n\\r\\t \\u00e9\\u20AC\\ud83d\\ude00\xc3\xa9\"");
    CHECK_STRING(j ? j->string : NULL,
                 "q\"\\/\b\f\n\r\t \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9");
    j = parse("\"a\\u0000b\"");
    CHECK(j && j->string_bytes == 3 && memcmp(j->string, "a\0b", 4) == 0);
    refuses("\"abc", "line 1, column 1: string is not closed");
    refuses("\"abc\\", "line 1, column 1: string is not closed");
    refuses("\"abc\\\"", "line 1, column 1: string is not closed");
    refuses("\"\\q\"", "line 1, column 2: unknown escape in string");
    refuses("\"\\u12g4\"", "line 1, column 2: \\u needs four hexadecimal digits");
    refuses("\"\\ud800\"", "line 1, column 2: unpaired surrogate");
    refuses("\"\\udc00\"", "line 1, column 2: unpaired surrogate");
    refuses("\"\\ud800\\u0041\"", "line 1, column 2: unpaired surrogate");
    refuses("\"a\nb\"", "line 1, column 3: control character in string");
    refuses("\"\xc3\xa9\xff\"", "line 1, column 3: invalid UTF-8 in string");
}

static void test_errors(void)
{
    refuses("", "line 1, column 1: text ends where a value is expected");
    refuses("{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3, column 7: expected ':' after the key");
    refuses("{\"a\": 1,}", "line 1, column 9: expected a quoted key");
    refuses("[1 2]", "line 1, column 4: expected ',' or ']'");
    refuses("[1", "line 1, column 3: expected ',' or ']'");
    refuses("[1,", "line 1, column 4: text ends where a value is expected");
    refuses("{\"a\":1", "line 1, column 7: expected ',' or '}'");
    refuses("[nul]", "line 1, column 2: expected a value");
    refuses("1 2", "line 1, column 3: text goes on after the value");
    refuses("01", "line 1, column 2: number with a leading zero");
    refuses("-", "line 1, column 2: number needs a digit here");
    refuses("1.", "line 1, column 3: number needs a digit here");
    refuses("1e+", "line 1, column 4: number needs a digit here");
    refuses(".5", "line 1, column 1: expected a value");
    refuses("NaN", "line 1, column 1: expected a value");
    refuses("1e999", "line 1, column 1: number out of range");
    char deep[200];
    memset(deep, '[', sizeof deep);
    deep[199] = '\0';
    refuses(deep, "line 1, column 65: nested deeper than 64 levels");
    memset(deep + 64, ']', 64);
    deep[128] = '\0';
    CHECK(parse(deep) != NULL);
}

static void reads(const char *text)
{
    const ig_json *j = parse(text);
    const double want = strtod(text, NULL);
    if (!CHECK(j && j->kind == IG_JSON_NUMBER && memcmp(&j->number, &want, sizeof want) == 0))
        printf("  %s\n", text);
}

static void test_numbers(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.1",
        "123456789012345",
        "1234567890123456789",
        "9007199254740993",
        "0.3",
        "1e22",
        "1e23",
        "-2.2250738585072014e-308",
        "4.9e-324",
        "1.7976931348623157e308",
        "1e-400",
        "0.000000000000000000001",
        "0.0000000000000000000000000001",
        "100000000000000000000000000",
        "179769313486231580793728971405303415079934132710037826936173",
        "0.12345678901234567890123456789",
        "5e-1",
        "1E5",
        "1.5e+3",
        "0e0",
        "0.0",
        "-0.0",
    };
    for (size_t i = 0; i < IG_COUNT(texts); i++) reads(texts[i]);
    char text[64];
    srand(1);
    for (int i = 0; i < 3000; i++) {
        const double v = (double)rand() / (double)(rand() % 1000 + 1) * pow(10, rand() % 40 - 20);
        snprintf(text, sizeof text, "%.*f", rand() % 18, v);
        reads(text);
        snprintf(text, sizeof text, "%.*g", rand() % 17 + 1, v);
        reads(text);
    }
}

static void test_write(void)
{
    ig_str s;
    ig_json_writer w;
    ig_str_init(&s, &alloc);
    for (int indent = -1; indent <= 0; indent++) {
        ig_str_clear(&s);
        ig_json_begin(&w, &s, indent);
        ig_json_open(&w, '{');
        ig_json_key(&w, "a");
        ig_json_open(&w, '[');
        ig_json_int(&w, -5);
        ig_json_number(&w, 0.1);
        ig_json_bool(&w, true);
        ig_json_close(&w, ']');
        ig_json_key(&w, "e");
        ig_json_open(&w, '{');
        ig_json_close(&w, '}');
        ig_json_key(&w, "s");
        ig_json_string(&w, "q\"\\\n\t\x01\xff\xc3\xa9", 9);
        ig_json_key(&w, "n");
        ig_json_cstr(&w, NULL);
        ig_json_key(&w, "c");
        ig_json_cstr(&w, "x");
        ig_json_close(&w, '}');
        CHECK_STRING(
            ig_str_cstr(&s),
            indent < 0
                ? "{\"a\": [-5, 0.1, true], \"e\": {}, \"s\": "
                  "\"q\\\"\\\\\\n\\t\\u0001\xef\xbf\xbd\xc3\xa9\", \"n\": null, \"c\": \"x\"}"
                : "{\n  \"a\": [\n    -5,\n    0.1,\n    true\n  ],\n  \"e\": {},\n  \"s\": "
                  "\"q\\\"\\\\\\n\\t\\u0001\xef\xbf\xbd\xc3\xa9\",\n  \"n\": null,\n  \"c\": "
                  "\"x\"\n}");
        CHECK(parse(ig_str_cstr(&s)) != NULL);
    }
    ig_str_deinit(&s);
}

static void writes(double value, const char *want)
{
    ig_str s;
    ig_json_writer w;
    ig_str_init(&s, &alloc);
    ig_json_begin(&w, &s, -1);
    ig_json_number(&w, value);
    if (want) CHECK_STRING(ig_str_cstr(&s), want);
    if (isfinite(value)) CHECK(parse(ig_str_cstr(&s))->number == value);
    ig_str_deinit(&s);
}

static void test_write_numbers(void)
{
    writes(0.1, "0.1");
    writes(1.0 / 3, "0.3333333333333333");
    writes(0.1 + 0.2, "0.30000000000000004");
    writes(1e100, "1e+100");
    writes(9007199254740991.0, "9007199254740991");
    writes(DBL_MAX, NULL);
    writes(DBL_TRUE_MIN, NULL);
    writes(NAN, "null");
    writes(-INFINITY, "null");
    srand(2);
    for (int i = 0; i < 1000; i++) writes(rand() * pow(2, rand() % 200 - 100) / 3, NULL);
}

/* Numbers have a point even where the program's locale writes a comma. */
static void test_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const char *set = NULL;
    for (size_t i = 0; !set && i < IG_COUNT(names); i++) set = setlocale(LC_ALL, names[i]);
    if (!set) {
        puts("no locale with a decimal comma here: that check is left out");
        return;
    }
    writes(0.5, "0.5");
    CHECK(parse("0.12345678901234567890")->number == 0.12345678901234567890);
    setlocale(LC_ALL, "C");
}

/* Any cut of a text is an error or a value, never a fault; so is any failing allocation. */
static void test_hostile(void)
{
    static const char text[] =
        "{\"k\\u00e9\": [1.5e3, \"\\ud83d\\ude00\", {\"x\": null}], \"b\": true}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        const ig_json *json = NULL;
        char *copy = malloc(n ? n : 1);
        if (!copy) return;
        memcpy(copy, text, n);
        CHECK(ig_json_parse(&arena, copy, n, &json, NULL) == INGOT_ERR_PARSE && !json);
        free(copy);
    }
    static char many[60000];
    size_t n = 0;
    many[n++] = '[';
    while (n < sizeof many - 8) n += (size_t)snprintf(many + n, 8, "\"a\",");
    memcpy(many + n, "1]", 3);
    for (int k = 1; k < 10; k++) {
        ig_alloc a;
        ig_arena small;
        ig_error err = { 0 };
        const ig_json *json = NULL;
        ig_alloc_init(&a, NULL, 0);
        a.fail_countdown = k;
        ig_arena_init(&small, &a, INGOT_MEM_OTHER);
        const ig_status status = ig_json_parse(&small, many, strlen(many), &json, &err);
        CHECK(a.is_failing ? status == INGOT_ERR_NOMEM : status == INGOT_OK);
        ig_arena_deinit(&small);
        CHECK(atomic_load(&a.total) == 0);
    }
}

int main(void)
{
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_OTHER);
    test_read();
    test_strings();
    test_errors();
    test_numbers();
    test_write();
    test_write_numbers();
    test_locale();
    test_hostile();
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&alloc.total) == 0);
    return check_report();
}
