/* SPDX-License-Identifier: MIT */
/* settings_file.c - settings in INI files, as Python's configparser reads them. */
#include "net/surroundings.h"

#include <stdint.h>
#include <string.h>

/* The section DEFAULT has what the other lacks. */
enum section { OTHER, DEFAULTS, OURS };

/* Where a reader of a settings file is. */
struct settings_at {
    const char *wanted, *name; /* the section and the setting that are looked for */
    char *value;
    size_t room;
    enum section section;
    size_t indent;      /* of the last setting: what is indented more continues its value */
    bool open;          /* that setting is the one that is looked for */
    enum section found; /* where it was found */
};

/* A header is all up to the last bracket. */
static enum section section_of(const char *text, const char *wanted)
{
    const char *end = strrchr(text, ']');
    size_t size = end ? (size_t)(end - text - 1) : 0;
    return size == strlen(wanted) && strncmp(text + 1, wanted, size) == 0 ? OURS
           : size == 7 && strncmp(text + 1, "DEFAULT", 7) == 0            ? DEFAULTS
                                                                          : OTHER;
}

/* A value is between its name and the end of the line. Two percent signs are one. */
static void value_take(const struct settings_at *at, size_t used, const char *said)
{
    for (; *said && used < at->room - 1; said++) {
        said += said[0] == '%' && said[1] == '%';
        at->value[used++] = *said;
    }
    at->value[used] = '\0';
}

/* Takes a line `name = value` or `name: value`. Names are of any case. */
static void setting_take(struct settings_at *at, char *text)
{
    size_t length = strcspn(text, "=:");
    at->open = false;
    if (!text[length] || at->section < at->found)
        return;
    text[length] = '\0';
    if (strcasecmp(swi_plain_file_trim(text), at->name) != 0)
        return;
    at->open = true;
    at->found = at->section;
    value_take(at, 0, swi_plain_file_trim(text + length + 1));
}

static void line_take(struct settings_at *at, char *line)
{
    size_t indent = strspn(line, " \t");
    char *text = swi_plain_file_trim(line);
    if (!*text || *text == '#' || *text == ';')
        return;
    if (at->section != OTHER && indent > at->indent) {
        size_t used = strlen(at->value);
        if (at->open && used < at->room - 1)
            at->value[used++] = '\n';
        if (at->open)
            value_take(at, used, text);
        return;
    }
    at->indent = indent;
    if (*text == '[') {
        at->section = section_of(text, at->wanted);
        at->indent = SIZE_MAX;
        at->open = false;
    } else if (at->section != OTHER) {
        setting_take(at, text);
    }
}

bool swi_settings_value(FILE *file, const char *section, const char *name, char *value, size_t size)
{
    char line[2048];
    struct settings_at at = {
        .wanted = section, .name = name, .value = value, .room = size, .indent = SIZE_MAX};
    rewind(file);
    /* 10,000 lines: a longer file is not a settings file. */
    for (int i = 0; i < 10000 && fgets(line, sizeof line, file); i++)
        line_take(&at, line);
    explicit_bzero(line, sizeof line);
    return at.found != OTHER;
}
