/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* The operator as programs see it that compare calls with its definition: the definition, what operands a call has, what they hold, and how far a
 * result may be off. Its names begin with NAME, as the definition may have any others. */
#endif
//@ exact
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "NAN must be seen here, and no pragma brings it back: compile with -fno-finite-math-only behind all other flags"
#endif

/* ---- the definition ---- */

//@ reference

/* ---- elements ---- */

#if CALLS_ARITHMETIC
//@ arithmetic

#endif
/* What an input holds: numbers from -1 to 1, such rows of a formula, whole ones from -4 to 4, words of any bits, lengths from 0
 * to an extent, places below it, permutations of it; in each row lengths that add up to it, or where such parts begin and, at last, end. */
typedef enum {
    NAME_normal, NAME_in_rows, NAME_integers, NAME_bits, NAME_lengths, NAME_places, NAME_permutation, NAME_parts, NAME_offsets
} NAME_data;

static void NAME_store(dcgen_format format, void *to, int64_t i, double v)
{
#if ANY_F16
    if (format == dcgen_as_f16) { /* to nearest, ties to even; what is too large, or no number, becomes infinite */
        const float scaled = fminf(fabsf((float)v), 65536) * 0x1p-112f; /* a float whose exponent field is that of the result */
        uint32_t bits;
        memcpy(&bits, &scaled, sizeof bits);
        bits += 0xfffu + (bits >> 13 & 1);
        ((uint16_t *)to)[i] = (uint16_t)((signbit(v) ? 0x8000u : 0) | bits >> 13);
        return;
    }
#endif
#if ANY_BF16
    if (format == dcgen_as_bf16) { /* likewise */
        const float value = (float)v;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits += 0x7fffu + (bits >> 16 & 1);
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
        return;
    }
#endif
#if ANY_S32
    if (format == dcgen_as_s32) {
        ((int32_t *)to)[i] = (int32_t)v;
        return;
    }
#endif
    (void)format;
    ((float *)to)[i] = (float)v;
}

/* How far a result y may be off: `terms` rounded operations on terms whose magnitudes sum up to `bound`. Errors of different terms are
 * independent, hence the roots. */
static double NAME_tolerance(double terms, double bound, double y)
{
    const double of_sums = EPS_SUMS, of_inputs = EPS_INPUTS, of_output = EPS_OUTPUT, of_denormals = EPS_DENORMALS;
    const double root = sqrt(terms < 1 ? 1 : terms);
    const double of_terms = of_sums * (4 * root + 8) + of_inputs * fmin(2, 12 / root);
#if HAS_ACCURACY
    return dcgen_reference_accuracy * of_terms * bound + of_output * fabs(y) + of_denormals + 1e-300;
#else
    return of_terms * bound + of_output * fabs(y) + of_denormals + 1e-300;
#endif
}

/* ---- a call's operands ---- */

enum { NAME_nextent = NEXTENT, NAME_noperand = NOPERAND, NAME_out = OUTPUT_PLACE, NAME_max_rank = 12, NAME_canary = 256 };

/* What is the same in all calls. Operands that this package lacks have no rank. */
static const struct {
    int rank, is_strided;
    size_t bytes; /* of an element */
    dcgen_format format;
    NAME_data data;
    int of; /* of what an extent bounds: that extent */
    int must_be_finite, may_be_output;
    int is_passed; /* 0: it is packed with the constant operand that calls take */
} NAME_fact[NAME_noperand] = {
    [PLACE] = { RANK, IS_STRIDED, sizeof(C_TYPE), FORMAT, NAME_HOLDS, OF, MUST_BE_FINITE, MAY_BE_OUTPUT, IS_PASSED }, //@ repeat all_operands
};

typedef struct {
    int64_t extent[NAME_max_rank], stride[NAME_max_rank]; /* outermost first; strides in elements */
    int64_t elems, span;                                  /* span: elements from the first one to behind the last one */
    void *dense;                                          /* of an input: its elements one behind the other, as the definition reads them */
    unsigned char *room;                                  /* `span` elements, as a call takes them, between canaries */
} NAME_operand;

typedef struct {
    int64_t extent[NAME_nextent];
    NAME_operand operand[NAME_noperand];
    int64_t rows, step; /* of the output; each step-th one is compared with the definition */
    double *want, *bound;
    void *packed; /* the constant operand as the call takes it, or NULL */
    int is_apart; /* not 0: the call is told strides. 1: strided operands have gaps; 2: inputs have the same rows for several places; 3: outer extents lie
                   * in the opposite order */
    int is_planned; /* calls are prepared, then executed */
    int is_planted; /* some elements of inputs are no numbers */
#if HAS_PARTS
    int way; /* how extents are divided into parts: at random, equally, one has all, most are empty */
#endif
#if ANY_SCRATCH
    unsigned char *scratch, *workspace; /* the workspace of calls, and the memory that it lies in, between canaries */
    size_t scratch_bytes, workspace_bytes;
#endif
} NAME_problem;

