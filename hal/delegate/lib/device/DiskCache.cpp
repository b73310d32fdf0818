//===- DiskCache.cpp - Results of the compiler in a folder of the application - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/DiskCache.h"

#include "avocet/base/Log.h"
#include "avocet/base/TrustedFolder.h"

namespace avocet::delegate {
namespace {

constexpr uint64_t kJudgementBytes = uint64_t{1} << 24;

} // namespace

Result<std::unique_ptr<DiskCache>> DiskCache::open(const std::string &folder, std::string_view generation) {
  AVOCET_RETURN_IF_ERROR(TrustedFolder::open(folder, TrustedFolder::Missing::Create).status());
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<cache::BlobCache> judgements,
                          cache::BlobCache::open(folder + "/judgements", kJudgementBytes, generation));
  return std::unique_ptr<DiskCache>(new DiskCache(std::move(judgements)));
}

std::optional<Judgement> DiskCache::find(const cache::BlobKey &key) const {
  const Result<std::vector<uint8_t>> bytes = judgements_->get(key);
  return bytes ? parse(*bytes) : std::nullopt;
}

void DiskCache::keep(const cache::BlobKey &key, const Judgement &judgement) const {
  if (Status status = judgements_->put(key, serialise(judgement)); !status.isOk())
    logMessage(LogLevel::Info, "avocet", "a judgement is not kept: {}", status.message());
}

} // namespace avocet::delegate
