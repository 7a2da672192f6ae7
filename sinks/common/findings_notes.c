/* SPDX-License-Identifier: MIT */
#include "sinks/common/findings_notes.h"

#include <stepwatch/sink.h>

size_t swi_findings_count(const struct sw_report *report)
{
    return SW_HAS(report->size, report, finding) ? report->finding_count : 0;
}

void swi_findings_notes(struct swi_text *text, const struct sw_report *report,
                        swi_escape_fn *escape)
{
    size_t count = swi_findings_count(report);
    for (size_t i = 0; i < count && i < SWI_FINDINGS_SHOWN; i++) {
        const struct sw_finding *finding = sw_report_finding(report, i);
        escape(text, finding->text);
        swi_text_put(text, "\n  Try: ");
        escape(text, finding->next);
        swi_text_put(text, "\n");
    }
}
