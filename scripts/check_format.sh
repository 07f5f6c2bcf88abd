#!/bin/sh
# Checks the layout of all C++ files of the project, tracked or new, with clang-format 14.
#   scripts/check_format.sh          prints what differs; exit status 1 if anything does
#   scripts/check_format.sh --fix    rewrites the files
# CLANG_FORMAT names another program; its version must be 14, because versions disagree.
set -eu
cd "$(dirname "$0")/.."

tool=${CLANG_FORMAT:-}
for name in clang-format-14 clang-format; do
  if [ -z "$tool" ] && command -v "$name" > /dev/null; then tool=$name; fi
done
if [ -z "$tool" ] || ! "$tool" --version | grep -q 'version 14\.'; then
  echo "check_format: needs clang-format 14 (found: ${tool:-none}); set CLANG_FORMAT" >&2
  exit 2
fi

case "${1:-}" in
  --fix) set -- -i ;;
  "") set -- --dry-run -Werror ;;
  *) echo "usage: scripts/check_format.sh [--fix]" >&2; exit 2 ;;
esac

# Not what git ignores: build folders, dependencies. A tarball has neither git nor those.
list_files() {
  if [ -e .git ]; then
    git ls-files --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.h' '*.c'
  else
    find . -path './build*' -prune -o -path ./.deps -prune -o \
      -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print
  fi
}
# A file that git still tracks may be gone from the folder.
list_files | while IFS= read -r file; do
  if [ -f "$file" ]; then printf '%s\0' "$file"; fi
done | xargs -0 "$tool" --style=file "$@"
