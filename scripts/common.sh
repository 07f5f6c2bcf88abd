# shellcheck shell=bash
# Functions of the scripts that configure, build and run. To be sourced; works from any directory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0")

# What a compiler cache goes by: what a compiler says of itself, not when it was installed; files as they are seen from this
# folder; and precompiled headers by what is in them.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
export CCACHE_NOHASHDIR=1
export CCACHE_COMPILERCHECK=${CCACHE_COMPILERCHECK:-%compiler% --version}
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime,locale}

say() { printf '%s: %s\n' "$script" "$*"; }
die() {
  printf '%s: error: %s\n' "$script" "$*" >&2
  exit 1
}

# The number of the last step of ninja's in a log, and of how many; nothing before the first one.
counter() { tail -c 4096 "$1" | tr '\r' '\n' | grep -o '^ *\[[0-9]*/[0-9]*\]' | tail -n 1 | tr -d ' ' || true; }

# watch LOG LINE: shows what ninja counts in LOG, on a terminal behind LINE, else every half a minute, while this script lives.
watch() {
  local log=$1 line=$2 begin=$SECONDS ticks=0 pause=30
  if [[ -t 1 ]]; then pause=1; fi
  # Short sleeps: one that is left behind holds a pipe open that the script's reader waits for.
  while sleep 1 && kill -0 $$ 2> /dev/null; do
    ticks=$((ticks + 1))
    if ((ticks % pause != 0)); then continue; fi
    if [[ -t 1 ]]; then printf '\r%s' "$line"; fi
    printf '%s %d s ... ' "$(counter "$log")" $((SECONDS - begin))
  done
}

# step LOG TEXT COMMAND...: runs a command with its output in the file LOG, shows how far it is, and prints the time.
step() {
  local log=$1 line="$script: $2 ... " text=$2 status=0 begin=$SECONDS watcher
  shift 2
  mkdir -p "$(dirname "$log")"
  : > "$log"
  printf '%s' "$line"
  watch "$log" "$line" &
  watcher=$!
  # Not in a condition: bash ignores -e there.
  set +e
  (set -e && "$@") > "$log" 2>&1
  status=$?
  set -e
  kill "$watcher" 2> /dev/null || true
  wait "$watcher" 2> /dev/null || true
  if ((status != 0)); then
    printf 'failed\n'
    tail -n 30 "$log" >&2
    die "$text failed; all of its output is in ${log#"$root"/}"
  fi
  printf '%d s\n' $((SECONDS - begin))
}

# pygenten is a tensor library whose source package on PyPI carries the whole trees of Kokkos and Kokkos Kernels,
# so that pip alone brings these to a machine.
kokkos_package=pygenten==0.1.5

# fetch_kokkos PYTHON FOLDER: brings that package, unless the folder is there.
fetch_kokkos() {
  [[ -d $2 ]] || "$1" -m pip download --no-cache-dir --no-deps --no-binary "${kokkos_package%%=*}" --dest "$2" "$kokkos_package"
}

# What every build is configured with beside its preset: the lines of this, which are looked at when scripts/setup has run.
common_flags() {
  if command -v ccache > /dev/null; then echo "-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache)"; fi
  if [[ -n ${KOMPAKT_WARNINGS_AS_ERRORS:-} ]]; then echo "-DKOMPAKT_WARNINGS_AS_ERRORS=$KOMPAKT_WARNINGS_AS_ERRORS"; fi
}

# configure PRESET [PART...]: brings build/PRESET up to date with the CMake files. The parts (CLI,
# UNIT_TESTS, …) are enabled even if the folder was configured without them.
configure() {
  local preset=$1 flags=() common
  shift
  mapfile -t common < <(common_flags)
  if (($# > 0)); then
    flags=("${@/#/-DKOMPAKT_ENABLE_}")
    flags=("${flags[@]/%/=ON}")
  fi
  step "$root/build/$preset/log/configure.log" "configuring build/$preset" \
    cmake -S "$root" --preset "$preset" "${common[@]}" "${flags[@]}"
}

# build PRESET [TARGET...]: everything if no target is named.
build() {
  local preset=$1 what=everything
  shift
  if (($# > 0)); then what=$*; fi
  step "$root/build/$preset/log/build.log" "building $what" \
    cmake --build "$root/build/$preset" --target "${@:-all}"
}

# Threads that stay where they are make timings repeat. Not for tests, of which several run at once.
bind_threads() {
  export OMP_PROC_BIND=${OMP_PROC_BIND:-close}
  export OMP_PLACES=${OMP_PLACES:-cores}
}
