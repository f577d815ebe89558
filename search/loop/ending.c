/* SPDX-License-Identifier: Apache-2.0
 *
 * ending: says why a search ends without a kernel, or without one of some template. Counts what became of the
 * candidates, and why most of them failed.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "gen/base/number.h"
#include "search/loop/search.h"

enum { MOST_SHOWN = 3 }; /* reasons */

typedef struct {
    int64_t n, count[STATUS_COUNT];
    int64_t left_out; /* the machine failed, not the candidate (Trial.left_out): none of these is in count */
} Tally;

/* Was it built for the target that is tuned, and is it of that template? of NULL: of any. */
static bool is_meant(const Study *s, const Template *of, const Trial *t)
{
    return t->built && t->c.target == s->target && (!of || t->c.t == of);
}

static Tally tally_of(const Study *s, const Template *of)
{
    Tally y = { 0 };
    for (int64_t i = 0; i < s->ntrial; i++) {
        const Trial *t = &s->trial[i];
        if (!is_meant(s, of, t))
            continue;
        y.n++;
        y.left_out += t->left_out;
        y.count[t->status] += !t->left_out;
    }
    return y;
}

/* Why a trial failed, without the file and line that a compiler puts before its reason (its name is the key). */
static const char *reason_of(const Trial *t)
{
    const size_t len = strlen(t->key);
    const char *colon = strncmp(t->why, t->key, len) == 0 ? strstr(t->why, ": ") : NULL;
    return colon ? colon + 2 : t->why;
}

static bool same_reason(const Trial *x, const Trial *y)
{
    static const char digits[] = "0123456789";
    const char *a = reason_of(x), *b = reason_of(y);
    while (*a && (*a == *b || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))) {
        const bool number = isdigit((unsigned char)*a);
        a += number ? strspn(a, digits) : 1;
        b += number ? strspn(b, digits) : 1;
    }
    return x->status == y->status && *a == *b;
}

typedef struct {
    const Trial *first;
    int64_t n;
} Reason;

static int64_t list_reasons(Arena *a, const Study *s, const Template *of, Reason **out)
{
    Reason *list = *out = ARENA_ARRAY(a, (size_t)s->ntrial + 1, Reason);
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++) {
        const Trial *t = &s->trial[i];
        int64_t k = 0;
        if (!is_meant(s, of, t) || t->status == STATUS_OK)
            continue;
        while (k < n && !same_reason(list[k].first, t))
            k++;
        if (k == n)
            list[n++] = (Reason){ .first = t };
        list[k].n++;
    }
    return n;
}

static void add_reason(Text *text, const Study *s, const Reason *r)
{
    const Template *t = r->first->c.t;
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(&r->first->c, value);
    text_printf(text, "\n  %" PRId64 " x %s: %s\n    for one: %s %s", r->n,
                r->first->left_out ? "left out because the machine lacked something" : status_name(r->first->status),
                reason_of(r->first), t->name, s->target->name);
    for (int i = 0; i < t->nparam; i++)
        text_printf(text, " %s=%" PRId64, t->param[i].name, value[i]);
}

/* Adds the most frequent reasons; of equally frequent ones the earlier. */
static void add_reasons(Text *text, Arena *a, const Study *s, const Template *of)
{
    Reason *list;
    const int64_t n = list_reasons(a, s, of, &list);
    for (int shown = 0; shown < MOST_SHOWN && shown < n; shown++) {
        int64_t most = 0;
        for (int64_t k = 1; k < n; k++)
            most = list[k].n > list[most].n ? k : most;
        add_reason(text, s, &list[most]);
        list[most].n = 0;
    }
}

static void add_counts(Text *text, const Tally *y)
{
    static const char *const words[STATUS_COUNT] = { [STATUS_BUILD_FAILED] = "not built",
                                                     [STATUS_INVALID] = "refused",
                                                     [STATUS_WRONG] = "wrong",
                                                     [STATUS_CRASHED] = "crashed",
                                                     [STATUS_TIMED_OUT] = "timed out" };
    const char *before = ": ";
    for (int k = 0; k < STATUS_COUNT; k++)
        if (words[k] && y->count[k]) {
            text_printf(text, "%s%" PRId64 " %s", before, y->count[k], words[k]);
            before = ", ";
        }
    if (y->left_out)
        text_printf(text, "%s%" PRId64 " left out because the machine lacked something", before, y->left_out);
}

/* Says that none works. of: behind what there are none of. */
static void add_none(Text *text, const Tally *y, const char *of)
{
    const char *plural = number_plural(y->n);
    if (y->left_out == y->n)
        text_printf(text, "the machine could neither build nor run any of %" PRId64 " candidate%s%s", y->n, plural, of);
    else if (y->count[STATUS_BUILD_FAILED] == y->n)
        text_printf(text, "none of %" PRId64 " candidate%s%s could be built", y->n, plural, of);
    else if (y->count[STATUS_BUILD_FAILED] == 0 && y->left_out == 0)
        text_printf(text, "none of %" PRId64 " kernel%s%s that could be built works", y->n, plural, of);
    else
        text_printf(text, "none of %" PRId64 " candidate%s%s works", y->n, plural, of);
    if (y->left_out < y->n && y->count[STATUS_BUILD_FAILED] < y->n)
        add_counts(text, y);
}

const char *ending_text(Search *q)
{
    const Lab *l = q->lab;
    const Tally y = tally_of(l->study, NULL);
    const char *why_none = select_why_none(l->arena, l->study);
    Text text = { .arena = l->arena };
    q->fruitless = y.left_out < y.n;
    if (why_none)
        text_add(&text, why_none);
    else if (y.count[STATUS_OK])
        text_printf(&text, "the time of %.3g s was up before any of the kernels that work was measured", l->seconds);
    else
        add_none(&text, &y, "");
    add_reasons(&text, l->arena, l->study, NULL);
    return text_str(&text);
}

const char *ending_template_text(Arena *a, const Study *s, const Template *t)
{
    const Tally y = tally_of(s, t);
    Text text = { .arena = a };
    if (!y.n || y.count[STATUS_OK])
        return NULL;
    add_none(&text, &y, arena_printf(a, " of %s", t->name));
    add_reasons(&text, a, s, t);
    return text_str(&text);
}
