#!/usr/bin/env bash
# Uses what scripts/packages makes as somebody does who installed it: in an empty Debian root, by scripts/fresh --packages.
#
# usage: packages.sh deb|wheel FOLDER_OF_PACKAGES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kind=$1 packages=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat > field.py << 'END'
import numpy

rng = numpy.random.default_rng(1)
numpy.save("field.npy", numpy.cumsum(rng.standard_normal((64, 64, 64)), axis=2).astype("f4"))
END
cat > package.py << 'END'
import numpy

import kompakt

field = numpy.load("field.npy")
stream = kompakt.compress(field, 1e-3)
worst = numpy.abs(kompakt.decompress(stream).astype("f8") - field).max()
bound = 1e-3 * (field.max().astype("f8") - field.min())
assert worst <= bound, (worst, bound)
print(f"package: {field.nbytes} bytes are {len(stream)}, worst error {worst / bound:.4f} of the bound")
END
cat > filter.py << 'END'
import h5py
import numpy

import kompakt.h5py

field = numpy.load("field.npy")
with h5py.File("package.h5", "w") as file:
    file.create_dataset("field", data=field, **kompakt.h5py.Kompakt("abs:0.01"))
with h5py.File("package.h5") as file:
    assert numpy.abs(file["field"][...].astype("f8") - field).max() <= 0.01
    print(f"filter: {field.nbytes} bytes are {file['field'].id.get_storage_size()}")
END

use_wheel() {
  local limit=10000000 wheel
  for wheel in "$packages"/*.whl; do
    (($(stat -c %s "$wheel") <= limit)) || { echo "packages: $wheel has more than $limit bytes" >&2; exit 1; }
  done
  python3 -m venv environment
  environment/bin/pip install --quiet --find-links "$packages" kompakt h5py
  for part in field package filter; do environment/bin/python $part.py; done
}

use_deb() {
  apt-get install -y --no-install-recommends "$packages"/*.deb > /dev/null
  for part in field package filter; do python3 $part.py; done
  # The program, its manual and the words that it knows.
  kompakt --version
  kompakt compress field.npy -o field.kpk -m r2r -e 1e-3
  kompakt decompress field.kpk -o back.npy
  kompakt compare field.npy back.npy -e 0.1 -m abs > compared.txt
  # Its modules, with their libraries.
  for format in nc h5; do
    kompakt decompress field.kpk -o "back.$format"
    kompakt info "back.$format"
  done
  [[ -s /usr/share/man/man1/kompakt.1.gz && -s /usr/share/bash-completion/completions/kompakt ]]
  # Programs of others find the filter without being told.
  h5dump -p -H package.h5 | grep -q 'FILTER_ID 52048'
  h5repack -f NONE package.h5 plain.h5
  h5diff -d 0 package.h5 plain.h5
  # Addresses of the program are random, and what the linker has set is read-only.
  for file in /usr/bin/kompakt "$(find /usr/lib -name libH5Zkompakt.so -type f)"; do
    readelf -h "$file" | grep -q 'Type:.*DYN'
    readelf -d "$file" | grep -q 'BIND_NOW'
    readelf -l "$file" | grep -q 'GNU_RELRO'
    readelf --dyn-syms --wide "$file" | grep -q '__stack_chk_fail'
  done
  # A program in C.
  cc -std=c99 "$here/../../docs/examples/round_trip.c" -o round_trip $(pkg-config --cflags --libs kompakt) -lm
  ./round_trip
}

"use_$kind"
echo "packages: $kind can be used"
