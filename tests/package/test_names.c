/* SPDX-License-Identifier: Apache-2.0
 *
 * Every name that headers of the system know, as the name of a package: it is refused, or the package's header compiles beside all of
 * them, in C and in C++. The names are the compiler's own: all macros and all identifiers of the preprocessed headers, and what stands
 * before an underscore of them. Of some that pass, all files of the package are compiled.
 *
 * ctest: timeout=300
 */
#define _GNU_SOURCE
#include "tests/package/made_up.h"

#include <ctype.h>
#include "gen/base/name.h"

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const char STAND_IN[] =
    "qqqqqqqq"; /* the name of the one package that is made; others are its text with another name */

static const char spec_text[] = "name = \"qqqqqqqq\"; op = \"dense\"; dims = { T = { min = 1; max = 4; }; };\n"
                                "shapes = ( { M = \"T\"; N = 24; K = 16; } ); epilogue = [\"bias\"];\n";

static const char *const c_headers[] = {
    "assert",   "complex",     "ctype",    "errno",       "fenv",     "float",        "inttypes",   "iso646",
    "limits",   "locale",      "math",     "setjmp",      "signal",   "stdalign",     "stdarg",     "stdatomic",
    "stdbool",  "stddef",      "stdint",   "stdio",       "stdlib",   "stdnoreturn",  "string",     "threads",
    "time",     "uchar",       "wchar",    "wctype",      "aio",      "arpa/inet",    "cpio",       "dirent",
    "dlfcn",    "fcntl",       "fmtmsg",   "fnmatch",     "ftw",      "glob",         "grp",        "iconv",
    "langinfo", "libgen",      "monetary", "mqueue",      "net/if",   "netdb",        "netinet/in", "netinet/tcp",
    "nl_types", "poll",        "pthread",  "pwd",         "regex",    "sched",        "search",     "semaphore",
    "spawn",    "strings",     "sys/ipc",  "sys/mman",    "sys/msg",  "sys/resource", "sys/select", "sys/sem",
    "sys/shm",  "sys/socket",  "sys/stat", "sys/statvfs", "sys/time", "sys/times",    "sys/types",  "sys/uio",
    "sys/un",   "sys/utsname", "sys/wait", "syslog",      "tar",      "termios",      "ulimit",     "unistd",
    "utime",    "utmpx",       "wordexp"
};

static const char *const cxx_headers[] = { "algorithm",     "any",
                                           "array",         "atomic",
                                           "bitset",        "cassert",
                                           "cctype",        "cerrno",
                                           "cfenv",         "cfloat",
                                           "charconv",      "chrono",
                                           "cinttypes",     "climits",
                                           "clocale",       "cmath",
                                           "complex",       "condition_variable",
                                           "csetjmp",       "csignal",
                                           "cstdarg",       "cstddef",
                                           "cstdint",       "cstdio",
                                           "cstdlib",       "cstring",
                                           "ctime",         "cwchar",
                                           "cwctype",       "deque",
                                           "exception",     "filesystem",
                                           "fstream",       "functional",
                                           "future",        "iomanip",
                                           "iostream",      "iterator",
                                           "limits",        "list",
                                           "locale",        "map",
                                           "memory",        "mutex",
                                           "new",           "numeric",
                                           "optional",      "queue",
                                           "random",        "ratio",
                                           "regex",         "scoped_allocator",
                                           "set",           "shared_mutex",
                                           "sstream",       "stack",
                                           "stdexcept",     "string",
                                           "string_view",   "system_error",
                                           "thread",        "tuple",
                                           "type_traits",   "typeindex",
                                           "typeinfo",      "unordered_map",
                                           "unordered_set", "utility",
                                           "valarray",      "variant",
                                           "vector" };

typedef struct {
    const char *compiler, *suffix; /* of an include: ".h" */
    const char *const *header;
    size_t nheader;
} Language;

static const Language languages[] = { { "cc -x c -std=gnu17 -D_GNU_SOURCE -w", ".h", c_headers, LENGTH(c_headers) },
                                      { "c++ -x c++ -std=c++17 -w", "", cxx_headers, LENGTH(cxx_headers) } };

/* ---- names ---- */

typedef struct {
    const char **name;
    size_t n, cap;
} NameSet;

static void add_name(NameSet *all, const char *s, size_t n)
{
    if (all->n == all->cap) {
        all->name = arena_grow(arena, all->name, all->cap, 2 * all->cap + 1024, sizeof *all->name);
        all->cap = 2 * all->cap + 1024;
    }
    all->name[all->n++] = arena_strndup(arena, s, n);
}

static int by_bytes(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }

static void sort_once(NameSet *all)
{
    size_t n = 0;
    qsort(all->name, all->n, sizeof *all->name, by_bytes);
    for (size_t i = 0; i < all->n; i++)
        if (i == 0 || strcmp(all->name[i], all->name[n - 1]) != 0)
            all->name[n++] = all->name[i];
    all->n = n;
}

/* Identifiers of a text, and their beginnings before each underscore. */
static void add_words(NameSet *all, const char *s)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (size_t n; *s; s += n + (n == 0)) {
        n = strspn(s, word);
        if (n == 0 || *s == '_' || isdigit((unsigned char)*s))
            continue;
        add_name(all, s, n);
        for (size_t i = 1; i < n; i++)
            if (s[i] == '_')
                add_name(all, s, i);
    }
}

