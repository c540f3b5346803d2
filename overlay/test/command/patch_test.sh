#!/usr/bin/env bash
# overlay patch on a tree with a package: a patched copy, and nothing else.
# usage: patch_test.sh OVERLAY STANDIN
overlay=$1 standin=$2
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
holds() { local name=$1; shift; try "$@"; note $status "$name"; [ $status = 0 ] || sed 's/^/         | /' out.txt err.txt; }

# A package with a file that the tree has too, word for word, one that it has in other words, a folder and a link.
cp -r "$standin" tree
printf "PACKAGE_VERSION='77990'\n" > tree/configure
touch tree/coconut
mkdir -p tree/bernlohr package/folder
rm -f tree/bernlohr/*.c
echo 'the same' | tee tree/bernlohr/same.txt > package/same.txt
echo 'mine' > tree/bernlohr/other.txt
echo 'theirs' > package/other.txt
echo 'new' > package/folder/new.txt
odd=$'odd \xff\nname'
echo 'odd' > "package/$odd"
ln -s new.txt package/folder/link
tar -czf tree/bernlohr/package.tar.gz -C package .
cp -r tree stock
patch() { timeout 120 "$overlay" patch --corsika tree --out out "$@"; }

holds "it is patched" patch
copy=$(echo out/patched/*/tree)
holds "the package is unpacked" test -L "$copy/bernlohr/folder/link" -a -f "$copy/bernlohr/$odd" -a -f "$copy/bernlohr/folder/new.txt"
holds "what was there is not replaced" cmp "$copy/bernlohr/other.txt" stock/bernlohr/other.txt
holds "the copy is patched" grep -q RANMARLIB "$copy/src/corsika.F"
holds "the user's tree was not written to" diff -r --no-dereference tree stock
echo 'my notes' > "$copy/notes.txt"
holds "a second call changes nothing" patch
holds "  and keeps what is in the copy" grep -q 'my notes' "$copy/notes.txt"
echo '{}' > "$copy/../manifest.json"
expect "a copy by another version is not replaced" "is there already.*delete it" patch
rm -r out/patched
holds "it is patched again" patch

mkdir empty
holds "a dry run writes nothing" timeout 120 "$overlay" patch --corsika tree --out empty --dry-run
holds "and leaves the folder empty" test -z "$(ls empty)"

for i in 1 2 3; do timeout 300 "$overlay" patch --corsika tree --out many > "many$i.txt" 2>&1 & done
wait
holds "of three at once each succeeds" test "$(grep -l '^patched' many?.txt | wc -l)" = 3
holds "and none leaves anything" test "$(ls many/patched | wc -l)" = 1 -a "$(cd many/patched/* && ls)" = $'manifest.json\ntree'

[ $failures = 0 ]
