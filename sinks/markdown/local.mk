# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/markdown.la
sinks_markdown_la_SOURCES = %D%/markdown.c
sinks_markdown_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_markdown_la_LDFLAGS = $(SINK_LDFLAGS)
