/* SPDX-License-Identifier: MIT */
#include "core/advice/advice.h"
#include "core/advice/rules.h"
#include "core/text/number.h"
#include "core/text/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes over the text, which is short. */
static struct swi_word word_of(struct swi_text *text)
{
    struct swi_word word = {""};
    if (text->data)
        snprintf(word.text, sizeof word.text, "%s", text->data);
    swi_text_free(text);
    return word;
}

static struct swi_word fixed(double value, int digits, const char *unit)
{
    struct swi_text text = {0};
    swi_number_fixed(&text, value, digits);
    swi_text_put(&text, unit);
    return word_of(&text);
}

/* Like %.3g in the locale C. */
static struct swi_word three_digits(double value, const char *unit)
{
    struct swi_word word;
    snprintf(word.text, sizeof word.text, "%.3g", value);
    for (char *c = word.text; *c; c++)
        if (!strchr("0123456789e+-infa", *c))
            *c = '.';
    size_t used = strlen(word.text);
    snprintf(word.text + used, sizeof word.text - used, "%s", unit);
    return word;
}

struct swi_word swi_word_percent(double share)
{
    double percent = 100 * share;
    return fixed(percent, percent >= 9.95 ? 0 : 1, " %");
}

struct swi_word swi_word_change(double share)
{
    struct swi_word word = {"+"};
    struct swi_word number = fixed(100 * share, 1, " %");
    snprintf(word.text, sizeof word.text, "%s%.30s", *number.text == '-' ? "" : "+", number.text);
    return word;
}

struct swi_word swi_word_tenths(double value)
{
    return fixed(value, 1, "");
}

struct swi_word swi_word_time(double ns)
{
    static const struct {
        const char *unit;
        double size;
    } units[] = {{" s", 1e9}, {" ms", 1e6}, {" \302\265s", 1e3}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = ns / units[i].size;
        if (value >= 1)
            return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, units[i].unit);
    }
    return fixed(ns, 0, " ns");
}

struct swi_word swi_word_bytes(double bytes)
{
    const double mib = 1 << 20, gib = 1 << 30;
    return bytes >= gib ? three_digits(bytes / gib, " GiB") : fixed(bytes / mib, 0, " MiB");
}

struct swi_word swi_word_rate(double rate)
{
    struct swi_text text = {0};
    if (rate < 99.5)
        return three_digits(rate, "");
    swi_number_rate(&text, rate);
    return word_of(&text);
}

struct swi_word swi_word_count(int64_t count)
{
    struct swi_text text = {0};
    swi_number_count(&text, count);
    return word_of(&text);
}

struct swi_word swi_word_ordinal(int64_t k)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    struct swi_word word;
    bool teen = k % 100 >= 10 && k % 100 <= 20;
    snprintf(word.text, sizeof word.text, "%" PRId64 "%s", k,
             teen || k % 10 > 3 ? "th" : ends[k % 10]);
    return word;
}

/* ---- evidence -------------------------------------------------------------------------------- */

static struct sw_evidence *evidence_new(struct swi_draft *said, const char *name, int kind)
{
    struct sw_evidence *evidence = &said->evidence[said->count++];
    *evidence = (struct sw_evidence){.name = name, .kind = kind};
    return evidence;
}

void swi_draft_number(struct swi_draft *said, const char *name, double value)
{
    evidence_new(said, name, SW_EVIDENCE_NUMBER)->number = value;
}

void swi_draft_count(struct swi_draft *said, const char *name, int64_t value)
{
    evidence_new(said, name, SW_EVIDENCE_COUNT)->count = value;
}

void swi_draft_text(struct swi_draft *said, const char *name, const char *value)
{
    evidence_new(said, name, SW_EVIDENCE_TEXT)->text = value;
}

void swi_draft_period(struct swi_draft *said, double share, int64_t period, double each_ns,
                      size_t hits)
{
    swi_draft_number(said, "share", share);
    swi_draft_count(said, "period", period);
    swi_draft_number(said, "each_ns", each_ns);
    swi_draft_count(said, "hits", (int64_t)hits);
}

