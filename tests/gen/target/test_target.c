/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a file of each family field by field, what a file may not say, order and fallbacks; what there is for each
 * architecture.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/target/target.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"

static const char cpu[] = "name = \"wide\";\nfamily = \"cpu\";\narch = \"x86_64\";\nrank = 25;\nfallback = \"thin\";\n"
                          "vector_bytes = 64;\nvector_registers = 32;\nattribute = \"avx2,fma\";\n"
                          "runtime_check = \"f(\\\"x\\\")\";\n";
static const char gpu[] =
    "name = \"sm_77\";\nfamily = \"cuda\";\nrank = 120;\nfallback = \"sm_70\";\ngencode = "
    "\"arch=compute_77,code=sm_77\";\n"
    "exact = true;\nsm_arch = 77;\nsms = 101;\nsmem_sm = 1026;\nsmem_block = 1025;\nregs_sm = 1027;\nthreads_sm = "
    "1028;\n"
    "blocks_sm = 29;\nfma_sm = 128;\ntensor_f16_sm = 512;\ntensor_tf32_sm = 256;\nclock_mhz = 1410;\ndram_gbs = 1555;\n"
    "l2_gbs = 3000;\nl2_size = 41943040;\nlaunch_ns = 1400;\nhandover_ns = 800;\n";

static const char *said_of(const char *text, Target *t, bool *ok)
{
    Diag *d = diag_new(arena);
    *ok = target_parse(arena, source_text(arena, "t.cfg", text), t, d);
    assert_int_equal(*ok, diag_nerror(d) == 0);
    return golden_diag(arena, d);
}

static Target parse(const char *text)
{
    Target t;
    bool ok;
    assert_string_equal(said_of(text, &t, &ok), "");
    return t;
}

typedef struct {
    const char *name;
    int64_t value;
} Fact;

static void has_facts(const Target *t, const Fact *want, int n)
{
    int64_t value;
    for (int i = 0; i < n; i++) {
        assert_true(target_fact(t, want[i].name, &value));
        if (value != want[i].value)
            fail_msg("%s of %s is %ld", want[i].name, t->name, (long)value);
    }
}

/* "NAME RANK FALLBACK 'ATTRIBUTE' 'RUNTIME_CHECK' 'ARCH' 'GENCODE'" */
static const char *told(const Target *t)
{
    return arena_printf(arena, "%s %d %s '%s' '%s' '%s' '%s'", t->name, (int)t->rank, t->fallback, t->attribute,
                        t->runtime_check, t->arch, t->gencode);
}

TEST(fields_of_a_cpu)
{
    const Target t = parse(cpu);
    assert_string_equal(told(&t), "wide 25 thin 'avx2,fma' 'f(\"x\")' 'x86_64' ''");
    assert_false(t.exact || t.family != &family_cpu || target_is_inherited(&t));
    has_facts(&t, (Fact[]){ { "VECTOR_BYTES", 64 }, { "VECTOR_REGISTERS", 32 }, { "SMS", 0 }, { "SM_ARCH", 0 } }, 4);
}

TEST(fields_of_a_gpu)
{
    static const Fact want[] = { { "SM_ARCH", 77 },         { "SMS", 101 },          { "SMEM_SM", 1026 },
                                 { "SMEM_BLOCK", 1025 },    { "REGS_SM", 1027 },     { "THREADS_SM", 1028 },
                                 { "BLOCKS_SM", 29 },       { "FMA_SM", 128 },       { "TENSOR_F16_SM", 512 },
                                 { "TENSOR_TF32_SM", 256 }, { "CLOCK_MHZ", 1410 },   { "DRAM_GBS", 1555 },
                                 { "L2_GBS", 3000 },        { "L2_SIZE", 41943040 }, { "LAUNCH_NS", 1400 },
                                 { "HANDOVER_NS", 800 },    { "VECTOR_BYTES", 0 } };
    int64_t value = 5;
    Target t = parse(gpu);
    assert_string_equal(told(&t), "sm_77 120 sm_70 '' '0' '' 'arch=compute_77,code=sm_77'");
    assert_true(t.exact && t.family == &family_cuda && !target_is_inherited(&t));
    t.exact = false;
    assert_true(target_is_inherited(&t));
    has_facts(&t, want, sizeof want / sizeof *want);
    int n = 0;
    while (target_fact_name(n))
        assert_true(target_fact(&t, target_fact_name(n++), &value));
    assert_int_equal(n, 18);
    assert_true(target_fact(NULL, "SMS", &value) && value == 0);
    assert_false(target_fact(&t, "sms", &value));
}

