/* SPDX-License-Identifier: MIT */
/* packed.h - the formats of compressed run logs that this build has, for tests of each. */
#ifndef TESTS_SUPPORT_PACKED_H
#define TESTS_SUPPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>

/* How many formats there are: 1 without libzstd. */
extern const int packed_formats;

/* Chooses one: 0 is gzip, 1 is zstd. */
void packed_choose(int format);

/* Returns a text with its name in place of each "%N", and with the end of paths in place of "%E".
 * It is valid until a few more were made. */
const char *packed_text(const char *text);

/* Returns what a program that reads the format gets of a file, which may end within a frame. Files
 * of text are returned as they are. It is valid until the next call. */
const char *packed_read(const char *path);

/* Makes a frame of a text, without its end if `ends` is false. mark: with the mark of the sink.
 * Returns its size. */
size_t packed_frame(unsigned char *out, size_t room, const char *text, bool mark, bool ends);

/* Adds text to the frame that was made last and has no end. Returns the size of the block. */
size_t packed_block(unsigned char *out, size_t room, const char *text);

#endif
