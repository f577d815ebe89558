#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The C sources are laid out as .clang-format says: no line is longer than 120 columns, but for tables between
# "clang-format off" and "on", and the formatter would change none (asked only where it is the version that laid them out). Not
# those of templates, in tests too: their marker lines must stay as they are.
# ctest: timeout=120 cost=8
set -eu
sources=$(cd -- "$SRC" && find gen model search bench tests -path tests/operators -prune -o -path tests/cli/templates -prune -o -name '*.[ch]' -print | sort)
cd -- "$SRC"

long_lines() { # long_lines FILE...
    awk 'FNR == 1 { off = 0 }
        /clang-format off/ { off = 1 }
        /clang-format on/ { off = 0 }
        length > 120 && !off { print FILENAME ":" FNR ": " length " columns"; bad = 1 }
        END { exit bad }' "$@"
}

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
printf '%0120d\n/* clang-format off */\n%0121d\n' 0 0 >"$tmp/short.c"
printf '%0121d\n' 0 >"$tmp/long.c"
long_lines "$tmp/short.c"
! long_lines "$tmp/short.c" "$tmp/long.c" >/dev/null || { echo "FAILED: a long line was not found" >&2; exit 1; }

# shellcheck disable=SC2086 # no source has a blank in its name
long_lines $sources >&2 || { echo "FAILED: lines of more than 120 columns" >&2; exit 1; }
case $(clang-format --version 2>/dev/null) in
*'version 14.'*) clang-format --dry-run --Werror $sources ;;
*) echo "skipped: clang-format 14 is not installed: whether it would change a source" ;;
esac
