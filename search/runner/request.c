/* SPDX-License-Identifier: Apache-2.0
 *
 * request: takes what requests say and checks it (protocol.md). What is wrong is said in `why`.
 */
#include "search/runner/request.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double max_elems = (int64_t)1 << 36; /* 256 GiB of f32, as much as verify.c takes */

bool request_fail(char why[WHY_BYTES], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, WHY_BYTES, fmt, ap);
    va_end(ap);
    return false;
}

bool request_unpack(json_t *object, const char *whose, char why[WHY_BYTES], const char *fields, ...)
{
    json_error_t problem;
    va_list ap;
    va_start(ap, fields);
    const bool good = json_vunpack_ex(object, &problem, 0, fields, ap) == 0;
    va_end(ap);
    return good || request_fail(why, "%s: %s", whose, problem.text);
}

bool request_bounds(const RequestBounds *b, char why[WHY_BYTES])
{
    while (b->name && b->value >= b->least && b->value <= b->most)
        b++;
    return !b->name || (isinf(b->most) ? request_fail(why, "%s must be %.0f or more", b->name, b->least)
                                       : request_fail(why, "%s must be from %.0f to %.0f", b->name, b->least, b->most));
}

int request_integers(json_t *object, const char *name, int max_count, double least, double most, int64_t *out,
                     char why[WHY_BYTES])
{
    json_t *list = json_object_get(object, name), *value;
    const size_t count = json_array_size(list);
    size_t n = 0;
    for (; n < (size_t)max_count && json_is_integer(value = json_array_get(list, n)); n++) {
        out[n] = json_integer_value(value);
        if (!request_bounds((const RequestBounds[]){ { name, (double)out[n], least, most }, { 0 } }, why))
            return 0;
    }
    return n > 0 && n == count ? (int)n : request_fail(why, "%s must be a list of 1 to %d integers", name, max_count);
}

bool request_path(const char *so, char why[WHY_BYTES])
{
    return !so || strchr(so, '/') || request_fail(why, "so must be a path");
}

/* ---- setup */

static bool load_reference(Setup *s, const char *path, char why[WHY_BYTES])
{
    s->reference = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->reference)
        return request_fail(why, "setup: %s", dlerror());
    *(void **)&s->rows = dlsym(s->reference, "dcgen_reference_rows");
    *(void **)&s->check = dlsym(s->reference, "dcgen_reference_check");
    *(void **)&s->terms = dlsym(s->reference, "dcgen_reference_terms");
    const void *accuracy = dlsym(s->reference, "dcgen_reference_accuracy");
    s->accuracy = 1;
    if (accuracy)
        memcpy(&s->accuracy, accuracy, sizeof s->accuracy);
    return (s->rows && s->terms) ||
           request_fail(why, "setup: the reference lacks a function of dcgen_reference_rows, _terms");
}

/* Takes the kind of operand i's data. Words of any bits, and those that an extent bounds, need integers. */
static bool take_data(Setup *s, int i, const char *whose, const char *data, char why[WHY_BYTES])
{
    const int kind = data ? names_find(NAMES(data_names, DATA_OF_OPS), data) : DATA_NORMAL;
    const bool is_bounded = kind >= DATA_LENGTHS;
    if (kind < 0 || (kind >= DATA_BITS && !storage_is_whole(s->stored[i])))
        return request_fail(why, "%s has an unknown kind of data, or one that is not of its dtype", whose);
    s->data[i] = (DataKind)kind;
    return (s->of[i] >= (is_bounded ? 0 : -1) && s->of[i] < OP_MAX_EXTENT) ||
           request_fail(why, "%s: of is no extent", whose);
}

