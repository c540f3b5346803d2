#!/usr/bin/env bash
# What a person types: scripts/overlay through a link and from any folder, and what scripts/install-dependencies does
# with what is there. Runs copies of them whose programs are of our own.
# usage: scripts_test.sh SCRIPTS
scripts=$1
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

mkdir -p tree/scripts tree/build/release/bin bin elsewhere
cp "$scripts"/{overlay,install-dependencies,build-tools} tree/scripts/
plant() { printf '#!/bin/bash\n%s\n' "$2" > "$1" && chmod +x "$1"; }

plant bin/dpkg-query 'printf "installed %s\n" "$@" | grep -vxE "installed ($LACKS)" || true'
plant bin/apt-get 'echo "$1" >> calls
if [ "$1" = update ] && [ "$(grep -c update calls)" -lt 3 ]; then echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"; exit 100; fi
echo "$*" >> installed'
plant bin/sleep ':'
plant bin/sudo 'exec "$@"'
dependencies() { rm -f calls installed; env PATH="$PWD/bin:$PATH" LACKS="$1" tree/scripts/install-dependencies > out.txt 2>&1; }
status=0; dependencies 'strace|curl' || status=$?
note "$([ $status = 0 ] && grep -q '^install .* curl strace$' installed; echo $?)" "a locked dpkg is waited for (status $status)"
note "$([ "$(grep -c 'waiting for another program' out.txt)" = 1 ] && ! grep -q 'could not be refreshed' out.txt; echo $?)" "  and that is said once"
plant bin/perl 'exit 0'
dependencies perl
note "$([ ! -e calls ]; echo $?)" "perl is not installed over one that is there"
plant bin/perl 'exit 2'
dependencies perl
note "$(grep -q '^install .* perl$' installed; echo $?)" "  but where it lacks what coconut needs"

touch tree/build/release/CMakeCache.txt tree/build/release/Makefile
plant tree/scripts/install-dependencies ':'
plant bin/cmake 'echo "[0/9] Re-checking globbed directories..."; [ -z "$BUILD" ] || { echo "[1/9] Building a"; /bin/sleep 6; echo "[2/9] Linking b"; }'
PATH=$PWD/bin:$PATH BUILD= tree/scripts/build-tools > out.txt 2>&1
note "$([ ! -s out.txt ]; echo $?)" "where our tools are built nothing is said"
PATH=$PWD/bin:$PATH BUILD=1 tree/scripts/build-tools > out.txt 2>&1
note "$([ "$(cat out.txt)" = $'overlay: building this project\'s own programs; the first time takes some minutes (log: build/release/tools.log)\noverlay: 2/9 of the steps are done' ] && [ "$(wc -l < tree/build/release/tools.log)" = 3 ]; echo $?)" "a build of our tools says how far it is"

mkdir few && ln -s "$(command -v bash)" "$(command -v realpath)" "$(command -v dirname)" few/ && plant few/g++ ':'
status=0; PATH=$PWD/few tree/scripts/build-tools > out.txt 2>&1 || status=$?
note "$([ $status = 1 ] && [ "$(wc -l < out.txt)" = 1 ] && grep -q '^overlay: error: this machine lacks gcc gfortran cmake ninja; install them' out.txt; echo $?)" "  and what it needs and is not there is said at once"
plant tree/scripts/build-tools ':'
cp "$(command -v bash)" tree/build/release/bin/overlay
ln -s ../tree/scripts/overlay elsewhere/faster
ln -s faster elsewhere/fast
typed=$(cd elsewhere && ./fast -c 'echo "$0 $PWD $*"' ./fast one 'two words')
note "$([ "$typed" = "./fast $PWD/elsewhere one two words" ]; echo $?)" "scripts/overlay works through links and from any folder"
typed=$(cd elsewhere && PATH=$PATH:. fast -c 'tr "\0" " " < /proc/$$/cmdline')
note "$([[ $typed == ./fast\ * || $typed == fast\ * ]]; echo $?)" "  and the program knows how it was called"

# What --version tells of a commit: in a checkout, of files that are not committed, in a source archive.
commit() { cmake -DTREE="$PWD/$1" -DVERSION=1.2.3 -DMADE=tools -DOUT="$PWD/version.cpp" -P "$1/overlay/version.cmake" && grep -qx "commit $2" version.cpp; }
mkdir -p tree/overlay unpacked && sed 's/^set(commit "[0-9a-f]*")/set(commit "$Format:%H$")/' "$scripts/../overlay/version.cmake" > tree/overlay/version.cmake && cp "$scripts"/../.gitattributes tree/
note "$(commit tree unknown; echo $?)" "no commit is told where there is none"
if command -v git > /dev/null; then
  git init -q tree && git -C tree add . && git -C tree -c user.name=a -c user.email=a@b commit -q -m a
  hash=$(git -C tree rev-parse --short=12 HEAD)
  note "$(commit tree "$hash"; echo $?)" "a checkout tells its commit"
  git -C tree archive HEAD | tar -x -C unpacked
  note "$(commit unpacked "$hash"; echo $?)" "  and so does a source archive of it"
  touch tree/new
  note "$(commit tree "$hash with changes"; echo $?)" "  and a checkout with a new file says so"
else
  echo "SKIPPED  a checkout's and a source archive's commit: git is not here"
fi

[ $failures = 0 ]