static const char *with(const char *text, const char *from, const char *to) { return text_with(arena, text, from, to); }

TEST(faults)
{
    static const struct {
        const char *text, *from, *to, *want;
    } cases[] = {
        { cpu, "\"cpu\"", "\"gpu\"", "t.cfg:2:10: error: unknown family 'gpu'" },
        { cpu, "rank = 25;\n", "", "t.cfg:1:1: error: missing key 'rank': higher is tried first" },
        { cpu, "arch = \"x86_64\";\n", "", "missing key 'arch'" },
        { cpu, "vector_bytes = 64;\n", "", "missing key 'vector_bytes': 16, 32 or 64" },
        { cpu, "runtime_check = \"f(\\\"x\\\")\";\n", "", "missing key 'runtime_check'" },
        { cpu, "rank", "sms = 3; rank", "unknown key 'sms'" },
        { cpu, "rank", "gencode = \"\"; rank", "unknown key 'gencode'" },
        { cpu, "rank = 25", "rank = 1001", "'rank': expected an integer from 0 to 1000, found 1001" },
        { cpu, "rank = 25", "rank = -1", "'rank': expected an integer from 0 to 1000, found -1" },
        { cpu, "vector_bytes = 64", "vector_bytes = 3", "expected an integer from 4 to 1024, found 3" },
        { cpu, "vector_bytes = 64", "vector_bytes = 1025", "expected an integer from 4 to 1024, found 1025" },
        { cpu, "\"wide\"", "\"wi-de\"", "t.cfg:1:8: error: the target 'wi-de' is not a C identifier" },
        { cpu, "\"wide\"", "\"\"", "the target '' is empty" },
        { cpu, "\"wide\"", "7", "'name': expected a string" },
        { cpu, "\"thin\"", "\"th in\"",
          "t.cfg:5:12: error: 'fallback': expected letters, digits and '_', found 'th in'" },
        { cpu, "\"x86_64\"", "\"x86-64\"", "unknown architecture 'x86-64'" },
        { cpu, "\"avx2,fma\"", "\"avx2\\\")\"", "'attribute': expected letters, digits and '_,.=-'" },
        { cpu, "\"avx2,fma\"", "\"avx2 fma\"", "'attribute': expected letters" },
        { gpu, "sm_arch = 77", "sm_arch = 49", "expected an integer from 50 to 999, found 49" },
        { gpu, "sms = 101", "sms = 0", "expected an integer from 1 to 4096, found 0" },
        { gpu, "exact = true", "exact = 1", "'exact': expected true or false" },
        { gpu, "gencode = \"arch", "gencode = \"-arch", "'gencode': expected letters, digits and '_,='" },
        { gpu, "l2_size = 41943040;\n", "", "missing key 'l2_size': bytes" },
        { gpu, "exact", "attribute = \"\"; exact", "unknown key 'attribute'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Target t;
        bool ok;
        golden_fault(said_of(with(cases[i].text, cases[i].from, cases[i].to), &t, &ok), cases[i].want);
    }
    parse(with(gpu, "tensor_f16_sm = 512", "tensor_f16_sm = 0"));
    parse(with(cpu, "\"avx2,fma\"", "\"arch=x86-64-v3,avx10.1_x\""));
    parse(with(cpu, "fallback = \"thin\";\n", ""));
}

/* ---- lists ---- */

/* Two folders of targets, the second dcgen's own, and what was read of both. */
static const char *given, *own;
static TargetList list;
static const char *said;

/* Into the first. */
static void put_target(const char *file, const char *text)
{
    put_file(arena_printf(arena, "%s/%s", given, file), text);
}

static int setup(void **state)
{
    if (place_setup(state))
        return -1;
    given = in_root("given");
    own = in_root("own");
    if (mkdir(given, 0700) || mkdir(own, 0700))
        return -1;
    put("own/wide.cfg", with(cpu, "thin", ""));
    put("own/sm_77.cfg", with(gpu, "sm_70", "wide"));
    return 0;
}

static bool is_read(bool ok, const Diag *d)
{
    said = golden_diag(arena, d);
    assert_int_equal(ok, diag_nerror(d) == 0);
    return ok;
}

static bool read_given(void)
{
    Diag *d = diag_new(arena);
    return is_read(target_read_all(arena, given, &list, d), d);
}

/* A CPU's target of this name and rank. */
static const char *ranked(const char *name, const char *rank)
{
    return with(with(with(cpu, "wide", name), "thin", ""), "rank = 25", arena_printf(arena, "rank = %s", rank));
}

TEST(folders_are_read_by_rank)
{
    static const char *const order[] = { "sm_77", "b", "c", "a" };
    put_target("1.cfg", ranked("a", "7"));
    put_target("2.cfg", with(gpu, "sm_70", "c"));
    put_target("3.cfg", ranked("c", "30"));
    put_target("4.cfg", ranked("b", "30"));
    put_target("5.txt", "no target");
    assert_true(read_given());
    assert_int_equal(list.n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(list.t[i].name, order[i]);
    assert_ptr_equal(target_find(&list, "c"), &list.t[2]);
    assert_null(target_find(&list, "d"));
    put_target("6.cfg", "name");
    assert_false(read_given());
    given = in_root("none");
    assert_false(read_given());
    assert_has(said, "/none: error: cannot read the folder of targets");
}

TEST(there_are_some_targets_and_not_too_many)
{
    for (int i = 0; i <= TARGET_MAX; i++) {
        assert_int_equal(read_given(), i > 0);
        assert_int_equal(list.n, i);
        if (i == 0)
            assert_has(said, arena_printf(arena, "%s: error: no target is there", given));
        put_target(arena_printf(arena, "%02d.cfg", i), ranked(arena_printf(arena, "t%d", i), "7"));
    }
    assert_false(read_given());
    assert_has(said, arena_printf(arena, "%s: error: more than 16 targets", given));
}

/* ---- targets that are like others */

static bool read_folders(void)
{
    const char *const dir[] = { given, own };
    Diag *d = diag_new(arena);
    return is_read(target_read_folders(arena, dir, 2, &list, d), d);
}

static const Target *read_target(const char *name)
{
    if (!read_folders())
        fail_msg("%s", said);
    const Target *t = target_find(&list, name);
    assert_non_null(t);
    return t;
}

TEST(what_a_file_lacks_is_as_in_another)
{
    static const Fact want[] = { { "SMS", 58 }, { "SMEM_SM", 1026 }, { "DRAM_GBS", 300 }, { "L2_GBS", 3000 } };
    put_target("small.cfg", "name = \"small\"; like = \"sm_77\"; sms = 58; dram_gbs = 300;");
    put_target("tiny.cfg", "name = \"tiny\"; like = \"small\"; sms = 20; rank = 7; exact = false;");
    put_target("later.cfg", "name = \"later\"; like = \"sm_77\"; sm_arch = 78;");
    const Target *tiny = read_target("tiny"), *small = target_find(&list, "small");
    assert_int_equal(list.n, 5);
    has_facts(small, want, 4);
    assert_ptr_equal(small->family, &family_cuda);
    assert_string_equal(small->gencode, "arch=compute_77,code=sm_77");
    assert_string_equal(small->fallback, "wide");
    assert_true(small->exact && small->same_code && small->rank == 120);
    assert_string_equal(small->base->name, "sm_77");
    assert_string_equal(small->src->path, arena_printf(arena, "%s/small.cfg", given));
    has_facts(tiny, (Fact[]){ { "SMS", 20 }, { "DRAM_GBS", 300 } }, 2);
    assert_false(tiny->exact || tiny->same_code || target_find(&list, "later")->same_code);
    assert_string_equal(target_root(tiny)->name, "sm_77");
    assert_ptr_equal(target_root(small->base), small->base);
    /* by rank, and of equal ones those first that are like no other */
    assert_string_equal(list.t[0].name, "sm_77");
    assert_ptr_equal(small, &list.t[2]);
    assert_ptr_equal(tiny, &list.t[4]);
}

/* One that takes the place of dcgen's own may be like it. */
TEST(earlier_folders_hide_later_ones)
{
    put_target("wide.cfg", "name = \"wide\"; like = \"wide\"; vector_registers = 16;");
    const Target *t = read_target("wide");
    assert_int_equal(list.n, 2);
    has_facts(t, (Fact[]){ { "VECTOR_BYTES", 64 }, { "VECTOR_REGISTERS", 16 } }, 2);
    assert_string_equal(t->base->name, "wide");
    assert_false(t->same_code); /* else no device would be found to run it: the list lacks its base */
    has_facts(t->base, (Fact[]){ { "VECTOR_REGISTERS", 32 } }, 1);
    put_target("wide.cfg", with(with(cpu, "thin", ""), "vector_bytes = 64", "vector_bytes = 32"));
    t = read_target("wide");
    assert_true(list.n == 2 && !t->base && !t->same_code);
    has_facts(t, (Fact[]){ { "VECTOR_BYTES", 32 } }, 1);
}

/* What code for a target of another folder depends on is in its hash; dcgen's own have none. */
TEST(hashes_follow_what_code_depends_on)
{
    static const struct {
        const char *from, *to;
        bool counts;
    } change[] = { { "vector_bytes = 64", "vector_bytes = 32", true },
                   { "vector_registers = 32", "vector_registers = 31", true },
                   { "avx2,fma", "avx2", true },
                   { "x86_64", "", true },
                   { "rank = 25", "rank = 26", false },
                   { "\"wide\"", "\"\"", false } };
    const char *mine = with(with(cpu, "wide", "mine"), "thin", "wide");
    put_target("mine.cfg", mine);
    const char *hash = read_target("mine")->hash;
    assert_int_equal(strlen(hash), 16);
    assert_string_equal(target_find(&list, "wide")->hash, "");
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        put_target("mine.cfg", with(mine, change[i].from, change[i].to));
        if ((strcmp(read_target("mine")->hash, hash) != 0) != change[i].counts)
            fail_msg("%s", change[i].to);
    }
}

TEST(faults_of_targets_that_are_like_others)
{
    static const struct {
        const char *a, *b, *want;
    } cases[] = {
        { "name = \"a\";\nlike = \"wied\";\n", NULL, "/a.cfg:2:8: error: unknown target 'wied'; did you mean 'wide'?" },
        { "name = \"a\";\nlike = 7;\n", NULL, "/a.cfg:2:8: error: 'like': expected a string" },
        { "name = \"a\";\nlike = \"a\";\n", NULL,
          "/a.cfg:2:8: error: no folder behind this one has another target 'a'" },
        { "name = \"a\";\nlike = \"b\";\n", "name = \"b\";\nlike = \"a\";\n",
          "/b.cfg:2:8: error: 'b' is like 'a', which is like it" },
        { "name = \"a\"; like = \"wide\";\nfamily = \"cuda\";\n", NULL,
          "/a.cfg:2:10: error: 'wide', which this target is like, is of the family 'cpu'" },
        { "name = \"a\"; like = \"wide\";\nsms = 3;\n", NULL, "/a.cfg:2:1: error: unknown key 'sms'" },
        { "name = \"a\"; like = \"wide\";\nvector_bytes = \"64\";\n", NULL,
          "/a.cfg:2:16: error: 'vector_bytes': expected an integer" },
        { "name = \"a\"; like = \"wide\";\nfallback = \"wied\";\n", NULL,
          "/a.cfg:2:12: error: unknown target 'wied'; did you mean 'wide'?" },
        { "name = \"host\"; like = \"wide\";\n", NULL,
          "/a.cfg:1:8: error: no target can have the name 'host': specs mean the best of a machine by it" },
        { "like = \"wide\";\n", NULL, "/a.cfg:1:1: error: missing key 'name'" }, /* it would be that of the other */
        { "name = \"b\"; like = \"wide\";\n", "name = \"b\";\nlike = \"wide\";\n",
          "/b.cfg:1:8: error: another target in this folder has the name 'b'" },
        { "name = \"a\";\nlike = \"b\";\n", "name = \"b\"; like = \"wide\";\nrank = -1;\n",
          "/b.cfg:2:8: error: 'rank': expected an integer from 0 to 1000, found -1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        remove(arena_printf(arena, "%s/b.cfg", given));
        put_target("a.cfg", cases[i].a);
        if (cases[i].b)
            put_target("b.cfg", cases[i].b);
        assert_false(read_folders());
        golden_fault(said, cases[i].want);
    }
    Target t;
    bool ok;
    assert_has(said_of("name = \"a\"; like = \"b\";", &t, &ok), "t.cfg:1:20: error: unknown target 'b'");
}

/* A folder besides dcgen's own need not have targets. */
TEST(folders_without_targets)
{
    assert_true(read_folders() && list.n == 2);
    assert_int_equal(rmdir(given), 0);
    assert_true(read_folders() && list.n == 2);
    put_file(given, "no folder");
    assert_false(read_folders());
    assert_has(said, arena_printf(arena, "%s: error: cannot read the folder of targets", given));
}

TEST(fallbacks_of_fallbacks)
{
    TargetList five = { 5,
                        { { .name = "a", .fallback = "b" },
                          { .name = "b", .fallback = "c" },
                          { .name = "c", .fallback = "" },
                          { .name = "d", .fallback = "gone" },
                          { .name = "e", .fallback = "e" } } };
    static const char stands_in[5][6] = { ".....", "x....", "xx...", ".....", "....x" };
    for (int i = 0; i < 5; i++)
        for (int of = 0; of < 5; of++)
            assert_int_equal(target_is_fallback(&five, &five.t[i], &five.t[of]), stands_in[i][of] == 'x');
}

/* ---- architectures ---- */

TEST(architectures)
{
    for (int i = 0; i < ARCH_COUNT; i++) {
        assert_ptr_equal(arch_find(archs[i].name), &archs[i]);
        assert_has(archs[i].guard, archs[i].name);
        assert_true(*archs[i].features);
    }
    assert_non_null(arch_find("x86_64")->assembly);
    assert_non_null(arch_find("x86_64")->peak);
    assert_non_null(arch_find("aarch64")->assembly);
    assert_null(arch_find("aarch64")->peak); /* what is not known is said to be so */
    assert_null(arch_find("pdp11"));
    assert_null(arch_find(""));
    assert_true(*arch_here());
}

/* A target of an architecture that has loops of its own for the peak has one too: the runner knows no other for it. */
TEST(each_target_has_a_peak)
{
    assert_true(target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &list, diag_new(arena)));
    for (const Target *t = list.t; t < list.t + list.n; t++) {
        const Arch *arch = arch_find(t->arch);
        const char *const *name = arch ? arch->peak : NULL;
        while (name && *name && strcmp(*name, t->name) != 0)
            name++;
        assert_true(!name || *name);
    }
}

TEST(guards)
{
    assert_string_equal(target_arch_guard(&(Target){ .arch = "x86_64" }), "#if defined(__x86_64__)\n");
    assert_string_equal(target_arch_guard(&(Target){ .arch = "aarch64" }), "#if defined(__aarch64__)\n");
    assert_null(target_arch_guard(&(Target){ .arch = "" }));
}

TEST_EACH(setup, place_teardown)
