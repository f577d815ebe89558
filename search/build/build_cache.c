/* SPDX-License-Identifier: Apache-2.0
 *
 * build_cache: makes keys, reads entries and writes them. What cannot be read or written is counted; the compiler then
 * does the work.
 */
#define _GNU_SOURCE
#include "search/build/build_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/tempdir.h"

static const char MAGIC[] = "dcgen-build 2 ", PREFIX[] = ".dcgen-builds-", SUFFIX[] = ".build";
/* HEAD_CHARS is the length of the first line. */
enum { MAGIC_CHARS = sizeof MAGIC - 1, HASH_CHARS = BUILD_KEY_BYTES - 1, HEAD_CHARS = MAGIC_CHARS + HASH_CHARS + 1 };

struct BuildCache {
    const char *folder;
    TempDir temp; /* path NULL: nothing can be written */
    int problem;  /* the errno that tells why it cannot */
    pthread_mutex_t lock;
    BuildCacheCount count;
    int ntemp; /* temporary files so far, so that each has a name of its own */
};

static void print_hash(XXH128_hash_t h, char *out)
{
    snprintf(out, BUILD_KEY_BYTES, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64, (uint64_t)h.low64);
}

BuildCache *build_cache_open(Arena *a, const char *folder, const char **err)
{
    BuildCache *c = ARENA_NEW(a, BuildCache);
    *c = (BuildCache){ .folder = arena_strdup(a, folder), .lock = PTHREAD_MUTEX_INITIALIZER };
    if (access(arena_printf(a, "%s/.", folder), R_OK | X_OK) != 0) {
        *err = arena_printf(a, "cannot read the folder '%s': %s", folder, strerror(errno));
        return NULL;
    }
    tempdir_sweep(a, folder, PREFIX, NULL, NULL);
    if (!tempdir_make(a, folder, PREFIX, &c->temp)) {
        c->problem = errno;
        c->temp.path = NULL;
    }
    return c;
}

void build_cache_close(BuildCache *c)
{
    if (!c)
        return;
    if (c->temp.path)
        tempdir_remove(&c->temp);
    pthread_mutex_destroy(&c->lock);
}

BuildCacheCount build_cache_count(BuildCache *c)
{
    pthread_mutex_lock(&c->lock);
    const BuildCacheCount count = c->count;
    pthread_mutex_unlock(&c->lock);
    return count;
}

/* Counts one more in *n. The first time copies the text to `first`, if that is not NULL. */
static void count_one(BuildCache *c, int *n, char *first, const char *text)
{
    pthread_mutex_lock(&c->lock);
    if (!(*n)++ && first)
        snprintf(first, BUILD_CACHE_WHY_BYTES, "%s", text);
    pthread_mutex_unlock(&c->lock);
}

/* Adds a part with the NUL at its end, so that no two lists of parts read alike. */
static void add_part(Text *t, const char *part) { text_addn(t, part, strlen(part) + 1); }

void build_cache_key(const Toolchain *tools, const char *version, const char *text, char *key)
{
    Text t = { .arena = arena_new() };
    add_part(&t, MAGIC);
    add_part(&t, version);
    for (int i = 0; tools->flags[i]; i++)
        add_part(&t, tools->flags[i]);
    add_part(&t, tools->source);
    add_part(&t, tools->assembly ? tools->assembly : "");
    add_part(&t, tools->product);
    add_part(&t, text);
    print_hash(XXH3_128bits(t.s, t.len), key);
    arena_free(t.arena);
}

static const char *entry_path(const BuildCache *c, Arena *a, const char *key)
{
    return arena_printf(a, "%s/%s%s", c->folder, key, SUFFIX);
}

typedef struct {
    const char *log, *so;
    size_t log_bytes, so_bytes;
    int64_t code_bytes;
    SpillReport spills;
} CacheEntry;

