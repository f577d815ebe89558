/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "search/build/build_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/tempdir.h"
#include "gen/base/text.h"

static const char MAGIC[] = "dcgen-build 1 ", PREFIX[] = ".dcgen-builds-", SUFFIX[] = ".build";
enum { HASH_CHARS = BUILD_KEY_BYTES - 1, HEAD_MAX = 256, MAGIC_CHARS = sizeof MAGIC - 1 };

struct BuildCache {
    const char *folder;
    TempDir temp; /* path NULL: nothing can be written */
    int why;      /* errno of that */
    pthread_mutex_t lock;
    BuildCacheCount count;
    int n; /* of temporary files, so that each has a name of its own */
};

static void hash_text(XXH128_hash_t h, char *out)
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
        c->why = errno;
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

/* Each part with its end, so that no two lists of parts read alike. */
static void add_part(XXH3_state_t *h, const char *part) { XXH3_128bits_update(h, part, strlen(part) + 1); }

void build_cache_key(const Toolchain *t, const char *version, const char *text, char *key)
{
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        abort();
    XXH3_128bits_reset(h);
    add_part(h, MAGIC);
    add_part(h, version);
    for (int i = 0; t->flags[i]; i++)
        add_part(h, t->flags[i]);
    add_part(h, t->source);
    add_part(h, t->assembly ? t->assembly : "");
    add_part(h, t->product);
    add_part(h, text);
    hash_text(XXH3_128bits_digest(h), key);
    XXH3_freeState(h);
}

static const char *entry_path(const BuildCache *c, Arena *a, const char *key)
{
    return arena_printf(a, "%s/%s%s", c->folder, key, SUFFIX);
}

/* ---- reading ---- */

typedef struct {
    const char *log, *so;
    size_t log_bytes, so_bytes;
    int64_t code_bytes;
    SpillReport spills;
} Entry;

/* False: it is torn, or something else. */
static bool read_entry(const char *text, size_t len, const char *key, Entry *e)
{
    char hash[BUILD_KEY_BYTES], name[BUILD_KEY_BYTES];
    int used = 0;
    const size_t start = MAGIC_CHARS + HASH_CHARS + 1;
    if (len < start || memcmp(text, MAGIC, MAGIC_CHARS) != 0 || text[start - 1] != '\n')
        return false;
    hash_text(XXH3_128bits(text + start, len - start), hash);
    if (memcmp(hash, text + MAGIC_CHARS, HASH_CHARS) != 0)
        return false;
    const char *head = text + start;
    SpillReport *s = &e->spills;
    if (sscanf(head, "%32s %zu %zu %" SCNd64 " %d %d %d %d%n", name, &e->so_bytes, &e->log_bytes, &e->code_bytes,
               &s->loops, &s->stored, &s->loaded, &s->multiplications, &used) != 8 ||
        head[used] != '\n' || strcmp(name, key) != 0)
        return false;
    const size_t rest = len - start - (size_t)used - 1;
    e->log = head + used + 1;
    e->so = e->log + e->log_bytes;
    return e->log_bytes <= rest && rest - e->log_bytes == e->so_bytes && e->so_bytes > 0;
}

static bool write_whole(const char *path, const char *const *part, const size_t *len, int n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0;
    for (int i = 0; i < n && ok; i++)
        ok = text_write(fd, part[i], len[i]);
    int problem = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        problem = errno;
        ok = false;
    }
    errno = problem;
    return ok;
}

static void count_damaged(BuildCache *c, const char *path)
{
    pthread_mutex_lock(&c->lock);
    if (!c->count.damaged++)
        snprintf(c->count.damaged_path, sizeof c->count.damaged_path, "%s", path);
    pthread_mutex_unlock(&c->lock);
}

bool build_cache_get(BuildCache *c, Arena *a, const char *key, const char *so, Build *b)
{
    Arena *scratch = arena_new();
    Entry e;
    size_t len;
    const char *path = entry_path(c, scratch, key), *text = text_read_file(scratch, path, &len);
    bool ok = text && read_entry(text, len, key, &e);
    if (text && !ok)
        count_damaged(c, path);
    if (ok && !write_whole(so, &e.so, &e.so_bytes, 1)) { /* then the compiler meets the same, and is told by it */
        unlink(so);
        ok = false;
    }
    if (ok) {
        b->status = STATUS_OK;
        b->so = so;
        b->log = arena_strndup(a, e.log, e.log_bytes);
        b->code_bytes = e.code_bytes;
        b->spills = e.spills;
        b->found = true;
        pthread_mutex_lock(&c->lock);
        c->count.found++;
        pthread_mutex_unlock(&c->lock);
    }
    arena_free(scratch);
    return ok;
}

/* ---- writing ---- */

static void count_stored(BuildCache *c, bool stored, int problem)
{
    pthread_mutex_lock(&c->lock);
    c->count.stored += stored;
    if (!stored && !c->count.lost++)
        snprintf(c->count.lost_why, sizeof c->count.lost_why, "%s", strerror(problem));
    pthread_mutex_unlock(&c->lock);
}

static bool write_entry(BuildCache *c, Arena *a, const char *key, const Build *b)
{
    size_t so_bytes;
    const char *so = text_read_file(a, b->so, &so_bytes);
    if (!so || !c->temp.path) {
        errno = so ? c->why : errno;
        return false;
    }
    pthread_mutex_lock(&c->lock);
    const char *temp = arena_printf(a, "%s/%d", c->temp.path, c->n++);
    pthread_mutex_unlock(&c->lock);
    char first[HEAD_MAX], head[HEAD_MAX], hash[BUILD_KEY_BYTES];
    const SpillReport *s = &b->spills;
    snprintf(head, sizeof head, "%s %zu %zu %" PRId64 " %d %d %d %d\n", key, so_bytes, strlen(b->log), b->code_bytes,
             s->loops, s->stored, s->loaded, s->multiplications);
    const char *const part[] = { first, head, b->log, so };
    size_t len[] = { 0, strlen(head), strlen(b->log), so_bytes };
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        abort();
    XXH3_128bits_reset(h);
    for (int i = 1; i < 4; i++)
        XXH3_128bits_update(h, part[i], len[i]);
    hash_text(XXH3_128bits_digest(h), hash);
    XXH3_freeState(h);
    len[0] = (size_t)snprintf(first, sizeof first, "%s%s\n", MAGIC, hash);
    if (write_whole(temp, part, len, 4) && rename(temp, entry_path(c, a, key)) == 0)
        return true;
    const int problem = errno;
    unlink(temp);
    errno = problem;
    return false;
}

void build_cache_put(BuildCache *c, const char *key, const Build *b)
{
    Arena *scratch = arena_new();
    const bool stored = write_entry(c, scratch, key, b);
    count_stored(c, stored, errno);
    arena_free(scratch);
}
