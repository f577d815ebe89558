/* SPDX-License-Identifier: Apache-2.0
 *
 * emit: what the files of a package say: of each target and kernel, of what a call checks, and what MANIFEST names. The
 * bill of materials is what SPDX 2.3 asks for: fields, names, relationships, and every file of MANIFEST once with its
 * hashes. Another package has another name.
 */
#include "tests/test.h"
#include <jansson.h>
#include "gen/package/manifest.h"
#include "tests/gen/package/emit_results.h"
#include "tests/gen/pairs.h"

#define EXPECT(p, file, ...) assert_has_all(package_text(p, file), __VA_ARGS__)

TEST(the_other_files_tell_of_each)
{
    EmitInput in;
    const Package *p = make_two(&in);
    const char *regret = package_text(p, "regret.json");
    const int first = in.function->item[0].assignment->nkernel, n = in.function->item[1].assignment->nkernel;
    EXPECT(p, "README.md", arena_printf(y.arena, "\n| 0 | avx512 | %d | tuned on Synthetic CPU 9000 |\n", first),
           arena_printf(y.arena, "\n| 1 | avx2 | %d | tuned on Synthetic CPU 9000 |\n", n),
           "\n| 2 | portable | 1 | general: right for every size, tuned for none |\n",
           "\nOn Synthetic CPU 9000, for avx512, compiled by gcc (Debian 12.2.0) 12.2.0:\n",
           "\nOn Synthetic CPU 9000, for avx2, compiled by gcc (Debian 12.2.0) 12.2.0:\n");
    const char *second = strstr(regret, "\"target\": \"avx2\"");
    assert_non_null(second);
    for (const char *at = strstr(regret, "\"kernel\": "); at; at = strstr(at + 1, "\"kernel\": ")) {
        const int kernel = atoi(at + strlen("\"kernel\": "));
        assert_in_range(kernel, at < second ? 0 : first, at < second ? first - 1 : first + n - 1);
    }
}

/* Each kernel's target; which record it is of, also behind the first target's. */
TEST(kernels_are_those_of_their_targets)
{
    const Result result[] = { plain_result("avx512", 2), plain_result("avx2", 3) };
    EmitInput in = input_of(result, 2);
    EXPECT(package_of(&in), "kernels.c", "{\n    0, 0, 1, 1, 1, 2,\n}");
    const Package *p = make_two(&in);
    json_t *package = json_loads(package_text(p, "package.json"), 0, NULL), *kernel;
    const json_t *kernels = json_object_get(json_array_get(json_object_get(package, "functions"), 0), "kernels");
    size_t k = 0;
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < in.function->item[i].assignment->nkernel; n++, k++) {
            const Trial *t = &in.function->item[i].study->trial[in.function->item[i].assignment->kernel[n]];
            int64_t value[TEMPLATE_MAX_PARAM];
            candidate_values(&t->c, value);
            kernel = json_array_get(kernels, k);
            assert_int_equal(json_integer_value(json_object_get(kernel, "number")), k);
            assert_int_equal(json_integer_value(json_object_get(kernel, "target")), i);
            assert_string_equal(json_string_value(json_object_get(kernel, "record")), t->key);
            const json_t *given = json_object_get(kernel, "parameters");
            for (int j = 0; j < t->c.t->nparam; j++)
                assert_int_equal(json_integer_value(json_object_get(given, t->c.t->param[j].name)), value[j]);
        }
    json_decref(package);
}

