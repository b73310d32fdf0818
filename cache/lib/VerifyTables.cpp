//===- VerifyTables.cpp - The rules of the model cache's tables -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "avocet/cache/ModelDescription.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Version.h"

namespace avocet::cache {

Status verifyText(std::string_view place, const flatbuffers::String *text) {
  if (!text)
    return Status::ok();
  size_t good = cleanPrefix({text->c_str(), text->size()});
  if (good == text->size())
    return Status::ok();
  return dataLoss(fmt::format("{}: byte {} is not part of a printable UTF-8 character", place, good));
}

Status verifyEngineKind(std::string_view place, uint32_t kind) {
  if (kind < firmware::kNumEngineKinds)
    return Status::ok();
  return dataLoss(fmt::format("{}.engine_kind is {}, must be below {}", place, kind, firmware::kNumEngineKinds));
}

namespace {

Status verifyHead(const fb::Model &model) {
  if (model.encoding_version() != firmware::kEncodingVersion)
    return unsupported(fmt::format("encoding_version is {}, this build reads {}; compile the model again",
                                   model.encoding_version(), firmware::kEncodingVersion));
  AVOCET_RETURN_IF_ERROR(verifyText("compiler_version", model.compiler_version()));
  AVOCET_RETURN_IF_ERROR(verifyText("model_name", model.model_name()));
  return verifyText("target_name", model.target_name());
}

Status verifyMemoryEntry(const fb::Model &model, std::string_view place, const fb::MemoryEntry &entry) {
  AVOCET_RETURN_IF_ERROR(verifyText(place, entry.name()));
  if (entry.region() > model.regions()->size())
    return dataLoss(fmt::format("{}.region is {}, must be at most {}", place, entry.region(), model.regions()->size()));
  uint64_t limit = entry.region() == firmware::kSramRegion ? model.sram_peak_bytes()
                                                           : model.regions()->Get(entry.region() - 1)->bytes();
  if (entry.address() > limit || entry.bytes() > limit - entry.address())
    return dataLoss(
        fmt::format("{} has {} bytes at {}, its region ends at {}", place, entry.bytes(), entry.address(), limit));
  if (entry.first_step() > entry.last_step())
    return dataLoss(fmt::format("{}.first_step is {}, must be at most last_step, {}", place, entry.first_step(),
                                entry.last_step()));
  return verifySourceOperation(model, place, entry.operation());
}

Status verifyLayer(std::string_view place, const fb::Layer &layer) {
  AVOCET_RETURN_IF_ERROR(verifyText(place, layer.name()));
  AVOCET_RETURN_IF_ERROR(verifyText(place, layer.operation()));
  return verifyEngineKind(place, layer.engine_kind());
}

Status verifySourceEntry(const fb::Model &model, std::string_view place, const fb::SourceEntry &entry) {
  if (entry.layer() >= model.layers()->size())
    return dataLoss(fmt::format("{}.layer is {}, must be below {}", place, entry.layer(), model.layers()->size()));
  AVOCET_RETURN_IF_ERROR(verifyText(place, entry.location()));
  return verifyText(place, entry.kind());
}

} // namespace

Status verifyReports(const fb::Model &model) {
  AVOCET_RETURN_IF_ERROR(verifySourceOperations(model));
  AVOCET_RETURN_IF_ERROR(verifyEach("memory_plan", *model.memory_plan(), [&](const auto &place, const auto &entry) {
    return verifyMemoryEntry(model, place, entry);
  }));
  AVOCET_RETURN_IF_ERROR(verifyEach("layers", *model.layers(),
                                    [](const auto &place, const auto &layer) { return verifyLayer(place, layer); }));
  return verifyEach("source_map", *model.source_map(),
                    [&](const auto &place, const auto &entry) { return verifySourceEntry(model, place, entry); });
}

Status verifyMeaning(const fb::Model &model) {
  AVOCET_RETURN_IF_ERROR(verifyHead(model));
  AVOCET_RETURN_IF_ERROR(verifyOperands(model));
  AVOCET_RETURN_IF_ERROR(verifyRegions(model));
  AVOCET_RETURN_IF_ERROR(verifyReports(model));
  AVOCET_RETURN_IF_ERROR(verifyStreams(model));
  return verifyControl(model);
}

} // namespace avocet::cache
