/* SPDX-License-Identifier: Apache-2.0
 *
 * progress: shows a phase, its state and the time left. A line is composed whole and written at once, so that it does
 * not flicker; the terminal's width is asked anew for every line, so that resizing needs no signal.
 */
#define _GNU_SOURCE /* strcasestr */
#include "gen/base/progress.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "gen/base/process.h"
#include "gen/base/quote.h"

enum { BAR_MAX_COLUMNS = 40, BAR_MIN_COLUMNS = 8, MAX_LEFT_S = 100 * 3600 - 1 /* 99:59:59 */ };
static const double REDRAW_S = 0.08, PLAIN_S = 5, TICK_S = 0.5;

static const char HIDE_CURSOR[] = "\033[?25l";
static const char RESTORE[] = "\r\033[K\033[?25h";

struct Progress {
    ProgressMode mode; /* never AUTO */
    FILE *out;
    Arena *scratch; /* a line, while it is composed */
    ProgressView view;
    char phase[64], best[256];
    char part[96], short_part[96];     /* "function 3 of 10, scores: ", "3/10 scores: "; "": there is but one */
    double part_began_s, part_total_s; /* of the whole command */
    double done, total, eta_s;
    double told_s;  /* when eta_s was told */
    double shown_s; /* when the last line was written */
    bool stale;     /* the state is newer than what is shown */
    bool ticking;   /* the ticker runs; all members above are then used under the lock */
    bool closing;
    pthread_t ticker;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* The terminal that has a bar on it, for signal handlers and exit(); -1: none. */
static volatile sig_atomic_t shown_fd = -1;

/* ---- signals ---------------------------------------------------------- */

void progress_restore(void)
{
    if (shown_fd >= 0 && write(shown_fd, RESTORE, sizeof RESTORE - 1) < 0)
        return; /* the terminal is gone: nothing to restore */
}

static void on_fatal(int signal_number)
{
    progress_restore();
    raise(signal_number); /* SA_RESETHAND: now by its default action */
}

static void on_stop(int signal_number)
{
    (void)signal_number;
    progress_restore();
    raise(SIGSTOP);
}

/* Sets a handler, unless the signal has one already: that ends through progress_close or progress_restore. */
static void signal_take(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction old, mine = { .sa_handler = handler, .sa_flags = flags };
    sigemptyset(&mine.sa_mask);
    if (sigaction(signal_number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
        sigaction(signal_number, &mine, NULL);
}

static void signals_take(void)
{
    static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV };
    static bool registered;
    for (size_t i = 0; i < LENGTH(fatal); i++)
        signal_take(fatal[i], on_fatal, (int)SA_RESETHAND | SA_NODEFER);
    signal_take(SIGTSTP, on_stop, SA_RESTART);
    if (!registered)
        atexit(progress_restore);
    registered = true;
}

/* ---- what is known about the terminal --------------------------------- */

/* From the environment alone, as setlocale would also change how numbers are printed. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v)
            return strcasestr(v, "UTF-8") || strcasestr(v, "utf8");
    }
    return false;
}

static int width_now(const Progress *p)
{
    struct winsize size;
    if (p->view.width > 0)
        return p->view.width;
    return ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* ---- composing a line -------------------------------------------------- */

static bool continues_char(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

static int column_count(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += !continues_char(*s);
    return n;
}

static void cut_to(char *s, int ncolumn)
{
    for (int n = 0; *s && (n += !continues_char(*s)) <= ncolumn;)
        s++;
    *s = '\0';
}

/* Copies text of others so that it cannot move the cursor. */
static void copy_printable(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; from && *from && n + 1 < size; from++)
        to[n++] = (unsigned char)*from < 0x20 || *from == 0x7F ? ' ' : *from;
    to[n] = '\0';
}

/* Adds "2:05", or "1:02:05" where there are hours. */
static void add_clock(Text *t, double s)
{
    const long all = lround(fmin(fmax(s, 0), MAX_LEFT_S)), hours = all / 3600;
    if (hours)
        text_printf(t, "%ld:", hours);
    text_printf(t, "%0*ld:%02ld", hours ? 2 : 1, all / 60 % 60, all % 60);
}

/* Adds the count, the best so far, and the time left, counted down since it was told, or that of the whole command. */
static void add_state(const Progress *p, Text *t, const char *comma)
{
    text_printf(t, p->total > 0 ? "%.0f/%.0f" : "%.0f", p->done, p->total);
    if (p->best[0])
        text_printf(t, "%s%s", comma, p->best);
    if (p->part[0]) {
        const double elapsed_s = p->view.now_s() - p->part_began_s;
        text_add(t, comma);
        add_clock(t, elapsed_s);
        text_add(t, " of ");
        add_clock(t, fmax(p->part_total_s, elapsed_s));
    } else if (isfinite(p->eta_s) && p->eta_s >= 0) {
        text_add(t, comma);
        add_clock(t, p->eta_s - (p->view.now_s() - p->told_s));
        text_add(t, " left");
    }
}

static void add_times(Text *t, int n, const char *s)
{
    while (n-- > 0)
        text_add(t, s);
}

/* Adds the bar: in UTF-8 blocks of eighths, in ASCII '#' and '.'. */
static void add_bar(const Progress *p, Text *t, int ncolumn)
{
    static const char *const eighth[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    const double part = fmin(fmax(p->done / p->total, 0), 1);
    const int filled = (int)floor(part * ncolumn * 8), neighth = p->view.utf8 ? filled % 8 : 0;
    text_add(t, p->view.utf8 ? " " : " [");
    add_times(t, filled / 8, p->view.utf8 ? "█" : "#");
    text_add(t, eighth[neighth]);
    add_times(t, ncolumn - filled / 8 - (neighth > 0), p->view.utf8 ? "░" : ".");
    text_add(t, p->view.utf8 ? "" : "]");
}

/* Composes part, phase, bar, count, best and time left. On a narrow terminal the part is told in fewer words, then the
 * bar gives way, then words are cut. */
static void compose_bar(const Progress *p, Text *line)
{
    Text tail = { .arena = p->scratch };
    text_add(&tail, " ");
    add_state(p, &tail, "  ");
    /* The last column stays free: writing there wraps on some terminals. */
    const int room = width_now(p) - 1, beside = column_count(p->phase) + column_count(tail.s) + (p->view.utf8 ? 1 : 3);
    const bool fits = room - beside - column_count(p->part) >= BAR_MIN_COLUMNS;
    text_printf(line, "%s%s", fits ? p->part : p->short_part, p->phase);
    const int left = room - beside - column_count(fits ? p->part : p->short_part);
    if (p->total > 0 && left >= BAR_MIN_COLUMNS)
        add_bar(p, line, left < BAR_MAX_COLUMNS ? left : BAR_MAX_COLUMNS);
    text_add(line, tail.s);
    cut_to(line->s, room > 0 ? room : 0);
}

/* ---- showing ----------------------------------------------------------- */

/* Does the terminal belong to others? Then dcgen was stopped, and goes on behind the shell's prompt. */
static bool in_background(const Progress *p)
{
    pid_t group = p->view.width > 0 ? -1 : tcgetpgrp(fileno(p->out));
    return group >= 0 && group != getpgrp();
}

static void show_line(Progress *p)
{
    if (p->mode == PROGRESS_BAR && in_background(p))
        return;
    Text line = { .arena = p->scratch };
    if (p->mode == PROGRESS_BAR) {
        compose_bar(p, &line);
        /* The cursor is hidden each time: after a stop and continue it is visible again. */
        fprintf(p->out, "%s\r%s\033[K", HIDE_CURSOR, line.s);
    } else {
        text_printf(&line, "%s%s: ", p->part, p->phase);
        add_state(p, &line, ", ");
        fprintf(p->out, "%s\n", line.s);
    }
    arena_reset(p->scratch);
    fflush(p->out);
    p->shown_s = p->view.now_s();
    p->stale = false;
}

/* A phase that ends between two plain lines gets its last one. */
static void phase_end(Progress *p)
{
    if (p->mode == PROGRESS_PLAIN && p->phase[0] && p->stale)
        show_line(p);
}

/* ---- the ticker ---------------------------------------------------------- */

/* Redraws a bar from time to time, so that the time left goes on between two updates. */
static void *ticker_main(void *progress)
{
    Progress *p = progress;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(1e9 * TICK_S);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_clockwait(&p->wake, &p->lock, CLOCK_MONOTONIC, &until);
        if (!p->closing && p->phase[0] && p->view.now_s() - p->shown_s >= TICK_S / 2)
            show_line(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Starts the ticker with all signals blocked: they are for the other threads. */
static void ticker_start(Progress *p)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    p->ticking = pthread_create(&p->ticker, NULL, ticker_main, p) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void ticker_stop(Progress *p)
{
    if (!p->ticking)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->ticker, NULL);
    p->ticking = false;
}

/* ---- the interface ------------------------------------------------------ */

static ProgressMode mode_for(ProgressMode wish, FILE *out, const ProgressView *view)
{
    const char *term = getenv("TERM");
    const bool terminal = view->width > 0 || (isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0);
    if (wish == PROGRESS_AUTO)
        return terminal ? PROGRESS_BAR : PROGRESS_PLAIN;
    return wish == PROGRESS_BAR && !terminal ? PROGRESS_NONE : wish;
}

Progress *progress_open(ProgressMode mode, FILE *out, const ProgressView *view)
{
    const ProgressView here = { .utf8 = locale_is_utf8(), .now_s = process_clock_s };
    Progress *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (Progress){ .out = out, .scratch = arena_new(), .view = view ? *view : here };
    p->mode = mode_for(mode, out, &p->view);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (p->mode == PROGRESS_BAR && p->view.width <= 0) {
        shown_fd = fileno(out);
        signals_take();
        ticker_start(p);
    }
    return p;
}

void progress_part(Progress *p, const ProgressPart *part)
{
    if (!p || part->n < 2)
        return;
    pthread_mutex_lock(&p->lock);
    Text in_full = { .arena = p->scratch }, in_short = { .arena = p->scratch };
    text_printf(&in_full, "%s %d of %d, %s: ", part->kind, part->at, part->n, part->name);
    text_printf(&in_short, "%d/%d %s: ", part->at, part->n, part->name);
    copy_printable(p->part, sizeof p->part, in_full.s);
    copy_printable(p->short_part, sizeof p->short_part, in_short.s);
    p->part_began_s = part->began_s;
    p->part_total_s = part->total_s;
    arena_reset(p->scratch);
    pthread_mutex_unlock(&p->lock);
}

void progress_phase(Progress *p, const char *phase, double total)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    phase_end(p);
    copy_printable(p->phase, sizeof p->phase, phase);
    p->best[0] = '\0';
    p->done = 0;
    p->total = total;
    p->eta_s = -1;
    if (p->mode != PROGRESS_NONE)
        show_line(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_update(Progress *p, double done, const char *best, double eta_s)
{
    if (!p || !p->phase[0])
        return;
    pthread_mutex_lock(&p->lock);
    p->done = done;
    p->eta_s = eta_s;
    p->told_s = p->view.now_s();
    p->stale = true;
    copy_printable(p->best, sizeof p->best, best);
    double wait_s = p->mode == PROGRESS_BAR ? REDRAW_S : PLAIN_S;
    if (p->mode != PROGRESS_NONE && p->view.now_s() - p->shown_s >= wait_s)
        show_line(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_line(Progress *p, const char *fmt, ...)
{
    if (!p)
        return;
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&p->lock);
    const bool has_bar = p->mode == PROGRESS_BAR && p->phase[0];
    fputs(has_bar ? "\r\033[K" : "", p->out);
    quote_vprintf(p->out, fmt, ap);
    fputc('\n', p->out);
    va_end(ap);
    if (has_bar)
        show_line(p);
    fflush(p->out);
    pthread_mutex_unlock(&p->lock);
}

void progress_close(Progress *p)
{
    if (!p)
        return;
    ticker_stop(p);
    phase_end(p);
    if (p->mode == PROGRESS_BAR && p->phase[0])
        fputs(RESTORE, p->out);
    fflush(p->out);
    if (shown_fd == fileno(p->out))
        shown_fd = -1;
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    arena_free(p->scratch);
    free(p);
}
