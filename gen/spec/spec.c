/* SPDX-License-Identifier: Apache-2.0
 *
 * spec: reads a workload's file, all of its errors at once. Each key is read by one function; the op comes first, since
 * the axes, dtypes, epilogues and layouts that a spec may name are the op's.
 */
#include "gen/spec/spec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/spec/spec_private.h"

enum { MAX_OP_NAMES = 256 };

const char spec_auto[] = "auto";

static const ConfKey spec_keys[] = {
    { "name", true, "the name of the package, as in name = \"bert_dense\";" },
    { "op", true, "the operator, as in op = \"dense\";" },
    { "shapes", true, "a list of groups, one a shape, as in shapes = ( { M = \"16*T\"; N = 768; K = 768; } );" },
    { "dtype", false, NULL },
    { "target", false, NULL },
    { "dims", false, NULL },
    { "tune", false, NULL },
    { "weights", false, NULL },
    { "epilogue", false, NULL },
    { "layout", false, NULL },
    { "budget", false, NULL },
    { "regret", false, NULL },
    { "threads", false, NULL },
    { "space", false, NULL },
};

static void read_name(SpecReader *r)
{
    const ConfSetting *s = conf_member(r->root, "name");
    if (!s || !conf_string(r->conf, s, NULL, &r->spec->name))
        return;
    const char *name = r->spec->name, *why = name_package_fault(name);
    r->spec->name_loc = s->at;
    if (why && !name_fault(name))
        diag_error(r->diag, r->spec->name_loc, "the name '%s' %s; '%s' would do", name, why,
                   name_package_like(r->arena, name));
    else
        conf_check_name(r->diag, r->spec->name_loc, "name", name, why);
}

/* ---- the op ---- */

static bool has_op(Arena *a, const char *folder, const char *name)
{
    return access(arena_printf(a, "%s/%s/op.cfg", folder, name), F_OK) == 0;
}

static void report_unknown_op(SpecReader *r, Loc at, const char *name, const char *const *templates, int ntemplates)
{
    const char *op[MAX_OP_NAMES];
    size_t nop = 0;
    for (int i = 0; i < ntemplates; i++) {
        char **path;
        int n = 0;
        dir_list(r->arena, templates[i], "", &path, &n);
        for (int k = 0; k < n && nop < MAX_OP_NAMES; k++) {
            op[nop] = strrchr(path[k], '/') + 1;
            nop += !name_fault(op[nop]) && has_op(r->arena, templates[i], op[nop]);
        }
    }
    qsort(op, nop, sizeof *op, order_word);
    conf_lookup(r->diag, at, "op", name, NAMES(op, nop));
}

static void read_op(SpecReader *r, const char *const *templates, int ntemplates)
{
    const ConfSetting *s = conf_member(r->root, "op");
    const char *name;
    if (!s || !conf_string(r->conf, s, NULL, &name) || !conf_check_name(r->diag, s->at, "op", name, name_fault(name)))
        return;
    for (int i = 0; i < ntemplates; i++)
        if (has_op(r->arena, templates[i], name)) {
            r->spec->op = op_read(r->arena, arena_printf(r->arena, "%s/%s", templates[i], name), r->diag);
            return;
        }
    report_unknown_op(r, s->at, name, templates, ntemplates);
}

/* ---- keys that choose among what the op has ---- */

static void read_dtype(SpecReader *r)
{
    const Op *op = r->spec->op;
    int index = 0;
    const char *unchecked; /* without an op, only the type can be checked: a string */
    if (op)
        conf_choice(r->conf, r->root, "dtype", "dtype", NAMES(op->dtype, op->ndtype), &index);
    else
        conf_string(r->conf, r->root, "dtype", &unchecked);
    r->spec->dtype = op ? op->dtype[index] : NULL;
}

static void read_epilogue(SpecReader *r)
{
    Spec *spec = r->spec;
    const ConfSetting *s = conf_member(r->root, "epilogue");
    if (!s || !conf_strings(r->conf, r->root, "epilogue", spec->epilogue, SPEC_MAX_NAME, &spec->nepilogue) || !spec->op)
        return;
    for (int i = 0; i < spec->nepilogue; i++)
        if (!conf_twice(r->conf, s, i, ""))
            conf_lookup(r->diag, conf_elem(s, i)->at, "epilogue", spec->epilogue[i],
                        NAMES(spec->op->epilogue, spec->op->nepilogue));
}

