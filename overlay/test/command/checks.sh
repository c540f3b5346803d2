# Sourced by the tests of overlay: goes into a folder of its own, $work, which goes at the end, and says what holds.
set -euo pipefail
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
note() { # note STATUS NAME, where STATUS other than 0 may follow a text
  if [ "$1" = 0 ]; then echo "ok       $2"; else echo "FAILED   $2: $1"; failures=$((failures + 1)); fi
}
# try COMMAND...: its exit status is in $status, and what it printed in out.txt and err.txt.
try() { status=0; "$@" > "$work/out.txt" 2> "$work/err.txt" || status=$?; }
# says TEXT: the command that was tried last did.
says() { grep -qF -- "$1" "$work"/{out,err}.txt || { echo "         it says: $(cat "$work"/{out,err}.txt)"; return 1; }; }
# ends STATUS TEXT NAME COMMAND...: with this status, and says the text.
ends() {
  local wanted=$1 text=$2 name=$3
  shift 3
  try "$@"
  note "$([ $status = $wanted ] && says "$text"; echo $?)" "$name"
}
# expect NAME PATTERN COMMAND...: ends with an error status and one line on standard error that has PATTERN.
expect() {
  local name=$1 pattern=$2
  shift 2
  try "$@"
  [ $status -ne 0 ] && [ "$(grep -c '^overlay: error: ' err.txt)" = 1 ] && grep -q "^overlay: error: .*$pattern" err.txt && note 0 "$name" ||
    { note 1 "$name (status $status)"; sed 's/^/         | /' err.txt; }
}
