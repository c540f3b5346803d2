# Completion of bash for overlay: what the help of the commands before the word names; files where that is nothing.
_overlay() {
  local commands=() each
  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $each in -*) break ;; *) commands+=("$each") ;; esac
  done
  local offered
  offered=$("${COMP_WORDS[0]}" "${commands[@]}" --help 2> /dev/null |
    sed -n 's/^ *\(-h,\)\?\(--[a-z0-9-]*\).*/\2/p; /^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p')
  mapfile -t COMPREPLY < <(compgen -W "$offered" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _overlay overlay
