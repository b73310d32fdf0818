//===- OutlineControlFlow.cpp - A network as sections -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line runs of operations between branches and loops become functions, the sections; the control flow between
// them becomes the control program. Values that cross the border of a section are stored in memory: network operands in
// their regions, all others in a frame at the start of the scratch memory. The frame grows and shrinks with the
// nesting, so that two branches share it.
//
// Each loop-carried value has two places: one for the current iteration, which condition and body read, and one for the
// next iteration, which the body writes. A section copies the second to the first. Rejected: alternating the two
// places, which saves the copies but needs two copies of the loop's code.
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Rounding.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/compiler/Support/Section.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace avocet::compiler {

using namespace nn;

namespace {

using Place = OperandPlace;

/// A value and the place to which a section writes it.
struct Output {
  mlir::Value value;
  Place place;
};

/// Builds the function of one section.
class SectionBuilder {
public:
  explicit SectionBuilder(mlir::OpBuilder &builder) : builder_(builder) {}

  mlir::func::FuncOp build(mlir::Location location, const llvm::Twine &name, llvm::ArrayRef<mlir::Operation *> run,
                           llvm::ArrayRef<Output> outputs, llvm::function_ref<Place(mlir::Value)> placeOf) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    function_ = mlir::func::FuncOp::create(builder_, location, name.str(), builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(function_.addEntryBlock());
    findInputs(run, outputs);
    for (mlir::Value value : inputs_)
      addInput(value, placeOf);
    for (mlir::Operation *op : run)
      builder_.clone(*op, mapping_);
    llvm::SmallVector<mlir::Value> results =
        llvm::map_to_vector(outputs, [&](const Output &output) { return use(output.value); });
    mlir::func::ReturnOp::create(builder_, location, results);
    finish(results, outputs);
    return function_;
  }

private:
  /// Collects inputs in the order of use; constants are cloned instead.
  void findInputs(llvm::ArrayRef<mlir::Operation *> run, llvm::ArrayRef<Output> outputs) {
    llvm::SmallDenseSet<mlir::Operation *> inside(run.begin(), run.end());
    auto add = [&](mlir::Value value) {
      mlir::Operation *definition = value.getDefiningOp();
      if (!inside.contains(definition) && !llvm::isa_and_present<ConstantOp>(definition))
        inputs_.insert(value);
      else if (llvm::isa_and_present<ConstantOp>(definition))
        (void)use(value);
    };
    for (mlir::Operation *op : run)
      llvm::for_each(op->getOperands(), add);
    for (const Output &output : outputs)
      add(output.value);
  }

  void addInput(mlir::Value value, llvm::function_ref<Place(mlir::Value)> placeOf) {
    mapping_.map(value, function_.front().addArgument(value.getType(), value.getLoc()));
    inputPlaces_.push_back(placeOf(value));
  }

  /// The section's own copy of a constant, or the mapped value.
  mlir::Value use(mlir::Value value) {
    if (auto constant = value.getDefiningOp<ConstantOp>(); constant && !mapping_.contains(value))
      builder_.clone(*constant, mapping_);
    return mapping_.lookup(value);
  }

  void finish(llvm::ArrayRef<mlir::Value> results, llvm::ArrayRef<Output> outputs) {
    mlir::Block &body = function_.front();
    llvm::SmallVector<mlir::Type> types =
        llvm::map_to_vector(results, [](mlir::Value value) { return value.getType(); });
    function_.setType(builder_.getFunctionType(body.getArgumentTypes(), types));
    for (auto [index, place] : llvm::enumerate(inputPlaces_))
      function_.setArgAttrs(index, attributes(place));
    for (auto [index, output] : llvm::enumerate(outputs))
      function_.setResultAttrs(index, attributes(output.place));
  }

  llvm::SmallVector<mlir::NamedAttribute> attributes(const Place &place) {
    return {builder_.getNamedAttr(attrs::kRegion, builder_.getI32IntegerAttr(static_cast<int32_t>(place.region))),
            builder_.getNamedAttr(attrs::kOffset, builder_.getI64IntegerAttr(static_cast<int64_t>(place.offset)))};
  }

  mlir::OpBuilder &builder_;
  mlir::func::FuncOp function_;
  mlir::IRMapping mapping_;
  llvm::SetVector<mlir::Value> inputs_;
  llvm::SmallVector<Place> inputPlaces_;
};

} // namespace

#define GEN_PASS_DEF_OUTLINECONTROLFLOWPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

bool isControl(Operation &op) { return isa<IfOp, WhileOp>(op); }

uint64_t storageBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<uint64_t>(tensor.getNumElements() * bytesOf(tensor.getElementType()));
}

