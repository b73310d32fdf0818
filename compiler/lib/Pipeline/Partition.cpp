//===- Partition.cpp - Networks between unsupported operators ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition.h"

#include "Conversion/NpuToCmd/ProgramDescription.h"
#include "Import/Common/KeptOperator.h"
#include "Schedule/Schedule.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Refusal.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Names in files may be any bytes.
std::string printable(std::string text) { return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text); }

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The name that the location of a value gives, or its place in a text.
std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), nn::kNameAttr))
        return name.str();
  auto name = value.getLoc()->findInstanceOf<NameLoc>();
  const std::string place = describeLocation(value.getLoc());
  const std::string text = name ? name.getName().str() : place.empty() ? "value" : place;
  auto result = dyn_cast<OpResult>(value);
  return result && result.getResultNumber() > 0 ? text + ":" + std::to_string(result.getResultNumber()) : text;
}

std::vector<uint8_t> bytesOf(ElementsAttr elements, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.getNumElements() * compiler::bytesOf(tensor.getElementType())));
  if (failed(schedule::copyConstant(elements, 0, bytes)))
    bytes.clear();
  if (tensor.getElementType().isInteger(1)) // MLIR stores true as a byte of ones
    for (uint8_t &byte : bytes)
      byte = byte != 0;
  return bytes;
}

std::vector<uint8_t> bytesOf(const std::string &text) { return {text.begin(), text.end()}; }

template <typename Numbers> llvm::json::Array jsonOf(const Numbers &numbers) {
  llvm::json::Array array;
  for (auto number : numbers)
    array.push_back(number);
  return array;
}

