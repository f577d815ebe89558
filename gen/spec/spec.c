/* SPDX-License-Identifier: Apache-2.0
 *
 * spec: reads a workload's file, all of its errors at once. Each key is read by one function; the op comes first, since
 * the axes, dtypes, epilogues and layouts that a spec may name are the op's.
 */
#include "gen/spec/spec.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/base/version.h"
#include "gen/spec/spec_private.h"

enum { MAX_OP_NAMES = 256 };

const char spec_auto[] = "auto";

/* Keys of the file, of a function, and of functions that stand in a list. */
#define COMMON_KEYS                                                                                                    \
    { "dtype", false, NULL }, { "target", false, NULL }, { "dims", false, NULL }, { "tune", false, NULL },             \
        { "weights", false, NULL }, { "budget", false, NULL }, { "regret", false, NULL }, { "accuracy", false, NULL }, \
        { "caches", false, NULL }, { "version", false, NULL }, { "templates", false, NULL },                           \
        { "report", false, NULL },                                                                                     \
    {                                                                                                                  \
        "threads", false, NULL                                                                                         \
    }
#define FUNCTION_KEYS                                                                                                  \
    { "op", true, "the operator, as in op = \"dense\";" },                                                             \
        { "shapes", true, "a list of groups, one a shape, as in shapes = ( { M = \"16*T\"; N = 768; K = 768; } );" },  \
        { "epilogue", false, NULL }, { "formula", false, NULL }, { "types", false, NULL }, { "extents", false, NULL }, \
        { "sizes", false, NULL }, { "layout", false, NULL }, { "strides", false, NULL }, { "in_place", false, NULL },  \
    {                                                                                                                  \
        "space", false, NULL                                                                                           \
    }
#define NAME_KEY                                                              \
    {                                                                         \
        "name", true, "the name of the package, as in name = \"bert_dense\";" \
    }

static void read_name(SpecReader *r)
{
    const ConfSetting *s = conf_member(r->root, "name");
    if (!s || !conf_string(r->conf, s, NULL, &r->spec->name))
        return;
    const char *name = r->spec->name, *why = name_package_fault(name);
    r->spec->package = name;
    r->spec->name_loc = s->at;
    if (why && !name_fault(name))
        diag_error(r->diag, r->spec->name_loc, "the name '%s' %s; '%s' would do", name, why,
                   name_package_like(r->arena, name));
    else
        conf_check_name(r->diag, r->spec->name_loc, "name", name, why);
}

static void read_version(SpecReader *r)
{
    const ConfSetting *s = conf_member(r->root, "version");
    if (!s || !conf_string(r->conf, s, NULL, &r->spec->version))
        return;
    const char *why = version_fault(r->spec->version);
    if (why)
        diag_error(r->diag, s->at,
                   "the version '%s' %s; expected one as \"1.2.0\", or as \"1.2.0-rc.1\" for what comes before 1.2.0",
                   r->spec->version, why);
}

/* ---- folders of templates ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *spec_seen_path(SpecReader *r, const char *path)
{
    const char *spec = r->spec->src->path, *slash = strrchr(spec, '/');
    return arena_printf(r->arena, "%.*s%s", *path == '/' || !slash ? 0 : (int)(slash + 1 - spec), spec, path);
}

/* The folder that an element of 'templates' names, as seen from the spec's own folder, or else from the current one. */
static const char *find_folder(SpecReader *r, const ConfSetting *s)
{
    const char *from_here = s->text, *from_spec = spec_seen_path(r, from_here);
    if (!is_folder(from_spec) && !is_folder(from_here))
        diag_error(r->diag, s->at, "there is no folder '%s'; where it lies elsewhere now, name it by --templates DIR",
                   from_spec);
    return is_folder(from_spec) ? from_spec : from_here;
}

/* Lists the folders of templates: those that were given, of which the last is dcgen's own. Where no other was given,
 * those of the spec come before it. */
