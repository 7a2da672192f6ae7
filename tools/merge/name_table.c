/* SPDX-License-Identifier: MIT */
#include "tools/merge/name_table.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct name_slot {
    char *raw; /* NULL if empty */
    size_t size;
    int number;
};

static size_t slot_of(const struct name_table *names, const char *raw, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)raw[i]) * UINT64_C(0x100000001b3);
    size_t slot = (size_t)(hash ^ hash >> 32) & (names->slots - 1);
    while (names->slot[slot].raw &&
           (names->slot[slot].size != size || memcmp(names->slot[slot].raw, raw, size) != 0))
        slot = (slot + 1) & (names->slots - 1);
    return slot;
}

static bool grow(struct name_table *names)
{
    struct name_slot *before = names->slot;
    size_t slots = names->slots;
    if (before && 2 * (names->used + 1) < slots)
        return true;
    names->slots = before ? 2 * slots : 64;
    names->slot = calloc(names->slots, sizeof *names->slot);
    if (!names->slot) {
        names->slot = before;
        names->slots = slots;
        return false;
    }
    for (size_t i = 0; before && i < slots; i++)
        if (before[i].raw)
            names->slot[slot_of(names, before[i].raw, before[i].size)] = before[i];
    free(before);
    return true;
}

/* Returns the text without escapes, or NULL if out of memory. */
static char *decoded(const struct scan_text *raw)
{
    char *quoted = malloc(raw->size + 2), *text = NULL;
    if (!quoted || !memchr(raw->start, '\\', raw->size)) {
        free(quoted);
        return strndup(raw->start, raw->size);
    }
    quoted[0] = quoted[raw->size + 1] = '"';
    memcpy(quoted + 1, raw->start, raw->size);
    json_t *value = json_loadb(quoted, raw->size + 2, JSON_DECODE_ANY, NULL);
    /* A text with an escape that jansson refuses is used as it is. */
    text =
        json_is_string(value) ? strdup(json_string_value(value)) : strndup(raw->start, raw->size);
    json_decref(value);
    free(quoted);
    return text;
}

/* Takes over the text. */
static int number_of_text(struct name_table *names, char *text)
{
    for (size_t i = 0; text && i < names->count; i++) {
        if (strcmp(names->text[i], text) == 0) {
            free(text);
            return (int)i;
        }
    }
    char **grown = text ? realloc(names->text, (names->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(text);
        return -1;
    }
    names->text = grown;
    size_t *sizes = realloc(names->size, (names->count + 1) * sizeof *sizes);
    if (!sizes) {
        free(text);
        return -1;
    }
    names->size = sizes;
    sizes[names->count] = strchr(text, '\\') ? SIZE_MAX : strlen(text);
    grown[names->count] = text;
    return (int)names->count++;
}

int names_number(struct name_table *names, const struct scan_text *raw)
{
    if (!grow(names))
        return -1;
    struct name_slot *slot = &names->slot[slot_of(names, raw->start, raw->size)];
    if (slot->raw)
        return slot->number;
    char *copy = strndup(raw->start, raw->size);
    int number = copy ? number_of_text(names, decoded(raw)) : -1;
    if (number < 0) {
        free(copy);
        return -1;
    }
    *slot = (struct name_slot){copy, raw->size, number};
    names->used++;
    return number;
}

int names_add(struct name_table *names, const char *text)
{
    char *copy = strdup(text);
    return copy ? number_of_text(names, copy) : -1;
}

bool names_is(const struct name_table *names, int number, const struct scan_text *raw)
{
    return raw->size == names->size[number] &&
           memcmp(names->text[number], raw->start, raw->size) == 0;
}

bool names_init(struct name_table *names)
{
    static const char *const first[] = {"train", "step", "draw", "batch"};
    *names = (struct name_table){0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (names_add(names, first[i]) < 0)
            return false;
    return true;
}

void names_free(struct name_table *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->text[i]);
    for (size_t i = 0; i < names->slots; i++)
        free(names->slot[i].raw);
    free(names->text);
    free(names->size);
    free(names->slot);
    *names = (struct name_table){0};
}
