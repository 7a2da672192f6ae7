/* SPDX-License-Identifier: MIT */
/* dead_runs.h - runs of the sink wandb whose program died under `stepwatch run`: keeps what it
 * printed last, how it ended, and uploads both if the run was uploaded while the program ran. */
#ifndef TOOLS_CONSOLE_DEAD_RUNS_H
#define TOOLS_CONSOLE_DEAD_RUNS_H

/* Adds the folder of a run that has not ended. Ignores other paths. */
void dead_runs_add(const char *path);

/* Completes the runs that their program could not end.
 *
 * status: of the program, or 128 + n if signal n ended it. output: the file with what it printed;
 * that of standard error has the suffix .stderr. NULL if its output went to files of its own. */
void dead_runs_end(int status, const char *output);

#endif