static void read_templates(SpecReader *r, const char *const *given, int ngiven)
{
    const ConfSetting *s = conf_member(r->root, "templates");
    const char **folder = ARENA_ARRAY(r->arena, conf_length(s) + ngiven + 1, const char *);
    int n = 0;
    if (conf_strings(r->conf, s, NULL, folder, conf_length(s), &(int){ 0 }) && ngiven == 1)
        for (; n < conf_length(s); n++)
            folder[n] = find_folder(r, conf_elem(s, n));
    for (int i = 0; i < ngiven; i++)
        folder[n++] = given[i];
    r->spec->templates = folder;
    r->spec->ntemplates = n;
}

/* ---- the op ---- */

static bool has_op(Arena *a, const char *folder, const char *name)
{
    return access(arena_printf(a, "%s/%s/op.cfg", folder, name), F_OK) == 0;
}

/* Adds the op in a folder, as "did you mean 'dense'? It is Y[M,N] = ...", if others call it by this name, or what it
 * says to those who ask for that. */
static void add_also(Arena *a, const char *dir, const char *name, Text *also)
{
    const Op *op = op_read(a, dir, diag_new(a));
    if (op && names_find(NAMES(op->also, op->nalso), name) >= 0)
        text_printf(also, "%s'%s'? It is %s", also->len ? "; or " : "did you mean ", op->name, op->doc);
    for (int i = 0; op && i < op->nadvice; i++)
        if (names_find(NAMES(op->advice[i].word, op->advice[i].nword), name) >= 0)
            text_printf(also, "%s%s", also->len ? "; or " : "", op->advice[i].say);
}

static void report_unknown_op(SpecReader *r, Loc at, const char *name, const char *const *templates, int ntemplates)
{
    const char *op[MAX_OP_NAMES];
    size_t nop = 0;
    Text also = { .arena = r->arena };
    for (int i = 0; i < ntemplates; i++) {
        char **path;
        int n = 0;
        dir_list(r->arena, templates[i], "", &path, &n);
        for (int k = 0; k < n && nop < MAX_OP_NAMES; k++) {
            op[nop] = strrchr(path[k], '/') + 1;
            if (name_fault(op[nop]) || !has_op(r->arena, templates[i], op[nop]))
                continue;
            add_also(r->arena, path[k], name, &also);
            nop++;
        }
    }
    qsort(op, nop, sizeof *op, order_word);
    if (also.len)
        diag_error(r->diag, at, "unknown op '%s'; %s", name, text_str(&also));
    else
        conf_lookup(r->diag, at, "op", name, NAMES(op, nop));
}

static void read_op(SpecReader *r, const char *const *templates, int ntemplates)
{
    const ConfSetting *s = conf_member(r->group, "op");
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
    const ConfSetting *group = conf_member(r->group, "dtype") ? r->group : r->root;
    int index = 0;
    const char *unchecked; /* without an op, only the type can be checked: a string */
    if (op)
        conf_choice(r->conf, group, "dtype", "dtype", NAMES(op->dtype, op->ndtype), &index);
    else
        conf_string(r->conf, group, "dtype", &unchecked);
    r->spec->dtype = op ? op->dtype[index] : NULL;
}

