/* SPDX-License-Identifier: MIT */
#include "tools/output/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

static int no_memory(struct sw_error *err)
{
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the JSON");
}

static void line_begin(FILE *out, int depth)
{
    fprintf(out, "\n%*s", INDENT * depth, "");
}

/* 15 digits: a double keeps them of any decimal number, so that 0.95 is printed as 0.95. jansson
 * escapes all but ASCII and its control characters, without the one above the letters. */
static char *text_of(json_t *value, size_t layout)
{
    char *text =
        value ? json_dumps(value, layout | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(value);
    return text;
}

/* Frees the text. Its lines after the first are moved to the right. */
static void text_print(FILE *out, char *text, int depth)
{
    for (const char *at = text, *end; *at; at = end + (*end != '\0')) {
        end = at + strcspn(at, "\x7f\n");
        fwrite(at, 1, (size_t)(end - at), out);
        if (*end == '\n')
            line_begin(out, depth);
        else if (*end)
            fputs("\\u007f", out);
    }
    free(text);
}

static int value_print(json_t *value, size_t layout, struct sw_error *err)
{
    char *text = text_of(value, layout);
    if (!text)
        return no_memory(err);
    text_print(stdout, text, 0);
    putchar('\n');
    return 0;
}

int json_print(json_t *value, struct sw_error *err)
{
    return value_print(value, JSON_INDENT(INDENT), err);
}

bool json_show(const char *command, json_t *value)
{
    SW_ERROR_SCOPE(err);
    if (json_print(value, &err) < 0)
        say_error(command, &err);
    return !err.code;
}

bool json_show_line(const char *command, json_t *value)
{
    SW_ERROR_SCOPE(err);
    if (value_print(value, JSON_COMPACT, &err) < 0)
        say_error(command, &err);
    fflush(stdout);
    return !err.code;
}

/* ---- in parts -------------------------------------------------------------------------------- */

static void place_begin(struct json_parts *json, const char *key)
{
    if (json->depth > 0) {
        fputs(json->any[json->depth] ? "," : "", json->out);
        json->any[json->depth] = true;
        line_begin(json->out, json->depth);
    }
    if (key)
        fprintf(json->out, "\"%s\": ", key);
}

void json_enter(struct json_parts *json, const char *key, char bracket)
{
    place_begin(json, key);
    fputc(bracket, json->out);
    json->end[++json->depth] = bracket == '{' ? '}' : ']';
    json->any[json->depth] = false;
}

void json_leave(struct json_parts *json)
{
    char end = json->end[json->depth];
    bool any = json->any[json->depth--];
    if (any)
        line_begin(json->out, json->depth);
    fputc(end, json->out);
}

void json_put(struct json_parts *json, const char *key, json_t *value)
{
    char *text = text_of(value, JSON_INDENT(INDENT) | JSON_ENCODE_ANY);
    json->failed = json->failed || !text;
    if (!text)
        return;
    place_begin(json, key);
    text_print(json->out, text, json->depth);
}

/* ---- what waits ------------------------------------------------------------------------------ */

static int wait_begin(struct json_parts *json, int depth, struct sw_error *err)
{
    *json = (struct json_parts){.out = tmpfile(), .depth = depth};
    /* Where no temporary file can be made, it takes memory. */
    if (!json->out)
        json->out = open_memstream(&json->text, &json->size);
    return json->out ? 0 : no_memory(err);
}

static int wait_print(const struct json_parts *json, FILE *out, struct sw_error *err)
{
    char part[1 << 14];
    FILE *from = json->out;
    if (json->failed)
        return no_memory(err);
    if (fflush(from) != 0 || ferror(from))
        return sw_error_set(err, SW_EIO,
                            "the JSON needs a temporary file, which cannot be written: %s",
                            strerror(errno));
    if (json->text) {
        fwrite(json->text, 1, json->size, out);
        return 0;
    }
    rewind(from);
    for (size_t size; (size = fread(part, 1, sizeof part, from)) > 0;)
        fwrite(part, 1, size, out);
    return ferror(from) ? sw_error_set(err, SW_EIO, "the JSON's temporary file cannot be read: %s",
                                       strerror(errno))
                        : 0;
}

void json_free(struct json_parts *json)
{
    if (json->out)
        fclose(json->out);
    free(json->text);
    *json = (struct json_parts){0};
}

int json_begin(struct json_parts *json, const char *command)
{
    SW_ERROR_SCOPE(err);
    if (wait_begin(json, 0, &err) < 0) {
        say_error(command, &err);
        return -1;
    }
    json_enter(json, NULL, '{');
    return 0;
}

int json_end(struct json_parts *json, const char *command)
{
    SW_ERROR_SCOPE(err);
    while (json->depth > 0)
        json_leave(json);
    fputc('\n', json->out);
    int rc = wait_print(json, stdout, &err);
    if (rc < 0)
        say_error(command, &err);
    json_free(json);
    return rc;
}

int json_ahead_begin(struct json_parts *ahead, const struct json_parts *json, int deeper,
                     struct sw_error *err)
{
    return wait_begin(ahead, json->depth + deeper, err);
}

int json_ahead_print(const struct json_parts *ahead, struct json_parts *json, struct sw_error *err)
{
    json->any[json->depth] = ahead->any[ahead->depth];
    return wait_print(ahead, json->out, err);
}
