/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_cuda: what only packages for GPUs have: a stream, packing on the device, the choice by the device at hand.
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
    text_printf(&t, "size_t %s_cuda_packed_bytes(%s);\n", s->name, extents);
    text_printf(
        &t,
        "/* %s: %s; here %s. packed: %s_cuda_packed_bytes(...) bytes, as cudaMalloc\n * aligns them. Both on the "
        "device; the copy is done when what was put into the stream is. */\n",
        w->name, quote_comment(e->arena, w->doc), s->layout, s->name);
    text_printf(&t, "int %s_cuda_pack(%s, const void *%s, void *packed, struct CUstream_st *stream);\n\n", s->name,
                extents, w->name);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *signature(Emitter *e, const char *end)
{
    const Spec *s = emit_spec(e);
    return arena_printf(
        e->arena, "int %s_cuda(%s,\n    %svoid *workspace,\n    const %s_exec *exec, struct CUstream_st *stream)%s",
        s->name, unit_extents(e->arena, s->op, NULL), emit_operand_params(e), s->name, end);
}

static const char *call_api(Emitter *e)
{
    const Spec *s = emit_spec(e);
    char *extents = unit_extents(e->arena, s->op, NULL);
    Text t = { .arena = e->arena };
    text_printf(
        &t,
        "/* Bytes of device memory that a call with these arguments needs on the current device; 0: none, workspace "
        "may be NULL.\n * The workspace begins on a multiple of 16 bytes, as all memory of cudaMalloc does. It is "
        "zeroed "
        "once, before its first use\n * (%s_cuda_workspace_clear); every call leaves it fit for the next, of any "
        "extents. "
        "Calls that may run at the same time\n * need one each. */\n"
        "size_t %s_cuda_workspace_bytes(%s, const %s_exec *exec);\n\n/* %s\n",
        s->name, s->name, extents, s->name, quote_comment(e->arena, s->op->doc));
    emit_argument_docs(e, &t, arena_printf(e->arena, "%s_cuda_pack", s->name));
    text_printf(
        &t,
        " *   stream    a cudaStream_t; NULL: the default stream\n"
        " * All pointers are the current device's. Operands need no alignment beyond their element's (16 bytes are "
        "fastest), and one\n * without elements may be NULL; the output may not overlap an input. Any extents from 0 "
        "to "
        "2147483647 are right; those\n * that spec.cfg names are fast. Starts one kernel, allocates nothing and waits "
        "for "
        "nothing: a call may be captured in a\n * CUDA graph. */\n%s\n\n",
        signature(e, ";"));
    text_printf(
        &t,
        "/* The kernel that a call with these extents takes on the current device, for logs; -1: bad extents, or no "
        "kernel of this\n * package runs there. */\nint %s_cuda_choose(%s);\n\n",
        s->name, extents);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *choose(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const char *n = s->name, *extents = unit_extents(e->arena, s->op, NULL), *axes = emit_axes(e);
    Text t = { .arena = e->arena };
    text_printf(&t, "int %s_cuda_choose(%s)\n{\n", n, extents);
    emit_extent_check(e, &t, "-1");
    text_printf(
        &t, "    const int target = %s_current_target();\n    return target < 0 ? -1 : %s_dispatch(target, %s);\n}\n\n",
        n, n, axes);
    text_printf(
        &t,
        "/* The kernel for a call, or minus the code of what is wrong. */\n"
        "static int %s_kernel_of(const %s_exec *exec, %s)\n{\n"
        "    const int target = %s_current_target();\n    if (target < 0)\n        return -%s_BAD_DEVICE;\n"
        "    if (!exec || !exec->kernel)\n        return %s_dispatch(target, %s);\n"
        "    if (exec->kernel < 0 || exec->kernel > %s_NKERNEL || !%s_runs(target, %s_target[exec->kernel - 1]))\n"
        "        return -%s_BAD_KERNEL;\n    return exec->kernel - 1;\n}\n\n",
        n, n, extents, n, n, n, axes, n, n, n, n);
    text_printf(&t, "size_t %s_cuda_workspace_bytes(%s, const %s_exec *exec)\n{\n    if (", n, extents, n);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, "%s%s < %d || %s > INT32_MAX", i ? " || " : "", s->op->axis[i].name,
                    s->op->axis[i].kind == AXIS_SPATIAL, s->op->axis[i].name);
    text_printf(&t,
                ")\n        return 0;\n    const int kernel = %s_kernel_of(exec, %s);\n"
                "    return kernel < 0 ? 0 : %s_table[kernel].plan(%s).workspace_bytes;\n}\n\n",
                n, axes, n, axes);
    return arena_strdup(e->arena, text_str(&t));
}