TEST(later_gpus_are_asked_for_by_their_capability)
{
    const Result result[] = { plain_result("sm_90a", 2), plain_result("sm_80", 1) };
    const EmitInput in = input_of(result, 2);
    const Package *p = package_of(&in);
    EXPECT(
        p, "dispatch.h",
        "compute capability cc / 10: 0 sm_90a, 1 sm_80, 2 sm_80 and later, 3 sm_75 and later; -1: none. */\n"
        "static inline int two_target_of(int cc)\n{\n"
        "    if (cc == 90)\n        return 0;\n    if (cc == 80)\n        return 1;\n    if (cc >= 80)\n        return "
        "2;\n    if (cc >= 75)\n        return 3;\n    return -1;\n}\n",
        "static inline int two_runs(int target, int of) { return of >= target; }\n");
    EXPECT(p, "CMakeLists.txt", "    set(two_CUDA_ARCHITECTURES \"90a-real\" \"80\" \"75\")\n");
    EXPECT(p, "README.md", "\n| 1 | sm_80 | 1 | chosen by a model |\n| 2 | sm_80 | 2 | general: ");
    EXPECT(
        p, "kernels.cu",
        "    if (exec->kernel < 0 || exec->kernel > two_NKERNEL || !two_runs(target, two_target[exec->kernel - 1]))\n"
        "        return -two_BAD_KERNEL;\n    if (!two_serves(exec->kernel - 1, M, N, K, ALIGN))\n"
        "        return -two_BAD_KERNEL;\n    return exec->kernel - 1;\n}\n",
        "    if (M == 0 || N == 0)\n        return 0;\n",
        "(call->plan.counter_bytes && !two_is_workspace(counters)))\n        return two_BAD_POINTER;\n");
    EXPECT(p, "README.md",
           "cudaMalloc(&packed, two_cuda_packed_bytes(N, K));\nint code = two_cuda_pack(N, K, W, packed, stream);\n",
           "size_t bytes = two_cuda_workspace_bytes(M, N, K, NULL);\nif (bytes > 0 && cudaMalloc(&workspace, bytes) == "
           "cudaSuccess)\n"
           "    two_cuda_workspace_clear(workspace, bytes, stream);\n",
           "\ncode = two_cuda(M, N, K, X, packed, Y, workspace, NULL, stream);\n```\n");
}

TEST(versions_are_numbers)
{
    EmitInput in;
    const Package *p = make_two(&in);
    EXPECT(p, "two.h",
           "#define two_VERSION \"1.2.3\"\n#define two_VERSION_MAJOR 1\n#define two_VERSION_MINOR 2\n#define "
           "two_VERSION_PATCH 3\n#define two_ABI 3\n#define two_DCGEN_VERSION \"1.2.3\"\n",
           "#define two_HAS_BIAS 0\n#define two_W_NK 1\n#define two_W_KN 0\n#define two_W_PACKED 1\n");
    EXPECT(p, "CMakeLists.txt", "set(two_version 1.2.3)\nset(two_abi 3)\n", " COMPATIBILITY SameMajorVersion)");
    EXPECT(p, "MANIFEST", "\n# package two\n# version 1.2.3\n# dcgen 1.2.3\n");
}

/* A version that the spec gives is the package's in all files; CMake takes its numbers alone. dcgen's stays beside
 * it. */
TEST(the_version_is_that_of_the_spec)
{
    Synthetic own;
    const Result result = result_of(&own, arena_printf(y.arena, "version = \"0.4.5-rc.1\";\n%s", two_spec));
    const EmitInput in = input_of(&result, 1);
    const Package *p = package_of(&in);
    EXPECT(p, "two.h",
           "#define two_VERSION \"0.4.5-rc.1\"\n#define two_VERSION_MAJOR 0\n#define two_VERSION_MINOR 4\n#define "
           "two_VERSION_PATCH 5\n#define two_ABI 3\n#define two_DCGEN_VERSION \"1.2.3\"\n",
           "Generated by dcgen 1.2.3 ");
    EXPECT(p, "CMakeLists.txt", "set(two_version 0.4.5)\nset(two_abi 3)\n", " COMPATIBILITY SameMinorVersion)",
           "\"Version: 0.4.5-rc.1\\n\"");
    EXPECT(p, "MANIFEST", "\n# package two\n# version 0.4.5-rc.1\n# dcgen 1.2.3\n");
    EXPECT(p, "package.json", "\"version\": \"0.4.5-rc.1\",\n \"dcgen\": \"1.2.3\",");
    EXPECT(p, "README.md", "# two 0.4.5-rc.1\n", "Generated by dcgen\n1.2.3.\n");
    EXPECT(p, "two.spdx.json", "\"versionInfo\": \"0.4.5-rc.1\"");
    arena_free(own.arena);
}

