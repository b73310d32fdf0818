//===- ServiceProcess.h - A driver service for one test - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DELEGATE_SERVICEPROCESS_H
#define AVOCET_TESTS_HAL_DELEGATE_SERVICEPROCESS_H

#include <string>
#include <sys/types.h>
#include <vector>

namespace avocet::delegate {

/// avocetd of this build with the target e256, on a socket of its own. Killed by the destructor.
class ServiceProcess {
public:
  ServiceProcess();
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess &) = delete;
  ServiceProcess &operator=(const ServiceProcess &) = delete;

  /// Returns when the service answers; false: it does not. `options`: further ones of avocetd.
  bool start(const std::vector<std::string> &options = {});
  void kill();

  const std::string &folder() const { return folder_; }
  std::string socket() const { return folder_ + "/socket"; }

private:
  std::string folder_;
  pid_t process_ = -1;
};

} // namespace avocet::delegate

#endif // AVOCET_TESTS_HAL_DELEGATE_SERVICEPROCESS_H
