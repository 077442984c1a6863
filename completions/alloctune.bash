# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for alloctune(1)

_alloctune() {
    local current previous verb word
    local verbs='recommend knobs signals explain check cat-config capture replay simulate'
    local common='--help --json --no-pager --version'
    local options=$common

    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $previous in
        --config)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
        --root | --policy-dir)
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
            ;;
        --seeds)
            mapfile -t COMPREPLY < <(compgen -W '10 100 1000' -- "$current")
            return
            ;;
        --sweep)
            mapfile -t COMPREPLY < <(compgen -W "$(alloctune --dump-tables knobs 2>/dev/null | cut -f 1)" -- "$current")
            return
            ;;
        --duration | --interval)
            mapfile -t COMPREPLY < <(compgen -W '500ms 1s 10s 1min 10min' -- "$current")
            return
            ;;
    esac
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case " $verbs " in
            *" $word "*)
                verb=$word
                break
                ;;
        esac
    done
    case ${verb-} in
        recommend) options="$common --config --duration --exit-code --interval --policy-dir --root" ;;
        knobs) options="$common --root" ;;
        signals) options="$common --config --duration --interval --root" ;;
        explain) options="$common --config --duration --interval --policy-dir --root" ;;
        check | cat-config) options="$common --config --policy-dir" ;;
        capture) options="$common --duration --interval --root" ;;
        replay) options="$common --config --policy-dir" ;;
        simulate) options="$common --policy-dir --seeds --sweep" ;;
        *)
            mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$current")
            return
            ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
    case $verb in
        knobs) mapfile -t COMPREPLY < <(compgen -W "$(alloctune --dump-tables knobs 2>/dev/null | cut -f 1)" -- "$current") ;;
        signals) mapfile -t COMPREPLY < <(compgen -W "$(alloctune --dump-tables signals 2>/dev/null | cut -f 1)" -- "$current") ;;
        explain)
            mapfile -t COMPREPLY < <(compgen -W "$({
                alloctune --dump-tables knobs
                alloctune --dump-tables signals
            } 2>/dev/null | cut -f 1)" -- "$current")
            ;;
        check) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
        simulate) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
        capture | replay) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    esac
}

complete -F _alloctune alloctune
