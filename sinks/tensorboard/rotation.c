/* SPDX-License-Identifier: MIT */
/* rotation.c - keeps the newest steps of a run, with when_full: rotate. A file that is full is
 * followed by another one. When all of them have max_size, the oldest is removed, except for its
 * results: they go to the run's first file, which is replaced as a whole. So TensorBoard finds all
 * of the run in the order of the files' names, as always, and one that has read the files before
 * goes on with the newest one.
 *
 * The oldest file is read bit by bit, so that records need not wait. */
#include "core/text/vec.h"
#include "sinks/tensorboard/tensorboard_sink.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the oldest file that are read with each record. */
enum { SOME = 64 << 10 };

/* ---- what is kept of the oldest file --------------------------------------------------------- */

static bool is_among(const char *tag, size_t size, const char *const *names, bool prefixes)
{
    for (size_t i = 0; names[i]; i++) {
        size_t length = strlen(names[i]);
        if ((prefixes ? size > length : size == length) && memcmp(tag, names[i], length) == 0)
            return true;
    }
    return false;
}

/* Results, and as long as they have less than a part of max_size, also texts, histograms and images
 * of the program, and the figures of each epoch. */
static bool oldest_keep(void *arg, const char *tag, size_t size, bool number)
{
    static const char *const groups[] = {GROUP_FIT "/", GROUP_RANKS "/", "_hparams_/", NULL};
    static const char *const texts[] = {"custom_scalars__config__",
                                        "profile_report",
                                        "profile_results",
                                        "all_ranks",
                                        "alerts",
                                        "summary",
                                        NULL};
    static const char *const of_epochs[] = {GROUP_BAND "/", GROUP_EPOCH "/", NULL};
    const struct tensorboard *t = arg;
    if (is_among(tag, size, groups, true) || is_among(tag, size, texts, false))
        return true;
    bool room = t->rotation.copy.bytes < swi_thinning_part_most(&t->thinning);
    return room && (!number || is_among(tag, size, of_epochs, true));
}

static bool results_keep(void *arg, const char *tag, size_t size, bool number)
{
    (void)arg, (void)tag, (void)size, (void)number;
    return true;
}

/* ---- removing the oldest file ---------------------------------------------------------------- */

static struct complete_file *results_of(struct tensorboard *t, const struct stream *stream)
{
    return &t->rotation.results[stream - t->stream];
}

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

static void failed(struct tensorboard *t, const struct sw_error *err)
{
    t->rotation.failed = true;
    sw_sink_say(t->sink, SW_WARNING, "%s; the oldest event file stays for now", sw_error_text(err));
}

static void copy_begin(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    SW_ERROR_SCOPE(err);
    const struct complete_file *results = results_of(t, r->file[0].stream);
    char directory[sizeof t->directory + 16];
    event_stream_directory(t, r->file[0].stream, directory, sizeof directory);
    snprintf(r->part, sizeof r->part, "%s/.part-results", directory);
    r->copies = swi_tb_copy_begin(&r->copy, r->part, &err) == 0;
    if (r->copies)
        swi_tb_copy_from(&r->copy, results->path, results_keep, NULL);
    else
        failed(t, &err);
}

static void oldest_forget(struct rotation *r)
{
    free(r->file[0].path);
    r->bytes -= r->file[0].bytes;
    memmove(r->file, r->file + 1, --r->count * sizeof *r->file);
}

/* The copy takes the place of the first file. */
static void copy_end(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    SW_ERROR_SCOPE(err);
    struct complete_file *results = results_of(t, r->file[0].stream);
    const char *to = results->path ? results->path : r->file[0].path;
    int reason = swi_tb_copy_end(&r->copy);
    r->copies = false;
    if (reason == 0 && rename(r->part, to) < 0)
        reason = errno;
    if (reason) {
        unlink(r->part);
        sw_error_set(&err, SW_EIO, "cannot write %s: %s", r->part, strerror(reason));
        failed(t, &err);
        return;
    }
    if (results->path)
        unlink(r->file[0].path);
    else
        results->path = strdup(to);
    results->bytes = size_of(to);
    oldest_forget(r);
}

