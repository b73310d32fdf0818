//===- TensorTrace.cpp - Inner tensors of a run -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorTrace.h"

#include "StoredPieces.h"
#include "avocet/analysis/SourceMap.h"
#include "avocet/analysis/TfliteModel.h"
#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/LocalSession.h"

namespace avocet::tool {
namespace {

using FurtherNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// By the first output of each operator in the first subgraph, the names of the others.
FurtherNames furtherNames(const std::string &network) {
  FurtherNames names;
  const std::optional<tflite::ModelT> model = analysis::readTflite(network);
  if (!model)
    return names;
  const tflite::SubGraphT &graph = analysis::mainGraph(*model);
  const auto nameOf = [&](int32_t tensor) {
    return tensor < 0 ? std::string() : graph.tensors[static_cast<size_t>(tensor)]->name;
  };
  for (const auto &operation : graph.operators)
    for (size_t i = 1; i < operation->outputs.size(); ++i)
      names[nameOf(operation->outputs.front())].push_back(nameOf(operation->outputs[i]));
  return names;
}

const std::vector<firmware::FeatureMap> *outputsOf(const analysis::SourceMap &map, const analysis::CommandPlace &tile) {
  const auto *dsp = std::get_if<firmware::DspCommand>(&map.command(tile).body);
  return dsp && dsp->outputs.size() > 1 ? &dsp->outputs : nullptr;
}

} // namespace

FurtherResults::FurtherResults(const analysis::SourceMap &map, const std::string &network) : map_(map) {
  const FurtherNames names = furtherNames(network);
  if (names.empty())
    return;
  map.forEach([&](const analysis::CommandPlace &place, const firmware::Command &) {
    if (!map.isTile(place) || !outputsOf(map, place))
      return;
    const auto found = names.find(map.model().sourceOperation(map.source(place).operation).name);
    if (found != names.end() && found->second.size() + 1 == outputsOf(map, place)->size())
      addTile(place, found->second);
  });
}

/// Takes the shapes from the operation's first tile; a result whose other tiles do not fit them has no shape.
void FurtherResults::addTile(const analysis::CommandPlace &tile, const std::vector<std::string> &names) {
  const std::vector<firmware::FeatureMap> &outputs = *outputsOf(map_, tile);
  const cache::SourceCommand &source = map_.source(tile);
  const auto [first, isNew] = firstOf_.try_emplace(source.operation, results_.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const firmware::FeatureMap &output = outputs[i + 1];
    const uint32_t rows = map_.model().sourceOperation(source.operation).height;
    const uint32_t height = output.height == outputs.front().height ? rows : output.height;
    if (isNew)
      results_.push_back({source.operation, names[i], output.type, height, output.width, output.channels,
                          std::vector<uint8_t>(uint64_t{height} * output.width * output.channels * sizeOf(output.type)),
                          0});
    FurtherResult &result = results_[first->second + i];
    const bool fits = result.type == output.type && result.height == height && result.width == output.width &&
                      result.channels == output.channels && source.column == 0 && source.channel == 0;
    if (!fits)
      result.bytes.clear();
  }
}

void FurtherResults::record(const analysis::CommandPlace &tile, std::span<const uint8_t> sram) {
  const auto *outputs = outputsOf(map_, tile);
  const auto first = firstOf_.find(map_.source(tile).operation);
  if (!outputs || first == firstOf_.end())
    return;
  for (size_t i = 1; i < outputs->size(); ++i) {
    FurtherResult &result = results_[first->second + i - 1];
    const firmware::FeatureMap &output = (*outputs)[i];
    const bool isWhole = output.height == result.height;
    const analysis::ElementPlace place{isWhole ? 0 : map_.source(tile).row, 0, 0};
    result.written += copyTile(output, sram, place, {result.bytes, result.width, result.channels});
  }
}

namespace {

uint64_t numElements(const cache::SourceOperationView &operation) {
  return uint64_t{operation.height} * operation.width * operation.channels;
}

} // namespace

bool TensorTrace::isComplete(const analysis::SourceMap &map, size_t operation) const {
  const TracedTensor &tensor = tensors_[operation];
  return tensor.written >= numElements(map.model().sourceOperation(operation)) || tensor.stored >= tensor.bytes.size();
}

void TensorTrace::record(const analysis::SourceMap &map, const analysis::CommandPlace &place,
                         std::span<const uint8_t> sram) {
  if (!isBoxOfResult(map, place))
    return;
  const cache::SourceCommand &source = map.source(place);
  const cache::SourceOperationView operation = map.model().sourceOperation(source.operation);
  const firmware::FeatureMap &tile = *firstOutput(map.command(place).body);
  TracedTensor &tensor = tensors_[source.operation];
  tensor.written += copyTile(tile, sram, {source.row, source.column, source.channel},
                             {tensor.bytes, operation.width, operation.channels});
}

void TensorTrace::recordStore(const StoredPieces &pieces, const analysis::CommandPlace &transfer,
                              std::span<const uint8_t> sram) {
  const auto operation = pieces.operationOf(transfer);
  if (!operation)
    return;
  TracedTensor &tensor = tensors_[*operation];
  tensor.stored += pieces.copy(transfer, sram, tensor.bytes);
}

Result<TensorTrace> TensorTrace::run(const LoadedModel &model, const analysis::SourceMap &map,
                                     const RunOptions &options) {
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
