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

void json_begin(struct json_parts *json)
{
    *json = (struct json_parts){.out = stdout};
    json_enter(json, NULL, '{');
}

bool json_end(struct json_parts *json, const char *command)
{
    SW_ERROR_SCOPE(err);
    while (json->depth > 0)
        json_leave(json);
    fputc('\n', json->out);
    if (json->failed && no_memory(&err) < 0)
        say_error(command, &err);
    return !json->failed;
}

/* ---- aside ----------------------------------------------------------------------------------- */

int json_aside(struct json_aside *aside, const struct json_parts *json, int deeper,
               struct sw_error *err)
{
    *aside = (struct json_aside){.of = {.out = tmpfile(), .depth = json->depth + deeper}};
    /* Where no temporary file can be made, it takes memory. */
    if (!aside->of.out)
        aside->of.out = open_memstream(&aside->text, &aside->size);
    return aside->of.out ? 0 : no_memory(err);
}

int json_aside_print(struct json_aside *aside, struct json_parts *json, struct sw_error *err)
{
    char part[1 << 14];
    FILE *from = aside->of.out;
    if (aside->of.failed)
        return no_memory(err);
    if (fflush(from) != 0 || ferror(from))
        return sw_error_set(err, SW_EIO,
                            "the JSON needs a temporary file, which cannot be written: %s",
                            strerror(errno));
    json->any[json->depth] = aside->of.any[aside->of.depth];
    if (aside->text) {
        fwrite(aside->text, 1, aside->size, json->out);
        return 0;
    }
    rewind(from);
    for (size_t size; (size = fread(part, 1, sizeof part, from)) > 0;)
        fwrite(part, 1, size, json->out);
    return ferror(from) ? sw_error_set(err, SW_EIO, "the JSON's temporary file cannot be read: %s",
                                       strerror(errno))
                        : 0;
}

void json_aside_free(struct json_aside *aside)
{
    if (aside->of.out)
        fclose(aside->of.out);
    free(aside->text);
    *aside = (struct json_aside){0};
}
