/* SPDX-License-Identifier: MIT */
/* played_finding.h - findings from lines of a run log. */
#ifndef TOOLS_LOG_PLAYED_FINDING_H
#define TOOLS_LOG_PLAYED_FINDING_H

#include "tools/log/log_value.h"

#include <stepwatch/finding.h>

#include <stdbool.h>

/* Texts are borrowed from the lines. */
struct read_findings {
    size_t count;
    struct sw_finding *finding;
    struct sw_evidence *evidence; /* of all findings */
    int64_t *step;                /* of all evidence */
};

/* lines: an array, or NULL for none. Returns false if out of memory. Call read_findings_fini() in
 * any case. */
bool read_findings_init(struct read_findings *findings, const struct kept_lines *lines);
void read_findings_fini(struct read_findings *findings);

#endif
