# Sourced by the tests of overlay: goes into a folder of its own, $work, which goes at the end, and says what holds.
set -euo pipefail
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
note() { # note STATUS NAME
  if [ "$1" = 0 ]; then echo "ok       $2"; else echo "FAILED   $2"; failures=$((failures + 1)); fi
}
