# Sourced by tests of productions: plants programs in the place of a production's patched program, and waits. Writes in
# the productions that it is given and beside them.

# replan FOLDER NAME...: takes files of a production as they are now for those that were planned.
replan() {
  local folder=$1 name sum
  shift
  for name; do
    sum=$(sha256sum < "$folder/$name" | cut -c1-64)
    sed -i -E "s|^(\"$name\" = ).*|\1\"$sum\"|" "$folder/production.toml"
  done
  sum=$(sha256sum < "$folder/production.toml" | cut -c1-64)
  rm -f "$folder/production.toml.sha256"  # it may be a link to another production's
  echo "$sum" > "$folder/production.toml.sha256"
}

# plant FOLDER SCRIPT: puts a script of bash in the place of a production's patched program, as if it had been planned so.
# In the script $real is the program itself, $run the run's number, and $mark a folder FOLDER.marks that all share.
plant() {
  local folder place
  folder=$(realpath "$1") place=$1/bin/corsika/run/corsika-standin
  [ -e "$place.real" ] || mv "$place" "$place.real"
  cat > "$place" <<TEXT
#!/bin/bash
real=$folder/bin/corsika/run/corsika-standin.real
mark=$folder.marks
run=\$(grep RUNNR card | cut -d" " -f2)
$2
TEXT
  chmod +x "$place"
  mkdir -p "$folder.marks"
  replan "$1" bin/corsika/run/corsika-standin
}

# wait_for COMMAND...: until it succeeds. The limit is there for a test that would wait for ever.
wait_for() {
  local tries=3000  # 5 minutes at least
  until "$@" > /dev/null 2>&1; do
    [ $((tries -= 1)) -gt 0 ] || { echo "         waited in vain for: $*"; return 1; }
    sleep 0.1
  done
}
# has_files COUNT PATTERN: at least so many files fit. The pattern is expanded here.
has_files() { [ "$(compgen -G "$2" | wc -l)" -ge "$1" ]; }
# has_ended PROCESS: it is gone, or is a zombie: nothing may be there that takes an orphan's status.
has_ended() { ! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"; }
