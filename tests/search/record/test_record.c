/* SPDX-License-Identifier: Apache-2.0
 *
 * record: round trips, the form of lines, canonical text.
 */
#include "tests/search/record/record_place.h"

#include <locale.h>
#include <math.h>
#include "gen/base/rng.h"
#include "search/record/record_type.h"
#include "search/record/samples.h"

static RecordFile *f; /* of the place */

static int open_file(void **state)
{
    const int code = setup(state);
    f = must_open();
    return code;
}

static int close_file(void **state)
{
    record_close(f);
    return teardown(state);
}

static void reopen(void)
{
    record_close(f);
    f = must_open();
}

/* ---- round trips ---- */

/* Which spec kernels are of is said once, in words; a name or a target more is another line. */
TEST(a_spec_is_told_once)
{
    SpecRecord s = a_spec(), other = a_spec();
    other.formula = "another one"; /* the context tells specs apart */
    assert_true(record_add_spec(f, &s, &p->err) && record_add_spec(f, &other, &p->err));
    assert_string_equal(
        contents(NULL),
        quoted("{'v':1,'type':'spec','context':'0011223344556677','spec':'resnet','function':'stem',"
               "'target':'avx512','op':'conv2d','dtype':'f32','layout':'X: NHWC, F: KRSC','packed':true,"
               "'formula':'relu(acc + shift[oc])','types':'','extents':'','accuracy':1.5,"
               "'constants':{'STRIDE_H':2,'PAD_T':-3}}\n"));
    reopen();
    assert_true(record_add_spec(f, &s, &p->err));
    const char **part[] = { &other.context, &other.spec, &other.function, &other.target };
    for (size_t i = 0; i < LENGTH(part); i++) {
        other = a_spec();
        *part[i] = "another";
        assert_true(record_add_spec(f, &other, &p->err));
    }
    s.accuracy = 0;
    assert_false(record_add_spec(f, &s, &p->err));
    assert_contains(p->err, "record not written: accuracy is out of range");
    Records r = must_read();
    assert_string_equal(p->warnings, "");
    assert_int_equal(r.nspec, 1 + (int64_t)LENGTH(part));
    assert_same_records(p->a, &r, record_all(f));
    assert_int_equal(r.spec[0].constant[1].value, -3);
}

TEST(limits_are_sorted_and_told_once)
{
    LimitRecord l[] = { a_limit(), a_limit(), a_limit() };
    l[0].threads = 4;
    const Records r = { .nlimit = 3, .limit = l }, sorted = { .nlimit = 2, .limit = (LimitRecord[]){ l[1], l[0] } };
    const char *text = record_text(p->a, &r);
    assert_string_equal(text, record_text(p->a, &sorted));
    assert_true(strstr(text, "\"threads\":2") < strstr(text, "\"threads\":4"));
}

TEST(reopening_continues)
{
    add_all(f, 2);
    reopen();
    assert_int_equal(record_all(f)->nmeasure, 2);
    add_all(f, 3);
    assert_int_equal(record_all(f)->ndevice, 1); /* that id is there */
    assert_int_equal(record_all(f)->nkernel, 2);
    assert_int_equal(record_all(f)->nmeasure, 5);
    Records r = must_read();
    assert_same_records(p->a, &r, record_all(f));
}

TEST(every_status_has_a_name)
{
    const char *err;
    for (int s = 0; s < STATUS_COUNT; s++) {
        KernelRecord k = a_kernel();
        k.status = (Status)s;
        assert_true(record_add_kernel(f, &k, &err));
        for (int t = 0; t < s; t++)
            assert_string_not_equal(status_name((Status)s), status_name((Status)t));
    }
    Records r = must_read();
    for (int s = 0; s < STATUS_COUNT; s++)
        assert_int_equal(r.kernel[s].status, s);
    assert_string_equal(status_name(STATUS_BUILD_FAILED), "build_failed");
    assert_string_equal(status_name(STATUS_COUNT), "unknown");
}

