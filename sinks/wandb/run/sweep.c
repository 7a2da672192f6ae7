/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/sweep.h"
#include "core/text/address_user.h"
#include "core/text/escape.h"
#include "sinks/common/upload/plain_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

/* The agent's own files have only a few lines. */
enum { FILE_MAX = 1 << 20, DEPTH_MAX = 64 };

/* ---- a value --------------------------------------------------------------------------------- */

/* Returns whether a text is a number of JSON. The agent does not write the other forms of YAML. */
static bool is_number(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    if (!digits || (digits > 1 && *text == '0'))
        return false;
    text += digits;
    if (*text == '.') {
        digits = strspn(text + 1, "0123456789");
        text += digits ? digits + 1 : 0;
    }
    if ((*text == 'e' || *text == 'E') && text[1]) {
        text += 1 + (text[1] == '+' || text[1] == '-');
        digits = strspn(text, "0123456789");
        text += digits;
    }
    return digits && !*text;
}

static void scalar_put(struct swi_text *json, yaml_event_t *event)
{
    static const char *const words[][2] = {
        {"", "null"},         {"~", "null"},          {"null", "null"},
        {"true", "true"},     {"false", "false"},     {".nan", "NaN"},
        {".NaN", "NaN"},      {".inf", "Infinity"},   {"+.inf", "Infinity"},
        {".Inf", "Infinity"}, {"-.inf", "-Infinity"}, {"-.Inf", "-Infinity"}};
    char *text = (char *)event->data.scalar.value;
    bool plain = event->data.scalar.plain_implicit;
    for (size_t i = 0; plain && i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i][0]) == 0) {
            swi_text_put(json, words[i][1]);
            return;
        }
    swi_address_clean(text);
    if (plain && is_number(text))
        swi_text_put(json, text);
    else
        swi_escape_json(json, text);
}

static int wrong(struct sw_error *err, const yaml_mark_t *mark, const char *what)
{
    return sw_error_set(err, SW_EINVAL, "line %zu: %s", mark->line + 1, what);
}

static int next(yaml_parser_t *parser, yaml_event_t *event, struct sw_error *err)
{
    if (yaml_parser_parse(parser, event))
        return 0;
    return wrong(err, &parser->problem_mark, parser->problem ? parser->problem : "out of memory");
}

static int value_put(yaml_parser_t *parser, yaml_event_t *event, struct swi_text *json, int depth,
                     struct sw_error *err);

/* Adds the values up to the end of a list, or the names and values of a mapping. */
static int values_put(yaml_parser_t *parser, struct swi_text *json, bool mapping, int depth,
                      struct sw_error *err)
{
    yaml_event_type_t end = mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    swi_text_put(json, mapping ? "{" : "[");
    for (size_t i = 0;; i++) {
        yaml_event_t event;
        int rc = next(parser, &event, err);
        bool last = rc == 0 && event.type == end, name = mapping && i % 2 == 0;
        if (rc == 0 && !last && i)
            swi_text_put(json, mapping && !name ? ":" : ",");
        if (rc == 0 && !last && name && event.type != YAML_SCALAR_EVENT)
            rc = wrong(err, &event.start_mark, "a name must be text");
        else if (rc == 0 && !last && name)
            swi_escape_json(json, (const char *)event.data.scalar.value);
        else if (rc == 0 && !last)
            rc = value_put(parser, &event, json, depth, err);
        yaml_event_delete(&event);
        if (rc < 0 || last) {
            swi_text_put(json, mapping ? "}" : "]");
            return rc;
        }
    }
}

