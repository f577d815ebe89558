/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a file of each family field by field, what a file may not say, order and fallbacks.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gen/target/target.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

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
    Source *src = ARENA_NEW(arena, Source);
    *src = (Source){ .path = "t.cfg", .text = text, .len = strlen(text) };
    *ok = target_parse(arena, src, t, d);
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

static void fields_of_a_cpu(void **state)
{
    (void)state;
    const Target t = parse(cpu);
    assert_string_equal(t.name, "wide");
    assert_ptr_equal(t.family, &family_cpu);
    assert_string_equal(t.fallback, "thin");
    assert_string_equal(t.attribute, "avx2,fma");
    assert_string_equal(t.runtime_check, "f(\"x\")");
    assert_string_equal(t.arch, "x86_64");
    assert_string_equal(t.gencode, "");
    assert_int_equal(t.rank, 25);
    assert_false(t.exact || t.family == &family_cuda || target_is_inherited(&t));
    has_facts(&t, (Fact[]){ { "VECTOR_BYTES", 64 }, { "VECTOR_REGISTERS", 32 }, { "SMS", 0 }, { "SM_ARCH", 0 } }, 4);
}

static void fields_of_a_gpu(void **state)
{
    (void)state;
    static const Fact want[] = { { "SM_ARCH", 77 },         { "SMS", 101 },          { "SMEM_SM", 1026 },
                                 { "SMEM_BLOCK", 1025 },    { "REGS_SM", 1027 },     { "THREADS_SM", 1028 },
                                 { "BLOCKS_SM", 29 },       { "FMA_SM", 128 },       { "TENSOR_F16_SM", 512 },
                                 { "TENSOR_TF32_SM", 256 }, { "CLOCK_MHZ", 1410 },   { "DRAM_GBS", 1555 },
                                 { "L2_GBS", 3000 },        { "L2_SIZE", 41943040 }, { "LAUNCH_NS", 1400 },
                                 { "HANDOVER_NS", 800 },    { "VECTOR_BYTES", 0 } };
    int64_t value = 5;
    Target t = parse(gpu);
    assert_string_equal(t.gencode, "arch=compute_77,code=sm_77");
    assert_string_equal(t.fallback, "sm_70");
    assert_string_equal(t.attribute, "");
    assert_string_equal(t.arch, "");
    assert_string_equal(t.runtime_check, "0");
    assert_int_equal(t.rank, 120);
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

/* `to` in the place of `from`. */
static const char *with(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void faults(void **state)
{
    (void)state;
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
        const char *said = said_of(with(cases[i].text, cases[i].from, cases[i].to), &t, &ok);
        if (ok || !strstr(said, cases[i].want) || strstr(strstr(said, "error: ") + 1, "error: "))
            fail_msg("'%s': wanted %s, got\n%s", cases[i].to, cases[i].want, said);
    }
    parse(with(gpu, "tensor_f16_sm = 512", "tensor_f16_sm = 0"));
    parse(with(cpu, "\"avx2,fma\"", "\"arch=x86-64-v3,avx10.1_x\""));
    parse(with(cpu, "fallback = \"thin\";\n", ""));
}

/* ---- lists ---- */

static void write_target(const char *folder, const char *file, const char *text)
{
    put_file(arena_printf(arena, "%s/%s", folder, file), text);
}

/* A CPU's target of this name and rank. */
static const char *ranked(const char *name, const char *rank)
{
    return with(with(cpu, "wide", name), "rank = 25", arena_printf(arena, "rank = %s", rank));
}

static void folders_are_read_by_rank(void **state)
{
    (void)state;
    static const char *const order[] = { "sm_77", "b", "c", "a" };
    char folder[TMP_FOLDER_BYTES];
    TargetList list;
    Diag *d = diag_new(arena);
    assert_non_null(tmp_folder(folder));
    write_target(folder, "1.cfg", ranked("a", "7"));
    write_target(folder, "2.cfg", gpu);
    write_target(folder, "3.cfg", ranked("c", "30"));
    write_target(folder, "4.cfg", ranked("b", "30"));
    write_target(folder, "5.txt", "no target");
    assert_true(target_read_all(arena, folder, &list, d));
    assert_int_equal(list.n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(list.t[i].name, order[i]);
    assert_ptr_equal(target_find(&list, "c"), &list.t[2]);
    assert_null(target_find(&list, "d"));
    write_target(folder, "6.cfg", "name");
    assert_false(target_read_all(arena, folder, &list, d));
    assert_false(target_read_all(arena, arena_printf(arena, "%s/none", folder), &list, d));
    assert_non_null(strstr(golden_diag(arena, d), "/none: error: cannot read the folder of targets"));
    assert_int_equal(tmp_folder_remove(folder), 0);
}

static void there_are_some_targets_and_not_too_many(void **state)
{
    (void)state;
    char folder[TMP_FOLDER_BYTES];
    TargetList list;
    Diag *d = diag_new(arena);
    assert_non_null(tmp_folder(folder));
    for (int i = 0; i <= TARGET_MAX; i++) {
        assert_int_equal(target_read_all(arena, folder, &list, d), i > 0);
        assert_int_equal(list.n, i);
        if (i == 0)
            assert_non_null(
                strstr(golden_diag(arena, d), arena_printf(arena, "%s: error: no target is there", folder)));
        write_target(folder, arena_printf(arena, "%02d.cfg", i), ranked(arena_printf(arena, "t%d", i), "7"));
    }
    assert_int_equal(diag_nerror(d), 1);
    assert_false(target_read_all(arena, folder, &list, d));
    assert_non_null(strstr(golden_diag(arena, d), arena_printf(arena, "%s: error: more than 16 targets", folder)));
    assert_int_equal(tmp_folder_remove(folder), 0);
}

static void fallbacks_of_fallbacks(void **state)
{
    (void)state;
    TargetList list = { 5,
                        { { .name = "a", .fallback = "b" },
                          { .name = "b", .fallback = "c" },
                          { .name = "c", .fallback = "" },
                          { .name = "d", .fallback = "gone" },
                          { .name = "e", .fallback = "e" } } };
    static const char stands_in[5][6] = { ".....", "x....", "xx...", ".....", "....x" };
    for (int i = 0; i < 5; i++)
        for (int of = 0; of < 5; of++)
            assert_int_equal(target_is_fallback(&list, &list.t[i], &list.t[of]), stands_in[i][of] == 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_a_cpu),
        cmocka_unit_test(fields_of_a_gpu),
        cmocka_unit_test(faults),
        cmocka_unit_test(folders_are_read_by_rank),
        cmocka_unit_test(fallbacks_of_fallbacks),
        cmocka_unit_test(there_are_some_targets_and_not_too_many),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
