#!/bin/sh
# Words of scripts/setup: each one counts, an unknown one is refused before anything is done, and what is only useful stops nobody.
#
# usage: setup.sh FOLDER       (FOLDER: the one with the scripts)
#
# Programs that stand for the system's ones tell what would be installed, and install nothing.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/bin"
chmod 755 "$work"
cp -r "$1" "$work/tree/scripts"
fail() {
  printf 'setup.sh: %s; it said:\n%s\n' "$1" "$said" >&2
  exit 1
}
# stand_in NAME COMMANDS
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1"
  chmod 755 "$work/bin/$1"
}
# setup CODE WORD...: what scripts/setup says; it must end with CODE.
setup() {
  expected=$1 code=0
  shift
  # shellcheck disable=SC2086
  said=$(PATH="$work/bin:$PATH" $user "$work/tree/scripts/setup" "$@" 2>&1) || code=$?
  [ "$code" = "$expected" ] || fail "'scripts/setup $*' ended with $code, not $expected"
}
says() {
  for words in "$@"; do
    case $said in *"$words"*) ;; *) fail "no '$words'" ;; esac
  done
}

user=
stand_in sudo 'exit 1'
stand_in apt-get 'echo "$@"; exit 1'
stand_in dpkg-query 'exit 1'
stand_in pkg-config 'exit 1'

for words in 'mpi kernel' 'kernel mpi' '-h' "''"; do
  eval "setup 2 $words"
  says 'usage: scripts/setup [openmp|'
  [ ! -e "$work/tree/.deps" ] || fail "'$words' made a folder"
done

setup 1 hdf5 mpi
says libopenmpi-dev cdo libgtest-dev libnetcdf-dev libhdf5-dev
setup 1 mpi kernels
says libopenmpi-dev
rm -rf "$work/tree/.deps"

# Without the right to install: the line to type, and on to what comes next, which fails here.
if [ "$(id -u)" = 0 ]; then
  command -v setpriv > /dev/null || exit 0
  user='setpriv --reuid=65534 --clear-groups'
  chmod 777 "$work/tree"
fi
stand_in dpkg-query 'echo installed'
# shellcheck disable=SC2016
stand_in python3 'case "$*" in *venv\ * | *Python.h*) exit 1 ;; esac'
for name in g++ cmake ninja ccache; do stand_in "$name" ''; done
setup 1
says 'sudo apt-get install libnetcdf-dev libhdf5-dev python3-dev' 'Python environment failed'
