/* SPDX-License-Identifier: MIT */
/* scalar.h - encodes events of scalars: the one message that is written all the time. */
#ifndef TENSORBOARD_SCALAR_H
#define TENSORBOARD_SCALAR_H

#include "sinks/tensorboard/writer/writer.h"

/* Fills in the size of each point's Value message and returns that of the event. */
size_t swi_tb_scalars_size(int64_t step, struct swi_tb_point *point, size_t count);

/* Encodes the event that swi_tb_scalars_size() measured; returns the end. */
uint8_t *swi_tb_scalars_put(uint8_t *payload, double wall_s, int64_t step,
                            const struct swi_tb_point *point, size_t count);

#endif
