/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_cpu: C for CPUs. Each kernel is compiled for its own instruction set by a function attribute.
 */
#include "gen/unit/unit_private.h"

#include <string.h>
#include "gen/base/quote.h"

static void add_targets(Text *t, const UnitContext *u)
{
    for (int i = 0; i < u->targets->n; i++) {
        const Target *target = &u->targets->t[i];
        if (target->family != u->target->family)
            continue;
        if (*target->attribute)
            text_printf(t, "#define %s_TARGET_%s __attribute__((target(%s)))\n", u->spec->name, target->name,
                        quote_string(t->arena, target->attribute));
        else
            text_printf(t, "#define %s_TARGET_%s\n", u->spec->name, target->name);
    }
}

static void add_preamble(Text *t, const UnitContext *u)
{
    const Spec *s = u->spec;
    text_add(t, "/* Each kernel is compiled for its own instruction set and runs only where the CPU has it. */\n");
    add_targets(t, u);
    text_printf(
        t,
        "\n/* %s_IN_REGISTER keeps a vector in a register: without it the compiler may load it again for every use.\n"
        " * %s_FMA is sum += x * w on vectors of floats, in place: gcc would rotate sums through other registers, at "
        "a\n"
        " * move a time. Kernels with vectors of more than 16 bytes are for CPUs that have this instruction. */\n"
        "#if defined(__x86_64__)\n"
        "#define %s_IN_REGISTER(v) __asm__(\"\" : \"+v\"(v))\n"
        "#define %s_FMA(sum, x, w) \\\n"
        "    do { \\\n"
        "        if (sizeof(sum) > 16) \\\n"
        "            __asm__(\"vfmadd231ps {%%2, %%1, %%0|%%0, %%1, %%2}\" : \"+v\"(sum) : \"v\"(x), \"v\"(w)); \\\n"
        "        else \\\n"
        "            (sum) += (x) * (w); \\\n"
        "    } while (0)\n"
        "#else\n"
        "#define %s_IN_REGISTER(v) ((void)0)\n"
        "#define %s_FMA(sum, x, w) ((sum) += (x) * (w))\n"
        "#endif\n\n",
        s->name, s->name, s->name, s->name, s->name, s->name);
    text_add(t, "/* One call, as the kernels see it. */\ntypedef struct {\n    int64_t ");
    text_printf(t, "%s;\n", unit_axes(t->arena, s->op, NULL));
    unit_add_operand_fields(t, s, NULL);
    text_printf(t, "    void *workspace;\n} %s_args;\n\n", s->name);
}

/* The functions that search/runner/abi.h names, in terms of this unit's own. */
static void add_entry(Text *t, const UnitContext *u)
{
    const Spec *s = u->spec;
    text_add(t, "int dcgen_run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t "
                "ntask)\n{\n");
    text_printf(t, "    const %s_args args = {\n        %s,", s->name, unit_extent_list(t->arena, s->op, NULL, ""));
    unit_add_operand_list(t, s, false);
    text_printf(t, " workspace };\n    return %s_k0(&args, task, ntask);\n}\n", s->name);
    if (!s->packed)
        return;
    const char *list = unit_extent_list(t->arena, s->op, s->op->operand[s->const_operand].elems, "");
    text_printf(
        t, "\nint64_t dcgen_packed_bytes(const int64_t *extent)\n{\n    return (int64_t)%s_packed_bytes(%s);\n}\n\n",
        s->name, list);
    text_printf(t,
                "int dcgen_pack(const int64_t *extent, const void *w, void *packed)\n{\n    return %s_pack(%s, w, "
                "packed);\n}\n",
                s->name, list);
}

const UnitDialect unit_cpu = { &family_cpu, add_preamble, add_entry };
