/* SPDX-License-Identifier: MIT */
/* writer.h - what the files of the writer share: its state, and how a record gets into it. */
#ifndef TENSORBOARD_WRITER_H
#define TENSORBOARD_WRITER_H

#include "core/files/identity.h"
#include "core/text/buffer.h"
#include "core/text/map.h"
#include "core/text/wire.h"
#include "sinks/tensorboard/writer/crc32c.h"

#include <stepwatch/error.h>
#include <stepwatch/tensorboard.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* ---- frames.c -------------------------------------------------------------------------------- */

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

/* ---- frames.c: the thread that flushes ------------------------------------------------------- */

/* The thread is there while values come, and for one interval more: a program whose main thread has
 * ended does not go on for it. */
struct swi_tb_flusher {
    pthread_mutex_t lock;         /* of the output and of what follows */
    struct swi_tb_output *output; /* what it writes out */
    double interval_s;
    pthread_cond_t wake; /* signals the thread to end */
    pthread_t thread;
    bool made;    /* there is a thread to be joined */
    bool running; /* and it has not decided to end */
    bool stop;
    uint64_t taken; /* records so far */
};

/* interval_s: beyond a year, no thread is started. Returns 0 or an errno. */
int swi_tb_flusher_init(struct swi_tb_flusher *flusher, struct swi_tb_output *output,
                        double interval_s);

/* A record was added to the output and is to be written within the interval. With the lock held. */
void swi_tb_flusher_need(struct swi_tb_flusher *flusher);

/* Ends the thread, if it runs, and waits for it. No other one is started. Without the
 * lock.
 */
void swi_tb_flusher_stop(struct swi_tb_flusher *flusher);

void swi_tb_flusher_fini(struct swi_tb_flusher *flusher);

/* ---- metadata.c: tags ------------------------------------------------------------------------ */

enum swi_tb_kind {
    SWI_TB_UNUSED, /* described, but without a value yet */
    SWI_TB_SCALAR,
    SWI_TB_HISTOGRAM,
    SWI_TB_TEXT,
    SWI_TB_IMAGE,
    SWI_TB_LAYOUT,
    SWI_TB_HPARAMS
};

struct swi_tb_tag {
    char *name; /* as the file has it: valid UTF-8, not empty */
    size_t name_size;
    struct swi_tb_tag *same; /* where the name had to be repaired: the tag that is used instead */
    enum swi_tb_kind kind;   /* of its values, or of the one that is being made of the first */
    bool used;               /* it has a value */
    bool refused;            /* it was said why a value was refused */
    int file;                /* number of the file that has its metadata, 0: none */
    char *markdown;          /* its description; may be NULL */
    uint64_t event; /* of the scalar event being made: whether the tag is in it, and where */
    size_t place;
};

/* Zero-initialised is empty. */
struct swi_tb_tags {
    struct swi_map keys;     /* as the caller writes them */
    struct swi_tb_tag **tag; /* by the number of the key */
    size_t repaired;         /* how many of the keys are empty or not UTF-8 */
};

/* Finds the tag, or adds it unused. NULL if out of memory. */
struct swi_tb_tag *swi_tb_tags_get(struct swi_tb_tags *tags, const char *key);

void swi_tb_tags_fini(struct swi_tb_tags *tags);

/* ---- writer.c -------------------------------------------------------------------------------- */

/* Which process a writer belongs to. A child has a copy of it, perhaps made while another thread
 * changed it, and must neither use its locks nor write its file. */
struct swi_tb_process {
    pid_t pid;
    volatile char *page; /* 1; the kernel makes 0 of it in a child. NULL: it cannot */
};

/* Returns whether this is the process of swi_tb_process_init(): at best one read, for every value
 * asks. */
static inline bool swi_tb_process_is_this(const struct swi_tb_process *process)
{
    return process->page ? *process->page : process->pid == getpid();
}

/* A scalar on its way: the tag, and the value as the file has it. */
struct swi_tb_point {
    struct swi_tb_tag *tag;
    float value;
    size_t metadata_size;
    uint8_t *metadata; /* encoded, on the tag's first occurrence; else NULL */
    size_t size;       /* of the Value message */
};

struct sw_tb {
    char *dir;
    char *suffix;
    char *writer;
    char *path;
    double flush_s;
    double wall_s;    /* time of what follows; NAN: the clock's */
    double flushed_s; /* when a call last wrote out what waits */
    int file;         /* number of the present file, from 1 */
    struct swi_tb_process process;
    struct swi_tb_flusher flusher; /* its lock is for output */
    struct swi_tb_output output;
    struct swi_tb_tags tags;
    uint64_t event;             /* number of the scalar event being made */
    struct swi_tb_point *point; /* scratch for it, room of them */
    size_t room;
    struct sw_tb_stats stats;
    int refused;             /* why swi_tb_tag() gave none */
    struct sw_error problem; /* since the last flush, one a line; code 0: none */
    bool failed;             /* one of them is swi_tb_fail()'s */
};

