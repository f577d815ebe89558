/* SPDX-License-Identifier: Apache-2.0
 *
 * record, reading: what a stranger's file may hold. Whatever it is, the good lines beside it survive.
 */
#include "tests/search/record/record_place.h"
#include "tests/gen/spec_text.h"

/* Lines that are not even an object, or say nothing that we know; in single quotes, as all of the following. */
static const char strange_lines[] =
    "{\n}\nnull\n7\n'x'\n[]\n{}\n{'v':1}\n{'v':'1','type':'kernel'}\n{'v':1,'type':'kernel'}\n{'v':1,'type':[]}\n"
    "{'v':1,'type':'spell'}\n{'v':1.0,'type':'kernel'}\n\xff\xfe\n{'v':1,'type':'\xc0\x80'}\n"
    "{'v':1,'type':'kern\\u0000el'}\n{'v':99999999999999999999,'type':'kernel'}\n";

enum { DEVICE, KERNEL, MEASURE, LIMIT, SPEC, MOST_BAD = 12 };

/* Good lines with one thing made wrong: each of `to` in the place of `from`. */
static const struct {
    int line;
    const char *from, *to[MOST_BAD];
} spoilt[] = {
    { DEVICE, "'d'", { "'d/d'", "7" } },
    { DEVICE, "'x'", { "''" } },
    { DEVICE, "'cores':1", { "'cores':-1", "'cores':4294967297" } },
    { DEVICE, "'l1_bytes':1", { "'l1_bytes':-1" } },
    { DEVICE, "'l2_bytes':2", { "'l2_bytes':9223372036854775807" } },
    { DEVICE, "'l3_bytes':3", { "'l3_bytes':9e18" } },
    { DEVICE, "[]", { "'a'", "[1]", "['../x']", "['a','b','c','d','e','f','g','h','i']" } },
    { DEVICE, ",'flags':''", { ",'flags':null", "" } },
    { KERNEL, "'k'", { "'../../etc/passwd'", "''", "'-rf'", "'.k'", "'a b'", "'a\\n'", "'\\u00e9'", "null" } },
    { KERNEL, "'x'", { "'..'" } },
    { KERNEL, "'t'", { "'$(reboot)'" } },
    { KERNEL,
      "{}",
      { "{'MR':1.5}", "{'MR':'1'}", "{'MR':true}", "{'M R':1}", "{'':1}", "{'M':1,'M':2}", "{'M':9223372036854775808}",
        "[]", "null" } },
    { KERNEL, "'ok'", { "'great'", "0" } },
    { KERNEL,
      "'code_bytes':0",
      { "'code_bytes':-1", "'code_bytes':0.5", "'n':-1,'code_bytes':0", "'n':1.5,'code_bytes':0",
        "'n':9223372036854775808,'code_bytes':0" } },
    { KERNEL, "'why':''", { "'why':7", "'why':'','why':''" } },
    { MEASURE, "'k'", { "'a/b'" } },
    { MEASURE, "'d'", { "'\\\\'" } },
    { MEASURE,
      "'extent':[1]",
      { "'extent':[]", "'extent':[-9223372036854775807]", "'extent':[1.5]", "'extent':[[1]]",
        "'extent':[9223372036854775807]",
        "'extent':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]" } },
    { MEASURE, "'threads':1", { "'threads':0", "'threads':4294967297" } },
    { MEASURE,
      "[1],'max_err'",
      { "[-1],'max_err'", "[0],'max_err'", "[1,2,1e300],'max_err'", "[1e999],'max_err'", "[NaN],'max_err'",
        "[nan],'max_err'", "[Infinity],'max_err'", "[-inf],'max_err'", "[0x10],'max_err'", "[1,5,],'max_err'",
        "['1'],'max_err'", "{},'max_err'" } },
    { MEASURE,
      "'max_err':0",
      { "'max_err':-1", "'max_err':1.01", "'max_err':null", /* +inf, yet ok */
        "'max_err':'0'" } },
    { MEASURE, "true", { "1" } },
    { MEASURE, ",'why':''", { "" } },
    { LIMIT, "'d'", { "'../d'" } },
    { LIMIT, "'t'", { "''" } },
    { LIMIT, "'f'", { "7" } },
    { LIMIT, "'threads':1", { "'threads':0", "'threads':4294967297" } },
    { LIMIT,
      "'flops_per_s':1,",
      { "'flops_per_s':0,", "'flops_per_s':-1,", "'flops_per_s':1e300,", "'flops_per_s':'1',", "" } },
    { LIMIT, "{'l3':2,'l9':3}", { "[2]", "null" } },
    { LIMIT, "'l3':2", { "'l3':-2", "'l3':1e21", "'l3':null", "'l3':{}" } },
    { SPEC, "'c'", { "'../c'" } },
    { SPEC, "'s'", { "''" } },
    { SPEC, "'t'", { "7" } },
    { SPEC, "'layout':''", { "'layout':[]" } },
    { SPEC, "'formula':'',", { "" } },
    { SPEC, "true", { "1" } },
    { SPEC, "'accuracy':1", { "'accuracy':0.5", "'accuracy':1001", "'accuracy':null" } },
    { SPEC, "{}", { "{'PAD T':1}", "{'PAD':0.5}", "[]" } },
};

