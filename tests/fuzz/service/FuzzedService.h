//===- FuzzedService.h - The service under test -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SERVICE_FUZZEDSERVICE_H
#define AVOCET_TESTS_FUZZ_SERVICE_FUZZEDSERVICE_H

#include "avocet/hal/service/Service.h"

namespace avocet::fuzz {

/// The name of the only device, for every target that it simulates.
inline constexpr const char *kDeviceName = "npu";

/// A service with one simulated device, in this process, for all inputs.
class FuzzedService {
public:
  FuzzedService();
  ~FuzzedService();

  const std::string &path() const { return path_; }

  /// Waits until the service and the driver hold nothing of the clients. Aborts if something stays.
  void inputHasEnded() const;

private:
  void requireCompiler() const;
  std::string leftOver() const;

  std::string folder_, path_;
  std::shared_ptr<hal::Driver> driver_;
  std::unique_ptr<hal::Service> service_;
  hal::DriverCounters base_; ///< counters without clients
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SERVICE_FUZZEDSERVICE_H
