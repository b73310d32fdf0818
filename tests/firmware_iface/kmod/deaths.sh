#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Inside the virtual machine: clients that die, and a driver that loses its device while clients use it. Afterwards the
# program must pass on a fresh binding.
#   deaths.sh PROGRAM
program=$1
driver=/sys/bus/pci/drivers/avocet-ivshmem
device=$(basename "$(ls -d $driver/0*)")

for round in 1 2 3 4 5 6 7 8 9 10; do
  "$program" >/dev/null 2>&1 &
  usleep $((round * 60000))
  kill -9 $!
  wait $! 2>/dev/null
done
echo "10 clients killed"

for round in 1 2 3; do
  "$program" >/dev/null 2>&1 &
  client=$!
  usleep $((round * 250000))
  echo "$device" >$driver/unbind
  wait $client
  echo "$device" >$driver/bind || exit 1
done
echo "3 devices removed under load"
"$program" --gtest_brief=1
