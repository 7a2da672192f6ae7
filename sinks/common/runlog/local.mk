# SPDX-License-Identifier: MIT
# The lines of a run log, and the files beside it: sinks that write them list what they need.
runlog_lines = \
    %D%/blocks.c \
    %D%/counter_lines.c %D%/counter_lines.h \
    %D%/line_fields.h \
    %D%/lines.c %D%/lines.h \
    %D%/logged_step.c \
    %D%/report_lines.c \
    %D%/value_files.c \
    %D%/value_lines.c %D%/value_lines.h

# The formats of compressed logs, and their bytes as text, for who writes or reads them.
frame_codecs = \
    %D%/frame_codec.h \
    %D%/gzip_codec.c \
    %D%/log_bytes.c %D%/log_bytes.h \
    %D%/zstd_codec.c
