# plant FOLDER SCRIPT: puts a script of bash in the place of a production's patched program, as if it had been planned so.
# In the script $real is the program itself, $run the run's number, and $mark a folder FOLDER.marks that all share. The
# short shower by which a node's class is seen (NSHOW 1) goes to the program itself, unless $probe_too is set. Sourced by
# tests.
plant() {
  local folder place sum
  folder=$(realpath "$1") place=$1/bin/corsika/run/corsika-standin
  [ -e "$place.real" ] || mv "$place" "$place.real"
  cat > "$place" <<TEXT
#!/bin/bash
real=$folder/bin/corsika/run/corsika-standin.real
mark=$folder.marks
run=\$(grep RUNNR card | cut -d" " -f2)
[ -n "${probe_too-}" ] || ! grep -q "^NSHOW *1\$" card || exec "\$real"
$2
TEXT
  chmod +x "$place"
  mkdir -p "$folder.marks"
  sum=$(sha256sum < "$place" | cut -c1-64)
  sed -i -E "s|^(\"bin/corsika/run/corsika-standin\" = ).*|\1\"$sum\"|" "$folder/production.toml"
  sha256sum < "$folder/production.toml" | cut -c1-64 > "$folder/production.toml.sha256"
}
