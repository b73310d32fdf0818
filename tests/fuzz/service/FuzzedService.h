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

/// The name of the first device, for every target that it simulates. Further ones are "npu1" and so on.
inline constexpr const char *kDeviceName = "npu";

/// A service with simulated devices, in this process, for all inputs.
class FuzzedService {
public:
  /// One device of the target with the smallest SRAM, and quotas so small that scripts reach them and take little time.
  FuzzedService();
  FuzzedService(const std::vector<std::string> &targets, const hal::Quotas &quotas);
  ~FuzzedService();

  const std::string &path() const { return path_; }
  /// The folder of the driver's own cache of a device.
  std::string blobFolder(size_t device) const { return cacheFolder(device) + "/blobs"; }
  /// A client of a device beside the service's.
  std::shared_ptr<hal::ClientDevice> connect(size_t device) const;

  /// Waits until the service and the driver hold nothing of the clients. Aborts if something stays.
  void inputHasEnded() const;

private:
  std::string cacheFolder(size_t device) const { return folder_ + "/cache" + std::to_string(device); }
  hal::ServedDevice open(const std::string &target);
  void requireCompiler() const;
  std::string leftOver() const;

  std::string folder_, path_;
  std::vector<std::shared_ptr<hal::Driver>> drivers_;
  std::unique_ptr<hal::Service> service_;
  hal::DriverCounters base_; ///< counters without clients
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SERVICE_FUZZEDSERVICE_H
