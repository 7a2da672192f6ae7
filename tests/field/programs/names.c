/* SPDX-License-Identifier: MIT */
/* names.c - preloaded, it is a program that has functions of its own with the names of those that
 * the libraries of sinks have. Whoever of stepwatch gets one of them crashes. */
#include <stdio.h>
#include <stdlib.h>

#define NAME(name)                                                                                 \
    __attribute__((visibility("default"))) void name(void);                                        \
    void name(void)                                                                                \
    {                                                                                              \
        fputs("the program's own " #name "() was called\n", stderr);                               \
        abort();                                                                                   \
    }

NAME(sqlite3_open)
NAME(sqlite3_open_v2)
NAME(sqlite3_exec)
NAME(sqlite3_step)
NAME(sqlite3_close)
NAME(sqlite3_initialize)
NAME(json_object)
NAME(json_object_get)
NAME(json_object_set_new)
NAME(json_loads)
NAME(json_dumps)
NAME(json_delete)
NAME(yaml_parser_initialize)
NAME(yaml_parser_parse)
NAME(yaml_parser_load)
NAME(yaml_parser_delete)
NAME(yaml_document_delete)
NAME(curl_easy_init)
NAME(curl_easy_perform)
NAME(curl_global_init)
NAME(curl_version_info)
NAME(deflate)
NAME(deflateInit2_)
