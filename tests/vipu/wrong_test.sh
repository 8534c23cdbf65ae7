#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# wrong_test.sh BIN: what goes wrong with machines and controllers. Each ends in a message that names the thing, a status
# that is not 0, and a record that is as before.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
bin=$1
work=$(mktemp -d)
server='' listener='' holder=''
clean() {
  local process
  for process in $server $listener $holder; do kill -9 "$process" 2>/dev/null || true; done
  ! mountpoint -q "$work/small" || umount -l "$work/small"
  rm -rf "$work"
}
trap clean EXIT
cd "$work"
mkdir -m 700 runtime
export OPENIPU_RUNTIME_DIR=$work/runtime HOME=$work PATH=$bin:$PATH
unset "${!IPUOF_@}" "${!VIPU_@}" "${!GCDA_@}" OPENIPU_NUM_IPUS OPENIPU_IPU OPENIPU_CHIP

unharmed() { # unharmed COMMAND...: the record is the same afterwards
  local before
  before=$(cksum <runtime/machine.json)
  "$@"
  [ "$(cksum <runtime/machine.json)" = "$before" ] || fail "$* changed the record"
}

vipu create partition demo --size 4 --reconfigurable >/dev/null
vipu-admin create agent ag09 --host 10.9.0.9 >/dev/null
vipu-admin create cluster c1 --agents ag09 >/dev/null

# Ids that are unknown, or taken.
for kind in agent cluster allocation user; do
  unharmed refuses "There is no $kind nobody" vipu-admin remove $kind nobody
  [ $kind = user ] || unharmed refuses "There is no $kind nobody" vipu-admin get $kind nobody
done
for verb in get reset remove; do unharmed refuses "There is no partition nobody" vipu $verb partition nobody; done
unharmed refuses "There is a partition demo already" vipu create partition demo --size 1
unharmed refuses "There is an agent ag09 already" vipu-admin create agent ag09 --host 10.9.0.10
unharmed refuses "There is a cluster c1 already" vipu-admin create cluster c1 --agents ag09
unharmed refuses "There is no agent ag99" vipu-admin create cluster c2 --agents ag99
unharmed refuses "is in cluster c1" vipu-admin remove agent ag09
unharmed refuses "There is no cluster c9" vipu create partition p --size 1 --cluster c9
unharmed refuses "is no name for a partition" vipu create partition "../p" --size 1
unharmed refuses "is no name for a partition" vipu create partition --size 1 -- -h
unharmed refuses "is no name for a partition" vipu create partition "$(printf 'p%.0s' {1..100})" --size 1
unharmed refuses "is no host's name" vipu-admin create agent ag10 --host $'a\nb'

# Sizes.
for size in 0 3 6 4097 8192 4294967295; do
  unharmed refuses "power of two" vipu create partition p --size $size
done
for size in -1 x 1.5 99999999999; do unharmed refuses "--size" vipu create partition p --size $size; done
unharmed refuses "no 16 free IPUs" vipu create partition p --size 16
unharmed refuses "does not divide" vipu create partition p --size 4 --num-gcds 3
unharmed refuses "no place 9" vipu create partition p --size 4 --index 9

# Two want one IPU.
gc-powertest -d 0 --size 64 >/dev/null 2>&1 &
holder=$!
until gc-info -d 0 | grep -q "user process id: $holder"; do kill -0 $holder || fail "gc-powertest ended"; done
refuses "device 0 is in use by process $holder" gc-powertest -n 1
refuses "device 6 is in use by process $holder" gc-reset -d 6
unharmed refuses "process $holder" vipu reset partition demo
unharmed refuses "process $holder" vipu remove partition demo
kill -9 $holder
wait $holder 2>/dev/null || true
holder=
gc-reset -d 6 >/dev/null || fail "a killed process keeps its IPU"

# Files that are damaged, or not ours.
cp runtime/machine.json whole.json
damaged() { # damaged TEXT: the record is as it is now
  local tool
  for tool in "vipu list partitions" "gc-info -l" "gc-monitor" "vipu create partition q --size 1"; do
    # shellcheck disable=SC2086
    refuses "$1" $tool
  done
}
head -c 100 whole.json >runtime/machine.json && damaged machine.json
: >runtime/machine.json && damaged machine.json
head -c 4096 /dev/urandom >runtime/machine.json && damaged machine.json
sed 's/"chip": "[^"]*"/"chip": "ipu77"/' whole.json >runtime/machine.json
has "$(vipu list partitions)" " demo "   # it can be seen, and removed
refuses ipu77 gc-inventory
sed 's/"reconfigurable": true/"reconfigurable": 7/' whole.json >runtime/machine.json && damaged reconfigurable
rm runtime/machine.json && mkdir runtime/machine.json && damaged machine.json && rmdir runtime/machine.json
cp whole.json runtime/machine.json && chmod 666 runtime/machine.json && damaged machine.json && chmod 600 runtime/machine.json
has "$(vipu list partitions)" " demo "
chmod 777 runtime && damaged runtime && chmod 700 runtime
vipu get partition demo --gcd 0 --ipu-configs >good.conf
head -c 50 good.conf >half.conf
sed 's/"ipu": 1,/"ipu": 0,/' good.conf >twice.conf
for conf in half twice; do
  for tool in "gc-info -l" gc-monitor gc-inventory; do
    # shellcheck disable=SC2086
    refuses "$conf.conf" env IPUOF_CONFIG_PATH="$work/$conf.conf" $tool
  done
