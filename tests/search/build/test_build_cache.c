/* SPDX-License-Identifier: Apache-2.0
 *
 * build_cache: what was compiled is not compiled again, whatever is wrong with an entry costs that entry, and the name
 * of an entry tells all that it depends on.
 */
#include "tests/test.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "gen/base/text.h"
#include "search/build/build_cache.h"
#include "tests/search/build/build_place.h"

static const char *dir, *log_path; /* of the cache; a line for each time that the compiler ran */

static int make_folder(void **state)
{
    if (set_up(state) != 0)
        return -1;
    dir = arena_printf(w->a, "%s/cache", w->folder);
    log_path = arena_printf(w->a, "%s/log", w->folder);
    return mkdir(dir, 0700);
}

static int drop_folder(void **state)
{
    char command[2 * TMP_FOLDER_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'/*", w->folder);
    return system(command) | tear_down(state);
}

static BuildCache *open_cache(void)
{
    const char *err = NULL;
    BuildCache *c = build_cache_open(w->a, dir, &err);
    if (!c)
        fail_msg("%s", err);
    return c;
}

/* gcc that leaves a line in the log for each source. */
static const char *logging_compiler(void)
{
    const char *path = arena_printf(w->a, "%s/cc", w->folder);
    put_program(path, arena_printf(w->a,
                                   "#!/bin/sh\nfor last; do :; done\ncase $last in *.c) echo \"$last\" >>%s ;; esac\n"
                                   "exec gcc \"$@\"\n",
                                   log_path));
    return path;
}

static int ncompiled(void)
{
    size_t len;
    const char *text = text_read_file(w->a, log_path, &len);
    int n = 0;
    for (; text && *text; text++)
        n += *text == '\n';
    return n;
}

static Builder *new_caching_builder(BuildCache *c)
{
    const char *err = NULL;
    Toolchain tools = toolchain_c(w->a, logging_compiler(), flags);
    assert_true(tools.portable);
    tools.cache = c;
    Builder *b = builder_new(w->a, &tools, 2, 60, NULL, &err);
    if (!b)
        fail_msg("%s", err);
    return b;
}

/* How many files of any kind the cache has. */
static int nentry(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static const char *entry_of(const char *key) { return arena_printf(w->a, "%s/%s.build", dir, key); }

static void write_file(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && text_write(fd, text, len));
    assert_int_equal(close(fd), 0);
}

/* Another builder, as another run has it: nothing is compiled but what is new, not even the empty text; results are the
 * same. */
TEST(what_was_built_is_found)
{
    Build first[3] = { { .name = "one", .text = add_text },
                       { .name = "bad", .text = "int = ;" },
                       { .name = "two", .text = "int two(int x) { return x * x; }\n" } };
    for (int run = 0; run < 2; run++) {
        BuildCache *c = open_cache();
        Builder *b = new_caching_builder(c);
        Build now[3] = { { .name = run ? "other" : "one", .text = add_text }, first[1], first[2] };
        const int before = ncompiled();
        build_all(b, w->a, now, 3, NULL);
        assert_int_equal(now[0].status, STATUS_OK);
        assert_int_equal(now[1].status, STATUS_BUILD_FAILED);
        assert_int_equal(now[2].status, STATUS_OK);
        assert_string_equal(now[0].log, "");
        assert_int_equal(access(now[0].so, R_OK), 0);
        assert_non_null(strstr(now[0].so, run ? "/other.so" : "/one.so"));
        /* What fails is compiled again, and the empty text beside it, as it tells whether the compiler works. */
        assert_int_equal(ncompiled() - before, run ? 2 : 4);
        if (run) {
            assert_int_equal(now[0].code_bytes, first[0].code_bytes);
            assert_int_equal(now[0].spills.loops, first[0].spills.loops);
        }
        const BuildCacheCount n = build_cache_count(c);
        assert_int_equal(n.found, run ? 3 : 0); /* the empty text too */
        assert_int_equal(n.stored, run ? 0 : 3);
        assert_int_equal(n.damaged + n.lost, 0);
        first[0] = now[0];
        builder_free(b);
        build_cache_close(c);
        assert_int_equal(nentry(), 3);
    }
}

TEST(the_name_tells_what_it_depends_on)
{
    static const char *const more[] = { "-O2", "-g", NULL }, *const joined[] = { "-O2-g", NULL };
    char key[9][BUILD_KEY_BYTES];
    const Toolchain t = { .program = "/a/cc", .flags = flags, .source = ".c", .product = ".so" };
    Toolchain other[6] = { t, t, t, t, t, t };
    other[0].flags = more;
    other[1].flags = joined;
    other[2].source = ".cu";
    other[3].product = ".cubin";
    other[4].assembly = ".s";
    other[5].program = "/b/cc"; /* where it lies does not matter */
    build_cache_key(&t, "1.0", add_text, key[0]);
    for (int i = 0; i < 6; i++)
        build_cache_key(&other[i], "1.0", add_text, key[i + 1]);
    build_cache_key(&t, "1.1", add_text, key[7]);
    build_cache_key(&t, "1.0", "int x;", key[8]);
    assert_string_equal(key[0], key[6]);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < i; k++)
            if (i != 6)
                assert_string_not_equal(key[i], key[k]);
    assert_int_equal(strlen(key[0]), BUILD_KEY_BYTES - 1);
}