TEST(odd_errors_and_texts_are_kept_readable)
{
    const char *err;
    MeasureRecord m = a_measure(0);
    m.status = STATUS_WRONG;
    m.nsample = 0;
    m.max_err = NAN;
    m.why = "x.c:3: error: \xe2\x80\x98"
            "foo\xe2\x80\x99\tis\nundeclared \x1b[31m \xff \xc3\xa9 \xe2\x80";
    assert_true(record_add_measure(f, &m, &err));
    char *shout = arena_alloc(p->a, 5001);
    memset(shout, '"', 5000);
    m.why = shout;
    assert_true(record_add_measure(f, &m, &err));
    Records r = must_read();
    assert_same_records(p->a, &r, record_all(f));
    assert_true(isinf(r.measure[0].max_err));
    assert_true(r.measure[0].median_ns == 0 && r.measure[0].spread == 0);
    assert_string_equal(r.measure[0].why, "x.c:3: error: 'foo' is undeclared ?[31m ? ? ?");
    assert_int_equal(strlen(r.measure[1].why), 1000);
}

TEST(times_keep_nine_digits)
{
    const char *err;
    MeasureRecord m = a_measure(0);
    m.nsample = 3;
    m.ns = KEPT(double, 151200.123456789, 0.1 + 0.2, 1e15);
    m.median_ns = m.spread = -7; /* not the caller's to say */
    assert_true(record_add_measure(f, &m, &err));
    const MeasureRecord *got = &record_all(f)->measure[0];
    assert_true(got->ns[0] == 151200.123 && got->ns[1] == 0.3 && got->ns[2] == 1e15);
    assert_true(got->median_ns == 151200.123);
    assert_contains(contents(NULL), "\"ns\":[151200.123,0.3,");
}

/* The short way gives the same double as printing nine digits and reading them. */
TEST(rounding_is_as_in_a_file)
{
    Rng r = { 7 };
    for (int i = 0; i < 200000; i++) {
        char digits[40];
        const double any = exp(rng_uniform(&r) * 120 - 60), v = i % 2 ? any : record_rounded(any);
        snprintf(digits, sizeof digits, "%.9g", v);
        assert_true(record_rounded(v) == strtod(digits, NULL));
        assert_true(i % 2 || record_rounded(v) == v);
    }
    assert_true(record_rounded(0) == 0 && record_rounded(999999999.5) == 1e9 && record_rounded(-1.5) == -1.5);
}

/* Whether its least sample counts or the mean, the anchor decides: all kernels of a request are told by one rule, the
 * longest too. */
TEST(the_anchor_says_which_time_counts)
{
    const double most_ns = SAMPLES_UNDISTURBED_NS;
    const double anchor_ns[] = { most_ns / 2, 2 * most_ns, 0, 0 },
                 least_ns[] = { 2 * most_ns, most_ns / 2, most_ns / 2, 2 * most_ns };
    for (size_t i = 0; i < LENGTH(anchor_ns); i++) {
        MeasureRecord m = a_measure(0);
        m.anchor_ns = anchor_ns[i];
        m.nsample = 2;
        m.ns = KEPT(double, least_ns[i], 1.5 * least_ns[i]);
        assert_true(record_add_measure(f, &m, &p->err));
    }
    const Records r = must_read();
    assert_true(r.measure[0].time_ns == 2 * most_ns);
    assert_true(r.measure[1].time_ns == 1.25 * most_ns / 2);
    assert_true(r.measure[2].time_ns == most_ns / 2); /* without an anchor, its own */
    assert_true(r.measure[3].time_ns == 1.25 * 2 * most_ns);
}

/* The format for those who know the field: other tools read it, so it must not change by accident. What is read back
 * says the same; lines of before, and of devices that have no such numbers, do without the optional ones. */
