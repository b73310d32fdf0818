# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by scripts/run and scripts/test; to be sourced. Works in the root of the tree.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '\n== %s\n' "$*"; }

ensurePackages() { scripts/setup --check >/dev/null 2>&1 || scripts/setup; }

# Uses ../shared, the folder with models/ and conformance/, if it exists and AVOCET_SHARED_DATA is not set.
findSharedData() {
  if [ -z "${AVOCET_SHARED_DATA+set}" ] && [ -d ../shared/models ]; then
    AVOCET_SHARED_DATA=$(cd ../shared && pwd)
  fi
  export AVOCET_SHARED_DATA=${AVOCET_SHARED_DATA:-}
}

# configure PRESET [OPTION]...: prints its output only on failure. Does nothing if the build folder was configured in the same way:
# ninja itself runs CMake again when CMake's files change, but for the presets.
configure() {
  local log preset=$1 way
  shift
  way="$(cksum CMakePresets.json) $AVOCET_SHARED_DATA $*"
  if [ -f "build/$preset/build.ninja" ] && [ "$way" = "$(cat "build/$preset/configuredAs" 2>/dev/null)" ]; then
    return
  fi
  log=$(mktemp)
  if ! cmake --preset "$preset" "-DAVOCET_SHARED_DATA=$AVOCET_SHARED_DATA" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  printf '%s\n' "$way" >"build/$preset/configuredAs"
}

# build PRESET [TARGET]...: ninja shows [done/total] by itself.
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