/// The part of the scratch memory that holds values passed between sections; allocated as a stack.
class Frame {
public:
  static constexpr uint64_t kAlignment = 64;

  explicit Frame(uint32_t region) : region_(region) {}

  Place allocate(Type type) {
    Place place{region_, top_};
    top_ += roundUp(storageBytes(type), kAlignment);
    bytes_ = std::max(bytes_, top_);
    return place;
  }
  uint64_t top() const { return top_; }
  void reset(uint64_t top) { top_ = top; }
  uint64_t bytes() const { return bytes_; }

private:
  const uint32_t region_;
  uint64_t top_ = 0, bytes_ = 0;
};

class Outliner {
public:
  Outliner(func::FuncOp network)
      : network_(network), builder_(network), operands_(network.getNumArguments() + network.getNumResults()),
        frame_(2 + operands_) {}

  LogicalResult run() {
    std::vector<std::optional<Place>> destinations;
    for (uint32_t i = 0; i < network_.getNumArguments(); ++i)
      places_[network_.getArgument(i)] = {1 + i, 0};
    for (uint32_t i = 0; i < network_.getNumResults(); ++i)
      destinations.push_back(Place{1 + network_.getNumArguments() + i, 0});
    emitBlock(network_.front(), destinations);
    program_.push_back(firmware::EndInstruction{});
    if (failed(checkLimits()))
      return failure();
    for (func::FuncOp section : sections_)
      describeSection(section);
    describeNetwork();
    network_.erase();
    return success();
  }

private:
  using Destinations = ArrayRef<std::optional<Place>>;

  bool isTooLong() const {
    return sections_.size() > firmware::kMaxSections || loops_ > firmware::kMaxLoops ||
           program_.size() > firmware::kMaxControlInstructions;
  }

  /// Refuses the first branch or loop for which the control program has no room.
  LogicalResult checkLimits() {
    if (!isTooLong())
      return success();
    emitRefusal(beyond_.value_or(network_.getLoc()),
                {beyondName_, "", "a network of so many sections between branches and loops, and of so many loops",
                 llvm::formatv("{0} and {1}", sections_.size(), loops_),
                 llvm::formatv("{0} and {1}", firmware::kMaxSections, firmware::kMaxLoops)});
    return failure();
  }

  uint32_t emit(firmware::ControlInstruction instruction) {
    program_.push_back(instruction);
    return static_cast<uint32_t>(program_.size() - 1);
  }

  /// Sets a jump's target to the next instruction.
  template <typename Jump> void bind(uint32_t jump) {
    std::get<Jump>(program_[jump]).target = static_cast<uint32_t>(program_.size());
  }

  /// Runs a block and writes the operands of its terminator to `destinations`.
  void emitBlock(Block &block, Destinations destinations) {
    SmallVector<Operation *> run;
    for (Operation &op : block.without_terminator()) {
      if (isa<ConstantOp>(op))
        continue;
      if (!isControl(op)) {
        run.push_back(&op);
        continue;
      }
      if (auto branch = dyn_cast<IfOp>(op))
        emitIf(branch, run, destinations);
      else
        emitWhile(cast<WhileOp>(op), run);
      run.clear();
      if (!beyond_ && isTooLong()) {
        beyond_ = op.getLoc();
        beyondName_ = isa<IfOp>(op) ? "IF" : "WHILE";
      }
    }
    SmallVector<Output> outputs;
    for (auto [value, destination] : llvm::zip(block.getTerminator()->getOperands(), destinations))
      if (destination)
        outputs.push_back({value, *destination});
    emitSection(block, run, outputs, block.getTerminator());
  }

