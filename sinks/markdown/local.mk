# SPDX-License-Identifier: MIT
sink_LTLIBRARIES += sinks/markdown.la
sinks_markdown_la_SOURCES = %D%/markdown_sink.c
sinks_markdown_la_LIBADD  = sinks/common/libcommon.la -lm
sinks_markdown_la_LDFLAGS = $(SINK_LDFLAGS)

if BUILTIN_MARKDOWN
noinst_LTLIBRARIES += sinks/markdown/libbuiltin.la
libstepwatch_la_LIBADD += sinks/markdown/libbuiltin.la
sinks_markdown_libbuiltin_la_SOURCES  = $(sinks_markdown_la_SOURCES)
sinks_markdown_libbuiltin_la_CPPFLAGS = $(AM_CPPFLAGS) -DSW_SINK_SYMBOL=swi_sink_markdown
sinks_markdown_libbuiltin_la_CFLAGS   = $(AM_CFLAGS)
endif
