#!/usr/bin/env bash
# The first example of docs/cli.md, which shows the lines between the two marks.
#
# usage: cli_round_trip.sh PROGRAM [FIELD]
#
# FIELD is the air_temperature.f32 of scripts/demo; without that file a field of the same extents is
# made up. Works in a temporary folder.
set -euo pipefail

program=$(realpath "$1")
field=${2:-}
kompakt() { command "$program" "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -f $field ]]; then
  cp "$field" "$work/air_temperature.f32"
else
  python3 - "$work/air_temperature.f32" << 'PYTHON'
import array, math, sys
values = array.array("f", (280 + 20 * math.sin(t / 40) + 9 * math.cos(y / 12) + math.sin(x / 3)
                           for t in range(240) for y in range(37) for x in range(49)))
if sys.byteorder == "big":
    values.byteswap()
with open(sys.argv[1], "wb") as file:
    values.tofile(file)
PYTHON
fi
cd "$work"

# [cli round trip]
# 240 x 37 x 49 values of float, the last index fastest; a bound of 0.001 times max - min
kompakt compress -i air_temperature.f32 -t f32 -l 49x37x240 -m r2r -e 1e-3 -o air_temperature.kpk
kompakt info air_temperature.kpk
kompakt decompress -i air_temperature.kpk -o restored.f32
kompakt compare -i air_temperature.f32 air_temperature.kpk  # fails if a value is outside the bound
# [/cli]

# What was restored is inside the bound, too, and a second try does not overwrite it.
kompakt compare -i air_temperature.f32 -t f32 -l 49x37x240 -m r2r -e 1e-3 restored.f32 > /dev/null
if kompakt decompress -i air_temperature.kpk -o restored.f32 2> message.txt; then
  echo 'an existing file was overwritten' >&2
  exit 1
fi
grep -q -- --force message.txt
