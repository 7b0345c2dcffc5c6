/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c: standard output and error, colours, the progress line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

ig_status ig_write_stdout(const void *data, size_t bytes, ig_error *err)
{
    const char *p = data;
    while (bytes) {
        const ssize_t n = write(STDOUT_FILENO, p, bytes < (1u << 30) ? bytes : (1u << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EPIPE) return INGOT_ERR_IO;
        if (n <= 0)
            return ig_fail(err, INGOT_ERR_IO, "standard output: %s",
                           strerror(n < 0 ? errno : ENOSPC));
        p += n;
        bytes -= (size_t)n;
    }
    return INGOT_OK;
}

/* Bytes of a sequence that sets a colour, as those below, at the begin of text; else 0. */
static size_t color_bytes(const char *text, size_t n)
{
    size_t i = 2;
    if (n < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
    while (i < n && ((text[i] >= '0' && text[i] <= '9') || text[i] == ';')) i++;
    return i < n && text[i] == 'm' ? i + 1 : 0;
}

void ig_make_printable(char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n_color = color_bytes(text + i, n - i);
        if ((c < 0x20 || c == 0x7f) && c != '\n' && c != '\t' && !n_color) text[i] = '?';
        i += n_color ? n_color : 1;
    }
}

ig_status ig_print(ig_cli *cli, ig_str *text)
{
    if (!ig_str_ok(text)) return IG_NOMEM(&cli->err, text->n);
    if (text->n) ig_make_printable(text->data, text->n);
    return ig_write_stdout(ig_str_cstr(text), text->n, &cli->err);
}

bool ig_is_terminal(FILE *to)
{
    const char *term = getenv("TERM");
    return isatty(fileno(to)) && !(term && strcmp(term, "dumb") == 0);
}

static const char *escape(FILE *to, const char *sequence)
{
    const char *no_color = getenv("NO_COLOR");
    return (no_color && *no_color) || !ig_is_terminal(to) ? "" : sequence;
}

const char *ig_bold(FILE *to) { return escape(to, "\x1b[1m"); }
const char *ig_dim(FILE *to) { return escape(to, "\x1b[2m"); }
const char *ig_plain(FILE *to) { return escape(to, "\x1b[0m"); }

int ig_terminal_width(FILE *to)
{
    struct winsize size;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

/* ---- progress ---- */

#define REDRAW_NS 100000000u
#define BAR_CELLS 30

void ig_progress_begin(ig_progress *p, size_t n)
{
    *p = (ig_progress){ .n = n, .begin_ns = ig_clock_ns() };
    p->is_on = n > 1 && ig_is_terminal(stderr);
}

static void draw(ig_progress *p, uint64_t now_ns)
{
    char bar[3 * BAR_CELLS + 1] = "";
    const size_t n_full = p->n ? p->n_done * BAR_CELLS / p->n : 0;
    for (size_t i = 0; i < BAR_CELLS; i++) strcat(bar, i < n_full ? "━" : "─");
    const double seconds = (double)(now_ns - p->begin_ns) * 1e-9;
    const double rate = seconds > 0 ? (double)p->n_done / seconds : 0;
    if (p->is_percent)
        fprintf(stderr, "\r\x1b[K%s %zu %%", bar, p->n ? 100 * p->n_done / p->n : 0);
    else
        fprintf(stderr, "\r\x1b[K%s %zu of %zu", bar, p->n_done, p->n);
    if (p->n_done && !p->is_percent) fprintf(stderr, "  %.1f/s", rate);
    if (p->n_done && p->n_done < p->n)
        fprintf(stderr, "  %.0f s left", (double)(p->n - p->n_done) / rate);
    fflush(stderr);
    ig_interrupt_line(true);
    p->is_drawn = true;
    p->drawn_ns = now_ns;
}

void ig_progress_step(ig_progress *p, size_t n_done)
{
    p->n_done = n_done;
    if (!p->is_on) return;
    const uint64_t now_ns = ig_clock_ns();
    if (p->drawn_ns == 0 || now_ns - p->drawn_ns >= REDRAW_NS) draw(p, now_ns);
}

void ig_progress_clear(ig_progress *p)
{
    if (p->is_drawn) fputs("\r\x1b[K", stderr);
    ig_interrupt_line(false);
    p->is_drawn = false;
}
