/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/net/token.h"
#include "core/clock/now.h"
#include "net/http_headers.h"
#include "net/json.h"
#include "net/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

int swi_token_form(struct swi_text *form, struct swi_link *link, struct sw_error *err)
{
    const char *path = link->identity;
    char *token = swi_http_secrets(link->http)->identity;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, token, SWI_TOKEN_MAX);
    int error = errno;
    if (fd >= 0)
        close(fd);
    token[size < 0 ? 0 : size] = '\0';
    if (size < 0)
        return sw_error_set(err, SW_EIO, "WANDB_IDENTITY_TOKEN_FILE %s: cannot be read: %s", path,
                            strerror(error));
    token[strcspn(token, " \t\r\n")] = '\0';
    if (!*token || size == SWI_TOKEN_MAX)
        return sw_error_set(err, SW_EIO, "WANDB_IDENTITY_TOKEN_FILE %s: contains no token", path);
    swi_text_put(form,
                 "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
    swi_http_escape(form, token);
    return form->failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for the identity token")
                        : 0;
}

int swi_token_take(struct swi_link *link, const json_t *answer, struct sw_error *err)
{
    const char *token = swi_json_text(json_object_get(answer, "access_token"));
    double seconds = json_number_value(json_object_get(answer, "expires_in"));
    if (!*token || strlen(token) > SWI_TOKEN_MAX || strpbrk(token, "\r\n"))
        return sw_error_set(
            err, SW_EIO, "%s: gave no token in exchange for the one in WANDB_IDENTITY_TOKEN_FILE",
            link->base_url);
    if (!swi_http_token(link->http, token))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a token");
    /* Get a new token before the old one expires. */
    seconds = seconds > 0 ? fmin(seconds, 86400) : 3600;
    link->token_ns = swi_now_ns() + (int64_t)(seconds * 0.8e9);
    return 1;
}
