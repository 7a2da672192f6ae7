/* SPDX-License-Identifier: MIT */
/* Prints the run log's line of a step, with what step_fields.h says of its calls. */
#include "sinks/common/runlog/lines.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>

int main(void)
{
    const struct sw_step_part part = {
        .action = "batch", .action_id = SW_BATCH, .duration_ns = 9, .shape = "", .self_ns = 7};
    const struct sw_step step = {.size = sizeof step,
                                 .phase = SW_PHASE_TRAIN,
                                 .samples = 1,
                                 .count = 1,
                                 .part_stride = sizeof part,
                                 .part = &part,
                                 .steps = 1};
    const struct sw_record record = {
        .size = sizeof record, .type = SW_RECORD_STEP, .step_done = &step};
    struct swi_text text = {0};
    swi_step_line(&text, &record, NULL, NULL);
    fputs(text.data, stdout);
    swi_text_free(&text);
    return 0;
}
