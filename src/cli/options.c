/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: words of the command line → ig_options, by the table. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- values ---- */

static bool number_of(const char *text, double *out)
{
    char *end;
    if (!*text || strchr(" \t\n", *text)) return false;
    *out = strtod(text, &end);
    if (end == text) return false;
    if (*end == '/') { /* a fraction: 1/255 */
        char *end2;
        const double below = strtod(end + 1, &end2);
        if (end2 == end + 1 || below == 0) return false;
        *out /= below;
        end = end2;
    }
    return *end == '\0' && isfinite(*out);
}

ig_status ig_parse_number(const char *what, const char *text, double min, double max, double *out,
                          ig_error *err)
{
    if (!number_of(text, out))
        return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not a number", what, text);
    if (*out < min || *out > max)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: %s is not between %g and %g", what, text, min,
                       max);
    return INGOT_OK;
}

/* min and max lie where doubles hold every whole number. */
static ig_status parse_int64(const char *what, const char *text, double min, double max,
                             int64_t *out, ig_error *err)
{
    double value = 0;
    IG_TRY(ig_parse_number(what, text, min, max, &value, err));
    *out = (int64_t)value;
    if ((double)*out != value)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: %s is not a whole number", what, text);
    return INGOT_OK;
}

static ig_status parse_int(const char *what, const char *text, double min, double max, int *out,
                           ig_error *err)
{
    int64_t value = 0;
    IG_TRY(parse_int64(what, text, min, max, &value, err));
    *out = (int)value;
    return INGOT_OK;
}

static ig_status parse_uint64(const char *what, const char *text, uint64_t *out, ig_error *err)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    if (end == text || *end || errno || strchr(text, '-'))
        return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not a whole number", what, text);
    return INGOT_OK;
}

ig_status ig_parse_choice(const char *what, const char *text, const char *choices, int *out,
                          ig_error *err)
{
    const size_t n = strlen(text);
    const char *p = choices;
    for (int i = 0; p; i++) {
        const char *bar = strchr(p, '|');
        const size_t n_choice = bar ? (size_t)(bar - p) : strlen(p);
        if (n == n_choice && strncmp(p, text, n) == 0) {
            *out = i;
            return INGOT_OK;
        }
        p = bar ? bar + 1 : NULL;
    }
    return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is none of %s", what, text, choices);
}

static ig_status parse_bytes(const char *what, const char *text, size_t *out, ig_error *err)
{
    char number[32];
    const size_t n = strlen(text);
    double factor = 1, value = 0;
    const char *const units = "kKmMgGtT", *unit = n ? strchr(units, text[n - 1]) : NULL;
    for (long i = unit ? (unit - units) / 2 + 1 : 0; i > 0; i--) factor *= 1024;
    const size_t n_number = unit ? n - 1 : n;
    if (n_number >= sizeof number || n_number == 0)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not a size such as 512M", what, text);
    memcpy(number, text, n_number);
    number[n_number] = '\0';
    if (!number_of(number, &value) || value * factor < 1 || value * factor > 0x1p62)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not a size such as 512M", what, text);
    *out = (size_t)(value * factor);
    return INGOT_OK;
}

static ig_status parse_numbers(const char *what, const char *text, double min, double max,
                               ig_numbers *out, ig_error *err)
{
    out->n = 0;
    for (const char *p = text; p;) {
        char one[64];
        const char *comma = strchr(p, ',');
        const size_t n = comma ? (size_t)(comma - p) : strlen(p);
        if (out->n == 3 || n >= sizeof one)
            return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not one number, or three", what,
                           text);
        memcpy(one, p, n);
        one[n] = '\0';
        IG_TRY(ig_parse_number(what, one, min, max, &out->v[out->n++], err));
        p = comma ? comma + 1 : NULL;
    }
    if (out->n == 2)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: '%s' is not one number, or three", what, text);
    return INGOT_OK;
}

