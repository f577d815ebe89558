#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The primitives of templates/device: one function a file, of the file's name, which the emulator has with the same parameters. What is written in
# PTX is the instruction that its comment names, with its operands in the order of their numbers, so that none stands for another. A file that
# says itself what the emulator does is not compared with its functions; what is of several instructions has a name for the first that counts.
# ctest: label=slow
set -eu
cd -- "$SRC/templates/device"
failed() { echo "FAILED: $*"; exit 1; }

n=0
for file in *.cuh; do
    name=${file%.cuh}
    [ "$name" != launch ] || continue
    n=$((n + 1))
    ! grep -qxF "#include \"../$file\"" emulator/device.h || continue # it is the same text
    if grep -q '^#if EMULATOR' "$file" || grep -q '[.]reg ' "$file"; then
        instruction=$(sed -n '2s|^/\* \([a-z_]*[.][a-zA-Z0-9_.:]*[a-z0-9]\).*|\1|p' "$file")
        ! grep -q asm "$file" || grep -qF "  \"${instruction:-no instruction}" "$file" || failed "$file: is not $instruction"
    fi
    ! grep -q '^#if EMULATOR' "$file" || continue
    # the parameters, without names of their own
    of_file=$(tr '\n' ' ' <"$file" | sed -n "s/.*__forceinline__ [a-z0-9 ]*[ *]$name(\([^{]*\)) *{.*/\1/p")
    of_emulator=$(sed 's|/\*[^*]*\*/||g' emulator/device.h | tr '\n' ' ' | sed -n "s/.*__forceinline__ [a-z0-9 ]*[ *]$name(\([^{]*\)) *{.*/\1/p" |
        sed 's/,* *int line = __builtin_LINE()//')
    squeezed() { echo "$1" | tr -s ' '; }
    [ "$(squeezed "$of_file")" = "$(squeezed "$of_emulator")" ] || failed "$name($of_file), in the emulator $name($of_emulator)"
    grep -q asm "$file" && ! grep -q '[.]reg ' "$file" || continue
    code=$(tr '\n' ' ' <"$file" | sed 's/.*asm[ a-z]*( *\(.*\) *); .*/\1/')
    text=$(echo "$code" | grep -o '"[^"]*[.][^"]*"\|"{%[^"]*"' | tr -d '"' | tr '\n' ' ' | sed 's/;.*//')
    sed '/^static\|^template/,$d' "$file" | tr '\n' ' ' | grep -qF "${text%% *}" || failed "$file: is ${text%% *}, which its comment does not name"
    # outputs, then inputs; an accumulator comes again at the end
    numbers=$(echo "$text" | grep -o '%[0-9]*' | tr -d %)
    last=$(echo "$numbers" | sort -n | tail -n 1)
    i=0
    for number in $numbers; do
        case $name in *_mma) [ "$i" -le "$last" ] || i=$((i - last - 1)) ;; esac
        [ "$number" = "$i" ] || failed "$file: operand $number is out of turn"
        i=$((i + 1))
    done
    # elements of an array in their order: r[0], r[1] ...
    for array in a b d r; do
        elements=$(echo "$code" | grep -o "($array\[[0-9]\])" | tr -dc '0-9\n')
        [ "$elements" = "$(echo "$elements" | sort -n)" ] || failed "$file: elements of $array are out of turn"
    done
    parts=$(echo "$code" | grep -o '(v\.[xyzw])' | tr -dc 'xyzw')
    case $parts in '' | xyzw) ;; *) failed "$file: parts of v are out of turn: $parts" ;; esac
    case $name in cp_async*) case $text in *", ${name#cp_async}, %2") ;; *) failed "$file: is $text" ;; esac ;; esac
done
[ "$n" -ge 25 ] || failed "only $n primitives"
while read -r name body; do
    grep -qF "$body" "$name.cuh" || failed "$name.cuh: is not $body"
done <<'END'
shfl_xor return __shfl_xor_sync(0xffffffffU, v, mask);
shfl_down return __shfl_down_sync(0xffffffffU, v, delta);
shared_memory extern __shared__ __align__(128) unsigned char
bf16_to_float return __uint_as_float((unsigned)bits << 16);
END
