/* SPDX-License-Identifier: MIT */
/* pending_reports.h - the moments whose reports are still to be made, and reports as records.
 *
 * The loop's thread only notes a moment (core/loop/fit.c); the first sink that gets its record has
 * the report made, with those of all moments before it. Whoever needs a report earlier makes it
 * himself. */
#ifndef CORE_RECORDS_PENDING_REPORTS_H
#define CORE_RECORDS_PENDING_REPORTS_H

#include "core/records/emit.h"
#include "core/report/report.h"

/* Written by whoever makes reports that wait. */
struct swi_moments {
    struct swi_reports *reports;
    struct swi_recorder *records;
    pthread_mutex_t making;     /* of whoever makes them; taken before that of `measured` */
    struct sw_report *last;     /* of the fit that ended last, once it is made; that lock */
    atomic_size_t report_bytes; /* of the one that was made last */
};

void swi_moments_init(struct swi_moments *moments, struct swi_reports *reports,
                      struct swi_recorder *records);
/* Forgets all of them. */
void swi_moments_fini(struct swi_moments *moments);

/* Makes the report of a moment and gives it to its record; takes over what the moment holds. With
 * `making` held, or where no other report waits. */
void swi_moment_make(struct swi_moments *moments, struct swi_moment *moment);

/* Makes all reports that are still to be made up to a moment; SWI_NOW: all. Any thread that holds
 * no lock. */
void swi_moments_make(struct swi_moments *moments, uint64_t number);
/* The same of the oldest. moments: a struct swi_moments. */
void swi_moments_relieve(void *moments);

/* Forgets the oldest moments for as long as they have no record: once another fit is over, nobody
 * asks for the report of the one before. */
void swi_moments_forget(struct swi_moments *moments);

/* Hands over a report as a record; takes over the report. NULL: there was no memory for one. */
void swi_emit_report(struct swi_recorder *records, enum sw_record_type type,
                     struct sw_report *report, int64_t tick);

/* A record that gets the report of a moment when that is made, with a reference for whoever makes
 * it; NULL where nobody wants it. Then it is pushed with the moment's number. */
struct swi_record *swi_emit_later(struct swi_moments *moments, const struct swi_thread *thread,
                                  enum sw_record_type type, int64_t tick);
void swi_emit_moment(struct swi_moments *moments, struct swi_record *record, uint64_t moment);

/* Returns the report of all that was measured so far: of the fit that is open, or of the one that
 * ended last with what came after it; of all own actions where there was no fit. NULL without
 * memory. */
struct sw_report *swi_report_now(struct swi_moments *moments);

#endif
