/* SPDX-License-Identifier: MIT */
/* pending_reports.h - the moments whose reports are not made yet, and reports as records.
 *
 * The loop's thread only notes a moment (core/loop/fit.c). The first sink that gets the record of a
 * moment makes its report, after those of all earlier moments. Code that needs a report sooner
 * makes it itself. */
#ifndef CORE_RECORDS_PENDING_REPORTS_H
#define CORE_RECORDS_PENDING_REPORTS_H

#include "core/records/emit.h"
#include "core/report/report.h"

/* Written by the thread that makes the waiting reports. */
struct swi_moments {
    struct swi_reports *reports;
    struct swi_recorder *records;
    pthread_mutex_t making; /* held while reports are made; taken before the lock of `measured` */
    struct sw_report *last; /* of the fit that ended last; under the lock of `measured` */
    atomic_size_t report_bytes; /* the size of the report that was made last */
};

void swi_moments_init(struct swi_moments *moments, struct swi_reports *reports,
                      struct swi_recorder *records);
/* Drops all waiting moments and frees what they hold. */
void swi_moments_fini(struct swi_moments *moments);

/* Makes the report of a moment and gives it to the moment's record. Takes over what the moment
 * holds. Call it with `making` held, or when no other report waits. */
void swi_moment_make(struct swi_moments *moments, struct swi_moment *moment);

/* Makes the waiting reports of all moments up to this number, or of all of them (SWI_NOW). Any
 * thread that holds no lock may call it. */
void swi_moments_make(struct swi_moments *moments, uint64_t number);
/* Makes the oldest waiting report. moments: a struct swi_moments. */
void swi_moments_relieve(void *moments);

/* Makes the oldest waiting report if many wait. Returns whether it has made one. */
bool swi_moments_catch_up(struct swi_moments *moments);

/* Drops the oldest moments up to the first that has a record: after the next fit has ended, nobody
 * asks for the report of the fit before. */
void swi_moments_forget(struct swi_moments *moments);

/* Sends a report as a record and takes over the report. report: NULL if there was no memory for it.
 */
void swi_emit_report(struct swi_recorder *records, enum sw_record_type type,
                     struct sw_report *report, int64_t tick);

/* Sends a report of another run as the report of a fit. Takes over the report. */
void swi_emit_logged_report(struct swi_recorder *records, struct sw_report *report, int64_t tick);

/* swi_emit_later() returns a record that gets the report of a moment when that report is made; NULL
 * if no sink wants it or memory runs out. It has a second reference for the code that makes the
 * report. swi_emit_moment() then sends it with the number of the moment. */
struct swi_record *swi_emit_later(struct swi_moments *moments, const struct swi_thread *thread,
                                  enum sw_record_type type, int64_t tick);
void swi_emit_moment(struct swi_moments *moments, struct swi_record *record, uint64_t moment);

/* Returns the report of everything measured so far: of the open fit, or of the last fit and what
 * came after it. If there was no fit, it is the report of all own actions. Returns NULL if out of
 * memory. */
struct sw_report *swi_report_now(struct swi_moments *moments);

#endif
