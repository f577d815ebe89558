#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The commands and options of `dcgen --help`, the man page and the completions of bash and zsh are the same; so are what options take and
# the choices that they have.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed() { echo "FAILED: $*"; exit 1; }
same() { diff "$tmp/$1" "$tmp/$2" || failed "$1 and $2 differ"; }
PATH=$(dirname -- "$DCGEN"):$PATH

# ---- by --help: "-o --out DIR", "--json", one a line; commands by themselves ----
"$DCGEN" --help >"$tmp/text"
sed -nE '/^Options/,/^Examples:/s/^  (-[a-z], |    )(--[a-z-]+)( ([^ ]+))?( .*)?$/\1 \2 \4/p' "$tmp/text" | sed -E 's/,? +/ /g; s/^ //; s/ $//' |
    sort >"$tmp/help"
sed -nE '/^Commands:/,/^Options/s/^  ([a-z]+) .*/\1/p' "$tmp/text" | sort >"$tmp/help_commands"
[ "$(grep -c '' "$tmp/help")" -ge 25 ] && [ "$(grep -c '' "$tmp/help_commands")" -ge 5 ] || failed "--help has hardly any options"
names() { sed 's/ [^-].*//' "$1" | tr ' ' '\n' | sort; }
names "$tmp/help" >"$tmp/help_names"

# ---- by the man page: the same, with "x" for what an option takes ----
sed -nE '/^\.Sh DESCRIPTION/,/^\.Sh ENVIRONMENT/s/^\.It Fl (.*)$/\1/p' "$SRC/man/dcgen.1" |
    sed -E 's/^Fl ([a-z-]+)/--\1/; s/^([a-z]) , Fl Fl ([a-z-]+)/-\1 --\2/; s/ Op Ar n$/ [x]/; s/ Ar [a-z]+$/ x/' | sort >"$tmp/man"
sed -E 's/ \[[A-Z]+\]$/ [x]/; s/ [^][ -][^ ]*$/ x/' "$tmp/help" | sort >"$tmp/help_as_man"
same help_as_man man
sed -nE '/^The commands are:/,/^\.El/s/^\.It Cm ([a-z]+)$/\1/p' "$SRC/man/dcgen.1" | sort >"$tmp/man_commands"
same help_commands man_commands

grep -qx ".Os \"$("$DCGEN" --version)\"" "$SRC/man/dcgen.1" || failed "the man page is of another version"

# The man page names every choice, in the paragraphs of its option.
grep '|' "$tmp/help" | while read -r option choices; do
    sed -n "/^\\.It Fl Fl ${option#--} /,/^\\.It Fl/p" "$SRC/man/dcgen.1" | grep -oE 'Cm [a-z]+' | sed 's/Cm //' | sort -u >"$tmp/named"
    echo "$choices" | tr '|' '\n' | sort >"$tmp/choices"
    [ -z "$(comm -23 "$tmp/choices" "$tmp/named")" ] || failed "the man page lacks of $option: $(comm -23 "$tmp/choices" "$tmp/named" | xargs)"
done
! grep -nE '^\.(Fl|Op|Cm|It)[^"]*[a-z]--' "$SRC/man/dcgen.1" || failed "the man page is not in mdoc's words"
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$SRC/man/dcgen.1" || failed "mandoc finds faults in the man page"
else
    echo "skipped: mandoc is not installed"
fi

# ---- by bash ----
# complete WORD...: what bash offers for the last word
complete() {
    bash --norc -c '. "$1"; shift; COMP_WORDS=(dcgen "$@") COMP_CWORD=$#; _dcgen; printf "%s\n" "${COMPREPLY[@]}"' - "$SRC/completion/dcgen.bash" "$@" |
        sort
}
offers() {   # offers WANTED WORD...
    wanted=$1
    shift
    got=$(cd "$tmp/empty" && complete "$@" | xargs)
    [ "$got" = "$wanted" ] || failed "bash offers for 'dcgen $*': $got, not $wanted"
}
if command -v bash >/dev/null 2>&1; then
    mkdir -p "$tmp/empty/folder"
    : >"$tmp/empty/file"
    complete - >"$tmp/bash_names"
    same help_names bash_names
    grep '|' "$tmp/help" | while read -r option choices; do
        offers "$(echo "$choices" | tr '|' '\n' | sort | xargs)" "$option" ''
    done
    offers 'always auto' --color = a
    offers check c
    offers 'file folder' check ''
    offers folder --out ''
    offers 'file folder' --records ''
    offers '' --trials ''
    offers 'file folder' check --json ''
    offers 'file folder' bench x --regret ''
    offers "$(printf '%s\nfile\nfolder\n' "$(cat "$tmp/help_commands")" | sort | xargs)" ''
else
    echo "skipped: bash is not installed"
fi

# ---- by zsh: what its _arguments is told ----
if command -v zsh >/dev/null 2>&1; then
    zsh -fc '_call_program() { shift; "$@" }; _arguments() { print -rl -- "$@" }; words=(dcgen); . "$1"' - "$SRC/completion/_dcgen" >"$tmp/specs"
    sed -nE 's/^\*(--?[a-z-]+)=?\[.*/\1/p' "$tmp/specs" | sort >"$tmp/zsh_names"
    same help_names zsh_names
    grep -qF -e ':choice:(auto always never)' "$tmp/specs" || failed "zsh: no choices"
    [ "$(grep -c ':choice:(' "$tmp/specs")" -eq "$(grep -c '|' "$tmp/help")" ] || failed "zsh: not all choices"
else
    echo "skipped: zsh is not installed"
fi
