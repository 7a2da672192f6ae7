/* SPDX-License-Identifier: MIT */
/* own_schema.h - the tables and views of the layout `stepwatch`. */
#ifndef SINKS_SQLITE_OWN_SCHEMA_H
#define SINKS_SQLITE_OWN_SCHEMA_H

/* The statements that create them; ends with NULL. */
extern const char *const swi_own_schema[];

#endif
