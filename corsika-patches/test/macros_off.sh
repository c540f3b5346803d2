#!/usr/bin/env bash
# With the patch's macros off, a patched copy preprocesses to the stock text, by the program diff.
# usage: macros_off.sh CORSIKA_PATCH TREE
set -euo pipefail
patcher=$1 tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$patcher" apply --tree "$tree" --out "$work/patched" --manifest "$work/manifest.json" > "$work/said.txt"
files=$(sed -n 's/.*"path": "\(.*\)",/\1/p' "$work/manifest.json" | sort -u)

# preprocessed FOLDER FILE OPTION...: headers that only a build makes are left out
preprocessed() {
  local folder=$1 file=$2
  shift 2
  (cd "$folder/$(dirname "$file")" && grep -v '^ *# *include' "$(basename "$file")" | cpp -P -w -traditional-cpp "${@/#/-D}" -)
}
compared=0
for file in $files; do
  cmp -s "$tree/$file" "$work/patched/$file" && continue
  # Each option of the file alone, none, all of them, and those of the usual build.
  options=$(grep -ohE '^ *# *(if|elif|ifdef|ifndef).*' "$tree/$file" | grep -oE '\b__[A-Z0-9_]+__\b' | sort -u || true)
  for some in "" $options "$(echo $options)" "__CERENKOV__ __IACT__ __ATMEXT__ __SLANT__"; do
    preprocessed "$tree" "$file" $some > "$work/stock.txt"
    preprocessed "$work/patched" "$file" $some > "$work/off.txt"
    diff -u "$work/stock.txt" "$work/off.txt" || { echo "FAILED   $file differs with the macros off, options: $some"; exit 1; }
    compared=$((compared + 1))
  done
done
[ $compared -ge 1 ] || { echo "FAILED   no file was patched"; exit 1; }
echo "ok       $compared comparisons"
