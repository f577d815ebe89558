/* SPDX-License-Identifier: Apache-2.0
 *
 * record, the file: torn ends, locks, full disks, rights, files that are something else.
 */
#include "tests/search/record/record_place.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- torn ends ---- */

TEST(torn_at_every_byte)
{
    put_records(4);
    size_t n;
    char *whole = contents(&n);
    size_t ends[6], nend = 0;
    for (size_t i = 0; i < n; i++)
        if (whole[i] == '\n')
            ends[nend++] = i + 1;
    assert_int_equal(nend, 6);
    for (size_t cut = ends[3]; cut <= n; cut++) {
        size_t nwhole = 4; /* lines that are there, but perhaps for the last newline */
        while (nwhole < nend && ends[nwhole] - 1 <= cut)
            nwhole++;
        bool torn = cut > ends[nwhole - 1];
        put_bytes(whole, cut);
        RecordFile *f = must_open();
        assert_int_equal(record_all(f)->nmeasure, nwhole - 2);
        assert_int_equal(record_all(f)->nignored, torn);
        assert_int_equal(strstr(p->warnings, "torn") != NULL, torn);
        assert_int_equal(*p->warnings != '\0', torn);
        MeasureRecord m = a_measure(9);
        assert_true(record_add_measure(f, &m, &p->err));
        assert_true(record_add_measure(f, &m, &p->err));
        record_close(f);
        Records r = must_read();
        assert_string_equal(p->warnings, "");
        assert_int_equal(r.nmeasure, nwhole);
        assert_int_equal(r.measure[nwhole - 1].extent[0], 160);
        assert_memory_equal(contents(NULL), whole, ends[nwhole - 1]);
    }
}

/* Reading alone changes nothing, and a torn end stays until there is something to append. */
TEST(a_torn_end_is_cut_only_by_appending)
{
    size_t n;
    put("{\"v\":1,\"type\":\"dev");
    Records r = must_read();
    assert_int_equal(r.nignored, 1);
    assert_contains(p->warnings, "r.jsonl:1: warning: the last line is torn");
    record_close(must_open());
    contents(&n);
    assert_int_equal(n, 18);
    put_records(1);
    r = must_read();
    assert_string_equal(p->warnings, "");
    assert_int_equal(r.nmeasure, 1);
}

TEST(zeros_after_a_power_loss_are_cut)
{
    put_records(2);
    size_t n;
    char *whole = contents(&n), *padded = arena_alloc(p->a, n + 300);
    memcpy(padded, whole, n);
    put_bytes(padded, n + 300);
    RecordFile *f = must_open();
    assert_int_equal(record_all(f)->nmeasure, 2);
    add_all(f, 1);
    record_close(f);
    Records r = must_read();
    assert_int_equal(r.nignored, 0);
    assert_int_equal(r.nmeasure, 3);
}

/* ---- what is not ours ---- */

TEST(another_file_is_left_alone)
{
    static const char *const files[] = {
        "my diary, without a newline",
        "name = \"bert\";\n",
        "{\"a\":1}\n{\"b\":2}\n",
        "\x7f"
        "ELF\x02\x01\x01",
        "[1,2]\n",
        "{\"version\":1",
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        put(files[i]);
        assert_null(open_with_warnings());
        assert_contains(p->err, "r.jsonl: not a record file");
        assert_string_equal(contents(NULL), files[i]);
    }
    put("\n \r\n");
    record_close(must_open());
}

TEST(another_schema_is_ignored)
{
    put("{\"v\":2,\"type\":\"measure\",\"anything\":[1]}\n{\"v\":0}\n{\"v\":99,\"type\":7}");
    RecordFile *f = must_open();
    assert_int_equal(record_all(f)->nignored, 3);
    assert_contains(p->warnings, "3 lines of another schema version ignored");
    add_all(f, 1);
    record_close(f);
    Records r = must_read();
    assert_int_equal(r.nignored, 3);
    assert_int_equal(r.nmeasure, 1);
}

TEST(unknown_members_are_allowed)
{
    put(quoted("{'later':{'x':[1]},'v':1,'type':'measure','key':'k','device':'d','extent':[1],'threads':1,"
               "'status':'ok','ns':[5,7.5],'max_err':0,'final':true,'why':''}\r\n\n"));
    Records r = must_read();
    assert_string_equal(p->warnings, "");
    assert_int_equal(r.nmeasure, 1);
    assert_true(r.measure[0].median_ns == 6.25 && r.measure[0].final);
}

/* ---- the system around ---- */

