//===- Exploration.cpp - Design points and their computation ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exploration.h"

#include "Record.h"
#include "avocet/analysis/CommandTimes.h"
#include "avocet/analysis/Report.h"
#include "avocet/base/File.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/network/BytecodeInput.h"
#include "model/ModelSource.h"
#include "model/Networks.h"
#include "model/Optimization.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace avocet::tool {
namespace {

struct PointRequest {
  const compiler::LoadedCompiler &compiler;
  const Network &network;
  std::shared_ptr<const firmware::Target> target;
  std::string targetPath; ///< the target's file
  std::string optimize;   ///< as kOptimizeHelp says; empty: default
};

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
  const std::vector<analysis::LayerTiles> tiles = analysis::tilesOf(analysis::CommandStreams(model), layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].tiles = tiles[i].count;
    if (tiles[i].count > 0)
      layers[i].largestTile = fmt::format("{}x{}x{}", tiles[i].rows, tiles[i].columns, tiles[i].channels);
  }
}

std::vector<LayerSchedule> schedulesOf(const analysis::Report &report, const cache::ModelCache &model) {
  std::vector<LayerSchedule> layers;
  for (const analysis::LayerReport &from : report.layers) {
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

Record recordOf(const analysis::Report &report, const cache::ModelCache &model) {
  Record record;
  record.cycles = report.total.cycles;
  record.rooflineCycles = report.total.rooflineCycles;
  record.deviceCycles = report.total.deviceCycles;
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

Result<analysis::Report> simulate(const LoadedModel &model) {
  AVOCET_ASSIGN_OR_RETURN(const session::TimedRun run, session::runTimed(model, session::Profiling::On));
  return analysis::makeReport(model, run.device, run.record);
}

/// Without the key. The simulator counts cycles and computes no values, on the calling thread. Any thread.
Record measurePoint(const PointRequest &request) {
  compiler::CompileRequest compilation;
  // Messages are part of the record: they must not depend on the folder of the file. Bytes of an empty file are none.
  compilation.modelPath = request.network.bytes.empty() ? request.network.path : fileNameOf(request.network.path);
  compilation.modelBytes = request.network.bytes;
  compilation.target = request.targetPath;
  if (Status status = setOptimization(compilation, request.optimize); !status.isOk())
    return failedRecord(status);
  const compiler::CompileResult result = network::compileFile(request.compiler, compilation);
  if (!result.status.isOk())
    return refusedRecord(result);
  Result<LoadedModel> model = network::adoptResult(request.network.path, result);
  if (!model)
    return failedRecord(PointState::Failed, model.status().message());
  model->target = request.target;
  const Result<analysis::Report> report = simulate(*model);
  if (!report)
    return failedRecord(PointState::Failed, report.status().message());
  return recordOf(*report, *model->artefacts.model);
}

} // namespace

} // namespace avocet::tool

extern const char avocetExploreBuild[]; // NOLINT(readability-identifier-naming): generated

namespace avocet::tool {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Threads that take the points in order. The caller's thread shows the progress.
class PointWorkers {
public:
  PointWorkers(const Exploration &exploration, const compiler::LoadedCompiler &compiler,
               const std::vector<PendingPoint> &points, ResultStore &store)
      : exploration_(exploration), compiler_(compiler), points_(points), store_(store),
        networks_(exploration.networks.size()) {
    for (const PendingPoint &point : points)
      ++networks_[point.network].missing;
  }

  Status run(unsigned jobs, Progress &progress) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::min<size_t>(jobs, points_.size()); ++i)
      threads.emplace_back([this] { work(); });
    showProgress(threads.size(), progress);
    for (std::thread &thread : threads)
      thread.join();
    return status_;
  }

private:
  /// Mean times differ between networks, and little between targets.
  struct NetworkTime {
    size_t missing = 0;
    size_t done = 0;
    double seconds = 0;
  };

  void work() {
    for (size_t i = next_++; i < points_.size(); i = next_++) {
      const auto start = Clock::now();
      Record record = compute(points_[i]);
      const std::lock_guard lock(mutex_);
      NetworkTime &time = networks_[points_[i].network];
      --time.missing;
      ++time.done;
      time.seconds += secondsSince(start);
      ++done_;
      if (Status status = store_.append(std::move(record)); !status.isOk() && status_.isOk())
        stop(std::move(status));
      changed_.notify_one();
    }
  }

  Record compute(const PendingPoint &point) const {
    Record record =
        measurePoint({compiler_, exploration_.networks[point.network], exploration_.space.targets[point.target].target,
                      exploration_.targetPath(point.target), exploration_.optimize});
    record.key = exploration_.keyOf(point.network, point.target);
    return record;
  }

  /// Requires mutex_. Points that are being computed are abandoned after they end.
  void stop(Status status) {
    status_ = std::move(status);
    done_ += points_.size() - std::min(next_.exchange(points_.size()), points_.size());
  }

  void showProgress(size_t numThreads, Progress &progress) {
    std::unique_lock lock(mutex_);
    while (done_ < points_.size()) {
      progress.update(fmt::format("exploring: {} of {} points, {} left", done_, points_.size(),
                                  done_ == 0 ? "?" : durationText(secondsLeft() / static_cast<double>(numThreads))));
      changed_.wait_for(lock, std::chrono::milliseconds(500));
    }
  }

  /// Of all threads together. Requires mutex_ and a point that is done.
  double secondsLeft() const {
    double seconds = 0, mean = 0;
    for (const NetworkTime &time : networks_)
      mean += time.seconds / static_cast<double>(done_);
    for (const NetworkTime &time : networks_)
      seconds +=
          static_cast<double>(time.missing) * (time.done > 0 ? time.seconds / static_cast<double>(time.done) : mean);
    return seconds;
  }

  const Exploration &exploration_;
  const compiler::LoadedCompiler &compiler_;
  const std::vector<PendingPoint> &points_;
  std::atomic<size_t> next_ = 0;

  std::mutex mutex_; ///< guards the members below; not held while a point is computed
  std::condition_variable changed_;
  ResultStore &store_;
  std::vector<NetworkTime> networks_;
  size_t done_ = 0;
  Status status_;
};

