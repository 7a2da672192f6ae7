/* SPDX-License-Identifier: MIT */
/* Judges forty equal steps, and prints the findings. */
#include "core/advice/advice.h"

#include <stdio.h>

enum { STEPS = 40 };

int main(void)
{
    int64_t number[STEPS], samples[STEPS] = {0};
    bool first[STEPS] = {true};
    double draw[STEPS], batch[STEPS];
    for (int i = 0; i < STEPS; i++) {
        number[i] = i;
        draw[i] = 1e4;
        batch[i] = 1e6;
    }
    struct swi_advised fit = {.steps = STEPS,
                              .number = number,
                              .samples = samples,
                              .first = first,
                              .draw_ns = draw,
                              .batch_ns = batch,
                              .preempted = -1};
    struct swi_advice advice;
    if (!swi_advise(&advice, &fit))
        return 1;
    for (size_t i = 0; i < advice.count; i++)
        printf("%s: %s\n", advice.finding[i].id, advice.finding[i].text);
    swi_advice_free(&advice);
    return 0;
}
