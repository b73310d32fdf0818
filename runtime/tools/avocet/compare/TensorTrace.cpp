//===- TensorTrace.cpp - Inner tensors of a run -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTrace.h"

#include "TileCopy.h"
#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/LocalSession.h"

namespace avocet::tool {
namespace {

uint64_t numElements(const cache::SourceOperationView &operation) {
  return uint64_t{operation.height} * operation.width * operation.channels;
}

} // namespace

bool TensorTrace::isComplete(const SourceMap &map, size_t operation) const {
  const TracedTensor &tensor = tensors_[operation];
  return tensor.written >= numElements(map.model().sourceOperation(operation)) || tensor.stored >= tensor.bytes.size();
}

void TensorTrace::record(const SourceMap &map, const CommandPlace &place, std::span<const uint8_t> sram) {
  if (!isBoxOfResult(map, place))
    return;
  const cache::SourceCommand &source = map.source(place);
  const cache::SourceOperationView operation = map.model().sourceOperation(source.operation);
  const firmware::FeatureMap &tile = *firstOutput(map.command(place).body);
  TracedTensor &tensor = tensors_[source.operation];
  tensor.written += copyTile(tile, sram, {source.row, source.column, source.channel},
                             {tensor.bytes, operation.width, operation.channels});
}

void TensorTrace::recordStore(const StoredPieces &pieces, const CommandPlace &transfer, std::span<const uint8_t> sram) {
  const auto operation = pieces.operationOf(transfer);
  if (!operation)
    return;
  TracedTensor &tensor = tensors_[*operation];
  tensor.stored += pieces.copy(transfer, sram, tensor.bytes);
}

Result<TensorTrace> TensorTrace::run(const LoadedModel &model, const SourceMap &map, const RunOptions &options) {
  if (!map.model().control().empty())
    return unsupported("the network has branches or loops, in which a tensor has several values");
  TensorTrace trace;
  for (size_t i = 0; i < map.model().numSourceOperations(); ++i) {
    const cache::SourceOperationView operation = map.model().sourceOperation(i);
    trace.tensors_.push_back({std::vector<uint8_t>(numElements(operation) * sizeOf(operation.type))});
  }
  session::LocalOptions session;
  session.timing = false;
  const StoredPieces pieces(map);
  FurtherResults further(map, options.model);
  session.observer = [&](const firmware::CommandEvent &seen) {
    const auto place = map.placeOf(seen.engine, seen.command);
    if (!place)
      return;
    if (!map.isTile(*place))
      return trace.recordStore(pieces, *place, seen.sram);
    trace.record(map, *place, seen.sram);
    further.record(*place, seen.sram);
  };
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<session::LocalSession> opened,
                          session::LocalSession::open(model, session::withInputs(options.inputs, model, session)));
  AVOCET_RETURN_IF_ERROR(session::fillInputs(*opened, options.inputs));
  AVOCET_RETURN_IF_ERROR(opened->run().status());
  trace.outputs_ = session::copyOutputs(*opened);
  trace.further_ = std::move(further).take();
  return trace;
}

} // namespace avocet::tool
