/* SPDX-License-Identifier: Apache-2.0
 *
 * record_place: what the tests of record share: a folder of one's own with a record file, and sample records.
 */
#ifndef DCGEN_TEST_RECORD_PLACE_H
#define DCGEN_TEST_RECORD_PLACE_H

#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/text.h"
#include "search/record/record.h"
#include "tests/kept_list.h"
#include "tests/quoted.h"
#include "tests/tmp_folder.h"

typedef struct {
    Arena *a;
    char dir[TMP_FOLDER_BYTES], path[TMP_FOLDER_BYTES + 32];
    char *warnings; /* of the last reading */
    const char *err;
} Place;
static Place *p;

static inline int setup(void **state)
{
    p = calloc(1, sizeof *p);
    p->a = arena_new();
    assert_non_null(tmp_folder(p->dir));
    snprintf(p->path, sizeof p->path, "%s/r.jsonl", p->dir);
    return 0;
}

static inline int teardown(void **state)
{
    unlink(p->path);
    assert_int_equal(rmdir(p->dir), 0);
    free(p->warnings);
    arena_free(p->a);
    free(p);
    return 0;
}

/* ---- files ---- */

static inline void put_bytes(const char *s, size_t n)
{
    FILE *f = fopen(p->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(s, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void put(const char *s) { put_bytes(s, strlen(s)); }

static inline char *contents(size_t *n)
{
    char *s = text_read_file(p->a, p->path, n);
    assert_non_null(s);
    return s;
}

/* Where warnings go. */
static inline FILE *warn_anew(void)
{
    static size_t n;
    free(p->warnings);
    p->warnings = NULL;
    return open_memstream(&p->warnings, &n);
}

static inline RecordFile *open_with_warnings(void)
{
    FILE *warn = warn_anew();
    RecordFile *f = record_open(p->a, p->path, warn, &p->err);
    fclose(warn);
    return f;
}

static inline RecordFile *must_open(void)
{
    RecordFile *f = open_with_warnings();
    if (!f)
        fail_msg("%s", p->err);
    return f;
}

static inline Records must_read(void)
{
    Records r;
    FILE *warn = warn_anew();
    if (!record_read(p->a, p->path, &r, warn, &p->err))
        fail_msg("%s", p->err);
    fclose(warn);
    return r;
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

/* ---- samples ---- */

static inline Device a_device(void)
{
    return (Device){ .id = "0123456789abcdef",
                     .name = "AMD \"EPYC\" 9R45\\",
                     .arch = "x86_64",
                     .cores = 2,
                     .l1_bytes = 49152,
                     .l2_bytes = 1 << 20,
                     .l3_bytes = INT64_C(1) << 35,
                     .nisa = 3,
                     .isa = { "avx512", "avx2", "portable" },
                     .compiler = "gcc (Debian 12.2.0-14) 12.2.0",
                     .flags = "-O3 -march=native -DX=\"a b\"" };
}

static inline KernelRecord a_kernel(void)
{
    return (KernelRecord){ .key = "00112233445566778899aabbccddeeff",
                           .device = "0123456789abcdef",
                           .op = "dense",
                           .dtype = "f32",
                           .template_name = "cpu_packed",
                           .template_hash = "fedcba9876543210",
                           .target = "avx512",
                           .nparam = 3,
                           .param = KEPT(Param, { "MR", 6 }, { "least", INT64_MIN }, { "most", INT64_MAX }),
                           .status = STATUS_OK,
                           .code_bytes = 4711,
                           .why = "" };
}

static inline SpecRecord a_spec(void)
{
    return (SpecRecord){ .context = "0011223344556677",
                         .spec = "resnet",
                         .function = "stem",
                         .target = "avx512",
                         .op = "conv2d",
                         .dtype = "f32",
                         .layout = "X: NHWC, F: KRSC",
                         .packed = true,
                         .formula = "relu(acc + shift[oc])",
                         .types = "",
                         .extents = "",
                         .accuracy = 1.5,
                         .strides = "",
                         .in_place = "",
                         .nconstant = 2,
                         .constant = { { "STRIDE_H", 2 }, { "PAD_T", -3 } } };
}

static inline MeasureRecord a_measure(int i)
{
    MeasureRecord m = { .key = "00112233445566778899aabbccddeeff",
                        .device = "0123456789abcdef",
                        .naxis = 3,
                        .extent = KEPT(int64_t, 16 * i + 16, 768, 2304),
                        .threads = 1,
                        .status = STATUS_OK,
                        .nsample = 5,
                        .max_err = 0.03125,
                        .final = i % 2,
                        .why = "" };
    double *ns = KEPT(double, 0, 1, 2, 3, 4);
    for (int k = 0; k < m.nsample; k++)
        ns[k] = 151200.1 * (i + 1) + k / 3.0;
    m.ns = ns;
    return m;
}

static inline LimitRecord a_limit(void)
{
    return (LimitRecord){ .device = "0123456789abcdef",
                          .target = "avx512",
                          .dtype = "f32",
                          .threads = 2,
                          .flops_per_s = 2.8e11 / 3,
                          .bytes_per_s = { [LEVEL_L2] = 9e10, [LEVEL_MEMORY] = 1.25e10 } };
}

static inline void add_all(RecordFile *f, int nmeasure)
{
    const char *err = "";
    Device d = a_device();
    KernelRecord k = a_kernel();
    assert_true(record_add_device(f, &d, &err));
    assert_true(record_add_kernel(f, &k, &err));
    for (int i = 0; i < nmeasure; i++) {
        MeasureRecord m = a_measure(i);
        assert_true(record_add_measure(f, &m, &err));
    }
}

/* A file with these records. */
static inline void put_records(int nmeasure)
{
    RecordFile *f = must_open();
    add_all(f, nmeasure);
    record_close(f);
}

static inline void assert_same_records(Arena *a, const Records *got, const Records *want)
{
    assert_int_equal(got->ndevice, want->ndevice);
    assert_int_equal(got->nspec, want->nspec);
    assert_int_equal(got->nkernel, want->nkernel);
    assert_int_equal(got->nmeasure, want->nmeasure);
    assert_int_equal(got->nlimit, want->nlimit);
    for (int64_t i = 0; i < want->nlimit; i++)
        assert_memory_equal(&got->limit[i].flops_per_s, &want->limit[i].flops_per_s,
                            sizeof(LimitRecord) - offsetof(LimitRecord, flops_per_s));
    for (int64_t i = 0; i < want->nmeasure; i++) {
        const MeasureRecord *g = &got->measure[i], *w = &want->measure[i];
        assert_int_equal(g->nsample, w->nsample);
        assert_int_equal(g->naxis, w->naxis);
        assert_true(g->nsample == 0 || memcmp(g->ns, w->ns, (size_t)g->nsample * sizeof *g->ns) == 0);
        assert_memory_equal(g->extent, w->extent, (size_t)g->naxis * sizeof *g->extent);
        assert_true(g->median_ns == w->median_ns && g->spread == w->spread && g->max_err == w->max_err);
    }
    assert_string_equal(record_text(a, got), record_text(a, want));
}

/* The least that a line must say, in single quotes. */
static const char *const good_lines[] = {
    "{'v':1,'type':'device','id':'d','name':'n','arch':'x','cores':1,'l1_bytes':1,'l2_bytes':2,'l3_bytes':3,'isa':[],"
    "'compiler':'','flags':''}",
    "{'v':1,'type':'kernel','key':'k','device':'d','op':'o','dtype':'f','template':'t','template_hash':'h','target':'x'"
    ","
    "'params':{},'status':'ok','code_bytes':0,'why':''}",
    "{'v':1,'type':'measure','key':'k','device':'d','extent':[1],'threads':1,'status':'ok','ns':[1],'max_err':0,"
    "'final':true,'why':''}",
    "{'v':1,'type':'limit','device':'d','target':'t','dtype':'f','threads':1,'flops_per_s':1,'bytes_per_s':{'l3':2,"
    "'l9':3}}",
    "{'v':1,'type':'spec','context':'c','spec':'s','function':'','target':'t','op':'o','dtype':'f','layout':'',"
    "'packed':true,'formula':'','types':'','extents':'','accuracy':1,'constants':{}}",
};

#endif
