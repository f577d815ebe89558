/* SPDX-License-Identifier: Apache-2.0
 *
 * limit: one request and its answer. Answers are checked like a measurement's: a runner may be anything.
 */
#include "search/measure/limit.h"

#include "search/measure/runner_private.h"

static const double DEADLINE_S = 10; /* beyond the time that the request allows */

static char *request_line(Runner *r, Arena *a, const LimitRequest *q)
{
    json_t *threads = json_array();
    for (int i = 0; i < q->nthread; i++)
        json_array_append_new(threads, json_integer(q->threads[i]));
    return runner_line(a, json_pack("{s:s, s:I, s:s, s:s, s:o, s:f, s:s*}", "cmd", "limits", "id",
                                    (json_int_t)++r->last_id, "target", q->target, "dtype", q->dtype, "threads",
                                    threads, "max_ns", q->max_ns, "so", q->so));
}

static bool take_one(const json_t *json, LimitRecord *out)
{
    json_t *rates = json_object_get(json, "bytes_per_s");
    out->flops_per_s = runner_rate(json, "flops_per_s");
    for (int i = 0; i < LEVEL_COUNT; i++)
        out->bytes_per_s[i] = runner_rate(rates, level_name((Level)i));
    out->clock_mhz = runner_rate(json, "clock_mhz");
    out->launch_ns = runner_rate(json, "launch_ns");
    out->handover_ns = runner_rate(json, "handover_ns");
    return json_integer_value(json_object_get(json, "threads")) == out->threads && out->flops_per_s > 0;
}

static bool take_all(const Runner *r, const LimitRequest *q, const json_t *event, LimitRecord *out)
{
    const json_t *list = json_object_get(event, "limits");
    if (!runner_says(event, "limits") || json_integer_value(json_object_get(event, "id")) != r->last_id ||
        json_array_size(list) != (size_t)q->nthread)
        return false;
    for (int i = 0; i < q->nthread; i++) {
        out[i] =
            (LimitRecord){ .device = r->device.id, .target = q->target, .dtype = q->dtype, .threads = q->threads[i] };
        if (!take_one(json_array_get(list, (size_t)i), &out[i]))
            return false;
    }
    return true;
}

bool limit_measure(Runner *r, Arena *a, const LimitRequest *q, LimitRecord *out, int *n, const volatile int *stop,
                   const char **err)
{
    json_t *event = NULL;
    const char *unused, *line = request_line(r, a, q);
    *n = 0;
    if (!line || !runner_ensure(r, a, stop, &unused))
        return true;
    const double deadline_s = DEADLINE_S + q->max_ns * 1e-9;
    Answer answer = runner_send(r, line, deadline_s, stop);
    if (answer == HEARD)
        answer = runner_hear(r, deadline_s, stop, &event);
    if (answer == HEARD && take_all(r, q, event, out))
        *n = q->nthread;
    else if (answer != HEARD ||
             !runner_says(event, "error")) /* what else it says would be taken for an answer to the next request */
        runner_end(r, 0);
    if (answer == HEARD)
        json_decref(event);
    if (answer == STOPPED)
        *err = "interrupted";
    return answer != STOPPED;
}
