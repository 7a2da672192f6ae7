/* SPDX-License-Identifier: MIT */
/* events.c - reads event files back: framing by its own few lines, messages by tb_messages.c. */
#include "tests/tensorboard/events.h"

#include "sinks/tensorboard/writer/crc32c.h"

#include <check.h>
#include <dirent.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

const char *scratch(void)
{
    if (folder[0])
        return folder;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/stepwatch-test-XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    return folder;
}

const char *in_scratch(const char *format, ...)
{
    static char buffer[8][1024];
    static int next;
    char name[512];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    next = (next + 1) % 8;
    snprintf(buffer[next], sizeof buffer[next], "%s/%s", scratch(), name);
    return buffer[next];
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

void scratch_remove(void)
{
    if (folder[0] && !getenv("STEPWATCH_TEST_KEEP"))
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    folder[0] = '\0';
}

uint8_t *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    struct stat status;
    ck_assert_int_eq(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    uint8_t *bytes = malloc(*size + 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static uint64_t little(const uint8_t *bytes, int count)
{
    uint64_t n = 0;
    for (int i = count - 1; i >= 0; i--)
        n = n << 8 | bytes[i];
    return n;
}

/* Files have a million records, and Check keeps a note of every assertion: it is to see only those
 * that fail. */
static void demand(bool holds, const char *otherwise)
{
    if (!holds)
        ck_abort_msg("%s", otherwise);
}

/* Decodes the record at bytes; returns its size, or 0 if it is cut off. */
static size_t read_record(const uint8_t *bytes, size_t size, struct swi_tb_event_message **event)
{
    if (size < 12)
        return 0;
    uint64_t length = little(bytes, 8);
    demand(little(bytes + 8, 4) == swi_crc32c_mask(swi_crc32c_table(bytes, 8)),
           "a length has a wrong checksum");
    if (size - 12 < length || size - 12 - length < 4)
        return 0;
    const uint8_t *payload = bytes + 12;
    demand(little(payload + length, 4) == swi_crc32c_mask(swi_crc32c_table(payload, length)),
           "an event has a wrong checksum");
    *event = tb_event_read(payload, length);
    demand(*event != NULL, "an event cannot be decoded");
    return 12 + length + 4;
}

struct events *events_read(const char *path)
{
    struct events *events = calloc(1, sizeof *events);
    size_t size;
    uint8_t *bytes = file_bytes(path, &size);
    for (size_t at = 0; at < size;) {
        struct swi_tb_event_message *event;
        size_t step = read_record(bytes + at, size - at, &event);
        if (step == 0) {
            events->torn = true;
            break;
        }
        /* Grown by doubling: some tests read a million. */
        if ((events->count & (events->count - 1)) == 0)
            events->event = realloc(events->event, (events->count ? 2 * events->count : 1) *
                                                       sizeof *events->event);
        events->event[events->count++] = event;
        at += step;
    }
    free(bytes);
    return events;
}

void events_free(struct events *events)
{
    for (size_t i = 0; i < events->count; i++)
        swi_message_free(events->event[i]);
    free(events->event);
    free(events);
}

static struct {
    size_t count;
    char *path[4096];
} found;

static int find_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    if (type == FTW_F && strstr(path + ftw->base, "tfevents") && found.count < 4095)
        found.path[found.count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **event_files(const char *dir, size_t *count)
{
    while (found.count > 0)
        free(found.path[--found.count]);
    nftw(dir, find_one, 8, FTW_PHYS);
    qsort(found.path, found.count, sizeof *found.path, by_name);
    *count = found.count;
    return found.path;
}

struct events *events_of_run(const char *dir)
{
    struct events *events = NULL;
    DIR *stream = opendir(dir);
    ck_assert_msg(stream != NULL, "there is no %s", dir);
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        if (!strstr(entry->d_name, "tfevents"))
            continue;
        ck_assert_msg(events == NULL, "more than one event file in %s", dir);
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        events = events_read(path);
    }
    closedir(stream);
    ck_assert_msg(events != NULL, "no event file in %s", dir);
    return events;
}

const struct swi_tb_value_message *value_of(const struct events *events, const char *tag, size_t n,
                                            const struct swi_tb_event_message **event)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *e = events->event[i];
        if (e->what != TB_EVENT_SUMMARY)
            continue;
        for (size_t k = 0; k < e->summary->n_value; k++) {
            if (strcmp(e->summary->value[k]->tag, tag) != 0 || n-- > 0)
                continue;
            if (event)
                *event = e;
            return e->summary->value[k];
        }
    }
    return NULL;
}

size_t values_of(const struct events *events, const char *tag)
{
    size_t n = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *e = events->event[i];
        if (e->what == TB_EVENT_SUMMARY)
            for (size_t k = 0; k < e->summary->n_value; k++)
                n += strcmp(e->summary->value[k]->tag, tag) == 0;
    }
    return n;
}