TEST(the_lines_are_as_documented)
{
    add_all(f, 0);
    MeasureRecord m = a_measure(0);
    m.nsample = 2;
    m.ns = KEPT(double, 100, 300.5);
    m.anchor_ns = 210.5;
    assert_true(record_add_measure(f, &m, &p->err));
    LimitRecord l = a_limit();
    assert_true(record_add_limit(f, &l, &p->err));
    const char *want = quoted(
        "{'v':1,'type':'device','id':'0123456789abcdef','name':'AMD \\'EPYC\\' 9R45\\\\','arch':'x86_64','cores':2,"
        "'l1_bytes':49152,'l2_bytes':1048576,'l3_bytes':34359738368,'isa':['avx512','avx2','portable'],"
        "'compiler':'gcc (Debian 12.2.0-14) 12.2.0','flags':'-O3 -march=native -DX=\\'a b\\''}\n"
        "{'v':1,'type':'kernel','key':'00112233445566778899aabbccddeeff','device':'0123456789abcdef','op':'dense',"
        "'dtype':'f32','template':'cpu_packed','template_hash':'fedcba9876543210','target':'avx512',"
        "'params':{'MR':6,'least':-9223372036854775808,'most':9223372036854775807},'status':'ok','code_bytes':4711,"
        "'why':''}\n"
        "{'v':1,'type':'measure','key':'00112233445566778899aabbccddeeff','device':'0123456789abcdef',"
        "'extent':[16,768,2304],'threads':1,'status':'ok','ns':[100.0,300.5],'median_ns':200.25,'spread':0.50062422,"
        "'anchor_ns':210.5,'max_err':0.03125,'final':false,'why':''}\n"
        "{'v':1,'type':'limit','device':'0123456789abcdef','target':'avx512','dtype':'f32','threads':2,"
        "'flops_per_s':9.33333333e10,'bytes_per_s':{'l2':9e10,'memory':1.25e10}}\n");
    assert_string_equal(contents(NULL), want);
    KernelRecord k = a_kernel();
    k.n = 17;
    m.final = m.retry = m.cold = m.tunes = true;
    m.cold_ns = 7800.5;
    m.library_ns = 6000.25;
    l.clock_mhz = 5265 / 3.0;
    l.launch_ns = 1180;
    l.handover_ns = 900.5;
    l.reuse_flops_per_s = 6.5e13;
    assert_true(record_add_kernel(f, &k, &p->err) && record_add_measure(f, &m, &p->err) &&
                record_add_limit(f, &l, &p->err));
    const char *const more[] = { "'n':17,",
                                 "'final':true,'why':'','again':true,'cold':true,'tunes':true,'cold_ns':7800.5,"
                                 "'library_ns':6000.25}\n",
                                 "'clock_mhz':1755.0,'launch_ns':1180.0,'handover_ns':900.5,"
                                 "'reuse_flops_per_s':6.5e13}\n" };
    for (size_t i = 0; i < LENGTH(more); i++)
        assert_contains(contents(NULL) + strlen(want), quoted(more[i]));
    Records r = must_read();
    assert_string_equal(p->warnings, "");
    assert_same_records(p->a, &r, record_all(f));
    assert_int_equal(r.nignored, 0);
    assert_true(r.kernel[0].n == 0 && r.kernel[1].n == 17 && r.kernel[1].param[1].value == INT64_MIN);
    for (int i = 0; i < 2; i++) {
        const MeasureRecord *got = &r.measure[i];
        assert_true(got->final == i && got->retry == i && got->cold == i && got->tunes == i);
        assert_true(got->cold_ns == (i ? 7800.5 : 0) && got->library_ns == (i ? 6000.25 : 0) && got->extent[0] == 16);
        assert_true(r.limit[i].clock_mhz == (i ? 1755 : 0) && r.limit[i].launch_ns == (i ? 1180 : 0) &&
                    r.limit[i].handover_ns == (i ? 900.5 : 0) && r.limit[i].reuse_flops_per_s == (i ? 6.5e13 : 0) &&
                    r.limit[i].threads == 2);
    }
}

/* ---- what may not be written ---- */