/* Each kernel in words: those of the targets, then the general one with the values that it has on that target. */
TEST(kernels_are_told_in_words)
{
    EmitInput in;
    const Package *p = make_two(&in);
    Text want = { .arena = y.arena };
    text_add(&want, "two_text[] = {\n");
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < in.function->item[i].assignment->nkernel; n++) {
            const Candidate *c = &in.function->item[i].study->trial[in.function->item[i].assignment->kernel[n]].c;
            int64_t value[TEMPLATE_MAX_PARAM];
            candidate_values(c, value);
            text_printf(&want, "    \"%s\",\n",
                        unit_kernel_text(y.arena, &(UnitKernel){ .t = c->t, .target = c->target, .value = value }));
        }
    text_add(
        &want,
        "    \"packed_gemm portable MR=2 NP=1 KA=1 UK=1 KC=0 PF=16 HOLD=0 BLOCK=8 CALLS=0 EVEN=1 SPLIT=0\",\n};\n");
    EXPECT(p, "kernels.c", text_str(&want));
}

TEST(files_say_what_they_are_of)
{
    EmitInput in;
    const Package *p = make_two(&in);
    EXPECT(p, "two.h",
           "\n * two: Y[M,N] = epilogue( X[M,K] * W )\n * dense, f32, W in layout NK, packed once. Tuned for Synthetic "
           "CPU 9000, avx512.\n * Tuned for Synthetic CPU 9000, avx2.\n * Generated by dcgen 1.2.3 from spec.cfg and ",
           "/* Y[M,N] = epilogue( X[M,K] * W )\n *   M         rows of X and Y: batch x sequence\n"
           " *   N         columns of Y: output features\n *   K         columns of X: input features\n"
           " *   X         [M][K], row-major\n *   W         as two_pack wrote it, for the same extents\n"
           " *   Y         [M][N], row-major\n");
    for (int i = 0; i < 2; i++)
        EXPECT(p, "dispatch.h",
               arena_printf(y.arena,
                            "\n * %s: %d kernels, %d leaves, 128 shapes in range. Times were measured on Synthetic CPU "
                            "9000 (\"about\": predicted);\n",
                            in.function->item[i].study->target->name, in.function->item[i].assignment->nkernel,
                            tree_nleaf(in.function->item[i].assignment->tree)));
    EXPECT(p, "dispatch.h", "\n/* For avx2, within the declared ranges. */\nstatic inline int two_tree_avx2(");
    const Result result[] = { plain_result("avx2", 1), plain_result("sm_80", 2) };
    const EmitInput cpu = input_of(&result[0], 1), gpu = input_of(&result[1], 1);
    p = package_of(&cpu);
    EXPECT(p, "dispatch.h", "\n * 1 kernel, 1 leaf, 128 shapes in range. Times were measured on Synthetic CPU 9000 ",
           "\n/* Within the declared ranges. */\nstatic inline int two_tree(");
    p = package_of(&gpu);
    EXPECT(p, "dispatch.h",
           "\n * 2 kernels, 1 leaf, 128 shapes in range. No time was measured: all are computed for a ");
    EXPECT(p, "two.h", "\n * Chosen for sm_80 by a model: no such device was there to measure on.");
}

