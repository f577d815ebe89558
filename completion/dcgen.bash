# SPDX-License-Identifier: Apache-2.0
#
# Completion for bash. Commands, options and choices are those that `dcgen --help` prints: there is no second list of them here.

# Sets `options` (all of them), `commands`, and `argument`: what the option `prev` takes, "DIR" or "auto|always|never"; "" when it takes none.
_dcgen_read_help() {
    local line letter option='^  (-[a-z], |    )(--[a-z-]+)( ([^ ]+))?' command='^  ([a-z]+) (SPEC|PKG|TEMPLATE|MODEL)'
    options=() commands=() argument=
    while IFS= read -r line; do
        if [[ $line =~ $command ]]; then
            commands+=("${BASH_REMATCH[1]}")
        elif [[ $line =~ $option ]]; then
            letter=${BASH_REMATCH[1]//[, ]/}
            options+=($letter "${BASH_REMATCH[2]}")
            [[ $prev != "${letter:-none}" && $prev != "${BASH_REMATCH[2]}" ]] || argument=${BASH_REMATCH[4]}
        elif [[ $line == Examples:* ]]; then
            break
        fi
    done < <("${COMP_WORDS[0]}" --help 2>/dev/null)
}

_dcgen() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options commands argument
    if [[ $cur == = ]]; then # bash splits words at "="
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    _dcgen_read_help
    case $argument in
    *'|'*) mapfile -t COMPREPLY < <(compgen -W "${argument//|/ }" -- "$cur") ;;
    DIR) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    FILE) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    PROGRAM) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    '' | '['*)
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$cur")
        else
            mapfile -t COMPREPLY < <((( COMP_CWORD > 1 )) || compgen -W "${commands[*]}" -- "$cur"; compgen -f -- "$cur")
        fi ;;
    *) COMPREPLY=() ;;
    esac
}
complete -o filenames -F _dcgen dcgen
