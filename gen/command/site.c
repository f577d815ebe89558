/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/command/site.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/install_path.h"
#include "gen/base/process.h"
#include "gen/command/tools.h"
#include "search/measure/measure.h"

static const double probe_s = 30; /* a driver that starts its GPU may take many seconds */

/* What the program prints, and how it ended. */
static bool run_probe(Arena *a, const char *const *argv, Capture *out, Capture *err, const volatile int *stop,
                      const char **why)
{
    int out_end = -1, err_end = -1;
    const bool open = capture_open(out, &out_end) && capture_open(err, &err_end);
    pid_t pid = open ? process_spawn(argv, NULL, -1, out_end, err_end) : -1;
    if (pid < 0)
        *why = arena_printf(a, "cannot start %s: %s", argv[0], strerror(errno));
    if (out_end >= 0)
        close(out_end);
    if (err_end >= 0)
        close(err_end);
    const double end = process_clock_s() + probe_s;
    while (pid > 0 && !process_has_ended(pid) && process_clock_s() < end && !(stop && *stop)) {
        poll(&(struct pollfd){ .fd = out->fd, .events = POLLIN }, 1, 20);
        capture_drain(out);
        capture_drain(err);
    }
    const bool late = pid > 0 && !process_has_ended(pid);
    const int wait_status = pid > 0 ? process_end(pid) : -1;
    capture_drain(out);
    capture_drain(err);
    capture_close(out);
    capture_close(err);
    if (stop && *stop)
        *why = "interrupted";
    else if (late)
        *why = arena_printf(a, "the GPU's driver says nothing for %g s", probe_s);
    else if (pid > 0 && wait_status != 0)
        *why = err->len ? arena_strndup(a, err->text, strcspn(err->text, "\n")) : process_status_text(a, wait_status);
    return pid > 0 && !late && wait_status == 0;
}

/* The runner that would measure, with --probe behind its words. NULL: there is none. */
static const char *const *probe_command(Arena *a, const Options *o)
{
    const char *own = place_runner(a, "cuda");
    const char **argv = ARENA_ARRAY(a, (size_t)o->runner.n + 3, const char *);
    int n = 0;
    for (; n < o->runner.n; n++)
        argv[n] = o->runner.item[n];
    if (!n && own)
        argv[n++] = own;
    argv[n] = "--probe";
    return n ? argv : NULL;
}

bool site_probe_gpu(Arena *a, const Options *o, Device *out, const volatile int *stop, const char **why)
{
    const char *const *command = probe_command(a, o);
    *why = "this dcgen was built without CUDA, so it has no program dcgen-runner-cuda to ask";
    Capture *said = ARENA_NEW(a, Capture), *err = ARENA_NEW(a, Capture);
    if (!command || !run_probe(a, command, said, err, stop, why))
        return false;
    json_t *device = json_loads(said->text, JSON_REJECT_DUPLICATES, NULL);
    const bool ok = device && device_of_json(a, device, out);
    if (!ok)
        *why = arena_printf(a, "%s --probe prints no device", command[0]);
    json_decref(device);
    return ok;
}

static const char *target_name(const Workload *w) { return w->target.n ? w->target.item[0] : w->spec->target[0]; }

bool site_wants_cuda(const Workload *w)
{
    const Target *t = target_find(w->targets, target_name(w));
    return strcmp(target_name(w), "cuda") == 0 || (t && target_is_cuda(t));
}

/* A GPU that runs the named target, or for "cuda" the best that it runs. */
static bool find_gpu(Arena *a, const Workload *w, const Options *o, const char *name, Site *out,
                     const volatile int *stop, const char **why)
{
    Device d;
    if (!site_probe_gpu(a, o, &d, stop, why))
        return false;
    const Target *t = strcmp(name, "cuda") == 0 || strcmp(name, "auto") == 0 ? device_best(w->targets, &d)
                                                                             : target_find(w->targets, name);
    *why = arena_printf(a, "%s does not run it", d.name);
    if (!t || !target_is_cuda(t) || !device_runs(&d, t->name))
        return false;
    *out = (Site){ SITE_GPU, t };
    return true;
}

/* Some template serves this spec there. */
static bool has_template(const Workload *w, const Target *t)
{
    for (int i = 0; i < w->templates.n; i++)
        if (template_suits(w->templates.t[i], w->spec, t))
            return true;
    return false;
}

bool site_find(Arena *a, const Workload *w, const Options *o, bool model, Site *out, const volatile int *stop,
               const char **err)
{
    const char *name = target_name(w), *why = "";
    const Target *named = target_find(w->targets, name);
    *out = (Site){ .kind = SITE_CPU };
    if (strcmp(name, "auto") == 0) { /* a GPU if there is one that can be used, else this CPU */
        if (!tools_nvcc(a, o) || !find_gpu(a, w, o, name, out, stop, &why) || !has_template(w, out->target))
            *out = (Site){ .kind = SITE_CPU };
        return true;
    }
    if (!site_wants_cuda(w))
        return true;
    if (model && named) {
        *out = (Site){ SITE_MODEL, named };
        return true;
    }
    if (find_gpu(a, w, o, name, out, stop, &why))
        return true;
    const bool can_offline = o->command == COMMAND_GENERATE;
    if (named)
        *err = arena_printf(a, "no GPU here to measure target '%s' on: %s%s", name, why,
                            can_offline ? "; with --offline, recorded measurements or a model take its place" : "");
    else
        *err = arena_printf(a, "target 'cuda' asks the GPU of this machine: %s%s%s", why,
                            can_offline || model ? "; name a target instead, as in --target sm_90a" : "",
                            can_offline ? " --offline" : "");
    return false;
}
