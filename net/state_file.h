/* SPDX-License-Identifier: MIT */
/* state_file.h - LOG.upload: how much of a log has been uploaded, as a JSON object. */
#ifndef NET_STATE_FILE_H
#define NET_STATE_FILE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>

/* A number is an int64_t that is not negative, a real a double, a flag a bool. */
enum swi_state_type { SWI_STATE_NUMBER, SWI_STATE_REAL, SWI_STATE_TEXT, SWI_STATE_FLAG };

/* A member of the object, and the field of a struct that has its value. */
struct swi_state_field {
    const char *name;
    enum swi_state_type type;
    size_t offset, size; /* of the field */
    size_t known;        /* offset of a bool: whether there is the member; 0: there always is */
    bool needed;         /* without this number, a file is not valid */
    bool sparse;         /* a 0 is not written */
};
/* Its offset and size. */
#define SWI_STATE_FIELD(of, field) .offset = offsetof(of, field), .size = sizeof((of *)0)->field

/* Fills a struct from the file: 0 and "" for what it lacks. fields: the last one has no name.
 * Returns false if the file is missing, or is not a valid JSON object with all that is needed. */
bool swi_state_load(const char *log_path, const struct swi_state_field *fields, void *state);

/* Replaces the file at once, so that readers see the old or the new state. lasting: waits until the
 * disk has it. Returns 0, SW_EIO or SW_ENOMEM. */
int swi_state_save(const char *log_path, const struct swi_state_field *fields, const void *state,
                   bool lasting, struct sw_error *err);

#endif
