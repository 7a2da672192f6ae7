/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/tracking_server.h"
#include "core/text/parse.h"
#include "core/text/path_text.h"
#include "net/surroundings.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER_S = 30 };

struct lookup {
    struct swi_tracking_server *server;
    swi_env_fn *env;
    void *arg;
    struct sw_error *err;
};

/* ---- variables ------------------------------------------------------------------------------- */

static const char *variable(const struct lookup *l, const char *name)
{
    const char *value = l->env(l->arg, name);
    return value ? value : "";
}

static int take(const struct lookup *l, const char *name, char *value, size_t size)
{
    const char *found = variable(l, name);
    if (strlen(found) >= size)
        return sw_error_set(l->err, SW_EINVAL, "%s has more than %zu bytes", name, size - 1);
    memcpy(value, found, strlen(found) + 1);
    return 0;
}

/* A leading ~ is the home folder. */
static int path_take(const struct lookup *l, const char *name, char *value, size_t size)
{
    const char *found = variable(l, name);
    value[0] = '\0';
    return *found ? swi_path_text_of(name, found, variable(l, "HOME"), value, size, l->err) : 0;
}

static bool is_on(const struct lookup *l, const char *name)
{
    const char *value = variable(l, name);
    return strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

/* ---- the address ----------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

/* Decodes %XX of a part of an address. */
static void decoded(char *to, size_t size, const char *from, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        unsigned byte;
        bool coded =
            from[i] == '%' && i + 2 < length + 0 && sscanf(from + i + 1, "%2x", &byte) == 1;
        to[used++] = (char)(coded ? (int)byte : from[i]);
        i += coded ? 2 : 0;
    }
    to[used] = '\0';
}

/* Moves user:password@ from the address to the login. */
static void userinfo_take(struct swi_tracking_server *server)
{
    char *host = strstr(server->base_url, "://") + 3;
    size_t size = strcspn(host, "/?#");
    char *at = memrchr(host, '@', size),
         *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
    if (!at)
        return;
    struct swi_tracking_login *login = server->login;
    char *user_end = colon ? colon : at;
    decoded(login->user, sizeof login->user, host, (size_t)(user_end - host));
    if (colon)
        decoded(login->password, sizeof login->password, colon + 1, (size_t)(at - colon - 1));
    char rest[SWI_TRACKING_VALUE];
    snprintf(rest, sizeof rest, "%s", at + 1);
    explicit_bzero(host, strlen(host));
    memcpy(host, rest, strlen(rest) + 1);
}

static bool is_database(const char *uri)
{
    static const char *const schemes[] = {"sqlite:", "postgresql", "mysql", "mssql"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (begins(uri, schemes[i]))
            return true;
    return false;
}

static int refuse(const char *name, const char *why, struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL, "%s is %s", name, why);
}

int swi_tracking_uri_check(const char *name, const char *uri, struct sw_error *err)
{
    if (begins(uri, "http://") || begins(uri, "https://"))
        return 0;
    if (!*uri)
        return refuse(name, "not set", err);
    if (begins(uri, "databricks"))
        return sw_error_set(err, SW_EINVAL, "a Databricks workspace is not supported yet");
    if (begins(uri, "file:") || !strchr(uri, ':'))
        return refuse(name, "a folder, but MLflow no longer keeps runs in folders", err);
    if (is_database(uri))
        return refuse(name, "a database, which only `mlflow server --backend-store-uri` can write",
                      err);
    return refuse(name, "not the address of a server (http://... or https://...)", err);
}

static int address_find(const struct lookup *l, const char *uri)
{
    struct swi_tracking_server *server = l->server;
    SW_ERROR_SCOPE(why);
    bool given = uri && *uri;
    uri = given ? uri : variable(l, "MLFLOW_TRACKING_URI");
    if (swi_tracking_uri_check(given ? "the tracking URI" : "MLFLOW_TRACKING_URI", uri, &why) < 0) {
        snprintf(server->why, sizeof server->why, "%s", sw_error_text(&why));
        return 0;
    }
    if (strlen(uri) >= sizeof server->base_url)
        return sw_error_set(l->err, SW_EINVAL, "the address of the MLflow server is too long");
    memcpy(server->base_url, uri, strlen(uri) + 1);
    userinfo_take(server);
    swi_address_trim(server->base_url);
    server->open = swi_address_is_open(server->base_url);
    return 0;
}

/* ---- the login ------------------------------------------------------------------------------- */

/* Each of the two may be in the file alone. A file that others may read is refused. */
static int credentials_find(const struct lookup *l)
{
    char path[PATH_MAX], buffer[4096];
    struct swi_tracking_login *login = l->server->login;
    struct stat status;
    const char *refusal = NULL;
    if ((*login->user && *login->password) || !*variable(l, "HOME"))
        return 0;
    snprintf(path, sizeof path, "%s/.mlflow/credentials", variable(l, "HOME"));
    FILE *file = swi_plain_file_open(path);
    if (!file)
        return 0;
    if (fstat(fileno(file), &status) < 0 || (status.st_mode & (S_IRWXG | S_IRWXO)))
        refusal = swi_secret_file_refusal(fileno(file), &status);
    if (refusal) {
        fclose(file);
        return sw_error_set(l->err, SW_EINVAL, "%s: %s", path, refusal);
    }
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    if (!*login->user)
        swi_settings_value(file, "mlflow", "mlflow_tracking_username", login->user,
                           sizeof login->user);
    if (!*login->password)
        swi_settings_value(file, "mlflow", "mlflow_tracking_password", login->password,
                           sizeof login->password);
    fclose(file);
    explicit_bzero(buffer, sizeof buffer);
    return 0;
}

