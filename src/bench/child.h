/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: a process that answers lines with lines. It may crash, hang, or talk nonsense. */
#ifndef IG_BENCH_CHILD_H
#define IG_BENCH_CHILD_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/str.h"

#define IG_CHILD_MAX_LINE ((size_t)64 << 20)

typedef struct ig_child {
    pid_t pid;                  /* 0: none */
    int to, from;               /* its standard input and output; -1: closed */
    int complaints;             /* a file in memory that its standard error goes to */
    bool (*is_cancelled)(void); /* asked while waiting, may be NULL */
    ig_str text;                /* read, and not yet taken */
    size_t taken;
} ig_child;

/* Start argv[0], looked for in PATH. It ends when this process does. */
ig_status ig_child_start(char *const *argv, ig_alloc *alloc, ig_child *out,
                         ig_error *err) IG_MUST_USE;
/* Write it a line; `line` has no newline. */
ig_status ig_child_write(ig_child *child, const char *line, size_t n, ig_error *err) IG_MUST_USE;
/* Its next line, without the newline, valid until the next call. INGOT_ERR_LIMIT when none comes in
 * time, INGOT_ERR_IO when it closes its output or ends, INGOT_ERR_CANCELLED. */
ig_status ig_child_read(ig_child *child, double timeout_s, const char **line, size_t *n,
                        ig_error *err) IG_MUST_USE;
/* Close the pipes, wait for patience_s, then kill. Returns what waitpid says; accepts a zeroed
 * child. */
int ig_child_stop(ig_child *child, double patience_s);
/* The last line that it wrote to standard error, cut to the room and printable; "" for none. */
const char *ig_child_last_words(const ig_child *child, char *buf, size_t buf_bytes);

/* The words of the command line of this process, as an array that ends with NULL and has room for
 * n_more; the arena's. */
char **ig_own_command(ig_arena *arena, size_t n_more, size_t *n, ig_error *err);

#endif
