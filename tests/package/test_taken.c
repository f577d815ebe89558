/* SPDX-License-Identifier: Apache-2.0
 *
 * Every identifier that a package has, and every macro that programs have behind <math.h>, <complex.h> and others, as
 * the name of a function, of an operand and of an extent of a spec: it is refused at its place, or the package
 * compiles, its header behind all of these, in C and in C++. What is compiled is the text of one package with names
 * replaced; where dcgen gives variables other names than their operands' it is a package of that spec. Of those that
 * are accepted every 48th is compiled.
 *
 * ctest: label=slow,thorough timeout=1200 cost=40
 */
#define _GNU_SOURCE
#include "tests/package/made_up.h"

#include <ctype.h>
#include "gen/base/name.h"
#include "gen/base/name_set.h"
#include "gen/template/fill.h"
#include "gen/unit/formula_print.h"
#include "gen/unit/unit_names.h"

#define TEMPLATES DCGEN_SOURCE_DIR "/templates"
#define HEADERS                                                                                                 \
    "-include math.h -include complex.h -include stdio.h -include stdlib.h -include errno.h -include limits.h " \
    "-include signal.h "
#define CXX_HEADERS                                                                                               \
    "#include <cmath>\n#include <complex>\n#include <complex.h>\n#include <cstdio>\n#include <cerrno>\n#include " \
    "<climits>\n"

/* What is replaced in the package's text: operands of one function, extents of another one, and the names of both. */
static const char *const operand[] = { "wwwwww0x", "wwwwww1x", "wwwwww2x", "wwwwww3x", "wwwwww4x", "wwwwww5x" },
                         *const extent[] = { "EEEEEE0X", "EEEEEE1X", "EEEEEE2X", "EEEEEE3X" },
                         *const function[] = { "ffffff0x", "ffffff1x" };

static const char spec_text[] =
    "name = \"tiny\"; dtype = \"f32\"; target = [\"portable\"]; dims = { T = { min = 1; max = 9; }; };\n"
    "functions = (\n"
    "  { name = \"ffffff0x\"; op = \"batch_matmul\"; shapes = ( { B0 = 1; B1 = 2; M = \"T\"; N = 5; K = 6; } ); types "
    "= { wwwwww3x = \"s32\"; };\n"
    "    epilogue = \"gelu(acc * wwwwww0x[n]) + wwwwww1x[b0,m,n] + (n < wwwwww3x[m] ? wwwwww2x[m] : 0) + wwwwww4x[n,m] "
    "* wwwwww5x[b1]\"; },\n"
    "  { name = \"ffffff1x\"; op = \"rows\"; shapes = ( { M = \"T\"; N = 5; EEEEEE0X = 3; EEEEEE1X = \"T\"; EEEEEE2X = "
    "4; EEEEEE3X = 2; } );\n"
    "    types = { wwwwwwi0 = \"s32\"; wwwwwwi1 = \"s32\"; wwwwwwi2 = \"s32\"; wwwwwwi3 = \"s32\"; };\n"
    "    extents = { wwwwwwx0 = [\"EEEEEE0X\", \"N\"]; wwwwwwx1 = [\"EEEEEE1X\", \"N\"]; wwwwwwx2 = [\"EEEEEE2X\", "
    "\"N\"]; wwwwwwx3 = "
    "[\"EEEEEE3X\", \"N\"]; };\n"
    "    formula = \"softmax[n](wwwwwwx0[wwwwwwi0[m],n] * EEEEEE0X + wwwwwwx1[wwwwwwi1[m],n] * EEEEEE1X) + "
    "wwwwwwx2[wwwwwwi2[m],n] + wwwwwwx3[wwwwwwi3[m],n] * "
    "EEEEEE3X\"; } );\n"
    "tune = { T = [1, 9]; }; budget = { trials = 2; seconds = 100; };\n";

typedef enum { FUNCTION, OPERAND, EXTENT } Kind;

/* ---- names ---- */

static void add_name(NameSet *s, const char *name)
{
    if (!name_fault(name)) /* no keyword, and not reserved */
        name_set_add(arena, s, name);
}

static bool is_stand_in(const char *name)
{
    return strstr(name, "wwwwww") || strstr(name, "EEEEEE") || strstr(name, "ffffff");
}

/* Identifiers of the package, macros that it has and that are there behind headers, and what follows the package's or a
 * function's name and '_': all that a function's name can clash with. */
