/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml: its header is not part of every toolkit, so the few functions used are declared here.
 */
#include "search/runner/cuda/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "gen/base/process.h"
#include "search/record/samples.h"
#include "search/runner/cuda/library.h"

enum { NVML_SUCCESS = 0, NVML_CLOCK_SM = 1, WHY_BYTES = LIBRARY_WHY_BYTES };
static const double pause_s = 5e-3;
typedef struct nvmlDevice *NvmlDevice;

struct Nvml {
    void *library;
    NvmlDevice device;
    int (*init)(void);
    int (*shutdown)(void);
    int (*handle)(const char *bus, NvmlDevice *device);
    int (*clock)(NvmlDevice device, int type, unsigned *mhz);
    int (*reasons)(NvmlDevice device, unsigned long long *reasons);
    const char *(*error)(int code);
};

static const struct {
    uint64_t bit;
    const char *name; /* NULL: not a restraint on a busy GPU */
} reason_rows[] = { { 0x1, NULL /* idle */ }, { 0x2, "applications_clocks" }, { 0x4, "power" },
                    { 0x8, "hw_slowdown" },   { 0x10, "sync_boost" },         { 0x20, "thermal" },
                    { 0x40, "hw_thermal" },   { 0x80, "hw_power_brake" },     { 0x100, "display_clocks" } };

static bool bind_all(Nvml *n, char *why)
{
    const LibraryFunction functions[] = { { "nvmlInit_v2", &n->init },
                                          { "nvmlShutdown", &n->shutdown },
                                          { "nvmlDeviceGetHandleByPciBusId_v2", &n->handle },
                                          { "nvmlDeviceGetClockInfo", &n->clock },
                                          { "nvmlErrorString", &n->error } };
    const LibraryFunction reasons = { "nvmlDeviceGetCurrentClocksEventReasons", &n->reasons },
                          reasons_as_once = { "nvmlDeviceGetCurrentClocksThrottleReasons", &n->reasons };
    return library_bind(n->library, functions, sizeof functions / sizeof *functions, why) &&
           (library_bind(n->library, &reasons, 1, why) || library_bind(n->library, &reasons_as_once, 1, why));
}

static bool find_device(Nvml *n, const char *bus, char *why)
{
    int code = n->init();
    if (code != NVML_SUCCESS) {
        snprintf(why, WHY_BYTES, "nvmlInit: %s", n->error(code));
        return false;
    }
    code = n->handle(bus, &n->device);
    if (code != NVML_SUCCESS) {
        snprintf(why, WHY_BYTES, "nvmlDeviceGetHandleByPciBusId(%s): %s", bus, n->error(code));
        n->shutdown();
    }
    return code == NVML_SUCCESS;
}

Nvml *nvml_open(const char *bus, char *why)
{
    static const char *const names[] = { "libnvidia-ml.so.1", "libnvidia-ml.so", NULL };
    Nvml *n = calloc(1, sizeof *n);
    snprintf(why, WHY_BYTES, "no memory");
    if (!n)
        return NULL;
    n->library = library_open(names, why);
    if (n->library && bind_all(n, why) && find_device(n, bus, why))
        return n;
    if (n->library)
        dlclose(n->library);
    free(n);
    return NULL;
}

void nvml_close(Nvml *n)
{
    if (!n)
        return;
    n->shutdown();
    dlclose(n->library);
    free(n);
}

NvmlSample nvml_sample(const Nvml *n)
{
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (!n)
        return (NvmlSample){ 0 };
    if (n->clock(n->device, NVML_CLOCK_SM, &mhz) != NVML_SUCCESS)
        mhz = 0;
    if (n->reasons(n->device, &reasons) != NVML_SUCCESS)
        reasons = 0;
    return (NvmlSample){ (int)mhz, reasons };
}

const char *nvml_where(const Nvml *n) { return library_where(n->library); }

void clocks_look(void *clocks)
{
    Clocks *c = clocks;
    const double now_s = process_clock_s();
    if (!c->nvml || (c->last_s > 0 && now_s - c->last_s < pause_s))
        return;
    const NvmlSample s = nvml_sample(c->nvml);
    c->last_s = now_s;
    if (s.clock_mhz > 0)
        c->mhz[c->n++ % MAX_CLOCK] = s.clock_mhz;
    c->reasons |= s.reasons;
}

double clocks_mhz(const Clocks *c) { return c->n ? samples_median(c->mhz, c->n < MAX_CLOCK ? c->n : MAX_CLOCK) : 0; }

void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes)
{
    int len = snprintf(text, (size_t)text_bytes, "none"), used = 0;
    for (size_t i = 0; i < sizeof reason_rows / sizeof *reason_rows && len < text_bytes; i++) {
        if (!(reasons & reason_rows[i].bit) || !reason_rows[i].name)
            continue;
        len = used + snprintf(text + used, (size_t)(text_bytes - used), "%s%s", used ? "," : "", reason_rows[i].name);
        used = len;
    }
}
