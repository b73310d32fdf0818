//===- Main.cpp - avocet-device, a simulated device for virtual machines -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceServer.h"
#include "FaultInjector.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/Log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <future>
#include <vector>

namespace avocet::sim {
namespace {

constexpr const char *kDescription =
    R"(avocet-device: the simulated accelerator as a device of a QEMU virtual machine, for the kernel driver.

It serves one machine and ends with it. Each --bus is a device of its own. All of them read and write the machine's
memory directly. Jobs that fault are logged.)";

constexpr const char *kExample = R"(Make the memory's file and start the device before QEMU:
  truncate -s 512M /dev/shm/guest
  avocet-device --bus ivshmem:/tmp/npu.sock --memory /dev/shm/guest --target e256 &
  qemu-system-x86_64 -M q35,memory-backend=ram \
    -object memory-backend-file,id=ram,size=512M,mem-path=/dev/shm/guest,share=on -m 512M \
    -chardev socket,id=npu,path=/tmp/npu.sock -device ivshmem-doorbell,chardev=npu,vectors=1 ...
scripts/kernelGuest does both.)";

struct Options {
  std::vector<std::string> buses;
  std::string memory, target = "e256";
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

/// One device and its link to the machine.
struct Link {
  std::unique_ptr<Device> device;
  IvshmemPort port;
  std::unique_ptr<FaultInjector> faults; ///< null: the device works
};

Result<Link> makeLink(const std::string &bus, const Options &options,
                      const std::shared_ptr<const firmware::Target> &target, GuestMemory &memory) {
  AVOCET_ASSIGN_OR_RETURN(const std::string socket, socketOf(bus));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, Device::create(target, {.threads = options.threads}));
  device->setJobObserver(FaultLog(options.buses.size() > 1 ? socket + ": " : ""));
  AVOCET_RETURN_IF_ERROR(memory.attachTo(*device));
  AVOCET_ASSIGN_OR_RETURN(IvshmemPort port, IvshmemPort::listen(socket));
  return Link{std::move(device), std::move(port), nullptr};
}

Result<std::unique_ptr<FaultInjector>> makeFaults(const Options &options, GuestMemory &memory) {
  AVOCET_ASSIGN_OR_RETURN(const FaultPlan plan, FaultPlan::parse(options.faults));
  if (!options.readsFaults && options.faults.empty())
    return std::unique_ptr<FaultInjector>();
  auto injector = std::make_unique<FaultInjector>(memory, plan);
  if (options.readsFaults)
    injector->listenTo(STDIN_FILENO);
  return injector;
}

Status serveLink(Link &link) {
  AVOCET_RETURN_IF_ERROR(link.port.accept());
  DeviceServer server(link.port, *link.device, link.faults.get());
  return server.serve();
}

/// Serves all links at once, until the guest has ended. The first error.
Status serveLinks(std::vector<Link> &links) {
  std::vector<std::future<Status>> served;
  for (Link &link : links)
    served.push_back(std::async(std::launch::async, [&link] { return serveLink(link); }));
  Status result = Status::ok();
  for (std::future<Status> &one : served)
    if (Status status = one.get(); result.isOk())
      result = std::move(status);
  return result;
}

Status serveGuest(const Options &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::shared_ptr<const firmware::Target> target, firmware::Target::load(options.target));
  AVOCET_ASSIGN_OR_RETURN(GuestMemory memory, GuestMemory::open(options.memory));
  std::vector<Link> links;
  for (const std::string &bus : options.buses) {
    AVOCET_ASSIGN_OR_RETURN(Link link, makeLink(bus, options, target, memory));
    links.push_back(std::move(link));
  }
  AVOCET_ASSIGN_OR_RETURN(links.front().faults, makeFaults(options, memory));
  writeLog(LogLevel::Info, "",
           fmt::format("{}: waiting for a guest with {} MiB at {}", target->name(), memory.bytes() >> 20,
                       fmt::join(options.buses, ", ")));
  return serveLinks(links);
}

} // namespace
} // namespace avocet::sim

static int runMain(int argc, char **argv) {
  avocet::CommandLine line(avocet::sim::kDescription, "avocet-device");
  avocet::sim::Options options;
  line.addTexts("--bus", options.buses, "ivshmem:SOCKET, the socket at which QEMU finds a device; repeatable")
      .required();
  line.addText("--memory", options.memory, "file with the machine's memory (memory-backend-file)").required();
  line.addText("-t,--target", options.target, "device profile or target file").showDefault();
  avocet::addNumber(line, "--threads", options.threads, "host threads that share the work of large commands", 1, 64)
      .showDefault();
  line.addText("--faults", options.faults, "what the first device does wrong, NAME=NUMBER,...").valueName("FAULTS");
  line.addFlag("--read-faults", options.readsFaults,
               "also read FAULTS from the standard input, a line for each change");
  line.setFooter(
      fmt::format("{}\n\nFAULTS, for tests of drivers:\n{}", avocet::sim::kExample, avocet::sim::FaultPlan::help()));
  return avocet::runProgram(line, argc, argv, [&] { return avocet::sim::serveGuest(options); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
