/* SPDX-License-Identifier: Apache-2.0
 *
 * record, reading: what a stranger's file may hold. Whatever it is, the good lines beside it survive.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/search/record/record_place.h"

/* What is not even an object, or says nothing that we know. */
static const char *const strange_lines[] = {
    "{",
    "}",
    "null",
    "7",
    "\"x\"",
    "[]",
    "{}",
    "{\"v\":1}",
    "{\"v\":\"1\",\"type\":\"kernel\"}",
    "{\"v\":1,\"type\":\"kernel\"}",
    "{\"v\":1,\"type\":[]}",
    "{\"v\":1,\"type\":\"spell\"}",
    "{\"v\":1.0,\"type\":\"kernel\"}",
    "\xff\xfe",
    "{\"v\":1,\"type\":\"\xc0\x80\"}",
    "{\"v\":1,\"type\":\"kern\\u0000el\"}",
    "{\"v\":99999999999999999999,\"type\":\"kernel\"}",
};

enum { DEVICE, KERNEL, MEASURE, LIMIT, SPEC };

/* Good lines with one thing made wrong. */
static const struct {
    int line;
    const char *from, *to;
} spoilt[] = {
    { DEVICE, "\"d\"", "\"d/d\"" },
    { DEVICE, "\"d\"", "7" },
    { DEVICE, "\"x\"", "\"\"" },
    { DEVICE, "\"cores\":1", "\"cores\":-1" },
    { DEVICE, "\"cores\":1", "\"cores\":4294967297" },
    { DEVICE, "\"l1_bytes\":1", "\"l1_bytes\":-1" },
    { DEVICE, "\"l2_bytes\":2", "\"l2_bytes\":9223372036854775807" },
    { DEVICE, "\"l3_bytes\":3", "\"l3_bytes\":9e18" },
    { DEVICE, "[]", "\"a\"" },
    { DEVICE, "[]", "[1]" },
    { DEVICE, "[]", "[\"../x\"]" },
    { DEVICE, "[]", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]" },
    { DEVICE, "\"flags\":\"\"", "\"flags\":null" },
    { DEVICE, ",\"flags\":\"\"", "" },
    { KERNEL, "\"k\"", "\"../../etc/passwd\"" },
    { KERNEL, "\"k\"", "\"\"" },
    { KERNEL, "\"k\"", "\"-rf\"" },
    { KERNEL, "\"k\"", "\".k\"" },
    { KERNEL, "\"k\"", "\"a b\"" },
    { KERNEL, "\"k\"", "\"a\\n\"" },
    { KERNEL, "\"k\"", "\"\\u00e9\"" },
    { KERNEL, "\"k\"", "null" },
    { KERNEL, "\"x\"", "\"..\"" },
    { KERNEL, "\"t\"", "\"$(reboot)\"" },
    { KERNEL, "{}", "{\"MR\":1.5}" },
    { KERNEL, "{}", "{\"MR\":\"1\"}" },
    { KERNEL, "{}", "{\"MR\":true}" },
    { KERNEL, "{}", "{\"M R\":1}" },
    { KERNEL, "{}", "{\"\":1}" },
    { KERNEL, "{}", "{\"M\":1,\"M\":2}" },
    { KERNEL, "{}", "{\"M\":9223372036854775808}" },
    { KERNEL, "{}", "[]" },
    { KERNEL, "{}", "null" },
    { KERNEL, "\"ok\"", "\"great\"" },
    { KERNEL, "\"ok\"", "0" },
    { KERNEL, "\"code_bytes\":0", "\"code_bytes\":-1" },
    { KERNEL, "\"code_bytes\":0", "\"code_bytes\":0.5" },
    { KERNEL, "\"why\":\"\"", "\"why\":7" },
    { KERNEL, "\"why\":\"\"", "\"why\":\"\",\"why\":\"\"" },
    { MEASURE, "\"k\"", "\"a/b\"" },
    { MEASURE, "\"d\"", "\"\\\\\"" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[]" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[-9223372036854775807]" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[1.5]" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[[1]]" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[9223372036854775807]" },
    { MEASURE, "\"extent\":[1]", "\"extent\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]" },
    { MEASURE, "\"threads\":1", "\"threads\":0" },
    { MEASURE, "\"threads\":1", "\"threads\":4294967297" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[-1]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[0]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[1,2,1e300]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[1e999]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[NaN]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[nan]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[Infinity]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[-inf]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[0x10]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[1,5,]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":[\"1\"]" },
    { MEASURE, "\"ns\":[1]", "\"ns\":{}" },
    { MEASURE, "\"max_err\":0", "\"max_err\":-1" },
    { MEASURE, "\"max_err\":0", "\"max_err\":1.01" },
    { MEASURE, "\"max_err\":0", "\"max_err\":null" }, /* +inf, yet ok */
    { MEASURE, "\"max_err\":0", "\"max_err\":\"0\"" },
    { MEASURE, "true", "1" },
    { MEASURE, ",\"why\":\"\"", "" },
    { KERNEL, "\"code_bytes\":0", "\"n\":-1,\"code_bytes\":0" },
    { KERNEL, "\"code_bytes\":0", "\"n\":1.5,\"code_bytes\":0" },
    { KERNEL, "\"code_bytes\":0", "\"n\":9223372036854775808,\"code_bytes\":0" },
    { LIMIT, "\"d\"", "\"../d\"" },
    { LIMIT, "\"t\"", "\"\"" },
    { LIMIT, "\"f\"", "7" },
    { LIMIT, "\"threads\":1", "\"threads\":0" },
    { LIMIT, "\"threads\":1", "\"threads\":4294967297" },
    { LIMIT, "\"flops_per_s\":1", "\"flops_per_s\":0" },
    { LIMIT, "\"flops_per_s\":1", "\"flops_per_s\":-1" },
    { LIMIT, "\"flops_per_s\":1", "\"flops_per_s\":1e300" },
    { LIMIT, "\"flops_per_s\":1", "\"flops_per_s\":\"1\"" },
    { LIMIT, "\"flops_per_s\":1,", "" },
    { LIMIT, "{\"l3\":2,\"l9\":3}", "[2]" },
    { LIMIT, "{\"l3\":2,\"l9\":3}", "null" },
    { LIMIT, "\"l3\":2", "\"l3\":-2" },
    { LIMIT, "\"l3\":2", "\"l3\":1e21" },
    { LIMIT, "\"l3\":2", "\"l3\":null" },
    { LIMIT, "\"l3\":2", "\"l3\":{}" },
    { SPEC, "\"c\"", "\"../c\"" },
    { SPEC, "\"s\"", "\"\"" },
    { SPEC, "\"t\"", "7" },
    { SPEC, "\"layout\":\"\"", "\"layout\":[]" },
    { SPEC, "\"formula\":\"\",", "" },
    { SPEC, "true", "1" },
    { SPEC, "\"accuracy\":1", "\"accuracy\":0.5" },
    { SPEC, "\"accuracy\":1", "\"accuracy\":1001" },
    { SPEC, "\"accuracy\":1", "\"accuracy\":null" },
    { SPEC, "{}", "{\"PAD T\":1}" },
    { SPEC, "{}", "{\"PAD\":0.5}" },
    { SPEC, "{}", "[]" },
};

/* Puts `line` between good lines and reads: the good ones survive, the other is counted. */
static void check_ignored(Place *p, const char *line, size_t n)
{
    Text t = { .arena = p->a };
    text_printf(&t, "%s\n", good_lines[0]);
    text_addn(&t, line, n);
    text_printf(&t, "\n%s\n%s\n%s\n%s\n", good_lines[1], good_lines[2], good_lines[3], good_lines[4]);
    put_bytes(p, t.s, t.len);
    Records r = must_read(p);
    if (r.ndevice != 1 || r.nkernel != 1 || r.nmeasure != 1 || r.nlimit != 1 || r.nspec != 1 || r.nignored != 1)
        fail_msg("taken: %.300s", line);
    assert_contains(p->warnings, "r.jsonl:2: warning: ");
    assert_contains(p->warnings, "; 1 unreadable line ignored\n");
    for (const char *c = p->warnings; *c; c++)
        assert_true((*c >= ' ' && *c < 127) || *c == '\n');
}

static char *spoil(Arena *a, const char *line, const char *from, const char *to)
{
    const char *at = strstr(line, from);
    assert_non_null(at);
    return arena_printf(a, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
}

TEST(hostile_lines_are_ignored)
{
    Place *p = *state;
    for (size_t i = 0; i < LENGTH(strange_lines); i++)
        check_ignored(p, strange_lines[i], strlen(strange_lines[i]));
    for (size_t i = 0; i < LENGTH(spoilt); i++) {
        char *line = spoil(p->a, good_lines[spoilt[i].line], spoilt[i].from, spoilt[i].to);
        check_ignored(p, line, strlen(line));
    }
    check_ignored(p, "{\"v\":1,\0\"type\":\"kernel\"}", 24);
}

TEST(huge_lines_are_ignored)
{
    Place *p = *state;
    enum { HUGE = 10 << 20 };
    static const char *const fillings[] = {
        "[", "{\"a\":", "x", "{\"v\":1,\"type\":\"kernel\",\"params\":[", "\"\\u0041",
    };
    for (size_t i = 0; i < LENGTH(fillings); i++) {
        size_t sizes[] = { 3000, 65535, 65536, 65537, 131071, 131072, 131073, HUGE }, n = strlen(fillings[i]);
        char *line = malloc(HUGE);
        for (size_t k = 0; k < HUGE; k++)
            line[k] = fillings[i][k % n];
        for (size_t k = 0; k < LENGTH(sizes); k++)
            check_ignored(p, line, sizes[k]);
        free(line);
        arena_reset(p->a);
    }
}

/* The limit does not depend on where the pieces of reading happen to end. */
TEST(long_lines_are_judged_by_length_alone)
{
    Place *p = *state;
    for (int blanks = 0; blanks < 70000; blanks += 9973) {
        for (int over = -1; over <= 1; over++) {
            Text t = { .arena = p->a };
            for (int i = 0; i < blanks; i++)
                text_add(&t, "\n");
            size_t begin = t.len;
            int pad = 65535 + over - (int)strlen("{\"pad\":\"\",") - (int)strlen(good_lines[2] + 1);
            text_printf(&t, "{\"pad\":\"%*s\",%s", pad, "", good_lines[2] + 1);
            assert_int_equal(t.len - begin, 65535 + over);
            text_printf(&t, "\n%s\n", good_lines[2]);
            put_bytes(p, t.s, t.len);
            assert_int_equal(must_read(p).nmeasure, over > 0 ? 1 : 2);
            arena_reset(p->a);
        }
    }
}

TEST(many_params_are_ignored)
{
    Place *p = *state;
    static const int nparams[] = { 24, 25, 2000, 1000000 };
    for (size_t k = 0; k < LENGTH(nparams); k++) {
        int nparam = nparams[k];
        Text t = { .arena = p->a };
        for (int i = 0; i < nparam; i++)
            text_printf(&t, "%s\"p%d\":1", i ? "," : "{", i);
        text_add(&t, "}");
        char *line = spoil(p->a, good_lines[KERNEL], "{}", text_str(&t));
        if (nparam > TEMPLATE_MAX_PARAM) {
            check_ignored(p, line, strlen(line));
            continue;
        }
        put(p, line);
        assert_int_equal(must_read(p).kernel[0].nparam, 24);
    }
}

TEST(many_samples_are_ignored)
{
    Place *p = *state;
    for (int nsample = 64; nsample <= 65; nsample++) {
        Text t = { .arena = p->a };
        for (int i = 0; i < nsample; i++)
            text_printf(&t, "%s%d", i ? "," : "\"ns\":[", 100 + i);
        text_add(&t, "]");
        char *line = spoil(p->a, good_lines[MEASURE], "\"ns\":[1]", text_str(&t));
        if (nsample > RECORD_MAX_SAMPLE) {
            check_ignored(p, line, strlen(line));
        } else {
            put(p, line);
            assert_true(must_read(p).measure[0].median_ns == 131.5);
        }
    }
}

/* Free text may say anything, but comes out as one plain line. */
TEST(hostile_text_is_made_plain)
{
    Place *p = *state;
    put(p, "{\"v\":1,\"type\":\"device\",\"id\":\"d\",\"name\":\"a\\nb\\u001b[2J\\u202e\\u007f\",\"arch\":\"x\","
           "\"cores\":1,\"l1_bytes\":1,\"l2_bytes\":1,\"l3_bytes\":1,\"isa\":[],\"compiler\":\"\\u00e9\",\"flags\":"
           "\"\\r\\t\"}\n");
    Records r = must_read(p);
    assert_int_equal(r.ndevice, 1);
    assert_string_equal(r.device[0].name, "a b?[2J??");
    assert_string_equal(r.device[0].compiler, "?");
    assert_string_equal(r.device[0].flags, "  ");
}

TEST(all_bad_lines_are_one_warning)
{
    Place *p = *state;
    put(p, "x\n{\"v\":1,\"type\":\"spell\"}\n\n{\"v\":3}\nz\n{\"v\":1,\"ty");
    Records r = must_read(p);
    assert_int_equal(r.nignored, 5);
    assert_contains(p->warnings, "r.jsonl:1: warning: ");
    assert_contains(p->warnings, "; 3 unreadable lines ignored\n");
    assert_contains(p->warnings, "1 line of another schema version ignored\n");
    assert_contains(p->warnings, "r.jsonl:6: warning: the last line is torn and is dropped\n");
    assert_true(record_read(p->a, p->path, &r, NULL, &p->err));
}

TEST_EACH(setup, teardown)
