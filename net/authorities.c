/* SPDX-License-Identifier: MIT */
#include "net/authorities.h"

#include "net/libcurl.h"
#include "net/plain_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A larger file is not a list of authorities. */
enum { FILE_MAX = 4 << 20, ALL_MAX = 16 << 20 };

static const char *system_file(void)
{
    const curl_version_info_data *about = swi_curl.version_info(CURLVERSION_NOW);
    return about->age >= CURLVERSION_SEVENTH && about->cainfo ? about->cainfo : "";
}

static void file_add(struct swi_text *pem, const char *path)
{
    char bytes[16384];
    struct swi_text text = {0};
    FILE *file = swi_plain_file_open(path);
    for (size_t size = 1; file && size && text.size < FILE_MAX; swi_text_add(&text, bytes, size))
        size = fread(bytes, 1, sizeof bytes, file);
    if (file)
        fclose(file);
    if (text.data && strstr(text.data, "-----BEGIN CERTIFICATE-----") &&
        pem->size + text.size < ALL_MAX) {
        swi_text_add(pem, text.data, text.size);
        swi_text_put(pem, "\n");
    }
    swi_text_free(&text);
}

/* c_rehash gives each file in its folder a second name: a link beside it. */
static bool is_second_name(const char *path)
{
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target);
    return size > 0 && !memchr(target, '/', (size_t)size);
}

static void folder_add(struct swi_text *pem, const char *folder)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *listed = opendir(folder);
    while (listed && (entry = readdir(listed))) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.' && size < PATH_MAX && !is_second_name(path))
            file_add(pem, path);
    }
    if (listed)
        closedir(listed);
}

void swi_authorities_read(struct swi_text *pem, const char *file, const char *folders)
{
    char *copied = strdup(folders), *rest = copied;
    file_add(pem, *file ? file : system_file());
    for (const char *folder; copied && (folder = strsep(&rest, ":"));)
        if (*folder)
            folder_add(pem, folder);
    pem->failed |= !copied;
    free(copied);
}
