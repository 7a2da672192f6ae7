/* SPDX-License-Identifier: MIT */
/* export_file.h - the file that an export makes: on stdout, or in a file that is complete or not
 * there at all; compressed if its name ends with .gz. */
#ifndef TOOLS_TIMELINE_EXPORT_FILE_H
#define TOOLS_TIMELINE_EXPORT_FILE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdio.h>

struct swi_gzip;

struct export_file {
    FILE *file;
    char *path, *temporary; /* NULL: stdout */
    struct swi_gzip *gzip;
    bool failed;
};

/* path: "-" is stdout. Missing folders are made. */
int export_file_open(struct export_file *file, const char *path, struct sw_error *err);

/* For a timeline: arg is the struct export_file. */
bool export_file_write(void *arg, const char *data, size_t size);

/* Ends the file; whole: false removes it. */
int export_file_close(struct export_file *file, bool whole, struct sw_error *err);

#endif