static NameSet all_names(Kind kind)
{
    NameSet s = { 0 }, rest = { 0 };
    size_t n, len;
    must(shell("cat pkg/*.c pkg/*.h"));
    FillNames names = fill_names(arena, read_text(in(root, "said"), &n));
    for (const char *id; (id = fill_next_name(&names, &len));)
        add_name(&s, arena_strndup(arena, id, len));
    assert_int_equal(
        shell("cc -std=gnu17 -E -dM " HEADERS "pkg/kernels.c pkg/test_ffffff0x.c pkg/bench_ffffff0x.c pkg/pool.c"), 0);
    for (const char *at = read_text(in(root, "said"), &n); (at = strstr(at, "#define ")); at += len)
        add_name(&s, arena_strndup(arena, at + strlen("#define "), len = fill_ident(at + strlen("#define "))));
    for (size_t i = 0; i < s.n; i++)
        for (const char *at = s.name[i]; strncmp(s.name[i], "tiny_", 5) == 0 && (at = strchr(at, '_'));)
            add_name(&rest, ++at);
    for (size_t i = 0; kind != FUNCTION && i < rest.n; i++)
        add_name(&s, rest.name[i]);
    NameSet *all = kind == FUNCTION ? &rest : &s;
    name_set_sort(all);
    return *all;
}

/* ---- specs ---- */

/* What dcgen says of a spec: in fault[line] where it said something. How many such lines there are. */
static int faults(const char *spec, bool *fault, int nline)
{
    static TargetList targets;
    static const char *const folders[] = { TEMPLATES };
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    int nfault = 0;
    if (!targets.n)
        assert_true(target_read_all(arena, TEMPLATES "/targets", &targets, d));
    const Source src = { "t.cfg", spec, strlen(spec) };
    const SpecFile *f = spec_file_parse(a, &src, folders, 1, d);
    if (f)
        unit_names_check(a, TEMPLATES "/package", false, &targets, f->function, f->nfunction, d);
    memset(fault, 0, (size_t)nline * sizeof *fault);
    char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);
    diag_print(d, out);
    fclose(out);
    for (const char *at = said; (at = strstr(at, "t.cfg:")); at++) {
        const int line = atoi(at + strlen("t.cfg:"));
        assert_in_range(line, 1, nline - 1); /* it has a place */
        nfault += !fault[line];
        fault[line] = true;
    }
    assert_int_equal(diag_nerror(d) > 0, nfault > 0);
    free(said);
    arena_free(a);
    return nfault;
}

/* A spec with each name in a line of its own, the first one in line 2. */
static const char *spec_of(Kind kind, const char *const *name, size_t n)
{
    Text t = { .arena = arena };
    text_add(&t, "name = \"tiny\"; dims = { T = { min = 1; max = 9; }; }; budget = { kernels = 64; }; functions = (");
    for (size_t i = 0; i < n; i++)
        if (kind == FUNCTION)
            text_printf(
                &t, "\n{ name = \"%s\"; op = \"rows\"; shapes = ( { M = \"T\"; N = 5; } ); formula = \"x[m,n]\"; },",
                name[i]);
        else if (kind == OPERAND)
            text_printf(&t,
                        "\n{ name = \"f%zux\"; op = \"batch_matmul\"; shapes = ( { B0 = 1; B1 = 2; M = \"T\"; N = 5; K "
                        "= 6; } ); epilogue = \"acc * %s[n]\"; },",
                        i, name[i]);
        else
            text_printf(&t,
                        "\n{ name = \"f%zux\"; op = \"rows\"; shapes = ( { M = \"T\"; N = 5; %s = 3; } ); formula = "
                        "\"x0[i0[m],n]\"; types = { i0 = \"s32\"; "
                        "}; extents = { x0 = [\"%s\", \"N\"]; }; },",
                        i, name[i], name[i]);
    return arena_printf(arena, "%.*s );\n", (int)t.len - 1, text_str(&t));
}

