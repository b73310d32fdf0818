//===- Confinement.cpp - Drops rights of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confinement.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/Log.h"
#include "avocet/base/MachineMemory.h"
#include "avocet/base/TrustedFolder.h"
#include "avocet/hal/sandbox/ServiceSandbox.h"

#include <filesystem>
#include <unistd.h>

namespace avocet::hal {
namespace {

std::string folderOf(const std::string &path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

SandboxPaths sandboxPaths(const ServicePaths &paths) {
  SandboxPaths sandbox;
  sandbox.readable = paths.targets;
  if (!paths.cacheDirectory.empty())
    sandbox.writable.push_back(paths.cacheDirectory);
  for (const std::string &output : paths.outputs)
    sandbox.writable.push_back(folderOf(output));
  if (!paths.socket.empty())
    sandbox.removable.push_back(folderOf(paths.socket));
  if (!paths.devices.empty())
    sandbox.devices.push_back(paths.devices);
  return sandbox;
}

/// Paths for loading the compiler's library into this process.
void addProgramPaths(SandboxPaths &sandbox) {
  for (const char *folder : {"/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache"})
    sandbox.readable.emplace_back(folder);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  sandbox.readable.push_back(program.parent_path().parent_path().string());
}

Outcome becomeOther(const std::string &user) {
  if (!user.empty()) {
    if (const avocet::Status status = becomeUser(user); !status.isOk())
      return generalFailure("--user: " + status.message());
  } else if (::geteuid() == 0) {
    logMessage(LogLevel::Warning, "service", "runs as root; use --user NAME to drop the rights of root");
  }
  return success();
}

Outcome enterSandbox(const ConfinementOptions &options, const ServicePaths &paths) {
  if (!options.isSandboxed) {
    logMessage(LogLevel::Warning, "service", "runs without its sandbox (--no-sandbox)");
    return success();
  }
  SandboxPaths sandbox = sandboxPaths(paths);
  if (options.compilesInProcess)
    addProgramPaths(sandbox);
  avocet::Status status = restrictFiles(sandbox);
  if (status.code() == StatusCode::Unsupported)
    logMessage(LogLevel::Warning, "service", "{}", status.message());
  else if (!status.isOk())
    return generalFailure(status.message());
  status = restrictSystemCalls(options.compilesInProcess ? NewCode::Loaded : NewCode::None, paths.requests);
  if (!status.isOk())
    return generalFailure(status.message() + "; --no-sandbox starts the service without its sandbox");
  return success();
}

} // namespace

void addConfinement(CommandLine &app, ConfinementOptions &options) {
  auto add = [](CommandOption option) { option.group("Confinement"); };
  add(app.addText("--user", options.user,
                  "user to become after the start, if root starts the service; the folder of "
                  "--cache-dir belongs to that user"));
  add(app.addFlag(
      "--no-sandbox", [&options] { options.isSandboxed = false; },
      "for debugging: do not restrict system calls and files"));
  add(app.addFlag("--compile-in-process", options.compilesInProcess,
                  "for debugging: compile in the service itself; a model that crashes the compiler ends the service"));
  add(addNumber(app, "--compile-workers", options.workers.idleWorkers,
                "idle compile processes to keep ready; 0: one for each core", 0, 1024)
          .showDefault());
  add(addBytes(app, "--compile-memory", options.workers.memoryBytes,
               "bytes of address space of one compilation, at most --max-compile-memory", uint64_t{1} << 28)
          .showDefault());
  options.workers.allMemoryBytes = machineMemory() / 8 * 3;
  add(addBytes(app, "--max-compile-memory", options.workers.allMemoryBytes,
               "bytes of address space of all compilations together; further ones wait; default: three eighths of the "
               "machine's memory, or of the control group's",
               uint64_t{1} << 28)
          .showDefault());
}

Result<std::shared_ptr<CompileWorkers>> confine(const ConfinementOptions &options, const ServicePaths &paths) {
  limitResources();
  AVOCET_RETURN_IF_ERROR(becomeOther(options.user));
  if (!paths.cacheDirectory.empty())
    if (avocet::Status made = TrustedFolder::open(paths.cacheDirectory, TrustedFolder::Missing::Create).status(); !made)
      return generalFailure(made.message());
  std::shared_ptr<CompileWorkers> workers;
  if (!options.compilesInProcess) {
    WorkerOptions workerOptions = options.workers;
    workerOptions.targets = paths.targets;
    avocet::Result<std::shared_ptr<CompileWorkers>> started = CompileWorkers::start(workerOptions);
    if (!started)
      return generalFailure(started.status().message());
    workers = *started;
  }
  AVOCET_RETURN_IF_ERROR(enterSandbox(options, paths));
  return workers;
}

} // namespace avocet::hal
