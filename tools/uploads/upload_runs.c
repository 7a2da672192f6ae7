/* SPDX-License-Identifier: MIT */
#include "tools/uploads/uploads.h"
#include "core/text/parts.h"
#include "core/text/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the list -------------------------------------------------------------------------------- */

/* Adds the first `size` bytes of a path. Returns how many it has added, 1, or SW_ENOMEM. */
static int runs_add(struct runs *runs, const char *path, size_t size, struct sw_error *err)
{
    bool fits = swi_vec_room(&runs->path, runs->count, sizeof *runs->path);
    char *copy = fits ? strndup(path, size) : NULL;
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for its path", path);
    runs->path[runs->count++] = copy;
    return 1;
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free(runs->path[i]);
    free(runs->path);
    *runs = (struct runs){0};
}

/* Adds what a function adds for each entry of a folder, by the order of their names. Returns how
 * many, or a negative code. */
static int add_each(struct runs *runs, const char *folder, int (*filter)(const struct dirent *),
                    int (*add)(struct runs *runs, const char *path, struct sw_error *err),
                    struct sw_error *err)
{
    struct dirent **list;
    int found = 0, count = scandir(folder, &list, filter, alphasort);
    if (count < 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[8192];
        snprintf(path, sizeof path, "%.7000s/%s", folder, list[i]->d_name);
        int rc = found >= 0 ? add(runs, path, err) : 0;
        found = rc < 0 ? rc : found + rc;
        free(list[i]);
    }
    free(list);
    return found;
}

/* ---- of MLflow ------------------------------------------------------------------------------- */

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
    return swi_begins(entry->d_name, "run-");
}

static int add_journal(struct runs *runs, const char *path, struct sw_error *err)
{
    return journal_folder_is(path) ? runs_add(runs, path, strlen(path), err) : 0;
}

/* Names of run folders begin with the time, so that they sort by it. What is not a folder has none.
 */
static int add_below(struct runs *runs, const char *folder, struct sw_error *err)
{
    int found = add_each(runs, folder, is_run, add_journal, err);
    if (found != SW_EIO)
        return found;
    sw_error_free(err);
    return 0;
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

/* ---- of wandb -------------------------------------------------------------------------------- */

static int is_log(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return swi_begins(entry->d_name, "run-") && size > 10 &&
           strcmp(entry->d_name + size - 6, ".wandb") == 0;
}

/* Skips the link latest-run: its run is listed under its own name. */
static int is_folder(const struct dirent *entry)
{
    return swi_begins(entry->d_name, "run-") || swi_begins(entry->d_name, "offline-run-");
}

static int add_log(struct runs *runs, const char *path, struct sw_error *err)
{
    return runs_add(runs, path, strlen(path), err);
}

static int add_folder(struct runs *runs, const char *path, struct sw_error *err)
{
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return folder ? add_each(runs, path, is_log, add_log, err) : 0;
}

/* Tries a run, a folder of runs, and finally a folder that contains one. Names of run folders begin
 * with a word and the time, so that within each word they sort by time. */
static int add_any(struct runs *runs, const char *folder, struct sw_error *err)
{
    char below[4096];
    struct stat status;
    int found = add_each(runs, folder, is_log, add_log, err);
    if (found == 0)
        found = add_each(runs, folder, is_folder, add_folder, err);
    snprintf(below, sizeof below, "%s/wandb", folder);
    if (found == 0 && stat(below, &status) == 0)
        found = add_each(runs, below, is_folder, add_folder, err);
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
