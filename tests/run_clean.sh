#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_clean COMMAND...: runs a test with a TMPDIR of its own, and fails when the test leaves anything there. OpenBLAS, which dcgen calls on one
# thread, then starts none that wait for work and take a core meanwhile.
tmp=$(mktemp -d) || exit 1
chmod 755 "$tmp" # some tests become another user
code=0
export OPENBLAS_NUM_THREADS=1
TMPDIR=$tmp "$@" || code=$?
left=$(ls -A "$tmp")
rm -rf -- "$tmp"
if [ -n "$left" ] && { [ $code -eq 0 ] || [ $code -eq 77 ]; }; then
    echo "FAILED: left in the temporary folder: $left"
    exit 1
fi
exit $code