TEST(a_bad_record_is_refused)
{
    MeasureRecord bad[7];
    for (size_t i = 0; i < LENGTH(bad); i++)
        bad[i] = a_measure(0);
    bad[0].key = "a/b";
    bad[1].ns = KEPT(double, 1, 2, NAN, 4, 5);
    bad[2].nsample = RECORD_MAX_SAMPLE + 1;
    bad[3].max_err = 2;
    bad[4].status = STATUS_COUNT;
    bad[5].why = NULL;
    bad[6].library_ns = -1;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_false(record_add_measure(f, &bad[i], &p->err));
        assert_contains(p->err, "record not written: ");
    }
    KernelRecord k = a_kernel(), negative = k;
    k.param = KEPT(Param, { "MR", 6 }, { "least", 1 }, { "MR", 7 });
    negative.n = -1;
    assert_false(record_add_kernel(f, &k, &p->err) || record_add_kernel(f, &negative, &p->err));
    Device d = a_device();
    d.isa[1] = "a\nb";
    assert_false(record_add_device(f, &d, &p->err));
    LimitRecord limit[] = { a_limit(), a_limit(), a_limit(), a_limit(), a_limit() };
    limit[0].flops_per_s = NAN;
    limit[1].clock_mhz = -1;
    limit[2].launch_ns = NAN;
    limit[3].handover_ns = -1;
    limit[4].reuse_flops_per_s = -1;
    for (size_t i = 0; i < LENGTH(limit); i++) {
        assert_false(record_add_limit(f, &limit[i], &p->err));
        assert_true(i == 0 || strstr(p->err, "clock_mhz, launch_ns, handover_ns or reuse_flops_per_s is not a number"));
    }
    const Records *kept = record_all(f);
    assert_int_equal(kept->ndevice + kept->nkernel + kept->nmeasure + kept->nlimit, 0);
    size_t n;
    contents(&n);
    assert_int_equal(n, 0);
}

/* ---- canonical text ---- */

TEST(canonical_text_ignores_order)
{
    assert_string_equal(record_text(p->a, &(Records){ 0 }), "");
    add_all(f, 12);
    KernelRecord k = a_kernel();
    k.key = "ff";
    assert_true(record_add_kernel(f, &k, &p->err));
    MeasureRecord m = a_measure(3);
    m.threads = 2;
    assert_true(record_add_measure(f, &m, &p->err));
    m.ns = KEPT(double, 1, 2, 3, 4, 5);
    assert_true(record_add_measure(f, &m, &p->err));
    LimitRecord l = a_limit();
    assert_true(record_add_limit(f, &l, &p->err));
    l.threads = 1;
    assert_true(record_add_limit(f, &l, &p->err));
    Records r = must_read();
    char *want = record_text(p->a, &r), *line[32], *copy = contents(NULL);
    uint32_t seed = 5, n = 0;
    for (char *s = strtok(copy, "\n"); s; s = strtok(NULL, "\n"))
        line[n++] = s;
    assert_int_equal(n, 19);
    for (int round = 0; round < 50; round++) {
        Text t = { .arena = p->a };
        for (uint32_t i = n - 1; i > 0; i--) {
            seed = seed * 1664525 + 1013904223;
            uint32_t j = (seed >> 8) % (i + 1);
            char *swap = line[i];
            line[i] = line[j];
            line[j] = swap;
        }
        for (uint32_t i = 0; i < n; i++)
            text_printf(&t, "%s\n", line[i]);
        const char *again = line[round % n]; /* twice is once, but of measures */
        if (!strstr(again, "\"measure\""))
            text_printf(&t, "%s\n", again);
        put(t.s);
        r = must_read();
        assert_string_equal(record_text(p->a, &r), want);
    }
    put(want); /* and it is its own canonical text */
    r = must_read();
    assert_string_equal(p->warnings, "");
    assert_string_equal(record_text(p->a, &r), want);
}

static const char *text_of(const Records *x, const Records *y)
{
    return record_text_of(p->a, (const Records *[]){ x, y }, 2);
}

/* By key, device, threads, extents, then the last comparison behind the others; devices and kernels by their names. Of
 * two sets all is there. */
