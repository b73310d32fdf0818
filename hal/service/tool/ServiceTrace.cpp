//===- ServiceTrace.cpp - The trace of avocetd ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceTrace.h"

#include "avocet/base/File.h"
#include "avocet/base/Log.h"

#include <fmt/format.h>
#include <utility>

namespace avocet::hal {

ServiceTrace::ServiceTrace(std::string path) : path_(std::move(path)) {
  if (!path_.empty())
    Trace::activate(&trace_);
}

ServiceTrace::~ServiceTrace() {
  if (path_.empty())
    return;
  Trace::activate(nullptr);
  write();
}

void ServiceTrace::write() const {
  if (path_.empty())
    return writeLog(LogLevel::Warning, "", "SIGUSR2: there is no trace; start with --trace FILE");
  const Status status = writeFile(path_, trace_.toJson());
  if (status.isOk())
    writeLog(LogLevel::Info, "", fmt::format("trace of {} spans written to {}", trace_.size(), path_));
  else
    writeLog(LogLevel::Error, "", "trace not written: " + status.message());
}

} // namespace avocet::hal
