# shellcheck shell=bash
# Functions of the scripts that configure, build and run. To be sourced; works from any directory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0")

say() { printf '%s: %s\n' "$script" "$*"; }
die() {
  printf '%s: error: %s\n' "$script" "$*" >&2
  exit 1
}

# step LOG TEXT COMMAND...: runs a command with its output in the file LOG and prints the time.
step() {
  local log=$1 text=$2 status=0 begin=$SECONDS
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '%s: %s ... ' "$script" "$text"
  "$@" > "$log" 2>&1 || status=$?
  if ((status != 0)); then
    printf 'failed\n'
    tail -n 30 "$log" >&2
    die "$text failed; all of its output is in ${log#"$root"/}"
  fi
  printf '%d s\n' $((SECONDS - begin))
}

# configure PRESET [PART...]: brings build/PRESET up to date with the CMake files. The parts (CLI,
# UNIT_TESTS, …) are enabled even if the folder was configured without them.
configure() {
  local preset=$1 flags=()
  shift
  if (($# > 0)); then
    flags=("${@/#/-DKOMPAKT_ENABLE_}")
    flags=("${flags[@]/%/=ON}")
  fi
  if command -v ccache > /dev/null; then flags+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  step "$root/build/$preset/log/configure.log" "configuring build/$preset" \
    cmake -S "$root" --preset "$preset" "${flags[@]}"
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
