/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_cpu: what only packages for CPUs have: threads, packing on the CPU, the choice of an instruction set.
 */
#include "gen/package/emit_private.h"

#include <inttypes.h>
#include <string.h>
#include "gen/base/quote.h"

static const char *pack_api(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const Operand *w = &s->op->operand[s->const_operand];
    char *extents = unit_extents(e->arena, s->op, w->elems);
    Text t = { .arena = e->arena };
    text_printf(
        &t,
        "/* %s is packed once and then used with any other extents. Bytes that the packed copy takes; 0: bad extents,\n"
        " * nothing to pack, or more than memory can hold. */\n",
        w->name);
    text_printf(&t, "size_t %s_packed_bytes(%s);\n", s->name, extents);
    text_printf(&t, "/* %s: %s; here %s. packed: %s_packed_bytes(...) bytes,\n * best aligned to 64. */\n", w->name,
                quote_comment(e->arena, w->doc), s->layout, s->name);
    text_printf(&t, "int %s_pack(%s, %s%s, void *packed);\n\n", s->name, extents, "const float *", w->name);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *signature(Emitter *e, const char *end)
{
    const Spec *s = emit_spec(e);
    return arena_printf(e->arena, "int %s(%s,\n    %svoid *workspace,\n    const %s_exec *exec)%s", s->name,
                        unit_extents(e->arena, s->op, NULL), emit_operand_params(e), s->name, end);
}

static const char *call_api(Emitter *e)
{
    const Spec *s = emit_spec(e);
    char *extents = unit_extents(e->arena, s->op, NULL);
    Text t = { .arena = e->arena };
    text_printf(
        &t, "/* Bytes of scratch memory that a call with these extents needs; 0: none, workspace may be NULL. */\n");
    text_printf(&t, "size_t %s_workspace_bytes(%s);\n\n/* %s\n", s->name, extents, quote_comment(e->arena, s->op->doc));
    emit_argument_docs(e, &t, arena_printf(e->arena, "%s_pack", s->name));
    text_printf(
        &t,
        " * Operands need no alignment beyond their element's, and one without elements may be NULL; the output may "
        "not\n"
        " * overlap an input. Any extents from 0 to 2147483647 are right; those that spec.cfg names are fast. */\n"
        "%s\n\n",
        signature(e, ";"));
    text_printf(
        &t,
        "/* The kernel that one thread's call with these extents takes on this CPU, for logs; -1: bad extents. */\n"
        "int %s_choose(%s);\n\n",
        s->name, extents);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *choose(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const char *extents = unit_extents(e->arena, s->op, NULL);
    Text t = { .arena = e->arena };
    text_printf(&t, "int %s_choose(%s)\n{\n", s->name, extents);
    emit_extent_check(e, &t, "-1");
    text_printf(&t, "    return %s_dispatch(%s_cpu(), %s, 1);\n}\n\n", s->name, s->name, emit_axes(e));
    text_printf(&t, "size_t %s_workspace_bytes(%s)\n{\n", s->name, extents);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, "    (void)%s;\n", s->op->axis[i].name);
    text_printf(&t, "    return 0;\n}\n\n");
    return arena_strdup(e->arena, text_str(&t));
}

static const char *call(Emitter *e)
{
    const Spec *s = emit_spec(e);
    Text t = { .arena = e->arena };
    text_printf(&t, "/* Arithmetic work of a call; in double, where it cannot overflow. */\nstatic double %s_flops(",
                s->name);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, "%sdouble %s", i ? ", " : "", s->op->axis[i].name);
    text_printf(&t, ")\n{\n    return %s;\n}\n\n%s\n{\n", expr_text(s->op->flops), signature(e, ""));
    emit_extent_check(e, &t, arena_printf(e->arena, "%s_BAD_EXTENT", s->name));
    text_printf(&t, "    if (%s == 0 || %s == 0)\n        return %s_OK;\n", expr_text(s->op->rows),
                expr_text(s->op->row_elems), s->name);
    emit_null_checks(e, &t);
    text_printf(&t, "    const %s_args args = { %s, ", s->name, emit_axes(e));
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, "%s, ", emit_argument(e, i));
    text_printf(&t, "workspace };\n    const double flops = %s_flops(", s->name);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, "%s(double)%s", i ? ", " : "", s->op->axis[i].name);
    text_printf(
        &t,
        ");\n    const int nthread = exec && exec->threads > 1 ? %s_nthread(exec, flops) : 1, cpu = %s_cpu();\n    int "
        "kernel;\n    if (exec && exec->kernel) {\n"
        "        if (exec->kernel < 0 || exec->kernel > %s_NKERNEL)\n            return %s_BAD_KERNEL;\n"
        "        kernel = exec->kernel - 1;\n        if (!%s_table[kernel] || %s_target[kernel] < cpu)\n"
        "            return %s_BAD_KERNEL;\n    } else {\n        kernel = %s_dispatch(cpu, %s, nthread);\n    }\n"
        "    return %s_start_all(%s_table[kernel], &args, exec, nthread, flops);\n}\n",
        s->name, s->name, s->name, s->name, s->name, s->name, s->name, s->name, emit_axes(e), s->name, s->name);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *cpu(Emitter *e)
{
    const char *name = emit_spec(e)->name;
    Text t = { .arena = e->arena };
    text_printf(&t, "/* The best instruction set of this package that this CPU has:");
    for (int i = 0; i < e->nentry; i++)
        text_printf(&t, " %d %s%s", i, e->entry[i].target->name, i + 1 < e->nentry ? "," : ".");
    text_printf(&t, " Define %s_CPU to fix it when compiling. */\nstatic inline int %s_cpu(void)\n{\n", name, name);
    text_printf(&t, "#if defined(%s_CPU)\n    return %s_CPU;\n#else\n", name, name);
    for (int i = 0; i < e->nentry; i++) {
        const Target *target = e->entry[i].target;
        const char *guard = target_arch_guard(target);
        if (strcmp(target->runtime_check, "1") == 0) {
            text_printf(&t, "    return %d;\n", i);
            break;
        }
        text_printf(&t, "%s    if (%s)\n        return %d;\n%s", guard ? guard : "", target->runtime_check, i,
                    guard ? "#endif\n" : "");
    }
    text_add(&t, "#endif\n}\n\n");
    return arena_strdup(e->arena, text_str(&t));
}

