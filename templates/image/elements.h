/* SPDX-License-Identifier: MIT-0 */
/* Elements of Y one by one; the template has KERNEL_element, which computes one. For operators whose X and Y are images of the same channels. */
/* Part `task` of `ntask` of the call: lines along Y's last extent. */
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
#if LAYOUT_Y_NCHW
    const int64_t lines = a->N * a->C * a->P, length = a->Q;
#else
    const int64_t lines = a->N * a->P * a->Q, length = a->C;
#endif
    for (int64_t line = lines * task / ntask; line < lines * (task + 1) / ntask; line++)
        for (int64_t i = 0; i < length; i += LANES) {
            const int64_t lanes = length - i < LANES ? length - i : LANES;
            float part[LANES] = { 0 };
#if LAYOUT_Y_NCHW
            const int64_t p = line % a->P, c = line / a->P % a->C, n = line / a->P / a->C;
            for (int64_t j = 0; j < lanes; j++)
                part[j] = KERNEL_element(a, n, p, i + j, c);
#else
            const int64_t q = line % a->Q, p = line / a->Q % a->P, n = line / a->Q / a->P;
            for (int64_t j = 0; j < lanes; j++)
                part[j] = KERNEL_element(a, n, p, q, i + j);
#endif
            PACKAGE_floats_MACHINE y = PACKAGE_load_MACHINE(part, LANES);
#if HAS_EPILOGUE
#if LAYOUT_Y_NCHW
            y = NAME_epilogue_MACHINE(a, y, n, c, p, i, lanes);
#else
            y = NAME_epilogue_MACHINE(a, y, n, p, q, i, lanes);
#endif
#endif
            PACKAGE_store_MACHINE(a->Y + line * length + i, y, lanes);
        }
    return 0;
}