/* False: the entry is torn, or the file is something else. */
static bool read_entry(const char *text, size_t len, const char *key, CacheEntry *e)
{
    char hash[BUILD_KEY_BYTES], name[BUILD_KEY_BYTES];
    int used = 0;
    if (len < HEAD_CHARS || memcmp(text, MAGIC, MAGIC_CHARS) != 0 || text[HEAD_CHARS - 1] != '\n')
        return false;
    print_hash(XXH3_128bits(text + HEAD_CHARS, len - HEAD_CHARS), hash);
    if (memcmp(hash, text + MAGIC_CHARS, HASH_CHARS) != 0)
        return false;
    const char *head = text + HEAD_CHARS;
    SpillReport *s = &e->spills;
    if (sscanf(head, "%32s %zu %zu %" SCNd64 " %d %d %d %d %d%n", name, &e->so_bytes, &e->log_bytes, &e->code_bytes,
               &s->loops, &s->stored, &s->loaded, &s->multiplications, &s->instructions, &used) != 9 ||
        head[used] != '\n' || strcmp(name, key) != 0)
        return false;
    const size_t left = len - HEAD_CHARS - (size_t)used - 1;
    e->log = head + used + 1;
    e->so = e->log + e->log_bytes;
    return e->log_bytes <= left && left - e->log_bytes == e->so_bytes && e->so_bytes > 0;
}

bool build_cache_get(BuildCache *c, Arena *a, const char *key, const char *so, Build *b)
{
    Arena *scratch = arena_new();
    CacheEntry e;
    size_t len;
    const char *path = entry_path(c, scratch, key), *text = text_read_file(scratch, path, &len);
    const bool whole = text && read_entry(text, len, key, &e), ok = whole && text_write_file(so, e.so, e.so_bytes);
    if (text && !whole)
        count_one(c, &c->count.damaged, c->count.damaged_path, path);
    if (whole && !ok) /* the compiler will meet the same problem, and is what reports it */
        unlink(so);
    if (ok) {
        b->status = STATUS_OK;
        b->so = so;
        b->log = arena_strndup(a, e.log, e.log_bytes);
        b->code_bytes = e.code_bytes;
        b->spills = e.spills;
        count_one(c, &c->count.found, NULL, "");
    }
    arena_free(scratch);
    return ok;
}

static bool write_entry(BuildCache *c, Arena *a, const char *key, const Build *b)
{
    size_t so_bytes;
    const char *so = text_read_file(a, b->so, &so_bytes);
    if (!so || !c->temp.path) {
        errno = so ? c->problem : errno;
        return false;
    }
    pthread_mutex_lock(&c->lock);
    const char *temp = arena_printf(a, "%s/%d", c->temp.path, c->ntemp++);
    pthread_mutex_unlock(&c->lock);
    const SpillReport *s = &b->spills;
    Text t = { .arena = a };
    char hash[BUILD_KEY_BYTES];
    text_printf(&t, "%s%*s\n", MAGIC, HASH_CHARS, ""); /* the hash comes in the place of the blanks */
    text_printf(&t, "%s %zu %zu %" PRId64 " %d %d %d %d %d\n%s", key, so_bytes, strlen(b->log), b->code_bytes, s->loops,
                s->stored, s->loaded, s->multiplications, s->instructions, b->log);
    text_addn(&t, so, so_bytes);
    print_hash(XXH3_128bits(t.s + HEAD_CHARS, t.len - HEAD_CHARS), hash);
    memcpy(t.s + MAGIC_CHARS, hash, HASH_CHARS);
    if (text_write_file(temp, t.s, t.len) && rename(temp, entry_path(c, a, key)) == 0)
        return true;
    const int problem = errno;
    unlink(temp);
    errno = problem;
    return false;
}

void build_cache_put(BuildCache *c, const char *key, const Build *b)
{
    Arena *scratch = arena_new();
    if (write_entry(c, scratch, key, b))
        count_one(c, &c->count.stored, NULL, "");
    else
        count_one(c, &c->count.lost, c->count.lost_why, strerror(errno));
    arena_free(scratch);
}