done
has "$(IPUOF_CONFIG_PATH=$work/good.conf gc-info -l)" "Partition: demo [active]"

# A controller that answers late, or speaks another language.
listen() { # listen PYTHON: what it does with a connection
  : >port
  python3 -c "
import socket, sys, time
s = socket.create_server(('127.0.0.1', 0))
open('port', 'w').write(str(s.getsockname()[1]))
while True:
    c = s.accept()[0]
    $1
" &
  listener=$!
  until [ -s port ]; do kill -0 $listener || fail "no listener"; sleep 0.02; done
}
hush() { kill $listener; wait $listener 2>/dev/null || true; listener=''; }
listen 'time.sleep(60)'
refuses "127.0.0.1:$(cat port)" vipu --api-timeout 1 -H "127.0.0.1:$(cat port)" list partitions
refuses "127.0.0.1:$(cat port)" env IPUOF_VIPU_API_HOST=127.0.0.1 IPUOF_VIPU_API_PORT="$(cat port)" \
  IPUOF_VIPU_API_PARTITION_ID=demo IPUOF_VIPU_API_TIMEOUT=1 gc-info -l
hush
listen 'c.sendall(b"HTTP/1.1 200 OK\r\n\r\n"); c.close()'
refuses "127.0.0.1:$(cat port)" vipu --api-timeout 2 -H "127.0.0.1:$(cat port)" list partitions
hush
refuses "no port" vipu -H 127.0.0.1:70000 list partitions
refuses "no port" vipu -H 127.0.0.1: list partitions

# A controller that is killed while it works keeps what it said it did.
start() {
  serve --state "$work/controller.sqlite"
  export VIPU_CLI_API_HOST=127.0.0.1:$port
}
for round in 1 2 3 4 5; do
  start
  for i in 1 2 3; do
    { vipu --api-timeout 2 create partition "r${round}n$i" --size 1 >/dev/null 2>&1 && echo "r${round}n$i" >>made; } &
  done
  sleep "0.0$((RANDOM % 6))"
  kill -9 "$server"
  wait 2>/dev/null || true
done
start
kept=$(vipu -j list partitions)
while read -r name; do has "$kept" "\"$name\""; done < <(cat made 2>/dev/null || true)
kill "$server"
wait "$server" || fail "vipu-server ended with an error"
server=''
unset VIPU_CLI_API_HOST
head -c 3000 /dev/urandom >rubbish.sqlite
refuses "rubbish.sqlite" vipu-server --state rubbish.sqlite --port 0
refuses "nowhere" vipu-server --state "$work/nowhere/state.sqlite" --port 0
cp controller.sqlite loose.sqlite && chmod 666 loose.sqlite
refuses "loose.sqlite" vipu-server --state loose.sqlite --port 0

# Users of this machine: a controller in secure mode that is started here admits them.
key=$(vipu-admin create user alice | sed -n 's/.*Access key: //p')
[ ${#key} -ge 20 ] || fail "no access key was printed"
has "$(vipu-admin list users)" " alice | user"
refuses "There is a user alice already" vipu-admin create user alice
refuses "is no name for a user" vipu-admin create user 'a b'
serve --secure
vipu -H "127.0.0.1:$port" --api-user-id alice --api-access-key "$key" list partitions >/dev/null
refuses "not known" vipu -H "127.0.0.1:$port" --api-user-id alice --api-access-key "${key}x" list partitions
refuses "not known" vipu -H "127.0.0.1:$port" --api-user-id alice --api-access-key "" list partitions
vipu-admin remove user alice >/dev/null
refuses "not known" vipu -H "127.0.0.1:$port" --api-user-id alice --api-access-key "$key" list partitions
kill "$server" && wait "$server" && server=''

# A full disk. Mounting one takes rights that not everybody has.
mkdir -m 700 small
if mount -t tmpfs -o size=512k,mode=700 tmpfs small 2>/dev/null; then
  export OPENIPU_RUNTIME_DIR=$work/small
  vipu create partition one --size 1 --reconfigurable >/dev/null
  vipu-server --create-admin root >/dev/null 2>&1 || true
  cp small/machine.json whole.json
  dd if=/dev/zero of=small/filler bs=4k >/dev/null 2>&1 || true
  refuses "No space left" vipu create partition two --size 1
  cmp -s small/machine.json whole.json || fail "a full disk changed the record"
  has "$(vipu list partitions)" " one "
  gc-monitor >/dev/null || fail "gc-monitor needs room on the disk"
  out=$(gc-links -d 0 2>&1 || true)   # it says why, or does what it is asked
  [ -n "$out" ] || fail "nothing was said on a full disk"
  refuses "small" vipu-server --state small/other.sqlite --port 0
  rm small/filler
  vipu create partition two --size 1 >/dev/null || fail "room was made, and the record cannot be changed"

else
  echo "a full disk is not tried: mount is not allowed"
fi
echo "ok: wrong"