/* "name(M, N, K, X, packed, bias, Y, NULL, exec)" */
static const char *example_call(Emitter *e, const char *exec)
{
    const Spec *s = emit_spec(e);
    Text t = { .arena = e->arena };
    text_printf(&t, "%s(%s, ", s->name, emit_axes(e));
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, "%s, ", s->packed && i == s->const_operand ? "packed" : s->op->operand[i].name);
    text_printf(&t, "NULL, %s)", exec);
    return arena_strdup(e->arena, text_str(&t));
}

/* The calls in the order that a product makes them, for README.md. */
static const char *usage(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const char *n = s->name;
    Text t = { .arena = e->arena };
    text_printf(&t, "```c\n#include <stdlib.h>\n#include \"%s.h\"\n#include \"%s_pool.h\"\n\n", n, n);
    if (s->packed) {
        const Operand *w = &s->op->operand[s->const_operand];
        const char *names = unit_axes(e->arena, s->op, w->elems);
        text_printf(&t,
                    "/* Once for each %s. */\n"
                    "void *packed = aligned_alloc(64, (%s_packed_bytes(%s) + 63) / 64 * 64);\n"
                    "int code = %s_pack(%s, %s, packed);\n\n",
                    w->name, n, names, n, names, w->name);
    }
    text_printf(&t, "/* On one thread; what a code means, %s_strerror(code) says. */\n%scode = %s;\n\n", n,
                s->packed ? "" : "int ", example_call(e, "NULL"));
    text_printf(&t,
                "/* On four; the pool is started once. */\n%s_pool *pool = %s_pool_start(4);\n"
                "%s_exec exec = { .threads = 4, .parallel_for = %s_pool_run, .ctx = pool };\ncode = %s;\n```\n",
                n, n, n, n, example_call(e, "&exec"));
    return arena_strdup(e->arena, text_str(&t));
}

const EmitSection emit_cpu_sections[] = {
    { "pack_api", pack_api }, { "call_api", call_api }, { "choose", choose }, { "call", call },
    { "cpu", cpu },           { "usage", usage },       { NULL, NULL }
};
