/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"
#include <dlfcn.h>
#include <stdio.h>

typedef float Floats16 __attribute__((vector_size(64)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats4 __attribute__((vector_size(16)));

Peer peer_find(int i, const char *function, int vector_bytes)
{
    static const char *const library[PEERS] = { "libmvec.so.1", "libsleef.so.3", "libsleef.so.3" };
    static const char *const accuracy[PEERS] = { "", "u10", "u35" };
    const char set = vector_bytes == 64 ? 'e' : vector_bytes == 32 ? 'd' : 'b';
    const char *target = vector_bytes == 64 ? "avx512f" : vector_bytes == 32 ? "avx2" : "sse2";
    Peer peer = { .vector_bytes = vector_bytes };
    if (i == 0)
        snprintf(peer.symbol, sizeof peer.symbol, "_ZGV%cN%dv_%sf", set, vector_bytes / 4, function);
    else
        snprintf(peer.symbol, sizeof peer.symbol, "Sleef_%sf%d_%s%s", function, vector_bytes / 4, accuracy[i], target);
    void *handle = dlopen(library[i], RTLD_NOW);
    peer.function = handle ? dlsym(handle, peer.symbol) : NULL;
    return peer;
}

#if defined __x86_64__
#define TARGET(name) __attribute__((target(name)))
#else
#define TARGET(name)
#endif

#define CALL(Floats, attribute)                                                          \
    static attribute void call_##Floats(void *function, float *y, const float *x, int n) \
    {                                                                                    \
        Floats (*const f)(Floats) = (Floats(*)(Floats))function;                         \
        const int lanes = sizeof(Floats) / sizeof(float);                                \
        for (int i = 0; i < n; i += lanes)                                               \
            *(Floats *)(y + i) = f(*(const Floats *)(x + i));                            \
    }
CALL(Floats16, TARGET("avx512f"))
CALL(Floats8, TARGET("avx2"))
CALL(Floats4, )

void peer_call(const Peer *peer, float *y, const float *x, int n)
{
    if (peer->vector_bytes == 64)
        call_Floats16(peer->function, y, x, n);
    else if (peer->vector_bytes == 32)
        call_Floats8(peer->function, y, x, n);
    else
        call_Floats4(peer->function, y, x, n);
}
