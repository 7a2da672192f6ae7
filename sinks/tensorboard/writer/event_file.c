/* SPDX-License-Identifier: MIT */
/* event_file.c - opens the event file of a writer, and another one when somebody deleted it. */
#include "core/text/io_code.h"
#include "sinks/tensorboard/writer/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names are sorted as text, so they have exactly 10 digits. */
#define SECONDS_MAX INT64_C(9999999999)
#define PREFIX "events.out.tfevents."

enum { TRIES = 1000 };

/* Makes the parents. Returns the errno of the first that is missing and could not be made, or 0. */
static int make_parents(char *dir)
{
    int failed = 0;
    for (char *slash = strchr(dir + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool missing = mkdir(dir, 0777) < 0 && errno != EEXIST;
        failed = missing && !failed ? errno : failed;
        *slash = '/';
    }
    return failed;
}

int swi_tb_directory_make(const char *dir, struct sw_error *err)
{
    char *copy = strdup(dir);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the name of a directory");
    int rc = 0;
    struct stat status;
    int of_parents = make_parents(copy);
    bool missing = mkdir(copy, 0777) < 0 && errno != EEXIST;
    if (missing && errno == ENOENT && of_parents)
        errno = of_parents;
    if (missing)
        rc = sw_error_set(err, swi_io_code(errno), "cannot create the directory %s: %s", dir,
                          strerror(errno));
    else if (stat(copy, &status) < 0)
        rc = sw_error_set(err, SW_EIO, "cannot access the directory %s: %s", dir, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        rc = sw_error_set(err, SW_EIO, "%s is not a directory: event files need one", dir);
    free(copy);
    return rc;
}

/* Returns the time in the name of an event file, or -1. */
static int64_t seconds_in(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return -1;
    const char *digits = name + strlen(PREFIX);
    size_t length = strspn(digits, "0123456789");
    return length == 10 ? strtoll(digits, NULL, 10) : -1;
}

bool swi_tb_is_event_file(const char *name)
{
    return seconds_in(name) >= 0;
}

/* Readers take the files in the order of their names, so the new one must be the last, even if the
 * clock was set back since the last run. */
static int64_t seconds_after_others(const char *dir, int64_t seconds)
{
    DIR *stream = opendir(dir);
    if (!stream)
        return seconds;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        int64_t theirs = seconds_in(entry->d_name);
        if (theirs >= seconds && theirs < SECONDS_MAX)
            seconds = theirs + 1;
    }
    closedir(stream);
    return seconds;
}

bool swi_tb_directory_has_events(const char *dir)
{
    return seconds_after_others(dir, 0) > 0;
}

/* Returns the name of the host, in characters that are safe in a file name. */
static void host_name(char *host, size_t size)
{
    if (gethostname(host, size) < 0 || host[0] == '\0')
        snprintf(host, size, "localhost");
    host[size - 1] = '\0';
    for (char *c = host; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '-' || *c == '.' || *c == '_';
        if (!plain)
            *c = '_';
    }
}

static char *file_path(const char *dir, int64_t seconds, const char *suffix)
{
    static atomic_int counter;
    char host[256];
    char *path;
    host_name(host, sizeof host);
    int n = atomic_fetch_add(&counter, 1);
    if (asprintf(&path, "%s/" PREFIX "%010" PRId64 ".%s.%ld.%d%s", dir, seconds, host,
                 (long)getpid(), n, suffix) < 0)
        return NULL;
    return path;
}

/* Creates a new event file in dir. Its name has the time (seconds since 1970), or a later one where
 * that is needed to sort after every event file that is there. path: set to the caller's to free().
 * Returns the descriptor, or a negative code. */
static int file_create(const char *dir, int64_t seconds, const char *suffix, char **path,
                       struct sw_error *err)
{
    seconds = seconds < 0 ? 0 : seconds > SECONDS_MAX ? SECONDS_MAX : seconds;
    /* Another machine or container may have the same host name, pid and counter. */
    for (int i = 0; i < TRIES; i++) {
        char *name = file_path(dir, seconds_after_others(dir, seconds), suffix);
        if (!name)
            return sw_error_set(err, SW_ENOMEM, "not enough memory for the name of an event file");
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd >= 0) {
            *path = name;
            return fd;
        }
        int rc = errno == EEXIST
                     ? 0
                     : sw_error_set(err, swi_io_code(errno), "cannot create the event file %s: %s",
                                    name, strerror(errno));
        free(name);
        if (rc < 0)
            return rc;
    }
    return sw_error_set(err, SW_EIO, "cannot find a free name for an event file in %s", dir);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Writes the first event of a file, so that the run is shown at once. */
static int first_record(struct sw_tb *tb, struct swi_tb_output *output)
{
    static const char version[] = "brain.Event:2";
    struct swi_text event = {0}, source = {0};
    swi_tb_event_begin(&event, swi_tb_now(tb), 0);
    swi_wire_add_text(&event, SWI_TB_EVENT_FILE_VERSION, version, sizeof version - 1);
    if (*tb->writer)
        swi_wire_add_text(&source, 1, tb->writer, strlen(tb->writer));
    swi_wire_add_message(&event, SWI_TB_EVENT_SOURCE, &source);
    size_t size = event.size;
    uint8_t *payload = event.failed ? NULL : swi_tb_output_reserve(output, size);
    if (payload)
        memcpy(payload, event.data, size);
    else if (event.failed)
        errno = ENOMEM;
    swi_text_free(&event);
    if (!payload)
        return -1;
    swi_tb_output_commit(output, size);
    tb->stats.records++;
    tb->stats.bytes += (int64_t)(size + SWI_TB_FRAME);
    return swi_tb_output_write(output);
}

static int output_open(struct sw_tb *tb, struct swi_tb_output *output, char **path,
                       struct sw_error *err)
{
    int fd = file_create(tb->dir, (int64_t)swi_tb_now(tb), tb->suffix, path, err);
    if (fd < 0)
        return fd;
    int rc = swi_tb_output_init(output, fd, *path, err);
    if (rc == 0 && first_record(tb, output) < 0) {
        rc =
            sw_error_set(err, swi_io_code(errno), "cannot write to %s: %s", *path, strerror(errno));
        swi_tb_output_fini(output);
        unlink(*path);
    }
    if (rc < 0)
        free(*path);
    return rc;
}

int swi_tb_file_open(struct sw_tb *tb, struct swi_tb_output *old, struct sw_error *err)
{
    char *path = NULL;
    struct swi_tb_output output;
    int rc = output_open(tb, &output, &path, err);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&tb->flusher.lock);
    *old = tb->output;
    tb->output = output;
    pthread_mutex_unlock(&tb->flusher.lock);
    free(tb->path);
    tb->path = path;
    tb->file++;
    return 0;
}