/* A shape counts once, however many numbers of threads it is tuned for. */
TEST(shapes_are_counted_once)
{
    static const char spec[] = "name = \"once\"; op = \"dense\"; target = [\"host\"]; threads = [1, 2];\n"
                               "dims = { T = { min = 1; max = 5; }; }; shapes = ( { M = \"T\"; N = 16; K = 8; } );\n"
                               "budget = { kernels = 2; code_kib = 64; trials = 8; seconds = 10; };\n";
    Synthetic twice;
    const Result result = result_of(&twice, spec);
    const EmitInput in = input_of(&result, 1);
    EXPECT(package_of(&in), "dispatch.h", ", 5 shapes in range. ");
    arena_free(twice.arena);
}

/* The benchmark has a row a tuned shape, for one number of threads. */
TEST(the_benchmark_has_each_shape_once)
{
    Result result = result_with(y.study, y.assignment);
    Study s = *y.study;
    Instance more = *s.shape[1];
    const EmitInput in = input_of(&result, 1);
    const Package *p = package_of(&in);
    for (int64_t i = 0; i < s.nshape; i++)
        EXPECT(p, "bench.c",
               arena_printf(y.arena, "\n    { %d, %d, %d },\n", (int)s.shape[i]->extent[0], (int)s.shape[i]->extent[1],
                            (int)s.shape[i]->extent[2]));
    const char *second =
        arena_printf(y.arena, "\n    { %d, %d, %d },\n", (int)more.extent[0], (int)more.extent[1], (int)more.extent[2]);
    s.shape = ARENA_ARRAY(y.arena, (size_t)s.nshape, const Instance *);
    memcpy(s.shape, y.study->shape, (size_t)s.nshape * sizeof *s.shape);
    s.shape[1] = &more;
    more.threads = 2;
    result.study = &s;
    assert_lacks(package_text(package_of(&in), "bench.c"), second);
}

/* The op by a library is in a file of its own, for processors that the tuned target may be of. */
TEST(the_benchmark_has_a_library_where_the_op_has_one)
{
    EmitInput in;
    const Package *two = make_two(&in);
    EXPECT(two, "library.c", "\n#if defined(__x86_64__)\n", "\nint dcgen_run(const int64_t *extent, ");
    EXPECT(two, "bench.c", "dcgen_run(two_asked.extent, ");
    EXPECT(two, "CMakeLists.txt", "target_sources(two_bench PRIVATE library.c)");
    EXPECT(two, "README.md", "| `bench.c`, `library.c` | compares with a CBLAS");
    EXPECT(two, "MANIFEST", "  library.c\n");
    Synthetic strides;
    assert_true(synthetic_make(&strides, synthetic_strides, 60));
    Result result = synthetic_result(&strides);
    result.contract = contract_make(strides.arena, strides.study, strides.assignment);
    const EmitInput without = input_of(&result, 1);
    const Package *p = package_of(&without);
    assert_null(package_text(p, "library.c"));
    assert_lacks(package_text(p, "bench.c"), "dcgen_run");
    assert_lacks(package_text(p, "CMakeLists.txt"), "library.c");
    arena_free(strides.arena);
}

TEST(a_report_is_named_where_there_is_one)
{
    EmitInput in;
    make_two(&in);
    in.spec_text = "the spec";
    in.records = "the records";
    in.report = "the report";
    const Package *with = package_of(&in);
    assert_string_equal(package_text(with, "spec.cfg"), "the spec");
    assert_string_equal(package_text(with, "records.jsonl"), "the records");
    assert_string_equal(package_text(with, "report.html"), "the report");
    EXPECT(with, "README.md", "| `report.html` | ");
    EXPECT(with, "MANIFEST", "  report.html\n");
    EXPECT(with, "package.json", "\"report.html\": ");
    in.report = NULL;
    const Package *without = package_of(&in);
    assert_null(package_text(without, "report.html"));
    assert_lacks(package_text(without, "README.md"), "report.html");
    assert_lacks(package_text(without, "MANIFEST"), "report.html");
    assert_int_equal(without->n, with->n - 1);
    assert_string_equal(without->file[without->n - 1].path, "MANIFEST");
}

