#!/usr/bin/env bash
# overlay production, but for the making of runs: new, emit, status, verify, collect and check-seeds on the stand-in
# program, in a folder that is moved, with two `new` at once, and against counts by other tools.
# usage: production_test.sh OVERLAY
overlay=$1
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
export OVERLAY_LEDGER=$work/seeds.ledger
new() { timeout 300 "$overlay" production new "$@" --corsika standin --profile veritas-gamma-single --out builds; }
small=(--showers 1 --erange 20,30)

try new prod --runs 2 --zenith 20,30 --first-run 41 "${small[@]}"
note $status "a production is planned"; [ $status = 0 ] || { cat err.txt; exit 1; }
note "$(grep -q '4 runs of 1 shower, runs 41 to 44, 2 settings' out.txt && grep -qx "next       $overlay production check prod" out.txt; echo $?)" "it says what, and the next command"
note "$([ -x prod/bin/overlay ] && (cd prod && sha256sum -c --quiet production.toml.sha256) && sed -n '/^\[files\]/,$s/^"\(.*\)" = "\(.*\)"$/\2  \1/p' prod/production.toml | (cd prod && sha256sum -c --quiet); echo $?)" "sha256sum agrees with every checksum of the plan"
note "$([ -z "$(compgen -G '.overlay*')" ]; echo $?)" "nothing half-made is left"
# Whole words, and no patterns: a user may have no name, and a machine may be called (none) or e.
printf '%s\n' "$work" "${HOME-}" "$(id -un 2> /dev/null || true)" "$(uname -n)" | grep -E '...' > names.txt
note "$(! grep -qwFf names.txt prod/card.template prod/runs.tsv; echo $?)" "no path, user or host in cards"
ends 1 'prod is there; give a new folder' "a production is never planned twice in one folder" new prod --runs 2 "${small[@]}"
for wrong in '--runs 0' '--runs 2 --zenith 20,95' '--runs 2 --primary gamma,gama' '--runs 2 --primary 203' '--runs 2 --primary gamma,1' '--runs 2 --first-run 44' '--runs 2 --like prod' '--runs 2 --seeds random' '--runs 2 --seeds offsets' '--runs 2 --zenith 20,20' '--runs 999999 --first-run 2' '--runs 2 --processors fast'; do
  status=0; new other $wrong --out unbuilt "${small[@]}" > out.txt 2> err.txt || status=$?
  note "$([ $status != 0 ] && [ ! -e unbuilt ] && [ ! -e other ] && [ "$(wc -l < err.txt)" -ge 1 ] && [ "$(grep -c '^overlay: error: ' err.txt)" = 1 ]; echo $?)" "refused: $wrong"
done
note "$([ "$(grep -vc '^#' seeds.ledger)" = 1 ]; echo $?)" "  nothing was built, and no seeds were taken"
printf 'RUNNR 7\nNSHOW 5\nPRMPAR 1\nTELFIL gamma_run007.dat\nDIRECT /data/\nEXIT\n' > own.card
try new other --runs 2 --primary proton --card own.card
note "$([ $status = 1 ] && grep -q 'DIRECT names a whole path' err.txt && [ ! -e other ]; echo $?)" "refused: a card with a whole path"
note "$(grep -q 'TELFIL gamma_run007.dat holds the run number 7 in all runs' err.txt && grep -q 'holds the primary gamma in all runs' err.txt; echo $?)" "  and what TELFIL's name holds literally is said"
try new other --runs 2 --zenith 75 "${small[@]}"
note "$([ $status = 1 ] && grep -q 'the stock run refused its card; CORSIKA says: ZENITH ANGLE 75.* TOO LARGE' err.txt && [ ! -e other ] && [ "$(grep -vc '^#' seeds.ledger)" = 1 ]; echo $?)" "refused: a card that the program alone refuses, before seeds are taken"

# Two at once.
new one --runs 7 "${small[@]}" > one.txt 2>&1 & first=$!
new two --runs 9 "${small[@]}" > two.txt 2>&1 & second=$!
status=0; wait $first || status=$?; wait $second || status=$?
note $status "two productions are planned at once"; [ $status = 0 ] || cat one.txt two.txt
note "$([ "$(tail -qn +2 one/runs.tsv two/runs.tsv prod/runs.tsv | cut -f1 | sort | uniq -d | wc -l)" = 0 ]; echo $?)" "  no run number is that of another production"

