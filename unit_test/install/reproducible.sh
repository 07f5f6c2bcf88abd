#!/usr/bin/env bash
# Makes all packages twice, the second time without a compiler cache, and compares their bytes. Takes more than an hour.
#
# usage: reproducible.sh [deb] [wheel]     (without a word, both)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
tree=$root/build/packages
first=$(mktemp -d)
trap 'rm -rf "$first"' EXIT

# make_packages [WORD...]: makes the packages in a folder without anything of an earlier build but its tools.
make_packages() {
  [[ ! -d $tree ]] || find "$tree" -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} +
  rm -rf "$root/build/wheel"
  "$root/scripts/packages" "$@"
}

make_packages "$@"
cp "$tree/out"/* "$first"
export CCACHE_DISABLE=1
make_packages "$@"

differing=0
for file in "$first"/*; do
  name=$(basename "$file")
  if ! cmp "$file" "$tree/out/$name"; then
    printf 'reproducible: %s differs between two builds\n' "$name" >&2
    differing=1
  fi
done
[[ $(ls "$first") == "$(ls "$tree/out")" ]] || {
  printf 'reproducible: two builds made different files\n' >&2
  differing=1
}
if ((differing == 0)); then printf 'reproducible: two builds made the same files\n'; fi
exit "$differing"
