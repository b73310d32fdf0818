//===- VerifySources.cpp - The rules of the source map ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "avocet/cache/SourcePlace.h"
#include "avocet/firmware_iface/DataType.h"

namespace avocet::cache {

namespace {

uint32_t numOperations(const fb::Model &model) {
  return model.source_operations() ? model.source_operations()->size() : 0;
}

Status verifyOperation(const fb::Model &model, std::string_view place, const fb::SourceOperation &operation) {
  AVOCET_RETURN_IF_ERROR(verifyText(place, operation.name()));
  if (operation.layer() >= model.layers()->size())
    return dataLoss(fmt::format("{}.layer is {}, must be below {}", place, operation.layer(), model.layers()->size()));
  if (operation.type() >= firmware::kNumDataTypes)
    return dataLoss(fmt::format("{}.type is {}, must be below {}", place, operation.type(), firmware::kNumDataTypes));
  constexpr uint64_t kMostElements = uint64_t{1} << 31;
  uint64_t elements = 1;
  for (uint64_t extent : {operation.height(), operation.width(), operation.channels()}) {
    elements *= extent;
    if (elements == 0 || elements > kMostElements)
      return dataLoss(fmt::format("{} has {} x {} x {} elements, must have 1 to {}", place, operation.height(),
                                  operation.width(), operation.channels(), kMostElements));
  }
  return Status::ok();
}

Status verifyCommand(const fb::Model &model, std::string_view place, const fb::SourceCommand &stored) {
  const SourceCommand source{stored.step(), stored.operation(), stored.row(), stored.column(), stored.channel()};
  ResultShape result;
  if (source.operation != kNoSource) {
    AVOCET_RETURN_IF_ERROR(verifySourceOperation(model, place, source.operation));
    const fb::SourceOperation &operation = *model.source_operations()->Get(source.operation);
    result = {operation.height(), operation.width(), operation.channels()};
  }
  const Status status = checkPlace(source, result);
  return status.isOk() ? status : dataLoss(fmt::format("{} {}", place, status.message()));
}

} // namespace

Status checkPlace(const SourceCommand &source, const ResultShape &result) {
  if (source.operation == kNoSource) {
    if (source.row == 0 && source.column == 0 && source.channel == 0)
      return Status::ok();
    return invalidArgument("has a place in a result, but no operation");
  }
  if (source.row < result.height && source.column < result.width && source.channel < result.channels)
    return Status::ok();
  return invalidArgument(fmt::format("begins at {}, {}, {}, its operation's result has {} x {} x {} elements",
                                     source.row, source.column, source.channel, result.height, result.width,
                                     result.channels));
}

Status verifySourceOperation(const fb::Model &model, std::string_view place, uint32_t operation) {
  if (operation == kNoSource || operation < numOperations(model))
    return Status::ok();
  return dataLoss(fmt::format("{}.operation is {}, must be below {}", place, operation, numOperations(model)));
}

Status verifySourceOperations(const fb::Model &model) {
  if (!model.source_operations())
    return Status::ok();
  return verifyEach("source_operations", *model.source_operations(),
                    [&](const auto &place, const auto &operation) { return verifyOperation(model, place, operation); });
}

Status verifySourceCommands(const fb::Model &model, const fb::Stream &stream, size_t commands) {
  if (!stream.sources())
    return Status::ok();
  if (stream.sources()->size() != commands)
    return dataLoss(
        fmt::format("sources has {} entries, the stream has {} commands", stream.sources()->size(), commands));
  return verifyEach("sources", *stream.sources(),
                    [&](const auto &place, const auto &source) { return verifyCommand(model, place, source); });
}

} // namespace avocet::cache
