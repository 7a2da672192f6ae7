/* SPDX-License-Identifier: MIT */
#include "tools/runs/find_runs.h"

#include "tools/output/stderr.h"
#include "tools/runs/database_runs.h"
#include "tools/runs/log_ends.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MOST = 32 };

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), length = strlen(end);
    return size > length && strcmp(name + size - length, end) == 0;
}

static bool is_log_name(const char *name)
{
    return ends_with(name, ".jsonl");
}

static bool is_database_name(const char *name)
{
    return ends_with(name, ".db") || ends_with(name, ".sqlite") || ends_with(name, ".sqlite3");
}

/* Returns 1 if the file holds runs, or may do so; 0 if not, or a negative code. */
static int file_add(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    struct recorded_run *run = NULL;
    if (!is_log_name(path)) {
        int found = database_runs_read(runs, path, err);
        if (found)
            return found;
    }
    int rc = log_ends_read(path, &run, err);
    if (rc < 0 || !run)
        return rc;
    if (recorded_runs_add(runs, run))
        return 1;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the runs");
}

static bool is_folder(const char *path, const struct dirent *entry)
{
    struct stat st;
    return entry->d_type == DT_DIR ||
           (entry->d_type == DT_UNKNOWN && lstat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void folder_add(struct recorded_runs *runs, DIR *folder, const char *path, int depth);

static void entry_add(struct recorded_runs *runs, const char *path, const struct dirent *entry,
                      int depth)
{
    SW_ERROR_SCOPE(err);
    if (is_folder(path, entry)) {
        /* The values of a log, and rows that wait for a database, are not runs. */
        bool beside = ends_with(path, ".files") || ends_with(path, "-waiting");
        DIR *folder = beside || depth == DEPTH_MOST ? NULL : opendir(path);
        if (folder) {
            folder_add(runs, folder, path, depth + 1);
        } else if (!beside && depth < DEPTH_MOST) {
            say("runs", "%s: %s", path, strerror(errno));
            runs->unreadable++;
        }
        return;
    }
    if ((is_log_name(path) || is_database_name(path)) && file_add(runs, path, &err) < 0) {
        say("runs", "%s", sw_error_text(&err));
        runs->unreadable++;
    }
}

/* Links to folders are not followed: they may lead around in a circle. */
static void folder_add(struct recorded_runs *runs, DIR *folder, const char *path, int depth)
{
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        char *inner = NULL;
        bool slash = ends_with(path, "/") || strcmp(path, "/") == 0;
        if (entry->d_name[0] == '.' ||
            asprintf(&inner, "%s%s%s", path, slash ? "" : "/", entry->d_name) < 0)
            continue;
        entry_add(runs, inner, entry, depth);
        free(inner);
    }
    closedir(folder);
}

int recorded_runs_find(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    DIR *folder = opendir(path);
    if (folder) {
        folder_add(runs, folder, path, 0);
        return 0;
    }
    int found = file_add(runs, path, err);
    if (found)
        return found < 0 ? found : 0;
    return sw_error_set(err, SW_EFORMAT,
                        "%s: expected a run log, a database of the sink sqlite, or a folder with "
                        "them",
                        path);
}
