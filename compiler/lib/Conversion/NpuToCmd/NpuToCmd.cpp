//===- NpuToCmd.cpp - From the scheduled npu level to cmd -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Conversion/ConversionPasses.h"

#include "ProgramDescription.h"

#include "Emit/Artefacts.h"
#include "Schedule/Core/Memory/Allocation.h"
#include "Schedule/Schedule.h"
#include "Sync/StreamSync.h"
#include "Yield/SplitCommand.h"
#include "Yield/YieldPoints.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/compiler/Yield/TilePlace.h"
#include "avocet/firmware_iface/Output.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_CONVERTNPUTOCMDPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

/// Region addresses have more bits, but no valid program has larger regions, and memory is allocated for the constants.
constexpr uint64_t kMaxRegionBytes = uint64_t{1} << 32;

struct LinearProgram {
  std::vector<LinearCommand> commands;
  std::vector<Location> locations;
  std::vector<uint64_t> cycles; ///< by command
  std::vector<BufferStart> starts;
};

LogicalResult checkProgram(npu::ProgramOp program, const firmware::Target &target) {
  if (program.getTarget() != target.name())
    return program.emitOpError("was made for target '")
           << program.getTarget() << "', not for '" << target.name() << "'";
  if (!program.isAllocated())
    return program.emitOpError("must be allocated before it can become commands");
  const std::pair<StringRef, uint64_t> memories[] = {{"on-chip memory", *program.getSramBytes()},
                                                     {"scratch memory", *program.getScratchBytes()},
                                                     {"constants", *program.getConstantsBytes()}};
  for (const auto &[name, bytes] : memories)
    if (bytes > kMaxRegionBytes) {
      RefusalReason reason{"network", name.str(), "bytes", std::to_string(bytes), std::to_string(kMaxRegionBytes)};
      reason.advice = "make its tensors smaller, or divide the network";
      return emitRefusal(program.getLoc(), reason), failure();
    }
  for (auto buffer : program.getBody().getOps<npu::BufferOp>())
    if (!buffer.getAddress())
      return buffer.emitOpError("has no address");
  return success();
}

/// A program's operations as commands, with long ones split. Layers are numbered from `firstLayer` on, steps from
/// `firstStep`.
class Linearizer {
public:
  Linearizer(npu::ProgramOp program, uint32_t firstLayer, uint32_t firstStep, CommandCosts &costs)
      : program_(program), firstLayer_(firstLayer), firstStep_(firstStep), target_(costs.target()), costs_(costs),
        records_(recordsOrigins(program)) {}

  FailureOr<LinearProgram> run() {
    for (Operation &op : program_.getBody().front()) {
      if (isCancelled())
        return failure();
      if (isa<npu::BufferOp>(op))
        continue;
      auto command = dyn_cast<npu::CommandOpInterface>(&op);
      if (!command)
        return op.emitOpError("has no place in a scheduled program");
      if (failed(append(command)))
        return failure();
    }
    return std::move(result_);
  }

private:
  LogicalResult append(npu::CommandOpInterface op) {
    firmware::Engine engine = op.getEngine();
    if (engine.kind == firmware::EngineKind::Dma && engine.index >= target_.dma().channels)
      return op.emitOpError("uses DMA channel ")
             << engine.index << ", target '" << target_.name() << "' has " << target_.dma().channels;
    uint32_t layer = op.getLayerIndex();
    if (layer != firmware::kNoLayer)
      layer += firstLayer_;
    const auto written = schedule::piecewiseWrite(op.getTemplate());
    for (auto [index, buffer] : llvm::enumerate(op.getAddressBuffers()))
      addStarts(buffer, index + 1 == op.getAddressBuffers().size() ? written : std::nullopt);
    auto addressOf = [&](Value buffer) { return npu::addressOf(program_, buffer); };
    const firmware::CommandBody whole = op.buildCommand(addressOf);
    for (firmware::CommandBody &piece : splitCommand(costs_, whole, yieldBound(target_))) {
      result_.cycles.push_back(costs_.cycles(piece));
      FailureOr<Location> location = records_ ? recordedLocation(op, whole, piece) : op.getLoc();
      if (failed(location))
        return failure();
      result_.locations.push_back(*location);
      result_.commands.push_back({engine, {layer, std::move(piece)}});
    }
    ++step_;
    return success();
  }