/* Digits at *p, which moves on; -1: none, or too large. */
static int side_of(const char **p)
{
    int value = 0;
    if (**p < '0' || **p > '9') return -1;
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        value = value * 10 + (**p - '0');
        if (value > IG_MAX_PICTURE_SIDE) return -1;
    }
    return value;
}

ig_status ig_parse_picture_size(const char *what, const char *text, ig_picture_size *out,
                                ig_error *err)
{
    const char *p = text;
    int width = 0, height = -1;
    if (*p == 'x') {
        p++;
        height = side_of(&p);
    } else {
        height = width = side_of(&p);
        if (*p == 'x') {
            p++;
            height = side_of(&p);
        }
        if (width == 0) height = 0;
    }
    if (*p || width < 0 || height <= 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "%s: '%s' is not a size such as 224, 320x240 or x48 (sides 1 to %d)", what,
                       text, IG_MAX_PICTURE_SIDE);
    *out = (ig_picture_size){ width, height };
    return INGOT_OK;
}

bool ig_parse_dims(const char *text, int64_t *dims, int *rank)
{
    *rank = 0;
    if (!*text || strcmp(text, "scalar") == 0) return true;
    for (const char *p = text; p;) {
        char *end;
        if (*p < '0' || *p > '9' || *rank == INGOT_MAX_RANK) return false;
        errno = 0;
        dims[(*rank)++] = strtoll(p, &end, 10);
        if (errno || (*end && *end != 'x' && *end != ',')) return false;
        p = *end ? end + 1 : NULL;
    }
    return true;
}

/* ---- words ---- */

int ig_edit_distance(const char *a, const char *b)
{
    int row[64];
    const size_t n_a = strlen(a), n_b = strlen(b);
    if (n_b >= IG_COUNT(row) || n_a >= IG_COUNT(row)) return 99;
    for (size_t j = 0; j <= n_b; j++) row[j] = (int)j;
    for (size_t i = 1; i <= n_a; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n_b; j++) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[n_b];
}

static const char *first_command(int commands)
{
    for (size_t i = 0; i < ig_n_commands; i++)
        if (ig_command_table[i].bit & commands) return ig_command_table[i].name;
    return "";
}

static ig_status fail_unknown(int commands, const char *flag, const char *name, ig_error *err)
{
    const char *nearest = NULL;
    int best = 4;
    for (size_t i = 0; i < ig_n_options; i++) {
        const ig_option *o = &ig_option_table[i];
        if (strcmp(o->name, name) == 0) /* asked for in the wrong place */
            return ig_fail(err, INGOT_ERR_INVALID, "unknown flag %s here; it is one of ingot %s",
                           flag, first_command(o->commands));
        if (!(o->commands & commands)) continue;
        const int distance = ig_edit_distance(name, o->name);
        if (distance < best && distance < (int)strlen(o->name)) {
            best = distance;
            nearest = o->name;
        }
    }
    if (nearest)
        return ig_fail(err, INGOT_ERR_INVALID, "unknown flag %s; did you mean --%s?", flag,
                       nearest);
    return ig_fail(err, INGOT_ERR_INVALID, "unknown flag %s; --help lists the flags", flag);
}

static const ig_option *find_option(int commands, const char *name, size_t n, char letter)
{
    for (size_t i = 0; i < ig_n_options; i++) {
        const ig_option *o = &ig_option_table[i];
        if (!(o->commands & commands)) continue;
        if (letter ? o->letter == letter : strlen(o->name) == n && strncmp(o->name, name, n) == 0)
            return o;
    }
    return NULL;
}

static ig_status add(ig_text_list *list, const char *text, size_t cap, ig_arena *arena,
                     ig_error *err)
{
    if (!list->items && !(list->items = ig_arena_array(arena, cap, sizeof *list->items)))
        return IG_NOMEM(err, cap * sizeof *list->items);
    list->items[list->n++] = text;
    return INGOT_OK;
}