/// A stand-in, alone or in the region of an operation: the compiler cannot express what it computes.
bool hasStandIn(Operation *operation) {
  return operation->walk([](UnrealizedConversionCastOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Operations of the function that run in turn: one unsupported one, or those of a network.
struct Step {
  bool isNetwork = true;
  bool hasModule = true; ///< a network, or an operation that another device may compute
  SmallVector<Operation *> operations;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
};

class Partitioner {
public:
  Partitioner(ModuleOp module, FindUnsupported find)
      : module_(module), function_(*module.getOps<func::FuncOp>().begin()), block_(function_.front()), find_(find) {}

  Partition run() {
    findLive();
    makeSteps();
    for (Step &step : steps_)
      connect(step);
    llvm::json::Array steps;
    for (auto [index, step] : llvm::enumerate(steps_))
      steps.push_back(describe(step, index));
    llvm::json::Object description{{"model", printable(modelName())},
                                   {"inputs", describeInputs()},
                                   {"steps", std::move(steps)},
                                   {"outputs", describeOutputs()}};
    result_.description = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(description))).str();
    return std::move(result_);
  }

private:
  std::string modelName() {
    auto name = module_->getAttrOfType<StringAttr>(attrs::kModel);
    return name ? name.str() : function_.getSymName().str();
  }

  /// Values of the function that the operation reads, also in its regions.
  SmallVector<Value> operandsOf(Operation *operation) const {
    llvm::SetVector<Value> values;
    operation->walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (value.getParentBlock() == &block_)
          values.insert(value);
    });
    return values.takeVector();
  }

  static bool isConstant(Value value) { return value.getDefiningOp<nn::ConstantOp>() != nullptr; }

  /// The results need these operations; constants are not among them.
  void findLive() {
    SmallVector<Value> open(block_.getTerminator()->getOperands());
    while (!open.empty()) {
      Operation *producer = open.pop_back_val().getDefiningOp();
      if (!producer || isa<nn::ConstantOp>(producer) || !live_.insert(producer).second)
        continue;
      llvm::append_range(open, operandsOf(producer));
    }
  }

  /// Number of unsupported operations on a path to the operation, at most.
  unsigned levelOf(Operation *operation) const {
    unsigned level = 0;
    for (Value value : operandsOf(operation))
      if (auto known = levels_.find(value.getDefiningOp()); known != levels_.end())
        level = std::max(level, known->second + (unsupported_.contains(known->first) ? 1 : 0));
    return level;
  }

  void makeSteps() {
    std::vector<std::vector<Operation *>> networks, others;
    for (Operation &operation : block_) {
      if (!live_.contains(&operation))
        continue;
      const unsigned level = levelOf(&operation);
      levels_[&operation] = level;
      networks.resize(std::max<size_t>(networks.size(), level + 1));
      others.resize(networks.size());
      if (find_(&operation))
        unsupported_.insert(&operation);
      (unsupported_.contains(&operation) ? others : networks)[level].push_back(&operation);
    }
    for (auto [network, other] : llvm::zip(networks, others)) {
      if (!network.empty())
        addStep(true, network);
      for (Operation *operation : other)
        addStep(false, operation);
    }
  }

  void addStep(bool isNetwork, ArrayRef<Operation *> operations) {
    for (Operation *operation : operations)
      stepOf_[operation] = steps_.size();
    const bool hasModule = isNetwork || !hasStandIn(operations.front());
    steps_.push_back({isNetwork, hasModule, SmallVector<Operation *>(operations), {}, {}});
  }

  /// Whether an operation of another step, or the end of the function, reads the value.
  bool isRead(Value value, size_t step) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *outer = block_.findAncestorOpInBlock(*user);
      if (outer == block_.getTerminator())
        return true;
      auto reader = stepOf_.find(outer);
      return reader != stepOf_.end() && reader->second != step;
    });
  }

  void connect(Step &step) {
    const size_t index = static_cast<size_t>(&step - steps_.data());
    for (Operation *operation : step.operations) {
      for (Value value : operandsOf(operation)) {
        auto producer = stepOf_.find(value.getDefiningOp());
        const bool isOwn = producer != stepOf_.end() && producer->second == index;
        if (!isOwn && !(step.hasModule && isConstant(value)))
          step.inputs.insert(value);
      }
      for (Value value : operation->getResults())
        if (!step.isNetwork || isRead(value, index))
          addOutput(step, index, value);
    }
  }

  void addOutput(Step &step, size_t index, Value value) {
    sources_[value] = {index, step.outputs.size()};
    step.outputs.push_back(value);
  }

  /// Where a value comes from: an input of the model, an output of a step, or a file.
  llvm::json::Object source(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::json::Object{{"input", static_cast<int64_t>(argument.getArgNumber())}};
    if (auto constant = value.getDefiningOp<nn::ConstantOp>())
      return llvm::json::Object{{"constant", addConstant(cast<ElementsAttr>(constant.getValue()), value)}};
    auto [step, output] = sources_.at(value);
    return llvm::json::Object{{"step", static_cast<int64_t>(step)}, {"output", static_cast<int64_t>(output)}};
  }

  std::string addConstant(ElementsAttr elements, Value value) {
    auto [known, isNew] =
        constantNames_.try_emplace(value, "constant" + std::to_string(constantNames_.size()) + ".bin");
    if (isNew)
      result_.data.push_back({known->second, bytesOf(elements, value.getType())});
    return known->second;
  }

  static llvm::json::Object tensor(Value value) {
    llvm::json::Object entry{{"name", printable(nameOf(value))}, {"type", textOf(value.getType())}};
    const auto type = dyn_cast<RankedTensorType>(value.getType());
    const std::optional<cache::Operand> known = type ? describeTensor(type) : std::nullopt;
    if (!known)
      return entry;
    entry["element"] = StringRef(firmware::toString(known->type));
    entry["shape"] = jsonOf(known->shape);
    if (known->quantization.scales.empty())
      return entry;
    entry["scales"] = jsonOf(known->quantization.scales);
    entry["zero_points"] = jsonOf(known->quantization.zeroPoints);
    entry["axis"] = known->quantization.axis;
    return entry;
  }

  llvm::json::Object describe(const Step &step, size_t index) {
    llvm::json::Array inputs, outputs;
    for (Value value : step.inputs) {
      llvm::json::Object entry = tensor(value);
      entry["source"] = source(value);
      inputs.push_back(std::move(entry));
    }
    for (Value value : step.outputs)
      outputs.push_back(tensor(value));
    llvm::json::Object entry{{"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}};
    if (step.isNetwork)
      entry["network"] = addPart(step, "part", result_.parts);
    else
      describeOperator(step, entry);
    return entry;
  }

  void describeOperator(const Step &step, llvm::json::Object &entry) {
    Operation *operation = step.operations.front();
    const std::optional<Unsupported> why = find_(operation);
    const std::optional<KeptOperator> kept = keptOperator(operation);
    entry["operator"] = printable(kept ? kept->kind : why->kind);
    entry["reason"] = printable(why->reason);
    if (kept)
      entry["index"] = kept->number;
    if (step.hasModule)
      entry["alone"] = addPart(step, "operator", result_.operators);
    if (!kept || kept->customName.empty())
      return;
    if (!kept->obstacle.empty()) {
      entry["reason"] = printable(why->reason + "; no call-back can compute it: " + kept->obstacle);
      return;
    }
    const std::string file = "attributes" + std::to_string(numAttributes_++) + ".bin";
    result_.data.push_back({file, bytesOf(kept->attributes)});
    entry["custom"] = llvm::json::Object{{"name", printable(kept->customName)}, {"attributes", file}};
  }

  std::string addPart(const Step &step, const char *kind, std::vector<PartitionPart> &parts) {
    const std::string stem = kind + std::to_string(parts.size());
    OpBuilder builder(module_.getContext());
    OwningOpRef<ModuleOp> part = ModuleOp::create(module_.getLoc());
    builder.setInsertionPointToEnd(part->getBody());
    auto type = builder.getFunctionType(llvm::to_vector(ValueRange(step.inputs.getArrayRef()).getTypes()),
                                        llvm::to_vector(ValueRange(step.outputs).getTypes()));
    auto function = func::FuncOp::create(builder, function_.getLoc(), "main", type);
    fill(function, step);
    noteModel(*part, modelName() + "." + stem + ".mlir");
    notePhase(*part, Phase::Import);
    parts.push_back({stem + ".mlir", std::move(part)});
    return stem + ".mlir";
  }

  void fill(func::FuncOp function, const Step &step) {
    Block *body = function.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockEnd(body);
    IRMapping mapping;
    for (auto [index, value] : llvm::enumerate(step.inputs)) {
      mapping.map(value, body->getArgument(index));
      body->getArgument(index).setLoc(value.getLoc());
      function.setArgAttr(index, nn::kNameAttr, builder.getStringAttr(nameOf(value)));
    }
    for (Operation *operation : step.operations) {
      for (Value value : operandsOf(operation))
        if (isConstant(value) && !mapping.contains(value))
          mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
      builder.clone(*operation, mapping);
    }
    SmallVector<Value> results;
    for (auto [index, value] : llvm::enumerate(step.outputs)) {
      results.push_back(mapping.lookup(value));
      function.setResultAttr(index, nn::kNameAttr, builder.getStringAttr(nameOf(value)));
    }
    func::ReturnOp::create(builder, function.getLoc(), results);
  }

  llvm::json::Array describeInputs() {
    llvm::json::Array inputs;
    for (BlockArgument argument : block_.getArguments()) {
      llvm::json::Object entry = tensor(argument);
      if (auto initial = function_.getArgAttrOfType<ElementsAttr>(argument.getArgNumber(), attrs::kInitialState)) {
        entry["state"] = true;
        entry["initial"] = addConstant(initial, argument);
        ++numStates_;
      }
      inputs.push_back(std::move(entry));
    }
    return inputs;
  }

  llvm::json::Array describeOutputs() {
    llvm::json::Array outputs;
    const auto results = block_.getTerminator()->getOperands();
    for (auto [index, value] : llvm::enumerate(results)) {
      auto name = function_.getResultAttrOfType<StringAttr>(index, nn::kNameAttr);
      llvm::json::Object entry = tensor(value);
      if (name)
        entry["name"] = printable(name.str());
      entry["source"] = source(value);
      if (index + numStates_ >= results.size())
        entry["state"] = true;
      outputs.push_back(std::move(entry));
    }
    return outputs;
  }

  ModuleOp module_;
  func::FuncOp function_;
  Block &block_;
  FindUnsupported find_;
  llvm::DenseSet<Operation *> live_, unsupported_;
  llvm::DenseMap<Operation *, unsigned> levels_;
  llvm::DenseMap<Operation *, size_t> stepOf_;
  std::vector<Step> steps_;
  llvm::DenseMap<Value, std::pair<size_t, size_t>> sources_; ///< step and output
  llvm::DenseMap<Value, std::string> constantNames_;
  size_t numStates_ = 0, numAttributes_ = 0;
  Partition result_;
};

} // namespace

Partition partition(ModuleOp module, FindUnsupported find) { return Partitioner(module, find).run(); }

} // namespace avocet::compiler