static void read_layout(SpecReader *r)
{
    Spec *spec = r->spec;
    const ConfSetting *group = conf_group(r->conf, r->group, "layout");
    ConfKey keys[OP_MAX_OPERAND + 1];
    size_t nkey = 0;
    spec->const_operand = -1;
    for (int i = 0; spec->op && i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        if (o->role == ROLE_CONST && spec->const_operand < 0)
            spec->const_operand = i;
        if (o->layout_of)
            spec->layout[i] = spec->layout[names_find(NAMES(spec->op->operand, i), o->layout_of)];
        if (o->nlayout < 2 || o->layout_of)
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

/* The budget of all functions; kernels and trials that are not given: so many for each function. */
static Budget read_budget(SpecReader *r, int nfunction)
{
    static const ConfKey keys[] = {
        { "kernels", false, NULL },
        { "code_kib", false, NULL },
        { "trials", false, NULL },
        { "seconds", false, NULL },
    };
    enum { MAX_KERNELS = 256, MAX_CODE_KIB = 1 << 20, MAX_TRIALS = 1000000, MAX_SECONDS = 30 * 24 * 3600 };
    int64_t kernels = 8 * nfunction, code_kib = 512 * nfunction, trials = 256 * nfunction, seconds = 300;
    const ConfSetting *group = conf_group(r->conf, r->root, "budget");
    conf_keys(r->conf, group, keys, LENGTH(keys));
    if (conf_int(r->conf, group, "kernels", 1, MAX_KERNELS * nfunction, &kernels) && kernels < nfunction)
        diag_error(r->diag, conf_member(group, "kernels")->at,
                   "'kernels': %d for %d functions, of which each needs one at least", (int)kernels, nfunction);
    conf_int(r->conf, group, "code_kib", 1, MAX_CODE_KIB, &code_kib);
    conf_int(r->conf, group, "trials", 1, MAX_TRIALS, &trials);
    conf_int(r->conf, group, "seconds", 1, MAX_SECONDS, &seconds);
    return (Budget){ (int)kernels, (int)code_kib, (int)trials, (int)seconds };
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

static void read_caches(SpecReader *r)
{
    static const char *const word[] = { "cold", "hot" };
    int which = 0;
    conf_choice(r->conf, r->root, "caches", "state of the caches", NAMES(word, 2), &which);
    r->spec->hot = which == 1;
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

/* Whether the templates have those parameters and values is checked when they have been read
 * (gen/template/template_read.c). */
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
    const ConfSetting *group = conf_group(r->conf, r->group, "space");
    const int n = conf_length(group);
    if (n > SPEC_MAX_LIMIT)
        diag_error(r->diag, group->name_at, "'space' names more than %d parameters", SPEC_MAX_LIMIT);
    for (int i = 0; i < n && i < SPEC_MAX_LIMIT; i++)
        read_limit(r, conf_elem(group, i));
}

/* ---- functions ---- */

/* What all functions have in common. */
static void read_common(SpecReader *r)
{
    read_name(r);
    read_version(r);
    read_target(r);
    spec_read_dims(r);
    read_regret(r);
    read_caches(r);
    read_threads(r);
}

/* Reads the keys of the function that r->group has. */
static void read_function(SpecReader *r, const char *const *templates, int ntemplates)
{
    read_op(r, templates, ntemplates);
    read_dtype(r);
    spec_read_formula(r);
    spec_read_shapes(r);
    read_layout(r);
    spec_read_strides(r);
    spec_read_in_place(r);
    read_limits(r);
    if (diag_nerror(r->diag) == r->nerror)
        spec_make_instances(r);
    if (diag_nerror(r->diag) == r->nerror)
        spec_check_formula(r);
}

/* Would the symbols of one function begin like those of the other? "scores" and "scores_pack". */
static bool is_beginning(const char *one, const char *other)
{
    const size_t n = strlen(one);
    return strncmp(one, other, n) == 0 && (other[n] == '\0' || other[n] == '_');
}

/* Reads the name of the i-th function, whose keys r->group has. */
static void read_function_name(SpecReader *r, const SpecFile *f, int i)
{
    Spec *s = r->spec;
    const ConfSetting *name = conf_member(r->group, "name");
    if (!name || !conf_string(r->conf, name, NULL, &s->function) ||
        !conf_check_name(r->diag, name->at, "function", s->function, name_fault(s->function)))
        return;
    s->name_loc = name->at;
    s->name = arena_printf(r->arena, "%s_%s", s->package ? s->package : "", s->function);
    for (int k = 0; k < i; k++) {
        const char *other = f->function[k]->function;
        if (other && (is_beginning(other, s->function) || is_beginning(s->function, other)))
            diag_error(r->diag, name->at, "the functions '%s' and '%s' would have symbols that begin alike", other,
                       s->function);
    }
}

/* Reads the keys that only one of several functions has. */
static void read_listed(SpecReader *r, const SpecFile *f, int i)
{
    static const ConfKey keys[] = { { "name", true, "the name of the function, as in name = \"scores\";" },
                                    { "dtype", false, NULL },
                                    { "weight", false, NULL },
                                    { "accuracy", false, NULL },
                                    FUNCTION_KEYS };
    Spec *s = r->spec;
    conf_keys(r->conf, r->group, keys, LENGTH(keys));
    read_function_name(r, f, i);
    const ConfSetting *weight = conf_member(r->group, "weight");
    s->share = 0; /* set_shares */
    if (conf_real(r->conf, r->group, "weight", &s->share) && weight && !(s->share > 0))
        diag_error(r->diag, weight->at, "a function's weight must be above 0");
}

/* The time of all calls of the function in a model, in the mean over its tuned shapes: by a rough roofline of 100
 * GFLOP/s and 20 GB/s, and a microsecond a call. */
static double time_of_calls(const Spec *s)
{
    double sum = 0;
    for (int d = 0; d < s->nshape; d++) {
        double time = 0, weight = 0;
        for (const Instance *in = s->instance; in < s->instance + s->ninstance; in++)
            if (in->decl == d && in->tuned) {
                time += in->weight * (1e-6 + fmax(spec_flops(s, in->extent) / 100e9, spec_bytes(s, in->extent) / 20e9));
                weight += in->weight;
            }
        sum += weight > 0 ? s->shape[d].weight * time / weight : 0;
    }
    return sum;
}

/* Functions without a weight have 1; in a model a quarter of it, and the rest by their part of its time. Together
 * shares are 1. */
static void set_shares(SpecFile *f)
{
    double of[SPEC_MAX_FUNCTION] = { 0 }, time = 0, sum = 0;
    for (int i = 0; i < f->nfunction && f->graph; i++)
        time += of[i] = time_of_calls(f->function[i]);
    for (int i = 0; i < f->nfunction; i++) {
        Spec *s = f->function[i];
        if (s->share == 0)
            s->share = time > 0 ? 0.25 + 0.75 * f->nfunction * of[i] / time : 1;
        sum += s->share;
    }
    for (int i = 0; i < f->nfunction; i++)
        f->function[i]->share /= sum;
}

/* A dim that nothing uses is most likely a slip, but harmless. */
static void warn_unused_dims(SpecReader *r, const Spec *common, unsigned used)
{
    for (int i = 0; i < common->ndim; i++)
        if (!(used >> i & 1))
            diag_warn(r->diag, common->dim[i].loc, "no shape uses the dim '%s'", common->dim[i].name);
}

/* The list 'functions', or NULL: the file's own keys are those of its only function. */
static const ConfSetting *function_list(SpecReader *r)
{
    static const ConfKey one[] = { NAME_KEY, FUNCTION_KEYS, COMMON_KEYS };
    static const ConfKey several[] = { NAME_KEY, { "functions", true, NULL }, { "graph", false, NULL }, COMMON_KEYS };
    const bool is_list = conf_member(r->root, "functions");
    conf_keys(r->conf, r->root, is_list ? several : one, is_list ? LENGTH(several) : LENGTH(one));
    const ConfSetting *list = is_list ? conf_list(r->conf, r->root, "functions") : NULL;
    const int n = conf_length(list);
    if (list && (n < 1 || n > SPEC_MAX_FUNCTION))
        diag_error(r->diag, list->at, "'functions': %d functions, expected 1 to %d", n, SPEC_MAX_FUNCTION);
    return list;
}

/* Says so of a word for all functions that none of their ops has. */
static void check_common_accuracy(SpecReader *r, const SpecFile *f)
{
    const ConfSetting *s = conf_member(r->root, "accuracy");
    bool is_used = !s || s->type != CONF_STRING || !conf_member(r->root, "functions");
    for (int i = 0; i < f->nfunction && !is_used; i++) {
        const Op *op = f->function[i]->op;
        is_used = !op || names_find(NAMES(op->accuracy, op->naccuracy), s->text) >= 0;
    }
    if (!is_used)
        diag_error(r->diag, s->at,
                   "no function's op has the accuracy '%s'; expected such a word, or a number from 1 to %d", s->text,
                   OP_MAX_ACCURACY);
}

static void read_functions(SpecReader *r, SpecFile *f, const ConfSetting *list)
{
    const Spec *common = r->spec;
    unsigned dims = 0;
    for (int i = 0; i < f->nfunction; i++) {
        r->spec = f->function[i] = ARENA_NEW(r->arena, Spec);
        *r->spec = *common;
        r->group = list ? conf_elem(list, i) : r->root;
        if (!conf_group(r->conf, r->group, NULL))
            continue;
        dims |= r->spec->dims = spec_named_dims(r);
        if (list)
            read_listed(r, f, i);
        read_function(r, common->templates, common->ntemplates);
    }
    if (diag_nerror(r->diag) == r->nerror)
        set_shares(f);
    check_common_accuracy(r, f);
    if (diag_nerror(r->diag) == r->nerror && !f->graph)
        warn_unused_dims(r, common, dims);
}

/* ---- all ---- */

/* Gives each function its part of `all`, at least one, the rest by their shares; what rounding leaves goes to the first
 * ones. */
static void share_out(SpecFile *f, int all, size_t part)
{
    int left = all - f->nfunction > 0 ? all - f->nfunction : 0;
    const int by_share = left;
    for (int i = 0; i < f->nfunction; i++) {
        const int more = (int)(by_share * f->function[i]->share);
        *(int *)((char *)&f->function[i]->budget + part) = 1 + more;
        left -= more;
    }
    for (int i = 0; i < f->nfunction && left > 0; i++, left--)
        ++*(int *)((char *)&f->function[i]->budget + part);
}

void spec_share_budget(SpecFile *f, const Budget *budget)
{
    f->budget = *budget;
    share_out(f, budget->kernels, offsetof(Budget, kernels));
    share_out(f, budget->code_kib, offsetof(Budget, code_kib));
    share_out(f, budget->trials, offsetof(Budget, trials));
    share_out(f, budget->seconds, offsetof(Budget, seconds));
}

SpecFile *spec_file_parse(Arena *a, const Source *src, const char *const *templates, int ntemplates, Diag *d)
{
    SpecFile *f = ARENA_NEW(a, SpecFile);
    Spec common = { .src = src, .const_operand = -1, .share = 1 };
    SpecReader r = { .arena = a, .diag = d, .nerror = diag_nerror(d), .spec = &common };
    r.conf = conf_parse(a, src, 0, src->len, d);
    if (!r.conf)
        return NULL;
    r.root = r.group = r.conf->root;
    const ConfSetting *list = function_list(&r);
    f->nfunction = list ? conf_length(list) : 1;
    if (list && diag_nerror(d) > r.nerror && (f->nfunction < 1 || f->nfunction > SPEC_MAX_FUNCTION))
        return NULL;
    f->function = ARENA_ARRAY(a, (size_t)f->nfunction, Spec *);
    f->src = src;
    f->conf = r.conf;
    f->graph = conf_member(r.root, "graph");
    read_templates(&r, templates, ntemplates);
    read_common(&r);
    f->name = common.package;
    f->report = true;
    conf_bool(r.conf, r.root, "report", &f->report);
    const Budget budget = read_budget(&r, f->nfunction);
    read_functions(&r, f, list);
    if (diag_nerror(d) > r.nerror)
        return NULL;
    spec_share_budget(f, &budget);
    return f;
}

Spec *spec_parse(Arena *a, const Source *src, const char *const *templates, int ntemplates, Diag *d)
{
    const SpecFile *f = spec_file_parse(a, src, templates, ntemplates, d);
    return f ? f->function[0] : NULL;
}

Spec *spec_read(Arena *a, const char *path, const char *const *templates, int ntemplates, Diag *d)
{
    const Source *src = conf_source(a, path, d);
    return src ? spec_parse(a, src, templates, ntemplates, d) : NULL;
}
