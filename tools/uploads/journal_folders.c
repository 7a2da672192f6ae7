/* SPDX-License-Identifier: MIT */
#include "tools/uploads/journal_folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char journal[] = "/journal.jsonl";

bool journal_folder_is(const char *path)
{
    char file[4096 + sizeof journal];
    struct stat status;
    snprintf(file, sizeof file, "%.4096s%s", path, journal);
    return stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

static int is_run(const struct dirent *entry)
{
    return strncmp(entry->d_name, "run-", 4) == 0;
}

/* Names of run folders begin with the time, so that they sort by it. */
static int add_below(struct runs *runs, const char *folder, struct sw_error *err)
{
    struct dirent **list;
    int found = 0, count = scandir(folder, &list, is_run, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%.3000s/%.1000s", folder, list[i]->d_name);
        int rc =
            found >= 0 && journal_folder_is(path) ? runs_add(runs, path, strlen(path), err) : 0;
        found = rc < 0 ? rc : found + rc;
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    return found;
}

int journal_folders_add(struct runs *runs, const char *path, struct sw_error *err)
{
    char below[4096];
    size_t size = strlen(path), end = strlen(journal);
    if (size > end && strcmp(path + size - end, journal) == 0)
        return runs_add(runs, path, size - end, err);
    if (journal_folder_is(path))
        return runs_add(runs, path, size, err);
    int found = add_below(runs, path, err);
    snprintf(below, sizeof below, "%.4000s/mlflow", path);
    return found != 0 ? found : add_below(runs, below, err);
}
