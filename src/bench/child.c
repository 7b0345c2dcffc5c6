/* SPDX-License-Identifier: Apache-2.0 */
/* child.c: start a process, talk with it in lines, end it. */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { READ_BYTES = 65536, LISTEN_MS = 250 };

/* ---- start ---- */

/* In the child: only what may follow a fork. */
static void become(char *const *argv, int in, int out, int complaints, int failure, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(complaints, 2) >= 0)
        execvp(argv[0], argv);
    const int cause = errno;
    if (write(failure, &cause, sizeof cause) < 0) {}
    _exit(127);
}

static void close_all(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fds[i] >= 0) close(fds[i]);
}

ig_status ig_child_start(char *const *argv, ig_alloc *alloc, ig_child *out, ig_error *err)
{
    int fds[6] = { -1, -1, -1, -1, -1, -1 }; /* to it, from it, and why it did not start */
    int cause = 0;
    const pid_t parent = getpid();
    *out = (ig_child){ .to = -1, .from = -1, .complaints = -1 };
    ig_str_init(&out->text, alloc);
    out->complaints = memfd_create("complaints", MFD_CLOEXEC);
    if (out->complaints < 0 || pipe2(fds, O_CLOEXEC) || pipe2(fds + 2, O_CLOEXEC) ||
        pipe2(fds + 4, O_CLOEXEC)) {
        close_all(fds, 6);
        close_all(&out->complaints, 1);
        return ig_fail(err, INGOT_ERR_IO, "%s: no pipes: %s", argv[0], strerror(errno));
    }
    out->pid = fork();
    if (out->pid == 0) become(argv, fds[0], fds[3], out->complaints, fds[5], parent);
    const int fork_cause = errno;
    close_all((int[]){ fds[0], fds[3], fds[5] }, 3);
    out->to = fds[1];
    out->from = fds[2];
    const bool is_lost = out->pid > 0 && read(fds[4], &cause, sizeof cause) == sizeof cause;
    close(fds[4]);
    if (out->pid > 0 && !is_lost) return INGOT_OK;
    if (out->pid < 0) out->pid = 0, cause = fork_cause;
    ig_child_stop(out, 0);
    return ig_fail(err, INGOT_ERR_IO, "%s: cannot be started: %s", argv[0], strerror(cause));
}

/* ---- lines ---- */

