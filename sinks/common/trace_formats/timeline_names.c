/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline_names.h"

#include "core/text/buffer.h"
#include "core/text/characters.h"
#include "core/text/hash.h"

#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns whether every viewer shows a character once it is escaped, and a terminal as well. */
static bool is_shown(uint32_t code)
{
    return code == '\t' || code == '\n' || !swi_character_is_unsafe(code);
}

void swi_timeline_repair(struct swi_text *out, const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        bool fine = length && is_shown(code);
        swi_text_add(out, fine ? text : REPLACEMENT, fine ? length : 3);
        length = length ? length : 1;
    }
}

/* Escapes a repaired text. */
static void escape_add(struct swi_text *out, const char *text, size_t size)
{
    swi_text_put(out, "\"");
    for (size_t i = 0; i < size; i++) {
        const char *escape = text[i] == '"'    ? "\\\""
                             : text[i] == '\\' ? "\\\\"
                             : text[i] == '\t' ? "\\t"
                             : text[i] == '\n' ? "\\n"
                                               : NULL;
        swi_text_add(out, escape ? escape : text + i, escape ? 2 : 1);
    }
    swi_text_put(out, "\"");
}

void swi_timeline_json(struct swi_text *out, const char *text, size_t size)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, size);
    escape_add(out, repaired.data, repaired.size);
    out->failed |= repaired.failed;
    swi_text_free(&repaired);
}

static enum swi_kind kind_of(const char *text)
{
    static const struct {
        const char *name;
        enum swi_kind kind;
    } kinds[] = {{"fit", SWI_KIND_FIT},           {"epoch", SWI_KIND_EPOCH},
                 {"train", SWI_KIND_TRAIN},       {"valid", SWI_KIND_VALID},
                 {"draw", SWI_KIND_DRAW},         {"batch", SWI_KIND_BATCH},
                 {"opt_step", SWI_KIND_OPT_STEP}, {"zero_grad", SWI_KIND_ZERO_GRAD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, text) == 0)
            return kinds[i].kind;
    return SWI_KIND_OTHER;
}

static void name_free(struct swi_timeline_name *name)
{
    free(name->text);
    free(name->json);
    free(name->key);
}

/* Viewers fail on an empty name. */
static bool name_make(struct swi_timeline_name *name, const char *text, size_t size, uint32_t hash)
{
    struct swi_text shown = {0}, json = {0}, key = {0};
    swi_timeline_repair(&shown, size ? text : "unnamed", size ? size : 7);
    if (shown.data)
        escape_add(&json, shown.data, shown.size);
    swi_text_add(&key, text, size);
    *name = (struct swi_timeline_name){.text = shown.data,
                                       .size = shown.size,
                                       .json = json.data,
                                       .json_size = json.size,
                                       .key = key.data,
                                       .key_size = size,
                                       .hash = hash};
    if (shown.failed || json.failed || key.failed) {
        name_free(name);
        return false;
    }
    name->kind = kind_of(name->text);
    return true;
}

static size_t slot_of(const struct swi_timeline_names *names, const char *text, size_t size,
                      uint32_t hash)
{
    size_t at = hash & (names->slots - 1);
    for (; names->slot[at]; at = (at + 1) & (names->slots - 1)) {
        const struct swi_timeline_name *name = &names->item[names->slot[at] - 1];
        if (name->hash == hash && name->key_size == size && memcmp(name->key, text, size) == 0)
            break;
    }
    return at;
}

static bool slots_grow(struct swi_timeline_names *names)
{
    size_t slots = names->slots ? 2 * names->slots : 256;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < names->count; i++) {
        size_t at = names->item[i].hash & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    return true;
}

static bool room(struct swi_timeline_names *names)
{
    if (2 * names->count >= names->slots && !slots_grow(names))
        return false;
    if (names->count < names->room)
        return true;
    size_t room = names->room ? 2 * names->room : 64;
    struct swi_timeline_name *item = realloc(names->item, room * sizeof *item);
    if (!item)
        return false;
    names->item = item;
    names->room = room;
    return true;
}

int32_t swi_timeline_name(struct swi_timeline_names *names, const char *text, size_t size)
{
    size_t length;
    uint32_t hash = swi_hash(text, size, &length);
    if (!room(names))
        return -1;
    size_t at = slot_of(names, text, length, hash);
    if (names->slot[at])
        return (int32_t)names->slot[at] - 1;
    if (!name_make(&names->item[names->count], text, length, hash))
        return -1;
    names->slot[at] = (uint32_t)++names->count;
    return (int32_t)names->count - 1;
}

void swi_timeline_names_free(struct swi_timeline_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        name_free(&names->item[i]);
    free(names->item);
    free(names->slot);
    *names = (struct swi_timeline_names){0};
}