/* An entry of a product that is no object: a text will do. */
static void put(BuildCache *c, const char *key, const char *product, const char *log)
{
    const char *so = arena_printf(w->a, "%s/product", w->folder);
    write_file(so, product, strlen(product));
    const Build b = { .so = so, .log = log, .code_bytes = 1234, .spills = { 2, 3, 4, 5, .instructions = 6 } };
    build_cache_put(c, key, &b);
}

static bool get(BuildCache *c, const char *key, Build *b)
{
    *b = (Build){ 0 };
    return build_cache_get(c, w->a, key, arena_printf(w->a, "%s/got", w->folder), b);
}

static const char key_one[] = "00112233445566778899aabbccddeeff", key_two[] = "10112233445566778899aabbccddeeff";

TEST(all_of_a_build_is_kept)
{
    BuildCache *c = open_cache();
    Build b;
    size_t len;
    assert_false(get(c, key_one, &b));
    put(c, key_one, "product", "ptxas info : Used 40 registers\n\nnext\n");
    put(c, key_one, "product", "ptxas info : Used 40 registers\n\nnext\n"); /* as two runs at a time do */
    assert_true(get(c, key_one, &b));
    assert_string_equal(b.log, "ptxas info : Used 40 registers\n\nnext\n");
    assert_string_equal(text_read_file(w->a, b.so, &len), "product");
    assert_int_equal(len, 7);
    assert_int_equal(b.code_bytes, 1234);
    assert_true(b.spills.loops == 2 && b.spills.stored == 3 && b.spills.loaded == 4 && b.spills.multiplications == 5);
    assert_int_equal(b.spills.instructions, 6);
    assert_int_equal(b.status, STATUS_OK);
    build_cache_close(c);
}

/* Every cut and every changed byte is seen; the next build takes its place. So is a good entry under another's name. */
TEST(what_is_damaged_is_built_anew)
{
    BuildCache *c = open_cache();
    Build b;
    size_t len;
    int ndamaged = 0;
    put(c, key_one, "product", "log");
    char *good = text_read_file(w->a, entry_of(key_one), &len);
    for (size_t i = 0; i < len; i++, ndamaged += 2) {
        write_file(entry_of(key_one), good, i);
        assert_false(get(c, key_one, &b));
        char *changed = arena_strndup(w->a, good, len);
        changed[i] ^= 1;
        write_file(entry_of(key_one), changed, len);
        assert_false(get(c, key_one, &b));
    }
    write_file(entry_of(key_two), good, len);
    assert_false(get(c, key_two, &b));
    write_file(entry_of(key_one), arena_printf(w->a, "%.*sx", (int)len, good), len + 1);
    assert_false(get(c, key_one, &b));
    assert_int_equal(build_cache_count(c).damaged, ndamaged + 2);
    assert_string_equal(build_cache_count(c).damaged_path, entry_of(key_one));
    put(c, key_one, "product", "log");
    assert_true(get(c, key_one, &b));
    build_cache_close(c);
}

/* A disk without room costs entries, not builds; nothing torn is left. */
TEST(a_full_disk_costs_the_entry)
{
    BuildCache *c = open_cache();
    char *large = arena_alloc(w->a, 200001);
    memset(large, 'x', 200000);
    struct rlimit was, small = { 100000, 0 };
    Build b;
    put(c, key_one, large, "log");
    assert_int_equal(unlink(entry_of(key_one)), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small.rlim_max = was.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Build made = { .so = arena_printf(w->a, "%s/product", w->folder), .log = "log" };
    build_cache_put(c, key_one, &made);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(build_cache_count(c).lost, 1);
    assert_string_equal(build_cache_count(c).lost_why, "File too large");
    assert_false(get(c, key_one, &b));
    assert_int_equal(build_cache_count(c).damaged, 0);
    build_cache_close(c);
    assert_int_equal(nentry(), 0);
}

/* What can be read is used, though nothing can be stored. */
TEST(a_folder_for_reading_alone)
{
    BuildCache *c = open_cache();
    Build b;
    put(c, key_one, "product", "log");
    build_cache_close(c);
    const char *err = NULL;
    if (geteuid() ==
        /* rights do not bind this user: a file in the place of the temporary folder's parent cannot be made here */
        0) {
        dir = arena_printf(w->a, "%s/none", w->folder);
        assert_null(build_cache_open(w->a, dir, &err));
        assert_non_null(strstr(err, "No such file or directory"));
        return;
    }
    assert_int_equal(chmod(dir, 0500), 0);
    c = open_cache();
    assert_true(get(c, key_one, &b));
    put(c, key_two, "product", "log");
    assert_int_equal(build_cache_count(c).lost, 1);
    assert_string_equal(build_cache_count(c).lost_why, "Permission denied");
    build_cache_close(c);
    assert_int_equal(chmod(dir, 0700), 0);
}

/* A run that is killed leaves a temporary folder; the next one removes it. */
TEST(after_a_kill)
{
    const pid_t pid = fork();
    if (pid == 0) {
        BuildCache *c = open_cache();
        put(c, key_one, "product", "log");
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(nentry(), 2);
    build_cache_close(open_cache());
    assert_int_equal(nentry(), 1);
}

TEST_EACH(make_folder, drop_folder)
