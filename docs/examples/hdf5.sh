#!/usr/bin/env bash
# What docs/integrations/hdf5.md shows of programs: the lines between "[hdf5 NAME]" and "[/hdf5]" are printed there.
#
# usage: HDF5_PLUGIN_PATH=… hdf5.sh [PROGRAM], in a folder of its own. Ends with 77 where a program is missing.
set -euo pipefail
for program in h5repack h5dump h5diff ncgen nccopy ncdump; do
  command -v "$program" > /dev/null || { echo "skipped: no $program"; exit 77; }
done
{
  echo 'netcdf run { dimensions: y = 64; x = 128; variables: float t(y, x); data: t = '
  for ((i = 0; i < 64 * 128 - 1; ++i)); do echo "$((i * i % 1009)).5,"; done
  echo '7; }'
} > run.cdl
ncgen -k nc4 -o run.nc run.cdl

# [hdf5 h5repack]
# |x - x'| <= 0.01: 1, mode 0, and 0.01 as a double in two words
h5repack -l t:CHUNK=64x128 -f t:UD=52048,0,4,1,0,1202590843,1065646817 run.nc small.h5
h5dump -p -H small.h5
h5diff -d 0.01 run.nc small.h5
# [/hdf5]

# [hdf5 nccopy]
nccopy -c y/64,x/128 -F t,52048,1,0,1202590843,1065646817 run.nc small.nc
ncdump -hs small.nc
# [/hdf5]

program=${1:-}
[[ -n $program ]] || { echo "skipped: repack, for there is no kompakt with netCDF"; exit 0; }
kompakt() { command "$program" "$@"; }
rm small.nc
# [hdf5 repack]
kompakt repack run.nc small.nc -m r2r -e 1e-3 --verify    # of the range of each variable, all chunks together
kompakt compare -i run.nc:t small.nc:t -m r2r -e 1e-3
ncdump -h small.nc
# [/hdf5]
