//===- Judgment.h - What the compiler says about a network -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Judgments, by a hash of the network, for one version of the device. (An embedded device keeps compiled networks in
// the folder itself, a service in its own.) Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_JUDGMENT_H
#define AVOCET_HAL_PLUGIN_JUDGMENT_H

#include "avocet/cache/BlobCache.h"
#include "avocet/compiler/Compiler.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::plugin {

/// A reason why a network cannot run. `location` holds the name of an operator's result, if it concerns one.
struct Reason {
  std::string location;
  std::string text;
  bool operator==(const Reason &) const = default;
};

/// Without reasons the network can run.
struct Judgment {
  std::vector<Reason> reasons;
  bool isSupported() const { return reasons.empty(); }
};

Judgment judgmentOf(const compiler::Verdict &result);

/// A judgment in a file. parse() gives nothing for other bytes.
std::vector<uint8_t> serialize(const Judgment &judgment);
std::optional<Judgment> parse(std::span<const uint8_t> bytes);

class DiskCache {
public:
  /// The folder is made if its parent exists. Judgments of another generation are removed. FailedPrecondition: another
  /// user can change the folder; the message states the remedy.
  static Result<std::unique_ptr<DiskCache>> open(const std::string &folder, std::string_view generation);

  cache::BlobKey keyOf(std::span<const std::span<const uint8_t>> network) const { return judgments_->keyOf(network); }
  std::optional<Judgment> find(const cache::BlobKey &key) const;
  void keep(const cache::BlobKey &key, const Judgment &judgment) const;

private:
  explicit DiskCache(std::shared_ptr<cache::BlobCache> judgments) : judgments_(std::move(judgments)) {}

  std::shared_ptr<cache::BlobCache> judgments_;
};

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_JUDGMENT_H
