#!/usr/bin/env bash
# What the pages name is there: commands, options, files, environment variables, and what links lead to.
# usage: pages_test.sh OVERLAY CHECKOUT
overlay=$1 root=$2
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

(cd "$root" && find . \( -name '.?*' -o -path ./build -o -name pages_test.sh \) -prune -o -type f -print | sed 's|^\./||') > files
text() { (cd "$root" && grep -v "$1" "$work/files" | tr '\n' '\0' | xargs -0 cat); }
text '\.md$' > text
text '\.md$\|/test/' > programs # tests have misspelt options
pages=$(grep '\.md$' files | grep -v '^CHANGELOG') # which names what there was

# What is in backticks or indented, a line each, behind the page's name. Lines that end with \ are one.
for page in $pages; do
  sed -e ':a; /\\$/{N; s/\\\n *//; ba}' "$root/$page" |
    awk -v page="$page" '/^    /{ sub(/^ +/, ""); sub(/ +# .*/, ""); print page, $0; next } { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print page, part[i] }'
done > code
# each REGEX: each match in there, behind the page's name
each() { awk -v re="$1" '{ text = substr($0, length($1) + 1); while (match(text, re)) { print $1, substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH) } }' code | sort -u; }

declare -A options # of each command, and of any
commands_of() { "$overlay" "$@" --help | sed -n '/^Subcommands/,/^$/s/^  \([a-z-]*\) .*/\1/p'; }
for command in $(commands_of) $(commands_of production | sed 's/^/production:/'); do
  name=${command#production:}
  options[$name]=" $("$overlay" ${command/:/ } --help | sed -n 's/^ *\(-h,\)\?\(--[^ ]*\).*/\2/p' | grep -oE -- '--[a-z0-9-]+' | tr '\n' ' ')"
  options[any]+=${options[$name]}
done

# Each prints what is not there.
commands() {
  sed -nE 's#^([^ ]*) (scripts/|\$)?overlay (production )?([a-z][a-z-]*)( .*)?$#\1 \4#p' code |
    while read -r page word; do [ -n "${options[$word]-}" ] || echo "$page $word"; done
}
options() { # of a command; else of any, or of another program of ours
  awk '{ i = 2; if ($i ~ /(^|\/|\$)overlay$/) ++i; if ($i == "production" && $(i + 1) ~ /^[a-z]/) ++i; command = $i
         if (command ~ /^(cmake|corsika|panama|man|\/.*)$/) next
         for (; i <= NF; ++i) if (match($i, /^\[?--[a-z][a-z0-9-]*/)) { sub(/^\[/, "", $i); print $1, command, $i } }' code | sort -u |
    while read -r page command option; do
      option=${option%%[!a-z0-9-]*}
      if [ -n "${options[$command]-}" ]; then
        [[ ${options[$command]} == *" $option "* ]] || echo "$page $command $option"
      elif [[ ${options[any]} != *" $option "* ]]; then
        grep -qE -- "$option([^a-z0-9-]|\$)|^ *\"${option#--}\": \(" programs || echo "$page $option"
      fi
    done
}
files() { # those in folders of ours, and any by name
  local others='corsika.sh|env_setup.sh|prepare_production.sh|run.simtel.zst|run-sim.sh'
  each "[ \"]($(sed -n 's|/.*||p' files | sort -u | paste -sd '|'))/[A-Za-z0-9_./*-]+" | while read -r page name; do
    [[ $name =~ [A-Z]|/($others)$ ]] || compgen -G "$root/${name#\"}*" > /dev/null || echo "$page $name"
  done
  each '[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.(cpp|hpp|cu|inc|toml|tsv|json|html|md|yml|sh|zst|sha256|log|dag|txt)([^A-Za-z0-9_]|$)' | while read -r page name; do
    name=${name%[!a-z0-9]} name=${name##*/} name=${name##*[A-Z].}
    [[ $name =~ ^($others)$ ]] || grep -qE "(^|/)${name//./\\.}" files || grep -qF -- "$name" text || echo "$page $name"
  done
}
variables() {
  each '[^A-Z_](CHERENKOV|RANMAR|OVERLAY|CORSIKA)_[A-Z_0-9]+' |
    while read -r page name; do name=${name#[!A-Z]}; grep -qF "$name" text || echo "$page $name"; done
}
links() {
  for page in $pages; do grep -oE '\]\([^)]+\)' "$root/$page" | sed "s|^](|$page |; s|)\$||" || true; done | grep -v ' http' | sort -u |
    while read -r page link; do
      [[ $link == \#* ]] && file=$root/$page || file=$root/$(dirname "$page")/${link%%#*}
      [ -e "$file" ] && { [[ $link != *#* ]] || grep '^#' "$file" | sed 's/^#* //' | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' | grep -qx -- "${link#*#}"; } || echo "$page $link"
    done
}
linked=$(for page in $pages; do grep -oE '\]\([^)]+\)' "$root/$page"; done | wc -l)
note "$([ "$(wc -l < code)" -gt 500 ] && [ "$(each '[A-Za-z]\.(cpp|toml|json)' | wc -l)" -gt 20 ] && [ "$(each '(CHERENKOV|RANMAR)_[A-Z]+' | wc -l)" -gt 15 ] && [ "$linked" -gt 100 ]; echo $?)" "pages are read"
for what in commands options files variables links; do
  $what > missing
  note "$([ ! -s missing ]; echo $?)" "the $what that they name"
  sed 's/^/         | /' missing
done

versioned=(CITATION.cff codemeta.json CHANGELOG.md gpu-cherenkov/CMakeLists.txt packaging/{conda/meta.yaml,debian/changelog,spack/package.py})
version=$("$overlay" --version | sed -n 's/^overlay //p')
note "$([ -n "$version" ] && [ -z "$(cd "$root" && grep -LwF -- "$version" "${versioned[@]}")" ]; echo $?)" "the version, $version, is that of CMake, of recipes and citation"

[ $failures = 0 ]
