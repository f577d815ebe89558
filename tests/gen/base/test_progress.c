/* SPDX-License-Identifier: Apache-2.0
 *
 * progress: what is written to a pretended terminal on a pretended clock; a real one gets its cursor back when a signal
 * ends the program.
 */
#define _GNU_SOURCE
#include "tests/test.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/progress.h"
#include "tests/arena.h"
#include "tests/gen/printed.h"

static double now;
static double fake_now(void) { return now; }

/* What `act` writes to a pretended terminal of that width, 0: to a file; of a bar, its last line without control
 * sequences. */
static const char *shown_of(ProgressMode mode, int width, bool utf8, bool bar, void (*act)(Progress *p))
{
    const ProgressView view = { .width = width, .utf8 = utf8, .now_s = fake_now };
    Printed out;
    printed_open(&out);
    now = 100;
    Progress *p = progress_open(mode, out.to, &view);
    assert_non_null(p);
    act(p);
    fflush(out.to);
    const size_t before = out.n;
    progress_close(p);
    char *text = printed_text(&out, arena);
    if (!bar)
        return text;
    assert_string_equal(text + before, "\r\033[K\033[?25h");
    text[before] = '\0';
    const char *cr = strrchr(text, '\r'), *end = cr ? strstr(cr, "\033[K") : NULL;
    assert_non_null(end);
    return arena_strndup(arena, cr + 1, (size_t)(end - cr - 1));
}

