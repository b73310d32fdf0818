//===- Oracle.h - TensorFlow Lite in a process of its own -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_ORACLE_H
#define AVOCET_TESTS_DIFFERENTIAL_ORACLE_H

#include "OracleProtocol.h"

#include "avocet/base/File.h"

#include <sys/types.h>

namespace avocet::differential {

/// Path of the installed library, by `scripts/setup --clients`; NotFound says how to install it.
Result<std::string> findOracle();

/// Starts its process at the first request, and again after a crash. One thread at a time.
class Oracle {
public:
  /// `delegate`: none, or the library of a delegate for all models, and its options as KEY=VALUE.
  explicit Oracle(std::string library, std::vector<std::string> delegate = {})
      : library_(std::move(library)), delegate_(std::move(delegate)) {}
  ~Oracle() { stop(); }
  Oracle(const Oracle &) = delete;
  Oracle &operator=(const Oracle &) = delete;

  /// The outputs. Unsupported: the library refuses the model; Internal: it crashed, or gave no answer for 30 s.
  Result<std::vector<Bytes>> run(const OracleRequest &request);

private:
  Status start();
  /// Ends the process; returns how it ended.
  std::string stop();
  std::optional<OracleAnswer> awaitAnswer();

  std::string library_;
  std::vector<std::string> delegate_;
  pid_t process_ = -1;
  FileDescriptor requests_, answers_;
};

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_ORACLE_H
