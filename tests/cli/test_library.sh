#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=120
#
# A CBLAS beside the finalists on a CPU: its times are in the records, in the summary and in the report; without one the search goes on
# and says why. And what else a search records beside its times: the machine's limits, at its start and its end, the order of candidates.
. "$SRC/tests/cli/lib.sh"
cp "$SRC/templates/dense/library.c" "$tmp/inst/share/dcgen/templates/dense"
BUDGET_S=100 write_spec tiny.cfg

section with a CBLAS
cat >probe.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    return !library || !dlsym(library, "cblas_sgemm");
}
END
cc probe.c -o probe -ldl
program noting-runner <<'END'
tee -a asked | "$RUNNER" --targets "$TARGETS"
END
RUNNER=$runner TARGETS=$tmp/inst/share/dcgen/templates/targets run 0 --runner ./noting-runner -o with tiny.cfg
if ./probe; then
    grep '"final":true' with/records.jsonl | grep -q '"library_ns":[1-9]' || failed "the records have no times of CBLAS"
    grep '"final":false' with/records.jsonl | grep -q '"library_ns"' && failed "CBLAS ran outside the last comparison"
    grep -qE '[0-9.]+x as fast as CBLAS, geometric mean of 4 shapes' "$out" || failed "the summary does not compare"
    grep -q '>CBLAS</th>' with/report.html || failed "the report does not compare"
    not_said "CBLAS was not timed"
else
    skipped "no libopenblas.so.0"
    said "CBLAS was not timed: invalid: no CBLAS can be loaded"
fi
grep -q dlopen with/kernels.c && failed "CBLAS is in the package's kernels"
grep -q dlopen with/library.c || failed "the package's benchmark has no CBLAS to compare with"
whole with

section its records say how it went
grep -q '"type":"limit".*"threads":1,"flops_per_s":' with/records.jsonl || failed "no limits are recorded"
grep '"cmd":"limits"\|"repeats":[1-9]' asked | sed 's/.*"cmd":"\([a-z]*\)".*/\1/' >order
[ "$(sed -n 1p order)" = limits ] || failed "no limits were measured at the start"
trials with/records.jsonl | sed -n 's/.*"n":\([0-9]*\),.*/\1/p' | sort -n >order
[ "$(sort -u order | grep -c '')" -eq "$(ntrials with/records.jsonl)" ] || failed "not every candidate has a number of its own"
run 0 explain with T=3
grep -q '^  roofline ' "$out" || failed "explain has no roofline"
grep -q '^  limited by' "$out" || failed "explain does not say what limits"

section a CBLAS that hangs
mv "$tmp/inst/share/dcgen/templates/dense/library.c" kept.c
cat >"$tmp/inst/share/dcgen/templates/dense/library.c" <<END
#include <stdio.h>

int dcgen_run(const long *extent, void *const *operand, void *scratch, long task, long ntask);
int dcgen_run(const long *extent, void *const *operand, void *scratch, long task, long ntask)
{
    FILE *calls = fopen("$PWD/calls", "a");
    if (calls)
        fputs("called\n", calls), fclose(calls);
    for (volatile int i = 0;; i++)
        (void)extent, (void)operand, (void)scratch, (void)task, (void)ntask;
}
END
sed 's/seconds = 100/seconds = 8/' tiny.cfg >hangs.cfg
run 0 -o hangs hangs.cfg
said "CBLAS was not timed: timed_out: silent for 3 s"
[ "$(grep -c '' calls)" -eq 1 ] || failed "it was called again"
mv kept.c "$tmp/inst/share/dcgen/templates/dense/library.c"

section a runner that knows no limits
program old-runner <<'END'
sed -u 's/"cmd":"limits"/"cmd":"dance"/' | "$RUNNER" --targets "$TARGETS"
END
RUNNER=$runner TARGETS=$tmp/inst/share/dcgen/templates/targets run 0 --runner ./old-runner -o old tiny.cfg
grep -q '"type":"limit"' old/records.jsonl && failed "limits from nowhere"
run 0 explain old T=3
grep -q '^  roofline ' "$out" && failed "a roofline from nowhere"

section without a CBLAS
if ldd "$runner" | grep -q openblas; then
    skipped "this runner is itself linked with OpenBLAS, as no linker left it out"
else
    mkdir broken
    for file in libopenblas.so.0 libopenblas.so libcblas.so.3 libblas.so.3; do echo nonsense >broken/$file; done
    program bare-runner <<'END'
LD_LIBRARY_PATH=$PWD/broken exec "$RUNNER" --targets "$TARGETS"
END
    RUNNER=$runner TARGETS=$tmp/inst/share/dcgen/templates/targets run 0 --runner ./bare-runner -o without tiny.cfg
    said "CBLAS was not timed: invalid: no CBLAS can be loaded"
    grep -q library_ns without/records.jsonl && failed "times of no CBLAS"
    grep -q 'as fast as' "$out" && failed "a comparison with no CBLAS"
    whole without
fi
nothing_left
echo done