static int columns_of(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* One update of a phase, some time after it began. */
static struct {
    const char *phase, *best;
    double done, total, left_s, after_s;
    const ProgressPart *part;
} once;

static void update_once(Progress *p)
{
    if (once.part)
        progress_part(p, once.part);
    progress_phase(p, once.phase, once.total);
    now += once.after_s;
    progress_update(p, once.done, once.best, once.left_s);
}

static void once_is(const char *phase, const char *best, double done, double total, double left_s)
{
    once = (__typeof__(once)){ phase, best, done, total, left_s, 60, NULL };
}

TEST(a_bar)
{
    once_is("search", "1.21x", 128, 256, 125);
    const char *line = shown_of(PROGRESS_AUTO, 60, false, true, update_once);
    assert_string_equal(line, "search [############............] 128/256  1.21x  2:05 left");
    assert_int_equal(columns_of(line), 59);
    once_is("fit", "", 7, 16, -1); /* UTF-8 has eighths */
    line = shown_of(PROGRESS_BAR, 27, true, true, update_once);
    assert_string_equal(line, "fit ███████▍░░░░░░░░░ 7/16");
    assert_int_equal(columns_of(line), 26);
    once_is("search", "best 12.5 µs, 1.34x of OpenBLAS", 2000, 1000, 7265);
    for (int width = 1; width <= 130; width++)
        for (int utf8 = 0; utf8 < 2; utf8++) {
            line = shown_of(PROGRESS_BAR, width, utf8, true, update_once);
            assert_in_range(columns_of(line), 0, width - 1);
            if (width >= 80)
                assert_has(line, "2000/1000  best 12.5 µs, 1.34x of OpenBLAS  2:01:05 left");
        }
}

TEST(bar_redraws_not_too_often)
{
    const ProgressView view = { .width = 80, .now_s = fake_now };
    FILE *out = tmpfile();
    assert_non_null(out);
    Progress *p = progress_open(PROGRESS_BAR, out, &view);
    progress_phase(p, "search", 10);
    fflush(out);
    const long before = ftell(out);
    for (int i = 0; i < 10; i++)
        progress_update(p, i, "", -1); /* the clock stands */
    assert_int_equal(ftell(out), before);
    now += 0.1;
    progress_update(p, 10, "", -1);
    assert_true(ftell(out) > before);
    progress_close(p);
    fclose(out);
}

static void log_above(Progress *p)
{
    progress_phase(p, "build", 4);
    progress_line(p, "kernel %d: %s", 3, "crashed");
}

TEST(line_goes_above_bar)
{
    const char *text = shown_of(PROGRESS_BAR, 40, false, false, log_above);
    const char *log = strstr(text, "\r\033[Kkernel 3: crashed\n");
    assert_non_null(log);
    assert_has(log, "build ["); /* the bar is drawn again below */
}

static void update_for_long(Progress *p)
{
    progress_phase(p, "search", 100);
    for (int i = 1; i <= 60; i++) {
        now += 0.125;
        progress_update(p, i, "1.1x", 30 - 0.125 * i);
    }
    progress_phase(p, "fit", 0);
}

/* The time that is left is counted down from when it was told; a phase begins with nothing of the one before. */
static void update_phases(Progress *p)
{
    progress_update(p, 9, "too early", 9);
    progress_phase(p, "search", 10);
    now += 1;
    progress_update(p, 4, "1.2x", 30);
    now += 3;
    progress_phase(p, "fit", 2);
    now += 1;
    progress_update(p, 1, NULL, 0.5);
    now += 3;
}

static void begin_only(Progress *p) { progress_phase(p, "search", 2); }
static void begin_hostile(Progress *p) { progress_phase(p, "a\nb\033[2J", 1); }

static void update_and_log(Progress *p)
{
    progress_phase(p, "search", 2);
    now += 60;
    progress_update(p, 1, "x", 1);
    progress_line(p, "a log line");
}

TEST(lines_for_files)
{
    assert_string_equal(shown_of(PROGRESS_PLAIN, 0, false, false, update_for_long),
                        "search: 0/100\nsearch: 40/100, 1.1x, 0:25 left\nsearch: 60/100, 1.1x, 0:23 left\nfit: 0\n");
    assert_string_equal(shown_of(PROGRESS_PLAIN, 0, false, false, update_phases),
                        "search: 0/10\nsearch: 4/10, 1.2x, 0:27 left\nfit: 0/2\nfit: 1/2, 0:00 left\n");
    assert_string_equal(shown_of(PROGRESS_AUTO, 0, true, false, begin_only), "search: 0/2\n");
    assert_string_equal(shown_of(PROGRESS_BAR, 0, true, false, update_and_log), "a log line\n");
    assert_string_equal(shown_of(PROGRESS_NONE, 0, true, false, update_and_log), "a log line\n");
    assert_string_equal(shown_of(PROGRESS_PLAIN, 0, false, false, begin_hostile), "a b [2J: 0/1\n");
}

TEST(null_is_harmless)
{
    progress_part(NULL, &(ProgressPart){ 0 });
    progress_phase(NULL, "x", 1);
    progress_update(NULL, 1, "", 1);
    progress_line(NULL, "x");
    progress_close(NULL);
    progress_restore();
}

/* Of several parts a line says which it is, and what of all their time is over. A bar is full at the end and no fuller;
 * times are in seconds. */
TEST(what_a_line_says)
{
    static const ProgressPart third = { "function", "scores", 3, 10, 100, 40 },
                              alone = { "function", "all", 1, 1, 100, 40 };
    static const struct {
        int width;
        double done, total, left_s, after_s;
        const ProgressPart *part;
        const char *line;
    } row[] = { { 0, 4, 12, 3, 14, &third, "function 3 of 10, scores: fit: 4/12, 0:14 of 0:40\n" },
                { 0, 4, 12, 3, 51, &third, "function 3 of 10, scores: fit: 4/12, 0:51 of 0:51\n" },
                { 67, 4, 12, 3, 14, &third, "function 3 of 10, scores: fit [#####..........] 4/12  0:14 of 0:40" },
                { 51, 4, 12, 3, 14, &third, "3/10 scores: fit [####........] 4/12  0:14 of 0:40" },
                { 37, 4, 12, 3, 14, &third, "3/10 scores: fit 4/12  0:14 of 0:40" },
                { 0, 4, 12, 3, 60, &alone, "fit: 4/12, 0:03 left\n" },
                { 19, 0, 8, -1, 1, NULL, "fit [........] 0/8" },
                { 19, 4, 8, -1, 1, NULL, "fit [####....] 4/8" },
                { 19, 8, 8, -1, 1, NULL, "fit [########] 8/8" },
                { 19, 9, 8, -1, 1, NULL, "fit [########] 9/8" },
                { 20, -1, 8, -1, 1, NULL, "fit [........] -1/8" },
                { 19, 3, 0, -1, 1, NULL, "fit 3" },
                { 0, 1, 2, 0, 60, NULL, "fit: 1/2, 0:00 left\n" },
                { 0, 1, 2, 59.4, 60, NULL, "fit: 1/2, 0:59 left\n" },
                { 0, 1, 2, 59.6, 60, NULL, "fit: 1/2, 1:00 left\n" },
                { 0, 1, 2, 3599.4, 60, NULL, "fit: 1/2, 59:59 left\n" },
                { 0, 1, 2, 3600, 60, NULL, "fit: 1/2, 1:00:00 left\n" },
                { 0, 1, 2, 1e9, 60, NULL, "fit: 1/2, 99:59:59 left\n" },
                { 0, 1, 2, -1, 60, NULL, "fit: 1/2\n" },
                { 0, 1, 2, 1.0 / 0.0, 60, NULL, "fit: 1/2\n" },
                { 0, 7, 0, -1, 60, NULL, "fit: 7\n" } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        once_is("fit", "", row[i].done, row[i].total, row[i].left_s);
        once.after_s = row[i].after_s;
        once.part = row[i].part;
        const char *text =
            shown_of(row[i].width ? PROGRESS_BAR : PROGRESS_PLAIN, row[i].width, false, row[i].width > 0, update_once);
        assert_string_equal(row[i].width ? text : strchr(text, '\n') + 1, row[i].line);
    }
}

/* ---- a real terminal ---------------------------------------------------- */

static int open_terminal(int *master)
{
    struct winsize size = { .ws_row = 24, .ws_col = 50 };
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master))
        return -1;
    int slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
    if (slave >= 0)
        ioctl(slave, TIOCSWINSZ, &size);
    return slave;
}

