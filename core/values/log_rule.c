/* SPDX-License-Identifier: MIT */
/* Logs rules for metrics. No sink misses one. The sinks find which rule applies to a metric. */
#include "core/text/characters.h"
#include "core/values/logging.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 256 };

struct rule_block {
    struct sw_defined_rule defined;
    struct sw_rule rule;
    char text[];
};

/* Returns a record that owns a block, which the budget has no part of; NULL if out of memory, which
 * is said. */
static struct swi_record *block_record(const struct swi_logging *logging, enum sw_record_type type,
                                       void *block, size_t bytes, const char *what)
{
    struct sw_profiler *sw = logging->sw;
    SWI_FOLDED(&sw->measured);
    struct swi_record *record = swi_recorder_owning(
        &sw->records, type, swi_clock_tick(&sw->measured.clock), block, bytes, what);
    if (record)
        record->record.step = swi_step_current(sw, logging->thread);
    return record;
}

static int rule_check(const struct swi_logging *logging, const struct sw_rule *rule)
{
    const char *star = strchr(logging->name, '*');
    size_t length = strlen(logging->name);
    if (!length || length > SWI_NAME_MAX)
        return SWI_REFUSE(logging, "the pattern of a rule has %zu bytes, expected 1 to %d", length,
                          SWI_NAME_MAX);
    if (star && star[1])
        return SWI_REFUSE(logging, "a rule's pattern may have one * at its end only");
    if (rule->keep & ~(unsigned)SW_KEEP_ALL)
        return SWI_REFUSE(logging, "keep is 0x%x, which is not made of SW_KEEP_...", rule->keep);
    if (rule->goal < SW_GOAL_NONE || rule->goal > SW_GOAL_MAX)
        return SWI_REFUSE(logging, "the goal %d does not exist", (int)rule->goal);
    if (rule->axis && (!*rule->axis || strchr(rule->axis, '*')))
        return SWI_REFUSE(logging, "the axis \"%.64s\" is not the name of one metric", rule->axis);
    return 0;
}

static size_t room_of(const char *text)
{
    return text ? swi_utf8_fit(text, SWI_CAPTION_MAX) + 1 : 0;
}

static const char *take(char **room, const char *text)
{
    return text ? swi_text_take(room, text, room_of(text) - 1) : NULL;
}

static struct rule_block *rule_new(const char *pattern, const struct sw_rule *rule, size_t *size)
{
    *size = sizeof(struct rule_block) + room_of(pattern) + room_of(rule->axis) +
            room_of(rule->unit) + room_of(rule->description);
    struct rule_block *block = malloc(*size);
    if (!block)
        return NULL;
    char *room = block->text;
    block->rule = *rule;
    block->rule.size = sizeof block->rule;
    block->rule.axis = take(&room, rule->axis);
    block->rule.unit = take(&room, rule->unit);
    block->rule.description = take(&room, rule->description);
    block->defined = (struct sw_defined_rule){
        .size = sizeof block->defined, .pattern = take(&room, pattern), .rule = &block->rule};
    return block;
}

static int rule_send(const struct swi_logging *logging, const struct sw_rule *rule)
{
    size_t size;
    struct rule_block *block = rule_new(logging->name, rule, &size);
    struct swi_record *record = block_record(logging, SW_RECORD_RULE, block, size, "a rule");
    if (!record)
        return SW_ENOMEM;
    record->record.rule = &block->defined;
    swi_recorder_push(&logging->sw->records, record);
    return 0;
}

static int rule_log(const struct swi_logging *logging, const struct sw_rule *given)
{
    struct sw_rule rule = {0};
    if (!given || given->size < sizeof(size_t) || given->size > 4096)
        return SWI_REFUSE(logging, "size of the rule is %zu, expected sizeof(struct sw_rule)",
                          given ? given->size : 0);
    memcpy(&rule, given, given->size < sizeof rule ? given->size : sizeof rule);
    int rc = rule_check(logging, &rule);
    if (rc < 0)
        return rc;
    if (!swi_name_set_add(&logging->sw->records.rule_patterns, logging->name, RULES_MAX))
        return SWI_REFUSE(logging, "there are %d rules already, and no more are possible",
                          RULES_MAX);
    return rule_send(logging, &rule);
}

int sw_define(struct sw_profiler *sw, const char *pattern, const struct sw_rule *rule)
{
    struct swi_logging logging;
    if (!sw || !swi_wants(&sw->records, SW_RECORD_RULE) ||
        !swi_logging_begin(&logging, sw, SWI_NUMBER, pattern))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    char room[SWI_NAME_MAX + 1];
    if (!strchr(logging.name, '*'))
        logging.name = swi_name_shorten(logging.name, SWI_NAME_MAX, room);
    return rule_log(&logging, rule);
}

enum { SUMMARY_MAX = 1024 };

struct summary_block {
    struct sw_summary_value summary;
    char text[];
};

static struct summary_block *summary_new(const char *name, size_t length, double value,
                                         const struct swi_valid_text *text)
{
    struct summary_block *block = malloc(sizeof *block + length + 1 + text->size + 1);
    if (!block)
        return NULL;
    char *room = block->text;
    block->summary = (struct sw_summary_value){.size = sizeof block->summary, .value = value};
    block->summary.name = swi_text_take(&room, name, length);
    if (text->text)
        block->summary.text = swi_text_take(&room, text->text, text->size);
    return block;
}

static void summary_send(const struct swi_logging *logging, double value,
                         const struct swi_valid_text *text)
{
    size_t length = strlen(logging->name);
    struct summary_block *block = summary_new(logging->name, length, value, text);
    struct swi_record *record =
        block_record(logging, SW_RECORD_SUMMARY, block, sizeof *block + length + text->size,
                     "a value of the summary");
    if (!record)
        return;
    record->record.summary = &block->summary;
    swi_recorder_push(&logging->sw->records, record);
}

static void summary_log(struct swi_logging *logging, double value, const char *text)
{
    struct swi_recorder *records = &logging->sw->records;
    struct swi_valid_text valid = {0};
    char room[SWI_NAME_MAX + 1];
    logging->name = swi_name_shorten(logging->name, SWI_NAME_MAX, room);
    if (!*logging->name) {
        SWI_REFUSE(logging, "the name of a value of the summary is empty");
    } else if (!swi_name_set_add(&records->summary_names, logging->name, SUMMARY_MAX)) {
        SWI_REFUSE(logging, "the summary has %d names already, and no more are possible",
                   SUMMARY_MAX);
    } else if (text && !swi_valid_text_init(&valid, text, SWI_TEXT_MAX)) {
        swi_no_memory(records, "a value of the summary");
    } else {
        summary_send(logging, value, &valid);
        free(valid.repaired);
    }
}

static void summary_take(struct sw_profiler *sw, const char *name, double value, const char *text)
{
    struct swi_logging logging;
    if (!sw || !swi_wants(&sw->records, SW_RECORD_SUMMARY) ||
        !swi_logging_begin(&logging, sw, SWI_NUMBER, name))
        return;
    SWI_RARE_WORK(&sw->measured);
    summary_log(&logging, value, text);
}

void sw_summary(struct sw_profiler *sw, const char *name, double value)
{
    summary_take(sw, name, value, NULL);
}

void sw_summary_text(struct sw_profiler *sw, const char *name, const char *text)
{
    summary_take(sw, name, 0, text ? text : "");
}
