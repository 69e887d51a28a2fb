#!/usr/bin/env bash
# Pictures of every page, dialogue and state of the window in every language, both themes and four sizes:
#   tests/bench/window_pictures.sh [FOLDER] [LANGUAGE...]   (default: window-pictures, and en de zh_CN)
# Updates the pictures of the README in resources/screenshots:
#   tests/bench/window_pictures.sh --screenshots
# Needs a build folder with tests (build/release, or BUILD); builds window_pictures. Each run has a session with the
# bundled model, so a language takes some minutes. SIZES overrides the sizes ("800x600 1280x800").
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build/release}
cmake --build "$build" --target window_pictures lacuna >/dev/null
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home XDG_CACHE_HOME=$home HOME=$home
if [ "${1:-}" = --screenshots ]; then
    "$build/bin/window_pictures" --screenshots resources/screenshots
    du -bc resources/screenshots/*.png
    exit
fi
to=${1:-window-pictures}
shift || true
[ $# -gt 0 ] && languages=("$@") || languages=(en de zh_CN)
read -ra sizes <<<"${SIZES:-800x600 1280x800 1920x1080}"
for language in "${languages[@]}"; do
    "$build/bin/window_pictures" "$to" "$language" "${sizes[@]}"
    [ -n "${SIZES:-}" ] || QT_SCALE_FACTOR=2 "$build/bin/window_pictures" "$to" "$language" 1280x720
done
echo "$(find "$to" -name '*.png' | wc -l) pictures in $to"