/* Returns whether a call has anything to do: not without a writer, nor in a child. */
static inline bool swi_tb_usable(const struct sw_tb *tb)
{
    return tb && swi_tb_process_is_this(&tb->process);
}

/* Takes the payload that was put there, and writes out what waits when it is time. */
void swi_tb_commit(struct sw_tb *tb, size_t size, double now);

/* Numbers of fields, as in the messages of tests/tensorboard/tb_messages.h. */
enum {
    SWI_TB_EVENT_WALL_TIME = 1,
    SWI_TB_EVENT_STEP = 2,
    SWI_TB_EVENT_FILE_VERSION = 3,
    SWI_TB_EVENT_SUMMARY = 5,
    SWI_TB_EVENT_SESSION_LOG = 7,
    SWI_TB_EVENT_SOURCE = 10,
    SWI_TB_SUMMARY_VALUE = 1,
    SWI_TB_VALUE_TAG = 1,
    SWI_TB_VALUE_SIMPLE = 2,
    SWI_TB_VALUE_TENSOR = 8,
    SWI_TB_VALUE_METADATA = 9
};

/* ---- append.c -------------------------------------------------------------------------------- */

/* Remembers the first failure since the last flush; returns code. */
__attribute__((format(printf, 3, 4))) int swi_tb_fail(struct sw_tb *tb, int code,
                                                      const char *format, ...);

/* Remembers why a value was refused, of each tag once; returns SW_EINVAL. */
__attribute__((format(printf, 3, 4))) int swi_tb_refuse(struct sw_tb *tb, struct swi_tb_tag *tag,
                                                        const char *format, ...);

/* Remembers what happened to the file; nothing is counted. */
void swi_tb_problem_add(struct sw_tb *tb, const struct sw_error *problem);

/* Moves what is remembered into err, and returns its code. */
int swi_tb_problem_take(struct sw_tb *tb, struct sw_error *err);

/* The time of the next record: set, or the clock's. */
double swi_tb_now(const struct sw_tb *tb);

/* Begins an event with its time and its step. */
void swi_tb_event_begin(struct swi_text *event, double now, int64_t step);

/* Room for a payload, and the output's lock; NULL when it does not fit, the failure remembered and
 * rc set. */
uint8_t *swi_tb_reserve(struct sw_tb *tb, size_t size, int *rc);

/* The same with an event as the payload. */
uint8_t *swi_tb_event_put(struct sw_tb *tb, const struct swi_text *event, int *rc);

/* Takes the payload that was put there and counts it, and lets the lock go. Whether it is time to
 * write out what waits. */
bool swi_tb_append(struct sw_tb *tb, size_t size, double now);

/* ---- metadata.c ------------------------------------------------------------------------------ */

/* Adds the metadata of a tag's values. content: of the plugin's own, freed. */
void swi_tb_metadata_put(struct swi_text *to, const struct swi_tb_tag *tag,
                         struct swi_text *content);

/* Returns whether a value of this tag needs metadata in the file of this number: only a scalar that
 * is not described needs none. */
bool swi_tb_metadata_due(const struct swi_tb_tag *tag, int file);

/* The metadata of a described scalar, encoded; the caller's to free(). NULL if out of memory. */
uint8_t *swi_tb_scalar_metadata(const struct swi_tb_tag *tag, size_t *size);

/* The tag, where a value of this kind may be written under it; else NULL: tb->refused
 * says the code, the failure is remembered. */
struct swi_tb_tag *swi_tb_tag(struct sw_tb *tb, const char *tag, enum swi_tb_kind kind);

/* ---- scalar.c -------------------------------------------------------------------------------- */

/* Fills in the size of each point's Value message and returns that of the event. */
size_t swi_tb_scalars_size(int64_t step, struct swi_tb_point *point, size_t count);

/* Encodes the event that swi_tb_scalars_size() measured; returns the end. */
uint8_t *swi_tb_scalars_put(uint8_t *payload, double wall_s, int64_t step,
                            const struct swi_tb_point *point, size_t count);

/* ---- event_file.c ---------------------------------------------------------------------------- */

/* Opens a new file; the output of the last one goes to old. */
int swi_tb_file_open(struct sw_tb *tb, struct swi_tb_output *old, struct sw_error *err);

/* Opens another file for one that was deleted, and takes over what waits. err says what happened,
 * in any case. */
int swi_tb_file_reopen(struct sw_tb *tb, struct sw_error *err);

/* Continues in a new file, which sorts after the one before. Returns 0, or SW_EIO and the writer
 * stays with its file. */
int swi_tb_file_next(struct sw_tb *tb, struct sw_error *err);

/* ---- event_copy.c ---------------------------------------------------------------------------- */

