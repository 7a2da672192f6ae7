/* SPDX-License-Identifier: MIT */
/* augment.h - changes a picture as if somebody else had written the digit. */
#ifndef DIGITS_AUGMENT_H
#define DIGITS_AUGMENT_H

#include "data.h"
#include "random.h"

/* Turns, resizes and moves a picture a little, at random. */
void augment(const float from[PIXELS], float to[PIXELS], struct random *random);

#endif
