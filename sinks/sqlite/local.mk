# SPDX-License-Identifier: MIT
EXTRA_DIST += $(sqlite_sources)
sqlite_sources = \
    %D%/database.c %D%/database.h \
    %D%/database_layout.h \
    %D%/oldest_rows.c \
    %D%/own_layout.c \
    %D%/own_files.c \
    %D%/own_schema.c \
    %D%/rows.c \
    %D%/sqlite_sink.c \
    %D%/waiting_rows.c \
    %D%/write_rows.c \
    %D%/trackio_layout.c %D%/trackio_folder.c \
    %D%/trackio_values.c

if HAVE_SQLITE
sink_LTLIBRARIES += sinks/sqlite.la
sinks_sqlite_la_SOURCES = $(sqlite_sources) sinks/common/runlog/value_files.c sinks/common/runlog/value_lines.c
sinks_sqlite_la_CFLAGS  = $(AM_CFLAGS) $(SQLITE_CFLAGS)
sinks_sqlite_la_LIBADD  = sinks/common/libcommon.la $(SQLITE_LIBS) -lm
# SQLite calls own_files.c from any thread, so it must stay loaded.
sinks_sqlite_la_LDFLAGS = $(SINK_LDFLAGS) -Wl,-z,nodelete
endif