  /// Makes a section of a run. Its outputs are `given` (whose values may come from anywhere) and the values that are
  /// read later, except by `reader` itself, for which `given` was made.
  void emitSection(Block &block, ArrayRef<Operation *> run, ArrayRef<Output> given, Operation *reader) {
    SmallVector<Output> outputs;
    for (const Output &output : given)
      if (auto place = places_.find(output.value); place == places_.end() || !(place->second == output.place))
        outputs.push_back(output);
    llvm::SmallDenseSet<Operation *> inside(run.begin(), run.end());
    for (Operation *op : run)
      for (Value result : op->getResults())
        if (isReadOutside(result, inside, reader))
          outputs.push_back({result, places_[result] = frame_.allocate(result.getType())});
    if (outputs.empty())
      return;
    addSection(run.empty() ? block.getParentOp() : run.front(), run, outputs,
               [&](Value value) { return places_.at(value); });
  }

  void addSection(Operation *origin, ArrayRef<Operation *> run, ArrayRef<Output> outputs,
                  llvm::function_ref<Place(Value)> placeOf) {
    const uint32_t number = static_cast<uint32_t>(sections_.size());
    sections_.push_back(SectionBuilder(builder_).build(origin->getLoc(), network_.getName() + "_" + Twine(number), run,
                                                       outputs, placeOf));
    emit(firmware::RunInstruction{number});
  }

