//===- ServiceProcess.h - A driver service for one run ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts avocetd as a child process, on its own socket. The child does not outlive the thread that started it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_SERVICEPROCESS_H
#define AVOCET_HAL_IPC_SERVICEPROCESS_H

#include "avocet/base/Status.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace avocet::hal {

class ServiceProcess {
public:
  /// Runs `program` with "--socket SOCKET" and `arguments`, and waits until it serves. Its messages go to the file
  /// `log`; empty: they are discarded. Aborted: the program ended; DeadlineExceeded: it does not serve after a minute.
  static avocet::Result<ServiceProcess> start(const std::string &program, const std::string &socket,
                                              const std::vector<std::string> &arguments, const std::string &log = "");
  /// The same with "--registry REGISTRY --name NAME", an existing folder.
  static avocet::Result<ServiceProcess> startInRegistry(const std::string &program, const std::string &registry,
                                                        const std::string &name,
                                                        const std::vector<std::string> &arguments,
                                                        const std::string &log = "");
  ServiceProcess(ServiceProcess &&other) noexcept;
  ServiceProcess &operator=(ServiceProcess &&other) noexcept;
  /// Kills it.
  ~ServiceProcess() { kill(); }

  pid_t pid() const { return pid_; }
  const std::string &socket() const { return socket_; }

  /// How it ended by itself ("ended by signal 11"); empty while it runs.
  std::optional<std::string> death();

  /// SIGKILL; returns when it is gone.
  void kill();

  /// SIGTERM; returns how it ended, "ended with exit code 0" on success. DeadlineExceeded: it did not within half a
  /// minute, and was killed.
  avocet::Result<std::string> stop();

private:
  ServiceProcess(pid_t pid, std::string socket) : pid_(pid), socket_(std::move(socket)) {}
  static avocet::Result<ServiceProcess> startAt(std::vector<std::string> line, const std::string &socket,
                                                const std::vector<std::string> &arguments, const std::string &log);
  Status waitUntilServing();

  pid_t pid_ = -1; ///< -1: gone
  std::string socket_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_IPC_SERVICEPROCESS_H
