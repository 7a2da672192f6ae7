/* SPDX-License-Identifier: MIT */
#include "probes/functions/action_names.h"
#include "probes/functions/store.h"

#include <string.h>

static const char *(*name_of)(int action);

void fn_action_names_from(const char *(*action_name)(int action))
{
    name_of = action_name;
}

void fn_action_name_keep(int action)
{
    char *kept = fn_store_action(action);
    const char *name = name_of ? name_of(action) : NULL;
    fn_store_need(kept, FN_ACTION_NAME);
    if (!*kept && name)
        strncpy(kept, name, FN_ACTION_NAME - 1);
    if ((uint32_t)action >= atomic_load(&fn_file->actions))
        atomic_store(&fn_file->actions, (uint32_t)action + 1);
}