/* A child that has a terminal of its own; 0: it is the child, which writes to *out. Skips the test where there is no
 * terminal. */
static pid_t fork_on_terminal(int *master, FILE **out)
{
    int slave = open_terminal(master);
    if (slave < 0) {
        print_message("skipped: no pseudo terminal can be opened here\n");
        skip();
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        setenv("LC_ALL", "C", 1);
        *out = fdopen(slave, "w");
    } else
        close(slave);
    return child;
}

static Progress *show(FILE *out, const char *phase)
{
    Progress *p = progress_open(PROGRESS_AUTO, out, NULL);
    progress_phase(p, phase, 10);
    return p;
}

/* Reads until `until` was seen; the text is NUL-terminated. */
static void read_until(int fd, const char *until, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    while (n + 1 < size && !strstr(text, until)) {
        ssize_t got = read(fd, text + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = '\0';
    }
}

TEST(cursor_comes_back_after_signal)
{
#ifdef DCGEN_SANITIZE_address
    static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#else
    static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV };
#endif
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        char text[4096];
        int master, status;
        FILE *out;
        pid_t child = fork_on_terminal(&master, &out);
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
            signal(fatal[i], SIG_DFL); /* cmocka has some of them */
            show(out, "search");
            for (;;)
                pause();
        }
        read_until(master, "0/10", text, sizeof text);
        assert_has(text, "\033[?25l");
        assert_has(text, "search [...................................] 0/10"); /* 49 columns */
        kill(child, fatal[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), fatal[i]);
        read_until(master, "\033[?25h", text, sizeof text);
        assert_has(text, "\033[?25h");
        close(master);
    }
}