/* A process that is gone must not end this one by a signal. */
ig_status ig_child_write(ig_child *c, const char *line, size_t n, ig_error *err)
{
    sigset_t pipe_set, old;
    const struct timespec now = { 0, 0 };
    size_t done = 0;
    ssize_t wrote = 0;
    sigemptyset(&pipe_set);
    sigaddset(&pipe_set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
    while (done <= n) {
        wrote = done < n ? write(c->to, line + done, n - done) : write(c->to, "\n", 1);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    const int cause = errno;
    if (wrote < 0 && cause == EPIPE)
        while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (wrote > 0) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_IO, "does not read: %s", strerror(cause));
}

static ig_status read_some(ig_child *c, double timeout_s, uint64_t deadline_ns, ig_error *err)
{
    char buf[READ_BYTES];
    struct pollfd wait = { .fd = c->from, .events = POLLIN };
    const uint64_t now_ns = ig_clock_ns();
    const uint64_t left_ms = now_ns >= deadline_ns ? 0 : (deadline_ns - now_ns) / 1000000 + 1;
    const int ready = poll(&wait, 1, left_ms < LISTEN_MS ? (int)left_ms : LISTEN_MS);
    if (c->is_cancelled && c->is_cancelled())
        return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
    if ((ready < 0 && errno == EINTR) || (ready == 0 && left_ms > LISTEN_MS)) return INGOT_OK;
    if (ready == 0) return ig_fail(err, INGOT_ERR_LIMIT, "no answer within %g s", timeout_s);
    const ssize_t n = ready < 0 ? -1 : read(c->from, buf, sizeof buf);
    if (n < 0 && errno == EINTR) return INGOT_OK;
    if (n < 0) return ig_fail(err, INGOT_ERR_IO, "cannot be read: %s", strerror(errno));
    if (n == 0) return ig_fail(err, INGOT_ERR_IO, "ended");
    if (c->text.n - c->taken + (size_t)n > IG_CHILD_MAX_LINE)
        return ig_fail(err, INGOT_ERR_PARSE, "sends a line of more than %zu bytes",
                       IG_CHILD_MAX_LINE);
    ig_str_append(&c->text, buf, (size_t)n);
    return ig_str_ok(&c->text) ? INGOT_OK : IG_NOMEM(err, n);
}

ig_status ig_child_read(ig_child *c, double timeout_s, const char **line, size_t *n, ig_error *err)
{
    const uint64_t deadline_ns = ig_clock_ns() + (uint64_t)(timeout_s * 1e9);
    if (c->taken) { /* forget what was taken */
        memmove(c->text.data, c->text.data + c->taken, c->text.n - c->taken);
        c->text.n -= c->taken;
        c->taken = 0;
    }
    for (size_t seen = 0;;) {
        const char *end =
            c->text.n > seen ? memchr(c->text.data + seen, '\n', c->text.n - seen) : NULL;
        if (end) {
            *line = c->text.data;
            *n = (size_t)(end - c->text.data);
            c->taken = *n + 1;
            return INGOT_OK;
        }
        seen = c->text.n;
        IG_TRY(read_some(c, timeout_s, deadline_ns, err));
    }
}

/* ---- end ---- */

int ig_child_stop(ig_child *c, double patience_s)
{
    int status = 0;
    if (c->pid > 0) {
        const uint64_t deadline_ns = ig_clock_ns() + (uint64_t)(patience_s * 1e9);
        const struct timespec nap = { 0, 2000000 };
        close_all((int[]){ c->to, c->from }, 2);
        pid_t gone;
        while ((gone = waitpid(c->pid, &status, WNOHANG)) == 0 && ig_clock_ns() < deadline_ns)
            nanosleep(&nap, NULL);
        if (gone == 0) {
            kill(c->pid, SIGKILL);
            while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
        }
        close_all(&c->complaints, 1);
    }
    ig_str_deinit(&c->text);
    *c = (ig_child){ .to = -1, .from = -1, .complaints = -1 };
    return status;
}

const char *ig_child_last_words(const ig_child *c, char *buf, size_t buf_bytes)
{
    char tail[2048];
    buf[0] = '\0';
    const off_t end = c->complaints < 0 ? 0 : lseek(c->complaints, 0, SEEK_END);
    const off_t from = end > (off_t)sizeof tail - 1 ? end - (off_t)sizeof tail + 1 : 0;
    ssize_t n = end > 0 ? pread(c->complaints, tail, sizeof tail - 1, from) : 0;
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' ')) n--;
    if (n <= 0) return buf;
    tail[n] = '\0';
    const char *line = strrchr(tail, '\n');
    size_t k = 0;
    for (line = line ? line + 1 : tail; *line && k + 1 < buf_bytes; line++)
        buf[k++] = (unsigned char)*line < 32 || (unsigned char)*line > 126 ? '?' : *line;
    buf[k] = '\0';
    return buf;
}

/* ---- this process ---- */

char **ig_own_command(ig_arena *arena, size_t n_more, size_t *n, ig_error *err)
{
    ig_str text;
    char buf[4096];
    ssize_t got;
    ig_str_init(&text, arena->alloc);
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, buf, sizeof buf)) > 0) ig_str_append(&text, buf, (size_t)got);
    if (fd >= 0) close(fd);
    char *all = ig_str_ok(&text) && text.n ? ig_arena_copy(arena, text.data, text.n) : NULL;
    const size_t bytes = text.n;
    ig_str_deinit(&text);
    size_t n_words = 0;
    for (size_t i = 0; all && i < bytes; i++) n_words += all[i] == '\0';
    char **words = all ? ig_arena_array(arena, n_words + n_more + 1, sizeof *words) : NULL;
    if (!words) {
        ig_fail(err, INGOT_ERR_IO, "/proc/self/cmdline cannot be read");
        return NULL;
    }
    *n = 0;
    for (size_t i = 0; i < bytes; i += strlen(all + i) + 1) words[(*n)++] = all + i;
    words[0] = (char *)(uintptr_t) "/proc/self/exe"; /* not what was found in PATH since */
    return words;
}
