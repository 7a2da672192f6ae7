/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched.h"

#include "core/clock/now.h"
#include "tools/log/log_lines.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOK_NS INT64_C(2000000000)

static bool add(struct folder *folder, const char *path)
{
    struct watched *run = folder->count < FOLDER_RUNS ? malloc(sizeof *run) : NULL;
    if (!run)
        return false;
    if (!watched_init(run, path)) {
        watched_fini(run);
        free(run);
        return false;
    }
    if (folder->tail)
        watched_tail(run);
    folder->run[folder->count++] = run;
    return true;
}

static bool is_known(const struct folder *folder, const char *path)
{
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->run[i]->follow.path, path) == 0)
            return true;
    return false;
}

/* Its first line is that of a run: other files of that name are no logs of ours. */
static bool is_log(const char *path)
{
    static const char expected[] = "{\"type\":\"run\"";
    enum { SIZE = sizeof expected - 1 };
    char begin[SIZE] = {0};
    size_t size = 0;
    struct log log;
    SW_ERROR_SCOPE(ignored);
    ssize_t n = log_open(&log, path, &ignored) == 0;
    while (n > 0 && size < SIZE) {
        n = swi_log_bytes_read(&log.bytes, begin + size, SIZE - size);
        size += n > 0 ? (size_t)n : 0;
    }
    log_close(&log);
    return size == SIZE && memcmp(begin, expected, SIZE) == 0;
}

static void entry_take(struct folder *folder, const char *name)
{
    char path[PATH_MAX];
    if (!log_is_name(name) ||
        snprintf(path, sizeof path, "%s/%s", folder->path, name) >= (int)sizeof path ||
        is_known(folder, path) || !is_log(path))
        return;
    if (add(folder, path) && folder->run[folder->count - 1]->follow.bytes.fd < 0)
        folder->compared_ns = 0;
}

static int by_age(const void *a, const void *b)
{
    const struct watched *x = *(struct watched *const *)a, *y = *(struct watched *const *)b;
    bool same = *x->job && strcmp(x->job, y->job) == 0;
    if (same || x->started_s == y->started_s)
        return (x->rank > y->rank) - (x->rank < y->rank);
    return (x->started_s < y->started_s) - (x->started_s > y->started_s);
}

static bool scan(struct folder *folder)
{
    size_t before = folder->count;
    DIR *dir = folder->is_folder ? opendir(folder->path) : NULL;
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        entry_take(folder, entry->d_name);
    if (dir)
        closedir(dir);
    folder->compared_ns = swi_now_ns();
    return folder->count > before;
}

bool folder_open(struct folder *folder, const char *path, bool tail)
{
    struct stat st;
    *folder = (struct folder){.path = path, .tail = tail};
    folder->is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (!folder->is_folder)
        return add(folder, path);
    scan(folder);
    return true;
}

void folder_close(struct folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        watched_fini(folder->run[i]);
        free(folder->run[i]);
    }
    folder->count = 0;
}

bool folder_turn(struct folder *folder)
{
    bool changed = false, sorted = true;
    if (folder->is_folder && swi_now_ns() - folder->compared_ns >= LOOK_NS)
        changed = scan(folder);
    for (size_t i = 0; i < folder->count; i++) {
        bool known = folder->run[i]->known;
        changed = watched_turn(folder->run[i]) || changed;
        sorted = sorted && known == folder->run[i]->known;
    }
    if (!sorted)
        qsort(folder->run, folder->count, sizeof *folder->run, by_age);
    return changed;
}