static void *NAME_take(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return p;
}

static void NAME_set_extents(NAME_operand *o, int rank, const int64_t *extent)
{
    o->elems = 1;
    for (int i = 0; i < rank; i++)
        o->elems *= o->extent[i] = extent[i];
}

static void NAME_lay_out(NAME_problem *problem)
{
    const int64_t AXIS = problem->extent[PLACE]; //@ repeat every
    (void)AXIS; //@ repeat every
    problem->rows = OUTPUT_ROWS;
    NAME_set_extents(&problem->operand[PLACE], RANK, (const int64_t[]){ EACH(shape, ALONG) }); //@ repeat all_operands
}

/* From a fixed generator, at least 0 and less than n. */
static int64_t NAME_below(int64_t n)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(state >> 33) % n;
}

static double NAME_unit(void) { return (double)NAME_below((int64_t)1 << 31) / 0x1p30 - 1; }

#if HAS_PARTS
/* How large the i-th of n parts is beside the others; `all` is the one that has all. */
static int64_t NAME_weight(int way, int64_t i, int64_t n, int64_t all, uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return way == 1 ? 1 : way == 2 ? i == all : way == 3 ? i % 4 == 2 && i + 1 < n : *state >> 62 ? 1 + (int64_t)(*state >> 33) % 16 : 0;
}

/* Divides an extent into parts, in each row anew. Where there are as many of the same extent elsewhere, in lengths or offsets, they are the same. */
static void NAME_divide(const NAME_problem *p, int operand)
{
    const NAME_operand *o = &p->operand[operand];
    const int is_offsets = NAME_fact[operand].data == NAME_offsets;
    const int64_t row = o->extent[NAME_fact[operand].rank - 1], n = row - is_offsets, most = p->extent[NAME_fact[operand].of];
    for (int64_t at = 0; at < o->elems; at += row) {
        const uint64_t seed = (uint64_t)(most + at / row * 7919);
        const int64_t all = n > 0 ? (int64_t)(seed % (uint64_t)n) : 0;
        uint64_t state = seed;
        int64_t sum = 0, total = 0, before = 0;
        for (int64_t i = 0; i < n; i++)
            total += NAME_weight(p->way, i, n, all, &state);
        state = seed;
        for (int64_t i = 0; i < n; i++) {
            sum += NAME_weight(p->way, i, n, all, &state);
            const int64_t end = total ? (int64_t)((double)sum / (double)total * (double)most) : i + 1 == n ? most : 0;
            NAME_store(dcgen_as_s32, o->dense, at + i, (double)(is_offsets ? before : end - before));
            before = end;
        }
        if (is_offsets)
            NAME_store(dcgen_as_s32, o->dense, at + n, (double)before);
    }
}

#endif
static void NAME_draw(const NAME_problem *p, int operand)
{
    const dcgen_format format = NAME_fact[operand].format;
    const NAME_operand *o = &p->operand[operand];
#if ANY_S32
    const NAME_data data = NAME_fact[operand].data;
    const int64_t most = p->extent[NAME_fact[operand].of];
    for (int64_t i = 0; i < o->elems && data == NAME_lengths; i++) /* the whole extent and nothing come first */
        NAME_store(format, o->dense, i, (double)(i == 0 ? most : i == 1 ? 0 : NAME_below(most + 1)));
    for (int64_t i = 0; i < o->elems && data == NAME_places && most; i++) /* the last place and the first one do */
        NAME_store(format, o->dense, i, (double)(i == 0 ? most - 1 : i == 1 ? 0 : NAME_below(most)));
    for (int64_t i = 0; i < o->elems && data == NAME_permutation; i++) {
        const int64_t place = i % most, other = i - place + NAME_below(place + 1);
        NAME_store(format, o->dense, i, dcgen_load(format, o->dense, other));
        NAME_store(format, o->dense, other, (double)place);
    }
    for (int64_t i = 0; i < o->elems && data == NAME_bits; i++)
        NAME_store(format, o->dense, i, (double)((NAME_below(1 << 16) << 16 | NAME_below(1 << 16)) + INT32_MIN));
#if HAS_PARTS
    if (data >= NAME_parts)
        NAME_divide(p, operand);
#endif
    if (data >= NAME_bits)
        return;
#endif
    for (int64_t i = 0; i < o->elems; i++)
        NAME_store(format, o->dense, i,
                   NAME_fact[operand].data == NAME_integers ? (double)(NAME_below(9) - 4) : NAME_unit());
}
