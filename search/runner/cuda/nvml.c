/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml: the clock of the streaming multiprocessors and what holds it down, asked of the driver's management library.
 * Clocks of a shared machine are not ours to set, so they are recorded beside the times. All of it may be absent. The
 * library's header is not part of every toolkit, so the few functions used are declared here.
 */
#include "search/runner/cuda/host.h"

#include <dlfcn.h>
#include <stdio.h>
#include "gen/base/process.h"
#include "search/record/samples.h"

enum { NVML_SUCCESS = 0, NVML_CLOCK_SM = 1 };
static const double pause_s = 5e-3; /* between two looks at the clock */
typedef struct nvmlDevice *NvmlDevice;

static struct {
    void *library; /* NULL: not in use */
    NvmlDevice device;
    int (*init)(void);
    int (*shutdown)(void);
    int (*handle)(const char *bus, NvmlDevice *device);
    int (*clock)(NvmlDevice device, int type, unsigned *mhz);
    int (*reasons)(NvmlDevice device, unsigned long long *reasons);
    const char *(*error)(int code);
} nvml;

/* Bits that have no row here, such as the one for an idle GPU (0x1), do not hold down the clock of a busy one. */
static const struct {
    uint64_t bit;
    const char *name;
} reason_rows[] = { { 0x2, "applications_clocks" }, { 0x4, "power" },           { 0x8, "hw_slowdown" },
                    { 0x10, "sync_boost" },         { 0x20, "thermal" },        { 0x40, "hw_thermal" },
                    { 0x80, "hw_power_brake" },     { 0x100, "display_clocks" } };

static bool bind_all(char why[LIBRARY_WHY_BYTES])
{
    const LibraryFunction functions[] = { { "nvmlInit_v2", &nvml.init },
                                          { "nvmlShutdown", &nvml.shutdown },
                                          { "nvmlDeviceGetHandleByPciBusId_v2", &nvml.handle },
                                          { "nvmlDeviceGetClockInfo", &nvml.clock },
                                          { "nvmlErrorString", &nvml.error } };
    const LibraryFunction reasons = { "nvmlDeviceGetCurrentClocksEventReasons", &nvml.reasons },
                          reasons_as_once = { "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml.reasons };
    return library_bind(nvml.library, functions, LENGTH(functions), why) &&
           (library_bind(nvml.library, &reasons, 1, why) || library_bind(nvml.library, &reasons_as_once, 1, why));
}

static bool find_device(const char *bus, char why[LIBRARY_WHY_BYTES])
{
    int code = nvml.init();
    if (code != NVML_SUCCESS) {
        snprintf(why, LIBRARY_WHY_BYTES, "nvmlInit: %s", nvml.error(code));
        return false;
    }
    code = nvml.handle(bus, &nvml.device);
    if (code != NVML_SUCCESS) {
        snprintf(why, LIBRARY_WHY_BYTES, "nvmlDeviceGetHandleByPciBusId(%s): %s", bus, nvml.error(code));
        nvml.shutdown();
    }
    return code == NVML_SUCCESS;
}

bool nvml_open(const char *bus, char why[LIBRARY_WHY_BYTES])
{
    static const char *const names[] = { "libnvidia-ml.so.1", "libnvidia-ml.so", NULL };
    nvml.library = library_open(names, why);
    if (!nvml.library)
        return false;
    if (bind_all(why) && find_device(bus, why))
        return true;
    dlclose(nvml.library);
    nvml.library = NULL;
    return false;
}

void nvml_close(void)
{
    if (nvml.library)
        nvml.shutdown();
    nvml.library = NULL;
}

const char *nvml_where(void) { return nvml.library ? library_where(nvml.library) : NULL; }

void clocks_look(Clocks *c)
{
    const double now_s = process_clock_s();
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (!nvml.library || (c->last_s > 0 && now_s - c->last_s < pause_s))
        return;
    c->last_s = now_s;
    if (nvml.clock(nvml.device, NVML_CLOCK_SM, &mhz) == NVML_SUCCESS && mhz > 0)
        c->mhz[c->n++ % MAX_CLOCK] = mhz;
    if (nvml.reasons(nvml.device, &reasons) == NVML_SUCCESS)
        c->reasons |= reasons;
}

double clocks_mhz(const Clocks *c) { return c->n ? samples_median(c->mhz, c->n < MAX_CLOCK ? c->n : MAX_CLOCK) : 0; }

void nvml_reasons_text(uint64_t reasons, char *text, int text_bytes)
{
    int len = 0;
    snprintf(text, (size_t)text_bytes, "none");
    for (size_t i = 0; i < LENGTH(reason_rows) && len < text_bytes; i++)
        if (reasons & reason_rows[i].bit)
            len += snprintf(text + len, (size_t)(text_bytes - len), "%s%s", len ? "," : "", reason_rows[i].name);
}
