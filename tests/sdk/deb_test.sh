#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb_test.sh DEB [ROOT]: looks at the package that ./run deb made: what it needs and what is in it. With ROOT, an
# absolute path: installs it into a bare Debian 12 there, which debootstrap makes if the folder is not there yet, and uses
# it as a stranger would. That takes root's rights, a mirror and some minutes.
set -euo pipefail
deb=$(realpath "$1") root=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../checks.sh"

needs=" $(dpkg-deb -f "$deb" Depends), $(dpkg-deb -f "$deb" Recommends),"
for package in g++ python3 libc6 libstdc++6 libprotobuf32 libonnx1 libsqlite3-0 libdw1 libgrpc++1.51 python3-numpy python3-torch; do
  [[ $needs == *" $package,"* || $needs == *" $package ("* ]] || fail "$package is not needed by it: $needs"
done
[[ $needs != *openipu* ]] || fail "it needs itself: $needs"
[ "$(dpkg-deb -f "$deb" Package)" = openipu ] || fail "it has another name"
contents=$(dpkg-deb -c "$deb" | awk '{print $1, $2, $6}')
for file in enable.sh version.json 'poplar-[^/]*/enable.sh' 'popart-[^/]*/enable.sh' 'poplar-[^/]*/bin/gc-info' \
            'poplar-[^/]*/bin/vipu' 'poplar-[^/]*/lib/libpoplar.so' 'poplar-[^/]*/include/poplar/Graph.hpp' \
            'popart-[^/]*/lib/libpopart.so' 'popart-[^/]*/python/poptorch/__init__.py' 'poptorch-[^/]*.whl'; do
  grep -qE "root/root ./opt/poplar_sdk-[^/]*/$file\$" <<<"$contents" || fail "$file is not in it"
done
! grep -vE ' \./(opt/.*)?$' <<<"$contents" || fail "it has files outside /opt"
! grep -E '^-.{4}w|^-.{7}w' <<<"$contents" || fail "it has files that others may write"
[ -n "$root" ] || { echo "ok: deb"; exit 0; }

[ -d "$root" ] || debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$root.log" ||
  fail "debootstrap failed: $(tail -5 "$root.log")"
cp "$deb" "$root/tmp/openipu.deb"
cp "$here/operators.cpp" "$here/models.py" "$root/tmp"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cat >"$root/tmp/use.sh" <<'SCRIPT'
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/root OPENIPU_RUNTIME_DIR
OPENIPU_RUNTIME_DIR=$(mktemp -d)
apt-get update -qq
apt-get install -y -qq ${RECOMMENDS:-} /tmp/openipu.deb >/tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log; exit 1; }
cd /tmp
. /opt/poplar_sdk-*/enable.sh
for file in "$POPLAR_SDK_ENABLED"/bin/* "$POPLAR_SDK_ENABLED"/lib/*.so; do
  ! ldd "$file" | grep "not found" || { echo "$file lacks libraries"; exit 1; }
done
g++ -std=c++17 operators.cpp -o operators -lpopnn -lpoplin -lpoprand -lpopops -lpoputil -lpoplar
./operators | grep "4 5 10 11 sum 30"
gc-info -l
gc-monitor
gc-memorytest --kilobytes 4
vipu create partition demo --size 4 --reconfigurable
vipu list partitions
python3 -c 'import popart; print("popart", popart.__file__)'
python3 - <<'PYTHON'
import torch, poptorch
model = poptorch.inferenceModel(torch.nn.Linear(3, 2))
print("poptorch", poptorch.__version__, model(torch.ones(1, 3)).shape)
PYTHON
apt-get remove -y -qq openipu >/dev/null
[ -z "$(ls /opt 2>/dev/null)" ] || { echo "removing it leaves files behind"; exit 1; }
SCRIPT
unshare -m --propagation private bash -c "mount -t proc proc '$root/proc' && mount --rbind /dev '$root/dev' && chroot '$root' bash /tmp/use.sh" ||
  fail "it does not work on a bare Debian 12"
echo "ok: deb on a bare Debian 12"
