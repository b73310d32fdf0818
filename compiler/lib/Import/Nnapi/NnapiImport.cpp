//===- NnapiImport.cpp - From an NNAPI model to the nn dialect --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Import/NnapiImport.h"

#include "NnapiGraph.h"
#include "NnapiTypes.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Path.h"

#include <optional>
#include <set>

using namespace mlir;

namespace avocet::compiler {

// One line each: tables are added in many places at a time.
// clang-format off
static constexpr ArrayRef<NnapiConverter> (*kTables[])() = {
    nnapiConvConverters,
    nnapiControlFlowConverters,
    nnapiElementwiseConverters,
    nnapiFullyConnectedConverters,
    nnapiLookupConverters,
    nnapiMoveConverters,
    nnapiNormalizeConverters,
    nnapiPoolConverters,
    nnapiRecurrentConverters,
    nnapiQuantizeConverters,
    nnapiReduceConverters,
    nnapiShapeConverters,
    nnapiSpaceConverters,
    nnapiTruthConverters,
    nnapiUnaryConverters,
};
// clang-format on

const NnapiConverter *findNnapiConverter(int32_t code) {
  for (auto *table : kTables)
    for (const NnapiConverter &converter : table())
      if (converter.code == code)
        return &converter;
  return nullptr;
}

namespace {

/// Finds the operands whose values shape the program, in all subgraphs: what an IF or WHILE passes to such an operand is
/// one itself.
class ValueOperands {
public:
  explicit ValueOperands(const NnapiFile &file) : file_(file), known_(file.numSubgraphs()) {}

  /// The file's check has excluded that subgraphs refer to themselves.
  const std::set<uint32_t> &of(uint32_t subgraph) {
    std::optional<std::set<uint32_t>> &operands = known_[subgraph];
    if (operands)
      return *operands;
    operands.emplace();
    for (const nnapi::Operation *operation : *file_.subgraph(subgraph).operations())
      if (operation->inputs())
        addOperation(*file_.subgraph(subgraph).operands(), *operation, *operands);
    return *operands;
  }

private:
  using Operands = flatbuffers::Vector<flatbuffers::Offset<nnapi::Operand>>;

  void addOperation(const Operands &operands, const nnapi::Operation &operation, std::set<uint32_t> &found) {
    const NnapiConverter *converter = findNnapiConverter(operation.type());
    const uint32_t count = operation.inputs()->size();
    for (uint32_t i = 0; converter && i < std::min(count, 64u); ++i)
      if (converter->valueOperands >> i & 1)
        found.insert(operation.inputs()->Get(i));
    // Values follow the references to subgraphs, and each subgraph takes all of them.
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i)
      if (operands.Get(operation.inputs()->Get(i))->lifetime() == nnapi::Lifetime::Subgraph)
        first = i + 1;
    for (uint32_t i = 0; i < first; ++i)
      if (const nnapi::Operand &reference = *operands.Get(operation.inputs()->Get(i));
          reference.lifetime() == nnapi::Lifetime::Subgraph)
        addPassed(reference.subgraph() + 1, operation, first, found);
  }

  void addPassed(uint32_t subgraph, const nnapi::Operation &operation, uint32_t first, std::set<uint32_t> &found) {
    const std::set<uint32_t> &inside = of(subgraph);
    const auto &inputs = *file_.subgraph(subgraph).inputs();
    for (uint32_t i = 0; i < inputs.size() && first + i < operation.inputs()->size(); ++i)
      if (inside.contains(inputs.Get(i)))
        found.insert(operation.inputs()->Get(first + i));
  }

  const NnapiFile &file_;
  std::vector<std::optional<std::set<uint32_t>>> known_;
};

/// The main inputs whose values shape the program and are not given.
void findValueInputs(const NnapiFile &file, NnapiNeeds &needs) {
  const nnapi::Subgraph &main = file.subgraph(0);
  ValueOperands valueOperands(file);
  const std::set<uint32_t> &operands = valueOperands.of(0);
  for (uint32_t position = 0; position < main.inputs()->size(); ++position) {
    const nnapi::Operand &operand = *main.operands()->Get(main.inputs()->Get(position));
    if (operand.lifetime() == nnapi::Lifetime::SubgraphInput && operands.contains(main.inputs()->Get(position)) &&
        file.data(operand).empty())
      needs.valueInputs.push_back(position);
  }
}

NnapiNeeds needsOf(const NnapiFile &file) {
  NnapiNeeds needs;
  findValueInputs(file, needs);
  needs.specialisation = !needs.valueInputs.empty();
  const nnapi::Subgraph &main = file.subgraph(0);
  for (uint32_t index : *main.inputs()) {
    const nnapi::Operand &operand = *main.operands()->Get(index);
    needs.specialisation |= operand.lifetime() == nnapi::Lifetime::SubgraphInput && isDynamic(operand);
  }
  return needs;
}

/// The function of the main subgraph, from its arguments to its return.
class MainImporter {
public:
  explicit MainImporter(NnapiImport &import) : import_(import), graph_(import, 0) {}