static ig_status set_option(const ig_option *o, const char *text, size_t cap, ig_arena *arena,
                            ig_options *options, ig_error *err)
{
    void *field = (char *)options + o->offset;
    char what[40] = "--";
    strncat(what, o->name, sizeof what - 3);
    switch (o->kind) {
    case IG_OPTION_FLAG: *(bool *)field = true; return INGOT_OK;
    case IG_OPTION_COUNT: ++*(int *)field; return INGOT_OK;
    case IG_OPTION_INT: return parse_int(what, text, o->min, o->max, field, err);
    case IG_OPTION_INT64: return parse_int64(what, text, o->min, o->max, field, err);
    case IG_OPTION_UINT64: return parse_uint64(what, text, field, err);
    case IG_OPTION_DOUBLE: return ig_parse_number(what, text, o->min, o->max, field, err);
    case IG_OPTION_TEXT: *(const char **)field = text; return INGOT_OK;
    case IG_OPTION_LIST: return add(field, text, cap, arena, err);
    case IG_OPTION_BYTES: return parse_bytes(what, text, field, err);
    case IG_OPTION_NUMBERS: return parse_numbers(what, text, o->min, o->max, field, err);
    case IG_OPTION_SIZE: return ig_parse_picture_size(what, text, field, err);
    case IG_OPTION_CHOICE: {
        int i = 0;
        IG_TRY(ig_parse_choice(what, text, o->choices, &i, err));
        *(int *)field = i + (int)o->min;
        return INGOT_OK;
    }
    }
    return INGOT_OK;
}

/* --name, --name=value, --name value */
static ig_status parse_long(int commands, char **argv, int argc, int *i, ig_arena *arena,
                            ig_options *options, ig_error *err)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    const size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const ig_option *o = find_option(commands, name, n, 0);
    if (!o) {
        char flag[72];
        const int n_shown = n < 60 ? (int)n : 60;
        snprintf(flag, sizeof flag, "--%.*s", n_shown, name);
        return fail_unknown(commands, flag, flag + 2, err);
    }
    const char *text = equals ? equals + 1 : NULL;
    if (!o->value && text) return ig_fail(err, INGOT_ERR_INVALID, "--%s takes no value", o->name);
    if (o->value && !text) {
        if (*i + 1 >= argc)
            return ig_fail(err, INGOT_ERR_INVALID, "--%s needs a value: --%s %s", o->name, o->name,
                           o->value);
        text = argv[++*i];
    }
    return set_option(o, text, (size_t)argc, arena, options, err);
}

/* -v, -vv, -t4, -t 4 */
static ig_status parse_short(int commands, char **argv, int argc, int *i, ig_arena *arena,
                             ig_options *options, ig_error *err)
{
    for (const char *p = argv[*i] + 1; *p; p++) {
        const ig_option *o = find_option(commands, NULL, 0, *p);
        if (!o) return fail_unknown(commands, argv[*i], argv[*i] + 1, err);
        if (!o->value) {
            IG_TRY(set_option(o, NULL, (size_t)argc, arena, options, err));
            continue;
        }
        const char *text = p + 1;
        if (!*text && *i + 1 >= argc)
            return ig_fail(err, INGOT_ERR_INVALID, "-%c needs a value: -%c %s", *p, *p, o->value);
        if (!*text) text = argv[++*i];
        return set_option(o, text, (size_t)argc, arena, options, err);
    }
    return INGOT_OK;
}

ig_status ig_options_parse(int commands, int argc, char **argv, ig_arena *arena,
                           ig_options *options, ig_error *err)
{
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            IG_TRY(add(&options->operands, word, (size_t)argc, arena, err));
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            IG_TRY(parse_long(commands, argv, argc, &i, arena, options, err));
        } else {
            IG_TRY(parse_short(commands, argv, argc, &i, arena, options, err));
        }
    }
    return INGOT_OK;
}
