//===- DelegateClient.h - TensorFlow Lite with the delegate - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models in the unmodified TensorFlow Lite of scripts/setup --clients, in a process of its own, with and without the
// delegate.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DELEGATE_DELEGATECLIENT_H
#define AVOCET_TESTS_HAL_DELEGATE_DELEGATECLIENT_H

#include "Oracle.h"

#include "avocet/base/Status.h"

#include <string>
#include <vector>

namespace avocet::delegate {

using differential::Bytes;
using differential::OracleRequest;

/// The first line of the delegate's profile.
struct Summary {
  uint64_t onDevice = 0, nodes = 0, partitions = 0, prepared = 0, runs = 0, bytesCopied = 0;
};

class DelegateClient {
public:
  /// `options`: of the delegate, as KEY=VALUE; its profile goes to a file of this object.
  DelegateClient(const std::string &library, std::vector<std::string> options = {});
  ~DelegateClient();

  /// The outputs of all runs; each call has a new interpreter and a new delegate. See Oracle::run().
  Result<std::vector<Bytes>> run(const OracleRequest &request);
  /// What the delegate of the last call did.
  const Summary &summary() const { return summary_; }
  /// The whole profile of the last call.
  const std::string &profile() const { return text_; }

private:
  std::string profile_;
  differential::Oracle oracle_;
  std::string text_;
  Summary summary_;
};

/// The delegate's library in this build.
std::string delegateLibrary();

} // namespace avocet::delegate

#endif // AVOCET_TESTS_HAL_DELEGATE_DELEGATECLIENT_H
