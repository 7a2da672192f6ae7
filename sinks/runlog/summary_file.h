/* SPDX-License-Identifier: MIT */
/* summary_file.h - writes a summary. The file is always complete: the old summary or the new one.
 */
#ifndef SINKS_RUNLOG_SUMMARY_FILE_H
#define SINKS_RUNLOG_SUMMARY_FILE_H

#include "sinks/runlog/run_summary.h"

/* Writes what is needed. Many reports are kept in the file only. */
int swi_summary_write(struct swi_summary *summary, enum swi_summary_need need, struct sw_sink *sink,
                      const char *path, struct sw_error *err);

#endif
