/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/net/explain.h"
#include "net/answer_words.h"

static const char *advice(const struct swi_http_request *request,
                          const struct swi_http_answer *answer)
{
    int status = answer->outcome.status;
    if (answer->other_host)
        return "its certificate is for another host: base_url must name the host as the "
               "certificate does; if it already does, somebody else is answering";
    if (answer->untrusted)
        return "its certificate is checked against the system's authorities; for an authority of "
               "your own, set the option ca_file or SSL_CERT_FILE";
    if (status == 0 && request->path)
        return "is the network up, and is the address correct (option base_url or WANDB_BASE_URL)?";
    if (!request->path)
        return "the file stays in the run's folder";
    if (request->form)
        return "the service does not accept an identity token like the one in "
               "WANDB_IDENTITY_TOKEN_FILE";
    if (status == 401)
        return "the API key does not belong to this server, or was revoked: create a new one "
               "there, or set "
               "base_url to the server of the key";
    if (status == 403)
        return "the API key has no permission to write there: check project and entity, and whose "
               "key it is";
    if (status == 404)
        return "there is no such project or entity, or no such service at this address: check "
               "project, entity and base_url";
    if (status / 100 == 3)
        return "it redirects to another address, where the API key is not sent: set base_url to "
               "the address of the service";
    if (status == 409 || status == 413)
        return "the service accepts no more rows of this run; all of them are in the run's file";
    return "the service rejects it, and would reject it again";
}

int swi_explain(const char *base_url, const char *key_from, const struct swi_http_request *request,
                const struct swi_http_answer *answer, struct sw_error *err)
{
    char what[768];
    bool key = answer->outcome.status == 401 && key_from && *key_from;
    swi_explain_short(what, sizeof what, answer);
    return sw_error_set(err, SW_EIO, "%s: %s%s%s; %s", base_url, what, key ? " to the key of " : "",
                        key ? key_from : "", advice(request, answer));
}
