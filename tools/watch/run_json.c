/* SPDX-License-Identifier: MIT */
#include "tools/watch/run_json.h"

#include "tools/output/text.h"
#include "tools/watch/findings.h"
#include "tools/watch/watched_state.h"

#include <math.h>

static json_t *actions_json(const struct watched *run)
{
    struct watched_figures step = watched_figures(run, run->step_ns);
    json_t *all = json_array();
    for (size_t i = 0; i < run->actions; i++) {
        struct watched_figures figures = watched_figures(run, run->action[i].ns);
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "action", text_json(run->action[i].name),
                           "mean_ns", text_json_number(figures.mean_ns), "p50_ns",
                           text_json_number(figures.p50_ns), "p99_ns",
                           text_json_number(figures.p99_ns), "share",
                           text_json_number(step.sum_ns > 0 ? figures.sum_ns / step.sum_ns : 0.0)));
    }
    return all;
}

static json_t *metrics_json(const struct watched *run)
{
    json_t *all = json_object();
    for (size_t i = 0; i < run->metrics; i++)
        json_object_set_new_nocheck(all, run->metric[i].name,
                                    text_json_number(run->metric[i].newest));
    return all;
}

static json_t *findings_json(const struct watched *run)
{
    json_t *all = json_array();
    const char *text;
    for (size_t i = 0; (text = findings_text(run, i)) != NULL; i++)
        json_array_append_new(all, text_json(text));
    return all;
}

json_t *run_json(const struct watched *run)
{
    static const char *const states[] = {"waiting", "running", "silent", "finished", "dead"};
    double eta = run->finished ? -1 : watched_eta(run);
    struct watched_figures step = watched_figures(run, run->step_ns);
    return json_pack(
        "{s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:I}",
        "log", text_json(run->follow.path), "name", text_json(run->name), "state",
        states[watched_state(run)], "host", text_json(run->host), "pid", (json_int_t)run->pid,
        "rank", (json_int_t)run->rank, "world_size", (json_int_t)run->world_size, "elapsed_s",
        (double)run->t_ns * 1e-9, "epoch", (json_int_t)run->epoch, "step", (json_int_t)run->step,
        "steps_expected", (json_int_t)run->expected, "eta_s",
        isfinite(eta) && eta >= 0 ? json_real(eta) : json_null(), "samples_per_s",
        text_json_number(run->rate), "step_mean_ns", text_json_number(step.mean_ns), "step_p99_ns",
        text_json_number(step.p99_ns), "actions", actions_json(run), "metrics", metrics_json(run),
        "findings", findings_json(run), "damaged", (json_int_t)run->damaged);
}
