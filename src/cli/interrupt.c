/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt.c: Ctrl-C ends a run between two steps, and never in the middle of writing a file. */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

static _Atomic(ingot_session *) active_session;
static atomic_bool is_held, is_pending, has_line;

/* At once; a progress line must not stay before the prompt. */
static void leave(void)
{
    static const char clear[] = "\r\x1b[K";
    if (atomic_load(&has_line) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) {}
    _exit(130);
}

static void on_signal(int number)
{
    ingot_session *session = atomic_load(&active_session);
    (void)number;
    /* A second signal does not wait. */
    if (atomic_exchange(&is_pending, true) && !atomic_load(&is_held)) leave();
    if (session)
        ingot_session_cancel(session);
    else if (!atomic_load(&is_held))
        leave();
}

void ig_interrupt_init(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    /* A shell that starts jobs in the background has them ignore SIGINT; leave it at that. */
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void ig_interrupt_session(ingot_session *session) { atomic_store(&active_session, session); }
void ig_interrupt_hold(bool is_writing) { atomic_store(&is_held, is_writing); }
void ig_interrupt_line(bool is_drawn) { atomic_store(&has_line, is_drawn); }
bool ig_interrupt_pending(void) { return atomic_load(&is_pending); }

ig_status ig_write_file(const char *path, const void *data, size_t bytes, ig_error *err)
{
    /* Where standard output is a file, it is written into, not replaced. */
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return ig_write_stdout(data, bytes, err);
    ig_interrupt_hold(true);
    const ig_status status = ig_file_write(path, data, bytes, err);
    ig_interrupt_hold(false);
    return status;
}
