/* SPDX-License-Identifier: Apache-2.0
 *
 * record_spec: the record of a spec; what is said of records that do not suit a study, of which some are near to it and
 * some are not.
 */
#include "tests/test.h"
#include "search/record/record_spec.h"
#include "tests/gen/kernel_record.h"
#include "tests/search/study_place.h"

enum { MOST = 8 };
static KernelRecord kernel[MOST];
static MeasureRecord measure[MOST];
static SpecRecord spec[MOST];
static Device device[2];
static Records made;

static UnitContext unit_of(const Spec *s)
{
    return (UnitContext){ s, &y.device, &y.targets, DCGEN_SOURCE_DIR "/templates/package", y.study->target };
}

/* The spec of all tests with `from` made `to`. */
static const Spec *changed(const char *from, const char *to)
{
    return spec_text(y.arena, text_with(y.arena, synthetic_spec, from, to), spec_templates, 1, diag_new(y.arena));
}

static SpecRecord record_of_spec(const Spec *s)
{
    const UnitContext u = unit_of(s);
    return record_spec(y.arena, &u);
}

/* Records of three kernels of a spec, whose line is among them. */
static void make_records(const Spec *s)
{
    device[0] = device[1] = y.device;
    spec[0] = record_of_spec(s);
    made = (Records){ .ndevice = 1, .device = device, .nspec = 1, .spec = spec, .kernel = kernel, .measure = measure };
    for (made.nkernel = 0; made.nkernel < 3; made.nkernel++) {
        const Candidate *c = &y.space->candidate[made.nkernel];
        kernel[made.nkernel] = kernel_record(c, candidate_key(y.arena, c, spec[0].context, &y.device), &y.device);
    }
}

/* Gives kernel i the key that follows from what its record says. */
static void set_key(int i)
{
    const KernelRecord *k = &kernel[i];
    const CandidateNames c = { k->template_name, k->template_hash, k->target, k->nparam, k->param };
    kernel[i].key = candidate_key_of(y.arena, &c, spec[0].context, &y.device);
}

static void expect(const char *want)
{
    const UnitContext u = unit_of(y.spec);
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, unit_context_hash(y.arena, &u));
    study_load(s, &made, &y.templates, &y.targets);
    assert_string_equal(record_holds(y.arena, s, &u, &y.templates, &made, HOLD_ALL), want);
}

/* ---- the record ---- */

TEST(a_spec_is_recorded_in_words)
{
    const SpecRecord s = record_of_spec(y.spec), same = record_of_spec(changed("bert_dense", "other"));
    assert_int_equal(strlen(s.context), 16);
    assert_string_equal(s.spec, "bert_dense");
    assert_string_equal(s.function, "");
    assert_string_equal(s.target, "avx512");
    assert_string_equal(s.op, "dense");
    assert_string_equal(s.dtype, "f32");
    assert_string_equal(s.layout, "W: NK");
    assert_string_equal(s.formula, "bias");
    assert_true(s.packed && s.accuracy == 1 && s.nconstant == 0);
    assert_string_equal(same.spec, "other"); /* a name changes no kernel */
    assert_string_equal(same.context, s.context);
}

/* Whatever else the spec says of its kernels is in the line, and their context follows it. */
TEST(what_the_context_follows_is_recorded)
{
    static const struct {
        const char *from, *to, *differs;
    } row[] = {
        { "packed = true", "packed = false", "packed = false (here true)" },
        { "W = \"NK\"", "W = \"KN\"", "layout = \"W: KN\" (here \"W: NK\")" },
        { "[\"bias\"]", "\"acc + row[m]\"", "formula = \"acc + row[m]\" (here \"bias\")" },
        { "epilogue = [\"bias\"]", "accuracy = 4; epilogue = [\"bias\"]", "accuracy = 4.0 (here 1.0)" },
        { "epilogue = [\"bias\"]", "strides = \"all\"; epilogue = \"acc + row[m]\"",
          "formula = \"acc + row[m]\" (here \"bias\"), strides = \"X, Y\" (here \"\")" },
        { "[\"bias\"]", "\"acc * count[m]\"; types = { count = \"s32\"; }",
          "formula = \"acc * count[m]\" (here \"bias\"), types = \"count: s32\" (here \"\")" },
        { "[\"bias\"]",
          "\"acc + table[word[m],n]\"; types = { word = \"s32\"; }; extents = { table = [\"N\", \"N\"]; }",
          "formula = \"acc + table[word[m],n]\" (here \"bias\"), types = \"word: s32\" (here \"\"), "
          "extents = \"table: N x N\" (here \"\")" },
    };
    const SpecRecord here = record_of_spec(y.spec);
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Spec *s = changed(row[i].from, row[i].to);
        if (!s)
            fail_msg("%s is no spec", row[i].to);
        make_records(s);
        assert_string_not_equal(spec[0].context, here.context);
        expect(arena_printf(y.arena, "3 kernels of spec 'bert_dense', which has %s", row[i].differs));
    }
}

/* ---- what differs ---- */

TEST(an_old_file_does_not_say_its_spec)
{
    made = (Records){ 0 };
    expect("");
    make_records(changed("packed = true", "packed = false"));
    made.nspec = 0;
    expect("3 kernels of another spec, or made by another version of dcgen: the records do not say which");
    for (int i = 0; i < 3; i++)
        kernel[i].op = "conv2d";
    expect("3 kernels of op 'conv2d' in f32");
}

