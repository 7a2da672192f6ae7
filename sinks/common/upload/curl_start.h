/* SPDX-License-Identifier: MIT */
/* curl_start.h - starts libcurl with memory that is erased when it is freed. */
#ifndef SINKS_COMMON_UPLOAD_CURL_START_H
#define SINKS_COMMON_UPLOAD_CURL_START_H

#include <curl/curl.h>

/* Starts libcurl. Returns CURLE_OK or libcurl's error. libcurl counts its starts, so the program
 * may start it too; each start needs a curl_global_cleanup(). */
CURLcode swi_curl_start(void);

#endif
