/* SPDX-License-Identifier: MIT */
#include "tools/functions/profile_summary.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <string.h>

/* If hooks take more than this share of the time, the times of small functions are uncertain. */
#define HOOKS_MUCH 0.10

/* Prints how the samples differ from what was requested. */
static void samples_print(FILE *out, const struct profile *profile)
{
    if (profile->kernel_rate && profile->rate > profile->kernel_rate)
        fprintf(out, "%" PRIu32 " Hz is what this kernel gives: one sample counts for several\n",
                profile->kernel_rate);
    if (profile->taken)
        fprintf(out, "sampling stopped when the program took signal %" PRIu32 " (%s) for itself\n",
                profile->taken, strsignal((int)profile->taken));
    if (profile->unseen)
        fprintf(out,
                "times are of CPU time: threads that wait cannot be seen in the program's "
                "/proc/self/task: %s\n",
                strerror((int)profile->unseen));
    if (profile->unsampled)
        fprintf(out,
                "%" PRIu32 " threads were not sampled: the system had no timers for them; "
                "ulimit -i limits them\n",
                profile->unsampled);
}

static void calls_print(FILE *out, const struct profile *profile)
{
    char calls[TEXT_NUMBER];
    text_count(calls, (double)profile->calls);
    switch (profile->times) {
    case FN_EXACT:
        fprintf(out, "%s calls, %.3f s of hooks subtracted\n", calls, profile->hooks_ns * 1e-9);
        break;
    case FN_SAMPLE:
        fprintf(out, "%s samples, %" PRIu32 " a second of %s time: counts are samples, not calls\n",
                calls, profile->rate, profile->wall ? "wall" : "CPU");
        samples_print(out, profile);
        break;
    default:
        fprintf(out, "%s calls, times sampled 997 times a second\n", calls);
    }
    if (profile->times == FN_EXACT &&
        profile->hooks_ns > HOOKS_MUCH * (profile->total_ns + profile->hooks_ns))
        fputs("the times of small functions are uncertain; 'times: sampled' costs a quarter\n",
              out);
}

static void lost_print(FILE *out, const struct profile *profile)
{
    char lost[TEXT_NUMBER];
    text_count(lost, (double)profile->lost);
    fprintf(out, "%s %s were not counted\n", lost,
            profile->times == FN_SAMPLE ? "samples" : "calls");
}

static void gaps_print(FILE *out, const struct profile *profile)
{
    if (!profile->complete)
        fputs("the program was ended early: counts are complete up to then\n", out);
    if (profile->unmatched)
        fprintf(out, "%" PRIu64 " returns without their call\n", profile->unmatched);
    if (profile->lost)
        lost_print(out, profile);
    if (profile->full)
        fputs("more contexts than a tree has room for: the rest is counted by caller and callee, "
              "and the time of the hooks is not subtracted\n",
              out);
    if (profile->short_of)
        fprintf(out, "the profile is incomplete, for its file could not grow: %s\n",
                strerror((int)profile->short_of));
}

void summary_print(FILE *out, const struct profile *profile)
{
    calls_print(out, profile);
    gaps_print(out, profile);
}
