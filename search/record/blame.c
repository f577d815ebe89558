/* SPDX-License-Identifier: Apache-2.0
 *
 * blame: tells a failure of the machine from one of the candidate, by what a program wrote and how it ended. Compilers
 * run with LC_ALL=C, so the system's words are always the same. A compiler that crashes (SIGSEGV, "internal compiler
 * error") does so for that text: the candidate's fault. Nobody can tell whether one that is killed by SIGKILL met the
 * candidate's hunger or the machine's: it counts as the moment's, since what is recorded stays.
 */
#define _GNU_SOURCE
#include "search/record/blame.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "gen/base/arena.h"

static const struct {
    int problem; /* errno; 0: words alone */
    const char *words;
    Blame blame;
} signs[] = {
    { ENOSPC, "No space left on device", BLAME_MACHINE },
    { EDQUOT, "Disk quota exceeded", BLAME_MACHINE },
    { EFBIG, "File too large", BLAME_MACHINE },
    { EROFS, "Read-only file system", BLAME_MACHINE },
    { EIO, "Input/output error", BLAME_MACHINE },
    { EMFILE, "Too many open files", BLAME_MACHINE }, /* ENFILE's words go on: "in system" */
    { ENFILE, "Too many open files in system", BLAME_MACHINE },
    { EAGAIN, "Resource temporarily unavailable", BLAME_MACHINE }, /* no further process */
    { 0, "File size limit exceeded", BLAME_MACHINE },
    { 0, "error while loading shared libraries", BLAME_MACHINE }, /* of the compiler's own program */
    { ENOMEM, "Cannot allocate memory", BLAME_MOMENT },
    { 0, "out of memory", BLAME_MOMENT },
    { 0, "memory exhausted", BLAME_MOMENT },
    { 0, "bad_alloc", BLAME_MOMENT },
    { 0, "Memory allocation failure", BLAME_MOMENT }, /* ptxas */
    { 0, "failed to map segment", BLAME_MOMENT },
    { 0, "no memory", BLAME_MOMENT },                           /* dcgen's runners */
    { 0, "times of kernels are lost", BLAME_MOMENT },           /* by dcgen-runner-cuda's tracer */
    { 0, "too much to be compared by the CPU", BLAME_MACHINE }, /* dcgen-runner-cuda, without digests */
    { 0, "cudaErrorECCUncorrectable", BLAME_MOMENT },           /* the GPU's, which this kernel happened to meet */
    { 0, "cudaErrorNvlinkUncorrectable", BLAME_MOMENT },
    { 0, "cudaErrorContained", BLAME_MOMENT },
    { 0, "cudaErrorExternalDevice", BLAME_MOMENT },
    { 0, "cudaErrorMps", BLAME_MOMENT }, /* several: another program's fault, or the server's */
    { 0, "cudaErrorDevicesUnavailable", BLAME_MOMENT },
    { 0, "cudaErrorUnknown", BLAME_MOMENT },                  /* nobody can tell */
    { 0, "Killed signal terminated", BLAME_MOMENT },          /* gcc, of its parts */
    { 0, "Killed (program", BLAME_MOMENT },                   /* an older gcc */
    { 0, "terminated with signal 9", BLAME_MOMENT },          /* collect2, of the linker */
    { 0, "unable to execute command: Killed", BLAME_MOMENT }, /* clang */
    { 0, "died due to signal 9", BLAME_MOMENT },              /* nvcc */
    { 0, "CPU time limit exceeded", BLAME_MOMENT },
};

Blame blame_error(int problem)
{
    for (size_t i = 0; problem && i < LENGTH(signs); i++)
        if (signs[i].problem == problem)
            return signs[i].blame;
    return BLAME_CANDIDATE;
}

Blame blame_end(int wait_status)
{
    static const int moments[] = { SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGXCPU };
    const int by = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    for (size_t i = 0; i < LENGTH(moments); i++)
        if (moments[i] == by)
            return BLAME_MOMENT;
    return by == SIGXFSZ ? BLAME_MACHINE : BLAME_CANDIDATE;
}

Blame blame_text(const char *text, const char **sign)
{
    for (size_t i = 0; i < LENGTH(signs); i++) {
        const char *at = strcasestr(text, signs[i].words);
        if (sign)
            *sign = at;
        if (at)
            return signs[i].blame;
    }
    return BLAME_CANDIDATE;
}