/* The includes of all headers that this compiler has. */
static const char *includes(const Language *l)
{
    Text t = { .arena = arena };
    for (size_t i = 0; i < l->nheader; i++)
        text_printf(&t, "#if __has_include(<%s%s>)\n#include <%s%s>\n#endif\n", l->header[i], l->suffix, l->header[i],
                    l->suffix);
    return text_str(&t);
}

static NameSet names_of(const Language *l)
{
    NameSet all = { 0 };
    size_t n;
    put_file(in(root, "headers"), includes(l));
    for (int macros = 0; macros < 2; macros++) {
        assert_int_equal(shell("%s -E %s headers", l->compiler, macros ? "-dM" : "-P"), 0);
        add_words(&all, read_text(in(root, "said"), &n));
    }
    sort_once(&all);
    return all;
}

/* ---- packages ---- */

/* The text with `name` wherever the stand-in is. */
static void add_renamed(Text *t, const char *text, const char *name)
{
    for (const char *at; (at = strstr(text, STAND_IN)); text = at + strlen(STAND_IN)) {
        text_addn(t, text, (size_t)(at - text));
        text_add(t, name);
    }
    text_add(t, text);
}

static int setup(void **state)
{
    assert_int_equal(made_up_setup(state), 0);
    put_file(in(root, "spec.cfg"), spec_text);
    make_records(in(root, "r.jsonl"), in(root, "spec.cfg"), "avx512", "plain");
    assert_int_equal(shell("%s replay spec.cfg -t avx512 --records r.jsonl -o pkg --no-report", dcgen), 0);
    return 0;
}

/* Would the package of another name that passes have this one for something of its own? Two packages, "group" and "group_exec", cannot be in
 * one program. */
static bool is_part_of_another(const char *header, const char *name)
{
    for (size_t i = 1; name[i]; i++)
        if (name[i] == '_' && !name_package_fault(arena_strndup(arena, name, i)) &&
            strstr(header, arena_printf(arena, "%s%s", STAND_IN, name + i)))
            return true;
    return false;
}

static void check_language(const Language *l)
{
    const NameSet all = names_of(l);
    size_t n, naccepted = 0;
    const char *header = read_text(in(root, "pkg/qqqqqqqq.h"), &n);
    Text t = { .arena = arena };
    text_add(&t, includes(l));
    assert_in_range(all.n, 2000, 100000);
    for (size_t i = 0; i < all.n; i++)
        if (!name_package_fault(all.name[i]) && !is_part_of_another(header, all.name[i])) {
            text_printf(&t, "#line 1 \"%s\"\n", all.name[i]);
            add_renamed(&t, header, all.name[i]);
            naccepted++;
        }
    put_file(in(root, "all"), text_str(&t));
    must(shell("%s -fsyntax-only all", l->compiler));
    print_message("%zu names, of which %zu pass\n", all.n, naccepted);
}

TEST(every_name_in_c) { check_language(&languages[0]); }

TEST(every_name_in_cxx) { check_language(&languages[1]); }

/* Whole packages of some that pass; those that the op's own files use are refused when they are read. */
TEST(some_packages)
{
    static const char *const source[] = { "kernels.c", "pool.c", "test.c", "bench.c" }, *const local[] = { "dispatch.h",
                                                                                                           "pieces.h" };
    const NameSet all = names_of(&languages[0]);
    const size_t step = all.n / 16;
    size_t n;
    int tried = 0;
    (void)state;
    for (size_t i = 0; i < all.n; i++) {
        if (i % step || name_package_fault(all.name[i]))
            i += i % step != 0 ? step - i % step - 1 : 0;
        while (i < all.n && name_package_fault(all.name[i]))
            i++;
        if (i == all.n)
            break;
        const char *name = all.name[i], *folder = in(root, name);
        Text spec = { .arena = arena };
        add_renamed(&spec, spec_text, name);
        put_file(in(root, "this.cfg"), text_str(&spec));
        if (shell("%s check this.cfg -t avx512", dcgen) == 2)
            continue;
        assert_int_equal(shell("mkdir %s", folder), 0);
        for (size_t k = 0; k < LENGTH(source) + LENGTH(local) + 2; k++) {
            const char *const own[] = { "qqqqqqqq.h", "qqqqqqqq_pool.h" };
            const char *from = k < 4 ? source[k] : k < 6 ? local[k - 4] : own[k - 6];
            Text t = { .arena = arena }, to = { .arena = arena };
            add_renamed(&t, read_text(in(in(root, "pkg"), from), &n), name);
            add_renamed(&to, from, name);
            put_file(in(folder, text_str(&to)), text_str(&t));
        }
        if (shell("cd %s && cc -std=gnu11 -w -fsyntax-only kernels.c pool.c test.c bench.c", folder) != 0)
            fail_msg("%s: %.1000s", name, read_text(in(root, "said"), &n));
        tried++;
    }
    assert_in_range(tried, 4, 20);
}

TEST_FILE(setup, made_up_teardown)
