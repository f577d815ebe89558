/* SPDX-License-Identifier: Apache-2.0
 *
 * progress: what is written to a pretended terminal of a given width, on a pretended clock; and that a real
 * (pseudo) terminal gets its cursor back when a signal ends the program.
 */
#define _GNU_SOURCE
#include "tests/test.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/progress.h"

static double now;
static double fake_now(void) { return now; }

typedef struct {
    char *text;
    size_t len;
    FILE *out;
    Progress *p;
} Screen;

/* Not by value: the stream keeps the addresses of the fields. */
static void screen_open(Screen *s, ProgressMode mode, int width, bool utf8)
{
    ProgressView view = { .width = width, .utf8 = utf8, .now_s = fake_now };
    now = 100;
    s->out = open_memstream(&s->text, &s->len);
    s->p = progress_open(mode, s->out, &view);
    assert_non_null(s->p);
}

static const char *screen_text(Screen *s)
{
    fflush(s->out);
    return s->text;
}

static void screen_free(Screen *s)
{
    fclose(s->out);
    free(s->text);
}

static const char *screen_end(Screen *s)
{
    progress_close(s->p);
    return screen_text(s);
}

/* The last line drawn by the bar, without its control sequences. */
static const char *last_bar(const char *text, char *line, size_t size)
{
    const char *cr = strrchr(text, '\r'), *end;
    assert_non_null(cr);
    end = strstr(cr, "\033[K");
    assert_non_null(end);
    snprintf(line, size, "%.*s", (int)(end - cr - 1), cr + 1);
    return line;
}

