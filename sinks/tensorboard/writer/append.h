/* SPDX-License-Identifier: MIT */
/* append.h - puts records behind those that wait to be written. */
#ifndef TENSORBOARD_APPEND_H
#define TENSORBOARD_APPEND_H

#include "core/text/buffer.h"
#include "sinks/tensorboard/writer/writer.h"

/* The time of the next record: set, or the clock's. */
double swi_tb_now(const struct sw_tb *tb);

/* Begins an event with its time and its step. */
void swi_tb_event_begin(struct swi_text *event, double now, int64_t step);

/* Room for a payload, and the output's lock; NULL when it does not fit, the failure remembered and
 * rc set. */
uint8_t *swi_tb_reserve(struct sw_tb *tb, size_t size, int *rc);

/* The same with an event as the payload. */
uint8_t *swi_tb_event_put(struct sw_tb *tb, const struct swi_text *event, int *rc);

/* Takes the payload that was put there and counts it, and lets the lock go. Whether it is time to
 * write out what waits. */
bool swi_tb_append(struct sw_tb *tb, size_t size, double now);

#endif
