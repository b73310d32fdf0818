#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Inside the virtual machine: test vectors through the HAL, in the process and through avocetd, the runs of the C library,
# and an unmodified application (TensorFlow Lite) that is a client of avocetd. All on the kernel driver.
#   applications.sh BIN VECTORS EVERY CLIENTS [MODEL_FOLDER...]    EVERY: one of so many cases
bin=$1 vectors=$2 every=$3 clients=$4
shift 4
export AVOCET_BACKEND=kernel
socket=/tmp/avocetd.sock
: >/tmp/service.log

interrupts() { sed -n 's/^ *[0-9]*: *\([0-9]*\) .*avocet$/\1/p' /proc/interrupts; }

# Runs a command, which must use the device.
onDevice() {
  before=$(interrupts)
  "$@" || exit 1
  [ "$(interrupts)" -gt "$((before + 10))" ] || { echo "the device did nothing for: $*"; exit 1; }
}

quietly() { "$@" >/tmp/log 2>&1 || { cat /tmp/log /tmp/service.log; return 1; }; }
conformance() { quietly "$bin/avocet" conformance "$vectors" --every "$every" --jobs 1 --kind general "$@"; }

onDevice conformance --kind fenced
echo "vectors passed in the process"
onDevice quietly "$bin/kernelCapiTests" --gtest_brief=1 --gtest_filter='RunTest.*'
grep -q '[1-9][0-9]* tests from' /tmp/log || { cat /tmp/log; exit 1; }
echo "runs of the C library passed"

"$bin/avocetd" --backend kernel --socket $socket --target e256 2>/tmp/service.log &
service=$!
trap 'kill $service; wait $service' EXIT
while [ ! -S $socket ]; do
  kill -0 $service 2>/dev/null || { cat /tmp/service.log; exit 1; }
  usleep 100000
done
onDevice conformance --kind burst --socket $socket --device avocet-e256
echo "vectors passed through the service"
for model; do
  onDevice quietly "$bin/avocet" run "$model/model.tflite" --through nnapi --device avocet-e256 --socket $socket \
    --clients "$clients" --repeat 10 --input "$model/00.in0.bin" --output-dir /tmp/out
  cmp /tmp/out/out0.bin "$model/00.out0.bin" || exit 1
  echo "$(basename "$model") in TensorFlow Lite through the service: the golden's bits"
done
