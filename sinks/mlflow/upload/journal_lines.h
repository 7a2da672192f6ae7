/* SPDX-License-Identifier: MIT */
/* journal_lines.h - what becomes of the lines of a journal: metrics, parameters, tags and files. */
#ifndef SINKS_MLFLOW_UPLOAD_JOURNAL_LINES_H
#define SINKS_MLFLOW_UPLOAD_JOURNAL_LINES_H

#include "sinks/mlflow/upload/run_upload.h"

/* Takes a line. sent: it is at the server already, so it is only noted. Takes the reference. */
void swi_line_take(struct swi_run_upload *upload, json_t *line, bool sent);

/* Returns what the journal says of the run's place at the server by this name, or "". */
const char *swi_told_text(const struct swi_told_run *told, const char *name);

/* Returns the wall time of a line in milliseconds, rounded down. */
int64_t swi_line_ms(const struct swi_told_run *told, int64_t ns);

/* Writes the rows of a report as {"columns":[...],"data":[[...]]}. */
void swi_line_table(struct swi_text *text, const json_t *report);

#endif