void swi_draft_steps(struct swi_draft *said, const struct swi_analysis *analysis, const size_t *at,
                     size_t count)
{
    struct sw_evidence *evidence = evidence_new(said, "steps", SW_EVIDENCE_STEPS);
    for (size_t i = 0; i < count && i < sizeof said->step / sizeof *said->step; i++)
        said->step[evidence->count++] = analysis->number[at[i]];
    evidence->step = said->step;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The evidence of a finding, with all names and steps, is one block of memory, as swi_advice_free()
 * expects it. */

static size_t room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *words_of(const struct sw_evidence *evidence)
{
    return evidence->kind == SW_EVIDENCE_TEXT ? evidence->text : NULL;
}

static size_t steps_of(const struct sw_evidence *evidence)
{
    bool steps = evidence->kind == SW_EVIDENCE_STEPS && evidence->count > 0 && evidence->step;
    return steps ? (size_t)evidence->count : 0;
}

/* Where the next steps and the next text of the evidence go. */
struct evidence_room {
    int64_t *steps;
    char *texts;
};

static struct sw_evidence *room_new(const struct sw_finding *finding, struct evidence_room *room)
{
    size_t steps = 0, texts = room_of(finding->id) + room_of(finding->formula);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        steps += steps_of(evidence);
        texts += room_of(evidence->name) + room_of(words_of(evidence));
    }
    /* One more piece may come: that it is hedged. */
    size_t list = (finding->evidence_count + 1) * sizeof(struct sw_evidence);
    char *memory = calloc(1, list + steps * sizeof *room->steps + texts);
    if (!memory)
        return NULL;
    room->steps = (int64_t *)(void *)(memory + list);
    room->texts = (char *)(room->steps + steps);
    return (struct sw_evidence *)(void *)memory;
}

static const char *text_take(struct evidence_room *room, const char *text)
{
    char *copy = room->texts;
    if (!text)
        return NULL;
    memcpy(copy, text, room_of(text));
    room->texts += room_of(text);
    return copy;
}

static struct sw_evidence evidence_take(struct evidence_room *room, const struct sw_evidence *from)
{
    struct sw_evidence to = {.name = text_take(room, from->name),
                             .kind = from->kind,
                             .number = from->number,
                             .count = from->count};
    to.text = text_take(room, words_of(from));
    if (from->kind != SW_EVIDENCE_STEPS)
        return to;
    to.count = (int64_t)steps_of(from);
    to.step = room->steps;
    for (size_t i = 0; i < steps_of(from); i++)
        *room->steps++ = from->step[i];
    return to;
}

bool swi_finding_copy(struct sw_finding *to, const struct sw_finding *from)
{
    struct evidence_room room = {0};
    struct sw_evidence *evidence = room_new(from, &room);
    *to = (struct sw_finding){.level = from->level,
                              .gain = from->gain,
                              .text = strdup(from->text ? from->text : ""),
                              .next = strdup(from->next ? from->next : ""),
                              .evidence_size = sizeof *evidence,
                              .evidence = evidence};
    if (!evidence || !to->text || !to->next)
        return false;
    to->id = text_take(&room, from->id);
    to->formula = text_take(&room, from->formula);
    for (; to->evidence_count < from->evidence_count; to->evidence_count++)
        evidence[to->evidence_count] =
            evidence_take(&room, sw_finding_evidence(from, to->evidence_count));
    return true;
}

/* ---- findings -------------------------------------------------------------------------------- */