/* ---- a deleted file -------------------------------------------------------------------------- */

/* Adds a value to a summary, with the metadata that the new file lacks. */
static void value_carry(void *arg, struct swi_text *summary, const struct swi_wire_field *value)
{
    struct sw_tb *tb = arg;
    const struct swi_tb_value_parts parts = swi_tb_value_parts(value);
    struct swi_text carried = {0}, metadata = {0}, none = {0};
    SWI_FREED struct swi_text name = {0};
    swi_text_add(&name, parts.tag.content, parts.tag.size);
    struct swi_tb_tag *tag =
        parts.tag.size && name.data ? swi_tb_tags_get(&tb->tags, name.data) : NULL;
    swi_text_add(&carried, value->content, value->size);
    if (tag && swi_tb_metadata_due(tag, tb->file)) {
        tag->file = tb->file;
        if (!parts.metadata) {
            swi_tb_metadata_put(&metadata, tag, &none);
            swi_wire_add_message(&carried, SWI_TB_VALUE_METADATA, &metadata);
        }
    }
    swi_wire_add_message(summary, SWI_TB_SUMMARY_VALUE, &carried);
}

/* Takes over one record. Readers want the metadata of a tag in every file. */
static void record_carry(struct sw_tb *tb, const uint8_t *payload, size_t size)
{
    int rc;
    SWI_FREED struct swi_text event = {0};
    /* It was counted the first time. */
    tb->stats.records--;
    tb->stats.bytes -= (int64_t)(size + SWI_TB_FRAME);
    swi_tb_event_edit(&event, (const char *)payload, size, true, value_carry, tb);
    /* Does not flush here: the caller that found the file deleted writes what is waiting. */
    if (swi_tb_event_put(tb, &event, &rc))
        swi_tb_append(tb, event.size, tb->flushed_s);
}

/* Takes over what was waiting for the old file. A record that was partly written to it is lost. */
static void records_carry(struct sw_tb *tb, const struct swi_tb_output *old)
{
    for (size_t at = old->torn; at < old->used;) {
        size_t size = (size_t)swi_get64(old->buffer + at);
        record_carry(tb, old->buffer + at + SWI_TB_HEADER, size);
        at += size + SWI_TB_FRAME;
    }
}

static int file_replace(struct sw_tb *tb, struct sw_error *err)
{
    struct swi_tb_output old;
    int rc = swi_tb_file_open(tb, &old, err);
    if (rc < 0)
        return rc;
    records_carry(tb, &old);
    swi_tb_output_fini(&old);
    return 0;
}

/* What the disk has no room for goes to the new file. */
int swi_tb_file_next(struct sw_tb *tb, struct sw_error *err)
{
    if (!swi_tb_usable(tb))
        return 0;
    pthread_mutex_lock(&tb->flusher.lock);
    swi_tb_output_write(&tb->output);
    pthread_mutex_unlock(&tb->flusher.lock);
    return file_replace(tb, err);
}

int swi_tb_file_reopen(struct sw_tb *tb, struct sw_error *err)
{
    SW_ERROR_SCOPE(why);
    char *name = strdup(tb->path);
    int rc = swi_tb_directory_make(tb->dir, &why);
    if (rc == 0)
        rc = file_replace(tb, &why);
    if (rc < 0)
        sw_error_set(err, SW_EIO, "%s was deleted while it was being written, and %s",
                     name ? name : "the event file", sw_error_text(&why));
    else
        sw_error_set(
            err, SW_EIO,
            "%s was deleted while it was being written: its content is lost, the rest goes to %s",
            name ? name : "the event file", tb->path);
    free(name);
    return rc;
}
