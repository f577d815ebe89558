/* SPDX-License-Identifier: Apache-2.0
 *
 * drift: compares a package's folder with its MANIFEST, and with the package made again in memory, and prints what
 * differs.
 */
#include "gen/print/drift.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/base/json.h"
#include "gen/base/order.h"
#include "gen/base/text.h"
#include "gen/package/foreign.h"
#include "gen/spec/spec.h"

static void sort_list(TextList *list)
{
    if (list->n)
        qsort(list->item, (size_t)list->n, sizeof *list->item, order_word);
}

/* The file's text; NULL: there is nothing of that name. What cannot be read counts as empty, as no file of a package
 * is. */
static const char *read_file(Arena *a, const char *folder, const char *path, size_t *len)
{
    const char *file = arena_printf(a, "%s/%s", folder, path);
    struct stat st;
    *len = 0;
    if (stat(file, &st) != 0)
        return NULL;
    const char *text = S_ISREG(st.st_mode) ? text_read_file(a, file, len) : NULL;
    return text ? text : "";
}

/* ---- against MANIFEST ---- */

static bool has_hash(Arena *a, const char *text, size_t len, const ManifestEntry *e)
{
    return strcmp(manifest_hash(a, text, len), e->hash) == 0;
}

static void compare_entry(Arena *a, const ManifestEntry *e, Drift *d)
{
    size_t len;
    if (e->kind == MANIFEST_TEMPLATE)
        return;
    const char *text = read_file(a, d->folder, e->path, &len);
    if (!text)
        text_list_add(a, &d->missing, e->path);
    else if (!has_hash(a, text, len, e)) {
        const char *lf = text_with_lf(a, text, &len);
        text_list_add(a, has_hash(a, lf, len, e) ? &d->line_ends : &d->edited, e->path);
    }
}

static void read_manifest(Arena *a, Drift *d)
{
    size_t len;
    const char *text = read_file(a, d->folder, MANIFEST_PATH, &len);
    if (!text) {
        text_list_add(a, &d->missing, MANIFEST_PATH);
        return;
    }
    const size_t len_there = len;
    const char *lf = text_with_lf(a, text, &len);
    d->manifest = manifest_read(a, lf, &d->fault);
    if (!d->manifest)
        text_list_add(a, &d->edited, MANIFEST_PATH);
    else if (len != len_there)
        text_list_add(a, &d->line_ends, MANIFEST_PATH);
}

bool drift_of_files(Arena *a, const char *folder, Drift *d, const char **err)
{
    ForeignList extra;
    size_t len;
    *d = (Drift){ .folder = folder };
    read_manifest(a, d);
    /* Where MANIFEST is missing, spec.cfg still tells that the folder is a package. */
    if (d->missing.n && !read_file(a, folder, "spec.cfg", &len)) {
        *err = arena_printf(a, "'%s' is no package of dcgen's: it has neither %s nor spec.cfg", folder, MANIFEST_PATH);
        return false;
    }
    if (!d->manifest)
        return true;
    for (int i = 0; i < d->manifest->n; i++)
        compare_entry(a, &d->manifest->entry[i], d);
    sort_list(&d->edited);
    sort_list(&d->missing);
    sort_list(&d->line_ends);
    if (foreign_list(a, folder, d->manifest, &extra))
        d->extra = (TextList){ extra.path, extra.n };
    if (strcmp(d->manifest->version, DCGEN_VERSION) != 0)
        text_list_add(a, &d->maker, arena_printf(a, "dcgen %s", d->manifest->version));
    return true;
}

/* True if the file is not as MANIFEST says. */
static bool is_altered(const Drift *d, const char *path)
{
    return text_list_has(&d->edited, path) || text_list_has(&d->missing, path) || text_list_has(&d->line_ends, path);
}

/* Is it the spec, a log that the spec takes shapes from, or the records? */
static bool is_source(const char *path)
{
    const char *suffix = strrchr(path, '.');
    return strcmp(path, "spec.cfg") == 0 || strcmp(path, "records.jsonl") == 0 ||
           (suffix && strcmp(suffix, SPEC_LOG_SUFFIX) == 0);
}

bool drift_may_replay(const Drift *d)
{
    const TextList *altered[] = { &d->edited, &d->missing, &d->line_ends };
    for (size_t k = 0; k < LENGTH(altered); k++)
        for (int i = 0; i < altered[k]->n; i++)
            if (is_source(altered[k]->item[i]))
                return false;
    return true;
}

/* ---- against this dcgen ---- */

static bool has_edits(const Drift *d) { return d->edited.n || d->missing.n || d->line_ends.n; }

/* True if one of the folders has the template as it was when the package was made. */
static bool is_in_folders(Arena *a, const TextList *folders, const ManifestEntry *e)
{
    for (int i = 0; i < folders->n; i++) {
        size_t len;
        const char *text = read_file(a, folders->item[i], e->path, &len);
        if (text && has_hash(a, text, len, e))
            return true;
    }
    return false;
}

static void add_maker(Arena *a, Drift *d, const char *path)
{
    const char *name = arena_printf(a, "template %s", path);
    if (!text_list_has(&d->maker, name))
        text_list_add(a, &d->maker, name);
}

void drift_of_templates(Arena *a, const TextList *folders, Drift *d)
{
    const Manifest *m = d->manifest;
    for (int i = 0; m && i < m->n; i++)
        if (m->entry[i].kind == MANIFEST_TEMPLATE && !is_in_folders(a, folders, &m->entry[i]))
            add_maker(a, d, m->entry[i].path);
}

/* Adds templates that only one of the two packages is made of; drift_of_templates has added those whose text
 * differs. */
