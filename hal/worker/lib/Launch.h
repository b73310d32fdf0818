//===- Launch.h - Starts the program of the compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_LAUNCH_H
#define AVOCET_HAL_WORKER_LIB_LAUNCH_H

#include "avocet/base/File.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <sys/types.h>

namespace avocet::hal {

/// The launcher's process: killed and reaped by the destructor. Its descendants end when `control` is closed.
class Launcher {
public:
  static avocet::Result<Launcher> start(const WorkerOptions &options);
  ~Launcher();
  Launcher(Launcher &&other) noexcept;
  Launcher &operator=(Launcher &&) = delete;

  /// Socket for packets of kind Request; any idle worker takes one.
  int control() const { return control_.get(); }
  pid_t process() const { return process_; }

private:
  Launcher(pid_t process, FileDescriptor control) : process_(process), control_(std::move(control)) {}

  pid_t process_ = -1; ///< -1: moved from
  FileDescriptor control_;
};

/// Number of the control socket in the launcher and its children.
inline constexpr int kWorkerControl = 3;

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_LAUNCH_H
