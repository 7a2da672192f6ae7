# SPDX-License-Identifier: MIT
# Function profiles: linked whole into the sink functions and into the command.
noinst_LTLIBRARIES += %D%/libfunctions.la
%C%_libfunctions_la_CFLAGS  = $(AM_CFLAGS) $(LIBDW_CFLAGS)
%C%_libfunctions_la_SOURCES = \
    %D%/exported_run.h \
    %D%/callgrind.c %D%/callgrind.h \
    %D%/debug.c %D%/debug.h \
    %D%/export_formats.c %D%/export_formats.h \
    %D%/file_names.c %D%/file_names.h \
    %D%/folded_file.c %D%/folded_file.h \
    %D%/frame_table.c %D%/frame_table.h \
    %D%/function_names.c %D%/function_names.h \
    %D%/marshal.c %D%/marshal.h \
    %D%/merged_tree.c %D%/merged_tree.h \
    %D%/object.c %D%/object.h \
    %D%/pprof.c %D%/pprof.h \
    %D%/profile.c %D%/profile.h \
    %D%/profile_file.c %D%/profile_file.h \
    %D%/profile_names.c %D%/profile_names.h \
    %D%/pstats.c %D%/pstats.h \
    %D%/pstats_list.c %D%/pstats_list.h \
    %D%/python_text.c %D%/python_text.h \
    %D%/speedscope_file.c %D%/speedscope_file.h \
    %D%/stacks.c %D%/stacks.h \
    %D%/stats.c %D%/stats.h