  static bool isReadOutside(Value value, const llvm::SmallDenseSet<Operation *> &inside, Operation *reader) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *owner = use.getOwner();
      return owner != reader && !inside.contains(owner);
    });
  }

  /// The place of a condition. A constant has no place, so a section writes it to a new one.
  Place conditionPlace(Value condition, Block &block) {
    if (auto place = places_.find(condition); place != places_.end())
      return place->second;
    Place place = frame_.allocate(condition.getType());
    emitSection(block, {}, {{condition, place}}, nullptr);
    return place;
  }

  /// A result used only by the end of its block is written directly to its final destination.
  std::optional<Place> wantedPlace(Value result, Destinations destinations) {
    if (!result.hasOneUse())
      return std::nullopt;
    OpOperand &use = *result.use_begin();
    const bool isEnd = use.getOwner() == result.getParentBlock()->getTerminator();
    return isEnd && use.getOperandNumber() < destinations.size() ? destinations[use.getOperandNumber()] : std::nullopt;
  }

  void emitIf(IfOp branch, ArrayRef<Operation *> run, Destinations destinations) {
    Block &block = *branch->getBlock();
    emitSection(block, run, {}, nullptr);
    std::vector<std::optional<Place>> places;
    for (Value result : branch.getResults()) {
      std::optional<Place> wanted = wantedPlace(result, destinations);
      if (!wanted && !result.use_empty())
        wanted = frame_.allocate(result.getType());
      if (wanted)
        places_[result] = *wanted;
      places.push_back(wanted);
    }
    Place condition = conditionPlace(branch.getCondition(), block);
    const uint64_t top = frame_.top();
    uint32_t toElse = emit(firmware::JumpIfFalseInstruction{condition.region, condition.offset, 0});
    emitBlock(branch.getThenRegion().front(), places);
    uint32_t toEnd = emit(firmware::JumpInstruction{});
    frame_.reset(top);
    bind<firmware::JumpIfFalseInstruction>(toElse);
    emitBlock(branch.getElseRegion().front(), places);
    frame_.reset(top);
    bind<firmware::JumpInstruction>(toEnd);
  }

  void emitWhile(WhileOp loop, ArrayRef<Operation *> run) {
    SmallVector<Output> inits;
    for (auto [index, init] : llvm::enumerate(loop.getInits())) {
      Place place = frame_.allocate(init.getType());
      inits.push_back({init, place});
      for (Value value : {Value(loop.getResult(index)), Value(loop.getCondition().getArgument(index)),
                          Value(loop.getBody().getArgument(index))})
        places_[value] = place;
    }
    emitSection(*loop->getBlock(), run, inits, loop);
    const uint64_t top = frame_.top();
    const uint32_t number = loops_++;
    emit(firmware::LoopEnterInstruction{number});
    const uint32_t head = emit(firmware::LoopCheckInstruction{number});
    Place condition = emitCondition(loop.getCondition().front());
    uint32_t toEnd = emit(firmware::JumpIfFalseInstruction{condition.region, condition.offset, 0});
    frame_.reset(top);
    emitTurn(loop);
    emit(firmware::JumpInstruction{head});
    bind<firmware::JumpIfFalseInstruction>(toEnd);
    frame_.reset(top);
  }

  /// A condition that is computed at the end of its block gets a new place; all others already have one.
  Place emitCondition(Block &block) {
    Value condition = block.getTerminator()->getOperand(0);
    Operation *definition = condition.getDefiningOp();
    const bool isComputed = definition && definition->getBlock() == &block && !isControl(*definition);
    if (!isComputed || isa<ConstantOp>(definition)) {
      emitBlock(block, {std::nullopt});
      return conditionPlace(condition, block);
    }
    Place place = frame_.allocate(condition.getType());
    emitBlock(block, {place});
    return place;
  }

  /// Runs the body, then copies the values of the next iteration over those of the current one.
  void emitTurn(WhileOp loop) {
    Block &body = loop.getBody().front();
    std::vector<std::optional<Place>> next;
    SmallVector<Output> copies;
    for (auto [argument, value] : llvm::zip(body.getArguments(), body.getTerminator()->getOperands())) {
      if (argument == value) {
        next.push_back(std::nullopt);
        continue;
      }
      next.push_back(frame_.allocate(value.getType()));
      copies.push_back({argument, places_.at(argument)});
    }
    emitBlock(body, next);
    emitCopies(body, next, copies);
  }

  /// Copies the places in `from` to those of the arguments in `to`, in order.
  void emitCopies(Block &body, Destinations from, ArrayRef<Output> to) {
    llvm::DenseMap<Value, Place> sources;
    size_t position = 0;
    for (const std::optional<Place> &place : from)
      if (place)
        sources[to[position++].value] = *place;
    if (!to.empty())
      addSection(body.getParentOp(), {}, to, [&](Value value) { return sources.at(value); });
  }

  void describeSection(func::FuncOp section) {
    section->setAttr(attrs::kConstantsRegion, builder_.getI32IntegerAttr(static_cast<int32_t>(1 + operands_)));
    section->setAttr(attrs::kFrameBytes, builder_.getI64IntegerAttr(static_cast<int64_t>(frame_.bytes())));
  }

  /// Dictionaries of the operands' attributes, with their types.
  ArrayAttr describeOperands(TypeRange types, llvm::function_ref<DictionaryAttr(unsigned)> known) {
    SmallVector<Attribute> entries;
    for (auto [index, type] : llvm::enumerate(types)) {
      NamedAttrList entry;
      if (DictionaryAttr dictionary = known(index))
        entry.append(dictionary.getValue());
      entry.set(attrs::kNetworkType, TypeAttr::get(type));
      entries.push_back(entry.getDictionary(builder_.getContext()));
    }
    return builder_.getArrayAttr(entries);
  }

  void describeNetwork() {
    std::vector<uint32_t> words = firmware::encodeControl(program_);
    SmallVector<int32_t> signedWords(words.begin(), words.end());
    builder_.setInsertionPointToStart(network_->getBlock());
    cmd::ControlOp::create(
        builder_, network_.getLoc(), builder_.getDenseI32ArrayAttr(signedWords),
        describeOperands(network_.getArgumentTypes(), [&](unsigned i) { return network_.getArgAttrDict(i); }),
        describeOperands(network_.getResultTypes(), [&](unsigned i) { return network_.getResultAttrDict(i); }));
  }

  func::FuncOp network_;
  OpBuilder builder_;
  const uint32_t operands_;
  Frame frame_;
  llvm::DenseMap<Value, Place> places_; ///< of values that are stored in memory
  std::vector<func::FuncOp> sections_;
  std::vector<firmware::ControlInstruction> program_;
  uint32_t loops_ = 0;
  std::optional<Location> beyond_; ///< of the first branch or loop without room
  std::string beyondName_ = "IF";
};

struct OutlineControlFlow : impl::OutlineControlFlowPassBase<OutlineControlFlow> {
  void runOnOperation() override {
    for (auto network : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (llvm::any_of(network.front(), isControl) && failed(Outliner(network).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace avocet::compiler
