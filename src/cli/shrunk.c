/* SPDX-License-Identifier: Apache-2.0 */
/* shrunk.c: files are mapped, so one that gets shorter while it is in use raises SIGBUS. That is a
 * fault of the file, and ends like every other: one line and the code of an input error. What is
 * called here must be safe in a signal handler. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static atomic_flag is_reporting = ATOMIC_FLAG_INIT;

static const char *parse_hex(const char *p, uintptr_t *out)
{
    for (*out = 0;; p++) {
        const int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                          : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                                                   : -1;
        if (digit < 0) return p;
        *out = *out * 16 + (uintptr_t)digit;
    }
}

/* The file of a line of /proc/self/maps, if the address lies in that mapping. */
static const char *file_of_line(const char *line, uintptr_t address)
{
    uintptr_t begin, end;
    const char *p = parse_hex(line, &begin);
    if (*p++ != '-') return NULL;
    parse_hex(p, &end);
    return address >= begin && address < end ? strchr(line, '/') : NULL;
}

/* The mapped file that the address belongs to, in `line`; NULL: none. */
static const char *find_file(uintptr_t address, char *line, size_t room)
{
    char chunk[1024];
    size_t n = 0;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const char *found = NULL;
    for (ssize_t n_read; fd >= 0 && !found && (n_read = read(fd, chunk, sizeof chunk)) > 0;) {
        for (ssize_t i = 0; i < n_read && !found; i++) {
            if (chunk[i] != '\n') {
                if (n + 1 < room) line[n++] = chunk[i];
                continue;
            }
            line[n] = '\0';
            n = 0;
            found = file_of_line(line, address);
        }
    }
    if (fd >= 0) close(fd);
    return found;
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {}
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static char line[PATH_MAX + 128];
    (void)context;
    /* Another thread met it too: the first one speaks for both. */
    while (atomic_flag_test_and_set(&is_reporting)) pause();
    const char *file =
        info->si_code == BUS_ADRERR ? find_file((uintptr_t)info->si_addr, line, sizeof line) : NULL;
    if (file) {
        say("ingot: ");
        say(file);
        say(": became shorter, or unreadable, while it was in use\n");
        _exit(ingot_status_exit_code(INGOT_ERR_IO));
    }
    /* A fault of our own: the access is repeated, and ends the program as it would have. */
    signal(number, SIG_DFL);
    atomic_flag_clear(&is_reporting);
}

void ig_shrunk_init(void)
{
    struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
