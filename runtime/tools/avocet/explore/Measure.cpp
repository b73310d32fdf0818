//===- Measure.cpp - Compiles and simulates one design point -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "BytecodeInput.h"
#include "ModelSource.h"
#include "Optimisation.h"
#include "Report.h"
#include "avocet/firmware_iface/Names.h"
#include "commands/LayerTiles.h"

#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

Record failedRecord(PointState state, std::string reason) {
  Record record;
  record.state = state;
  record.reason = std::move(reason);
  return record;
}

/// Errors that the same input gives every time; the others may come from the host.
bool isRefusal(StatusCode code) {
  return code == StatusCode::Unsupported || code == StatusCode::InvalidArgument || code == StatusCode::DataLoss ||
         code == StatusCode::FailedPrecondition;
}

Record failedRecord(const Status &status) {
  return failedRecord(isRefusal(status.code()) ? PointState::Refused : PointState::Failed, status.message());
}

/// The first error. Those about operations name them.
Record refusedRecord(const compiler::Verdict &result) {
  Record record = failedRecord(result.status);
  size_t numErrors = 0;
  for (const compiler::Diagnostic &diagnostic : result.diagnostics) {
    if (diagnostic.severity != compiler::Severity::Error || numErrors++ > 0)
      continue;
    const bool hasPlace = result.refusals.empty() && !diagnostic.location.empty();
    record.reason = (hasPlace ? diagnostic.location + ": " : "") + diagnostic.message;
  }
  if (numErrors > 1)
    record.reason += fmt::format(" (and {} more errors)", numErrors - 1);
  return record;
}

std::string fileNameOf(const std::string &path) { return std::filesystem::path(path).filename().string(); }

/// Sets the tiles of all layers.
void addTiles(const cache::ModelCache &model, std::vector<LayerSchedule> &layers) {
  const std::vector<LayerTiles> tiles = tilesOf(CommandStreams(model), layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].tiles = tiles[i].count;
    if (tiles[i].count > 0)
      layers[i].largestTile = fmt::format("{}x{}x{}", tiles[i].rows, tiles[i].columns, tiles[i].channels);
  }
}

std::vector<LayerSchedule> schedulesOf(const Report &report, const cache::ModelCache &model) {
  std::vector<LayerSchedule> layers;
  for (const LayerReport &from : report.layers) {
    LayerSchedule layer;
    layer.name = from.name;
    layer.operation = from.operation;
    layer.engine = std::string(firmware::shortTitleOf(from.engine));
    layer.sramBytes = from.figures.sramPeakBytes;
    layer.dramBytes = from.figures.dramBytes;
    layer.cycles = from.figures.cycles;
    layers.push_back(std::move(layer));
  }
  addTiles(model, layers);
  return layers;
}

Record recordOf(const Report &report, const cache::ModelCache &model) {
  Record record;
  record.cycles = report.total.cycles;
  record.rooflineCycles = report.total.rooflineCycles;
  record.energyPicojoules = report.total.energyPicojoules;
  record.sramPeakBytes = report.total.sramPeakBytes;
  record.sramTrafficBytes = report.total.sramBytes;
  record.dramBytes = report.total.dramBytes;
  record.refetchedBytes = report.dram.refetchedWeights;
  record.spilledBytes = report.dram.spills;
  record.bound = std::string(toString(report.total.boundBy));
  record.layers = schedulesOf(report, model);
  return record;
}

Result<Report> simulate(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runTimed(model, session::Profiling::On));
  return makeReport(model, run.device, run.record);
}

} // namespace

Record measurePoint(const PointRequest &request) {
  compiler::CompileRequest compilation;
  // Messages are part of the record: they must not depend on the folder of the file. Bytes of an empty file are none.
  compilation.modelPath = request.network.bytes.empty() ? request.network.path : fileNameOf(request.network.path);
  compilation.modelBytes = request.network.bytes;
  compilation.target = request.targetPath;
  if (Status status = setOptimisation(compilation, request.optimise); !status.isOk())
    return failedRecord(status);
  const compiler::CompileResult result = compileFile(request.compiler, compilation);
  if (!result.status.isOk())
    return refusedRecord(result);
  Result<LoadedModel> model = adoptResult(request.network.path, result);
  if (!model)
    return failedRecord(PointState::Failed, model.status().message());
  model->target = request.target;
  const Result<Report> report = simulate(*model);
  if (!report)
    return failedRecord(PointState::Failed, report.status().message());
  return recordOf(*report, *model->artefacts.model);
}

} // namespace avocet::tool