  LogicalResult run(ModuleOp module) {
    import_.builder.setInsertionPointToEnd(module.getBody());
    FailureOr<SmallVector<Type>> inputs = inputTypes();
    if (failed(inputs))
      return failure();
    auto type = FunctionType::get(module.getContext(), *inputs, {});
    auto function = func::FuncOp::create(import_.builder, import_.location, "main", type);
    bindInputs(function);
    if (failed(graph_.importOperations()) || import_.refused)
      return failure();
    return returnOutputs(function);
  }

private:
  FailureOr<SmallVector<Type>> inputTypes() {
    SmallVector<Type> types;
    for (uint32_t index : *graph_.subgraph().inputs()) {
      const nnapi::Operand &operand = graph_.operand(index);
      if (operand.lifetime() == nnapi::Lifetime::NoValue)
        continue;
      arguments_.push_back(index);
      NnapiElement element = elementTypeOf(import_.builder.getContext(), operand);
      if (!element.type)
        return emitError(import_.location) << "input operand " << index << ": " << element.rule, failure();
      types.push_back(RankedTensorType::get(dimensionsOf(operand), element.type));
    }
    return types;
  }

  /// An input whose value is given stays an argument, which nothing reads: operations see the constant.
  void bindInputs(func::FuncOp function) {
    Block *body = function.addEntryBlock();
    import_.builder.setInsertionPointToEnd(body);
    for (auto [index, argument] : llvm::zip(arguments_, body->getArguments())) {
      auto name = import_.builder.getStringAttr("input" + Twine(argument.getArgNumber()));
      function.setArgAttr(argument.getArgNumber(), nn::kNameAttr, name);
      argument.setLoc(NameLoc::get(name, import_.location));
      if (import_.file.data(graph_.operand(index)).empty())
        graph_.bind(index, argument);
    }
  }

  LogicalResult returnOutputs(func::FuncOp function) {
    SmallVector<Value> results;
    for (uint32_t index : *graph_.subgraph().outputs())
      results.push_back(graph_.value(index));
    if (llvm::is_contained(results, Value()))
      return emitError(import_.location, "an output of the model has no value");
    func::ReturnOp::create(import_.builder, import_.location, results);
    SmallVector<Type> types = llvm::map_to_vector(results, [](Value value) { return value.getType(); });
    function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
    for (unsigned position = 0; position < results.size(); ++position)
      function.setResultAttr(position, nn::kNameAttr, import_.builder.getStringAttr("output" + Twine(position)));
    return success();
  }

  NnapiImport &import_;
  NnapiGraph graph_;
  SmallVector<uint32_t> arguments_; ///< operand of each argument of the function
};

} // namespace

bool isNnapi(llvm::StringRef bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == nnapi::ModelIdentifier(); }

OwningOpRef<ModuleOp> importNnapi(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                  std::span<const std::span<const uint8_t>> pools, NnapiNeeds &needs) {
  context->loadDialect<nn::NnDialect, func::FuncDialect, quant::QuantDialect>();
  llvm::StringRef name = llvm::sys::path::filename(file->getBufferIdentifier());
  Location location = NameLoc::get(StringAttr::get(context, name));
  FailureOr<NnapiFile> model = NnapiFile::open(location, file->getMemBufferRef(), pools);
  if (failed(model))
    return nullptr;
  OpBuilder builder(context);
  NnapiImport import{builder, *model, file, location};
  // No value or shape that comes later helps these.
  if (!NnapiGraph(import, 0).knowsOperations())
    return nullptr;
  needs = needsOf(*model);
  if (needs.specialisation)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  if (failed(MainImporter(import).run(*module)) || failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace avocet::compiler
