# Completion of sluice for bash. Put into ~/.bashrc: source <(sluice completion bash)
_sluice() {
  local line=${COMP_LINE:0:COMP_POINT} current out directive value text keep i
  local -a words=() values=() texts=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[${#words[@]}-1]}
  out=$("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null) || return
  directive=${out##*:}
  out=${out%:*}
  # Readline has cut the word at =, : and the like already, and wants only what follows the last of them, or begins with an @.
  keep=${current%"${current##*[$COMP_WORDBREAKS]}"}
  keep=${keep%@}
  while IFS=$'\t' read -r value text; do
    [[ -n $value ]] && values+=("${value#"$keep"}") && texts+=("$text")
  done <<<"$out"
  if ((${#values[@]} == 0)); then
    [[ $directive == 0 ]] && compopt -o default 2>/dev/null
    COMPREPLY=()
    return
  fi
  # Descriptions only where a list is shown: they must never become part of the line.
  if ((${#values[@]} > 1 && COMP_TYPE == 63)); then
    for i in "${!values[@]}"; do
      [[ -n ${texts[i]} ]] && values[i]="${values[i]}  (${texts[i]})"
    done
  fi
  COMPREPLY=("${values[@]}")
}
complete -F _sluice sluice
