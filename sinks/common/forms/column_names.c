/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/form.h"

#include "core/text/names.h"

#include <stdlib.h>
#include <string.h>

const struct sw_column *swi_columns_at(const struct swi_columns_known *known, size_t i)
{
    return (const struct sw_column *)((const char *)known->column + i * known->size);
}

/* Returns the length of a key without its unit: mean of mean_ns. */
static size_t stem_length(const char *key)
{
    size_t length = strlen(key);
    return length > 3 && strcmp(key + length - 3, "_ns") == 0 ? length - 3 : length;
}

static char key_character(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == ' ' || c == '-' ? '_' : c;
}

static bool is_same(const char *known, size_t length, const char *name)
{
    for (size_t i = 0; i < length; i++)
        if (key_character(known[i]) != key_character(name[i]))
            return false;
    return name[length] == '\0';
}

/* The name of the counter that a column is of, and maybe "/self"; or NULL. */
static const char *counter_in(const struct sw_column *column)
{
    bool counter = column->flags & SW_COLUMN_OF_COUNTER;
    return counter && strncmp(column->key, "counter/", 8) == 0 ? column->key + 8 : NULL;
}

static bool is_called(const struct sw_column *column, const char *name)
{
    const char *counter = counter_in(column);
    if (counter && strcmp(counter, name) == 0)
        return true;
    return is_same(column->key, strlen(column->key), name) ||
           is_same(column->key, stem_length(column->key), name) ||
           is_same(column->brief, strlen(column->brief), name) ||
           is_same(column->header, strlen(column->header), name);
}

const struct sw_column *swi_columns_find(const struct swi_columns_known *known, const char *name)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct sw_column *column = swi_columns_at(known, i);
        if (sw_column_is_known(column) && is_called(column, name))
            return column;
    }
    return NULL;
}

bool swi_column_is_of(const struct sw_column *column, const char *name)
{
    static const char *const memory[] = {"allocated", "freed", "allocs", "frees", "net", "peak"};
    const char *counter = counter_in(column);
    size_t length = counter ? strcspn(counter, "/") : 0;
    if (!counter)
        return false;
    if (strlen(name) == length && strncmp(counter, name, length) == 0)
        return true;
    if (strcmp(name, "cpu") == 0)
        return strcmp(counter, "cpu_wait") == 0 || strcmp(counter, "cpu_wait/self") == 0;
    for (size_t i = 0; strcmp(name, "memory") == 0 && i < sizeof memory / sizeof *memory; i++)
        if (strlen(memory[i]) == length && strncmp(counter, memory[i], length) == 0)
            return true;
    return false;
}

static bool is_listed(const struct sw_column *column)
{
    return sw_column_is_known(column) && !(column->flags & SW_COLUMN_OF_COUNTER) &&
           !(column->flags & SW_COLUMN_REPEATED);
}

/* Copies the names, which the caller frees one by one. Returns how many. */
static size_t names_take(const struct swi_columns_known *known, char **name)
{
    size_t count = 0;
    for (size_t i = 0; i < known->count; i++) {
        const struct sw_column *column = swi_columns_at(known, i);
        if (is_listed(column) && (name[count] = strndup(column->key, stem_length(column->key))))
            count++;
    }
    return count;
}

void swi_columns_list(struct swi_text *text, const struct swi_columns_known *known,
                      const char *misspelt)
{
    char **name = calloc(known->count + 1, sizeof *name);
    size_t count = name ? names_take(known, name) : 0;
    const char *nearest = swi_nearest(misspelt, (const char *const *)name, count);
    if (nearest)
        swi_text_format(text, "did you mean \"%s\"? ", nearest);
    swi_text_put(text, nearest ? "Expected one of " : "expected one of ");
    for (size_t i = 0; i < count; i++)
        swi_text_format(text, "%s%s", i ? ", " : "", name[i]);
    for (size_t i = 0; i < count; i++)
        free(name[i]);
    free(name);
}
