#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Draws the arrows between the rooms of the sources: a line a room, with its files, its lines, and how many headers it includes of which
# other room. Fails on an arrow to a room that the row in cmake/rooms.cmake does not name, itself or through others; on a row that uses
# a room below it, as arrows could go round then; and on a source that is in no room. Then it draws small trees that have one such
# fault each, which must not pass.
# `sh tests/rooms/test_rooms.sh ROOT` draws another tree, and no more.

draw() { # draw ROOT
    {
        sed -n 's/^dcgen_room(\(.*\))$/room \1/p' "$1/cmake/rooms.cmake"
        (cd -- "$1" && find gen model search templates -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" { print "lines", $2, $1 }')
        (cd -- "$1" && grep -rEo --include='*.[ch]' '^#include "(gen|model|search|templates)/[^"]+"' gen model search |
            sed 's/^\([^:]*\):#include "\(.*\)"$/arrow \1 \2/')
    } | awk '
    function complain(what) { print what > "/dev/stderr"; bad = 1 }
    function room_of(path) { # the longest folder of it that is a room
        while (sub(/\/[^\/]*$/, "", path))
            if (path in above) return path
        return ""
    }
    BEGIN { name[0] = "templates"; above["templates"] = 1; n = 1 }
    $1 == "room" {
        may[$2, $2] = 1
        for (i = 4; i <= NF; i++) {
            if (!($i in above)) complain("cmake/rooms.cmake: " $2 " uses " $i ", which is no room above it")
            for (k = 0; k < n; k++)
                if (may[$i, name[k]]) may[$2, name[k]] = 1
            may[$2, $i] = 1
        }
        above[$2] = 1
        name[n++] = $2
    }
    $1 == "lines" {
        if (room_of($2) == "") complain($2 ": is in no room")
        nfile[room_of($2)]++
        nline[room_of($2)] += $3
    }
    $1 == "arrow" {
        from = room_of($2)
        to = room_of($3)
        if (!may[from, to]) complain($2 ": includes " $3 ", but " from " does not use " to)
        if (from != to) arrow[from, to]++
    }
    END {
        for (i = 1; i < n; i++) {
            if (!nfile[name[i]]) complain("cmake/rooms.cmake: " name[i] " has no sources")
            line = sprintf("%-16s %3d files %6d lines ", name[i], nfile[name[i]], nline[name[i]])
            for (k = 0; k < n; k++)
                if (arrow[name[i], name[k]]) line = line " " name[k] ":" arrow[name[i], name[k]]
            print line
        }
        exit bad || n < 2
    }'
}

if [ $# -gt 0 ]; then
    draw "$1"
    exit
fi
status=0
draw "$SRC" || status=1

# ---- faults that it must find

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
cd -- "$tmp" || exit 1

plant() { # a tree of two rooms, of which the second uses the first
    rm -rf cmake gen model search templates
    mkdir -p cmake gen/low gen/high model search templates
    printf 'dcgen_room(gen/low)\ndcgen_room(gen/high USES gen/low)\n' >cmake/rooms.cmake
    echo '#include "gen/low/a.h"' >gen/high/b.c
    touch gen/low/a.h gen/high/b.h
}
refused() { # refused WORDS: the tree is, with these words
    if draw . >drawn 2>said || ! grep -qF -- "$1" said; then
        echo "passes, or is refused for another reason: $1" >&2
        cat said >&2
        status=1
    fi
}

plant
draw . >drawn || { echo "a good tree is refused" >&2; status=1; }
grep -q '^gen/high .* 2 files .* gen/low:1$' drawn || { echo "the arrow is not drawn" >&2; status=1; }

echo '#include "gen/high/b.h"' >gen/low/a.h
refused 'gen/low/a.h: includes gen/high/b.h, but gen/low does not use gen/high'

plant
printf 'dcgen_room(gen/low USES gen/high)\ndcgen_room(gen/high USES gen/low)\n' >cmake/rooms.cmake
refused 'gen/low uses gen/high, which is no room above it'

plant
touch gen/stray.c
refused 'gen/stray.c: is in no room'
exit $status
