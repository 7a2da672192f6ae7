/* SPDX-License-Identifier: MIT */
/* pipeline.h - one bounded queue and one worker thread for each open sink.
 *
 * The profiler pushes finished records, and no push ever waits for a sink. If a queue is full,
 * metrics, steps and regions are dropped and counted. All other records arrive, in order, unless a
 * sink hangs for very long (queue.h). */
#ifndef CORE_DELIVERY_PIPELINE_H
#define CORE_DELIVERY_PIPELINE_H

#include "core/delivery/dispatcher.h"
#include "core/delivery/messages.h"
#include "core/delivery/record.h"
#include "core/delivery/sink_services.h"
#include "core/plugins/settings.h"

#include <stepwatch/sink.h>

struct swi_pipeline;

/* Loads all sinks of the settings and fills their options. If there are no mistakes, it starts a
 * worker for each sink. The worker opens its sink at the first record or soon after, and until
 * then run and messages may be changed. Both are borrowed until the pipeline is freed. run is the
 * first record that a sink gets.
 *
 * Returns 0, SW_ECONFIG if there were mistakes, SW_ENOMEM or SW_EIO. On failure nothing runs. */
int swi_pipeline_open(struct swi_pipeline **pipeline, const struct swi_settings *settings,
                      const struct sw_run *run, struct swi_messages *messages,
                      struct swi_mistakes *mistakes, struct sw_error *err);

/* Only checks: loads the plugins and fills their options, and opens nothing. trial: a child process
 * loads each plugin first, so that a plugin that ends the process is a mistake like any other.
 * remarks: warnings of sinks are mistakes too, although a profiler with them would open. */
void swi_pipeline_check(const struct swi_settings *settings, bool trial, bool remarks,
                        struct swi_mistakes *mistakes);

/* Sets the functions that push regions that are complete but not pushed yet, and that make reports
 * that wait. The dispatcher calls them each time it looks; the first if a sink wants regions. */
void swi_pipeline_fetch(struct swi_pipeline *pipeline, swi_fetch_fn *fetch, swi_waiting_fn *waiting,
                        void *arg);

/* Sets the function that is called when the kinds of records that the sinks want change. */
void swi_pipeline_notify_wants(struct swi_pipeline *pipeline, swi_sink_requests_changed_fn *notify,
                               void *arg);

/* Sets the budget of the values that will be pushed: the dispatcher frees what waits for a sink
 * that hangs. */
void swi_pipeline_budget(struct swi_pipeline *pipeline, struct swi_budget *budget);

/* Which kinds of values some sink takes (SW_WANT_VALUE bits); as swi_pipeline_wants(). */
uint32_t swi_pipeline_value_kinds(const struct swi_pipeline *pipeline);

/* Returns the kinds of records that any sink wants (SW_WANT bits), with one atomic load; any thread
 * may call it. Until the open callback of a sink has returned, what it selects counts. */
uint32_t swi_pipeline_wants(const struct swi_pipeline *pipeline);

/* Asks for records of these kinds for core itself, even if no sink wants them. A record that no
 * sink wants must not be pushed. */
void swi_pipeline_want(struct swi_pipeline *pipeline, uint32_t wants);
bool swi_pipeline_sinks_want(const struct swi_pipeline *pipeline, enum sw_record_type type);

/* Sends a record to each sink that wants its kind, and takes over the caller's reference. Any
 * thread may call it. It never waits for a sink, and takes no lock and makes no system call unless
 * the dispatcher is late by megabytes (dispatcher.h). */
void swi_pipeline_push(struct swi_pipeline *pipeline, struct swi_record *record);

/* Returns whether to drop the next report of an epoch: too many wait to be made, or all sinks that
 * want them hang and would drop it. Then it is counted as dropped and need not be made. */
bool swi_pipeline_drops_epoch(struct swi_pipeline *pipeline, bool too_many);
/* Returns whether a sink asked to stop the run. */
bool swi_pipeline_stopped(const struct swi_pipeline *pipeline);

/* Makes all workers deliver and flush what is queued, and waits for them for at most timeout_ns in
 * all. Returns 0 or SW_ETIME. */
int swi_pipeline_flush(struct swi_pipeline *pipeline, int64_t timeout_ns);

/* Makes all workers deliver what is queued, flush and close, and waits for them for at most
 * timeout_ns in all; if it is patient, longer for sinks that report progress. A worker that does
 * not end in time is named and keeps its memory. err says what each sink lost. Returns 0, SW_ESINK
 * if something was lost or failed, or SW_ETIME if a worker did not end. */
int swi_pipeline_close(struct swi_pipeline *pipeline, int64_t timeout_ns, bool patient,
                       struct sw_error *err);

/* Frees a closed pipeline. Do not call it after SW_ETIME: a worker that did not end still uses the
 * pipeline, run, messages and the pool of the records. */
void swi_pipeline_free(struct swi_pipeline *pipeline);

/* Forgets workers and queues in the child of a fork, without touching any lock, file or sink. */
void swi_pipeline_forget(struct swi_pipeline *pipeline);

#endif
