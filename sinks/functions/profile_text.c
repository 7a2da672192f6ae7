/* SPDX-License-Identifier: MIT */
#include "sinks/functions/profile_text.h"
#include "sinks/common/functions/merged_tree.h"
#include "sinks/common/functions/pstats.h"

#include "core/text/printable.h"

static void title_print(FILE *out, const struct action *action, int64_t rank)
{
    char shown[1024];
    fprintf(out, "Profile stats for: %s", swi_printable(shown, sizeof shown, action->name));
    if (rank >= 0)
        fprintf(out, " rank: %lld", (long long)rank);
    putc('\n', out);
}

/* Prints an action. Files are shown without folders, as in Lightning. */
static bool action_print(FILE *out, const struct profile *profile, const struct action *action,
                         const struct profile_text *how)
{
    struct tree tree;
    struct stats stripped = {0};
    bool fine =
        tree_make(&tree, profile, action->number, -1) && stats_strip(&tree.stats, &stripped);
    struct pstats pstats = {.sort = how->sort,
                            .restrict_to = how->restrict_to,
                            .sampled = tree.sampled,
                            .samples = tree.samples};
    if (fine) {
        title_print(out, action, how->rank);
        fine = pstats_print(out, &stripped, &pstats);
    }
    stats_free(&stripped);
    tree_free(&tree);
    return fine;
}

bool profile_text_print(FILE *out, const struct profile *profile, const struct profile_text *how)
{
    bool fine = true;
    fprintf(out, "%s%sProfiler Report\n", how->stage, *how->stage ? " " : "");
    for (size_t i = 0; i < profile->action_count && fine; i++) {
        if (i)
            putc('\n', out);
        fine = action_print(out, profile, &profile->action[i], how);
    }
    return fine;
}