/* The header counts what callers give; what is the same in all calls stands in its rows as a number. */
TEST(a_header_counts_calls)
{
    EmitInput in;
    const Package *p = make_two(&in);
    EXPECT(p, "two_log.h", "#ifndef two_LOG_H\n",
           "static inline void two_log(two_log_table *table, int64_t M, int64_t N, int64_t K)\n",
           "    fputs(\"K,\", file);\n    fputs(\"count\\n\", file);\n");
    EXPECT(p, "CMakeLists.txt", "set(two_headers two.h two_log.h two_pool.h)\n", "set(two_headers two.h two_log.h)\n");
    assert_lacks(package_text(p, "README.md"), "that were counted");
    Synthetic strides;
    const Result result = result_of(&strides, "name = \"strides\"; op = \"conv2d\"; target = [\"avx2\"];\n"
                                              "shapes = ( { N = 1; G = 1; H = 9; W = 9; C = 8; K = 8; R = 3; S = 3; "
                                              "STRIDE = 2; } ); layout = { packed = true; };\n");
    in = input_of(&result, 1);
    EXPECT(package_of(&in), "strides_log.h", "int64_t S)\n", "    fputs(\"STRIDE_H,\", file);\n",
           "    fputs(\"2,\", file);\n");
    arena_free(strides.arena);
}

/* A dispatcher asks what kernels serve where some do not serve every call, and a call that asks for a kernel that does
 * not serve it is refused. */
TEST(kernels_that_serve_less_are_asked)
{
    static const char *const words[] = { "_serves(", "_first(" };
    Synthetic strides;
    assert_true(synthetic_make(&strides, synthetic_strides, 60));
    Result result = synthetic_result(&strides);
    result.contract = contract_make(strides.arena, strides.study, strides.assignment);
    const EmitInput in = input_of(&result, 1);
    const Package *p = package_of(&in);
    const int n = result.assignment->nkernel;
    EXPECT(p, "dispatch.h", "\nstatic inline int strides_serves(int kernel, int64_t N, int64_t G, ",
           "\nstatic inline int strides_first(int chosen, int from, int64_t N, int64_t G, ",
           ": return C == 1 && K == 1", arena_printf(y.arena, "        return strides_first(%d, %d, N, G, ", n, n),
           arena_printf(y.arena, "    return strides_first(outside ? 0 : strides_tree(N, G, "));
    EXPECT(p, "kernels.c", "    if (!strides_serves(kernel, N, G, ");
    EXPECT(p, "README.md", "\n| 1 | avx2 | 2 | general: right for every size, tuned for none |\n");
    EmitInput two;
    const Package *all = make_two(&two);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_lacks(package_text(all, "dispatch.h"), words[i]);
        assert_lacks(package_text(all, "kernels.c"), words[i]);
    }
    arena_free(strides.arena);
}

/* ---- MANIFEST ---- */

/* "dense/op.cfg ...": the paths of all that the package was made of. */
static const char *sources_of(const Package *p)
{
    static const char word[] = "# template ";
    Text t = { .arena = y.arena };
    for (const char *line = package_text(p, "MANIFEST"); *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, word, strlen(word)) == 0) {
            const char *path = strstr(line, "  ") + 2;
            text_printf(&t, "%.*s ", (int)strcspn(path, "\n"), path);
        }
    return text_str(&t);
}

