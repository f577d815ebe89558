#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs/llama.md: what the page shows stands in specs/llama_block.cfg and examples/llama_block, and the example is right, with heads of both kinds of pairs and a text
# that grows token by token. Its package is of a short search, for small sizes. And packed weights of a package of several functions in files.
# ctest: label=slow,thorough timeout=120 cost=10
. "$SRC/tests/cli/lib.sh"

section what the page shows
# Lines of the page's code but for its commands, without their blanks.
awk '/^```/ { is_code = $0 != "```sh"; inside = !inside; next } inside && is_code' "$SRC/docs/llama.md" | tr -d ' ' | grep . >page
[ "$(wc -l <page)" -ge 20 ] || failed "the page has no code"
cat "$SRC/specs/llama_block.cfg" "$SRC/examples/llama_block/block.c" | tr -d ' ' >there
grep -vxF -f there page >strange && failed "these lines of the page are in no file: $(cat strange)"

section the example
# 6 heads of 16 elements, 3 of which share one of keys and values
sed -e 's/65536/16384/g; s/2048/96/g; s/5632/160/g; s/256/32/g; s/512/48/g; s/\<64\>/16/g; s/(4, 8,/(2, 3,/; s/(1, 4,/(1, 2,/; s/(4, 1024/(2, 1024/; s/(1024, 4,/(1024, 2,/' \
    -e 's/"T", 4, 16/"T", 2, 16/; s/B0 = 4; B1 = 8/B0 = 2; B1 = 3/; s/M = 32; N = 16/M = 6; N = 16/; s/M = 4; N = 16/M = 2; N = 16/; s/B1 = 4;/B1 = 2;/' \
    -e 's/max = 896/max = 140/; s/"host"/"portable"/' \
    -e 's/^tune .*/tune = { T = [1]; L = [0, 1]; };/; s/trials = [0-9]*; seconds = [0-9]*/trials = 9; seconds = 1/' \
    "$SRC/specs/llama_block.cfg" >llama_block.cfg
run 0 --templates "$SRC/templates" --no-report -o package llama_block.cfg
warnings='-Wall -Wextra -Wconversion -Werror'
for file in main block reference; do
    cc -std=c11 -O2 $warnings -Ipackage -c "$SRC/examples/llama_block/$file.c"
done
cc -std=gnu11 -O0 -c package/kernels.c package/pool.c package/model.c
cc -o llama main.o block.o reference.o model.o kernels.o pool.o -lm -pthread
for arguments in '1 0 small' '37 9 small' '130 2 halves' '3 2 halves'; do
    ./llama $arguments || failed "llama_block $arguments is wrong"
done

section packed weights of several functions
cat >packed.c <<'C'
#include <string.h>
#include "llama_block.h"
enum { N = 21, K = 6, HEADER = llama_block_PACKED_HEADER };
static _Alignas(64) char linear[20000], gate[20000];
static float W[N * K];
int main(void)
{
    const size_t bytes = HEADER + llama_block_linear_packed_bytes(N, K);
    for (int i = 0; i < N * K; i++)
        W[i] = (float)i;
    if (llama_block_linear_pack(N, K, W, linear + HEADER) || llama_block_linear_packed_header(N, K, linear + HEADER, linear) ||
        llama_block_gate_pack(N, K, W, gate + HEADER) || llama_block_gate_packed_header(N, K, gate + HEADER, gate))
        return 1;
    /* functions that pack in the same way share files, whatever they compute */
    if (memcmp(linear, gate, bytes) != 0 || llama_block_add_packed_check(N, K, gate, bytes, 1) != llama_block_OK)
        return 2;
    return llama_block_add_packed_check(N, K + 1, gate, sizeof gate, 0) != llama_block_BAD_PACKED;
}
C
cc -std=c11 -O1 $warnings -Ipackage -o packed packed.c kernels.o pool.o -lm -pthread
./packed || failed "packed weights of several functions"
