/* SPDX-License-Identifier: MIT */
/* tiny-steps: the overhead of a step is large in steps of a few microseconds. */
#include "core/advice/rules.h"
#include "core/advice/sample_statistics.h"

#define STEP_NS 50e3
enum { STEPS_LEAST = 100 };

static const char formula[] = "median of draw + batch < 50 us, of 100 steps or more";

static void say(struct swi_analysis *analysis, double step_ns)
{
    struct swi_draft said = {.id = "tiny-steps", .formula = formula, .level = SW_FINDING_NOTE};
    swi_text_format(&said.text,
                    "A step takes only %s, so what each step costs besides computing "
                    "weighs heavily.",
                    swi_word_time(step_ns).text);
    swi_text_put(&said.next, "Take larger batches, or several of them in one step.");
    swi_draft_number(&said, "step_ns", step_ns);
    swi_find(analysis, &said);
}

static void tiny_steps(struct swi_analysis *analysis)
{
    const struct swi_advised *fit = analysis->fit;
    double *scratch = analysis->scratch, step_ns;
    /* Of all steps, including the first. */
    for (size_t i = 0; i < fit->steps; i++)
        analysis->whole[i] = fit->draw_ns[i] + fit->batch_ns[i];
    step_ns = swi_sample_median(analysis->whole, fit->steps, scratch);
    if (fit->steps >= STEPS_LEAST && step_ns > 0 && step_ns < STEP_NS)
        say(analysis, step_ns);
    else
        swi_check(analysis, "tiny-steps", SWI_RULE_NONE, "a step takes %s",
                  swi_word_time(step_ns).text);
}

const struct swi_rule swi_rule_tiny_steps = {"tiny-steps", SWI_NEEDS_RUN, tiny_steps};
