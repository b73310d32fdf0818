//===- Workload.h - A network with its memory ----------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_DEATHS_WORKLOAD_H
#define AVOCET_TESTS_BENCH_DEATHS_WORKLOAD_H

#include "BenchSupport.h"

#include <string>

namespace avocet::hal::bench {

/// Options of the measurements.
struct DeathOptions {
  std::string target = "e256";
  std::string model; ///< folder with model.tflite; empty: MobileNet v1 with noise for weights
  uint32_t rounds = 30;
  double boundMilliseconds = 100;
  uint64_t seed = 1;
  std::string only; ///< only kinds whose description contains this
  bool isWanted(std::string_view what) const { return what.find(only) != std::string_view::npos; }
};

/// The default of DeathOptions::model: one of the shared models, if they are there.
std::string sharedModel();

/// The network that the options name.
Model networkOf(const DeathOptions &options);

/// A request of a model, with its own memory for all inputs and outputs.
class Workload {
public:
  explicit Workload(const Model &model);
  const Request &request() const { return request_; }
  /// Names of its pools in a burst.
  static std::vector<int64_t> identifiers() { return {1, 2}; }

private:
  BenchPool inputs_, outputs_;
  Request request_;
};

/// One kind of death: its times in milliseconds.
struct Deaths {
  std::string what;
  std::vector<double> times;
  std::vector<double> kernel; ///< of each, until the kernel had closed the dead process's descriptors
};

/// A pipe whose write end only one process holds: the kernel closes it with that process.
class LifeLine {
public:
  LifeLine();
  /// The end for the process that will be killed.
  int writtenEnd() const { return written_.get(); }
  /// Closes the write end in this process, after the other one has inherited it.
  void letGo() { written_ = FileDescriptor(); }
  /// Whether the kernel has closed it; waits at most `milliseconds`.
  bool isCut(int milliseconds) const;

private:
  FileDescriptor read_, written_;
};

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_DEATHS_WORKLOAD_H
