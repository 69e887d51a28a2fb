# Shared by packaging/run and packaging/test: installs what is missing and configures the release build.
# Sourced, not run. Needs a Debian 12 (bookworm) system and root or sudo for the first call only.

packages=(
    g++ cmake ninja-build pkg-config git ca-certificates
    qt6-base-dev qt6-charts-dev libqt6opengl6-dev # the last one is only recommended by the first, and Charts needs it
    qt6-qpa-plugins libgl-dev libxkbcommon-dev
    qt6-l10n-tools qt6-translations-l10n # compiles the catalogues of the window; those of Qt itself
    nlohmann-json3-dev libexpected-dev libfmt-dev libhwy-dev libeigen3-dev libpcre2-dev libutf8proc-dev
    libxxhash-dev libzstd-dev libmd4c-dev libpoppler-cpp-dev libsqlite3-dev libboost-dev libcli11-dev
    fonts-dejavu-core fonts-wqy-microhei # the second: Chinese, Japanese and Korean, in 1.6 MB
)
test_packages=(libgtest-dev libgmock-dev clang clang-format) # the last two: what tests/lint reads the sources with

say() { printf '== %s\n' "$*"; }

# install_missing [PACKAGE...]: installs the packages of the build and these
install_missing() {
    local missing=() package
    for package in "${packages[@]}" "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "Please run once as root, or install sudo: these packages are missing: ${missing[*]}" >&2; exit 69; }
        root=(sudo)
    fi
    say "installing ${#missing[@]} packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${root[@]}" apt-get update -q
    "${root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# configure TESTS(ON|OFF): configures build/release; quick if nothing changed. If nothing was built before, several sources
# are compiled at a time, which halves the time.
configure() {
    local launcher=() unite=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    [ -e build/release/CMakeCache.txt ] || unite=(-DLACUNA_UNITE=ON)
    say "configuring build/release"
    mkdir -p build/release
    cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release "-DLACUNA_BUILD_TESTS=$1" "${unite[@]}" "${launcher[@]}" >build/release/configure.log 2>&1 ||
        { cat build/release/configure.log >&2; exit 1; }
}

# build [TARGET...]: builds everything, or these targets; prints the progress before each step
build() {
    say "building, some minutes from nothing: share, steps and seconds come before each step"
    NINJA_STATUS='[%p, %f of %t, %e s] ' cmake --build build/release ${1:+--target "$@"}
    say "built after $SECONDS seconds"
}
