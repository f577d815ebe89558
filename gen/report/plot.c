/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: runs gnuplot. The script is handed over in memory as its standard input; no shell, no file, no settings of the
 * user.
 */
#define _GNU_SOURCE
#include "gen/report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/process.h"

static const double DEADLINE_S = 30;
enum { OUTPUT_MAX = 64 << 20 };

static char *whole_script(Arena *a, const Plot *plot, int n)
{
    Text t = { .arena = a };
    for (int i = 0; i < n; i++) {
        text_printf(&t, "reset\nset terminal svg size %d,%d font 'sans-serif,13' noenhanced\n", plot[i].width,
                    plot[i].height);
        text_add(&t, text_str(&plot[i].script));
    }
    return (char *)text_str(&t);
}

/* A descriptor from which `text` is read; a file in memory, so that no writer has to keep pace. */
static int text_descriptor(const char *text)
{
    int fd = memfd_create("dcgen-plot", MFD_CLOEXEC);
    if (fd >= 0 && !text_write(fd, text, strlen(text))) {
        const int problem = errno;
        close(fd);
        errno = problem;
        return -1;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool read_until_end(int fd, Text *out, double until_s)
{
    char piece[16384];
    while (out->len < OUTPUT_MAX) {
        double left = until_s - process_clock_s();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (left <= 0 || (poll(&p, 1, (int)(left * 1000) + 1) < 0 && errno != EINTR))
            return false;
        ssize_t n = p.revents ? read(fd, piece, sizeof piece) : -1;
        if (n == 0)
            return true;
        if (n > 0)
            text_addn(out, piece, (size_t)n);
        else if (p.revents && errno != EINTR)
            return false;
    }
    return false;
}

/* Its exit status; one that does not end by itself is killed. */
static int wait_for(pid_t pid, double until_s)
{
    while (!process_has_ended(pid) && process_clock_s() < until_s)
        usleep(1000);
    return process_end(pid);
}

static const char not_found[] =
    "gnuplot was not found, which draws the figures of report.html: install it (on Debian and Ubuntu the package "
    "gnuplot-nox), or leave the report out by --no-report";

bool plot_check(Arena *a, const char **why)
{
    if (process_find(a, "gnuplot"))
        return true;
    *why = not_found;
    return false;
}

static const char *run_gnuplot(int script, Text *out)
{
    static const char *const argv[] = { "gnuplot", "-d", NULL };
    static const char *const env[] = { "LC_ALL=C", "HOME=/", "GNUTERM=svg", "GNUPLOT_LIB=", NULL };
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return "no pipe to gnuplot could be made";
    pid_t pid = process_spawn(argv, env, script, ends[1], -1);
    const int problem = errno;
    close(ends[1]);
    double until_s = process_clock_s() + DEADLINE_S;
    bool whole = pid >= 0 && read_until_end(ends[0], out, until_s);
    close(ends[0]);
    if (pid < 0)
        return problem == ENOENT ? not_found : "gnuplot cannot be started";
    int status = wait_for(pid, whole ? until_s : 0);
    return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? NULL
               : "gnuplot failed to draw the figures of report.html; --no-report leaves it out";
}

static bool split(Arena *a, const char *text, Plot *plot, int n)
{
    for (int i = 0; i < n; i++) {
        const char *begin = strstr(text, "<svg"), *end = begin ? strstr(begin, "</svg>") : NULL;
        if (!end)
            return false;
        plot[i].svg = plot_normalise(a, begin, end);
        text = end;
    }
    return !strstr(text, "<svg");
}

bool plot_run(Arena *a, Plot *plot, int n, const char **why)
{
    *why = NULL;
    if (n == 0)
        return true;
    Text out = { .arena = a };
    int script = text_descriptor(whole_script(a, plot, n));
    *why = script < 0 ? arena_printf(a, "gnuplot's script cannot be handed over: %s", strerror(errno))
                      : run_gnuplot(script, &out);
    if (script >= 0)
        close(script);
    if (!*why && !split(a, text_str(&out), plot, n))
        *why = "gnuplot's output was not understood";
    for (int i = 0; *why && i < n; i++)
        plot[i].svg = NULL;
    return !*why;
}
