# SPDX-License-Identifier: MIT
# Function profiles: linked whole into the sink functions and into the command.
noinst_LTLIBRARIES += %D%/libfunctions.la
%C%_libfunctions_la_CFLAGS  = $(AM_CFLAGS) $(LIBDW_CFLAGS)
%C%_libfunctions_la_SOURCES = \
    core/process/object_file.c core/process/object_file.h \
    %D%/debug.c \
    %D%/export_formats.c %D%/export_formats.h \
    %D%/function_names.c \
    %D%/marshal.c \
    %D%/merged_tree.c %D%/merged_tree.h \
    %D%/object.c %D%/object.h \
    %D%/pprof.c \
    %D%/profile.c %D%/profile.h \
    %D%/profile_file.c \
    %D%/pstats.c \
    %D%/pstats_list.c %D%/pstats.h \
    %D%/stats.c %D%/stats.h
