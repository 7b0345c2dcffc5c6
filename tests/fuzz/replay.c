/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds files to a fuzz target without a fuzzer: what `make test` does with the corpus. Arguments
 * are files and folders. A crash or a sanitizer's finding is the failure; the closing line counts
 * files.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int n_passed, n_failed;

static void replay_file(const char *path)
{
    ig_file file;
    ig_error err = { 0 };
    if (ig_file_open(path, &file, &err) != INGOT_OK) {
        printf("%s\n", err.message);
        n_failed++;
        return;
    }
    /* Flushed, so that the file which ends the program is known. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(file.data, file.bytes);
    ig_file_close(&file);
    n_passed++;
}

static void replay(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) {
        replay_file(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char name[PATH_MAX];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
            replay_file(name);
    }
    closedir(dir);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) replay(argv[i]);
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed || n_passed == 0;
}