/* The names that a spec may have, and in *refused how many it may not. */
static NameSet accepted(Kind kind, const NameSet *all, size_t *refused)
{
    enum { SIDE_BY_SIDE = 50 };
    NameSet good = { 0 };
    const size_t ngroup = (all->n + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE;
    bool fault[SIDE_BY_SIDE + 2];
    for (size_t first = 0; first < ngroup; first++) { /* not neighbours: functions may not begin alike */
        const char *name[SIDE_BY_SIDE];
        size_t n = 0;
        for (size_t i = first; i < all->n; i += ngroup)
            name[n++] = all->name[i];
        while (n && faults(spec_of(kind, name, n), fault, SIDE_BY_SIDE + 2)) {
            size_t left = 0;
            for (size_t k = 0; k < n; k++)
                if (fault[k + 2])
                    ++*refused;
                else
                    name[left++] = name[k];
            assert_true(left < n);
            n = left;
        }
        for (size_t k = 0; k < n; k++)
            add_name(&good, name[k]);
    }
    return good;
}

/* ---- compiling ---- */

static bool compiles(const char *const *stand_in, const char *const *name, size_t n)
{
    try_renamed(stand_in, name, n);
    return shell("cd try && cc -std=gnu17 -w -fsyntax-only *.c && echo '#include \"tiny.h\"' >t && cc -x c -std=gnu17 "
                 "-w -fsyntax-only " HEADERS "t && c++ -x c++ -std=c++17 -w -fsyntax-only -include ../cxx.h t") == 0;
}

/* Compiles packages with these names, as many at a time as there are stand-ins. */
static void compile_all(const char *const *stand_in, size_t most, const NameSet *names, size_t step)
{
    size_t said;
    const char *name[8];
    for (size_t i = 0, n = 0; i < names->n; i += step) {
        if (!is_stand_in(names->name[i]))
            name[n++] = names->name[i];
        if (n < most && i + step < names->n)
            continue;
        if (!compiles(stand_in, name, n))
            fail_msg("%s ... %s: %.2000s", name[0], name[n - 1], read_text(in(root, "said"), &said));
        n = 0;
    }
}

/* ---- the tests ---- */

static int setup(void **state)
{
    assert_int_equal(made_up_setup(state), 0);
    put_file(in(root, "tiny.cfg"), spec_text);
    put_file(in(root, "cxx.h"), CXX_HEADERS);
    must(shell("c++ -x c++-header -std=c++17 -w cxx.h")); /* once for all packages */
    must(shell(DCGEN_BINARY_DIR "/dcgen tiny.cfg --fresh --no-report --progress=none -o pkg"));
    return 0;
}

/* A package with operands whose names its code has for something of its own: dcgen verifies it, and its own programs
 * compile. */
static void generate(const NameSet *names)
{
    enum { EACH = 8 };
    Text t = { .arena = arena };
    assert_in_range(names->n, 1, 64);
    text_add(&t, "name = \"tiny\"; target = [\"portable\"]; dims = { T = { min = 1; max = 9; }; }; functions = (");
    for (size_t i = 0, k; i < names->n; i += k) {
        text_printf(
            &t, "%s\n{ name = \"f%zux\"; op = \"rows\"; shapes = ( { M = \"T\"; N = 5; } ); formula = \"softmax[n](",
            i ? "," : "", i);
        for (k = 0; k < EACH && i + k < names->n; k++)
            text_printf(&t, k % 2 ? " + %s[n]" : k ? " + %s[m,n]" : "%s[n,m]", names->name[i + k]);
        text_printf(&t, ") * (%s[n,m] + 1)\"; }", names->name[i]);
    }
    put_file(in(root, "own.cfg"),
             arena_printf(arena, "%s );\ntune = { T = [1, 9]; }; budget = { trials = %zu; seconds = 200; };\n",
                          text_str(&t), (names->n + EACH - 1) / EACH));
    must(shell(DCGEN_BINARY_DIR "/dcgen own.cfg --fresh --no-report --progress=none -o own"));
    must(shell("cd own && cc -std=gnu17 -w -fsyntax-only *.c"));
}

static void every_name(Kind kind, const char *const *stand_in, size_t most)
{
    const NameSet all = all_names(kind);
    size_t refused = 0;
    const NameSet good = accepted(kind, &all, &refused);
    print_message("%zu names, of which %zu are refused\n", all.n, refused);
    assert_in_range(all.n, 60, 10000);
    assert_in_range(refused, 6, all.n - 30);
    NameSet printed[2] = { 0 }; /* as its own name, as another one */
    for (size_t i = 0; i < good.n; i++)
        add_name(&printed[kind == OPERAND && print_is_taken(good.name[i])], good.name[i]);
    compile_all(stand_in, most, &printed[0], 48);
    if (kind == OPERAND)
        generate(&printed[1]);
}

TEST(as_a_function) { every_name(FUNCTION, function, LENGTH(function)); }

TEST(as_an_operand) { every_name(OPERAND, operand, LENGTH(operand)); }

TEST(as_an_extent) { every_name(EXTENT, extent, LENGTH(extent)); }

/* A package has a function for each pass along its rows: 0, 1 and so on. */
TEST(whatever_the_number)
{
    static const char *const name[] = { "begin_0_portable", "end_31_avx2", "begin_more_portable" };
    bool fault[LENGTH(name) + 2];
    faults(spec_of(EXTENT, name, LENGTH(name)), fault, LENGTH(fault));
    assert_true(fault[2] && fault[3] && !fault[4]);
}

TEST_FILE(setup, made_up_teardown)
