/* SPDX-License-Identifier: Apache-2.0
 *
 * report: one well-formed page that refers to nothing outside, always the same bytes, hostile names escaped; none
 * without gnuplot. With paths as arguments, pages for test_report_browser.sh.
 * ctest: label=slow timeout=200
 */
#include "tests/test.h"
#include <ctype.h>
#include <locale.h>
#include "gen/report/plot.h"
#include "gen/report/report.h"
#include "search/record/roofline.h"
#include "tests/gen/synthetic_place.h"
#include "tests/put_file.h"

enum { NTRIAL = 48, MAX_DEPTH = 64, MAX_ID = 256 };

static const char VERSION[] = "0.1.0";
/* A machine of 260 GFLOP/s, which is more than the made-up times need. */
static void add_limits(Synthetic *s)
{
    const LimitRecord limit[] = { { .threads = 1, .flops_per_s = 2.6e11, .bytes_per_s = { 4e11, 1.5e11, 7e10, 1e10 } },
                                  { .threads = 2, .flops_per_s = 5.1e11, .bytes_per_s = { 8e11, 3e11, 1.4e11 } } };
    Records *r = ARENA_NEW(s->arena, Records);
    *r = (Records){ .nlimit = s->spec->nthread, .limit = ARENA_ARRAY(s->arena, 2, LimitRecord) };
    for (int i = 0; i < 2; i++) {
        r->limit[i] = limit[i];
        r->limit[i].device = s->device.id;
        r->limit[i].target = s->study->target->name;
        r->limit[i].dtype = "f32";
    }
    study_rate(s->study, r);
}

/* A library that takes a third more time than the best kernel, everywhere but on the first shape. */
static void add_library(Synthetic *s)
{
    for (int64_t j = 1; j < s->study->nshape; j++)
        s->study->anchor[j].library = 4 * study_best(s->study, j, NULL) / 3;
}

/* The cost report is that of y throughout: it takes long. */
static Result input_of(Synthetic *s)
{
    static CostReport cost;
    Result r = synthetic_result(s);
    add_library(s);
    if (cost.nmeasure == 0)
        cost = cost_report(y.arena, y.study, &y.templates);
    r.cost = &cost;
    add_limits(s);
    return r;
}

static int make_y(void **state) { return synthetic_make(&y, synthetic_spec, NTRIAL) ? 0 : -1; }

/* Its figures are gnuplot's: a test of it is skipped where there is none. */
static const char *draw(Arena *a, const Result *in)
{
    const char *why = NULL, *html = report_html(a, in, 1, VERSION, &why);
    if (!html && strstr(why, "gnuplot was not found"))
        skip();
    assert_non_null(html);
    return html;
}

static const char *page_anew(void)
{
    Result in = input_of(&y);
    return draw(y.arena, &in);
}

static const char *page(void)
{
    static const char *html;
    return html ? html : (html = page_anew());
}

/* ---- a strict reader of the page ---- */

typedef struct {
    char id[MAX_ID][64];
    int nid, nelement, ndepth;
    char open[MAX_DEPTH][24];
} Reader;

static bool is_void(const char *tag) { return strcmp(tag, "meta") == 0; }

/* name="value", or as gnuplot writes them: name='value', name = 'value'. */
static void read_attributes(Reader *r, const char *p, const char *end)
{
    while ((p += strspn(p, " \t\n")) < end && *p != '/') {
        const size_t n = strcspn(p, " =>");
        const bool is_id = n == 2 && strncmp(p, "id", n) == 0;
        p += n;
        p += strspn(p, " ");
        assert_true(n > 0 && *p == '=');
        p += 1 + strspn(p + 1, " ");
        assert_true(*p == '"' || *p == '\'');
        const size_t len = strcspn(p + 1, (char[]){ *p, '<', 0 });
        assert_int_equal(p[1 + len], *p);
        for (int i = 0; is_id && i < r->nid; i++)
            assert_true(strlen(r->id[i]) != len || strncmp(p + 1, r->id[i], len) != 0);
        if (is_id) {
            assert_true(r->nid < MAX_ID && len < sizeof r->id[0]);
            snprintf(r->id[r->nid++], sizeof r->id[0], "%.*s", (int)len, p + 1);
        }
        p += len + 2;
    }
}