  FailureOr<Location> recordedLocation(Operation *op, const firmware::CommandBody &whole,
                                       const firmware::CommandBody &piece) {
    cache::SourceCommand source{firstStep_ + step_};
    const auto placed = placedOriginOf(op->getLoc());
    const auto tile = tilePlaceOf(op->getLoc());
    const firmware::FeatureMap *from = firmware::firstOutput(whole), *to = firmware::firstOutput(piece);
    if (placed && tile && from && to) {
      const TilePlace place = placeOfPart(*tile, *from, *to);
      source = {source.step, placed->operation, place.row, place.column, place.channel};
      if (Status status = cache::checkPlace(source, resultShapeOf(*placed)); !status.isOk())
        return op->emitOpError() << "has a wrong place in the source map: it " << status.message();
    }
    return commandLocation(op->getLoc(), source);
  }

  void addStarts(Value value, const std::optional<schedule::BufferBytes> &written) {
    auto buffer = value.getDefiningOp<npu::BufferOp>();
    if (buffer.getSpace() != npu::Space::Sram)
      return;
    const npu::BufferAddress address = npu::addressOf(program_, value);
    for (const schedule::BufferBytes &bytes : uses_[value].begin(static_cast<uint64_t>(buffer.getBytes()), written))
      result_.starts.push_back(
          {static_cast<uint32_t>(result_.commands.size()), address.offset + bytes.begin, address.offset + bytes.end});
  }

  npu::ProgramOp program_;
  const uint32_t firstLayer_, firstStep_;
  const firmware::Target &target_;
  CommandCosts &costs_;
  const bool records_; ///< whether to record origins
  uint32_t step_ = 0;
  llvm::DenseMap<Value, schedule::BufferUse> uses_;
  LinearProgram result_;
};

/// As appendMemoryPlan() counts them.
uint32_t numSteps(npu::ProgramOp program) {
  return static_cast<uint32_t>(
      llvm::count_if(program.getBody().front(), [](Operation &op) { return !isa<npu::BufferOp>(op); }));
}

/// The streams of one program.
struct SectionStreams {
  SyncedStreams synced;
  std::vector<Location> locations; ///< by command of the program
};

FailureOr<SectionStreams> makeStreams(npu::ProgramOp program, uint32_t firstLayer, uint32_t firstStep,
                                      CommandCosts &costs) {
  const firmware::Target &target = costs.target();
  FailureOr<LinearProgram> linear = Linearizer(program, firstLayer, firstStep, costs).run();
  if (failed(linear))
    return failure();
  Result<SyncedStreams> synced = splitStreams(linear->commands, target.command().semaphores);
  if (!synced)
    return program.emitOpError(synced.status().message());
  std::vector<uint32_t> points = choosePoints(linear->commands, linear->cycles, yieldBound(target));
  std::vector<YieldPoint> yields = findLive(linear->commands, points, linear->starts);
  if (isCancelled())
    return failure();
  if (Status status = verifyYields(linear->commands, yields, linear->starts); !status.isOk())
    return program.emitOpError(status.message());
  insertYields(*synced, yields);
  return SectionStreams{std::move(*synced), std::move(linear->locations)};
}

static_assert(static_cast<uint32_t>(cmd::StreamKind::Mac) == static_cast<uint32_t>(firmware::EngineKind::Mac) &&
              static_cast<uint32_t>(cmd::StreamKind::Dsp) == static_cast<uint32_t>(firmware::EngineKind::Dsp) &&
              static_cast<uint32_t>(cmd::StreamKind::Dma) == static_cast<uint32_t>(firmware::EngineKind::Dma));

void buildStream(OpBuilder &builder, Location location, const Stream &stream, uint32_t section,
                 llvm::ArrayRef<Location> locations) {
  auto op = cmd::StreamOp::create(builder, location, static_cast<cmd::StreamKind>(stream.engine.kind),
                                  stream.engine.index, section);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (const StreamCommand &command : stream.commands)
    if (!isCancelled())
      cmd::createCommand(builder, locations[command.source], command.command);
  cmd::EndOp::create(builder, location);
}

class Conversion {
public:
  Conversion(ModuleOp module, const firmware::Target &target, bool freesConstants)
      : programs_(module.getOps<npu::ProgramOp>()), control_(cmd::controlOf(module)), target_(target), costs_(target) {
    if (freesConstants)
      countAllSegments();
  }