TEST(canonical_text_has_its_order)
{
    MeasureRecord m[7];
    for (int i = 0; i < 7; i++) {
        m[i] = a_measure(0);
        m[i].nsample = 1;
        m[i].ns = KEPT(double, 100 + i);
    }
    m[0].key = "b";
    m[1].device = "f";
    m[2].threads = 10;
    m[3].threads = 9;
    m[4].extent = KEPT(int64_t, 200, 768, 2304);
    m[5].final = true;
    const int order[] = { 6, 5, 4, 3, 2, 1, 0 }; /* 16 before 200, 9 before 10 */
    Device d[] = { a_device(), a_device() };
    d[0].id = "z";
    const Records x = { .nmeasure = 3, .measure = m, .ndevice = 1, .device = d },
                  z = { .nmeasure = 4, .measure = m + 3, .ndevice = 1, .device = d + 1 };
    for (int i = 0; i < 7; i++) {
        const MeasureRecord raw = m[i];
        record_copy(&(Index){ .arena = p->a }, &record_types[RECORD_MEASURE], &raw, &m[i]);
    }
    const Records all = { .nmeasure = 7, .measure = m, .ndevice = 2, .device = d };
    const char *text = text_of(&x, &z), *at = text;
    assert_string_equal(text_of(&all, &x), text); /* what both have */
    assert_string_equal(text_of(&all, &all), text);
    const Records twice = { .nmeasure = 2, .measure = (MeasureRecord[]){ m[0], m[0] } }, both = {
        .nmeasure = 4, .measure = (MeasureRecord[]){ m[2], m[0], m[1], m[0] }, .ndevice = 1, .device = d
    };
    assert_string_equal(text_of(&twice, &x), text_of(&both, &both)); /* m[0] agrees with itself */
    assert_string_equal(text_of(&x, &twice), text_of(&both, &x));
    assert_true(strstr(text, "\"id\":\"0123456789abcdef\"") < strstr(text, "\"id\":\"z\""));
    for (int i = 0; i < 7; i++) {
        at = strstr(at, arena_printf(p->a, "\"ns\":[%d.0]", 100 + order[i]));
        assert_non_null(at);
    }
}

/* The largest and smallest numbers that a line may have, and the next ones. */
TEST(borders_of_numbers)
{
    MeasureRecord m = a_measure(0), good = m;
    KernelRecord k = a_kernel();
    Device d = a_device();
    const int64_t most = (int64_t)1 << 48;
    m.nsample = 2;
    m.ns = KEPT(double, 1e-3, 1e15);
    m.extent = KEPT(int64_t, most, -most, 2304); /* an attribute may be negative */
    m.threads = 1 << 20;
    assert_true(record_add_measure(f, &m, &p->err));
    for (int i = 0; i < 8; i++) {
        m = good;
        m.nsample = 1;
        m.ns = KEPT(double, i == 0 ? 0.9e-3 : i == 1 ? 1.1e15 : 1);
        m.extent = KEPT(int64_t, i == 2 ? most + 1 : i == 3 ? -most - 1 : 16, 768, 2304);
        m.threads = i == 4 ? (1 << 20) + 1 : m.threads;
        m.anchor_ns = i == 5 ? -1 : 0;
        m.cold_ns = i == 6 ? -1 : 0;
        m.naxis = i == 7 ? OP_MAX_EXTENT + 1 : 3;
        assert_false(record_add_measure(f, &m, &p->err));
    }
    k.code_bytes = (int64_t)1 << 50;
    assert_true(record_add_kernel(f, &k, &p->err));
    k.code_bytes++;
    assert_false(record_add_kernel(f, &k, &p->err));
    d.cores = (1 << 20) + 1;
    assert_false(record_add_device(f, &d, &p->err));
    d.cores = 1 << 20;
    assert_true(record_add_device(f, &d, &p->err));
}

/* ---- locale ---- */

static bool set_installed_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8" };
    for (size_t i = 0; i < LENGTH(names); i++)
        if (setlocale(LC_ALL, names[i]))
            return true;
    return false;
}

/* Where none is installed, one is made for the moment. */
static bool set_comma_locale(void)
{
    if (set_installed_locale())
        return true;
    const char *make = arena_printf(p->a, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", p->dir, p->dir);
    setenv("LOCPATH", p->dir, 1);
    bool set = system(make) >= 0 && set_installed_locale();
    assert_int_equal(system(arena_printf(p->a, "rm -rf %s/de_DE.UTF-8 %s/log", p->dir, p->dir)), 0);
    unsetenv("LOCPATH");
    return set;
}

TEST(a_decimal_comma_changes_nothing)
{
    if (!set_comma_locale()) {
        print_message("skipped: no locale with a decimal comma is installed or can be made\n");
        skip();
    }
    char shown[16];
    snprintf(shown, sizeof shown, "%.1f", 0.5);
    add_all(f, 5);
    Records comma = must_read();
    char *text = record_text(p->a, &comma);
    setlocale(LC_ALL, "C");
    Records point = must_read();
    assert_string_equal(shown, "0,5");
    assert_string_equal(p->warnings, "");
    assert_string_equal(record_text(p->a, &point), text);
    assert_same_records(p->a, &comma, &point);
}

TEST_EACH(open_file, close_file)
