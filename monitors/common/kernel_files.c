/* SPDX-License-Identifier: MIT */
#include "monitors/common/kernel_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct swi_machine swi_machine_here(const char *root)
{
    bool none = !root || strcmp(root, "/") == 0;
    return (struct swi_machine){.root = none ? "" : root,
                                .ticks_per_s = sysconf(_SC_CLK_TCK),
                                .page_size = sysconf(_SC_PAGESIZE)};
}

int64_t swi_machine_now(const struct swi_machine *machine, int64_t began_ns)
{
    struct timespec now;
    if (*machine->root || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return began_ns;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool path_of(const struct swi_machine *machine, const char *path, char *whole, size_t size)
{
    int length = snprintf(whole, size, "%s%s", machine->root, path);
    return length > 0 && (size_t)length < size;
}

/* Files of the kernel give a part at a time. */
static ssize_t read_all(int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got = 1;
    while (got != 0 && used < size) {
        got = read(fd, text + used, size - used);
        if (got < 0 && errno != EINTR)
            return -1;
        used += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)used;
}

void swi_machine_format(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
}

bool swi_machine_read(const struct swi_machine *machine, const char *path, char *text, size_t size)
{
    char whole[2 * SWI_MACHINE_PATH];
    int fd = path_of(machine, path, whole, sizeof whole)
                 ? open(whole, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
                 : -1;
    if (fd < 0)
        return false;
    ssize_t length = read_all(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

char *swi_machine_text(const struct swi_machine *machine, const char *path)
{
    char *text = NULL;
    for (size_t size = SWI_MACHINE_TEXT;; size *= 4) {
        char *grown = realloc(text, size);
        text = grown ? grown : text;
        if (!grown || !swi_machine_read(machine, path, text, size))
            break;
        if (strlen(text) + 1 < size)
            return text;
    }
    free(text);
    return NULL;
}

bool swi_machine_number(const struct swi_machine *machine, const char *path, int64_t *number)
{
    char text[64], *end;
    if (!swi_machine_read(machine, path, text, sizeof text))
        return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return end > text && errno == 0 && end[strspn(end, " \n")] == '\0';
}

bool swi_machine_line(const struct swi_machine *machine, const char *path, char *line, size_t size)
{
    if (!swi_machine_read(machine, path, line, size))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return *line;
}

bool swi_machine_has(const struct swi_machine *machine, const char *path)
{
    char whole[2 * SWI_MACHINE_PATH];
    return path_of(machine, path, whole, sizeof whole) && access(whole, F_OK) == 0;
}

static int by_number(const void *a, const void *b)
{
    return strverscmp(a, b);
}

static bool is_named(const char *name, const char *prefix, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return *name != '.' && strncmp(name, prefix, strlen(prefix)) == 0 && length >= end &&
           strcmp(name + length - end, suffix) == 0;
}

size_t swi_machine_list(const struct swi_machine *machine, const char *folder, const char *prefix,
                        const char *suffix, char (*names)[SWI_MACHINE_NAME], size_t most)
{
    char whole[2 * SWI_MACHINE_PATH];
    size_t count = 0;
    struct dirent *entry;
    DIR *dir = path_of(machine, folder, whole, sizeof whole) ? opendir(whole) : NULL;
    while (dir && count < most && (entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);
        if (length < SWI_MACHINE_NAME && is_named(entry->d_name, prefix, suffix))
            memcpy(names[count++], entry->d_name, length + 1);
    }
    if (dir)
        closedir(dir);
    qsort(names, count, sizeof *names, by_number);
    return count;
}

/* ---- numbers in a text ----------------------------------------------------------------------- */

bool swi_text_count(const char **at, uint64_t *number)
{
    char *end;
    const char *begin = *at + strspn(*at, " \t");
    if (!isdigit((unsigned char)*begin))
        return false;
    errno = 0;
    *number = strtoull(begin, &end, 10);
    *at = end;
    return errno == 0;
}

bool swi_text_decimal(const char **at, double *number)
{
    uint64_t whole, part = 0, scale = 1;
    if (!swi_text_count(at, &whole))
        return false;
    if (**at == '.')
        for (++*at; isdigit((unsigned char)**at) && scale < 1000000000; ++*at) {
            part = 10 * part + (uint64_t)(**at - '0');
            scale *= 10;
        }
    *number = (double)(whole * scale + part) / (double)scale;
    return true;
}

const char *swi_text_next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

bool swi_text_field(const char *text, const char *field, uint64_t *number)
{
    size_t length = strlen(field);
    for (const char *line = text; line; line = swi_text_next_line(line)) {
        const char *at = line + length;
        if (strncmp(line, field, length) == 0)
            return swi_text_count(&at, number);
    }
    return false;
}

/* ---- rates ----------------------------------------------------------------------------------- */

enum { KEY_MAX = 96, KEYS_MAX = 4096 };

struct swi_rate_reading {
    char key[KEY_MAX];
    uint64_t number;
    int64_t time_ns;
};

static struct swi_rate_reading *find(struct swi_rate_readings *rates, const char *key)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->item[i].key, key) == 0)
            return &rates->item[i];
    return NULL;
}

static void add(struct swi_rate_readings *rates, const char *key, uint64_t number, int64_t time_ns)
{
    if (strlen(key) >= KEY_MAX || rates->count == KEYS_MAX)
        return;
    if (rates->count == rates->room) {
        size_t room = rates->room ? 2 * rates->room : 16;
        struct swi_rate_reading *grown = realloc(rates->item, room * sizeof *grown);
        if (!grown)
            return;
        rates->item = grown;
        rates->room = room;
    }
    struct swi_rate_reading *kept = &rates->item[rates->count++];
    memcpy(kept->key, key, strlen(key) + 1);
    kept->number = number;
    kept->time_ns = time_ns;
}

bool swi_rate_parts(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    int64_t time_ns, double *difference, double *seconds)
{
    struct swi_rate_reading *kept = find(rates, key);
    if (!kept) {
        add(rates, key, number, time_ns);
        return false;
    }
    bool known = number >= kept->number && time_ns - kept->time_ns >= SWI_RATE_SHORTEST_NS;
    *difference = known ? (double)(number - kept->number) : 0;
    *seconds = (double)(time_ns - kept->time_ns) * 1e-9;
    kept->number = number;
    kept->time_ns = time_ns;
    return known;
}

bool swi_rate(struct swi_rate_readings *rates, const char *key, uint64_t number, int64_t time_ns,
              double *per_s)
{
    double difference, seconds;
    bool known = swi_rate_parts(rates, key, number, time_ns, &difference, &seconds);
    if (known)
        *per_s = difference / seconds;
    return known;
}

bool swi_rate_since(struct swi_rate_readings *rates, const char *key, uint64_t number,
                    double *since)
{
    const struct swi_rate_reading *first = find(rates, key);
    if (!first)
        add(rates, key, number, 0);
    bool fallen = first && number < first->number;
    *since = first && !fallen ? (double)(number - first->number) : 0;
    return !fallen;
}

void swi_rate_readings_free(struct swi_rate_readings *rates)
{
    free(rates->item);
    *rates = (struct swi_rate_readings){0};
}