TEST(another_dcgen_writes_other_text_around_kernels)
{
    make_records(y.spec);
    spec[0].context = "00000000deadbeef";
    for (int i = 0; i < 3; i++)
        set_key(i);
    expect("3 kernels of spec 'bert_dense', made by another version of dcgen");
    spec[0].spec = "bert_layer";
    spec[0].function = "up";
    expect("3 kernels of spec 'bert_layer', function 'up', made by another version of dcgen");
}

TEST(another_version_of_a_template_is_named)
{
    make_records(y.spec);
    const char *name = kernel[0].template_name;
    for (int i = 0; i < 3; i++) {
        kernel[i].template_hash = "00000000deadbeef";
        set_key(i);
    }
    expect(arena_printf(y.arena, "3 kernels of another version of dense/%s.c", name));
    const UnitContext u = unit_of(y.spec);
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, unit_context_hash(y.arena, &u));
    assert_string_equal(record_holds(y.arena, s, &u, &y.templates, &made, HOLD_OUTDATED),
                        arena_printf(y.arena, "3 kernels of another version of dense/%s.c", name));
    kernel[0].template_name = "gone";
    set_key(0);
    expect(arena_printf(
        y.arena, "1 kernel of template 'gone', which is not here; 2 kernels of another version of dense/%s.c", name));
    for (int i = 0; i < 3; i++)
        kernel[i].key = "0"; /* of another spec, too */
    expect(arena_printf(y.arena,
                        "3 kernels of another spec, or made by another version of dcgen: the records do not say which; "
                        "1 kernel of template 'gone', which is not here; 2 kernels of another version of dense/%s.c",
                        name));
}

static void add_time(int i, const char *of_device)
{
    const Instance elsewhere = { .extent = { 7, 7, 7 }, .threads = 1 };
    MeasureRecord *m = &measure[made.nmeasure++];
    *m = measured(y.study, 0, &elsewhere, 100, 0);
    m->extent = KEPT(int64_t, 7, 7, 7);
    m->key = kernel[i].key;
    m->device = of_device;
}

TEST(of_its_own_kernels_it_says_why_not)
{
    make_records(y.spec);
    kernel[0].status = STATUS_BUILD_FAILED;
    add_time(1, y.device.id);
    add_time(2, "fedcba9876543210");
    expect(
        "1 kernel of this spec that failed (build_failed); 1 kernel of this spec, timed on other shapes than it tunes, "
        "or not in its space; 1 kernel of this spec, not timed");
}

TEST(another_device_or_target_is_told)
{
    make_records(y.spec);
    device[1].id = "fedcba9876543210";
    device[1].compiler = "clang 19";
    device[1].flags = "-O2";
    made.ndevice = 2;
    kernel[0].target = "avx2";
    kernel[1].device = kernel[2].device = device[1].id;
    const char *others = "of a device with compiler = \"clang 19\" (here \"gcc (Debian 12.2.0) 12.2.0\"), "
                         "flags = \"-O2\" (here \"-O3 -std=gnu17\")";
    expect(arena_printf(y.arena, "1 kernel for target 'avx2'; 2 kernels %s", others));
    made.ndevice = 1; /* its line is missing */
    expect("1 kernel for target 'avx2'; 2 kernels of a device with another driver");
}

/* A file of several functions holds kernels that nobody would expect to suit. */
TEST(the_nearest_alone_are_told)
{
    make_records(changed("packed = true", "packed = false"));
    kernel[0].device = "fedcba9876543210"; /* farther than of another op */
    kernel[1].op = "conv2d";               /* farther than of this op, under another name */
    kernel[1].key = kernel[2].key = "0";
    expect("1 kernel of another spec, or made by another version of dcgen: the records do not say which");
    set_key(2); /* of this name */
    expect("1 kernel of spec 'bert_dense', which has packed = false (here true)");
    const UnitContext u = unit_of(y.spec);
    assert_string_equal(record_holds(y.arena, y.study, &u, &y.templates, &made, HOLD_OUTDATED),
                        ""); /* none is of this spec */
    spec[1] = record_of_spec(y.spec);
    const Candidate *c = &y.space->candidate[3];
    kernel[3] = kernel_record(c, candidate_key(y.arena, c, spec[1].context, &y.device), &y.device);
    made.nspec = 2;
    made.nkernel = 4; /* of this spec */
    kernel[3].status = STATUS_WRONG;
    expect("1 kernel of this spec that failed (wrong)");
}

/* A fleet's file: of many kinds that are as near as each other the first five are named. */
TEST(of_many_kinds_some_are_told)
{
    make_records(y.spec);
    made.nspec = 0;
    for (made.nkernel = 0; made.nkernel < MOST; made.nkernel++) {
        kernel[made.nkernel] = kernel[0];
        kernel[made.nkernel].target = arena_printf(y.arena, "gpu%d", (int)made.nkernel % 7);
    }
    expect("2 kernels for target 'gpu0'; 1 kernel for target 'gpu1'; 1 kernel for target 'gpu2'; 1 kernel for target "
           "'gpu3'; "
           "1 kernel for target 'gpu4'; and 2 kernels of 2 other kinds");
}

TEST_FILE(make, drop)