static void read_layout(SpecReader *r)
{
    Spec *spec = r->spec;
    const ConfSetting *group = conf_group(r->conf, r->root, "layout");
    ConfKey keys[OP_MAX_OPERAND + 1];
    size_t nkey = 0;
    spec->const_operand = -1;
    for (int i = 0; spec->op && i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        if (o->role == ROLE_CONST)
            spec->const_operand = i;
        if (o->nlayout < 2)
            continue;
        keys[nkey++] = (ConfKey){ o->name, false, NULL };
        conf_choice(r->conf, group, o->name, "layout", NAMES(o->layout, o->nlayout), &spec->layout[i]);
    }
    if (!spec->op)
        return;
    if (spec->const_operand >= 0)
        keys[nkey++] = (ConfKey){ "packed", false, NULL };
    if (nkey == 0 && group)
        diag_error(r->diag, group->name_at, "the op '%s' has no operand with layouts to choose from", spec->op->name);
    else
        conf_keys(r->conf, group, keys, nkey);
    if (spec->const_operand >= 0)
        conf_bool(r->conf, group, "packed", &spec->packed);
}

/* ---- the rest ---- */

static void read_target(SpecReader *r)
{
    Spec *spec = r->spec;
    const ConfSetting *s = conf_member(r->root, "target");
    spec->target[0] = spec_auto;
    spec->ntarget = 1;
    if (!s || !conf_strings(r->conf, r->root, "target", spec->target, SPEC_MAX_NAME, &spec->ntarget))
        return;
    if (spec->ntarget == 0)
        diag_error(r->diag, s->at, "'target': expected at least one, as in [\"host\"]");
    for (int i = 0; i < spec->ntarget; i++) {
        const char *name = spec->target[i];
        spec->target_loc[i] = conf_elem(s, i)->at;
        if (conf_check_name(r->diag, spec->target_loc[i], "target", name, name_fault(name)))
            conf_twice(r->conf, s, i, "");
    }
}

static void read_budget(SpecReader *r)
{
    static const ConfKey keys[] = {
        { "kernels", false, NULL },
        { "code_kib", false, NULL },
        { "trials", false, NULL },
        { "seconds", false, NULL },
    };
    enum { MAX_KERNELS = 256, MAX_CODE_KIB = 1 << 20, MAX_TRIALS = 1000000, MAX_SECONDS = 30 * 24 * 3600 };
    int64_t kernels = 8, code_kib = 512, trials = 256, seconds = 300;
    const ConfSetting *group = conf_group(r->conf, r->root, "budget");
    conf_keys(r->conf, group, keys, LENGTH(keys));
    conf_int(r->conf, group, "kernels", 1, MAX_KERNELS, &kernels);
    conf_int(r->conf, group, "code_kib", 1, MAX_CODE_KIB, &code_kib);
    conf_int(r->conf, group, "trials", 1, MAX_TRIALS, &trials);
    conf_int(r->conf, group, "seconds", 1, MAX_SECONDS, &seconds);
    r->spec->budget = (Budget){ (int)kernels, (int)code_kib, (int)trials, (int)seconds };
}

static void read_regret_bound(SpecReader *r, const ConfSetting *group, const char *key, double *out)
{
    double value = 1;
    if (!conf_real(r->conf, group, key, &value) || !conf_member(group, key))
        return;
    if (value > 0 && value <= 1)
        *out = value;
    else
        diag_error(r->diag, conf_member(group, key)->at,
                   "'%s': expected a part of the best time, above 0 and at most 1, such as 0.02 for 2 %%; found %g",
                   key, value);
}

static void read_regret(SpecReader *r)
{
    static const ConfKey keys[] = { { "mean", false, NULL }, { "worst", false, NULL } };
    const ConfSetting *group = conf_group(r->conf, r->root, "regret");
    conf_keys(r->conf, group, keys, LENGTH(keys));
    read_regret_bound(r, group, "mean", &r->spec->regret.mean);
    read_regret_bound(r, group, "worst", &r->spec->regret.worst);
}

static void read_threads(SpecReader *r)
{
    Spec *spec = r->spec;
    int64_t value[SPEC_MAX_NAME] = { 1 };
    const ConfSetting *s = conf_member(r->root, "threads");
    spec->nthread = 1;
    bool ok = conf_ints(r->conf, r->root, "threads", 1, SPEC_MAX_THREADS, value, SPEC_MAX_NAME, &spec->nthread);
    if (ok && spec->nthread == 0)
        diag_error(r->diag, s->at, "'threads': expected at least one, as in [1]");
    for (int i = 0; ok && s && i < spec->nthread; i++)
        conf_twice(r->conf, s, i, "'threads': ");
    qsort(value, (size_t)spec->nthread, sizeof *value, order_number);
    for (int i = 0; i < spec->nthread; i++)
        spec->threads[i] = (int)value[i];
}

