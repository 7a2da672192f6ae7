/* SPDX-License-Identifier: MIT */
/* folder.h - the runs that are watched: one log, or those of a folder. */
#ifndef TOOLS_WATCH_FOLDER_H
#define TOOLS_WATCH_FOLDER_H

#include "tools/watch/watched.h"

enum { FOLDER_RUNS = 256 };

struct folder {
    const char *path;
    bool is_folder;
    bool tail;
    size_t count;
    struct watched *run[FOLDER_RUNS]; /* the newest first; ranks of one run in their order */
    int64_t compared_ns;
};

/* tail: of each log only the last epoch is read in full. Returns false if out of memory. */
bool folder_open(struct folder *folder, const char *path, bool tail);
void folder_close(struct folder *folder);

/* Reads what is new in all of them, and looks for new logs every 2 s. Returns whether something was
 * new. */
bool folder_turn(struct folder *folder);

#endif
