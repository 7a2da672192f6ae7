/* SPDX-License-Identifier: MIT */
/* frames.h - records on their way into a file: framed in memory, written whole, kept while the disk
 * refuses them. */
#ifndef TENSORBOARD_FRAMES_H
#define TENSORBOARD_FRAMES_H

#include "core/files/identity.h"
#include "sinks/tensorboard/writer/crc32c.h"

#include <stepwatch/error.h>

#include <stdbool.h>

/* Bytes around a payload: its length and the length's checksum before it, its own checksum after.
 */
#define SWI_TB_HEADER 12
#define SWI_TB_FRAME 16

/* Payloads beyond what readers take in one piece. */
#define SWI_TB_PAYLOAD_MAX ((size_t)256 << 20)

struct swi_tb_output {
    int fd;
    struct swi_identity identity;
    char *path;      /* to open it again if the program has closed the descriptor */
    int failed;      /* errno of the last write, 0 if it went well */
    uint8_t *buffer; /* size bytes */
    size_t size;
    size_t used;
    int64_t waiting; /* records that are not, or not whole, in the file */
    size_t torn;     /* bytes at the front that end a record of which the file has the beginning */
    swi_crc32c_fn *crc;
};

/* Takes over fd, also on failure. path: of the file, copied. */
int swi_tb_output_init(struct swi_tb_output *output, int fd, const char *path,
                       struct sw_error *err);

/* Room for a payload of size bytes; NULL if there is none and errno says why: the file cannot be
 * written, or no memory. */
uint8_t *swi_tb_output_reserve(struct swi_tb_output *output, size_t size);

/* Frames the payload of size bytes that was put where swi_tb_output_reserve() said. */
void swi_tb_output_commit(struct swi_tb_output *output, size_t size);

/* Writes what waits; a limit of the file's size ends no program. Returns 0, or -1 with errno,
 * keeping the rest. */
int swi_tb_output_write(struct swi_tb_output *output);

/* Returns whether the file has no name any more: somebody removed it. */
bool swi_tb_output_deleted(const struct swi_tb_output *output);

/* Closes the file and frees the buffer with what still waits. Returns 0 or -1 with errno. */
int swi_tb_output_fini(struct swi_tb_output *output);

#endif
