# SPDX-License-Identifier: MIT
# The formats of traces: linked whole into the sink trace and into the command.
noinst_LTLIBRARIES += %D%/libtrace_formats.la
%C%_libtrace_formats_la_CFLAGS  = $(AM_CFLAGS) $(ZLIB_CFLAGS)
%C%_libtrace_formats_la_SOURCES = \
    %D%/call_tree.c \
    %D%/chrome.c \
    %D%/file_name_part.h \
    %D%/timeline_output.c %D%/timeline_output.h \
    %D%/gzip.c %D%/gzip.h \
    %D%/json_event.h \
    %D%/perfetto.c \
    %D%/perfetto_events.c %D%/perfetto_events.h \
    %D%/region_arguments.c \
    %D%/span_edges.c \
    %D%/speedscope.c \
    %D%/timeline.c %D%/timeline.h \
    %D%/timeline_regions.c \
    %D%/timeline_state.h \
    %D%/tracks.c %D%/tracks.h \
    %D%/torch.c \
    %D%/xplane.c