# As an earlier one, and more of it.
try "$overlay" production new three --like one
note "$([ $status = 0 ] && cmp -s one/card.template three/card.template && cmp -s one/bin/corsika/run/corsika-standin three/bin/corsika/run/corsika-standin && grep -q '7 runs of 1 shower' out.txt; echo $?)" "a production like an earlier one has its card and programs"; [ $status = 0 ] || cat err.txt
digest=$(sha256sum three/production.toml)
try three/bin/overlay production extend three --runs 2
note "$([ $status = 0 ] && [ "$digest" = "$(sha256sum three/production.toml)" ] && grep -q '2 more runs of 1 shower' out.txt && [ "$(three/bin/overlay production status three --pending 1000 | wc -l)" -ge 1 ]; echo $?)" "it gets two more runs; its plan stays"; [ $status = 0 ] || cat err.txt
more=$(sed -n '2s/^0*\([0-9]*\).*/\1/p' three/extension-1.tsv)
status=0; timeout 120 three/bin/overlay production run three "$more" > run.txt 2>&1 || status=$?
note "$([ $status = 0 ] && three/bin/overlay production status three | grep -q '1 of 9 runs'; echo $?)" "  one of which is made"; [ $status = 0 ] || cat run.txt
ends 1 'another.ledger does not have production three' "refused: more runs with another ledger" "$overlay" production extend three --runs 2 --ledger another.ledger
cp -r three changed && echo '# other' >> changed/bin/overlay && sed -i "s/^\"bin.overlay\" = .*/\"bin\/overlay\" = \"$(sha256sum < changed/bin/overlay | cut -c1-64)\"/" changed/production.toml
sha256sum changed/production.toml | sed 's/changed.//' > changed/production.toml.sha256 && sed -i "s/^plan = .*/plan = \"$(sha256sum < changed/production.toml | cut -c1-64)\"/" changed/extension-1.toml && sed -i '$d' changed/extension-1.toml && sum=$(sha256sum < changed/extension-1.toml) && echo "sha256 = \"${sum:0:64}\"" >> changed/extension-1.toml
ends 1 'call changed/bin/overlay production extend' "refused: more runs by another overlay than the workers'" "$overlay" production extend changed --runs 2
ends 0 '29 runs: 0 repeat' "  and no two of all their runs share a seed" "$overlay" production check-seeds prod one two three
try "$overlay" production check-seeds one two one
note "$([ $status = 1 ] && [ "$(grep -c '^repeat: ' out.txt)" = 7 ] && says ' 7 repeat an earlier one'; echo $?)" "  a production beside itself is seven repeats"

# The folder is moved, and the build is gone.
mkdir elsewhere && mv prod elsewhere/moved && rm -rf builds
moved=$work/elsewhere/moved
ldd "$moved/bin/overlay" > libraries.txt  # no pipe into grep -q: it ends at the first line, and ldd with it
note "$(grep -qF "$moved/bin/lib/" libraries.txt && ! grep -q 'not found' libraries.txt; echo $?)" "the worker's libraries are beside it"
status=0; "$moved/bin/overlay" production emit "$moved" --for htcondor > out.txt 2> err.txt && "$moved/htcondor/pre" 41 || status=$?
note $status "HTCondor's files of it do not skip a missing run"
export OVERLAY_PROFILES=/nowhere  # workers need nothing of the checkout
for run in 41 42 43; do timeout 120 "$moved/bin/overlay" production run "$moved" $run > run.txt 2>&1 || { note 1 "run $run"; cat run.txt; }; done
status=0; "$moved/htcondor/pre" 42 || status=$?
note "$([ $status = 3 ]; echo $?)" "a published run is skipped"
note "$([ "$("$moved/bin/overlay" production status "$moved" --pending 1000)" = '41 3' ] && [ -z "$("$moved/bin/overlay" production status "$moved" --other-bits)" ]; echo $?)" "the one that is missing is pending"
"$moved/bin/overlay" production status "$moved" > out.txt
note "$(grep -q '3 of 4 runs done (75.0%), 0 at work, 1 missing' out.txt && [ -s "$moved/status.html" ] && ! grep -qE 'https?:|<script|@import|\{\{' "$moved/status.html"; echo $?)" "status counts them, and leaves a page"

# A byte of a published file flips.
file=$moved/results/000/000042.telescope.dat.zst
python3 -c 'import sys; f=open(sys.argv[1],"r+b"); f.seek(2000); b=f.read(1)[0]; f.seek(2000); f.write(bytes([b ^ 255]))' "$file"
try "$moved/bin/overlay" production verify "$moved" --quick
note $status "a flipped byte keeps sizes as they are"
echo '* mine' >> "$moved/card.template"
try "$moved/bin/overlay" production verify "$moved"
note "$([ $status = 1 ] && grep -q 'rejected   run 42: 000042.telescope.dat.zst' out.txt && grep -q '^changed    card.template is not the file' out.txt; echo $?)" "  verify names it, and a changed card"
sed -i '$d' "$moved/card.template"
note "$([ "$("$moved/bin/overlay" production status "$moved" --pending 1000)" = '41 1,3' ] && ls "$moved"/quarantine/000042/*/reason.txt > /dev/null; echo $?)" "  and the next submission makes it again, alone"
for run in 42 44; do timeout 120 "$moved/bin/overlay" production run "$moved" $run > run.txt 2>&1 || { note 1 "run $run"; cat run.txt; }; done
ends 0 '4 of 4 runs done' "  then all is right" "$moved/bin/overlay" production verify "$moved"
try "$moved/bin/overlay" production collect "$moved" --digests --list 1
note "$([ $status = 0 ] && [ "$(cat "$moved"/lists/setting-*/telescope.dat/*.txt | (cd "$moved" && xargs ls) | wc -l)" = 4 ] && [ -s "$moved/production.html" ]; echo $?)" "the whole is collected"
note "$([ "$(python3 -c 'import json,sys; m=json.load(open(sys.argv[1])); print(m["complete"], len(m["run_list"]), m["verified"])' "$moved/production-manifest.json")" = 'True 4 digests' ]; echo $?)" "  with a manifest that other programs read"

[ $failures = 0 ]