static bool read_operand(Setup *s, json_t *operand, char why[WHY_BYTES])
{
    const char *role, *dtype, *name, *data = NULL;
    char whose[32];
    int is_read = 0;
    const int i = s->noperand++;
    snprintf(whose, sizeof whose, "setup: operand %d", i);
    s->of[i] = -1;
    if (!request_unpack(operand, whose, why, "{s:s, s:s, s:s, s?s, s?i, s?b}", "name", &name, "role", &role, "dtype",
                        &dtype, "data", &data, "of", &s->of[i], "read", &is_read))
        return false;
    const int r = names_find(NAMES(role_names, ROLE_COUNT), role);
    s->stored[i] = storage_find(dtype);
    if (r < 0 || !s->stored[i])
        return request_fail(why, "%s has an unknown %s", whose, r < 0 ? "role" : "dtype");
    if (r == ROLE_OUT && s->out >= 0)
        return request_fail(why, "%s is a second output", whose);
    s->role[i] = (Role)r;
    snprintf(s->name[i], sizeof s->name[i], "%s", name);
    if (r == ROLE_OUT) {
        s->out = i;
        s->reads_out = is_read;
    }
    if (r == ROLE_CONST && s->nconstant++ == 0)
        s->constant = i;
    return take_data(s, i, whose, data, why);
}

bool request_setup(Setup *s, json_t *request, char why[WHY_BYTES])
{
    const char *reference, *dtype;
    json_t *operands;
    *s = (Setup){ .out = -1, .constant = -1 };
    if (!request_unpack(request, "setup", why, "{s:s, s:s, s:I, s:o}", "reference", &reference, "dtype", &dtype, "seed",
                        &s->seed, "operands", &operands))
        return false;
    const size_t count = json_array_size(operands);
    for (size_t i = 0; i < count && i < OP_MAX_OPERAND; i++)
        if (!read_operand(s, json_array_get(operands, i), why))
            return false;
    if (s->out < 0 || count > OP_MAX_OPERAND)
        return request_fail(why, "setup: there must be 1 to %d operands with one output", OP_MAX_OPERAND);
    if (!dtype_find(dtype))
        return request_fail(why, "setup: unknown dtype");
    s->rounding = dtype_rounding(dtype_find(dtype), s->stored[s->out]);
    return load_reference(s, reference, why);
}

/* ---- measure */

static bool read_out_extents(json_t *json, Shape *shape, int64_t elems, char why[WHY_BYTES])
{
    int64_t product = 1;
    bool good = true;
    if (!json_object_get(json, "out_extents"))
        return true;
    const int n = request_integers(json, "out_extents", OP_MAX_RANK, 0, max_elems, shape->out_extent, why);
    for (int i = 0; i < n; i++)
        good = !__builtin_mul_overflow(product, shape->out_extent[i], &product) && good;
    return n > 0 && ((good && product == elems) ||
                     request_fail(why, "the product of out_extents is not the size of the output"));
}

static bool read_along(const Setup *setup, json_t *json, Shape *shape, char why[WHY_BYTES])
{
    if (!json_object_get(json, "along"))
        return true;
    bool good = request_integers(json, "along", OP_MAX_OPERAND, 1, max_elems, shape->along, why) == setup->noperand;
    for (int i = 0; good && i < setup->noperand; i++)
        good = shape->elems[i] % shape->along[i] == 0;
    return good ||
           request_fail(why, "along must be %d integers above 0 that divide the operands' sizes", setup->noperand);
}

static bool read_apart(const Setup *setup, json_t *json, Shape *shape, char why[WHY_BYTES])
{
    int at;
    Apart a = { 0 };
    if (!request_unpack(json, "apart", why, "{s:i}", "operand", &at))
        return false;
    if (at < 0 || at >= setup->noperand)
        return request_fail(why, "apart: there is no operand %d", at);
    a.rank = request_integers(json, "extents", OP_MAX_RANK, 0, max_elems, a.extent, why);
    if (a.rank == 0 || request_integers(json, "strides", OP_MAX_RANK, 0, max_elems, a.stride, why) + 1 != a.rank)
        return request_fail(why, "apart: extents and strides must be lists of integers, of strides one less");
    if (!apart_complete(&a, shape->elems[at], max_elems, at == setup->out))
        return request_fail(why, "apart: operand %d is not of that size, its elements overlap, or lie too far apart",
                            at);
    shape->apart[at] = a;
    return true;
}

static bool read_all_apart(const Work *w, json_t *json, Shape *shape, char why[WHY_BYTES])
{
    json_t *list = json_object_get(json, "apart"), *one;
    size_t i;
    json_array_foreach(list, i, one) if (!read_apart(w->setup, one, shape, why)) return false;
    return !list || (json_is_array(list) && w->timing.repeats == 0) ||
           request_fail(why, "apart must be a list, of a request without repeats");
}

