/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison_json.h"

#include "tools/compare/finding_changes.h"
#include "tools/log/findings_json.h"
#include "tools/log/run_replay.h"
#include "tools/output/print_json.h"
#include "tools/output/text.h"

/* ---- findings -------------------------------------------------------------------------------- */

/* Returns the finding, or the verdict that there is none. */
static json_t *found_json(const struct finding_side *side)
{
    if (side->finding)
        return finding_json(side->finding);
    if (!side->checked)
        return json_null();
    const struct swi_checked *checked = side->checked;
    return json_pack("{s:s, s:o}", "verdict", swi_verdict_name(checked->verdict), "why",
                     checked->why ? text_json(checked->why) : json_null());
}

static json_t *change_json(const struct finding_change *change)
{
    return json_pack("{s:s, s:s, s:o, s:o}", "id", change->id, "change",
                     finding_changed_name(change->changed), "a", found_json(&change->a), "b",
                     found_json(&change->b));
}

/* Returns a list, or null if it is not known. Returns NULL if out of memory. */
static json_t *finding_changes_json(const struct finding_changes *changes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < changes->count; i++)
        json_array_append_new(list, change_json(&changes->change[i]));
    return list;
}

static json_t *side_json(const struct durations *d)
{
    json_t *object = log_json(&d->replay);
    json_object_set_new(object, "train_steps", json_integer((json_int_t)d->steps[SW_PHASE_TRAIN]));
    json_object_set_new(object, "valid_steps", json_integer((json_int_t)d->steps[SW_PHASE_VALID]));
    json_object_set_new(object, "samples_per_step", text_json_number(comparison_samples(d)));
    return object;
}

static json_t *row_json(const struct comparison *c, const struct comparison_row *row)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", "phase",
                     comparison_phases[row->a.phase], "action", text_json(row->a.action), "a_ns",
                     text_json_number(means_mean(&row->a.ns)), "b_ns",
                     text_json_number(means_mean(&row->b.ns)), "difference",
                     text_json_number(row->by.difference), "low", text_json_number(row->by.low),
                     "high", text_json_number(row->by.high), "verdict", comparison_verdict(row),
                     "over", comparison_is_over(c, row));
}

static json_t *use_json(const struct comparison_use *use)
{
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "phase",
        comparison_phases[use->a->phase], "action", text_json(use->a->action), "counter",
        text_json(use->a->name), "unit", use->a->unit, "a",
        text_json_number(means_mean(&use->a->use)), "b", text_json_number(means_mean(&use->b->use)),
        "difference", text_json_number(use->by.difference), "low", text_json_number(use->by.low),
        "high", text_json_number(use->by.high), "verdict", comparison_use_verdict(use));
}

static json_t *missing_json(const struct comparison *c, const struct durations *have,
                            const struct durations *other)
{
    json_t *list = json_array();
    for (size_t i = 0; i < have->count; i++) {
        const struct duration *d = &have->item[i];
        if (comparison_lacks(c, other, d))
            json_array_append_new(list,
                                  json_pack("{s:s, s:o}", "phase", comparison_phases[d->phase],
                                            "action", text_json(d->action)));
    }
    return list;
}

int comparison_print_json(const struct comparison *c, struct sw_error *err)
{
    json_t *rows = json_array(), *uses = json_array();
    for (size_t i = 0; i < c->use_count; i++)
        json_array_append_new(uses, use_json(&c->use[i]));
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(rows, row_json(c, &c->row[i]));
    return json_print(json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "a", side_json(&c->a),
                                "b", side_json(&c->b), "confidence", COMPARISON_CONFIDENCE, "rows",
                                rows, "counters", uses, "only_in_a", missing_json(c, &c->a, &c->b),
                                "only_in_b", missing_json(c, &c->b, &c->a), "findings",
                                finding_changes_json(&c->findings)),
                      err);
}