/* Puts `line` between good lines and reads: the good ones survive, the other is counted. */
static void check_ignored(const char *line, size_t n)
{
    Text t = { .arena = p->a };
    for (int i = 0; i < 5; i++) {
        text_printf(&t, "%s\n", quoted(good_lines[i]));
        if (i == 0) {
            text_addn(&t, line, n);
            text_add(&t, "\n");
        }
    }
    put_bytes(t.s, t.len);
    Records r = must_read();
    if (r.ndevice != 1 || r.nkernel != 1 || r.nmeasure != 1 || r.nlimit != 1 || r.nspec != 1 || r.nignored != 1)
        fail_msg("taken: %.300s", line);
    assert_contains(p->warnings, "r.jsonl:2: warning: ");
    assert_contains(p->warnings, "; 1 unreadable line ignored\n");
    for (const char *c = p->warnings; *c; c++)
        assert_true((*c >= ' ' && *c < 127) || *c == '\n');
}

static const char *spoil(Arena *a, const char *line, const char *from, const char *to)
{
    return quoted(text_with(a, line, from, to));
}

TEST(hostile_lines_are_ignored)
{
    for (const char *line = quoted(strange_lines); *line; line += strcspn(line, "\n") + 1)
        check_ignored(line, strcspn(line, "\n"));
    for (size_t i = 0; i < LENGTH(spoilt); i++)
        for (int k = 0; k < MOST_BAD && spoilt[i].to[k]; k++) {
            const char *line = spoil(p->a, good_lines[spoilt[i].line], spoilt[i].from, spoilt[i].to[k]);
            check_ignored(line, strlen(line));
        }
    check_ignored("{\"v\":1,\0\"type\":\"kernel\"}", 24);
}

TEST(huge_lines_are_ignored)
{
    enum { HUGE = 10 << 20 };
    static const char *const fillings[] = { "[", "{\"a\":", "x", "{\"v\":1,\"type\":\"kernel\",\"params\":[",
                                            "\"\\u0041" };
    for (size_t i = 0; i < LENGTH(fillings); i++) {
        size_t sizes[] = { 3000, 65535, 65536, 65537, 131071, 131072, 131073, HUGE }, n = strlen(fillings[i]);
        char *line = malloc(HUGE);
        for (size_t k = 0; k < HUGE; k++)
            line[k] = fillings[i][k % n];
        for (size_t k = 0; k < LENGTH(sizes); k++)
            check_ignored(line, sizes[k]);
        free(line);
        arena_reset(p->a);
    }
}

/* The limit does not depend on where the pieces of reading happen to end. */
TEST(long_lines_are_judged_by_length_alone)
{
    const char *rest = quoted(good_lines[2] + 1);
    for (int blanks = 0; blanks < 70000; blanks += 9973) {
        for (int over = -1; over <= 1; over++) {
            Text t = { .arena = p->a };
            for (int i = 0; i < blanks; i++)
                text_add(&t, "\n");
            size_t begin = t.len;
            int pad = 65535 + over - (int)strlen("{\"pad\":\"\",") - (int)strlen(rest);
            text_printf(&t, "{\"pad\":\"%*s\",%s", pad, "", rest);
            assert_int_equal(t.len - begin, 65535 + over);
            text_printf(&t, "\n{%s\n", rest);
            put_bytes(t.s, t.len);
            assert_int_equal(must_read().nmeasure, over > 0 ? 1 : 2);
            arena_reset(p->a);
        }
    }
}

/* A good line with so many of something in the place of `from`: samples, or parameters. */
static void check_many(int line, const char *from, int n, bool good)
{
    Text t = { .arena = p->a };
    text_add(&t, line == KERNEL ? "{" : "'ns':[");
    for (int i = 0; i < n; i++)
        text_printf(&t, line == KERNEL ? "%s'p%d':1" : "%s%d", i ? "," : "", 100 + i);
    text_add(&t, line == KERNEL ? "}" : "]");
    const char *whole = spoil(p->a, good_lines[line], from, text_str(&t));
    if (good)
        put(whole);
    else
        check_ignored(whole, strlen(whole));
}

TEST(many_params_and_samples_are_ignored)
{
    for (int n = TEMPLATE_MAX_PARAM + 1; n <= 1000000; n = n < 2000 ? 2000 : 500 * n)
        check_many(KERNEL, "{}", n, false);
    check_many(KERNEL, "{}", 24, true);
    assert_int_equal(must_read().kernel[0].nparam, 24);
    check_many(MEASURE, "'ns':[1]", RECORD_MAX_SAMPLE + 1, false);
    check_many(MEASURE, "'ns':[1]", RECORD_MAX_SAMPLE, true);
    assert_true(must_read().measure[0].median_ns == 131.5);
}

/* Free text may say anything, but comes out as one plain line. */
TEST(hostile_text_is_made_plain)
{
    put(quoted(
        "{'v':1,'type':'device','id':'d','name':'a\\nb\\u001b[2J\\u202e\\u007f','arch':'x','cores':1,'l1_bytes':1,"
        "'l2_bytes':1,'l3_bytes':1,'isa':[],'compiler':'\\u00e9','flags':'\\r\\t'}\n"));
    Records r = must_read();
    assert_int_equal(r.ndevice, 1);
    assert_string_equal(r.device[0].name, "a b?[2J??");
    assert_string_equal(r.device[0].compiler, "?");
    assert_string_equal(r.device[0].flags, "  ");
}

TEST(all_bad_lines_are_one_warning)
{
    put("x\n{\"v\":1,\"type\":\"spell\"}\n\n{\"v\":3}\nz\n{\"v\":1,\"ty");
    Records r = must_read();
    assert_int_equal(r.nignored, 5);
    assert_contains(p->warnings, "r.jsonl:1: warning: ");
    assert_contains(p->warnings, "; 3 unreadable lines ignored\n");
    assert_contains(p->warnings, "1 line of another schema version ignored\n");
    assert_contains(p->warnings, "r.jsonl:6: warning: the last line is torn and is dropped\n");
    assert_true(record_read(p->a, p->path, &r, NULL, &p->err));
}

TEST_EACH(setup, teardown)
