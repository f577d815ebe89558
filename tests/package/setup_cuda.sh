#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates packages of cuda/ without a GPU: $BIN/tests/packages_cuda/{NAME, NAME.jsonl}. None where there is no nvcc, no C++ compiler or no
# emulator; tests look for themselves.
#
#   setup_cuda.sh              those that every test may take
#   setup_cuda.sh NAME...      more, which test_cuda.sh asks for when it is to be thorough: the first beside the others, which follow one another
# ctest: timeout=400 cost=60
set -eu

out=$BIN/tests/packages_cuda
if [ $# -eq 0 ]; then
    set -- gpu_b gpu_d
    rm -rf -- "$out"
    mkdir -p -- "$out"
fi
for program in nvcc c++; do
    command -v $program >/dev/null 2>&1 || { echo "skipped: $program is not installed"; exit 0; }
done
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: dcgen-runner-emu is left out of this build"; exit 0; }

# To compile kernels for the emulator takes longer than to execute them.
cat >"$out/quick-c++" <<'END'
#!/bin/sh
for word do
    shift
    [ "$word" != -O3 ] || word=-O1
    set -- "$@" "$word"
done
exec c++ "$@"
END
chmod +x "$out/quick-c++"

generate() {   # generate NAME...: one after the other; the last thing it makes is NAME.done
    for name in "$@"; do
        "$DCGEN" "$SRC/tests/package/cuda/$name.cfg" --offline --jobs 1 --progress=none --cxx "$out/quick-c++" --out "$out/$name" \
            --records "$out/$name.jsonl" && : >"$out/$name.done"
    done
}

generate "$1" &
(shift; generate "$@")
wait $!
for name in "$@"; do
    [ -e "$out/$name.done" ] || { echo "FAILED: $name.cfg"; exit 1; }
done