TEST(a_lock_names_its_holder)
{
    int ready[2], done[2];
    char c = 0;
    assert_int_equal(pipe(ready) | pipe(done), 0);
    pid_t pid = fork();
    if (pid == 0) {
        RecordFile *f = record_open(p->a, p->path, NULL, &p->err);
        close(done[1]);
        (void)!write(ready[1], "x", 1);
        (void)!read(done[0], &c, 1);
        record_close(f);
        _exit(f ? 0 : 1);
    }
    close(done[0]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_null(open_with_warnings());
    assert_contains(p->err, arena_printf(p->a, "r.jsonl is in use by process %d", (int)pid));
    must_read(); /* reading needs no lock */
    int status;
    close(done[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    RecordFile *f = must_open(), *again = open_with_warnings();
    assert_null(again); /* nor may this process open it twice */
    assert_contains(p->err, "is in use");
    record_close(f);
    record_close(must_open());
    close(ready[0]);
    close(ready[1]);
}

/* Runs `body` in a child, where limits and rights can be given up; fails when an assertion in it does. */
static void in_child(void (*body)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

#define CHILD_ASSERT(condition)                                             \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

/* At every size that a file may be limited to, what is whole stays and what is not goes. */
static void fill_the_disk(void)
{
    signal(SIGXFSZ, SIG_IGN);
    struct stat st;
    RecordFile *f = record_open(p->a, p->path, NULL, &p->err);
    CHILD_ASSERT(f && stat(p->path, &st) == 0);
    for (rlim_t more = 0; more < 350; more += 7) {
        int64_t before = record_all(f)->nmeasure;
        MeasureRecord m = a_measure(1);
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = (rlim_t)st.st_size + more;
        CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        p->err = NULL;
        bool ok = record_add_measure(f, &m, &p->err);
        off_t size = st.st_size;
        CHILD_ASSERT(stat(p->path, &st) == 0);
        if (ok) {
            CHILD_ASSERT(st.st_size > size && record_all(f)->nmeasure == before + 1);
            break;
        }
        CHILD_ASSERT(st.st_size == size);
        CHILD_ASSERT(strstr(p->err, "r.jsonl: ") && strstr(p->err, strerror(EFBIG)));
        CHILD_ASSERT(record_all(f)->nmeasure == before);
    }
    record_close(f);
}

TEST(a_full_disk_leaves_whole_lines)
{
    put_records(3);
    in_child(fill_the_disk);
    Records r = must_read();
    assert_string_equal(p->warnings, "");
    assert_int_equal(r.nmeasure, 4);
}

static void fill_behind_a_missing_newline(void)
{
    signal(SIGXFSZ, SIG_IGN);
    struct stat st;
    RecordFile *f = record_open(p->a, p->path, NULL, &p->err);
    CHILD_ASSERT(f && stat(p->path, &st) == 0);
    struct rlimit limit = { .rlim_cur = (rlim_t)st.st_size + 50, .rlim_max = RLIM_INFINITY };
    CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    MeasureRecord m = a_measure(1);
    CHILD_ASSERT(!record_add_measure(f, &m, &p->err));
    limit.rlim_cur = RLIM_INFINITY;
    CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHILD_ASSERT(record_add_measure(f, &m, &p->err));
    record_close(f);
}

TEST(a_full_disk_behind_a_missing_newline)
{
    put(quoted(good_lines[2]));
    in_child(fill_behind_a_missing_newline);
    Records r = must_read();
    assert_string_equal(p->warnings, "");
    assert_int_equal(r.nmeasure, 2);
}

static void open_without_rights(void)
{
    if (geteuid() == 0)
        CHILD_ASSERT(setgid(65534) == 0 && setuid(65534) == 0);
    CHILD_ASSERT(!record_open(p->a, p->path, NULL, &p->err));
    CHILD_ASSERT(strstr(p->err, "r.jsonl: ") && strstr(p->err, strerror(EACCES)));
    Records r;
    CHILD_ASSERT(record_read(p->a, p->path, &r, NULL, &p->err));
    CHILD_ASSERT(r.nmeasure == 1);
}

TEST(a_read_only_file_can_be_read)
{
    put(quoted(good_lines[2]));
    assert_int_equal(chmod(p->path, 0444) | chmod(p->dir, 0555), 0);
    in_child(open_without_rights);
    assert_int_equal(chmod(p->dir, 0755), 0);
}

TEST(paths_that_cannot_be_opened)
{
    Records r;
    const char *err = NULL, *missing = arena_printf(p->a, "%s/none/r.jsonl", p->dir);
    assert_null(record_open(p->a, missing, NULL, &err));
    assert_contains(err, strerror(ENOENT));
    assert_false(record_read(p->a, missing, &r, NULL, &err));
    assert_contains(err, missing);
    assert_false(record_read(p->a, p->dir, &r, NULL, &err));
    assert_contains(err, "not a regular file");
    assert_null(record_open(p->a, p->dir, NULL, &err));
    assert_null(record_open(p->a, "/dev/full", NULL, &err));
    assert_string_equal(err, "/dev/full: not a regular file");
    assert_int_equal(mkfifo(p->path, 0600), 0);
    assert_null(record_open(p->a, p->path, NULL, &err)); /* and does not wait for a writer */
    assert_contains(err, "not a regular file");
    assert_false(record_read(p->a, p->path, &r, NULL, &err));
    assert_contains(err, "not a regular file");
    assert_false(record_check(p->a, p->path, &err));
    assert_true(record_check(p->a, missing, &err)); /* it may be made */
    assert_false(record_read(p->a, "/dev/null", &r, NULL, &err));
    assert_string_equal(err, "/dev/null: not a regular file");
    assert_int_equal(r.nmeasure, 0);
    record_close(NULL);
}

TEST_EACH(setup, teardown)