/* What a value has. */
struct swi_tb_value_parts {
    struct swi_wire_field tag;
    bool number, metadata;
};
struct swi_tb_value_parts swi_tb_value_parts(const struct swi_wire_field *value);

/* Adds a value to a summary, as it is to be in another file. */
typedef void swi_tb_value_fn(void *arg, struct swi_text *summary,
                             const struct swi_wire_field *value);

/* Adds a record's event with such values. Returns false if nothing of it is left, as of a first
 * event that is not the first any more. */
bool swi_tb_event_edit(struct swi_text *event, const char *record, size_t size, bool first,
                       swi_tb_value_fn *put, void *arg);

/* Returns whether to keep a value. tag: its size in bytes follows. number: it is a scalar. */
typedef bool swi_tb_keep_fn(void *arg, const char *tag, size_t size, bool number);

/* A new file with what is kept of others. */
struct swi_tb_copy {
    struct swi_tb_output output;
    bool open;     /* it is */
    int failed;    /* an errno, or 0 */
    int64_t bytes; /* copied */
    char *from;    /* path of the file that is read; NULL: none */
    off_t offset;  /* in it */
    swi_tb_keep_fn *keep;
    void *arg;
};

/* Begins the new file, in place of one of that name. */
int swi_tb_copy_begin(struct swi_tb_copy *copy, const char *path, struct sw_error *err);

/* Goes on with this file; one that cannot be read is empty, as NULL is. Markers of restarts are
 * kept, and the first event of the first file. */
void swi_tb_copy_from(struct swi_tb_copy *copy, const char *path, swi_tb_keep_fn *keep, void *arg);

/* Reads about so many bytes of it. Returns whether there may be more. */
bool swi_tb_copy_some(struct swi_tb_copy *copy, size_t bytes);

/* Completes and closes the new file. Returns 0 or an errno. */
int swi_tb_copy_end(struct swi_tb_copy *copy);

/* Returns whether the name of the program that has written a file ends so. */
bool swi_tb_file_is_of(const char *path, const char *end_of_name);

/* ---- value.c --------------------------------------------------------------------------------- */

/* A message that is being made of texts of the program. Zero-initialised, it is empty. */
struct swi_tb_message {
    struct swi_text bytes;
    int repaired; /* texts that were not UTF-8 */
};

/* Adds a text as valid UTF-8. NULL is "". */
void swi_tb_put_text(struct swi_tb_message *to, unsigned field, const char *text);
/* These add nothing if the value is the default of the format: no text, or 0. */
void swi_tb_put_name(struct swi_tb_message *to, unsigned field, const char *text);
void swi_tb_put_number(struct swi_tb_message *to, unsigned field, int64_t number);
void swi_tb_put_double(struct swi_tb_message *to, unsigned field, double number);
/* Frees the message. */
void swi_tb_put_message(struct swi_tb_message *to, unsigned field, struct swi_tb_message *message);

/* Types of a tensor's elements. */
enum { SWI_TB_FLOAT = 1, SWI_TB_DOUBLE = 2, SWI_TB_BYTES = 7 };

/* Its elements are borrowed. */
struct swi_tb_tensor {
    int type;
    int rank;
    size_t size[2]; /* of each dimension */
    size_t count;   /* of the elements that are given: of those the type asks for */
    const double *number;
    const struct sw_tb_blob *bytes;
    bool failed;  /* there was not enough memory for it */
    int repaired; /* texts in it that were not UTF-8 */
};

/* Writes an event of one value. content: of the plugin's metadata, freed; may be NULL. */
int swi_tb_value_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       const struct swi_tb_tensor *tensor, struct swi_tb_message *content);

/* ---- event_file.c: directories --------------------------------------------------------------- */

/* Makes a directory and its parents. An existing one is fine. */
int swi_tb_directory_make(const char *dir, struct sw_error *err);

/* Returns whether dir has an event file. */
bool swi_tb_directory_has_events(const char *dir);

/* Returns whether it is the name of an event file, as this writer makes them. */
bool swi_tb_is_event_file(const char *name);

/* ---- numbers in little endian ---------------------------------------------------------------- */

/* Compilers make one store of these. */
static inline uint8_t *swi_put32(uint8_t *to, uint32_t n)
{
    to[0] = (uint8_t)n;
    to[1] = (uint8_t)(n >> 8);
    to[2] = (uint8_t)(n >> 16);
    to[3] = (uint8_t)(n >> 24);
    return to + 4;
}

static inline uint8_t *swi_put64(uint8_t *to, uint64_t n)
{
    swi_put32(to, (uint32_t)n);
    swi_put32(to + 4, (uint32_t)(n >> 32));
    return to + 8;
}

static inline uint64_t swi_get64(const uint8_t *from)
{
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | from[i];
    return n;
}

#endif