/* `p` stands behind '<'; what follows the tag's '>'. */
static const char *read_tag(Reader *r, const char *p)
{
    char tag[24] = "";
    bool close = *p == '/';
    p += close;
    size_t n = strcspn(p, " />\n");
    assert_true(n > 0 && n < sizeof tag);
    memcpy(tag, p, n);
    const char *end = strchr(p, '>');
    assert_non_null(end);
    if (close) {
        assert_true(r->ndepth > 0);
        assert_string_equal(tag, r->open[--r->ndepth]);
        return end + 1;
    }
    for (size_t i = 0; i < n; i++)
        assert_true(isalnum((unsigned char)tag[i]) || tag[i] == '-');
    r->nelement++;
    read_attributes(r, p + n + (p[n] == ' '), end);
    if (end[-1] != '/' && !is_void(tag)) {
        assert_true(r->ndepth < MAX_DEPTH);
        strcpy(r->open[r->ndepth++], tag);
    }
    return end + 1;
}

static void read_entity(const char *p)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0)
            return;
    fail_msg("a bare '&' before \"%.20s\"", p);
}

static Reader *read_page(const char *html)
{
    static const char doctype[] = "<!DOCTYPE html>\n";
    Reader *r = calloc(1, sizeof *r);
    assert_int_equal(strncmp(html, doctype, strlen(doctype)), 0);
    for (const char *p = html + strlen(doctype); *p;) {
        if (*p == '<')
            p = read_tag(r, p + 1);
        else {
            assert_true(*p != '>' || strcmp(r->open[r->ndepth - 1], "style") == 0);
            if (*p == '&')
                read_entity(p);
            p++;
        }
    }
    assert_int_equal(r->ndepth, 0);
    return r;
}

static bool has_id(const Reader *r, const char *id, size_t n)
{
    for (int i = 0; i < r->nid; i++)
        if (strlen(r->id[i]) == n && memcmp(r->id[i], id, n) == 0)
            return true;
    return false;
}

/* ---- tests ---- */

TEST(is_well_formed)
{
    const char *html = page();
    Reader *r = read_page(html);
    assert_true(r->nelement > 500);
    for (const char *p = html; (p = strstr(p, "href=\"#")); p += 7)
        assert_true(has_id(r, p + 7, strcspn(p + 7, "\"")));
    for (const char *p = html; (p = strstr(p, "labelledby=\"")); p += 12)
        assert_true(has_id(r, p + 12, strcspn(p + 12, "\"")));
    free(r);
}

TEST(refers_to_nothing_outside)
{
    static const char *const outside[] = { "http:", "https:",  "//",      "src=", "<script", "<link", "<img", "@import",
                                           "url(",  "gnuplot", "GNUPLOT", "/tmp", "file:",   "nan",   "inf ", "NaN" };
    const char *html = page();
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_lacks(html, outside[i]);
}

TEST(has_all_figures)
{
    const char *html = page();
    /* a panel for each (N,K); two maps, curve, progress, scatter, residuals */
    assert_int_equal(occurrences(html, "<svg class=\"plot\""), 4 + 6);
    assert_int_equal(occurrences(html, "<path stroke='rgb(  0,   0,  12)'"), 4); /* the roofline in each panel */
    assert_int_equal(occurrences(html, "<path stroke='rgb(  0,   0,  13)'"), 4); /* the library */
    assert_int_equal(occurrences(html, "class=\"l12\"") + occurrences(html, "class=\"l13\""),
                     2); /* both in the legend */
    assert_has_all(html, ">predicted, microseconds<", "<figcaption id=\"curve\">", "<figcaption id=\"progress\">");
    assert_int_equal(occurrences(html, ">error</th>"), 1); /* of each kernel, not of each shape */
    assert_lacks(html, "Median of");                       /* the least is what counts */
    assert_true(occurrences(html, "<path stroke='rgb(  0,   0,   5)'") >= 6);
    assert_true(occurrences(html, "<polygon fill = 'rgb(  0,   0,  16)'") >= 1);
    assert_true(occurrences(html, "fill=\"rgb(0,0,3)\"") > 50);
    assert_lacks(html, "rgb(  0,   0,   0)");
}