static bool read_told(const char *data, const Work *w, Shape *shape, char why[WHY_BYTES])
{
    const int kind = data ? names_find(NAMES(data_names, DATA_COUNT), data) : -1;
    shape->told = kind + 1;
    return !data || ((kind == DATA_NORMAL || kind >= DATA_OF_OPS) && w->timing.repeats == 0) ||
           request_fail(why, "data must be a kind of real numbers, of a request without repeats");
}

bool request_measure(json_t *json, Work *w, Shape *shape, char why[WHY_BYTES])
{
    const Setup *setup = w->setup;
    Timing *t = &w->timing;
    int hot = true, count = false;
    const char *data = NULL;
    int64_t outputs;
    if (!setup->reference)
        return request_fail(why, "measure before setup");
    if (!request_unpack(json, "measure", why,
                        "{s:I, s:I, s:I, s:F, s:i, s:i, s:F, s:F, s?b, s?F, s?i, s?b, s?I, s?s, s?I}", "id", &w->id,
                        "rows", &shape->rows, "row_elems", &shape->row_elems, "flops", &shape->flops, "threads",
                        &t->threads, "repeats", &t->repeats, "sample_ns", &t->sample_ns, "max_ns", &t->max_ns, "hot",
                        &hot, "drop", &t->drop, "keep", &t->keep, "count", &count, "smem_limit", &w->smem_limit, "data",
                        &data, "way", &shape->way))
        return false;
    const RequestBounds bounds[] = { { "flops", shape->flops, 0, INFINITY },
                                     { "threads", t->threads, 1, SPEC_MAX_THREADS },
                                     { "repeats", t->repeats, 0, RECORD_MAX_SAMPLE },
                                     { "sample_ns", t->sample_ns, 0, INFINITY },
                                     { "max_ns", t->max_ns, 0, INFINITY },
                                     { "way", (double)shape->way, 0, WAY_COUNT - 1 },
                                     { "smem_limit", (double)w->smem_limit, 0, INFINITY },
                                     { 0 } };
    w->count = count;
    if (request_integers(json, "extent", OP_MAX_CALL, -OP_MAX_NUMBER, INFINITY, shape->extent, why) == 0)
        return false;
    if (request_integers(json, "elems", OP_MAX_OPERAND, 0, max_elems, shape->elems, why) != setup->noperand)
        return request_fail(why, "elems must be %d integers from 0 to %.0f, one an operand", setup->noperand,
                            max_elems);
    if (!read_out_extents(json, shape, shape->elems[setup->out], why))
        return false;
    if (__builtin_mul_overflow(shape->rows, shape->row_elems, &outputs) || shape->rows < 0 || shape->row_elems < 0 ||
        outputs != shape->elems[setup->out])
        return request_fail(why, "rows times row_elems is not the size of the output");
    if (!read_along(setup, json, shape, why))
        return false;
    if (t->drop != 0 && !(t->drop > 1))
        return request_fail(why, "drop must be 0 or above 1");
    if (!read_all_apart(w, json, shape, why) || !read_told(data, w, shape, why))
        return false;
    t->cold = !hot;
    return request_bounds(bounds, why) &&
           (hot || setup->constant >= 0 || request_fail(why, "there is no constant operand to be cold"));
}

bool request_kernels(json_t *json, Work *w, char why[WHY_BYTES])
{
    json_t *kernels = json_object_get(json, "kernels");
    const size_t count = json_array_size(kernels);
    w->kernel = calloc(count, sizeof *w->kernel);
    if (count < 1 || !w->kernel)
        return request_fail(why, count < 1 ? "kernels must be a list of one at least" : "no memory");
    for (size_t i = 0; i < count; i++) {
        Kernel *k = &w->kernel[w->nkernel++];
        if (!request_unpack(json_array_get(kernels, i), "kernel", why, "{s:s, s:s}", "key", &k->key, "so", &k->so) ||
            !request_path(k->so, why))
            return false;
    }
    return true;
}
