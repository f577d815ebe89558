/* SPDX-License-Identifier: Apache-2.0
 *
 * template_body: names of the body that the head does not declare, or that the body does not use; files that it includes.
 */
#include "tests/test.h"
#include "tests/gen/template/template_small.h"

#define REPEATED "    f(R); //@ repeat R = 1..STEP\n" /* of the small template */

/* Words of C, of macros and of the package, single letters and what is not in capitals are no slips. */
TEST(test_free_names)
{
    read_small(with("    const int64_t M = a->M;\n", "    x(Q, _ABC, Abc, INT64_MAX, NULL, KERNEL_tile, NAME_X, NAME, "
                                                     "KERNEL, M, N, K, INFINITY, HAS_EPILOGUE, CORES);\n"));
}

/* What a repetition counts by may have a long name. It is known in the lines that are repeated, and nowhere else. */
TEST(test_repeated_names)
{
    static const struct {
        const char *lines, *want; /* want NULL: no error */
    } cases[] = {
        { "    f(ROW); //@ repeat ROW = 1..STEP\n", NULL },
        { "    //@ repeat ROW = 1..STEP\n    f(ROW);\n    g(ROW);\n    //@ end\n", NULL },
        { "//@ repeat ROW = 1..STEP\n//@ repeat COLUMN = ROW..2\n    f(ROW, COLUMN);\n//@ end\n    f(ROW);\n//@ end\n",
          NULL },
        { "//@ repeat ROW = 1..STEP\n    f(ROW, COLUMN); //@ repeat COLUMN = 1..ROW\n//@ end\n", NULL },
        { "//@ repeat ROW = 1..ROW\n    f(STEP);\n//@ end\n", "'ROW' is not declared" },
        { "//@ repeat ROW = 1..STEP\n    f(ROW);\n//@ end\n    g(ROW);\n", "'ROW' is not declared" },
        { "    f(ROW);\n//@ repeat ROW = 1..STEP\n    f(1);\n//@ end\n", "'ROW' is not declared" },
        { "//@ repeat ROW = 1..STEP\n    f(ROWS);\n//@ end\n", "'ROWS' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_said(with(REPEATED, cases[i].lines), cases[i].want);
}

/* Conditions within the lines for the stand-alone compile do not end them. */
TEST(test_nested_standalone)
{
    read_small(with("#ifndef DCGEN\n",
                    "#ifndef DCGEN\n#if 1\n#define QQQQ 1\n#endif\n#define WWWW QQQQ\n#include \"no.h\"\n"));
}

/* What stands before, between and behind the lines for the stand-alone compile is the kernel's. */
TEST(test_around_standalone)
{
    static const struct {
        const char *from, *to, *want; /* want NULL: no error */
    } cases[] = {
        { "#ifndef DCGEN\n", "int x = QQQQ;\n#ifndef DCGEN\n", "x.c:30:9: error: 'QQQQ' is not declared" },
        { "#ifndef DCGEN\n", "#include \"no.h\"\n#ifndef DCGEN\n", "x.c:30:11: error: there is no file 'no.h'" },
        { "#endif\nstatic", "#else\nint x = QQQQ;\n#endif\nstatic", "x.c:34:9: error: 'QQQQ' is not declared" },
        { "#ifndef DCGEN\n", "#ifndef DCGEN_X\nint x = QQQQ;\n#endif\n#ifndef DCGEN\n", "x.c:31:9: error: 'QQQQ'" },
        { "    return", "#ifndef DCGEN\n    f(QQQQ);\n#endif\n    return", NULL },
        { "#ifndef DCGEN\n",
          " # ifndef DCGEN /* as it stands */\n# if 1\nint x = QQQQ;\n# else\nint x = WWWW;\n # endif\n", NULL },
        { "#ifndef DCGEN\n#define MR 2\n#define NOT_DECLARED 1\n#endif\n", "int x = QQQQ;\n",
          "x.c:30:9: error: 'QQQQ' is not declared" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_said(with(cases[i].from, cases[i].to), cases[i].want);
}

/* A parameter that only an unused value needs changes no kernel. What is used may need it by way of several values. */
TEST(test_unused_through_value)
{
    const char *text = with("    return M > UK ? PACKAGE_OK : VF;", "    return PACKAGE_OK + VF;");
    text = text_with(arena, text, "1..STEP", "1..MR");
    check_said(text, "parameter 'UK' is declared but the template does not use it");
    read_small(text_with(arena, text, "VECTOR_BYTES / 4", "STEP * MR"));
}

/* What the small template becomes with two rows. */
static const char *filled(const Template *t)
{
    static const int64_t value[] = { 2, 1 };
    const Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    return template_fill(arena, &b, "pkg_k0", diag_new(arena));
}

/* Files that the body includes: their names are checked as the body's are, and their text counts for the hash. */
TEST(test_pieces)
{
    const char *text = with(REPEATED, "#include \"f.h\"\n");
    check_said(text, arena_printf(arena, "x.c:%d:11: error: there is no file 'f.h' beside the template",
                                  line_of(text, "\"f.h\"")));
    put("f.h", "    f(STEP);\n");
    const Template *t = read_small(text);
    const char *hash = t->hash;
    assert_has(filled(t), "    f(2);\n");
    put("f.h", "    f(STEP, 1);\n");
    assert_string_not_equal(read_small(text)->hash, hash);
    put("f.h", "    f(STEP);\n#include \"f.h\"\n");
    check_said(text, "only the template may");
    check_said(text, "f.h:2:");
    put("f.h", "\n    f(STEPS);\n");
    check_said(text, "f.h:2:7: error: 'STEPS' is not declared");
    put("f.h", "    g(STEP); /* MR */\n");
    put("g.h", "    g(1);\n");
    const char *both = with(REPEATED, "#include \"g.h\"\n#include \"f.h\"\n#include \"g.h\"\n");
    t = read_small(both); /* a parameter may be used by a piece alone; one that is there twice counts once */
    assert_int_equal(t->npiece, 2);
    assert_has(filled(t), "    g(1);\n\n    g(2); /* 2 */\n\n    g(1);\n");
    hash = t->hash;
    put("f.h", "    g(STEP); /* MR, MR */\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    put("f.h", "    g(STEP); /* MR */\n");
    put("g.h", "    g(2);\n");
    assert_string_not_equal(read_small(both)->hash, hash);
    put("g.h", "    g(1);\n");
    assert_string_equal(read_small(both)->hash, hash);
    assert_string_not_equal(read_small(text_with(arena, both, "int rows", "int cols"))->hash, hash);
    const char *many = "";
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++) {
        put(arena_printf(arena, "p%d.h", i), "    g(STEP);\n");
        many = arena_printf(arena, "%s#include \"p%d.h\"\n", many, i);
        check_said(with(REPEATED, many), i < TEMPLATE_MAX_PIECE ? NULL : "more than 8 files are included");
    }
    for (int i = 0; i <= TEMPLATE_MAX_PIECE; i++)
        remove_file(arena_printf(arena, "p%d.h", i));
    remove_file("g.h");
    remove_file("f.h");
}

/* A file of a folder beside the template's. */
TEST(test_piece_of_other_folder)
{
    const char *beside = arena_printf(arena, "#include \"..%s/h.h\"\n", strrchr(root, '/'));
    put("h.h", "    f(STEP);\n");
    assert_has(filled(read_small(with(REPEATED, beside))), "    f(2);\n");
    check_said(with(REPEATED, arena_printf(arena, "%s#include \"h.h\"\n", beside)), "two files of the name 'h.h'");
    check_said(with(REPEATED, "#include \"../a/../a/h.h\"\n"), "there is no file '../a/../a/h.h' beside");
}

/* A template that is like another has its body, and what its own head does not say. Files of its own folder come first. */
TEST(test_like)
{
    static const char head[] = "/* dcgen\nname = \"other\"; op = \"dense\"; like = \"x.c\"; doc = \"as x.c\";\n"
                               "params = ( { name = \"MR\"; choices = [1]; doc = \"one row\"; } );\n"
                               "values = ( { name = \"FEW\"; expr = \"MR + 4\"; doc = \"before others\"; },\n"
                               "           { name = \"STEP\"; expr = \"FEW\"; doc = \"instead\"; } );\n"
                               "constraints = ( { need = \"STEP <= 5\"; why = \"instead\"; } );\n*/\n";
    static const struct {
        const char *like, *behind, *want;
    } cases[] = {
        { "\"x.c\"", "int x;\n", "y.c:4:1: error: nothing may follow this head" },
        { "\"no.c\"", "", "y.c:2:38: error: there is no file 'no.c' beside" },
        { "\"z.c\"", "", "error: 'z.c' is like another template itself" },
        { "3", "", "y.c:2:38: error: 'like': expected a string" },
        { "\"f.h\"", "", "f.h:1:1: error: this file has no template's head" },
    };
    TemplateList list;
    const char *said;
    put("f.h", "    g(STEP);\n");
    const char *text = with(REPEATED, "#include \"f.h\"\n");
    put("x.c", text);
    put("y.c", head);
    if (!read_folder(&list, &said))
        fail_msg("%s", said);
    assert_int_equal(list.n, 2);
    const Template *t = list.t[strcmp(list.t[0]->name, "other") != 0];
    assert_string_equal(t->name, "other");
    assert_true(t->nparam == 2 && t->param[0].nchoice == 1 && t->param[1].nchoice == 2);
    assert_true(t->nvalue == 3 && t->nconstraint == 1 && t->nterm == list.t[0]->nterm &&
                list.t[0]->nterm == list.t[1]->nterm);
    assert_string_equal(t->constraint[0].why, "instead");
    assert_string_equal(strrchr(t->head->path, '/'), "/y.c");
    static const int64_t value[] = { 1, 1 };
    const Binding b = bind(t, make_spec("NK", false, false), value, NULL);
    assert_has(template_fill(arena, &b, "pkg_k0", diag_new(arena)), "    g(5);\n");
    put("z.c", arena_printf(arena, "/* dcgen\nname = \"third\"; %s", strstr(head, "op =")));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        put("y.c", arena_printf(arena, "/* dcgen\nname = \"other\"; op = \"dense\"; like = %s; doc = \"d\";\n*/\n%s",
                                cases[i].like, cases[i].behind));
        check_said(text, cases[i].want);
    }
    remove_file("z.c");
    remove_file("y.c");
    remove_file("f.h");
}

TEST_FILE(setup, place_teardown)
