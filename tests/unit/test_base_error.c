/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and log lines. */
#include "base/error.h"
#include "base/log.h"
#include "check.h"

static void test_status(void)
{
    static const int codes[INGOT_N_STATUS] = { 0, 3, 4, 5, 6, 7, 8, 9, 10, 70 };
    for (int i = 0; i < INGOT_N_STATUS; i++) {
        CHECK(ingot_status_exit_code((ingot_status)i) == codes[i]);
        CHECK(ingot_status_name((ingot_status)i)[0] != '\0');
    }
    CHECK_STRING(ingot_status_name(INGOT_OK), "ok");
    CHECK_STRING(ingot_status_name(INGOT_ERR_NOMEM), "out of memory");
    CHECK(ingot_status_exit_code((ingot_status)99) == 70 && ingot_status_name((ingot_status)99));
}

static ig_status try_it(ig_status status)
{
    IG_TRY(status);
    return INGOT_ERR_INTERNAL;
}

static void test_first_wins(void)
{
    ig_error err = { 0 };
    CHECK(ig_fail(&err, INGOT_ERR_SHAPE, "axis %d of %d", 3, 2) == INGOT_ERR_SHAPE);
    CHECK(ig_fail(&err, INGOT_ERR_IO, "later") == INGOT_ERR_SHAPE);
    CHECK(err.status == INGOT_ERR_SHAPE);
    ig_error_prepend(&err, "node '%s'", "n1");
    ig_error_prepend(&err, "m.onnx");
    CHECK_STRING(err.message, "m.onnx: node 'n1': axis 3 of 2");
    ig_error_clear(&err);
    CHECK(err.status == INGOT_OK && err.message[0] == '\0');
    ig_error_prepend(&err, "nothing");
    CHECK_STRING(err.message, "");
    CHECK(ig_fail(NULL, INGOT_ERR_IO, "x") == INGOT_ERR_IO);
    ig_error_prepend(NULL, "x");
    ig_error_clear(NULL);
    CHECK(try_it(INGOT_ERR_PARSE) == INGOT_ERR_PARSE && try_it(INGOT_OK) == INGOT_ERR_INTERNAL);
    CHECK(IG_NOMEM(&err, 12) == INGOT_ERR_NOMEM);
    CHECK_STRING(err.message, "out of memory (12 bytes wanted)");
}

static void test_one_line(void)
{
    ig_error err = { 0 };
    (void)ig_fail(&err, INGOT_ERR_PARSE, "name 'a\nb\x1b[1m\xff\xc3\xa9'");
    CHECK_STRING(err.message, "name 'a?b?[1m?\xc3\xa9'");
    char text[3000];
    for (size_t i = 0; i + 1 < sizeof text; i += 2) memcpy(text + i, "\xc3\xa9", 2);
    text[sizeof text - 2] = '\0';
    ig_error_clear(&err);
    (void)ig_fail(&err, INGOT_ERR_PARSE, "x%s", text);
    CHECK(strlen(err.message) == 1019);
    CHECK(strchr(err.message, '?') == NULL);
    ig_error_prepend(&err, "%s", text);
    CHECK(strlen(err.message) < sizeof err.message && strstr(err.message, ": x\xc3\xa9"));
}

typedef struct sink {
    char text[20000];
    int n_lines;
    size_t longest;
} sink;

static void write_line(void *ctx, ingot_log_level level, const char *line)
{
    sink *s = ctx;
    const size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%d:%s|", (int)level, line);
    s->n_lines++;
    if (strlen(line) > s->longest) s->longest = strlen(line);
}

static void test_log(void)
{
    static sink s, t;
    static char long_line[9000];
    const ingot_log log = { &s, write_line };
    ig_log(NULL, INGOT_LOG_INFO, "x");
    ig_log(&(ingot_log){ 0 }, INGOT_LOG_INFO, "x");
    ig_log(&log, INGOT_LOG_WARNING, "a %d\nb", 1);
    ig_log_text(&log, INGOT_LOG_DEBUG, "one\n\ntwo\nthree", 14);
    ig_log_text(&log, INGOT_LOG_INFO, "end\n", 4);
    CHECK_STRING(s.text, "2:a 1 b|0:one|0:|0:two|0:three|1:end|");
    memset(long_line, 'x', sizeof long_line - 1);
    s.longest = 0;
    ig_log(&log, INGOT_LOG_INFO, "%s", long_line);
    CHECK(s.longest == 1023);
    const ingot_log text_log = { &t, write_line };
    ig_log_text(&text_log, INGOT_LOG_INFO, long_line, 8999);
    CHECK(t.n_lines == 3 && strlen(t.text) == 8999 + 3 * 3);
}

int main(void)
{
    test_status();
    test_first_wins();
    test_one_line();
    test_log();
    return check_report();
}
