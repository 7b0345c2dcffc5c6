/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzzer without coverage, for builds that have no libFuzzer: mutates models (onnx_mutator.c) and
 * gives each result to the target. The same arguments give the same inputs.
 *
 *     mutations N FIRST FOLDER…      N inputs from number FIRST on, from the files of the folders
 *
 * The input that ends the program stands in mutation-N afterwards, N its number.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"

#define MAX_SEEDS 20000
#define MAX_BYTES 16384

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out, unsigned int seed);

static ig_file seeds[MAX_SEEDS];
static size_t n_seeds;
static uint8_t input[MAX_BYTES];
static volatile size_t input_bytes;
static char input_name[64];
static uint64_t state;

static uint32_t choose(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((state >> 33) % n) : 0;
}

/* What libFuzzer would do: one byte becomes another. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    if (size == 0 && max_size > 0) size = 1, data[0] = 0;
    if (size) data[choose(size)] ^= (uint8_t)(1u << choose(8));
    return size;
}

static void read_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) FUZZ_FOUND("%s is no folder", path);
    for (const struct dirent *entry; n_seeds < MAX_SEEDS && (entry = readdir(dir));) {
        char name[PATH_MAX];
        ig_error err = { 0 };
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (ig_file_open(name, &seeds[n_seeds], &err)) FUZZ_FOUND("%s", err.message);
        if (seeds[n_seeds].bytes <= MAX_BYTES) n_seeds++;
    }
    closedir(dir);
}

static void keep_input(int signal_number)
{
    const int fd = open(input_name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, input, input_bytes) < 0) _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void make_input(size_t number)
{
    state = number * 0x9e3779b97f4a7c15u;
    const ig_file *seed = &seeds[choose(n_seeds)], *other = &seeds[choose(n_seeds)];
    size_t n = 0;
    if (choose(3) == 0)
        n = LLVMFuzzerCustomCrossOver(seed->data, seed->bytes, other->data, other->bytes, input,
                                      MAX_BYTES, choose(1u << 30));
    if (n == 0) {
        memcpy(input, seed->data, seed->bytes);
        n = seed->bytes;
    }
    for (size_t i = choose(3) + 1; i > 0; i--)
        n = LLVMFuzzerCustomMutator(input, n, MAX_BYTES, choose(1u << 30));
    input_bytes = n;
    snprintf(input_name, sizeof input_name, "mutation-%zu", number);
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    if (argc < 4) return 2;
    const size_t n = strtoul(argv[1], NULL, 10), first = strtoul(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++) read_folder(argv[i]);
    if (n_seeds == 0) return 2;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], keep_input);
    for (size_t i = 0; i < n; i++) {
        make_input(first + i);
        /* Exactly as long as it is, so that a sanitizer sees what is read behind it. */
        uint8_t *data = malloc(input_bytes + !input_bytes);
        if (!data) return 1;
        memcpy(data, input, input_bytes);
        LLVMFuzzerTestOneInput(data, input_bytes);
        free(data);
    }
    printf("%zu passed, 0 failed\n", n);
    return 0;
}
