/* SPDX-License-Identifier: MIT */
/* visible.h - which GPUs a program may use: CUDA_VISIBLE_DEVICES. */
#ifndef MONITORS_GPU_VISIBLE_H
#define MONITORS_GPU_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

enum { SWI_GPUS = 64, SWI_GPU_UUID = 96 };

/* What a list of devices means. */
struct swi_visible {
    size_t count;
    int index[SWI_GPUS]; /* in the order of the list */
};

/* The device that a MIG instance is part of; -1: unknown. */
typedef int swi_mig_parent_fn(void *arg, const char *uuid);

/* Reads the value of CUDA_VISIBLE_DEVICES: indices up to the first invalid one; beginnings of
 * UUIDs, each of exactly one device; or MIG instances. One that is named twice makes the list
 * empty. value NULL: all. uuids: of all devices, in order. mig may be NULL. */
void swi_visible_read(struct swi_visible *visible, const char *value, char (*uuids)[SWI_GPU_UUID],
                      size_t count, swi_mig_parent_fn *mig, void *arg);

#endif
