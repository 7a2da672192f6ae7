/* SPDX-License-Identifier: MIT */
/* finding_changes.h - explains the difference of two runs by what was found in each: where one of
 * them loses time and the other does not, or less. */
#ifndef TOOLS_COMPARE_FINDING_CHANGES_H
#define TOOLS_COMPARE_FINDING_CHANGES_H

#include "tools/log/explained.h"

enum finding_changed {
    FINDING_APPEARED, /* only in B */
    FINDING_GREW,     /* its effect is larger in B */
    FINDING_SHRANK,
    FINDING_WENT, /* only in A */
    FINDING_STAYED
};

/* A finding of one of the runs, or the verdict that there is none. All of it is borrowed. */
struct finding_side {
    const struct sw_finding *finding;  /* NULL: there is none */
    const struct swi_checked *checked; /* NULL: nothing is said about it */
};

struct finding_change {
    const char *id;
    enum finding_changed changed;
    struct finding_side a, b;
};

struct finding_changes {
    const struct explained *a, *b;
    size_t count;
    struct finding_change *change; /* what appeared or grew first, then by effect */
};

/* Compares the findings of two logs, which it borrows. Of a run with several fits, the one with the
 * largest effect counts for each finding. Returns 0 or SW_ENOMEM. Call finding_changes_free() in
 * any case. */
int finding_changes_make(struct finding_changes *changes, const struct explained *a,
                         const struct explained *b, struct sw_error *err);
void finding_changes_free(struct finding_changes *changes);

/* Returns "appeared", "grew", "shrank", "went" or "stayed". */
const char *finding_changed_name(enum finding_changed changed);

#endif