/* What was measured is never cut off at the top of a figure, whatever the machine's limits are said to be. */
TEST(draws_every_measured_point)
{
    static const double gflops[] = { 260, 0.1 };
    for (int i = 0; i < 2; i++) {
        const Result in = input_of(&y);
        in.study->roofline->limit[0].flops_per_s = 1e9 * gflops[i];
        char *html = (char *)draw(y.arena, &in);
        *strstr(html, "<h2 id=\"dispatch\">") = '\0';
        assert_int_equal(occurrences(html, "color='rgb(  0,   0,   8)'"), y.study->nshape);
    }
}

TEST(gives_the_same_bytes)
{
    const char *first = page();
    assert_string_equal(first, page_anew());
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) {
        assert_string_equal(first, page_anew());
        setlocale(LC_ALL, "C");
    }
    Synthetic again;
    assert_true(synthetic_make(&again, synthetic_spec, NTRIAL));
    Result in = input_of(&again);
    assert_string_equal(first, draw(again.arena, &in));
    arena_free(again.arena);
}

TEST(escapes_hostile_names)
{
    static const char hostile[] = "\"><script>alert('1')</script>&`touch x`$(x)\n\x01\xff'; set output";
    Spec spec = *y.spec;
    Op op = *y.spec->op;
    Device device = y.device;
    Result in = input_of(&y);
    Study study = *y.study;
    spec.name = device.name = device.compiler = device.flags = op.name = op.doc = op.extent[0].name =
        op.extent[1].name = hostile;
    spec.op = &op;
    study.spec = &spec;
    in.study = &study;
    study.device = &device;
    const char *html = draw(y.arena, &in);
    free(read_page(html));
    assert_lacks(html, "<script");
    assert_has(html, "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;`touch x`");
    assert_null(strchr(html, '\x01'));
    assert_null(strchr(html, '\xff'));
    assert_has(html, "<svg class=\"plot\"");
}

/* A page without its figures would be another page than elsewhere. */
TEST(needs_gnuplot)
{
    char *path = arena_strdup(y.arena, getenv("PATH"));
    Result in = input_of(&y);
    const char *why = NULL, *before = NULL;
    setenv("PATH", "/nonexistent", 1);
    const char *html = report_html(y.arena, &in, 1, VERSION, &why);
    const bool found = plot_check(y.arena, &before);
    setenv("PATH", path, 1);
    assert_null(html);
    assert_has_all(why, "gnuplot was not found", "--no-report");
    assert_false(found);
    assert_string_equal(why, before);
}

#define SPEC(name, kernels, rest)                                                                          \
    "name = \"" name                                                                                       \
    "\"; op = \"dense\"; dtype = \"f32\"; target = [\"host\"]; layout = { W = \"NK\"; packed = true; };\n" \
    "budget = { kernels = " kernels "; code_kib = 512; trials = 8; seconds = 10; };\n" rest

static const char plane_spec[] =
    SPEC("plane", "8",
         "dims = { T = { min = 1; max = 256; }; S = { min = 1; max = 32; }; }; threads = [1];\n"
         "shapes = ( { M = \"T\"; N = \"64*S\"; K = 768; }, { M = \"T\"; N = 512; K = \"64*S\"; } );\n");

/* One static shape; many groups and threads; extents of one dim, which are one curve; two dims, which make a plane in
 * place of the bars. */