  LogicalResult run() {
    for (npu::ProgramOp program : programs_)
      if (failed(checkProgram(program, target_)) || failed(convert(program)))
        return failure();
    FailureOr<cache::ModelDescription> model = describeNetwork(programs_, control_, target_);
    if (failed(model))
      return failure();
    model->predictedCycles = predictedCycles_;
    build(*model);
    return success(!isCancelled());
  }

private:
  /// Of constants that nothing else reads: an initial state may be one.
  void countAllSegments() {
    for (npu::ProgramOp program : programs_)
      if (program.isAllocated())
        countSegments(program, unread_);
    for (npu::ProgramOp program : programs_)
      program->getAttrDictionary().walk([&](DenseResourceElementsAttr state) { unread_.erase(entryOf(state)); });
    if (control_)
      control_->getAttrDictionary().walk([&](DenseResourceElementsAttr state) { unread_.erase(entryOf(state)); });
  }

  LogicalResult convert(npu::ProgramOp program) {
    FailureOr<SectionStreams> streams = makeStreams(program, firstLayer_, firstStep_, costs_);
    if (failed(streams) || failed(writeConstants(program, data_, unread_)))
      return failure();
    firstLayer_ += program.getLayers().size();
    firstStep_ += numSteps(program);
    semaphores_ = std::max(semaphores_, streams->synced.semaphores);
    predictedCycles_ += program.getPredictedCycles().value_or(0);
    sections_.push_back(std::move(*streams));
    return success();
  }

  /// Replaces all programs by the cmd.program.
  void build(const cache::ModelDescription &model) {
    npu::ProgramOp first = programs_.front();
    OpBuilder builder(first);
    StringRef name = control_ ? StringRef("main") : first.getSymName();
    cmd::ProgramOp converted = buildProgram(builder, first.getLoc(), name, model, semaphores_);
    builder.setInsertionPointToEnd(&converted.getBody().front());
    if (!data_.empty())
      appendData(builder, first.getLoc(), std::move(data_));
    if (control_)
      cmd::ControlOp::create(builder, control_.getLoc(), control_.getWordsAttr(), ArrayAttr(), ArrayAttr());
    for (auto [number, section] : llvm::enumerate(sections_))
      for (const Stream &stream : section.synced.streams)
        buildStream(builder, programs_[number].getLoc(), stream, number, section.locations);
    for (npu::ProgramOp program : programs_)
      program.erase();
    if (control_)
      control_.erase();
  }

  llvm::SmallVector<npu::ProgramOp> programs_;
  cmd::ControlOp control_;
  const firmware::Target &target_;
  CommandCosts costs_;
  std::vector<SectionStreams> sections_;
  std::vector<uint8_t> data_;
  UnreadSegments unread_; ///< empty: no constant is freed
  uint32_t firstLayer_ = 0, firstStep_ = 0, semaphores_ = 0;
  uint64_t predictedCycles_ = 0;
};

struct ConvertNpuToCmd : impl::ConvertNpuToCmdPassBase<ConvertNpuToCmd> {
  using ConvertNpuToCmdPassBase::ConvertNpuToCmdPassBase;
  ConvertNpuToCmd() = default;
  ConvertNpuToCmd(TargetPtr target, bool freesConstants) : given_(std::move(target)), freesConstants_(freesConstants) {}

  void runOnOperation() override {
    TargetPtr target = findTarget();
    if (!target || failed(convertNpuToCmd(getOperation(), *target, freesConstants_)))
      signalPassFailure();
  }

private:
  TargetPtr findTarget() {
    if (given_ || !targetName.empty())
      return passTarget(getOperation(), given_, targetName);
    auto programs = getOperation().getOps<npu::ProgramOp>();
    if (!programs.empty())
      return passTarget(*programs.begin(), nullptr, (*programs.begin()).getTarget());
    getOperation().emitError("holds no npu.program that names a target");
    return nullptr;
  }

  TargetPtr given_;
  bool freesConstants_ = false;
};

} // namespace

llvm::StringRef compilerVersion() { return AVOCET_VERSION; }

LogicalResult convertNpuToCmd(ModuleOp module, const firmware::Target &target, bool freesConstants) {
  const size_t programs = llvm::range_size(module.getOps<npu::ProgramOp>());
  if (programs == 0 || (programs > 1 && !cmd::controlOf(module)))
    return module.emitError("a module of the scheduled level holds one npu.program, or several beside a cmd.control, "
                            "found ")
           << programs;
  return Conversion(module, target, freesConstants).run();
}

std::unique_ptr<Pass> createConvertNpuToCmdPass(TargetPtr target, bool freesConstants) {
  return std::make_unique<ConvertNpuToCmd>(std::move(target), freesConstants);
}

} // namespace avocet::compiler
