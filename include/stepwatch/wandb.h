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
#endif

/** How far an upload is. */
struct sw_wandb_progress {
    int64_t bytes;       /**< of the run's file, read so far */
    int64_t bytes_total; /**< of the file */
    int64_t rows;        /**< read so far */
    int64_t rows_sent;   /**< stored by the service, that it did not have */
    int64_t files;       /**< sent so far */
    const char *url;     /**< of the run's page; "" before the service has made the run */
};

/** What an upload is told; all zero is fine but for size. Texts may be NULL. */
struct sw_wandb_sync {
    size_t size;          /**< sizeof(struct sw_wandb_sync) */
    const char *base_url; /**< of the service; NULL: WANDB_BASE_URL, or wandb's settings files */
    const char *entity;   /**< instead of what the file says; so are the next two */
    const char *project;
    const char *run_id;
    const char *ca_file; /**< PEM; NULL: SSL_CERT_FILE, or the system's authorities */
    bool insecure;       /**< takes any certificate: whoever is in between can read the key */
    bool dry_run;        /**< reads what would be uploaded and sends nothing */
    bool include_live;   /**< takes what there is of a run whose program still writes it */
    bool again;          /**< takes a run that is marked as uploaded; stores no row twice */
    double timeout_s;    /**< gives up after so long; 0: never, rows are tried for a week */

    /** Each is called on the calling thread, with arg, and may be NULL. */
    void (*progress)(void *arg, const struct sw_wandb_progress *progress);
    void (*say)(void *arg, int level, const char *text); /**< 0 note, 1 warning, 2 error */
    bool (*cancelled)(void *arg); /**< asked a few times a second; true ends the upload */
    void *arg;
};

/** What became of a run. */
enum sw_wandb_state {
    SW_WANDB_FINISHED, /**< all of it is stored, and the service knows how it ended */
    SW_WANDB_TORN,     /**< the program was killed: what there is is stored, the run has failed */
    SW_WANDB_LIVE,     /**< what there is is stored; the program still writes, the run is running */
    SW_WANDB_SYNCED,   /**< nothing was done: it is marked as uploaded */
    SW_WANDB_WRITTEN   /**< nothing was done: its program still writes it */
};

/** What an upload has done. */
struct sw_wandb_result {
    size_t size; /**< sizeof(struct sw_wandb_result), set by the caller */
    enum sw_wandb_state state;
    int exit_code;        /**< of the program; 1 where it was killed */
    char id[136];         /**< of the run */
    char url[2048];       /**< of its page; "" after a dry run */
    int64_t rows;         /**< in the file */
    int64_t rows_sent;    /**< that the service did not have */
    int64_t files;        /**< sent; in a dry run: named by the file */
    int64_t files_failed; /**< each was said */
    int64_t skipped;      /**< damaged stretches of the file; each was said */
    int64_t torn_bytes;   /**< at the file's end, of a record that is not whole */
};

/**
 * Uploads one run: each of its rows once, however often and from wherever it is uploaded.
 *
 * path:    a folder DIR/wandb/…run-TIME-ID, or the .wandb file in it. `FILE.synced` beside it is
 *          made when all is stored, files too; `FILE.upload` says where its rows begin at the
 *          service and how far they were sent. Where the run went on in another process, what the
 *          service lacks goes behind that one's rows, and the run stays as that one left it.
 * options: NULL for the defaults. The API key is looked for in WANDB_API_KEY, netrc and wandb's
 *          settings files.
 * result:  set to what was done, also on failure; may be NULL.
 * err:     filled on failure, with what to do about it; may be NULL.
 *
 * Returns 0; SW_EINVAL for a wrong argument, without a key, where another process writes the run,
 * or where it cannot be known which of its rows are there; SW_EFORMAT where the file holds no run;
 * SW_EIO where it cannot be read or the service refuses it; SW_ETIME where it was cancelled or
 * took too long: called again, it goes on where it was. Any thread; different runs at the same
 * time.
 */
SW_API int sw_wandb_sync(const char *path, const struct sw_wandb_sync *options,
                         struct sw_wandb_result *result, struct sw_error *err);

#ifdef __cplusplus
}
#endif
#endif
