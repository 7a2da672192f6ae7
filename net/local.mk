# SPDX-License-Identifier: MIT
# Requests to servers. net_place and net_http: a connection and one request, which the library sends, too. libplace: what
# offline runs need of an upload, and the surroundings of a run; libsend: the rest.
net_http = \
    %D%/http.c %D%/http.h \
    %D%/http_headers.c %D%/http_headers.h \
    %D%/libcurl.c %D%/libcurl.h \
    %D%/retry.c %D%/retry.h \
    %D%/secrets.c %D%/secrets.h
net_place = \
    %D%/surroundings.c %D%/surroundings.h

noinst_LTLIBRARIES += %D%/libplace.la
%C%_libplace_la_CFLAGS  = $(AM_CFLAGS)
%C%_libplace_la_SOURCES = \
    sinks/common/git.c sinks/common/git.h \
    %D%/settings_file.c \
    $(net_place)

# What sends stays loaded: libcurl keeps pointers to its functions that wipe memory before it is freed, and its thread may
# hang in the resolver of names, where nothing can end it.
SEND_LDFLAGS = -Wl,-z,nodelete

if HAVE_SEND
noinst_LTLIBRARIES += %D%/libsend.la
%C%_libsend_la_CFLAGS  = $(AM_CFLAGS) $(CURL_CFLAGS) $(JANSSON_CFLAGS) -pthread
%C%_libsend_la_SOURCES = \
    $(net_http) core/files/own_symbols.c \
    %D%/asker.c %D%/asker.h \
    %D%/json.c %D%/json.h \
    %D%/sender.c %D%/sender.h
%C%_libsend_la_LIBADD = $(JANSSON_LIBS) -lm
endif
