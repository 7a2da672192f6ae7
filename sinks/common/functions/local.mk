# SPDX-License-Identifier: MIT
# Function profiles: linked whole into the sink functions and into the command.
noinst_LTLIBRARIES += %D%/libfunctions.la
%C%_libfunctions_la_CFLAGS  = $(AM_CFLAGS) $(LIBDW_CFLAGS)
%C%_libfunctions_la_SOURCES = \
    %D%/debug.c %D%/debug.h \
    %D%/export_formats.c %D%/export_formats.h \
    %D%/function_names.c %D%/function_names.h \
    %D%/marshal.c %D%/marshal.h \
    %D%/merged_tree.c %D%/merged_tree.h \
    %D%/object.c %D%/object.h \
    %D%/pprof.c %D%/pprof.h \
    %D%/profile.c %D%/profile.h \
    %D%/profile_file.c %D%/profile_file.h \
    %D%/pstats.c %D%/pstats.h \
    %D%/pstats_list.c %D%/pstats_list.h \
    %D%/stacks.c %D%/stacks.h \
    %D%/stats.c %D%/stats.h
