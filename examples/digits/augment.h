/* SPDX-License-Identifier: MIT */
/* augment.h - a picture as somebody else might have written it. */
#ifndef DIGITS_AUGMENT_H
#define DIGITS_AUGMENT_H

#include "data.h"
#include "random.h"

/* Turns, resizes and moves a picture a little, by chance. */
void augment(const float from[PIXELS], float to[PIXELS], struct random *random);

#endif