/* ---- space: which values of templates' parameters are searched ---- */

/* Whether the templates have those parameters and values is checked when they have been read (gen/template/template_read.c). */
static void read_limit(SpecReader *r, const ConfSetting *s)
{
    SpecLimit *l = &r->spec->limit[r->spec->nlimit];
    l->param = s->name;
    l->loc = s->name_at;
    if (!conf_ints(r->conf, s, NULL, INT32_MIN, INT32_MAX, l->value, SPEC_MAX_CHOICE, &l->nvalue))
        return;
    if (l->nvalue == 0)
        diag_error(r->diag, s->at, "'%s': expected at least one value, as in [1, 2]", l->param);
    for (int i = 0; i < l->nvalue; i++)
        l->value_loc[i] = conf_elem(s, i)->at;
    r->spec->nlimit++;
}

static void read_limits(SpecReader *r)
{
    const ConfSetting *group = conf_group(r->conf, r->root, "space");
    const int n = conf_length(group);
    if (n > SPEC_MAX_LIMIT)
        diag_error(r->diag, group->name_at, "'space' names more than %d parameters", SPEC_MAX_LIMIT);
    for (int i = 0; i < n && i < SPEC_MAX_LIMIT; i++)
        read_limit(r, conf_elem(group, i));
}

/* ---- all ---- */

Spec *spec_parse(Arena *a, const Source *src, const char *const *templates, int ntemplates, Diag *d)
{
    SpecReader r = { .arena = a, .diag = d, .nerror = diag_nerror(d), .spec = ARENA_NEW(a, Spec) };
    *r.spec = (Spec){ .src = src, .templates = templates, .ntemplates = ntemplates };
    r.conf = conf_parse(a, src, 0, src->len, d);
    if (!r.conf)
        return NULL;
    r.root = r.conf->root;
    conf_keys(r.conf, r.root, spec_keys, LENGTH(spec_keys));
    read_name(&r);
    read_op(&r, templates, ntemplates);
    read_dtype(&r);
    read_target(&r);
    spec_read_shapes(&r);
    read_epilogue(&r);
    read_layout(&r);
    read_budget(&r);
    read_regret(&r);
    read_threads(&r);
    read_limits(&r);
    if (diag_nerror(d) == r.nerror)
        spec_make_instances(&r);
    return diag_nerror(d) == r.nerror ? r.spec : NULL;
}

Spec *spec_read(Arena *a, const char *path, const char *const *templates, int ntemplates, Diag *d)
{
    const Source *src = conf_source(a, path, d);
    return src ? spec_parse(a, src, templates, ntemplates, d) : NULL;
}

bool spec_has_epilogue(const Spec *s, const char *epilogue)
{
    return names_find(NAMES(s->epilogue, s->nepilogue), epilogue) >= 0;
}

const Layout *spec_layout(const Spec *s, int operand) { return &s->op->operand[operand].layout[s->layout[operand]]; }

const char *spec_layout_text(Arena *a, const Spec *s)
{
    Text t = { .arena = a };
    for (int i = 0; i < s->op->noperand; i++)
        if (s->op->operand[i].nlayout > 1)
            text_printf(&t, "%s%s: %s", t.len ? ", " : "", s->op->operand[i].name, spec_layout(s, i)->name);
    return text_str(&t);
}

bool spec_is_constant(const Spec *s, int extent)
{
    return s->op->extent[extent].kind == EXTENT_ATTRIBUTE && s->box.min[extent] == s->box.max[extent];
}

int64_t spec_shape_count(const Spec *s) { return s->ninstance / s->nthread; }

int64_t spec_tuned_count(const Spec *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        n += s->instance[i].tuned;
    return n / s->nthread;
}

int spec_extents(const Spec *s, int axis, int64_t *extent, int max)
{
    int n = 0;
    for (int64_t i = 0; i < s->ninstance; i++) {
        int at = 0;
        while (at < n && extent[at] != s->instance[i].extent[axis])
            at++;
        if (at == max)
            return 0;
        extent[at] = s->instance[i].extent[axis];
        n += at == n;
    }
    qsort(extent, (size_t)n, sizeof *extent, order_number);
    return n;
}

bool spec_wants(const Spec *s, const char *param, int64_t value)
{
    const SpecLimit *l = names_row(NAMES(s->limit, s->nlimit), param);
    int i = 0;
    while (l && i < l->nvalue && l->value[i] != value)
        i++;
    return !l || i < l->nvalue;
}
