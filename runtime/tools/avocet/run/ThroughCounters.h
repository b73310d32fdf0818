//===- ThroughCounters.h - What libraries and service count -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHCOUNTERS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHCOUNTERS_H

#include "ThroughFigures.h"
#include "avocet/hal/wire/ServiceTotals.h"
#include "avocet/session/ServedSession.h"

#include <optional>

namespace avocet::tool {

/// The growth of a service's sums during the runs.
class ServiceCounters {
public:
  /// Without a device of a service it counts nothing. Errors: the service does not answer, or has no such device.
  static Result<ServiceCounters> start(const session::ServedOptions &options);
  Status stop();

  bool hasService() const { return !socket_.empty(); }
  /// Nothing: there is no service, or this user may not read its totals.
  std::optional<CountedTimes> growth() const;
  double simulatedNanoseconds() const;
  /// Whether clients other than this process were connected.
  bool hasOthers() const { return hasOthers_; }

private:
  std::string socket_;
  std::optional<hal::ServiceTotals> before_, after_;
  bool hasOthers_ = false;
};

/// Completes `figures`, whose total and number of runs are known, from the file that the library wrote.
Status addCounters(ThroughFigures &figures, const std::string &path, const ServiceCounters &service);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_THROUGHCOUNTERS_H