TEST(does_with_other_shapes)
{
    static const struct {
        const char *spec, *parts[5], *none; /* what there is, and what is not */
        struct {
            int trials, panels, planes;
        } n;
    } row[] = {
        { SPEC("one", "1", "shapes = ( { M = 64; N = 64; K = 64; } ); threads = [1];"),
          { "1 kernel (", "there is no curve to draw", "k0 serves all shapes" },
          "gnuplot",
          { 3, 0, 0 } },
        { SPEC("many", "12",
               "dims = { T = { min = 1; max = 100; }; S = { min = 1; max = 8; }; };\n"
               "shapes = ( { M = \"T\"; N = \"16*S\"; K = 768; } ); threads = [1, 2];"),
          { "Only the heaviest groups", "2 threads</figcaption>" },
          "nan",
          { 20, 12, 2 } },
        { SPEC("square", "4",
               "dims = { S = { min = 1; max = 2; }; T = { min = 1; max = 64; }; };\n"
               "shapes = ( { M = \"T\"; N = \"T\"; K = 512; }, { M = 64; N = \"16*T\"; K = 256; },\n"
               "           { M = \"T\"; N = \"S\"; K = 96; }, { M = 7; N = 9; K = 11; } ); threads = [1];"),
          { "\">M = T, N = T, K = 512</figcaption>", "\">M = 64, K = 256</figcaption>", "\">N = 1, K = 96</figcaption>",
            "\">N = 2, K = 96</figcaption>", ">M or N</text>" },
          "nan",
          { 12, 4, 1 } }, /* the last shape varies along nothing */
        { SPEC("plane", "4",
               "dims = { T = { min = 1; max = 64; }; S = { min = 1; max = 12; }; };\n"
               "shapes = ( { M = \"T\"; N = \"T\"; K = \"64*S\"; } ); threads = [1];"),
          { NULL },
          "<figcaption id=\"map\">",
          { 12, 12, 1 } },
        { plane_spec,
          { "\">M = T, N = 512, K = 64*S</figcaption>", "<polygon" },
          "<figcaption id=\"map\">",
          { 40, 12, 2 } },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Synthetic other;
        assert_true(synthetic_make(&other, row[i].spec, row[i].n.trials));
        Result in = input_of(&other);
        if (i == 0)
            other.study->trial[0].n = 0; /* then the order of the search is not known */
        const char *html = draw(other.arena, &in);
        free(read_page(html));
        assert_lacks(html, "</h2>\n</section>"); /* no section is empty */
        assert_lacks(html, row[i].none);
        for (int k = 0; k < 5 && row[i].parts[k]; k++)
            assert_has(html, row[i].parts[k]);
        assert_int_equal(occurrences(html, "id=\"panel-"), row[i].n.panels);
        assert_int_equal(occurrences(html, "<figcaption id=\"plane-"), row[i].n.planes);
        for (int k = 0; row[i].n.planes && i > 2 && k < other.assignment->nkernel && k < LOOK_NKERNEL; k++)
            assert_has(html, arena_printf(other.arena, "<rect class=\"l%d\"", LOOK_KERNEL + k));
        arena_free(other.arena);
    }
}

TEST(a_faulty_script_is_no_figure)
{
    Plot plot[2] = { { .name = "a", .width = 100, .height = 100, .script = { .arena = y.arena } },
                     { .name = "b", .width = 100, .height = 100, .script = { .arena = y.arena } } };
    const char *why = NULL;
    text_add(&plot[0].script, "plot [0:1] x lc rgb '#000005'\n");
    text_add(&plot[1].script, "plot nonsense(\n");
    assert_false(plot_run(y.arena, plot, 2, &why));
    assert_non_null(why);
    assert_null(plot[0].svg);
}

static void write_page(const char *path, const char *spec, int64_t ntrial)
{
    Synthetic s;
    assert_true(synthetic_make(&s, spec, ntrial));
    Result in = input_of(&s);
    const char *why = NULL, *html = report_html(s.arena, &in, 1, VERSION, &why);
    assert_non_null(html);
    put_file(path, html);
}

/* test_report_browser.sh looks at them. */
TEST(pages_for_a_browser)
{
    if (test_argc > 0)
        write_page(test_argv[0], synthetic_spec, NTRIAL);
    if (test_argc > 1)
        write_page(test_argv[1], plane_spec, 40);
}

TEST_FILE(make_y, drop)
