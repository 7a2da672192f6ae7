/* SPDX-License-Identifier: MIT */
/* augment.c - turns, resizes and moves a picture a little. */
#include "augment.h"

/* Found by experiment: with more, a 9 may become a 4; with less, the network overfits. */
static const float TURN = 0.15f;  /* radians, either way */
static const float RESIZE = 0.1f; /* share of the size, either way */
static const float MOVE = 0.7f;   /* pixels, either way */

/* Pixels outside the picture are paper. */
static float pixel_at(const float *picture, int x, int y)
{
    return x >= 0 && x < SIDE && y >= 0 && y < SIDE ? picture[y * SIDE + x] : 0.0f;
}

/* Interpolates between the four nearest pixels. */
static float ink_at(const float *picture, float x, float y)
{
    float left = floorf(x), top = floorf(y);
    float right = x - left, low = y - top;
    int i = (int)left, k = (int)top;

    float upper = (1 - right) * pixel_at(picture, i, k) + right * pixel_at(picture, i + 1, k);
    float lower =
        (1 - right) * pixel_at(picture, i, k + 1) + right * pixel_at(picture, i + 1, k + 1);
    return (1 - low) * upper + low * lower;
}

void augment(const float from[PIXELS], float to[PIXELS], struct random *random)
{
    const float middle = (SIDE - 1) / 2.0f;
    float angle = random_between(random, -TURN, TURN);
    float size = random_between(random, 1 - RESIZE, 1 + RESIZE);
    float along = size * cosf(angle), across = size * sinf(angle);
    float right = middle + random_between(random, -MOVE, MOVE);
    float down = middle + random_between(random, -MOVE, MOVE);

    /* Look up where each new pixel comes from, so that every pixel is set. */
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            float dx = (float)x - middle, dy = (float)y - middle;
            to[y * SIDE + x] =
                ink_at(from, right + along * dx - across * dy, down + across * dx + along * dy);
        }
    }
}
