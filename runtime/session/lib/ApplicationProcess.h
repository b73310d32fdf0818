//===- ApplicationProcess.h - A process that obeys commands ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_LIB_APPLICATIONPROCESS_H
#define AVOCET_SESSION_LIB_APPLICATIONPROCESS_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/session/ApplicationSession.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace avocet::session {

/// The program avocetApplication: a user of TensorFlow Lite, in a process of its own, so that this one survives its
/// crashes. See runtime/tools/application/Main.cpp for the commands.
class ApplicationProcess {
public:
  static Result<std::unique_ptr<ApplicationProcess>> start(const ApplicationStart &start);
  ~ApplicationProcess(); ///< kills it if it has not ended
  ApplicationProcess(const ApplicationProcess &) = delete;
  ApplicationProcess &operator=(const ApplicationProcess &) = delete;

  /// The next answer. Aborted: the application refused, or it ended; the message has the end of its log.
  Result<nlohmann::json> answer();
  Result<nlohmann::json> ask(const std::string &line);

  /// Ends it in order; its libraries write their reports.
  Status finish();

  /// What it printed, without TensorFlow Lite's own remarks.
  std::string messages() const;

private:
  explicit ApplicationProcess(std::string log) : log_(std::move(log)) {}
  Status launch(const ApplicationStart &start);
  Status failed(const std::string &what) const;
  std::string howItEnded();

  const std::string log_;
  pid_t pid_ = -1; ///< -1: gone
  FileDescriptor commands_;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> answers_{nullptr, nullptr};
};

} // namespace avocet::session

#endif // AVOCET_SESSION_LIB_APPLICATIONPROCESS_H