/* The op, what serves the spec with its pieces, the family's patterns and targets. */
TEST(the_manifest_names_all_that_the_package_was_made_of)
{
    EmitInput in;
    assert_string_equal(
        sources_of(make_two(&in)),
        "dense/library.c dense/op.cfg dense/pack.c dense/packed_gemm.c "
        "dense/reference.c dense/store_part.h dense/store_tile.h family/cpu.cfg "
        "gemm/join.h gemm/packed_step.h gemm/rows.h gemm/share.h gemm/sums.h gemm/walk.h "
        "package/CMakeLists.txt package/LICENSE package/README.md package/arguments.h package/arguments_of.h "
        "package/arithmetic.h package/bench.c package/blocks.h package/candidate.c package/cblas.h "
        "package/declarations.h package/dispatch.h "
        "package/each_kernel.h package/element.h package/elements.h "
        "package/entry.c package/exact.h package/function.c package/kernels.c package/legal.h package/log.h "
        "package/overlap.h package/pack.h package/package.h package/package.json package/packed.h "
        "package/packed_calls.h package/pieces.h package/plant.h package/pool.c package/pool.h package/preamble.c "
        "package/problem.h package/refused.h "
        "package/regret.json package/regret.md package/run.c package/spdx.json package/strerror.h "
        "package/tables.h package/test.c package/timed.h targets/avx2.cfg targets/avx512.cfg targets/portable.cfg "
        "vector/copy.h vector/floats.h vector/ints.h vector/load.h vector/places.h vector/store.h ");
    const Result result = plain_result("sm_80", 1);
    const EmitInput gpu = input_of(&result, 1);
    const char *sources = sources_of(package_of(&gpu));
    static const char *const none[] = { "mma_gemm", "mma_gemv", "avx", "portable", "pool", "packed_gemm" };
    assert_has_all(sources, "gemm/few_rows.cuh ", "dense/library.cu ", "package/bench_cuda.c ", "package/cublaslt.h ",
                   "dense/gemv.cu ", "package/pack.cu ", "dense/simt_gemm.cu ", "package/test_cuda.c ",
                   "gemm/tile_copy.cuh ", "gemm/simt_gemm.cu ", "family/cuda.cfg ", "device/launch.cuh ",
                   "device/tf32_mma.cuh ", "package/candidate.cu ", "package/flush_l2.h ", "targets/sm_75.cfg ",
                   "targets/sm_90a.cfg ");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_lacks(sources, none[i]);
}

/* ---- the bill of materials ---- */

#define SHA1_OF_ABC "a9993e364706816aba3e25717850c26c9cd0d89d"
#define SHA256_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static json_t *sbom_of(const Package *p)
{
    json_error_t error;
    const char *text = package_text(p, "two.spdx.json");
    assert_non_null(text);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!o)
        fail_msg("line %d: %s", error.line, error.text);
    return o;
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    if (!s || !*s)
        fail_msg("there is no text \"%s\"", key);
    return s ? s : "";
}

/* "KEY -> TEXT; ..." */
static void has_texts(const json_t *o, const char *texts)
{
    for (Pairs p = { .rest = texts }; pairs_next(y.arena, &p);)
        assert_string_equal(text_of(o, p.text), p.value);
}

static const json_t *elem(const json_t *o, const char *list, size_t i)
{
    const json_t *e = json_array_get(json_object_get(o, list), i);
    if (!e)
        fail_msg("there is no \"%s\" %zu", list, i);
    return e;
}

/* "SPDXRef-", then letters, digits, '.' and '-'. */
static void is_id(const char *id)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", begin[] = "SPDXRef-";
    if (strncmp(id, begin, strlen(begin)) != 0 || !id[strlen(begin)] || id[strspn(id, all)])
        fail_msg("'%s' is no name of SPDX's", id);
}

static const char *hash_of(const json_t *file, size_t i, const char *algorithm)
{
    const json_t *sum = elem(file, "checksums", i);
    assert_string_equal(text_of(sum, "algorithm"), algorithm);
    return text_of(sum, "checksumValue");
}

static const json_t *file_of(const json_t *o, const char *path)
{
    json_t *file;
    size_t i;
    const char *name = arena_printf(y.arena, "./%s", path);
    json_array_foreach(json_object_get(o, "files"), i,
                       file) if (strcmp(text_of(file, "fileName"), name) == 0) return file;
    fail_msg("there is no file %s", path);
    return NULL;
}

