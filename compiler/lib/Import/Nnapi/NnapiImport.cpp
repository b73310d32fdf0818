//===- NnapiImport.cpp - From an NNAPI model to the nn dialect --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiImport.h"

#include "NnapiFile.h"
#include "NnapiGraph.h"
#include "OpenOperands.h"
#include "OpenRows.h"

#include "Import/Common/BorderTensors.h"
#include "Import/Common/ImportedOperation.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

// One line each, to avoid merge conflicts between branches that add tables.
// clang-format off
static constexpr ArrayRef<NnapiConverter> (*kTables[])() = {
    nnapiBidirectionalConverters,
    nnapiConvConverters,
    nnapiControlFlowConverters,
    nnapiDetectionConverters,
    nnapiElementwiseConverters,
    nnapiLookupConverters,
    nnapiMoveConverters,
    nnapiNormalizeConverters,
    nnapiRecurrentConverters,
    nnapiShapeConverters,
    };
// clang-format on

const NnapiConverter *findNnapiConverter(const NnapiFile &file, OperationType type) {
  if (prefixOf(type) != 0) {
    const NnapiExtensionOperation *operation = findExtensionOperation(file, type);
    return operation ? &operation->converter : nullptr;
  }
  return findConverter<NnapiConverter>(kTables, [type](const NnapiConverter &row) { return row.type == type; });
}

namespace {

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
    import_.function = func::FuncOp::create(import_.builder, import_.location, "main", type);
    bindInputs(import_.function);
    if (failed(graph_.importOperations()) || import_.refused)
      return failure();
    return returnOutputs(import_.function);
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
      auto type = RankedTensorType::get(dimensionsOf(operand), element.type);
      if (static_cast<uint64_t>(type.getNumElements()) > import_.maxElements) {
        import_.tooLarge = true;
        return emitError(import_.location) << "input operand " << index << " has " << type.getNumElements()
                                           << " elements, at most " << import_.maxElements << " are possible",
               failure();
      }
      types.push_back(type);
    }
    return types;
  }

  /// An input whose value is given remains an argument without uses: operations read the constant.
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
    const SmallVector<std::string> names = addRowCounts(results);
    func::ReturnOp::create(import_.builder, import_.location, results);
    SmallVector<Type> types = llvm::map_to_vector(results, [](Value value) { return value.getType(); });
    function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
    for (auto [position, name] : llvm::enumerate(names))
      function.setResultAttr(position, nn::kNameAttr, import_.builder.getStringAttr(name));
    return success();
  }

  /// Appends the number of valid rows of each output with open rows; returns the names of all results.
  SmallVector<std::string> addRowCounts(SmallVector<Value> &results) {
    SmallVector<std::string> names, countNames;
    for (uint32_t index : *graph_.subgraph().outputs()) {
      names.push_back("output" + std::to_string(names.size()));
      const OpenRows *rows = openRowsOf(import_, graph_.value(index));
      if (!rows)
        continue;
      results.push_back(rowCount(graph_, *rows));
      countNames.push_back(names.back() + ".rows");
    }
    llvm::append_range(names, countNames);
    return names;
  }

  NnapiImport &import_;
  NnapiGraph graph_;
  SmallVector<uint32_t> arguments_; ///< operand of each argument of the function
};

} // namespace

/// Also of models whose shapes are open, so that no execution meets the limit. Each output whose number of rows depends
/// on data brings that number as another output.
static LogicalResult checkBorder(const NnapiFile &file, Location location) {
  const nnapi::Subgraph &main = file.subgraph(0);
  return checkBorder(location, {main.inputs()->size(), main.outputs()->size(), 0, mostOpenOutputs(file)});
}

bool isNnapi(llvm::StringRef bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == nnapi::ModelIdentifier(); }

OwningOpRef<ModuleOp> importNnapi(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                  std::span<const std::span<const uint8_t>> pools, ImportNeeds &needs,
                                  const NnapiOptions &options) {
  Location location = beginImport(context, *file);
  FailureOr<NnapiFile> model = NnapiFile::open(location, file->getMemBufferRef(), pools);
  if (failed(model))
    return nullptr;
  needs.tooLarge = failed(checkBorder(*model, location));
  if (needs.tooLarge)
    return nullptr;
  OpBuilder builder(context);
  NnapiImport import{{builder, file, location}, *model};
  import.isQuery = options.isQuery;
  import.maxElements = options.maxElements;
  NnapiOpenOperands open = openOperandsOf(*model);
  import.unrolledLoops = open.unrolledLoops;
  needs.specialization = open.any();
  needs.valueInputs = std::move(open.valueInputs);
  if (needs.specialization)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  LogicalResult imported = MainImporter(import).run(*module);
  needs.tooLarge = import.tooLarge;
  if (failed(imported) || failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace avocet::compiler
