/* SPDX-License-Identifier: Apache-2.0
 *
 * Where wgmma finds its operands: matrix.c against CuTe, whose layouts and descriptors are what kernels of CUTLASS run
 * with on GPUs. For each swizzle, order and size of elements, all elements of a tile and all its steps of k.
 */
#include <cstdint>
#include <cstdio>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>

extern "C" {
#include "search/runner/emu/matrix.h"
}

using namespace cute;

static int checked, wrong;

template <SM90::GMMA::Major major, class Elem, class Atom, class MN, class K> static void check(const char *name)
{
    constexpr bool across = major == SM90::GMMA::Major::MN;
    using Step = Int<32 / (int)sizeof(Elem)>;
    const auto layout = tile_to_shape(Atom{}, Shape<MN, K>{});
    const auto place = as_position_independent_swizzle_layout(layout);
    const auto tile = make_tensor(make_smem_ptr((Elem *)nullptr), layout);
    for (int step = 0; step < K::value / Step::value; step++) {
        const auto part = local_tile(tile, Shape<MN, Step>{}, make_coord(0, step));
        GmmaDescriptor d = SM90::GMMA::make_gmma_desc<major>(part);
        d.bitfield.start_address_ = (uint16_t)((uintptr_t)raw_pointer_cast(recast<uint128_t const>(part).data()) >> 4);
        for (int mn = 0; mn < MN::value; mn++)
            for (int k = 0; k < Step::value; k++, checked++) {
                const uint32_t want = (uint32_t)(place(mn, step * Step::value + k) * sizeof(Elem));
                const uint32_t got = matrix_address(d.desc_, sizeof(Elem), across, (unsigned)mn, (unsigned)k);
                if (want != got && wrong++ < 20)
                    printf("%s, %d bytes, step %d: (%d, %d) at %u, not %u\n", name, (int)sizeof(Elem), step, mn, k, got, want);
            }
    }
}

template <class Elem> static void check_along_k()
{
    using namespace SM90::GMMA;
    using Step = Int<32 / (int)sizeof(Elem)>;
    check<Major::K, Elem, Layout_K_INTER_Atom<Elem>, _64, Step>("along k");
    check<Major::K, Elem, Layout_K_SW32_Atom<Elem>, _128, Step>("along k, 32");
    check<Major::K, Elem, Layout_K_SW64_Atom<Elem>, _64, Int<2 * Step::value>>("along k, 64");
    check<Major::K, Elem, Layout_K_SW128_Atom<Elem>, _192, Int<4 * Step::value>>("along k, 128");
}

int main()
{
    using namespace SM90::GMMA;
    check_along_k<uint8_t>();
    check_along_k<uint16_t>();
    check_along_k<uint32_t>();
    check<Major::MN, uint16_t, Layout_MN_INTER_Atom<uint16_t>, _64, _64>("across");
    check<Major::MN, uint16_t, Layout_MN_SW32_Atom<uint16_t>, _64, _64>("across, 32");
    check<Major::MN, uint16_t, Layout_MN_SW64_Atom<uint16_t>, _128, _32>("across, 64");
    check<Major::MN, uint16_t, Layout_MN_SW128_Atom<uint16_t>, _256, _64>("across, 128");
    printf("%d of %d addresses are wrong\n", wrong, checked);
    return wrong || checked < 10000;
}
