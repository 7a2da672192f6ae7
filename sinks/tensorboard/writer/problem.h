/* SPDX-License-Identifier: MIT */
/* problem.h - what the next flush says. What failed counts a value as lost. */
#ifndef TENSORBOARD_PROBLEM_H
#define TENSORBOARD_PROBLEM_H

#include "sinks/tensorboard/writer/writer.h"

/* Remembers the first failure since the last flush; returns code. */
__attribute__((format(printf, 3, 4))) int swi_tb_fail(struct sw_tb *tb, int code,
                                                      const char *format, ...);

/* Remembers why a value was refused, of each tag once; returns SW_EINVAL. */
__attribute__((format(printf, 3, 4))) int swi_tb_refuse(struct sw_tb *tb, struct swi_tb_tag *tag,
                                                        const char *format, ...);

/* Remembers what happened to the file; nothing is counted. */
void swi_tb_problem_add(struct sw_tb *tb, const struct sw_error *problem);

/* Moves what is remembered into err, and returns its code. */
int swi_tb_problem_take(struct sw_tb *tb, struct sw_error *err);

#endif
