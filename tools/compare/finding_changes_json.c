/* SPDX-License-Identifier: MIT */
#include "tools/compare/finding_changes_json.h"

#include "tools/log/findings_json.h"
#include "tools/output/text.h"

/* Returns the finding, or the verdict that there is none. */
static json_t *side_json(const struct finding_side *side)
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
                     finding_changed_name(change->changed), "a", side_json(&change->a), "b",
                     side_json(&change->b));
}

json_t *finding_changes_json(const struct finding_changes *changes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < changes->count; i++)
        json_array_append_new(list, change_json(&changes->change[i]));
    return list;
}