static int columns_of(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

TEST(bar_ascii)
{
    char line[1024];
    Screen s;
    screen_open(&s, PROGRESS_AUTO, 60, false);
    progress_phase(s.p, "search", 256);
    now += 1;
    progress_update(s.p, 128, "1.21x", 125);
    assert_string_equal(last_bar(screen_text(&s), line, sizeof line),
                        "search [############............] 128/256  1.21x  2:05 left");
    assert_int_equal(columns_of(line), 59);
    screen_end(&s);
    assert_string_equal(s.text + s.len - strlen("\r\033[K\033[?25h"), "\r\033[K\033[?25h");
    screen_free(&s);
}

TEST(bar_utf8_has_eighths)
{
    char line[1024];
    Screen s;
    screen_open(&s, PROGRESS_BAR, 27, true);
    progress_phase(s.p, "fit", 16);
    now += 1;
    progress_update(s.p, 7, "", -1);
    assert_string_equal(last_bar(screen_text(&s), line, sizeof line), "fit ███████▍░░░░░░░░░ 7/16");
    assert_int_equal(columns_of(line), 26);
    screen_end(&s);
    screen_free(&s);
}

static void check_width(int width, bool utf8)
{
    char line[1024];
    Screen s;
    screen_open(&s, PROGRESS_BAR, width, utf8);
    progress_phase(s.p, "search", 1000);
    now += 9;
    progress_update(s.p, 2000, "best 12.5 µs, 1.34x of OpenBLAS", 7265);
    assert_in_range(columns_of(last_bar(screen_text(&s), line, sizeof line)), 0, width - 1);
    if (width >= 80)
        assert_non_null(strstr(line, "2000/1000  best 12.5 µs, 1.34x of OpenBLAS  2:01:05 left"));
    screen_end(&s);
    screen_free(&s);
}

TEST(bar_never_exceeds_width)
{
    for (int width = 1; width <= 130; width++) {
        check_width(width, false);
        check_width(width, true);
    }
}

TEST(bar_redraws_not_too_often)
{
    Screen s;
    screen_open(&s, PROGRESS_BAR, 80, false);
    progress_phase(s.p, "search", 10);
    fflush(s.out);
    size_t before = s.len;
    for (int i = 0; i < 10; i++)
        progress_update(s.p, i, "", -1); /* the clock stands */
    fflush(s.out);
    assert_int_equal(s.len, before);
    now += 0.1;
    progress_update(s.p, 10, "", -1);
    fflush(s.out);
    assert_true(s.len > before);
    progress_close(s.p);
    screen_free(&s);
}

TEST(line_goes_above_bar)
{
    Screen s;
    screen_open(&s, PROGRESS_BAR, 40, false);
    progress_phase(s.p, "build", 4);
    progress_line(s.p, "kernel %d: %s", 3, "crashed");
    const char *text = screen_text(&s), *log = strstr(text, "\r\033[Kkernel 3: crashed\n");
    assert_non_null(log);
    assert_non_null(strstr(log, "build [")); /* the bar is drawn again below */
    progress_close(s.p);
    screen_free(&s);
}

TEST(plain_lines_every_five_seconds)
{
    Screen s;
    screen_open(&s, PROGRESS_PLAIN, 0, false);
    progress_phase(s.p, "search", 100);
    for (int i = 1; i <= 60; i++) {
        now += 0.125;
        progress_update(s.p, i, "1.1x", 30 - 0.125 * i);
    }
    progress_phase(s.p, "fit", 0);
    assert_string_equal(screen_end(&s), "search: 0/100\n"
                                        "search: 40/100, 1.1x, 0:25 left\n"
                                        "search: 60/100, 1.1x, 0:23 left\n"
                                        "fit: 0\n");
    screen_free(&s);
}

TEST(auto_off_terminal_is_plain_and_bar_is_silent)
{
    Screen s;
    screen_open(&s, PROGRESS_AUTO, 0, true);
    progress_phase(s.p, "search", 2);
    assert_string_equal(screen_end(&s), "search: 0/2\n");
    screen_free(&s);

    static const ProgressMode silent[] = { PROGRESS_BAR, PROGRESS_NONE };
    for (int i = 0; i < 2; i++) {
        screen_open(&s, silent[i], 0, true);
        progress_phase(s.p, "search", 2);
        now += 60;
        progress_update(s.p, 1, "x", 1);
        progress_line(s.p, "a log line");
        assert_string_equal(screen_end(&s), "a log line\n");
        screen_free(&s);
    }
}

TEST(text_cannot_move_the_cursor)
{
    Screen s;
    screen_open(&s, PROGRESS_PLAIN, 0, false);
    progress_phase(s.p, "a\nb\033[2J", 1);
    assert_string_equal(screen_end(&s), "a b [2J: 0/1\n");
    screen_free(&s);
}

TEST(null_is_harmless)
{
    progress_phase(NULL, "x", 1);
    progress_update(NULL, 1, "", 1);
    progress_line(NULL, "x");
    progress_close(NULL);
    progress_restore();
}

/* Of several parts a line says which it is, and what of the time of the whole command is over; where that takes longer than expected, what it has taken. */
TEST(a_part_is_named)
{
    static const struct {
        ProgressMode mode;
        int width;
        double now_s;
        const char *line;
    } rows[] = {
        { PROGRESS_PLAIN, 0, 114, "function 3 of 10, scores: search: 4/12, 1.2x, 0:14 of 0:40\n" },
        { PROGRESS_PLAIN, 0, 151, "function 3 of 10, scores: search: 4/12, 1.2x, 0:51 of 0:51\n" },
        { PROGRESS_BAR, 76, 114, "function 3 of 10, scores: search [#####..........] 4/12  1.2x  0:14 of 0:40" },
        { PROGRESS_BAR, 60, 114, "3/10 scores: search [####........] 4/12  1.2x  0:14 of 0:40" },
        { PROGRESS_BAR, 46, 114, "3/10 scores: search 4/12  1.2x  0:14 of 0:40" },
    };
    const ProgressPart part = { "function", "scores", 3, 10, 100, 40 }, alone = { "function", "all", 1, 1, 100, 40 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Screen s;
        screen_open(&s, rows[i].mode, rows[i].width, false);
        progress_part(s.p, &part);
        progress_phase(s.p, "search", 12);
        now = rows[i].now_s;
        progress_update(s.p, 4, "1.2x", 3);
        char bar[1024];
        const char *line =
            rows[i].width ? last_bar(screen_text(&s), bar, sizeof bar) : strchr(screen_text(&s), '\n') + 1;
        assert_string_equal(line, rows[i].line);
        screen_end(&s);
        screen_free(&s);
    }
    Screen s;
    screen_open(&s, PROGRESS_PLAIN, 0, false);
    progress_part(s.p, &alone);
    progress_phase(s.p, "search", 12);
    assert_string_equal(screen_end(&s), "search: 0/12\n");
    screen_free(&s);
    progress_part(NULL, &part);
}

static void plain_line(double done, double total, double eta_s, const char *want)
{
    Screen s;
    screen_open(&s, PROGRESS_PLAIN, 0, false);
    progress_phase(s.p, "fit", total);
    now += 60;
    progress_update(s.p, done, "", eta_s);
    const char *text = screen_text(&s), *line = strchr(text, '\n') + 1;
    assert_string_equal(line, want);
    screen_end(&s);
    screen_free(&s);
}

TEST(time_left_is_rounded_to_seconds)
{
    plain_line(1, 2, 0, "fit: 1/2, 0:00 left\n");
    plain_line(1, 2, 59.4, "fit: 1/2, 0:59 left\n");
    plain_line(1, 2, 59.6, "fit: 1/2, 1:00 left\n");
    plain_line(1, 2, 3599.4, "fit: 1/2, 59:59 left\n");
    plain_line(1, 2, 3600, "fit: 1/2, 1:00:00 left\n");
    plain_line(1, 2, 1e9, "fit: 1/2, 99:59:59 left\n");
    plain_line(1, 2, -1, "fit: 1/2\n");
    plain_line(1, 2, 1.0 / 0.0, "fit: 1/2\n");
    plain_line(7, 0, -1, "fit: 7\n");
}

/* It is counted down from when it was told; a phase begins with nothing of the one before. */
TEST(a_phase_ends_with_what_is_true_then)
{
    Screen s;
    screen_open(&s, PROGRESS_PLAIN, 0, false);
    progress_update(s.p, 9, "too early", 9);
    progress_phase(s.p, "search", 10);
    now += 1;
    progress_update(s.p, 4, "1.2x", 30);
    now += 3;
    progress_phase(s.p, "fit", 2);
    now += 1;
    progress_update(s.p, 1, NULL, 0.5);
    now += 3;
    assert_string_equal(screen_end(&s), "search: 0/10\n"
                                        "search: 4/10, 1.2x, 0:27 left\n"
                                        "fit: 0/2\n"
                                        "fit: 1/2, 0:00 left\n");
    screen_free(&s);
}

TEST(a_bar_is_full_at_the_end_and_no_fuller)
{
    static const struct {
        double done, total;
        const char *line;
    } row[] = { { 0, 8, "fit [........] 0/8" }, { 4, 8, "fit [####....] 4/8" },   { 8, 8, "fit [########] 8/8" },
                { 9, 8, "fit [########] 9/8" }, { -1, 8, "fit [........] -1/8" }, { 3, 0, "fit 3" } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[1024];
        Screen s;
        screen_open(&s, PROGRESS_BAR, row[i].done < 0 ? 20 : 19, false);
        progress_phase(s.p, "fit", row[i].total);
        now += 1;
        progress_update(s.p, row[i].done, "", -1);
        assert_string_equal(last_bar(screen_text(&s), line, sizeof line), row[i].line);
        screen_end(&s);
        screen_free(&s);
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

/* A child that has a terminal of its own; 0: it is the child, which writes to *out. The test is skipped where there is no terminal. */
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

static void show_and_wait(FILE *out)
{
    Progress *p = progress_open(PROGRESS_AUTO, out, NULL);
    progress_phase(p, "search", 10);
    for (;;)
        pause();
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
#ifdef __SANITIZE_ADDRESS__
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
            show_and_wait(out);
        }
        read_until(master, "0/10", text, sizeof text);
        assert_non_null(strstr(text, "\033[?25l"));
        assert_non_null(strstr(text, "search [...................................] 0/10")); /* 49 columns */
        kill(child, fatal[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), fatal[i]);
        read_until(master, "\033[?25h", text, sizeof text);
        assert_non_null(strstr(text, "\033[?25h"));
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
        alarm(20);
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

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static const char SHOW_CURSOR[] = "\033[?25h";

static void act_exit(FILE *out)
{
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "search", 10);
    exit(3);
}

static void act_stop(FILE *out)
{
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "search", 10);
    raise(SIGTSTP);
}

static void act_close(FILE *out)
{
    Progress *p = progress_open(PROGRESS_AUTO, out, NULL);
    progress_phase(p, "search", 10);
    progress_close(p);
    progress_restore();
}

static void act_tick(FILE *out)
{
    Progress *p = progress_open(PROGRESS_AUTO, out, NULL);
    progress_phase(p, "search", 10);
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
        progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "behind", 10);
        _exit(0);
    }
    wait(NULL);
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "in front", 10);
    _exit(0);
}