static int value_put(yaml_parser_t *parser, yaml_event_t *event, struct swi_text *json, int depth,
                     struct sw_error *err)
{
    if (event->type == YAML_SCALAR_EVENT) {
        scalar_put(json, event);
        return 0;
    }
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    if (!mapping && event->type != YAML_SEQUENCE_START_EVENT)
        return wrong(err, &event->start_mark, "an alias is not expected here");
    if (depth == DEPTH_MAX)
        return wrong(err, &event->start_mark, "a value is nested too deep");
    return values_put(parser, json, mapping, depth + 1, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads NAME: {value: VALUE}. Everything else there is ignored. */
static int parameter_read(yaml_parser_t *parser, struct swi_fields *row, const char *name,
                          struct sw_error *err)
{
    struct swi_text ignored = {0};
    for (bool key = true, ours = false, more = true; more; key = !key) {
        yaml_event_t event;
        int rc = next(parser, &event, err);
        struct swi_text *json = ours && !key ? swi_fields_set(row, name) : &ignored;
        more = rc == 0 && event.type != YAML_MAPPING_END_EVENT;
        if (more && key)
            ours = event.type == YAML_SCALAR_EVENT &&
                   strcmp((const char *)event.data.scalar.value, "value") == 0;
        if (more && (!key || event.type != YAML_SCALAR_EVENT))
            rc = json ? value_put(parser, &event, json, 0, err)
                      : sw_error_set(err, SW_ENOMEM, "out of memory");
        yaml_event_delete(&event);
        swi_text_free(&ignored);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Reads one entry of the file. wandb_version and _wandb belong to the agent. */
static int entry_read(yaml_parser_t *parser, struct swi_fields *row, const yaml_event_t *key,
                      struct sw_error *err)
{
    struct swi_text ignored = {0};
    yaml_event_t event;
    if (key->type != YAML_SCALAR_EVENT)
        return wrong(err, &key->start_mark, "a name must be text");
    const char *name = (const char *)key->data.scalar.value;
    int rc = next(parser, &event, err);
    if (rc < 0)
        return rc;
    if (event.type == YAML_MAPPING_START_EVENT && strcmp(name, "_wandb") != 0)
        rc = parameter_read(parser, row, name, err);
    else
        rc = value_put(parser, &event, &ignored, 0, err);
    yaml_event_delete(&event);
    swi_text_free(&ignored);
    return rc;
}

/* Reads the begin of the stream, of the document and of its mapping, then all entries. */
static int document_read(yaml_parser_t *parser, struct swi_fields *row, struct sw_error *err)
{
    bool inside = false;
    for (;;) {
        yaml_event_t event;
        int rc = next(parser, &event, err);
        if (rc < 0)
            return rc;
        bool end =
            event.type == YAML_STREAM_END_EVENT || (inside && event.type == YAML_MAPPING_END_EVENT);
        bool before =
            event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_START_EVENT;
        if (inside && !end)
            rc = entry_read(parser, row, &event, err);
        else if (!end && !before && event.type != YAML_MAPPING_START_EVENT)
            rc = wrong(err, &event.start_mark, "expected NAME: {value: VALUE}");
        inside |= event.type == YAML_MAPPING_START_EVENT;
        yaml_event_delete(&event);
        if (rc < 0 || end)
            return rc;
    }
}

static int file_read(struct swi_fields *row, FILE *file, struct sw_error *err)
{
    struct stat status;
    yaml_parser_t parser;
    if (fstat(fileno(file), &status) < 0 || status.st_size > FILE_MAX)
        return sw_error_set(err, SW_EINVAL, "has more than %d bytes", FILE_MAX);
    if (!yaml_parser_initialize(&parser))
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    yaml_parser_set_input_file(&parser, file);
    int rc = document_read(&parser, row, err);
    yaml_parser_delete(&parser);
    return rc;
}

static int values_read(struct swi_wandb_sweep *sweep, const char *path, struct sw_error *err)
{
    FILE *file = swi_plain_file_open(path);
    int rc = file ? file_read(&sweep->value, file, err)
                  : sw_error_set(err, SW_EIO, "is not there, or not a plain file");
    if (file)
        fclose(file);
    if (rc < 0) {
        swi_fields_clear(&sweep->value);
        sw_error_prefix(err, "WANDB_SWEEP_PARAM_PATH %s", path);
    }
    return rc;
}

int swi_wandb_sweep_find(struct swi_wandb_sweep *sweep, struct sw_error *err)
{
    char path[SWI_WANDB_VALUE];
    const char *id = swi_wandb_env("WANDB_SWEEP_ID");
    size_t size = id ? strlen(id) : 0;
    if (!id)
        return 0;
    if (!size || isspace((unsigned char)id[0]) || isspace((unsigned char)id[size - 1]))
        return sw_error_set(err, SW_EINVAL,
                            "WANDB_SWEEP_ID \"%s\": is empty, or begins or ends with a space", id);
    int rc = swi_wandb_setting(NULL, "WANDB_SWEEP_ID", "sweep_id", sweep->id, err);
    if (rc == 0)
        rc = swi_wandb_setting(NULL, "WANDB_SWEEP_PARAM_PATH", "sweep_param_path", path, err);
    return rc == 0 && *path ? values_read(sweep, path, err) : rc;
}

void swi_wandb_sweep_free(struct swi_wandb_sweep *sweep)
{
    swi_fields_free(&sweep->value);
    swi_fields_free(&sweep->told);
}

/* ---- against the program's ------------------------------------------------------------------- */

/* Parses a number in any locale, as exactly as the comparison needs. */
static double number_of(const char *text)
{
    double sign = *text == '-' ? -1 : 1, value = 0, unit = 1;
    for (text += *text == '-'; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            unit = 0.1;
        } else if (unit == 1) {
            value = value * 10 + (*text - '0');
        } else {
            value += (*text - '0') * unit;
            unit /= 10;
        }
    }
    return sign * value * (*text ? pow(10, (double)strtol(text + 1, NULL, 10)) : 1);
}

/* Returns whether two values are the same. 0.1 as float is 0.10000000149: that counts as the same
 * value, and so do 64 and 64.0. */
static bool is_same(const char *a, const char *b)
{
    if (!is_number(a) || !is_number(b))
        return strcmp(a, b) == 0;
    double x = number_of(a), y = number_of(b);
    return x == y || fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
}

bool swi_wandb_sweep_has(struct swi_wandb_sweep *sweep, const char *name,
                         const struct swi_text *json, bool *differs)
{
    const struct swi_text *own = swi_fields_get(&sweep->value, name);
    *differs = own && own->data && json->data && !is_same(own->data, json->data) &&
               !swi_fields_has(&sweep->told, name);
    if (*differs)
        swi_fields_integer(&sweep->told, name, 1);
    return own != NULL;
}
