/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the package's own programs call it. */
#endif
/* What a call takes for an operand: an address, as the first element lies behind a canary; NULL: it has no elements. */
static void *NAME_address(const NAME_operand *o) { return o->elems ? o->room + NAME_canary : NULL; }

static void NAME_pack_constant(NAME_problem *p)
{
#if PACKED
    p->packed = NAME_take(NAME_packed_bytes(EACH(packed_axes, p->extent[PLACE])));
    if (NAME_pack(EACH(packed_axes, p->extent[PLACE]), p->operand[CONSTANT_PLACE].dense, p->packed) != PACKAGE_OK) {
        printf("wrong: NAME_pack fails\n");
        exit(1);
    }
#else
    (void)p;
#endif
}

static int NAME_run(const NAME_problem *problem, const PACKAGE_exec *exec)
{
#if ANY_SCRATCH
    static unsigned char *room; /* the workspace of the largest call so far, behind which a canary lies */
    static size_t size;
    const size_t bytes = NAME_workspace_bytes(EACH(axes, problem->extent[PLACE]), exec);
    if (!room || bytes > size) {
        free(room);
        size = bytes;
        room = NAME_take(size + NAME_canary);
        memset(room, 0xff, size);
        memset(room + size, NAME_canary_byte, NAME_canary);
    }
#endif
    const int code = NAME(EACH(axes, problem->extent[PLACE]),
//@ repeat operands
#if IS_CONSTANT && PACKED
                problem->packed,
#else
                NAME_address(&problem->operand[PLACE]),
#endif
#if IS_STRIDED
                problem->is_apart ? problem->operand[PLACE].stride : NULL,
#endif
//@ end
#if ANY_SCRATCH
                room + (size - bytes), exec);
    for (size_t i = 0; i < NAME_canary; i++)
        if (room[size + i] != NAME_canary_byte)
            return -1;
#else
                NULL, exec);
#endif
    return code;
}
