/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run_flush.h"

#include "sinks/wandb/history.h"
#include "sinks/wandb/notices.h"
#include "sinks/wandb/online.h"

/* Reports a failure once, and its end once. It is not an error of the sink, which would be given up
 * after ten: the disk may have room again later. */
static void complain(struct wandb *w, int rc, const struct sw_error *err)
{
    if (rc < 0 && !w->failing)
        swi_wandb_say(w, 1, "%s: %s", w->folder, sw_error_text(err));
    if (rc == 0 && w->failing)
        swi_wandb_say(w, 0, "%s: the run's file can be written again", w->folder);
    w->failing = rc < 0;
}

/* If the disk is full, no new summary is added at each try, because the summaries would fill the
 * buffer. */
void swi_wandb_run_flush(struct wandb *w)
{
    SW_ERROR_SCOPE(err);
    bool failed = w->failing;
    if (!failed)
        swi_wandb_summary_write(w);
    swi_wandb_row_draft(w);
    complain(w, swi_wandb_log_flush(&w->records.log, &err), &err);
    if (w->failing)
        swi_wandb_online_pass(w);
    if (failed && !w->failing)
        swi_wandb_run_flush(w);
}
