/* SPDX-License-Identifier: MIT */
/* writer_id.h - the id by which the service knows the process that writes a run. It is made of the
 * machine and the process, so that another process there can tell whether that one still lives. */
#ifndef SINKS_WANDB_RUN_WRITER_ID_H
#define SINKS_WANDB_RUN_WRITER_ID_H

enum { SWI_WRITER_ID = 33 };

/* In the order in which one of several counts. */
enum swi_writer_life {
    SWI_WRITER_ENDED,
    SWI_WRITER_UNKNOWN, /* it is on another machine, or none of stepwatch's ids */
    SWI_WRITER_LIVES
};

/* Of this process: 32 hexadecimal digits, others for each run. */
void swi_writer_id_make(char id[SWI_WRITER_ID]);

/* Whether the process lives. One that is this process counts as ended: what it has open, it knows.
 */
enum swi_writer_life swi_writer_life(const char *id);

#endif
