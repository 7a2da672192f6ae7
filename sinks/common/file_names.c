/* SPDX-License-Identifier: MIT */
#include "sinks/common/file_names.h"
#include "core/text/characters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- names of values ------------------------------------------------------------------------- */

enum { PART_MAX = 100, SHA_SHOWN = 20 };

/* One character of a part, or one byte that is none. */
static size_t character_add(struct swi_text *text, const char *at, size_t size)
{
    uint32_t code;
    size_t bytes = swi_utf8_next(at, size, &code);
    bool odd =
        !bytes || code < 0x20 || code == 0x7f || (code < 0x80 && strchr("\\:*?[]\"<>|", (int)code));
    if (odd)
        swi_text_put(text, "_");
    else
        swi_text_add(text, at, bytes);
    return bytes ? bytes : 1;
}

static void part_add(struct swi_text *text, const char *part, size_t length)
{
    size_t begin = text->size;
    bool dots = length == 0 || (length <= 2 && strncmp(part, "..", length) == 0);
    if (dots) {
        swi_text_put(text, "__");
        return;
    }
    for (size_t i = 0; i < length && text->size - begin <= PART_MAX - 4;)
        i += character_add(text, part + i, length - i);
}

void swi_media_path(struct swi_text *text, const char *name)
{
    for (;;) {
        size_t length = strcspn(name, "/");
        part_add(text, name, length);
        if (!name[length])
            return;
        swi_text_put(text, "/");
        name += length + 1;
    }
}

void swi_media_name(struct swi_text *text, const char *name, int64_t step, const char *sha256,
                    const char *extension)
{
    swi_media_path(text, name);
    swi_text_format(text, "_%" PRId64 "_%.*s.%s", step, SHA_SHOWN, sha256, extension);
}

/* ---- an id that no other run has ------------------------------------------------------------- */

int swi_random_id(char id[33], struct sw_error *err)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return sw_error_set(err, SW_EIO, "no random bytes for the run's id: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    return 0;
}

/* ---- the local time at which a run began, for names of files and folders --------------------- */

__attribute__((format(strftime, 2, 0))) bool
swi_start_time(const struct sw_run *run, const char *format, char *text, size_t size)
{
    time_t at = (time_t)run->started_s + (time_t)run->utc_offset_s;
    struct tm local;
    if (gmtime_r(&at, &local) && strftime(text, size, format, &local))
        return true;
    text[0] = '\0';
    return false;
}

/* ---- names of which no two are the same ------------------------------------------------------ */

static bool is_odd(const char *name)
{
    return strstr(name, "\\x") || !swi_utf8_is_valid(name, strlen(name));
}

/* Returns NULL if out of memory. */
static char *unique(const struct swi_clean_names *names, const char *name)
{
    char *repaired = swi_utf8_repair(name, strlen(name));
    size_t size = repaired ? strlen(repaired) + 16 : 0;
    char *clean = repaired ? malloc(size) : NULL;
    if (clean)
        snprintf(clean, size, "%s", repaired);
    for (int n = 2; clean && swi_map_find(&names->taken, clean, strlen(clean)) >= 0; n++)
        snprintf(clean, size, "%s_%d", repaired, n);
    free(repaired);
    return clean;
}

const char *swi_clean_name(struct swi_clean_names *names, const char *name)
{
    size_t before = names->odd.count, size = strlen(name);
    if (!is_odd(name) ||
        (before == SWI_ODD_NAMES_MOST && swi_map_find(&names->odd, name, size) < 0))
        return name;
    const char **clean = swi_map_item(&names->odd, &names->clean, sizeof *names->clean, name, size);
    if (!clean || names->odd.count == before)
        return clean ? *clean : name;
    char *made = unique(names, name);
    ptrdiff_t number = made ? swi_map_add(&names->taken, made, strlen(made)) : -1;
    free(made);
    if (number >= 0)
        return *clean = names->taken.name[number].text;
    swi_map_undo(&names->odd);
    return name;
}

void swi_clean_names_free(struct swi_clean_names *names)
{
    swi_map_free(&names->odd);
    swi_map_free(&names->taken);
    free(names->clean);
}
