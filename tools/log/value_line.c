/* SPDX-License-Identifier: MIT */
#include "tools/log/value_line.h"

#include "core/text/digest.h"
#include "core/text/names.h"
#include "core/text/parts.h"
#include "tools/log/log_lines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files beside a log ------------------------------------------------------------------ */

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Larger files are not images or tables. */
#define CONTENT_MAX ((size_t)256 << 20)

int value_folder_open(const char *log)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s.files", (int)swi_length_unpacked(log), log) < 0)
        return -1;
    int folder = open(path, FOLDER);
    free(path);
    return folder;
}

static bool is_part(const char *part, size_t length)
{
    return length > 0 && length < 256 && !(length <= 2 && strncmp(part, "..", length) == 0);
}

/* The folder that holds the last part of a name; NULL of *last: the name is not one of a file. */
static int folder_walk(int folder, const char *name, const char **last)
{
    int at = dup(folder);
    for (size_t length; at >= 0 && name[length = strcspn(name, "/")] == '/'; name += length + 1) {
        char part[256] = "";
        if (is_part(name, length))
            memcpy(part, name, length);
        int next = *part ? openat(at, part, FOLDER) : -1;
        close(at);
        at = next;
    }
    *last = name;
    return at;
}

int value_file_open(int folder, const char *name, int *in)
{
    const char *last = NULL;
    struct stat st;
    int at = folder >= 0 && name ? folder_walk(folder, name, &last) : -1;
    int file = at >= 0 && is_part(last, strlen(last))
                   ? openat(at, last, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                   : -1;
    if (file >= 0 && (fstat(file, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(file);
        file = -1;
    }
    if (file >= 0 && in)
        *in = at;
    else if (at >= 0)
        close(at);
    return file;
}

static void *file_read(int file, size_t *size)
{
    struct stat st;
    if (fstat(file, &st) < 0 || (size_t)st.st_size > CONTENT_MAX)
        return NULL;
    *size = (size_t)st.st_size;
    char *bytes = malloc(*size + 1);
    size_t done = 0;
    for (ssize_t n = 1; bytes && done < *size && n > 0; done += n > 0 ? (size_t)n : 0)
        n = read(file, bytes + done, *size - done);
    if (bytes && done == *size) {
        bytes[done] = '\0';
        return bytes;
    }
    free(bytes);
    return NULL;
}

static void *text_read(const struct log_value *text, size_t *size)
{
    size_t length = text->size;
    char *bytes = malloc(length / 4 * 3 + 4);
    if (!bytes)
        return NULL;
    *size = swi_base64_read(bytes, log_text(text), length);
    if (*size != SIZE_MAX) {
        bytes[*size] = '\0';
        return bytes;
    }
    free(bytes);
    return NULL;
}

void *value_content(int folder, const struct log_value *of, size_t *size)
{
    const struct log_value *text = log_get(of, "base64");
    if (log_is(text, LOG_STRING))
        return text_read(text, size);
    int file = value_file_open(folder, log_string(of, "file", NULL), NULL);
    if (file < 0)
        return NULL;
    void *bytes = file_read(file, size);
    close(file);
    return bytes;
}

/* After so much the sinks are waited for: values must not fill their memory. */
enum { VALUES_MAX = 256, BYTES_MAX = 8 << 20 };
#define FLUSH_NS (INT64_C(600) * 1000000000)

static const char *const kinds[SW_VALUE_KINDS + 1] = {[SW_VALUE_TEXT] = "text",
                                                      [SW_VALUE_TABLE] = "table",
                                                      [SW_VALUE_HISTOGRAM] = "histogram",
                                                      [SW_VALUE_IMAGES] = "pictures",
                                                      [SW_VALUE_FILE] = "file"};

enum sw_value_kind value_line_kind(const struct log_value *line)
{
    return (enum sw_value_kind)(swi_place_of(log_string(line, "kind", ""), kinds + 1) + 1);
}

static int no_memory(struct sw_error *err)
{
    return sw_error_set(err, SW_ENOMEM, "not enough memory for a value");
}

/* ---- histograms ---- */

/* More bins than a program may give come from gaps, which have no values. */
static size_t bins_fill(struct sw_bin *bin, const struct log_value *edges,
                        const struct log_value *counts)
{
    enum { BINS_MAX = 512 };
    size_t count = log_count(counts), used = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t values = log_whole(log_at(counts, i));
        if (count <= BINS_MAX || values)
            bin[used++] = (struct sw_bin){log_number(log_at(edges, i), NAN),
                                          log_number(log_at(edges, i + 1), NAN), (uint64_t)values};
    }
    return used;
}

static int histogram_play(struct sw_profiler *sw, const struct log_value *line,
                          struct sw_error *err)
{
    const struct log_value *edges = log_get(line, "edges"), *counts = log_get(line, "counts");
    size_t count = log_count(counts);
    if (!log_is(counts, LOG_ARRAY) || log_count(edges) != (count ? count + 1 : 0) ||
        count >= UINT32_MAX)
        return sw_error_set(err, SW_EFORMAT,
                            "\"value\": a histogram needs one edge more than counts");
    struct sw_bin *bin = calloc(count + 1, sizeof *bin);
    if (!bin)
        return no_memory(err);
    size_t used = bins_fill(bin, edges, counts);
    int64_t nonfinite = log_integer(line, "nonfinite", 0);
    if (nonfinite > 0)
        bin[used++] = (struct sw_bin){NAN, NAN, (uint64_t)nonfinite};
    sw_log_bins(sw, log_string(line, "name", ""), bin, used);
    free(bin);
    return 0;
}

/* ---- tables ---- */

const struct log_value *value_line_rows(int folder, const struct log_value *line,
                                        struct value_file *file)
{
    const struct log_value *rows = log_get(line, "rows");
    size_t size = 0;
    if (rows)
        return rows;
    file->text = value_content(folder, line, &size);
    return file->text ? log_get(log_line_parse(&file->line, file->text, size), "data") : NULL;
}

void value_file_free(struct value_file *file)
{
    free(file->text);
    log_line_free(&file->line);
}

static enum sw_type type_of(const char *name)
{
    return strcmp(name, "int") == 0     ? SW_I64
           : strcmp(name, "float") == 0 ? SW_F64
           : strcmp(name, "bool") == 0  ? SW_BOOL
                                        : SW_TEXT;
}

static void cell_fill(void *data, enum sw_type type, size_t row, const struct log_value *cell)
{
    if (type == SW_I64)
        ((int64_t *)data)[row] = log_whole(cell);
    else if (type == SW_F64)
        ((double *)data)[row] = log_number(cell, NAN);
    else if (type == SW_BOOL)
        ((bool *)data)[row] = log_is(cell, LOG_TRUE);
    else
        ((const char **)data)[row] = log_text(cell);
}

static bool column_fill(struct sw_table_column *column, const struct log_value *about,
                        const struct log_value *rows, size_t index)
{
    size_t count = log_count(rows);
    void *data = calloc(count + 1, sizeof(double));
    column->name = log_string(about, "name", "");
    column->type = type_of(log_string(about, "type", "text"));
    column->data = data;
    size_t place = 0;
    for (const struct log_value *row = data ? log_first(rows) : NULL; row;
         row = log_after(rows, row))
        cell_fill(data, column->type, place++, log_at(row, index));
    return data;
}

static int table_log(struct sw_profiler *sw, const struct log_value *line,
                     const struct log_value *rows, struct sw_error *err)
{
    const struct log_value *about = log_get(line, "columns");
    size_t columns = log_count(about);
    struct sw_table_column *column = calloc(columns + 1, sizeof *column);
    bool filled = column != NULL;
    for (size_t i = 0; filled && i < columns; i++)
        filled = column_fill(&column[i], log_at(about, i), rows, i);
    if (filled)
        sw_log_table(sw, log_string(line, "name", ""), column, columns, log_count(rows));
    for (size_t i = 0; column && i < columns; i++)
        free((void *)column[i].data);
    free(column);
    return filled ? 0 : no_memory(err);
}

static int table_play(struct sw_profiler *sw, struct played_values *values,
                      const struct log_value *line, struct sw_error *err)
{
    struct value_file file = {0};
    const struct log_value *rows = value_line_rows(values->folder, line, &file);
    int rc = log_is(rows, LOG_ARRAY) ? table_log(sw, line, rows, err) : 0;
    values->lacking[SW_VALUE_TABLE] += !log_is(rows, LOG_ARRAY);
    values->waiting += 64 * log_count(rows) * log_count(log_get(line, "columns"));
    value_file_free(&file);
    return rc;
}

/* ---- images ---- */

static size_t images_read(struct sw_image *image, struct played_values *values,
                          const struct log_value *pictures)
{
    size_t found = 0;
    for (const struct log_value *picture = log_first(pictures); picture;
         picture = log_after(pictures, picture)) {
        size_t size = 0;
        void *bytes = value_content(values->folder, picture, &size);
        if (!bytes) {
            values->lacking[SW_VALUE_IMAGES]++;
            continue;
        }
        image[found++] = (struct sw_image){.size = sizeof *image,
                                           .data = bytes,
                                           .bytes = size,
                                           .layout = SW_ENCODED,
                                           .caption = log_string(picture, "caption", NULL)};
        values->waiting += size;
    }
    return found;
}

static int images_play(struct sw_profiler *sw, struct played_values *values,
                       const struct log_value *line, struct sw_error *err)
{
    const struct log_value *pictures = log_get(line, "pictures");
    struct sw_image *image = calloc(log_count(pictures) + 1, sizeof *image);
    if (!image)
        return no_memory(err);
    size_t count = images_read(image, values, pictures);
    if (count || log_count(pictures) == 0)
        sw_log_images(sw, log_string(line, "name", ""), image, count);
    for (size_t i = 0; i < count; i++)
        free((void *)image[i].data);
    free(image);
    return 0;
}

/* ---- files ---- */

static void file_log(struct sw_profiler *sw, const char *path, const struct log_value *line)
{
    enum { ALIASES_MAX = 64 };
    const char *alias[ALIASES_MAX + 1] = {NULL};
    const struct log_value *aliases = log_get(line, "aliases");
    for (size_t i = 0; i < log_count(aliases) && i < ALIASES_MAX; i++)
        alias[i] = log_text(log_at(aliases, i));
    const struct sw_file file = {.size = sizeof file,
                                 .name = log_string(line, "name", NULL),
                                 .type = log_string(line, "artifact", NULL),
                                 .description = log_string(line, "description", NULL),
                                 .aliases = alias};
    sw_log_file(sw, path, &file);
}

/* By the folder that was opened, so that nobody can put another file in its place. */
static void file_play(struct sw_profiler *sw, struct played_values *values,
                      const struct log_value *line)
{
    const char *name = log_string(line, "file", NULL);
    int in = -1, file = value_file_open(values->folder, name, &in);
    char path[320];
    if (file < 0) {
        values->lacking[SW_VALUE_FILE]++;
        return;
    }
    const char *slash = strrchr(name, '/');
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", in, slash ? slash + 1 : name);
    file_log(sw, path, line);
    close(file);
    close(in);
    values->count += VALUES_MAX / 8; /* few may be open */
}

/* ---- values ---- */

static int value_play(struct sw_profiler *sw, struct played_values *values,
                      const struct log_value *line, struct sw_error *err)
{
    enum sw_value_kind kind = value_line_kind(line);
    if (kind == 0 || !sw_wants(sw, kind))
        return 0;
    if (values->count >= VALUES_MAX || values->waiting >= BYTES_MAX) {
        sw_flush(sw, FLUSH_NS);
        values->count = values->waiting = 0;
    }
    values->count++;
    switch (kind) {
    case SW_VALUE_TEXT:
        values->waiting += strlen(log_string(line, "text", ""));
        sw_log_text(sw, log_string(line, "name", ""), log_string(line, "text", ""));
        return 0;
    case SW_VALUE_HISTOGRAM:
        return histogram_play(sw, line, err);
    case SW_VALUE_TABLE:
        return table_play(sw, values, line, err);
    case SW_VALUE_IMAGES:
        return images_play(sw, values, line, err);
    default:
        file_play(sw, values, line);
        return 0;
    }
}

/* ---- rules, the summary, lines ---- */

static unsigned keep_of(const struct log_value *line)
{
    static const char *const names[] = {"last", "min", "max", "mean", "first", "none", NULL};
    unsigned keep = 0;
    const struct log_value *list = log_get(line, "keep");
    for (const struct log_value *name = log_first(list); name; name = log_after(list, name)) {
        int place = log_is(name, LOG_STRING) ? swi_place_of(name->text, names) : -1;
        keep |= place < 0 ? 0 : 1u << place;
    }
    return keep;
}

/* What is empty was not given. */
static const char *given(const struct log_value *line, const char *key)
{
    const char *text = log_string(line, key, NULL);
    return text && *text ? text : NULL;
}

static void rule_play(struct sw_profiler *sw, const struct log_value *line)
{
    const char *goal = log_string(line, "goal", "");
    const struct sw_rule rule = {.size = sizeof rule,
                                 .axis = given(line, "axis"),
                                 .keep = keep_of(line),
                                 .goal = strcmp(goal, "min") == 0   ? SW_GOAL_MIN
                                         : strcmp(goal, "max") == 0 ? SW_GOAL_MAX
                                                                    : SW_GOAL_NONE,
                                 .hidden = log_true(line, "hidden"),
                                 .unit = given(line, "unit"),
                                 .description = given(line, "description")};
    sw_define(sw, log_string(line, "pattern", ""), &rule);
}

static void summary_play(struct sw_profiler *sw, const struct log_value *line)
{
    const struct log_value *value = log_get(line, "value");
    const char *name = log_string(line, "name", "");
    if (log_true(line, "text") ||
        (log_is(value, LOG_STRING) && isinf(log_number(value, INFINITY)) &&
         !strstr(log_text(value), "Infinity")))
        sw_summary_text(sw, name, log_text(value));
    else
        sw_summary(sw, name, log_number(value, NAN));
}

static void line_play(struct sw_profiler *sw, const struct log_value *line)
{
    const char *level = log_string(line, "level", "");
    sw_log_line(sw,
                strcmp(level, "error") == 0     ? SW_ERROR
                : strcmp(level, "warning") == 0 ? SW_WARNING
                                                : SW_NOTE,
                log_string(line, "text", ""));
}

int value_line_play(struct sw_profiler *sw, struct played_values *values,
                    const struct log_value *line, struct sw_error *err)
{
    enum line_type type = log_type(line);
    if (type == LINE_VALUE)
        return value_play(sw, values, line, err);
    if (type == LINE_RULE)
        rule_play(sw, line);
    else if (type == LINE_SUMMARY)
        summary_play(sw, line);
    else
        line_play(sw, line);
    return 0;
}