static bool finding_add(struct swi_analysis *analysis, const struct swi_draft *said)
{
    struct swi_advice *advice = analysis->advice;
    const struct sw_finding found = {.id = said->id,
                                     .level = said->level,
                                     .gain = round(said->gain * 1e6) / 1e6,
                                     .formula = said->formula,
                                     .text = said->text.data,
                                     .next = said->next.data,
                                     .evidence_count = said->count,
                                     .evidence_size = sizeof *said->evidence,
                                     .evidence = said->evidence};
    return !said->text.failed && !said->next.failed &&
           swi_vec_room(&advice->finding, advice->count, sizeof *advice->finding) &&
           swi_finding_copy(&advice->finding[advice->count++], &found);
}

/* Takes ownership of why. */
static void checked_add(struct swi_analysis *analysis, const char *id,
                        enum swi_verdict_on_rule verdict, char *why)
{
    struct swi_advice *advice = analysis->advice;
    if (!swi_vec_room(&advice->checked, advice->checked_count, sizeof *advice->checked)) {
        analysis->failed = true;
        free(why);
        return;
    }
    advice->checked[advice->checked_count++] = (struct swi_checked){id, verdict, why};
}

/* Which steps of a long run are known one by one. */
struct known_steps {
    char text[96];
};

static struct known_steps known_of(const struct swi_advised *fit)
{
    struct known_steps known;
    int64_t steps = (int64_t)fit->steps;
    if (fit->between_blocks)
        snprintf(known.text, sizeof known.text, "%s of the %s steps", swi_word_count(steps).text,
                 swi_word_count(steps + swi_steps_unknown(fit)).text);
    else
        snprintf(known.text, sizeof known.text, "the newest %s steps", swi_word_count(steps).text);
    return known;
}

void swi_known_steps(struct swi_text *text, const struct swi_analysis *analysis)
{
    if (swi_steps_unknown(analysis->fit))
        swi_text_format(text, ", over %s", known_of(analysis->fit).text);
}

static void known_put(struct swi_analysis *analysis, struct swi_draft *said)
{
    struct known_steps known = known_of(analysis->fit);
    bool says_so = said->text.data && strstr(said->text.data, known.text);
    if (analysis->of_steps && swi_steps_unknown(analysis->fit) && !says_so)
        swi_text_format(&said->text, " This is of %s.", known.text);
}

void swi_find(struct swi_analysis *analysis, struct swi_draft *said)
{
    known_put(analysis, said);
    analysis->failed |= !finding_add(analysis, said);
    swi_text_free(&said->text);
    swi_text_free(&said->next);
    checked_add(analysis, said->id, SWI_RULE_FOUND, NULL);
}

void swi_check(struct swi_analysis *analysis, const char *id, enum swi_verdict_on_rule verdict,
               const char *format, ...)
{
    char *why = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&why, format, args) < 0) {
        why = NULL;
        analysis->failed = true;
    }
    va_end(args);
    checked_add(analysis, id, verdict, why);
}

bool swi_is_found(const struct swi_analysis *analysis, const char *id)
{
    for (size_t i = 0; i < analysis->advice->count; i++)
        if (strcmp(analysis->advice->finding[i].id, id) == 0)
            return true;
    return false;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

double swi_gain_of(double share)
{
    return share < 0.999 ? share / (1 - share) : 999;
}

static void rates_put(struct swi_text *text, double rate, double gain, bool samples)
{
    swi_text_format(text, "%s %s instead of %s (+%s).", swi_word_rate(rate * (1 + gain)).text,
                    samples ? "samples/s" : "steps/s", swi_word_rate(rate).text,
                    swi_word_percent(gain).text);
}

void swi_faster(struct swi_text *text, const struct swi_analysis *analysis, double gain)
{
    rates_put(text, analysis->rate, gain, analysis->has_samples);
}

void swi_faster_run(struct swi_text *text, const struct swi_analysis *analysis, double ns,
                    double gain)
{
    const struct swi_advised *fit = analysis->fit;
    bool samples = fit->all_samples > 0;
    double done =
        samples ? (double)fit->all_samples : (double)((int64_t)fit->steps + swi_steps_unknown(fit));
    rates_put(text, ns > 0 ? done / (ns * 1e-9) : 0, gain, samples);
}