/* User and password are preferred to a token, as by the client. */
static int login_find(const struct lookup *l)
{
    struct swi_tracking_login *login = l->server->login;
    int rc =
        *login->user ? 0 : take(l, "MLFLOW_TRACKING_USERNAME", login->user, sizeof login->user);
    if (rc == 0 && !*login->password)
        rc = take(l, "MLFLOW_TRACKING_PASSWORD", login->password, sizeof login->password);
    if (rc == 0)
        rc = take(l, "MLFLOW_TRACKING_TOKEN", login->token, sizeof login->token);
    if (rc == 0)
        rc = credentials_find(l);
    if (rc == 0 && *login->user && *login->password)
        *login->token = '\0';
    if (rc < 0 || !*login->token || !login->token[strcspn(login->token, "\r\n")])
        return rc;
    return sw_error_set(l->err, SW_EINVAL, "MLFLOW_TRACKING_TOKEN has a line break");
}

/* ---- connections ----------------------------------------------------------------------------- */

static int tls_find(const struct lookup *l)
{
    struct swi_tracking_server *s = l->server;
    char ca_file[SWI_TRACKING_VALUE];
    int rc = path_take(l, "MLFLOW_TRACKING_SERVER_CERT_PATH", ca_file, sizeof ca_file);
    if (rc == 0)
        rc =
            path_take(l, "MLFLOW_TRACKING_CLIENT_CERT_PATH", s->certificate, sizeof s->certificate);
    s->insecure = is_on(l, "MLFLOW_TRACKING_INSECURE_TLS");
    if (rc == 0 && *ca_file)
        swi_connection_trust(&s->connection, ca_file);
    if (rc < 0 || !s->insecure || !*ca_file)
        return rc;
    return sw_error_set(l->err, SW_EINVAL,
                        "MLFLOW_TRACKING_INSECURE_TLS and MLFLOW_TRACKING_SERVER_CERT_PATH are "
                        "both set: unset one of them");
}

static int timeout_find(const struct lookup *l)
{
    const char *text = variable(l, "MLFLOW_HTTP_REQUEST_TIMEOUT");
    int64_t seconds = ANSWER_S;
    SW_ERROR_SCOPE(ignored);
    if (text[strspn(text, "0123456789")] || (*text && swi_parse_int(text, &seconds, &ignored) < 0))
        seconds = 0;
    l->server->answer_s = (double)seconds;
    if (seconds > 0 && seconds <= 86400)
        return 0;
    return sw_error_set(l->err, SW_EINVAL,
                        "MLFLOW_HTTP_REQUEST_TIMEOUT \"%s\": expected a number of seconds, 1 to "
                        "86400",
                        text);
}

static int names_find(const struct lookup *l)
{
    struct swi_tracking_server *s = l->server;
    int rc = take(l, "MLFLOW_EXPERIMENT_NAME", s->experiment, sizeof s->experiment);
    if (rc == 0)
        rc = take(l, "MLFLOW_EXPERIMENT_ID", s->experiment_id, sizeof s->experiment_id);
    if (rc == 0)
        rc = take(l, "MLFLOW_RUN_ID", s->run_id, sizeof s->run_id);
    return rc == 0 ? take(l, "MLFLOW_WORKSPACE", s->workspace, sizeof s->workspace) : rc;
}

/* Logins that are computed for each request. */
static void unsupported_look(const struct lookup *l)
{
    static const char *const names[] = {"MLFLOW_TRACKING_AUTH", "MLFLOW_TRACKING_AWS_SIGV4"};
    for (size_t i = 0; i < 2; i++) {
        const char *value = variable(l, names[i]);
        if (!*value || !*l->server->base_url || strcasecmp(value, "false") == 0)
            continue;
        snprintf(l->server->why, sizeof l->server->why, "%s is set, which is not supported",
                 names[i]);
        *l->server->base_url = '\0';
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void swi_login_name(char *name, size_t size, swi_env_fn *env, void *arg)
{
    static const char *const names[] = {"LOGNAME", "USER", "LNAME", "USERNAME"};
    struct passwd entry, *found = NULL;
    char buffer[4096];
    const char *user = NULL;
    for (size_t i = 0; (!user || !*user) && i < sizeof names / sizeof *names; i++)
        user = env(arg, names[i]);
    if ((!user || !*user) && getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 &&
        found)
        user = found->pw_name;
    snprintf(name, size, "%s", user ? user : "");
}

int swi_tracking_server_find(struct swi_tracking_server *server, const char *uri, swi_env_fn *env,
                             void *arg, struct sw_error *err)
{
    const struct lookup l = {server, env, arg, err};
    *server = (struct swi_tracking_server){.login = swi_secret_new(sizeof *server->login)};
    if (!server->login)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the login");
    swi_login_name(server->user, sizeof server->user, env, arg);
    int rc = address_find(&l, uri);
    if (rc == 0)
        rc = names_find(&l);
    if (rc < 0 || !*server->base_url)
        return rc;
    swi_connection_find(&server->connection, env, arg);
    if ((rc = login_find(&l)) == 0 && (rc = tls_find(&l)) == 0)
        rc = timeout_find(&l);
    unsupported_look(&l);
    return rc;
}

void swi_tracking_server_forget(struct swi_tracking_server *server)
{
    swi_secret_free(server->login, sizeof *server->login);
    server->login = NULL;
}
