/* SPDX-License-Identifier: MIT */
/* export_file.h - the output of an export: stdout, or a file that is complete or does not exist;
 * compressed if its name ends with .gz. */
#ifndef TOOLS_EXPORT_EXPORT_FILE_H
#define TOOLS_EXPORT_EXPORT_FILE_H

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

/* Opens the output. path: "-" is stdout. Missing folders are created. */
int export_file_open(struct export_file *file, const char *path, struct sw_error *err);

/* Writes data of a timeline. arg: the struct export_file. */
bool export_file_write(void *arg, const char *data, size_t size);

/* Closes the file. whole: false removes it. */
int export_file_close(struct export_file *file, bool whole, struct sw_error *err);

#endif
