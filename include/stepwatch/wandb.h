/* SPDX-License-Identifier: MIT */
/* wandb.h - uploads the runs that the sink wandb wrote to Weights & Biases.
 *
 * Link with -lstepwatch-wandb (pkg-config stepwatch-wandb); libstepwatch is not needed. */
#ifndef STEPWATCH_WANDB_H
#define STEPWATCH_WANDB_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** The progress of an upload. */
struct sw_wandb_progress {
    int64_t bytes;       /**< bytes of the run's file read so far */
    int64_t bytes_total; /**< size of the run's file */
    int64_t rows;        /**< rows read so far */
    int64_t rows_sent;   /**< rows that this upload has added to the service */
    int64_t files;       /**< files sent so far */
    const char *url;     /**< address of the run's page; "" until the service has created the run */
};

/** Options of an upload. All except size may be zero. */
struct sw_wandb_sync {
    size_t size;          /**< sizeof(struct sw_wandb_sync) */
    const char *base_url; /**< address of the service; NULL: WANDB_BASE_URL or settings files */
    const char *entity;   /**< this, project and run_id override the file; NULL: as in the file */
    const char *project;
    const char *run_id;
    const char *ca_file; /**< PEM file; NULL: SSL_CERT_FILE, or the system's authorities */
    bool insecure;       /**< accept any certificate: anyone in between can read the key */
    bool dry_run;        /**< read what would be uploaded, but send nothing */
    bool include_live;   /**< also upload what exists of a run that is still being written */
    bool again;          /**< also upload a run that is marked as uploaded; no row is sent twice */
    double timeout_s; /**< give up after this many seconds; 0: no limit, but a row is retried for at
                           most a week */

    /** These functions are called on the calling thread, with arg. Each may be NULL. */
    void (*progress)(void *arg, const struct sw_wandb_progress *progress);
    void (*say)(void *arg, int level, const char *text); /**< 0 note, 1 warning, 2 error */
    bool (*cancelled)(void *arg); /**< called a few times a second; true ends the upload */
    void *arg;

    /** These override the file, too; NULL: as in the file. The service takes at most 128
     * characters, and refuses the whole run otherwise: what is longer in the file is left out. */
    const char *name; /**< display name */
    const char *group;
    const char *job_type;
    const char *tags; /**< with commas between; each has 1 to 64 characters; "": none */
};

/** The state of a run after sw_wandb_sync(). */
enum sw_wandb_state {
    SW_WANDB_FINISHED, /**< everything is stored, and the service knows how the run ended */
    SW_WANDB_TORN,     /**< the program was killed: its rows are stored, the run is marked failed */
    SW_WANDB_LIVE,     /**< the rows so far are stored; the program is still writing */
    SW_WANDB_SYNCED,   /**< nothing was done: the run is marked as uploaded */
    SW_WANDB_WRITTEN   /**< nothing was done: the program is still writing */
};

/** The result of an upload. */
struct sw_wandb_result {
    size_t size; /**< sizeof(struct sw_wandb_result), set by the caller */
    enum sw_wandb_state state;
    int exit_code;        /**< of the program; 1 if it was killed */
    char id[136];         /**< id of the run */
    char url[2048];       /**< address of its page; "" after a dry run */
    int64_t rows;         /**< rows in the file */
    int64_t rows_sent;    /**< rows that the service did not have */
    int64_t files;        /**< files sent; in a dry run: named in the run's file */
    int64_t files_failed; /**< files not sent; each was reported through say() */
    int64_t skipped;      /**< damaged parts of the file; each was reported through say() */
    int64_t torn_bytes;   /**< bytes of an incomplete record at the end of the file */
};

/**
 * Uploads one run. Each row is stored once, however often and from wherever the run is uploaded.
 *
 * path:    a folder DIR/wandb/…run-TIME-ID, or the .wandb file in it. `FILE.synced` is created
 *          beside it when everything is stored, including files. `FILE.upload` records which of
 *          its rows were sent. If another process continued the run, the missing rows are added
 *          after that process's rows, and the run keeps the state in which that process left it.
 *          Only then may rows that were on their way when an upload broke off be stored twice; a
 *          message says how many.
 *
 * options: NULL for the defaults. The API key is read from WANDB_API_KEY, netrc or wandb's settings
 *          files.
 *
 * result:  set to what was done, even on failure; may be NULL.
 *
 * err:     filled on failure, with what to do about it; may be NULL.
 *
 * Returns 0 on success.
 * SW_EINVAL: an argument is wrong, no API key was found, another process is writing the run, or
 * stepwatch cannot find out which of its rows the service has.
 * SW_EFORMAT: the file does not contain a run.
 * SW_EIO: the file cannot be read, or the service refuses it.
 * SW_ETIME: the upload was cancelled or took too long; the next call continues where it stopped.
 *
 * Any thread may call it, and several threads at the same time for different runs.
 */
SW_API int sw_wandb_sync(const char *path, const struct sw_wandb_sync *options,
                         struct sw_wandb_result *result, struct sw_error *err);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(int, sw_wandb_sync,
        (const char *path, const struct sw_wandb_sync *options, struct sw_wandb_result *result,
         struct sw_error *err),
        (result ? (void)memset(result, 0, sizeof *result) : (void)0, sw_error_init(err), 0))
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
