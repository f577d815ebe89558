/* SPDX-License-Identifier: Apache-2.0
 *
 * template_small: a small template, which tests read as it is or with one place replaced.
 */
#ifndef DCGEN_TESTS_TEMPLATE_SMALL_H
#define DCGEN_TESTS_TEMPLATE_SMALL_H

#include "tests/gen/template/template_place.h"

static const char small[] = "/* SPDX-License-Identifier: MIT-0 */\n"
                            "/* dcgen\n"
                            "name    = \"small\";\n"
                            "op      = \"dense\";\n"
                            "family  = \"cpu\";\n"
                            "doc     = \"three loops\";\n"
                            "packed  = false;\n"
                            "layouts = { W = [\"NK\"]; };\n"
                            "params = (\n"
                            "  { name = \"MR\"; choices = [1, 2, 4]; doc = \"rows in a block\"; },\n"
                            "  { name = \"UK\"; choices = [1, 2];    doc = \"sums along K\"; } );\n"
                            "values = (\n"
                            "  { name = \"STEP\"; expr = \"MR * UK\";      doc = \"a block\"; },\n"
                            "  { name = \"VF\";   expr = \"VECTOR_BYTES / 4\"; doc = \"floats in a vector\"; } );\n"
                            "constraints = (\n"
                            "  { need = \"STEP <= 4\"; why = \"larger blocks are of no use\"; } );\n"
                            "general = (\n"
                            "  { target = \"portable\"; MR = 2; UK = 1; } );\n"
                            "tile = { M = \"MR\"; N = \"1\"; K = \"UK\"; };\n"
                            "derived = (\n"
                            "  { name = \"TILES\"; expr = \"ceil_div(M, MR)\"; doc = \"blocks of rows\"; },\n"
                            "  { name = \"PADDED\"; expr = \"TILES * MR\"; doc = \"rows with padding\"; } );\n"
                            "padded_flops = \"2 * PADDED * N * K\";\n"
                            "serial_flops = \"2 * PADDED * ceil_div(N, THREADS) * K\";\n"
                            "terms = ( { name = \"work\"; expr = \"1 + 1 / STEP\"; doc = \"a part\"; } );\n"
                            "features = (\n"
                            "  { name = \"block\"; expr = \"log2(STEP)\"; doc = \"size of a block\"; },\n"
                            "  { name = \"tail\"; expr = \"M % MR\"; doc = \"rows left over\"; } );\n"
                            "*/\n"
                            "#ifndef DCGEN\n"
                            "#define MR 2\n"
                            "#define NOT_DECLARED 1\n"
                            "#endif\n"
                            "static int KERNEL(const NAME_args *a) /* MQ in a comment is free */\n"
                            "{\n"
                            "    const int64_t M = a->M;\n"
                            "#if HAS_EPILOGUE\n"
                            "    int rows[MR] = { 0 };\n"
                            "#endif\n"
                            "    f(R); //@ repeat R = 1..STEP\n"
                            "    return M > UK ? PACKAGE_OK : VF;\n"
                            "}\n";

/* The small template with `to` in place of the first `from`. */
static inline const char *with(const char *from, const char *to) { return text_with(arena, small, from, to); }

/* The small template for such calls alone, which this expression is true of; choices of UK: numbers, or the name of an
 * axis. */
static inline const char *serving(const char *serves, const char *choices)
{
    const char *head = with("tile = {", arena_printf(arena, "serves = \"%s\";\ntile = {", serves));
    return text_with(arena, head, "choices = [1, 2];", arena_printf(arena, "choices = %s;", choices));
}

static inline int line_of(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    int line = 1;
    assert_non_null(at);
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

#endif
