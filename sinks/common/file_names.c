/* SPDX-License-Identifier: MIT */
#include "sinks/common/file_names.h"

#include "core/text/characters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
