/* SPDX-License-Identifier: MIT */
/* pipeline.h - one bounded queue and one worker thread for each open sink.
 *
 * The profiler pushes finished records; no push ever waits for a sink. Metrics, steps and regions
 * are dropped, and counted, when a queue is full; every other record arrives, and after those
 * pushed before it, unless a sink hangs for very long (queue.h). */
#ifndef CORE_DELIVERY_PIPELINE_H
#define CORE_DELIVERY_PIPELINE_H

#include "core/delivery/carrier.h"
#include "core/delivery/demand.h"
#include "core/delivery/messages.h"
#include "core/delivery/record.h"
#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

struct swi_pipeline;

/* Loads every sink of the settings, fills its options (all mistakes into `mistakes`) and, when
 * there was none, starts a worker for each. open runs there, at the first record or soon after:
 * until then run and messages may be changed. Both are borrowed until the pipeline is freed; run is
 * the first record of every sink that wants it. Returns 0;
 * SW_ECONFIG when there were mistakes; SW_ENOMEM, SW_EIO. On failure nothing runs. */
int swi_pipeline_open(struct swi_pipeline **pipeline, const struct swi_settings *settings,
                      const struct sw_run *run, struct swi_messages *messages,
                      struct swi_mistakes *mistakes, struct sw_error *err);

/* Only checks: loads the plugins and fills options into scratch states. trial: each plugin is
 * loaded by a child process before, so that one which ends it is a mistake like any other. remarks:
 * so is what sinks remark, which does not keep a profiler from opening. */
void swi_pipeline_check(const struct swi_settings *settings, bool trial, bool remarks,
                        struct swi_mistakes *mistakes);

/* Sets who is to push regions that nobody pushed yet: called by the carrier each time it looks, if
 * some sink wants any. */
void swi_pipeline_fetch(struct swi_pipeline *pipeline, swi_fetch_fn *fetch, void *arg);

/* Sets who is told when the kinds of records that some sink wants change. */
void swi_pipeline_tell_wants(struct swi_pipeline *pipeline, swi_demand_changed_fn *tell, void *arg);

/* Which kinds of records some sink wants (SW_WANT bits), from what the sinks said so far; any
 * thread, one atomic load. Until a sink's open has returned its descriptor's wants count. */
uint32_t swi_pipeline_wants(const struct swi_pipeline *pipeline);

/* Has records of these kinds made even if no sink wants them, for core itself. Such a record must
 * not be pushed unless a sink wants it, too. */
void swi_pipeline_want(struct swi_pipeline *pipeline, uint32_t wants);
bool swi_pipeline_sinks_want(const struct swi_pipeline *pipeline, enum sw_record_type type);

/* Leaves record for every sink that wants its kind, and drops the caller's reference. Any thread;
 * never waits for a sink; takes no lock and makes no system call unless the carrier is late by
 * megabytes (carrier.h). */
void swi_pipeline_push(struct swi_pipeline *pipeline, struct swi_record *record);

/* Whether every sink that wants reports of epochs would drop the next one, as it hangs: then it is
 * counted as dropped, and need not be made. */
bool swi_pipeline_drops_epoch(struct swi_pipeline *pipeline);

/* Whether some sink asked to stop the run. */
bool swi_pipeline_stopped(const struct swi_pipeline *pipeline);

/* Has every worker deliver and flush what is queued, and waits for that, at most timeout_ns in all.
 * 0 or SW_ETIME. */
int swi_pipeline_flush(struct swi_pipeline *pipeline, int64_t timeout_ns);

/* Tells every worker to finish: deliver what is queued, flush, close. Waits for all at most
 * timeout_ns in all. A worker that does not come back is left alone with its memory, and named. err
 * sums up what every sink lost. Returns 0, SW_ESINK (something was lost or failed) or SW_ETIME (a
 * worker did not come back). */
int swi_pipeline_close(struct swi_pipeline *pipeline, int64_t timeout_ns, struct sw_error *err);

/* Frees a closed pipeline. Not after SW_ETIME: a worker that was left alone still uses it, and run,
 * messages and the records' pool. */
void swi_pipeline_free(struct swi_pipeline *pipeline);

/* In the child of fork(): forgets workers and queues without touching any lock, file or sink. */
void swi_pipeline_forget(struct swi_pipeline *pipeline);

#endif
