//===- Main.cpp - avocetd, the driver service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Log.h"
#include "avocet/hal/Driver.h"
#include "avocet/hal/Service.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace avocet::hal {
namespace {

struct ServiceOptions {
  std::string socket = defaultSocketPath();
  std::vector<std::string> targets = {"e256"};
  std::string cacheDirectory;
  bool socketActivation = false;
  Quotas quotas;
};

void describe(CLI::App &app, ServiceOptions &options) {
  app.description("avocetd: offers simulated Avocet devices to other processes.\n\n"
                  "Each --target becomes a device 'avocet-TARGET'; clients find them at the socket, for example with\n"
                  "  avocet devices\n");
  app.add_option("--socket", options.socket, "path of the Unix-domain socket")->capture_default_str();
  app.add_option("--target", options.targets, "device profile or target file; may be given several times")
      ->capture_default_str();
  app.add_option("--cache-dir", options.cacheDirectory,
                 "folder for what devices remember of their clients' cache files; without it they offer no caching");
  app.add_flag("--socket-activation", options.socketActivation, "take the socket from the service manager (systemd)");
  app.add_option("--max-clients", options.quotas.clients, "clients at a time")->capture_default_str();
  app.add_option("--max-objects", options.quotas.objects, "prepared models and executions of one client")
      ->capture_default_str();
  app.add_option("--max-calls", options.quotas.callsInFlight, "unanswered calls of one client")->capture_default_str();
}

/// A folder for each device; a target may be the path of a file.
std::string cacheFolder(const std::string &folder, std::string target) {
  std::replace(target.begin(), target.end(), '/', '_');
  return folder.empty() ? "" : folder + "/avocet-" + target;
}

std::vector<ServedDevice> servedDevices(const ServiceOptions &service) {
  std::vector<ServedDevice> devices;
  for (const std::string &target : service.targets)
    devices.push_back({"avocet-" + target, [target, folder = service.cacheDirectory] {
                         DriverOptions options;
                         options.target = target;
                         options.cacheDirectory = cacheFolder(folder, target);
                         return openDevice(options);
                       }});
  return devices;
}

/// A device that cannot be opened is an error now, not at the first client.
Outcome checkDevices(const std::vector<ServedDevice> &devices) {
  for (const ServedDevice &device : devices)
    if (auto opened = device.open(); !opened)
      return error(opened.code(), device.name + ": " + opened.error().message);
  return success();
}

Outcome serve(const ServiceOptions &options) {
  // Blocked before any thread starts, so that only sigwait() below sees them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  std::vector<ServedDevice> devices = servedDevices(options);
  AVOCET_HAL_RETURN_IF_ERROR(checkDevices(devices));
  auto listener = options.socketActivation ? Listener::fromServiceManager() : Listener::listen(options.socket);
  if (!listener)
    return listener.error();
  Service service(std::move(*listener), std::move(devices), options.quotas);
  fmt::print(stderr, "avocetd: serving {} device(s) at {}\n", options.targets.size(),
             options.socketActivation ? "the service manager's socket" : options.socket);
  int signal = 0;
  sigwait(&ends, &signal);
  return success();
}

} // namespace
} // namespace avocet::hal

int main(int argc, char **argv) {
  CLI::App app;
  avocet::hal::ServiceOptions options;
  avocet::hal::describe(app, options);
  CLI11_PARSE(app, argc, argv);
  avocet::hal::Outcome outcome = avocet::hal::serve(options);
  if (!outcome)
    fmt::print(stderr, "avocetd: {}\n", outcome.error().message);
  return outcome ? 0 : 1;
}
