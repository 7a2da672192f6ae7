/* SPDX-License-Identifier: MIT */
#include "net/json.h"
#include "core/text/buffer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the place after a string that begins at `at` with its quote. */
static size_t string_end(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

static bool is_too_deep(const char *text, size_t size)
{
    size_t depth = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"')
            i = string_end(text, size, i) - 1;
        else if (text[i] == '[' || text[i] == '{')
            depth++;
        else if ((text[i] == ']' || text[i] == '}') && depth)
            depth--;
        if (depth > SWI_JSON_DEPTH)
            return true;
    }
    return false;
}

json_t *swi_json_read(const char *text, size_t size)
{
    if (!text || is_too_deep(text, size))
        return NULL;
    return json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Returns the length of a bare word here, or 0. */
static size_t word_at(const char *text, size_t left)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (left >= strlen(words[i]) && memcmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

json_t *swi_json_read_tokens(const char *text, size_t size)
{
    struct swi_text quoted = {0};
    for (size_t i = 0; text && i < size;) {
        size_t word = word_at(text + i, size - i);
        size_t length = word ? word : text[i] == '"' ? string_end(text, size, i) - i : 1;
        swi_text_put(&quoted, word ? "\"" : "");
        swi_text_add(&quoted, text + i, length);
        swi_text_put(&quoted, word ? "\"" : "");
        i += length;
    }
    json_t *json = quoted.failed ? NULL : swi_json_read(quoted.data, quoted.size);
    swi_text_free(&quoted);
    return json;
}

const json_t *swi_json_path(const json_t *json, const char *const *name)
{
    for (; *name && json; name++)
        json = json_object_get(json, *name);
    return json;
}

const char *swi_json_text(const json_t *json)
{
    const char *text = json_string_value(json);
    return text ? text : "";
}

const char *swi_json_text_at(const json_t *json, const char *name)
{
    return swi_json_text(json_object_get(json, name));
}

double swi_json_number_at(const json_t *json, const char *name)
{
    const json_t *number = json_object_get(json, name);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* ---- secrets --------------------------------------------------------------------------------- */

static void text_clean(const struct swi_secrets *secrets, json_t *json)
{
    char *text = strdup(json_string_value(json));
    if (text && swi_secrets_cover(secrets, text, strlen(text)))
        json_string_set(json, text);
    free(text);
}

/* The depth is limited. */
void swi_secrets_clean(const struct swi_secrets *secrets, json_t *answer)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_string(answer))
        text_clean(secrets, answer);
    if (json_is_object(answer))
        json_object_foreach(answer, key, value) swi_secrets_clean(secrets, value);
    if (json_is_array(answer))
        json_array_foreach(answer, i, value) swi_secrets_clean(secrets, value);
}