TEST(document_and_package_have_what_spdx_requires)
{
    EmitInput in;
    json_t *o = sbom_of(make_two(&in));
    const json_t *made = json_object_get(o, "creationInfo"), *p = elem(o, "packages", 0);
    has_texts(o, "spdxVersion -> SPDX-2.3; dataLicense -> CC0-1.0; SPDXID -> SPDXRef-DOCUMENT; name -> two-1.2.3");
    has_texts(p, "name -> two; versionInfo -> 1.2.3; licenseDeclared -> MIT-0; licenseConcluded -> MIT-0; "
                 "downloadLocation -> NOASSERTION");
    has_texts(made, "created -> 1970-01-01T00:00:00Z");
    assert_string_equal(json_string_value(elem(made, "creators", 0)), "Tool: dcgen-1.2.3");
    is_id(text_of(p, "SPDXID"));
    assert_has(package_text(make_two(&in), "LICENSE"), text_of(p, "copyrightText"));
    assert_true(json_is_true(json_object_get(p, "filesAnalyzed")));
    const json_t *code = json_object_get(p, "packageVerificationCode");
    assert_int_equal(strlen(text_of(code, "packageVerificationCodeValue")), 40);
    assert_string_equal(json_string_value(elem(code, "packageVerificationCodeExcludedFiles", 0)), "./two.spdx.json");
    assert_string_equal(json_string_value(elem(code, "packageVerificationCodeExcludedFiles", 1)), "./MANIFEST");
    json_decref(o);
}

TEST(every_file_is_there_once_with_the_hashes_of_its_bytes)
{
    EmitInput in;
    const char *err = NULL;
    make_two(&in);
    in.spec_text = "abc";
    in.report = "<!-- the report -->";
    const Package *p = package_of(&in);
    json_t *o = sbom_of(p);
    const Manifest *m = manifest_read(y.arena, package_text(p, "MANIFEST"), &err);
    assert_non_null(m);
    size_t nfile = 0;
    for (int i = 0; i < m->n; i++) {
        const ManifestEntry *e = &m->entry[i];
        if (e->kind == MANIFEST_TEMPLATE || strcmp(e->path, "two.spdx.json") == 0)
            continue;
        const json_t *file = file_of(o, e->path);
        nfile++;
        is_id(text_of(file, "SPDXID"));
        assert_string_equal(hash_of(file, 1, "SHA256"), e->hash);
        assert_int_equal(strlen(hash_of(file, 0, "SHA1")), 40);
        assert_string_equal(text_of(file, "licenseConcluded"),
                            strcmp(e->path, "spec.cfg") == 0 ? "NOASSERTION" : "MIT-0");
    }
    assert_true(nfile > 10 && m->n > (int)nfile);
    assert_int_equal(json_array_size(json_object_get(o, "files")), nfile);
    assert_string_equal(hash_of(file_of(o, "spec.cfg"), 0, "SHA1"), SHA1_OF_ABC);
    assert_string_equal(hash_of(file_of(o, "spec.cfg"), 1, "SHA256"), SHA256_OF_ABC);
    json_decref(o);
}

