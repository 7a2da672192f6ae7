/* SPDX-License-Identifier: MIT */
#include "sinks/common/notes.h"
#include "sinks/common/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The difference between both ways of counting is 0 but for rounding; where it is not, that is a
 * mistake of ours. */
#define RESIDUE_MAX_NS 1.0

static double percent(const struct sw_report *report, double ns)
{
    return report->fit_ns > 0 ? 100 * ns / report->fit_ns : 0;
}

static const char *trimmed(char *buffer, double ns)
{
    number_seconds(buffer, ns / 1e9);
    return buffer;
}

static void accounting_add(struct text *text, const struct sw_report *report)
{
    const struct sw_accounting *a = &report->accounting;
    char inside[NUMBER_SIZE], other[NUMBER_SIZE];
    text_addf(text,
              "Accounted for: %s (%.1f %% of fit). Other, outside of any region: %s (%.1f %%).\n",
              trimmed(inside, a->accounted_ns), percent(report, a->accounted_ns),
              trimmed(other, a->other_ns), percent(report, a->other_ns));
    if (fabs(a->residue_ns) > RESIDUE_MAX_NS + 1e-9 * report->fit_ns)
        text_addf(text, "These do not add up: %.0f ns are missing. Please report it.\n",
                  a->residue_ns);
    text_addf(text, "stepwatch itself: %.0f ns a step, %.3f %% of fit.\n", a->own_ns_per_step,
              percent(report, a->own_ns));
}

static void misuse_add(struct text *text, const struct sw_report *report)
{
    const struct sw_accounting *a = &report->accounting;
    if (a->misuses)
        text_addf(text,
                  "%" PRId64
                  " calls did not fit (end without begin, begin twice) and were left out.\n",
                  a->misuses);
    if (a->discarded)
        text_addf(text,
                  "%" PRId64
                  " regions were still open when an outer one ended, and are not counted.\n",
                  a->discarded);
}

void notes_add(struct text *text, const struct sw_report *report)
{
    if (report->drop_first_batch)
        text_add(text, "Batch dropped. train and valid phases show 1 less batch than fit.\n");
    if (report->interrupted)
        text_add(text, "Interrupted: the program ended while the fit was running.\n");
    if (!report->show_accounting)
        return;
    accounting_add(text, report);
    misuse_add(text, report);
}

void notes_path(char *buffer, size_t size, const char *path, int n)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    if (n <= 1 || strcmp(path, "-") == 0)
        snprintf(buffer, size, "%s", path);
    else if (!dot || dot == base)
        snprintf(buffer, size, "%s-%d", path, n);
    else
        snprintf(buffer, size, "%.*s-%d%s", (int)(dot - path), path, n, dot);
}
