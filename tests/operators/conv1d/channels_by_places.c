/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "channels_by_places";
op      = "conv1d";
family  = "cpu";
doc     = "OT channels by PT places of Y at a time, their sums in registers";
params  = (
  { name = "OT"; choices = [1, 2, 4, 8]; doc = "channels of a tile"; },
  { name = "PV"; choices = [1, 2, 4];    doc = "vectors of places of a tile"; } );
values  = (
  { name = "LANES"; expr = "VECTOR_BYTES / 4"; doc = "floats of a vector"; },
  { name = "PT"; expr = "PV * LANES"; doc = "places of a tile"; } );
constraints = ( { need = "OT * PV + PV + 1 <= VECTOR_REGISTERS"; why = "the sums of a tile stay in registers"; } );
general = ( { target = "avx512"; OT = 4; PV = 2; }, { target = "avx2"; OT = 4; PV = 2; }, { target = "portable"; OT = 2; PV = 2; } );
tile    = { B = "1"; O = "OT"; C = "1"; W = "PT"; R = "1"; };
*/
typedef float KERNEL_vec __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

/* Element w of a row of X, with its padding. */
static inline TARGET_ATTRIBUTE float KERNEL_at(const float *x, int64_t n, int64_t w) { return w >= 0 && w < n ? x[w] : 0; }

/* PV vectors of X, each of whose elements is STRIDE behind the one before. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_load(KERNEL_vec x[PV], const float *row, int64_t n, int64_t w, int64_t stride)
{
    if (stride == 1 && w >= 0 && w + PT <= n) {
        for (int v = 0; v < PV; v++)
            x[v] = *(const KERNEL_vec *)(row + w + v * LANES);
        return;
    }
    for (int v = 0; v < PV; v++)
        for (int i = 0; i < LANES; i++)
            x[v][i] = KERNEL_at(row, n, w + (v * LANES + i) * stride);
}

/* The sums of a tile, over channels and taps. Channels above `channels` repeat the last one, and are not stored. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_tile(const NAME_args *a, int64_t b, int64_t o0, int64_t p0, int channels, float out[OT][PT])
{
    KERNEL_vec sum[OT][PV];
    const float *f[OT];
    for (int o = 0; o < OT; o++) {
        f[o] = a->F + (o0 + (o < channels ? o : channels - 1)) * a->C * a->R;
        for (int v = 0; v < PV; v++)
            sum[o][v] = (KERNEL_vec){ 0 };
    }
    for (int64_t c = 0; c < a->C; c++)
        for (int64_t r = 0; r < a->R; r++) {
            KERNEL_vec x[PV] = { 0 };
            KERNEL_load(x, a->X + (b * a->C + c) * a->W, a->W, p0 * NAME_STRIDE(a) + r * NAME_DILATION(a) - NAME_PAD(a), NAME_STRIDE(a));
            for (int o = 0; o < OT; o++)
                for (int v = 0; v < PV; v++)
                    sum[o][v] += x[v] * f[o][c * a->R + r];
        }
    for (int o = 0; o < OT; o++)
        for (int v = 0; v < PV; v++)
            *(KERNEL_vec *)&out[o][v * LANES] = sum[o][v];
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t across = (a->P + PT - 1) / PT, down = (a->O + OT - 1) / OT, n = a->B * down * across;
    for (int64_t i = n * task / ntask; i < n * (task + 1) / ntask; i++) {
        const int64_t p0 = i % across * PT, o0 = i / across % down * OT, b = i / across / down;
        const int channels = a->O - o0 < OT ? (int)(a->O - o0) : OT, places = a->P - p0 < PT ? (int)(a->P - p0) : PT;
        float out[OT][PT];
        KERNEL_tile(a, b, o0, p0, channels, out);
        for (int o = 0; o < channels; o++)
#if HAS_EPILOGUE
            for (int p = 0; p < places; p += LANES) {
                const int lanes = places - p < LANES ? places - p : LANES;
                PACKAGE_store_MACHINE(&a->Y[(b * a->O + o0 + o) * a->P + p0 + p],
                                      NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(&out[o][p], lanes), b, o0 + o, p0 + p, lanes), lanes);
            }
#else
            for (int p = 0; p < places; p++)
                a->Y[(b * a->O + o0 + o) * a->P + p0 + p] = out[o][p];
#endif
    }
    return 0;
}