/* The results come first, then the oldest file. */
static void copy_some(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    if (swi_tb_copy_some(&r->copy, SOME))
        return;
    if (r->copy.keep == results_keep && !r->copy.failed)
        swi_tb_copy_from(&r->copy, r->file[0].path, oldest_keep, t);
    else
        copy_end(t);
}

/* It begins before max_size is reached, because the old files stay until the copy is complete. */
static bool is_too_much(const struct tensorboard *t)
{
    const struct rotation *r = &t->rotation;
    int64_t most = t->thinning.max_size - swi_thinning_part_most(&t->thinning) / 2;
    int64_t bytes = r->bytes + t->thinning.bytes - t->thinning.part_began;
    for (int i = 0; i < STREAMS; i++)
        bytes += r->results[i].bytes;
    return r->count && bytes > most;
}

static void oldest_remove_some(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    if (!r->copies && !r->failed && is_too_much(t))
        copy_begin(t);
    if (r->copies)
        copy_some(t);
}

/* ---- the files ------------------------------------------------------------------------------- */

static void file_add(struct tensorboard *t, struct stream *stream, char *path)
{
    struct rotation *r = &t->rotation;
    if (!path || !swi_vec_grow(&r->file, r->count, &r->room, sizeof *r->file)) {
        free(path);
        return;
    }
    r->file[r->count] = (struct complete_file){stream, path, size_of(path)};
    r->bytes += r->file[r->count++].bytes;
}

/* A stream without values has no file yet. */
static void part_begin(struct tensorboard *t, struct stream *stream)
{
    SW_ERROR_SCOPE(err);
    char *path = stream->tb ? strdup(sw_tb_path(stream->tb)) : NULL;
    if (path && swi_tb_file_next(stream->tb, &err) < 0) {
        sw_sink_say(t->sink, SW_WARNING, "%s; the run goes on in the file before it",
                    sw_error_text(&err));
        free(path);
        path = NULL;
    }
    if (path)
        file_add(t, stream, path);
}

void rotation_follow(struct tensorboard *t)
{
    if (!t->thinning.max_size)
        return;
    if (swi_thinning_part_next(&t->thinning)) {
        t->rotation.failed = false;
        for (int i = 0; i < STREAMS; i++)
            part_begin(t, &t->stream[i]);
    }
    oldest_remove_some(t);
}

/* ---- what earlier processes have left -------------------------------------------------------- */

static void directory_read(struct tensorboard *t, struct stream *stream)
{
    char directory[sizeof t->directory + 16], *path;
    struct stat st;
    event_stream_directory(t, stream, directory, sizeof directory);
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!swi_tb_is_event_file(entry->d_name) ||
            asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
            continue;
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && swi_tb_file_is_of(path, ROTATED))
            file_add(t, stream, path);
        else
            free(path);
    }
    if (dir)
        closedir(dir);
}

static const char *name_of(const struct complete_file *file)
{
    return strrchr(file->path, '/') + 1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(name_of(a), name_of(b));
}

void rotation_begin(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    if (!swi_thinning_rotates(&t->thinning) || !t->resumed)
        return;
    for (int i = 0; i < STREAMS; i++)
        directory_read(t, &t->stream[i]);
    if (r->count)
        qsort(r->file, r->count, sizeof *r->file, by_name);
}

void rotation_end(struct tensorboard *t)
{
    struct rotation *r = &t->rotation;
    while (r->copies || (!r->failed && is_too_much(t)))
        oldest_remove_some(t);
    while (r->count)
        oldest_forget(r);
    for (int i = 0; i < STREAMS; i++)
        free(r->results[i].path);
    free(r->file);
}
