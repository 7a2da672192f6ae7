/* SPDX-License-Identifier: MIT */
#include "tools/merge/step_line.h"
#include "core/text/vec.h"

#include <stdlib.h>

static struct step_call *call_at(struct step_line *step, size_t index)
{
    if (index >= step->room) {
        size_t room = step->room ? 2 * step->room : 32;
        struct step_call *grown = realloc(step->call, room * sizeof *grown);
        if (!grown) {
            step->failed = true;
            return NULL;
        }
        for (size_t i = step->room; i < room; i++)
            grown[i] = (struct step_call){0};
        step->call = grown;
        step->room = room;
    }
    return &step->call[index];
}

/* Usually the action is the same as at this place of the line before. */
static int action_of(struct step_line *step, struct name_table *names, const struct scan_text *key)
{
    const struct step_call *guess = call_at(step, step->count);
    if (guess && names_is(names, guess->action, key))
        return guess->action;
    int action = names_number(names, key);
    step->failed = step->failed || action < 0;
    return action;
}

static void call_put(struct step_line *step, int action, int64_t ns)
{
    struct step_call *call = call_at(step, step->count);
    if (!call || action < 0)
        return;
    *call = (struct step_call){action, SHAPE_NONE, ns, step->inner};
    step->count++;
}

/* A value that is not an integer counts as a call of no duration. */
static void one_take(struct step_line *step, int action, struct json_scan *scan)
{
    bool number = scan_is(scan, '0');
    int64_t ns = number ? scan_integer(scan) : 0;
    if (!number)
        scan_skip(scan);
    call_put(step, action, ns);
}

/* Takes a number, or a list of numbers. */
static void calls_take(struct step_line *step, int action, struct json_scan *scan)
{
    bool begun = false;
    if (scan_is(scan, '['))
        while (scan_element(scan, &begun))
            one_take(step, action, scan);
    else
        one_take(step, action, scan);
}

static void durations_take(struct step_line *step, struct name_table *names, struct json_scan *scan)
{
    struct scan_text key;
    for (bool begun = false; scan_member(scan, &begun, &key);)
        calls_take(step, action_of(step, names, &key), scan);
}

/* Sets the shape of call `index`, if that is a call of the action. */
static void shape_set(struct step_line *step, struct name_table *names, int action, size_t index,
                      struct json_scan *scan)
{
    if (!scan_is(scan, '"')) {
        scan_skip(scan);
        return;
    }
    struct scan_text text = scan_string(scan);
    if (!text.size || index >= step->count || step->call[index].action != action)
        return;
    step->call[index].shape = names_number(names, &text);
    step->failed = step->failed || step->call[index].shape < 0;
}

/* Takes the shape of a call, or a list with one for each call of the action. */
static void action_shapes_take(struct step_line *step, struct name_table *names, int action,
                               struct json_scan *scan)
{
    size_t index = 0;
    while (index < step->count && step->call[index].action != action)
        index++;
    bool begun = false;
    if (scan_is(scan, '['))
        while (scan_element(scan, &begun))
            shape_set(step, names, action, index++, scan);
    else
        shape_set(step, names, action, index, scan);
}

static void shapes_take(struct step_line *step, struct name_table *names, struct json_scan *scan)
{
    struct scan_text key;
    for (bool begun = false; scan_member(scan, &begun, &key);) {
        int action = names_number(names, &key);
        step->failed = step->failed || action < 0;
        action_shapes_take(step, names, action, scan);
    }
}

/* ---- counters ---- */

static void use_put(struct step_line *step, int action, size_t counter, int64_t total)
{
    bool fits = swi_vec_grow(&step->use, step->uses, &step->uses_room, sizeof *step->use);
    step->failed |= !fits;
    if (fits)
        step->use[step->uses++] = (struct step_use){action, counter, total};
}

/* The rest of [total, self]: null if it could not be read. */
static void pair_take(struct step_line *step, int action, size_t counter, struct json_scan *scan)
{
    bool begun = false;
    for (int i = 0; scan_element(scan, &begun); i++) {
        if (i == 0 && scan_is(scan, '0'))
            use_put(step, action, counter, scan_integer(scan));
        else
            scan_skip(scan);
    }
}

/* Returns whether a list is a pair, and not a list of these: it begins with a number, or with null
 * and a second null. */
static bool is_pair(struct json_scan scan)
{
    bool begun = false, any = scan_element(&scan, &begun);
    return any && (scan_is(&scan, '0') || strncmp(scan.at, "null,null]", 10) == 0);
}

/* A list with a pair or null for each counter, or a list of these, one for each call. */
static void uses_take(struct step_line *step, int action, struct json_scan *scan, int depth)
{
    bool begun = false;
    for (size_t i = 0; scan_element(scan, &begun); i++) {
        bool list = scan_is(scan, '[');
        if (list && is_pair(*scan))
            pair_take(step, action, i, scan);
        else if (list && depth == 0)
            uses_take(step, action, scan, 1);
        else
            scan_skip(scan);
    }
}

static void counters_take(struct step_line *step, struct name_table *names, struct json_scan *scan)
{
    struct scan_text key;
    for (bool begun = false; scan_member(scan, &begun, &key);) {
        int action = names_number(names, &key);
        step->failed = step->failed || action < 0;
        if (scan_is(scan, '['))
            uses_take(step, action, scan, 0);
        else
            scan_skip(scan);
    }
}

bool step_line_parse(struct step_line *step, struct name_table *names, const char *line)
{
    struct json_scan scan = scan_begin(line);
    struct scan_text key;
    step->step = -1;
    step->samples = 0;
    step->count = 0;
    step->uses = 0;
    step->phase = NAME_TRAIN;
    for (bool begun = false; scan_member(&scan, &begun, &key);) {
        if (scan_equals(&key, "step") && scan_is(&scan, '0'))
            step->step = scan_integer(&scan);
        else if (scan_equals(&key, "samples") && scan_is(&scan, '0'))
            step->samples = scan_integer(&scan);
        else if (scan_equals(&key, "phase") && scan_is(&scan, '"')) {
            struct scan_text phase = scan_string(&scan);
            step->phase =
                names_is(names, NAME_TRAIN, &phase) ? NAME_TRAIN : names_number(names, &phase);
        } else if ((scan_equals(&key, "durations") || scan_equals(&key, "inner")) &&
                   scan_is(&scan, '{')) {
            step->inner = scan_equals(&key, "inner");
            durations_take(step, names, &scan);
        } else if (scan_equals(&key, "counters") && scan_is(&scan, '{'))
            counters_take(step, names, &scan);
        else if (step->by_shape && scan_equals(&key, "shapes") && scan_is(&scan, '{'))
            shapes_take(step, names, &scan);
        else
            scan_skip(&scan);
    }
    step->failed = step->failed || step->phase < 0;
    return scan_is_done(&scan) && !step->failed;
}

void step_line_free(struct step_line *step)
{
    free(step->call);
    free(step->use);
    *step = (struct step_line){0};
}
