/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the package's own programs call it. */
#endif
/* What a call takes for an operand: an address, as the first element lies behind a canary; NULL: it has no elements. */
static void *NAME_address(const NAME_operand *o) { return o->elems ? o->room + NAME_canary : NULL; }

static void NAME_pack_constant(NAME_problem *p)
{
#if PACKED
    const size_t bytes = NAME_packed_bytes(EACH(packed_axes, p->extent[PLACE]));
    free(p->packed);
    p->packed = bytes ? NAME_take(bytes) : NULL;
    if (NAME_pack(EACH(packed_axes, p->extent[PLACE]), EACH(packed_operands, p->operand[PLACE].dense), p->packed) != PACKAGE_OK) {
        printf("wrong: NAME_pack fails\n");
        exit(1);
    }
#else
    (void)p;
#endif
}

#if ANY_SCRATCH
#define NAME_HAS_WORKSPACE 1

/* A workspace for each of n ways to carry the call out: all bits set (NaN), a canary before it and one behind it. */
static void NAME_reserve(NAME_problem *p, const PACKAGE_exec *exec, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++) {
        const size_t need = NAME_workspace_bytes(EACH(axes, p->extent[PLACE]), &exec[i]);
        bytes = need > bytes ? need : bytes;
    }
    const size_t all = bytes + 2 * NAME_canary;
    if (all > p->scratch_bytes) {
        free(p->scratch);
        p->scratch = NAME_take(p->scratch_bytes = all);
    }
    p->workspace = p->scratch + p->scratch_bytes - NAME_canary - bytes;
    p->workspace_bytes = bytes;
    memset(p->scratch, NAME_canary_byte, p->scratch_bytes);
    memset(p->workspace, 0xff, bytes);
}

/* 1 if no call since then has written beside its workspace. */
static int NAME_kept_to_workspace(const NAME_problem *p)
{
    const unsigned char *end = p->workspace + p->workspace_bytes;
    for (const unsigned char *c = p->scratch; c < p->scratch + p->scratch_bytes; c++)
        if ((c < p->workspace || c >= end) && *c != NAME_canary_byte)
            return 0;
    return 1;
}

#endif
#define NAME_ARGUMENTS EACH(axes, problem->extent[PLACE]) \
//@ repeat operands
#if IS_CONSTANT && PACKED
    , problem->packed \
#else
    , NAME_address(&problem->operand[PLACE]) \
#endif
#if IS_STRIDED
    , problem->is_apart ? problem->operand[PLACE].stride : NULL \
#endif
//@ end

static int NAME_run(const NAME_problem *problem, const PACKAGE_exec *exec)
{
#if ANY_SCRATCH
    void *const workspace = problem->workspace_bytes ? problem->workspace : NULL;
#else
    void *const workspace = NULL;
#endif
    if (!problem->is_planned)
        return NAME(NAME_ARGUMENTS, workspace, exec);
    NAME_plan plan;
    const int code = NAME_prepare(NAME_ARGUMENTS, exec, &plan);
    return code == PACKAGE_OK ? NAME_execute(&plan, workspace) : code;
}
