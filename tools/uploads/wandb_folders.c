/* SPDX-License-Identifier: MIT */
#include "tools/uploads/wandb_folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static int is_log(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return begins(entry->d_name, "run-") && size > 10 &&
           strcmp(entry->d_name + size - 6, ".wandb") == 0;
}

/* Skips the link latest-run: its run is listed under its own name. */
static int is_folder(const struct dirent *entry)
{
    return begins(entry->d_name, "run-") || begins(entry->d_name, "offline-run-");
}

static void list_free(struct dirent **list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

/* Adds each log in the folder itself. Returns how many, or a negative code. */
static int add_logs(struct runs *runs, const char *folder, struct sw_error *err)
{
    struct dirent **list;
    int rc = 0, count = scandir(folder, &list, is_log, alphasort);
    if (count < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count && rc >= 0; i++) {
        char path[8192];
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        rc = runs_add(runs, path, strlen(path), err);
    }
    list_free(list, count);
    return rc < 0 ? rc : count;
}

/* Names of run folders begin with a word and the time, so that within each word they sort by time.
 */
static int add_folders(struct runs *runs, const char *folder, struct sw_error *err)
{
    struct dirent **list;
    int rc = 0, found = 0, count = scandir(folder, &list, is_folder, alphasort);
    if (count < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count && rc >= 0; i++) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            found += (rc = add_logs(runs, path, err)) > 0 ? rc : 0;
    }
    list_free(list, count);
    return rc < 0 ? rc : found;
}

/* Tries a run, a folder of runs, and finally a folder that contains one. */
static int add_any(struct runs *runs, const char *folder, struct sw_error *err)
{
    char below[4096];
    struct stat status;
    int found = add_logs(runs, folder, err);
    if (found == 0)
        found = add_folders(runs, folder, err);
    snprintf(below, sizeof below, "%s/wandb", folder);
    if (found == 0 && stat(below, &status) == 0)
        found = add_folders(runs, below, err);
    return found;
}

int wandb_folders_add(struct runs *runs, const char *path, struct sw_error *err)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return sw_error_set(err, SW_EINVAL, "%s: %s", path, strerror(errno));
    int found = S_ISDIR(status.st_mode) ? add_any(runs, path, err)
                                        : runs_add(runs, path, strlen(path), err);
    if (found == 0)
        return sw_error_set(err, SW_EINVAL,
                            "%s: contains no run of wandb: expected a folder offline-run-… or "
                            "run-…, or a file run-….wandb",
                            path);
    return found < 0 ? found : 0;
}
