/* SPDX-License-Identifier: MIT */
/* run_files.c - config.yaml, wandb-summary.json and wandb-metadata.json of a run, for people who
 * look into its folder. They are not records: the uploader makes them from the records. */
#include "core/text/escape.h"
#include "sinks/common/part_file.h"
#include "sinks/wandb/wandb_sink.h"
#include "sinks/wandb/values/fields.h"

#include <ctype.h>
#include <string.h>

static void file_write(struct wandb *w, const char *name, struct swi_text *text)
{
    char below[64];
    SW_ERROR_SCOPE(err);
    snprintf(below, sizeof below, "files/%s", name);
    if (text->failed)
        swi_wandb_say(w, 1, "not enough memory for %s", name);
    else if (swi_part_write(w->sink, w->folder, below, text->data, text->size, &err) < 0)
        swi_wandb_say(w, 1, "%s", sw_error_text(&err));
    swi_text_free(text);
}

void swi_wandb_run_files_begin(struct wandb *w, struct swi_text *metadata)
{
    swi_text_put(metadata, "\n");
    file_write(w, "wandb-metadata.json", metadata);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void summary_put(struct swi_text *text, const struct swi_fields *row)
{
    swi_text_put(text, "{");
    for (size_t i = 0; i < row->count; i++) {
        swi_text_put(text, i ? "," : "");
        swi_escape_json(text, row->item[i].key);
        swi_text_format(text, ":%s", row->item[i].json.size ? row->item[i].json.data : "null");
    }
    swi_text_put(text, "}\n");
}

/* ---- the configuration ----------------------------------------------------------------------- */

/* Returns whether YAML certainly reads a key as text without quotes. */
static bool is_plain(const char *key)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(key, words[i]) == 0)
            return false;
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return isalpha((unsigned char)*key) || *key == '_';
}

static void config_put(struct swi_text *text, const struct swi_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct swi_field *item = &row->item[i];
        if (is_plain(item->key))
            swi_text_put(text, item->key);
        else
            swi_escape_json(text, item->key);
        swi_text_put(text, ":\n    value: ");
        swi_yaml_number(text, item->json.size ? item->json.data : "null");
        swi_text_put(text, "\n");
    }
}

/* Adds wandb's own part of the config: the program that wrote the run, and the axes of its metrics.
 */
static void config_own_put(struct swi_text *text, const struct wandb *w)
{
    swi_text_put(text, "_wandb:\n    value:\n        cli_version: ");
    swi_escape_json(text, w->producer);
    swi_text_put(text, "\n        m: ");
    swi_wandb_rules_yaml(text, w);
    swi_text_put(text, "\n        t: {\"5\": ");
    swi_escape_json(text, w->producer);
    swi_text_put(text, "}\n");
}

void swi_wandb_run_files_end(struct wandb *w)
{
    struct swi_text config = {0}, summary = {0};
    config_own_put(&config, w);
    config_put(&config, &w->config);
    file_write(w, "config.yaml", &config);
    summary_put(&summary, &w->summary);
    file_write(w, "wandb-summary.json", &summary);
}
