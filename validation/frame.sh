# The frame of the drivers in bash: `. frame.sh NAME` in a driver whose errors begin with NAME. What --help prints is the
# comment at the driver's head, from "usage:" on.
driver=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/release/bin
fail() { echo "$driver: error: $1" >&2; exit 2; }
skip() { echo "SKIPPED: $1"; exit 77; }
usage() { sed -n '/^# usage: /,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# take_options "--OPTION..." "--FLAG..." WORD...: sets the variable OPTION to its value, and FLAG to yes. Where -- is a flag,
# the array `more` has the words behind it.
take_options() {
  local options=" $1 " flags=" $2 " name
  shift 2
  while [ $# -gt 0 ]; do
    name=${1#--} name=${name//-/_}
    if [ "$1" = -h ] || [ "$1" = --help ]; then
      usage
      exit 0
    elif [[ $options = *" $1 "* ]]; then
      [ $# -gt 1 ] || fail "$1 needs a value; see --help"
      declare -g "$name=$2"
      shift
    elif [[ $flags != *" $1 "* ]]; then
      fail "unknown option $1; see --help"
    elif [ "$1" = -- ]; then
      shift
      break
    else
      declare -g "$name=yes"
    fi
    shift
  done
  more=("$@")
}

need_overlay() {
  [ -x "$bin/overlay" ] || fail "$bin/overlay is not built; run scripts/build-tools"
  bin=$(realpath "$bin")
}