static void compare_templates(Arena *a, const Manifest *now, Drift *d)
{
    const Manifest *side[] = { d->manifest, now };
    for (int k = 0; d->manifest && now && k < 2; k++)
        for (int i = 0; i < side[k]->n; i++)
            if (side[k]->entry[i].kind == MANIFEST_TEMPLATE && !manifest_has(side[1 - k], &side[k]->entry[i]))
                add_maker(a, d, side[k]->entry[i].path);
}

/* True if the file is as MANIFEST says, but this dcgen writes it otherwise. A file that lists the hashes of all differs
 * wherever another one was edited, which is told already. */
static bool is_changed(Arena *a, const Drift *d, const PackageFile *f)
{
    size_t len;
    const char *text = read_file(a, d->folder, f->path, &len);
    const bool is_same = text && len == f->len && memcmp(text, f->text, len) == 0;
    return !is_same && !is_altered(d, f->path) && !(has_edits(d) && manifest_tells_hashes(f->path));
}

void drift_of_package(Arena *a, const Package *remade, Drift *d)
{
    const Manifest *m = d->manifest;
    const char *why;
    for (int i = 0; i < remade->n; i++) {
        const PackageFile *f = &remade->file[i];
        if (is_changed(a, d, f))
            text_list_add(a, &d->changed, f->path);
        if (strcmp(f->path, MANIFEST_PATH) == 0)
            compare_templates(a, manifest_read(a, f->text, &why), d);
    }
    for (int i = 0; m && i < m->n; i++)
        if (m->entry[i].kind == MANIFEST_FILE && !package_text(remade, m->entry[i].path))
            text_list_add(a, &d->changed, m->entry[i].path);
    sort_list(&d->changed);
    d->replayed = true;
}

/* ---- what was found ---- */

bool drift_found(const Drift *d) { return has_edits(d) || d->maker.n || d->changed.n; }

static const char *version_of(const Drift *d) { return d->manifest ? d->manifest->version : "of an unknown version"; }

static void print_verdict(const Drift *d, FILE *to)
{
    const int n = d->edited.n + d->missing.n;
    if (d->line_ends.n)
        quote_printf(to,
                     "%s: line ends were changed (git's autocrlf?): %d file%s as dcgen wrote %s, but for CR LF at the "
                     "ends of lines; keep the package's .gitattributes beside them (\"* -text\"), remove them and "
                     "check them out again\n",
                     d->folder, d->line_ends.n, d->line_ends.n == 1 ? " is" : "s are",
                     d->line_ends.n == 1 ? "it" : "them");
    if (d->fault)
        quote_printf(to, "%s: %s: %s\n", d->folder, MANIFEST_PATH, d->fault);
    if (n)
        quote_printf(to, "%s: edited by hand: %d file%s not as dcgen %s wrote %s\n", d->folder, n,
                     n == 1 ? " is" : "s are", version_of(d), n == 1 ? "it" : "them");
    if (!drift_may_replay(d))
        quote_printf(to, "%s: not made again, as that takes its own spec.cfg, logs of shapes and records.jsonl\n",
                     d->folder);
    if (d->maker.n)
        quote_printf(to, "%s: made by another dcgen or other templates than these: regenerating would change it\n",
                     d->folder);
    else if (d->changed.n)
        quote_printf(
            to,
            "%s: this dcgen, of the same version and templates, makes other bytes of its spec.cfg and records.jsonl: "
            "files were edited together with their hashes in %s\n",
            d->folder, MANIFEST_PATH);
    if (!drift_found(d) && d->replayed)
        quote_printf(to, "%s: as dcgen %s writes it, byte for byte%s\n", d->folder, version_of(d),
                     manifest_lists(d->manifest, "report.html") ? "; report.html is as it was, and was not drawn again"
                                                                : "");
}

/* The lists of what was found: how each is called in JSON and in text. */
static const struct {
    const char *key, *head, *behind;
    size_t field; /* in Drift */
} LISTS[] = { { "edited", "edited", "", offsetof(Drift, edited) },
              { "missing", "missing", "", offsetof(Drift, missing) },
              { "line_ends", "line ends", "", offsetof(Drift, line_ends) },
              { "extra", "extra", " (no file of the package; regenerating in place takes --force, which keeps it)",
                offsetof(Drift, extra) },
              { "maker", "made by", "", offsetof(Drift, maker) },
              { "changed", "would change", "", offsetof(Drift, changed) } };
enum { NLIST = LENGTH(LISTS) };

static const TextList *list_of(const Drift *d, int i) { return (const TextList *)((const char *)d + LISTS[i].field); }

static void print_text(const Drift *d, FILE *to)
{
    for (int i = 0; i < NLIST; i++)
        for (int k = 0; k < list_of(d, i)->n; k++)
            quote_printf(to, "%s: %s%s\n", LISTS[i].head, list_of(d, i)->item[k], LISTS[i].behind);
    print_verdict(d, to);
}

void drift_print(const Drift *d, bool json, FILE *to)
{
    const Manifest *m = d->manifest;
    if (!json) {
        print_text(d, to);
        return;
    }
    json_t *o = JSON_OBJECT(FIELD("name", m ? m->package : NULL), FIELD("made_by", m ? m->version : NULL),
                            FIELD("dcgen", DCGEN_VERSION));
    for (int i = 0; i < NLIST; i++)
        JSON_SET(o, FIELD(LISTS[i].key, json_of_list(list_of(d, i)->item, list_of(d, i)->n)));
    quote_print_json(JSON_SET(o, FIELD("replayed", d->replayed), FIELD("same", (bool)(d->replayed && !drift_found(d)))),
                     to);
}
