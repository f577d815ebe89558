/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Elements that are no numbers, for the package's own test. */
#endif
/* ---- infinities and NaN ---- */

/* Makes one of the first elements of a row of each input NaN, and one of the last elements of another row an infinity: as many as a vector may have. By the
 * definition few rows and columns of the result are no numbers then. A kernel that multiplies by zero what it reads beside a row, or a second time, spoils more. */
static void NAME_plant(NAME_problem *p)
{
    for (int k = 0; k < NAME_noperand; k++) {
        const NAME_operand *o = &p->operand[k];
        const int rank = NAME_fact[k].rank;
        if (!o->elems || k == NAME_out || NAME_fact[k].data != NAME_normal || NAME_fact[k].must_be_finite)
            continue;
        const int64_t width = o->extent[rank - 1], rows = o->elems / width, lanes = width < 16 ? width : 16;
        NAME_store(NAME_fact[k].format, o->dense, NAME_below(rows) * width + NAME_below(lanes), (double)NAN);
        NAME_store(NAME_fact[k].format, o->dense, NAME_below(rows) * width + width - 1 - NAME_below(lanes), (double)INFINITY);
        NAME_put(p, k);
    }
    NAME_define(p);
    p->is_planted = 1;
}
