/* SPDX-License-Identifier: MIT */
#include "tools/merge/name_table.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

int names_add(struct name_table *names, const char *text)
{
    size_t length = strlen(text);
    size_t *size = swi_map_item(&names->texts, &names->size, sizeof *size, text, length);
    if (!size)
        return -1;
    *size = memchr(text, '\\', length) ? SIZE_MAX : length;
    return (int)(size - names->size);
}

int names_number(struct name_table *names, const struct scan_text *raw)
{
    size_t before = names->raw.count;
    int *number = swi_map_item(&names->raw, &names->number, sizeof *number, raw->start, raw->size);
    if (!number || names->raw.count == before)
        return number ? *number : -1;
    char *text = decoded(raw);
    *number = text ? names_add(names, text) : -1;
    free(text);
    if (*number >= 0)
        return *number;
    swi_map_undo(&names->raw);
    return -1;
}

bool names_is(const struct name_table *names, int number, const struct scan_text *raw)
{
    return raw->size == names->size[number] &&
           memcmp(names_text(names, number), raw->start, raw->size) == 0;
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
    swi_map_free(&names->texts);
    swi_map_free(&names->raw);
    free(names->size);
    free(names->number);
    *names = (struct name_table){0};
}
