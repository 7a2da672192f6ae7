/* SPDX-License-Identifier: MIT */
/* utf8.h - one byte that is no UTF-8 makes TensorBoard stop reading a file, or all files: every
 * text goes through here. */
#ifndef TENSORBOARD_UTF8_H
#define TENSORBOARD_UTF8_H

#include <stddef.h>

/* A copy in which every byte that is no part of valid UTF-8 stands as \xNN; the caller's to free().
 * NULL without memory. */
char *swi_tb_utf8_copy(const char *text, size_t size);

#endif
