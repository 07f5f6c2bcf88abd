#!/usr/bin/env bash
# The steps of docs/tutorial.md, and the first ones of README.md, which show the lines between marks.
#
# usage: tutorial.sh PROGRAM PYTHON
#
# PYTHON has the packages kompakt, h5py and matplotlib. Works in a temporary folder. Exit code 77, and a line that says why, if
# a package is missing or the program does not read netCDF.
set -euo pipefail

program=$(realpath "$1")
export KOMPAKT_PYTHON=$2
here=$(cd "$(dirname "$0")" && pwd)
kompakt() { command "$program" "$@"; }
# As it stands in the tutorial.
python3() { command "$KOMPAKT_PYTHON" "$@"; }
skip() {
  echo "skipped: $1"
  exit 77
}

for package in h5py matplotlib kompakt.report; do
  python3 -c "import $package" 2> /dev/null || skip "$KOMPAKT_PYTHON has no package ${package%%.*}"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/tutorial.py" "$work"
cd "$work"

# [tutorial field]
python3 tutorial.py field ocean.nc
# [/tutorial]

kompakt compress -i ocean.nc:temperature -m r2r -e 1e-2 -o probe.kpk --quiet 2> message.txt || {
  ! grep -q 'built without' message.txt || skip 'the program was built without netCDF'
  cat message.txt >&2
  exit 1
}
rm probe.kpk

cp ocean.nc run.nc
# [readme]
kompakt compress run.nc -o run.kpk -m r2r -e 1e-3  # each variable within 1e-3 of its max - min
kompakt decompress run.kpk -o restored.nc          # plain netCDF again
# [/readme]
rm restored.nc

# [tutorial guess]
kompakt compress -i ocean.nc:temperature -m r2r -e 1e-3 -o guess.kpk
kompakt report ocean.nc:temperature guess.kpk -o guess.html
# [/tutorial]

# [tutorial sweep]
kompakt report ocean.nc:temperature sweep --bounds 1e-2,1e-3,1e-4 -o sweep.html
# [/tutorial]

# [tutorial absolute]
kompakt report ocean.nc:temperature sweep -m abs --bounds 0.1,0.01,0.001 -e 0.01 -o sweep_kelvin.html
# [/tutorial]

# [tutorial keep]
kompakt compress ocean.nc -o ocean.kpk --bound temperature=abs:0.01 --bound salinity=r2r:1e-4
kompakt info ocean.kpk
# [/tutorial]

# [tutorial verify]
kompakt compare -i ocean.nc:temperature ocean.kpk --name temperature
kompakt verify ocean.kpk
kompakt report ocean.nc:temperature ocean.kpk:temperature -o kept.html
# [/tutorial]

# [tutorial python]
python3 tutorial.py read ocean.kpk
# [/tutorial]

# [tutorial back]
kompakt decompress -i ocean.kpk -o restored.nc
kompakt report ocean.nc:temperature restored.nc:temperature -m abs -e 0.01 -o restored.html
# [/tutorial]

# What the tutorial says of it.
for page in guess sweep sweep_kelvin kept restored; do
  grep -q 'values are within' "$page.html"
  [[ -s ${page}_pictures/original.png ]]
done