/* What the files say of their licence themselves. */
TEST(licences_in_files_are_read)
{
    EmitInput in;
    make_two(&in);
    in.spec_text = "# SPDX-License-Identifier: Apache-2.0\n";
    in.records = "# SPDX-License-Identifier: MIT-0\n";
    json_t *o = sbom_of(package_of(&in));
    static const char *const want[][2] = { { "kernels.c", "MIT-0" },    { "two.h", "MIT-0" },
                                           { "LICENSE", "MIT-0" },      { "package.json", "NONE" },
                                           { "README.md", "NONE" },     { "spec.cfg", "NOASSERTION" },
                                           { "records.jsonl", "MIT-0" } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_string_equal(json_string_value(elem(file_of(o, want[i][0]), "licenseInfoInFiles", 0)), want[i][1]);
    json_decref(o);
}

/* The log that a spec takes its shapes from is a file of the package, by its author's licence. */
TEST(a_log_goes_into_the_package)
{
    static const char text[] = "M,N,K\n1,2,3\n";
    const Source src = { "calls.csv", text, sizeof text - 1 };
    const ShapeLog log = { .src = &src, .n = 1, .calls = 4321 };
    Synthetic own;
    const Result result = result_of(&own, two_spec);
    own.spec->log = &log;
    const EmitInput in = input_of(&result, 1);
    const Package *p = package_of(&in);
    assert_string_equal(package_text(p, "shapes.csv"), text);
    EXPECT(p, "README.md", "\n| `shapes.csv` | the shapes that the spec asks for, counted |\n",
           "\n`shapes.csv` has 1 different shapes, called 4,321 times. ", "\n| M | 1 | ");
    EXPECT(p, "package.json", "\"shapes.csv\": ");
    json_t *o = sbom_of(p);
    assert_string_equal(text_of(file_of(o, "shapes.csv"), "licenseConcluded"), "NOASSERTION");
    json_decref(o);
    arena_free(own.arena);
}

TEST(relationships_are_of_what_is_there)
{
    EmitInput in;
    json_t *o = sbom_of(make_two(&in)), *all = json_object(), *row;
    const char *package = text_of(elem(o, "packages", 0), "SPDXID");
    size_t i, ncontained = 0, nfile = json_array_size(json_object_get(o, "files"));
    json_object_set_new(all, text_of(o, "SPDXID"), json_true());
    json_object_set_new(all, package, json_true());
    json_array_foreach(json_object_get(o, "files"), i, row)
        json_object_set_new(all, text_of(row, "SPDXID"), json_true());
    assert_int_equal(json_object_size(all), nfile + 2); /* no name is there twice */
    json_array_foreach(json_object_get(o, "relationships"), i, row)
    {
        const char *from = text_of(row, "spdxElementId"), *to = text_of(row, "relatedSpdxElement");
        assert_non_null(json_object_get(all, from));
        if (!json_object_get(all, to))
            fail_msg("'%s' is nothing of the document's", to);
        ncontained += strcmp(text_of(row, "relationshipType"), "CONTAINS") == 0 && strcmp(from, package) == 0;
    }
    assert_int_equal(ncontained, nfile);
    assert_string_equal(text_of(elem(o, "relationships", 0), "relationshipType"), "DESCRIBES");
    assert_string_equal(text_of(elem(o, "relationships", 0), "relatedSpdxElement"), package);
    json_decref(all);
    json_decref(o);
}

TEST(the_name_in_the_world_follows_from_the_bytes)
{
    EmitInput in;
    static const char begin[] = "https://spdx.org/spdxdocs/two-1.2.3-";
    make_two(&in);
    json_t *one = sbom_of(package_of(&in)), *again = sbom_of(package_of(&in));
    in.records = "others";
    json_t *other = sbom_of(package_of(&in));
    const char *name = text_of(one, "documentNamespace");
    assert_int_equal(strncmp(name, begin, strlen(begin)), 0);
    assert_int_equal(strspn(name + strlen(begin), "0123456789abcdef"), 64);
    assert_true(json_equal(one, again));
    assert_string_not_equal(name, text_of(other, "documentNamespace"));
    assert_string_not_equal(
        text_of(json_object_get(elem(one, "packages", 0), "packageVerificationCode"), "packageVerificationCodeValue"),
        text_of(json_object_get(elem(other, "packages", 0), "packageVerificationCode"),
                "packageVerificationCodeValue"));
    json_decref(one);
    json_decref(again);
    json_decref(other);
}

TEST_FILE(make_y, drop)