bool isPending(const Exploration &exploration, const ResultStore &store, size_t network, size_t target) {
  if (exploration.space.targets[target].target == nullptr)
    return false;
  const Record *record = store.find(exploration.keyOf(network, target));
  return record == nullptr || record->state == PointState::Failed;
}

} // namespace

std::string Exploration::targetPath(size_t target) const {
  return fmt::format("{}/targets/{}.toml", directory, space.targets[target].target->name());
}

std::string Exploration::keyOf(size_t network, size_t target) const {
  return pointKey(networks[network].checksum, space.targets[target].target->fingerprint(), build,
                  "optimize " + optimize);
}

std::string explorationBuild(const compiler::LoadedCompiler &compiler) {
  return fmt::format("{}-{}", compiler.version(), avocetExploreBuild);
}

Status writeTargets(const Exploration &exploration) {
  const std::string folder = exploration.directory + "/targets";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return errnoStatus(error.value(), "cannot create the folder " + folder);
  for (size_t i = 0; i < exploration.space.targets.size(); ++i)
    if (const DesignTarget &target = exploration.space.targets[i];
        target.target != nullptr && !std::filesystem::exists(exploration.targetPath(i), error))
      AVOCET_RETURN_IF_ERROR(writeFile(exploration.targetPath(i), std::string_view(target.text)));
  return Status::ok();
}

std::vector<PendingPoint> pendingPoints(const Exploration &exploration, const ResultStore &store) {
  return pendingPointsOf(exploration, store, {});
}

std::vector<PendingPoint> pendingPointsOf(const Exploration &exploration, const ResultStore &store, Share share) {
  std::vector<PendingPoint> points;
  size_t index = 0;
  // Skewed by one in each round: if the number of shares is that of the networks, no share has all points of one.
  const auto isOwn = [&](size_t at) { return (at + at / share.count) % share.count == share.number; };
  for (size_t target = 0; target < exploration.space.targets.size(); ++target)
    for (size_t network = 0; network < exploration.networks.size(); ++network)
      if (isOwn(index++) && isPending(exploration, store, network, target))
        points.push_back({network, target});
  return points;
}

Status computePoints(const Exploration &exploration, const compiler::LoadedCompiler &compiler,
                     const std::vector<PendingPoint> &points, unsigned jobs, ResultStore &store, Progress &progress) {
  PointWorkers workers(exploration, compiler, points, store);
  Status status = workers.run(jobs, progress);
  progress.clear();
  return status;
}

std::string durationText(double seconds) {
  const auto whole = std::llround(std::clamp(seconds, 0.0, 1e9));
  if (whole < 100)
    return fmt::format("{} s", whole);
  const auto minutes = (whole + 30) / 60;
  return minutes < 100 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

} // namespace avocet::tool
