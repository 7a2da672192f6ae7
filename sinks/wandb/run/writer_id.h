/* SPDX-License-Identifier: MIT */
/* writer_id.h - the id by which the service knows the process that writes a run. It is derived from
 * the machine and the process, so that another process on that machine can find out whether that
 * one still lives. */
#ifndef SINKS_WANDB_RUN_WRITER_ID_H
#define SINKS_WANDB_RUN_WRITER_ID_H

enum { SWI_WRITER_ID = 33 };

/* In ascending order of priority. */
enum swi_writer_life {
    SWI_WRITER_ENDED,
    SWI_WRITER_UNKNOWN, /* it is on another machine, or not an id of stepwatch */
    SWI_WRITER_LIVES
};

/* Makes an id for this process: 32 hexadecimal digits that differ for each run. */
void swi_writer_id_make(char id[SWI_WRITER_ID]);

/* Returns whether the process lives. This process counts as ended, because it knows its own runs.
 */
enum swi_writer_life swi_writer_life(const char *id);

#endif
