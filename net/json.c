/* SPDX-License-Identifier: MIT */
#include "net/json.h"
#include "core/files/in_place.h"
#include "core/text/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Returns the length of a number here, or 0. */
static size_t number_at(const char *text, size_t left)
{
    size_t length = 0;
    while (length < left && text[length] && strchr("+-.0123456789Ee", text[length]))
        length++;
    return length;
}

/* Returns whether a number is an integer that has more than 64 bits, such as a seed of Python, but
 * can be a real. */
static bool is_large(const char *number, size_t length)
{
    enum { DIGITS = 308 };
    char text[DIGITS + 2];
    if (length < 19 || length > DIGITS || memchr(number, '.', length) ||
        memchr(number, 'e', length) || memchr(number, 'E', length))
        return false;
    memcpy(text, number, length);
    text[length] = '\0';
    errno = 0;
    strtoll(text, NULL, 10);
    return errno == ERANGE;
}

json_t *swi_json_read_tokens(const char *text, size_t size)
{
    struct swi_text quoted = {0};
    for (size_t i = 0; text && i < size;) {
        size_t word = word_at(text + i, size - i),
               number = word ? 0 : number_at(text + i, size - i);
        size_t other = text[i] == '"' ? string_end(text, size, i) - i : 1;
        size_t length = word ? word : number ? number : other;
        swi_text_put(&quoted, word ? "\"" : "");
        swi_text_add(&quoted, text + i, length);
        swi_text_put(&quoted, word ? "\"" : is_large(text + i, number) ? ".0" : "");
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

int64_t swi_json_count_at(const json_t *json, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(json, name));
    return count > 0 && count < INT64_C(1) << 53 ? count : 0;
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

/* ---- how much of a log has been uploaded ----------------------------------------------------- */

enum { BYTES = 8192 };

json_t *swi_state_read(const char *log_path)
{
    char path[PATH_MAX + 16], text[BYTES];
    snprintf(path, sizeof path, "%s.upload", log_path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return size > 0 ? swi_json_read(text, (size_t)size) : NULL;
}

/* Returns 0 or an errno. */
static int write_all(const char *path, const char *text, size_t size, bool lasting)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    errno = 0;
    bool good =
        write(fd, text, size) == (ssize_t)size && (!lasting || fsync(fd) == 0 || errno == EINVAL);
    int failed = good ? 0 : errno ? errno : ENOSPC;
    if (close(fd) < 0 && !failed)
        failed = errno;
    return failed;
}

static int text_save(const char *log_path, const char *text, bool lasting, struct sw_error *err)
{
    char path[PATH_MAX + 16], temporary[PATH_MAX + 48];
    snprintf(path, sizeof path, "%s.upload", log_path);
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int failed = write_all(temporary, text, strlen(text), lasting);
    if (!failed && swi_rename_or_copy(temporary, path) < 0)
        failed = errno;
    if (!failed)
        return 0;
    unlink(temporary);
    return sw_error_set(err, SW_EIO, "%s: cannot be written: %s", path, strerror(failed));
}

int swi_state_write(const char *log_path, json_t *state, bool lasting, struct sw_error *err)
{
    char *text = json_dumps(state, JSON_COMPACT);
    int rc = text ? text_save(log_path, text, lasting, err)
                  : sw_error_set(err, SW_ENOMEM, "not enough memory for the state of the upload");
    json_decref(state);
    free(text);
    return rc;
}