static const char STOPS[] = ""; /* as `until`: it stops for good */

/* All that a child writes to a terminal of its own until it ends, or until it has written that (NULL: it ends). */
static int on_terminal(void (*act)(FILE *out), const char *until, char *text, size_t size)
{
    int master, status;
    FILE *out;
    pid_t child = fork_on_terminal(&master, &out);
    if (child == 0) {
        alarm(100);
        act(out);
        exit(0);
    }
    if (until == STOPS) {
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
        assert_true(WIFSTOPPED(status));
    }
    if (until && *until)
        read_until(master, until, text, size);
    if (until)
        kill(child, SIGKILL);
    if (!until || !*until)
        read_until(master, "never written", text, size);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(master);
    return status;
}

static const char SHOW_CURSOR[] = "\033[?25h";

static void act_exit(FILE *out)
{
    show(out, "search");
    exit(3);
}

static void act_stop(FILE *out)
{
    show(out, "search");
    raise(SIGTSTP);
}

static void act_close(FILE *out)
{
    progress_close(show(out, "search"));
    progress_restore();
}

static void act_tick(FILE *out)
{
    Progress *p = show(out, "search");
    usleep(200000);
    progress_update(p, 4, "", 100);
    for (;;) /* until it is killed */
        pause();
}

/* What runs behind the terminal's foreground draws nothing there. */
static void act_behind(FILE *out)
{
    setsid();
    ioctl(fileno(out), TIOCSCTTY, 0);
    if (fork() == 0) {
        setpgid(0, 0);
        show(out, "behind");
        _exit(0);
    }
    wait(NULL);
    show(out, "in front");
    _exit(0);
}

static void own(int signal_number) { (void)signal_number; }

static void act_handled(FILE *out)
{
    struct sigaction mine = { .sa_handler = own }, after;
    sigaction(SIGTERM, &mine, NULL);
    signal(SIGHUP, SIG_IGN);
    show(out, "search");
    sigaction(SIGTERM, NULL, &after);
    if (after.sa_handler != own)
        _exit(1);
    sigaction(SIGHUP, NULL, &after);
    _exit(after.sa_handler == SIG_IGN ? 0 : 2);
}

TEST(the_cursor_comes_back_whatever_ends_or_stops_it)
{
    static char text[65536];
    int status = on_terminal(act_exit, NULL, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_int_equal(occurrences(text, SHOW_CURSOR), 1);
    on_terminal(act_stop, STOPS, text, sizeof text);
    assert_true(occurrences(text, SHOW_CURSOR) >= 1);
    on_terminal(act_close, NULL, text, sizeof text);
    assert_int_equal(occurrences(text, SHOW_CURSOR), 1); /* closed: the terminal is others' again */
    status = on_terminal(act_handled, NULL, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(the_time_left_goes_on_by_itself)
{
    static char text[65536];
    on_terminal(act_tick, "4/10  1:3", text, sizeof text);
    assert_has(text, "4/10  1:40 left");
    assert_has(text, "4/10  1:3"); /* 1:39, or later on a machine that is busy */
}

static void act_plain(FILE *out)
{
    setenv("TERM", "dumb", 1);
    show(out, "search");
}

static void act_utf8(FILE *out)
{
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    setenv("LANG", "en_US.UTF-8", 1);
    show(out, "utf8");
    setenv("LC_ALL", "POSIX", 1); /* stronger */
    show(out, "ascii");
}

TEST(the_terminal_and_the_language_decide)
{
    static char text[65536];
    on_terminal(act_plain, NULL, text, sizeof text);
    assert_string_equal(text, "search: 0/10\r\n");
    on_terminal(act_utf8, NULL, text, sizeof text);
    assert_has_all(text, "utf8 ░", "ascii [.");
    on_terminal(act_behind, NULL, text, sizeof text);
    assert_has(text, "in front [.");
    assert_lacks(text, "behind");
}

TEST_EACH(setup, teardown)
