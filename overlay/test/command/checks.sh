# Sourced by the tests of overlay: goes into a folder of its own, $work, which goes at the end, and says what holds.
set -euo pipefail
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
note() { # note STATUS NAME
  if [ "$1" = 0 ]; then echo "ok       $2"; else echo "FAILED   $2"; failures=$((failures + 1)); fi
}
# expect NAME PATTERN COMMAND...: ends with an error status and one line on standard error that has PATTERN.
expect() {
  local name=$1 pattern=$2 status=0
  shift 2
  timeout 120 "$@" > "$work/out.txt" 2> "$work/err.txt" || status=$?
  local lines
  lines=$(grep -c '^overlay: error: ' "$work/err.txt" || true)
  if [ $status -ne 0 ] && [ $status -ne 124 ] && [ "$lines" = 1 ] && grep -q "^overlay: error: .*$pattern" "$work/err.txt"; then
    note 0 "$name"
  else
    note 1 "$name (status $status)"
    sed 's/^/         | /' "$work/err.txt"
  fi
}
