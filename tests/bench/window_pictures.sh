#!/usr/bin/env bash
# Pictures of every page of the window in every language, both themes and four sizes:
# tests/bench/window_pictures.sh [FOLDER] [LANGUAGE...]   (window-pictures, and en de zh_CN, when left out)
# Needs a build folder with tests (build/release, or the one BUILD names); builds what takes them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
to=${1:-window-pictures}
shift || true
languages=("${@:-en}")
[ $# -gt 0 ] || languages=(en de zh_CN)
build=${BUILD:-build/release}
cmake --build "$build" --target window_pictures >/dev/null
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home XDG_CACHE_HOME=$home
for language in "${languages[@]}"; do
    for theme in light dark; do
        for size in 800x600 1280x800 1920x1080; do
            "$build/bin/window_pictures" "$to/$language-$theme-$size" "$language" "$theme" "$size"
        done
        QT_SCALE_FACTOR=2 "$build/bin/window_pictures" "$to/$language-$theme-2560x1440@2" "$language" "$theme" 1280x720
    done
done
echo "$(find "$to" -name '*.png' | wc -l) pictures in $to"
