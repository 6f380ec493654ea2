# Installs Debian packages that are missing; sourced by the other scripts.
#
# install_packages NAME...: does nothing when all are there; else asks apt for
# the missing ones (with sudo where this is not root).

build_packages="g++ cmake ninja-build pkg-config ccache
  protobuf-compiler libprotobuf-dev libabsl-dev libre2-dev zlib1g-dev
  libzstd-dev libzip-dev liblapacke-dev libopenblas-dev libgraphviz-dev libedit-dev
  llvm-19-dev libxxhash-dev"
test_packages="libgtest-dev libgmock-dev"
# With these more tests run; they are skipped otherwise.
more_test_packages="graphviz chromium"
fuzz_packages="clang"

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "Installing ${missing[*]}"
  local sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
}
