#!/usr/bin/env bash
# overlay patch on a tree with a package: what the user has in it survives, and the way back leads to the stock tree.
# usage: patch_test.sh OVERLAY STANDIN
set -euo pipefail
overlay=$1 standin=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
note() { if [ "$1" = 0 ]; then echo "ok       $2"; else echo "FAILED   $2"; failures=$((failures + 1)); fi; }
holds() { local name=$1 status=0; shift; "$@" > out.txt 2>&1 || status=1; note $status "$name"; [ $status = 0 ] || sed 's/^/         | /' out.txt; }
refuses() { # refuses NAME PATTERN COMMAND...: an error status and one line that has PATTERN
  local name=$1 pattern=$2 status=0
  shift 2
  "$@" > out.txt 2> err.txt || status=$?
  note "$([ $status != 0 ] && [ "$(wc -l < err.txt)" = 1 ] && grep -q "^overlay: error: .*$pattern" err.txt; echo $?)" "$name"
}

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
holds "a second call changes nothing" patch
holds "it is reversed" patch --reverse
cp out.txt said.txt
holds "it says that the copy is stock" grep -q 'tree: stock again$' said.txt
holds "then the copy is the stock tree" diff -r --no-dereference "$copy" stock
holds "a manifest and a list are gone" test "$(ls out/patched/*)" = tree
holds "it is patched once more" patch
echo 'my notes' > "$copy/bernlohr/folder/notes.txt"
echo 'my change' >> "$copy/bernlohr/folder/new.txt"
refuses "a package's file that the user changed is not deleted" "folder/new.txt was changed since it was unpacked" patch --reverse
holds "and is as it was" grep -q 'my change' "$copy/bernlohr/folder/new.txt"
holds "and the tree is patched as it was" grep -q RANMARLIB "$copy/src/corsika.F"
echo 'new' > "$copy/bernlohr/folder/new.txt"
holds "without that change it is reversed" patch --reverse
holds "a file of the user's in a folder of the package stays" grep -q 'my notes' "$copy/bernlohr/folder/notes.txt"
rm -r "$copy/bernlohr/folder"
holds "and nothing else does" diff -r --no-dereference "$copy" stock
holds "the user's tree was not written to" diff -r --no-dereference tree stock

holds "it is patched again" patch
sed -i '$a C  MY LINE' "$copy/src/corsika.F"
holds "with an edit outside of the patch it is reversed" patch --reverse
cp out.txt said.txt
holds "  and the edit is named, not called stock" grep -q 'not the stock tree: src/corsika.F was edited' said.txt
holds "  and stays" diff <(tail -1 "$copy/src/corsika.F") <(echo 'C  MY LINE')

holds "it is patched elsewhere" "$overlay" patch --corsika tree --out full
rm full/patched/*/manifest.json
(cd full/patched/* && mkdir -p manifest.json/of-mine)
refuses "a reverse that cannot delete its manifest says so" "cannot delete .*manifest.json" "$overlay" patch --corsika tree --out full --reverse

refuses "a folder inside the tree" "lies in the tree" "$overlay" patch --corsika tree --out tree/out
holds "and nothing was made there" test ! -e tree/out
mkdir empty
refuses "a reverse of nothing" "no patched tree" "$overlay" patch --corsika tree --out empty --reverse
holds "a folder that was there stays" test -d empty
holds "a dry run writes nothing" timeout 120 "$overlay" patch --corsika tree --out empty --dry-run
holds "and leaves the folder empty" test -z "$(ls empty)"

for i in 1 2 3; do timeout 300 "$overlay" patch --corsika tree --out many > "many$i.txt" 2>&1 & done
wait
holds "of three at once each succeeds" test "$(grep -l '^patched' many?.txt | wc -l)" = 3
holds "and none leaves anything" test "$(cd many/patched/* && ls)" = $'manifest.json\ntree\nunpacked.list'

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