static const char *call(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const char *n = s->name, *axes = emit_axes(e);
    Text t = { .arena = e->arena };
    text_printf(&t, "%s\n{\n", signature(e, ""));
    emit_extent_check(e, &t, arena_printf(e->arena, "%s_BAD_EXTENT", n));
    text_printf(&t, "    if (%s == 0 || %s == 0)\n        return %s_OK;\n", expr_text(s->op->rows),
                expr_text(s->op->row_elems), n);
    emit_null_checks(e, &t);
    text_printf(&t,
                "    const int kernel = %s_kernel_of(exec, %s);\n    if (kernel < 0)\n        return -kernel;\n"
                "    const %s_plan plan = %s_table[kernel].plan(%s);\n"
                "    if (plan.workspace_bytes > 0 && !%s_is_workspace(workspace))\n        return %s_BAD_POINTER;\n"
                "    const %s_args args = {",
                n, axes, n, n, axes, n, n, n);
    for (int i = 0; i < s->op->naxis; i++)
        text_printf(&t, " (int)%s,", s->op->axis[i].name);
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, "\n        (%s%s_elem *)(%s),", s->op->operand[i].role == ROLE_OUT ? "" : "const ", n,
                        emit_argument(e, i));
    text_printf(
        &t,
        " workspace\n    };\n    const cudaError_t code = %s_device::launch(%s_table[kernel].kernel, dim3(plan.x, "
        "plan.y, plan.z), plan.threads,\n                                                 plan.smem_bytes, stream, "
        "args);\n    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)\n"
        "        return %s_BAD_DEVICE; /* compiled without code for it */\n"
        "    return code == cudaSuccess ? %s_OK : %s_CUDA_ERROR;\n}\n",
        n, n, n, n, n);
    return arena_strdup(e->arena, text_str(&t));
}

/* ---- dispatch.h ---- */

/* Which of the package's targets a device is: a tuned one only when it is of that very capability. */
static const char *target_of(Emitter *e)
{
    const char *name = emit_spec(e)->name;
    Text t = { .arena = e->arena };
    text_printf(&t, "/* The best target of this package for a device of compute capability cc / 10:");
    for (int i = 0; i < e->nentry; i++)
        text_printf(&t, " %d %s%s%s", i, e->entry[i].target->name, e->entry[i].part ? "" : " and later",
                    i + 1 < e->nentry ? "," : ";");
    text_printf(&t, " -1: none. */\nstatic inline int %s_target_of(int cc)\n{\n", name);
    for (int i = 0; i < e->nentry; i++)
        text_printf(&t, "    if (cc %s %" PRId64 ")\n        return %d;\n",
                    e->entry[i].part ? "==" : ">=", target_number(e->entry[i].target, "SM_ARCH"), i);
    text_add(&t, "    return -1;\n}\n\n");
    text_printf(
        &t,
        "/* May a kernel made for target `of` be started on a device of target `target`? Later ones come first. */\n"
        "static inline int %s_runs(int target, int of) { return of >= target; }\n\n",
        name);
    return arena_strdup(e->arena, text_str(&t));
}

/* ---- the other files ---- */

/* All text that may call a primitive. */
static const char *device(Emitter *e)
{
    const char *kernels = unit_kernels(e->arena, &e->in->part->unit, e->kernel, e->nkernel, e->diag);
    return kernels
               ? unit_device(e->arena, &e->in->part->unit, arena_printf(e->arena, "%s%s", kernels, call(e)), e->diag)
               : NULL;
}

/* "90a-real" "80" "75": machine code for the tuned targets; for later devices the driver can compile the others' code. */
static const char *architectures(Emitter *e)
{
    Text t = { .arena = e->arena };
    text_printf(&t, "    set(%s_CUDA_ARCHITECTURES", emit_spec(e)->name);
    for (int i = 0; i < e->nentry; i++) {
        const Target *target = e->entry[i].target;
        bool again = false;
        for (int j = 0; j < i; j++)
            again = again || e->entry[j].target == target;
        const char *arch = arena_printf(e->arena, "%s%s", target->name + strlen("sm_"), target->exact ? "-real" : "");
        if (!again)
            text_printf(&t, " %s", quote_cmake(e->arena, arch));
    }
    text_add(&t, ")\n");
    return arena_strdup(e->arena, text_str(&t));
}

/* The calls in the order that a product makes them, for README.md. */
static const char *usage(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const char *n = s->name;
    Text t = { .arena = e->arena };
    text_printf(&t, "```c\n#include <cuda_runtime.h>\n#include \"%s.h\"\n\n", n);
    if (s->packed) {
        const Operand *w = &s->op->operand[s->const_operand];
        const char *names = unit_axes(e->arena, s->op, w->elems);
        text_printf(&t,
                    "/* Once for each %s. */\nvoid *packed = NULL;\ncudaMalloc(&packed, %s_cuda_packed_bytes(%s));\n"
                    "int code = %s_cuda_pack(%s, %s, packed, stream);\n\n",
                    w->name, n, names, n, names, w->name);
    }
    text_printf(&t,
                "/* As much as the largest call needs; zeroed once. */\nvoid *workspace = NULL;\nsize_t bytes = "
                "%s_cuda_workspace_bytes(%s, NULL);\nif (bytes > 0 && cudaMalloc(&workspace, bytes) == cudaSuccess)\n"
                "    %s_cuda_workspace_clear(workspace, bytes, stream);\n\n",
                n, emit_axes(e), n);
    text_printf(&t, "/* What a code means, %s_strerror(code) says. */\n%scode = %s_cuda(%s, ", n,
                s->packed ? "" : "int ", n, emit_axes(e));
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            text_printf(&t, "%s, ", s->packed && i == s->const_operand ? "packed" : s->op->operand[i].name);
    text_add(&t, "workspace, NULL, stream);\n```\n");
    return arena_strdup(e->arena, text_str(&t));
}

const EmitSection emit_cuda_sections[] = { { "pack_api", pack_api },
                                           { "call_api", call_api },
                                           { "choose", choose },
                                           { "call", call },
                                           { "target_of", target_of },
                                           { "device", device },
                                           { "architectures", architectures },
                                           { "usage", usage },
                                           { NULL, NULL } };
