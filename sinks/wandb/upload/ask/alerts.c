/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/ask/alerts.h"

#include "core/text/escape.h"

#include <string.h>

/* A program that sends more has an error in a loop. */
enum { WAITING_MAX = 1000 };

/* The SDK's default. */
enum { WAIT_MS = 60000 };

static const char *severity_of(const struct swi_alert_message *alert)
{
    bool known = strcmp(alert->level, "WARN") == 0 || strcmp(alert->level, "ERROR") == 0;
    return known ? alert->level : "INFO";
}

void swi_alerts_take(struct swi_alerts *alerts, const struct swi_record_message *record)
{
    if (record->what != SWI_RECORD_ALERT)
        return;
    const struct swi_alert_message *alert = record->alert;
    if (++alerts->read <= alerts->sent || json_array_size(alerts->waiting) >= WAITING_MAX)
        return;
    int64_t wait_ms = alert->wait_duration > 0 ? alert->wait_duration : WAIT_MS;
    json_array_append_new(alerts->waiting,
                          json_pack("{s:I, s:{s:s, s:s, s:s, s:I}}", "number",
                                    (json_int_t)alerts->read, "alert", "title", alert->title,
                                    "text", alert->text, "severity", severity_of(alert),
                                    "waitDuration", (json_int_t)wait_ms));
}

static int send_one(struct swi_link *link, const struct swi_bucket *bucket, const json_t *alert,
                    struct sw_error *err)
{
    static const char document[] =
        "mutation NotifyScriptableRunAlert($entityName: String!, $projectName: String!, "
        "$runName: String!, $title: String!, $text: String!, $severity: AlertSeverity, "
        "$waitDuration: Duration) { notifyScriptableRunAlert(input: {entityName: $entityName, "
        "projectName: $projectName, runName: $runName, title: $title, text: $text, "
        "severity: $severity, waitDuration: $waitDuration}) { success } }";
    json_t *data = NULL, *variables = json_copy((json_t *)(uintptr_t)alert);
    json_object_set_new(variables, "entityName", json_string(bucket->entity));
    json_object_set_new(variables, "projectName", json_string(bucket->project));
    json_object_set_new(variables, "runName", json_string(bucket->id));
    int rc = swi_api_ask(link, SWI_RETRY_GRAPHQL, "NotifyScriptableRunAlert", document, variables,
                         &data, err);
    json_decref(data);
    return rc;
}

static void refuse(struct swi_alerts *alerts, struct swi_link *link, const json_t *alert,
                   const struct sw_error *err)
{
    char text[1024];
    struct swi_text title = {0};
    swi_escape_terminal(&title, json_string_value(json_object_get(alert, "title")));
    snprintf(
        text, sizeof text,
        "the alert \"%.200s\" was not sent, nor were those after it; the next upload tries again: "
        "%.500s",
        title.data ? title.data : "", sw_error_text(err));
    swi_text_free(&title);
    link->asker.say(link->asker.arg, 1, text);
    alerts->refused = true;
}

bool swi_alerts_wait(const struct swi_alerts *alerts)
{
    return !alerts->refused && json_array_size(alerts->waiting);
}

int swi_alerts_send(struct swi_alerts *alerts, struct swi_link *link,
                    const struct swi_bucket *bucket, struct sw_error *err)
{
    const json_t *first = json_array_get(alerts->waiting, 0);
    const json_t *alert = json_object_get(first, "alert");
    int rc = send_one(link, bucket, alert, err);
    if (rc == SW_ETIME)
        return rc;
    if (rc < 0) {
        refuse(alerts, link, alert, err);
        return 0;
    }
    alerts->sent = json_integer_value(json_object_get(first, "number"));
    json_array_remove(alerts->waiting, 0);
    return 0;
}