static void own(int signal_number) { (void)signal_number; }

static void act_handled(FILE *out)
{
    struct sigaction mine = { .sa_handler = own }, after;
    sigaction(SIGTERM, &mine, NULL);
    signal(SIGHUP, SIG_IGN);
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "search", 10);
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
    assert_int_equal(count(text, SHOW_CURSOR), 1);
    on_terminal(act_stop, STOPS, text, sizeof text);
    assert_true(count(text, SHOW_CURSOR) >= 1);
    on_terminal(act_close, NULL, text, sizeof text);
    assert_int_equal(count(text, SHOW_CURSOR), 1); /* closed: the terminal is others' again */
    status = on_terminal(act_handled, NULL, text, sizeof text);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(the_time_left_goes_on_by_itself)
{
    static char text[65536];
    on_terminal(act_tick, "4/10  1:3", text, sizeof text);
    assert_non_null(strstr(text, "4/10  1:40 left"));
    assert_non_null(strstr(text, "4/10  1:3")); /* 1:39, or later on a machine that is busy */
}

static void act_plain(FILE *out)
{
    setenv("TERM", "dumb", 1);
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "search", 10);
}

static void act_utf8(FILE *out)
{
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    setenv("LANG", "en_US.UTF-8", 1);
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "utf8", 10);
    setenv("LC_ALL", "POSIX", 1); /* stronger */
    progress_phase(progress_open(PROGRESS_AUTO, out, NULL), "ascii", 10);
}

TEST(the_terminal_and_the_language_decide)
{
    static char text[65536];
    on_terminal(act_plain, NULL, text, sizeof text);
    assert_string_equal(text, "search: 0/10\r\n");
    on_terminal(act_utf8, NULL, text, sizeof text);
    assert_non_null(strstr(text, "utf8 ░"));
    assert_non_null(strstr(text, "ascii [."));
    on_terminal(act_behind, NULL, text, sizeof text);
    assert_non_null(strstr(text, "in front [."));
    assert_null(strstr(text, "behind"));
}
