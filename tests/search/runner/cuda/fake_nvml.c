/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_nvml: a libnvidia-ml.so that knows one GPU, 1980 MHz at first and 1700 MHz with its power at the limit later.
 * FAKE_NVML=denied|blind|falls: it gives no handle of the GPU, as in a container that may not ask; it tells nothing of
 * it; its clock falls each time that it is asked for.
 */
#include <stdlib.h>
#include <string.h>

static int nasked;

enum { NOT_SUPPORTED = 3, NO_PERMISSION = 4 };

static int nvml_is(const char *kind)
{
    const char *is = getenv("FAKE_NVML");
    return is && strcmp(is, kind) == 0;
}

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code)
{
    return code == 6 ? "Not Found" : code == NO_PERMISSION ? "Insufficient Permissions" : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    *device = &nasked;
    if (nvml_is("denied"))
        return NO_PERMISSION;
    return strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    (void)device;
    if (nvml_is("blind"))
        return NOT_SUPPORTED;
    *mhz = nasked++ == 0 ? 1980 : nvml_is("falls") ? 1700u / (unsigned)nasked : 1700;
    return type == 1 ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    (void)device;
    if (nvml_is("blind"))
        return NOT_SUPPORTED;
    *reasons = nasked > 1 ? 0x4 | 0x1 : 0x1;
    return 0;
}
