//===- Main.cpp - avocet-device, a simulated device for virtual machines -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceServer.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/Log.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace avocet::sim {
namespace {

constexpr const char *kDescription =
    R"(avocet-device: the simulated accelerator as a device of a QEMU virtual machine, for the kernel driver.

It serves one machine and ends with it. The device reads and writes the machine's memory directly.)";

constexpr const char *kExample = R"(Make the memory's file and start the device before QEMU:
  truncate -s 512M /dev/shm/guest
  avocet-device --bus ivshmem:/tmp/npu.sock --memory /dev/shm/guest --target e256 &
  qemu-system-x86_64 -M q35,memory-backend=ram \
    -object memory-backend-file,id=ram,size=512M,mem-path=/dev/shm/guest,share=on -m 512M \
    -chardev socket,id=npu,path=/tmp/npu.sock -device ivshmem-doorbell,chardev=npu,vectors=1 ...
scripts/kernelGuest does both.)";

struct Options {
  std::string bus, memory, target = "e256";
  uint32_t threads = 1;
  std::string faults;
  bool readsFaults = false;
};

Result<std::string> socketOf(const std::string &bus) {
  constexpr std::string_view kKind = "ivshmem:";
  if (!bus.starts_with(kKind) || bus.size() == kKind.size())
    return invalidArgument(fmt::format("no bus '{}'; give ivshmem:SOCKET", bus));
  return bus.substr(kKind.size());
}

Status serveGuest(const Options &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::string socket, socketOf(options.bus));
  AVOCET_ASSIGN_OR_RETURN(const FaultPlan faults, FaultPlan::parse(options.faults));
  AVOCET_ASSIGN_OR_RETURN(const std::shared_ptr<const firmware::Target> target, firmware::Target::load(options.target));
  AVOCET_ASSIGN_OR_RETURN(GuestMemory memory, GuestMemory::open(options.memory));
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, Device::create(target, {.threads = options.threads}));
  AVOCET_RETURN_IF_ERROR(memory.attachTo(*device));
  AVOCET_ASSIGN_OR_RETURN(IvshmemPort port, IvshmemPort::listen(socket));
  writeLog(LogLevel::Info, "", fmt::format("{}: waiting for a guest at {}", target->name(), socket));
  AVOCET_RETURN_IF_ERROR(port.accept());
  writeLog(LogLevel::Info, "", fmt::format("{}: serving a guest with {} MiB", target->name(), memory.bytes() >> 20));
  FaultInjector injector(memory, faults);
  if (options.readsFaults)
    injector.listenTo(STDIN_FILENO);
  const bool injects = options.readsFaults || !options.faults.empty();
  DeviceServer server(port, *device, injects ? &injector : nullptr);
  return server.serve();
}

} // namespace
} // namespace avocet::sim

static int runMain(int argc, char **argv) {
  avocet::CommandLine line(avocet::sim::kDescription, "avocet-device");
  avocet::sim::Options options;
  line.addText("--bus", options.bus, "ivshmem:SOCKET, the socket at which QEMU finds the device").required();
  line.addText("--memory", options.memory, "file with the machine's memory (memory-backend-file)").required();
  line.addText("-t,--target", options.target, "device profile or target file").showDefault();
  avocet::addNumber(line, "--threads", options.threads, "host threads that share the work of large commands", 1, 64)
      .showDefault();
  line.addText("--faults", options.faults, "what the device does wrong, NAME=NUMBER,...").valueName("FAULTS");
  line.addFlag("--read-faults", options.readsFaults,
               "also read FAULTS from the standard input, a line for each change");
  line.setFooter(
      fmt::format("{}\n\nFAULTS, for tests of drivers:\n{}", avocet::sim::kExample, avocet::sim::FaultPlan::help()));
  return avocet::runProgram(line, argc, argv, [&] { return avocet::sim::serveGuest(options); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
