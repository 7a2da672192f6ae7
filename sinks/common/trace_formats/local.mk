# SPDX-License-Identifier: MIT
# The formats of traces: linked whole into the sink trace and into the command.
noinst_LTLIBRARIES += %D%/libtrace_formats.la
%C%_libtrace_formats_la_CFLAGS  = $(AM_CFLAGS) $(ZLIB_CFLAGS)
%C%_libtrace_formats_la_SOURCES = \
    %D%/call_tree.c %D%/call_tree.h \
    %D%/chrome.c %D%/chrome.h \
    %D%/chrome_events.c %D%/chrome_events.h \
    %D%/file_name_part.h \
    %D%/size_limit.c %D%/size_limit.h \
    %D%/folded.c %D%/folded.h \
    %D%/gzip.c %D%/gzip.h \
    %D%/json_event.h \
    %D%/loop_steps.c %D%/loop_steps.h \
    %D%/timeline_names.c %D%/timeline_names.h \
    %D%/perfetto.c %D%/perfetto.h \
    %D%/perfetto_events.c %D%/perfetto_events.h \
    %D%/region_uses.c %D%/region_uses.h \
    %D%/input_shapes.c %D%/input_shapes.h \
    %D%/span_edges.c %D%/span_edges.h \
    %D%/timeline_tables.c %D%/timeline_tables.h \
    %D%/speedscope.c %D%/speedscope.h \
    %D%/spool.c %D%/spool.h \
    %D%/timeline.c %D%/timeline.h \
    %D%/timeline_regions.c %D%/timeline_regions.h \
    %D%/timeline_state.h \
    %D%/tracks.c %D%/tracks.h \
    %D%/torch.c %D%/torch.h \
    %D%/xplane.c %D%/xplane.h
