/* SPDX-License-Identifier: Apache-2.0
 *
 * Every name that headers of the system know, as the name of a package: it is refused, or the package's header compiles
 * beside all of them, in C and in C++. The names are the compiler's own: all macros and all identifiers of the
 * preprocessed headers, and what stands before an underscore of them; without THOROUGH every 8th of those that pass. Of
 * some, all files of the package are compiled.
 *
 * ctest: thorough label=slow timeout=300
 */
#define _GNU_SOURCE
#include "tests/package/made_up.h"

#include <ctype.h>
#include "gen/base/name.h"
#include "gen/base/name_set.h"

/* The name of the one package that is made; others are its text with another name. */
static const char *const stand_in = "qqqqqqqq";

static const char spec_text[] = "name = \"qqqqqqqq\"; op = \"dense\"; dims = { T = { min = 1; max = 4; }; };\n"
                                "shapes = ( { M = \"T\"; N = 24; K = 16; } ); epilogue = [\"bias\"];\n";

static const char c_headers[] =
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign "
    "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string threads time uchar wchar "
    "wctype aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen "
    "monetary mqueue net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search "
    "semaphore spawn strings sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm "
    "sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname sys/wait "
    "syslog tar termios ulimit unistd utime utmpx wordexp";

static const char cxx_headers[] =
    "algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes "
    "climits clocale cmath complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio "
    "cstdlib cstring ctime cwchar cwctype deque exception filesystem fstream functional future "
    "iomanip iostream iterator limits list locale map memory mutex new numeric optional queue random "
    "ratio regex scoped_allocator set shared_mutex sstream stack stdexcept string string_view "
    "system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility "
    "valarray variant vector";

typedef struct {
    const char *compiler, *suffix; /* of an include: ".h" */
    const char *headers;
} Language;

static const Language languages[] = { { "cc -x c -std=gnu17 -D_GNU_SOURCE -w", ".h", c_headers },
                                      { "c++ -x c++ -std=c++17 -w", "", cxx_headers } };

/* ---- names ---- */

/* Identifiers of a text, and their beginnings before each underscore. */
static void add_words(NameSet *all, const char *s)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (size_t n; *s; s += n + (n == 0)) {
        n = strspn(s, word);
        if (n == 0 || *s == '_' || isdigit((unsigned char)*s))
            continue;
        name_set_add(arena, all, arena_strndup(arena, s, n));
        for (size_t i = 1; i < n; i++)
            if (s[i] == '_')
                name_set_add(arena, all, arena_strndup(arena, s, i));
    }
}

/* The includes of all headers that this compiler has. */
static const char *includes(const Language *l)
{
    Text t = { .arena = arena };
    for (const char *h = l->headers; *h; h += strcspn(h, " "), h += *h == ' ') {
        const char *file = arena_printf(arena, "<%.*s%s>", (int)strcspn(h, " "), h, l->suffix);
        text_printf(&t, "#if __has_include(%s)\n#include %s\n#endif\n", file, file);
    }
    return text_str(&t);
}

static NameSet names_of(const Language *l)
{
    static NameSet found[LENGTH(languages)];
    NameSet all = found[l - languages];
    size_t n;
    if (all.n)
        return all;
    put_file(in(root, "headers"), includes(l));
    must(shell("%s -E -P -dD headers", l->compiler));
    add_words(&all, read_text(in(root, "said"), &n));
    name_set_sort(&all);
    return found[l - languages] = all;
}

/* ---- packages ---- */

static int setup(void **state)
{
    assert_int_equal(made_up_setup(state), 0);
    put_file(in(root, "spec.cfg"), spec_text);
    make_records(in(root, "r.jsonl"), in(root, "spec.cfg"), "avx512", "plain");
    assert_int_equal(shell("%s replay spec.cfg -t avx512 --records r.jsonl -o pkg --no-report", dcgen), 0);
    return 0;
}

/* Would the package of another name that passes have this one for something of its own? Two packages, "group" and
 * "group_exec", cannot be in one program. */
static bool is_part_of_another(const char *header, const char *name)
{
    for (size_t i = 1; name[i]; i++)
        if (name[i] == '_' && !name_package_fault(arena_strndup(arena, name, i)) &&
            strstr(header, arena_printf(arena, "%s%s", stand_in, name + i)))
            return true;
    return false;
}

static void check_language(const Language *l)
{
    const NameSet all = names_of(l);
    size_t n, naccepted = 0;
    const char *header = read_text(in(root, "pkg/qqqqqqqq.h"), &n);
    must(shell("cc -fpreprocessed -dD -E -P pkg/qqqqqqqq.h"));
    const char *bare = read_text(in(root, "said"), &n); /* without its comments */
    Text t = { .arena = arena };
    text_add(&t, includes(l));
    assert_in_range(all.n, 2000, 100000);
    for (size_t i = 0; i < all.n; i++)
        if (!name_package_fault(all.name[i]) && !is_part_of_another(header, all.name[i]) &&
            naccepted++ % (getenv("THOROUGH") ? 1 : 8) == 0) {
            text_printf(&t, "#line 1 \"%s\"\n", all.name[i]);
            text_add(&t, renamed(bare, &stand_in, &all.name[i], 1));
        }
    put_file(in(root, "all"), text_str(&t));
    must(shell("%s -fsyntax-only all", l->compiler));
    print_message("%zu names, of which %zu pass\n", all.n, naccepted);
}

TEST(every_name_in_c) { check_language(&languages[0]); }

/* Few names are C++'s alone, and to read its headers takes long. */
TEST(every_name_in_cxx)
{
    if (!getenv("THOROUGH"))
        skip();
    check_language(&languages[1]);
}

/* Whole packages of some that pass; those that the op's own files use are refused when they are read. */
TEST(some_packages)
{
    const NameSet all = names_of(&languages[0]);
    size_t n;
    int tried = 0;
    for (size_t i = 0; i < all.n; i += all.n / 6) {
        while (i < all.n && name_package_fault(all.name[i]))
            i++;
        if (i == all.n)
            break;
        put_file(in(root, "this.cfg"), renamed(spec_text, &stand_in, &all.name[i], 1));
        if (shell("%s check this.cfg -t avx512", dcgen) == 2)
            continue;
        try_renamed(&stand_in, &all.name[i], 1);
        if (shell("cd try && cc -std=gnu11 -w -fsyntax-only *.c") != 0)
            fail_msg("%s: %.1000s", all.name[i], read_text(in(root, "said"), &n));
        tried++;
    }
    assert_in_range(tried, 2, 20);
}

TEST_FILE(setup, made_up_teardown)
