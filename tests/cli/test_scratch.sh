#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Kernels that need scratch memory, and parts of a packed operand that only some kernels read, by the operator blur (tests/operators): a
# package says how much a call needs and refuses one without, and one whose kernels need none has no code for it. How exact results
# must be decides which kernels there are.
# ctest: label=slow,thorough timeout=200 cost=30
. "$SRC/tests/cli/lib.sh"
ops=$SRC/tests/operators
quiet() { "$@" >"$tmp/log/step" 2>&1 || { tail -n 40 "$tmp/log/step"; failed "$*"; }; }
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
has() { grep -qF -- "$2" "$1" || failed "$1 has no: $2"; }
lacks() { ! grep -qF -- "$2" "$1" || failed "$1 has: $2"; }

# package NAME TEMPLATES LINE [GENERAL TRIALS]: made of these templates of blur, of a spec with this line; their general kernels have this value
package() {
    mkdir -p "from_$1/blur"
    for file in op.cfg reference.c pack.c $2; do
        cp "$ops/blur/$file" "from_$1/blur"
    done
    sed -i "/^general/s/TURN = 0/${4:-TURN = 0}/g" "from_$1"/blur/*.c
    { sed "s/smooth_images/$1/; s/max = 60/max = 20/; s/9, 60/9, 20/; s/1, 2, 3/1, 2/" "$ops/blur.cfg" && echo "$3"; } >"$1.cfg"
    run 0 --templates "from_$1" --trials "${5:-1}" --seconds 20 --no-report -o "$1" "$1.cfg"
}

section what an accuracy allows
sed 's/^accuracy.*//' "$ops/blur.cfg" >exact.cfg
sed 's/"coarse"/63/' "$ops/blur.cfg" >nearly.cfg
run 0 check -v --templates "$ops" "$ops/blur.cfg"
shows '^space: 6 candidates of 6 combinations$'
shows '^accuracy: off by at most 64 times the rounding error of plain sums$'
for spec in exact nearly; do
    run 0 check -v --templates "$ops" $spec.cfg
    shows '2 rejected: short_sums: sums of columns lose their last 8 bits: the spec.s accuracy does not allow it$'
    run 1 try --templates "$ops" short_sums UQ=4 $spec.cfg
    said 'needs ACCURACY >= 64'
done
run 0 try --templates "$ops" short_sums UQ=4 "$ops/blur.cfg"
shows ': right on [0-9]+ awkward shapes and on all tuned ones$'

section the same template where its head says nothing of that: it is wrong without, and right with
mkdir careless
cp -R "$ops/blur" careless
sed -i '/ACCURACY/d; s/it computes no formula"; },/it computes no formula"; } );/' careless/blur/short_sums.c
run 1 try --templates careless short_sums UQ=4 exact.cfg
said ' is wrong: on '
run 0 try --templates careless short_sums UQ=4 nearly.cfg

section every kernel needs scratch memory
package smooth_turned two_steps.c 'space = { TURN = [1]; };' 'TURN = 1'
has smooth_turned/kernels.c 'static size_t (*const smooth_turned_scratch[])(const smooth_turned_args *args) = {'
has smooth_turned/kernels.c 'return smooth_turned_BAD_POINTER;'
has smooth_turned/kernels.c 'static inline size_t smooth_turned_k0_scratch(const smooth_turned_args *a)'
has smooth_turned/kernels.c '((float *)packed)[R + r] = F[R - 1 - r];'
has smooth_turned/smooth_turned.h "Results may be off by 64 times the rounding error of plain sums: the spec's accuracy."
has smooth_turned/README.md 'void *workspace = aligned_alloc(64, (smooth_turned_workspace_bytes(B, H, W, R, S, NULL) + 63) / 64 * 64);'

has smooth_turned/README.md 'Results of `smooth_turned` may be off by 64 times the rounding error of plain sums'
has smooth_turned/package.json '"accuracy": 64,'

section errors are told on several kinds of data, also those beyond what verification allows
package smooth_short 'two_steps.c short_sums.c' '' '' 4
grep -qE '^\| 0 \| (two_steps|short_sums) \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' smooth_short/README.md || failed 'README.md has no errors'
for data in normal outliers spread; do
    grep -qE "^ *\"$data\": [0-9.]+,?$" smooth_short/package.json || failed "package.json has no errors of $data data"
done
grep '"template":"short_sums"' smooth_short.records.jsonl | grep -q '"err_normal":[1-9][0-9]\{3,\},"err_outliers":[1-9][0-9]\{3,\},"err_spread":[1-9][0-9]\{3,\}' ||
    failed 'the errors of short sums are not above 1'
grep '"template":"two_steps"' smooth_short.records.jsonl | grep -q '"err_normal":[0-9]\{1,3\},"err_outliers":[0-9]\{1,3\},"err_spread":[0-9]\{1,3\}' ||
    failed 'the errors of plain sums are above 1'
mv smooth_short.cfg smooth_fine.cfg
sed -i 's/smooth_short/smooth_fine/; /^accuracy/d' smooth_fine.cfg
run 0 --templates from_smooth_short --trials 2 --seconds 20 -o smooth_fine smooth_fine.cfg
lacks smooth_fine/README.md 'largest errors'
lacks smooth_fine/package.json '"errors"'
lacks smooth_fine.records.jsonl err_normal

section no kernel reads the further part, no kernel needs scratch memory
package smooth_plain two_steps.c 'space = { TURN = [0]; };'
has smooth_plain/kernels.c smooth_plain_k0_scratch
lacks smooth_plain/kernels.c 'F[R - 1 - r]'
package smooth_windows windows.c ''
lacks smooth_windows/kernels.c "_scratch"
lacks smooth_windows/kernels.c "args.scratch"
lacks smooth_windows/test.c 'the workspace of the largest call'
lacks smooth_windows/README.md workspace

section calls
for name in smooth_turned smooth_plain smooth_windows; do
    mkdir -p "built/$name"
    if [ $name = smooth_turned ]; then
        quiet cmake -S "$name" -B "built/$name" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror'
        quiet cmake --build "built/$name" -j2
    else
        quiet cc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$name" -o "built/$name/${name}_test" "$name/test.c" "$name/kernels.c" "$name/pool.c" -pthread -lm
    fi
    "built/$name/${name}_test" >"$out" 2>&1 || failed "$name: its own test"
    shows '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed'
    quiet cc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -DNAME="$name" -include "$name/$name.h" \
        -include "$name/${name}_pool.h" -include "$name/pieces.h" -DPARTS=$([ $name = smooth_turned ] && echo 2 || echo 1) \
        -DSCRATCH=$([ $name = smooth_windows ] && echo 0 || echo 1) -o "built/$name/calls" "$SRC/tests/cli/scratch_calls.c" "$name/kernels.c" \
        "$name/pool.c" -pthread -lm
    quiet "built/$name/calls"
done

section what is more than memory can hold
sed 's/^    const double bytes = .*/    const double bytes = 2305843009213693952.0;/' smooth_plain/kernels.c >huge.c
has huge.c 2305843009213693952
cat >huge_calls.c <<'C'
int main(void)
{
    const smooth_plain_exec two = { .threads = 2 };
    return smooth_plain_workspace_bytes(1, 1, 1, 1, 1, NULL) == (size_t)1 << 61 &&
                   smooth_plain_workspace_bytes(1, 4000, 4000, 1, 1, &two) == 0 ? 0 : 1;
}
C
quiet cc -std=gnu11 -include smooth_plain/smooth_plain.h -Ismooth_plain -o huge huge_calls.c huge.c -pthread -lm
quiet ./huge

section the example in README.md
for name in smooth_turned smooth_windows; do
    {
        sed -n '/^```c$/,/^```$/p' $name/README.md | grep '^#include'
        echo 'void example(int64_t B, int64_t H, int64_t W, int64_t R, int64_t S, const float *X, const float *F, float *Y);'
        echo 'void example(int64_t B, int64_t H, int64_t W, int64_t R, int64_t S, const float *X, const float *F, float *Y) {'
        sed -n '/^```c$/,/^```$/p' $name/README.md | grep -v -e '^#include' -e '^```'
        echo "if (code != ${name}_OK) abort(); }"
    } >example.c
    quiet cc -std=c11 -Wall -Wextra -Werror -I$name -c example.c
done
nothing_left
