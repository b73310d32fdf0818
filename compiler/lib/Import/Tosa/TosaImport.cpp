//===- TosaImport.cpp - From a TOSA file to the nn dialect ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaImport.h"

#include "TosaAttributes.h"
#include "TosaFile.h"

#include "Import/Common/Constants.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Support/Origin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Constants of at most so many bytes become numbers that passes can read, which zero points, multipliers and paddings
/// must be; filters stay in the file.
constexpr size_t kMostCopiedBytes = 1 << 16;
/// Graphs can be used many times: a small file could ask for any number of operations.
constexpr uint32_t kMaxOperators = 1 << 17;
constexpr size_t kMaxNesting = 32;

/// Reads the graphs of one file.
class TosaReader {
public:
  TosaReader(ImportState &state, const TosaFile &file) : state_(state), builder_(state.builder), file_(file) {}

  LogicalResult readNetwork(ModuleOp module) {
    const TosaGraph &graph = file_.network();
    const SmallVector<StringRef> inputs = graph.inputs(), outputs = graph.outputs();
    if (outputs.empty())
      return emitError(state_.location, "the network has no outputs");
    builder_.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(builder_, state_.location, "main",
                                         builder_.getFunctionType(typesOf(graph, inputs), typesOf(graph, outputs)));
    for (auto [position, name] : llvm::enumerate(inputs))
      function.setArgAttr(position, nn::kNameAttr, builder_.getStringAttr(name));
    for (auto [position, name] : llvm::enumerate(outputs))
      function.setResultAttr(position, nn::kNameAttr, builder_.getStringAttr(name));
    return readGraph(graph, function.getBody(),
                     [&](ValueRange results) { func::ReturnOp::create(builder_, state_.location, results); });
  }

private:
  using Values = llvm::StringMap<Value>;

  Type typeOf(const TosaRecord &record) {
    if (record.shape)
      return tosa::shapeType::get(builder_.getContext(), static_cast<int>(record.shape->rank()));
    SmallVector<int64_t> shape;
    if (const auto *extents = record.tensor->shape())
      shape.assign(extents->begin(), extents->end());
    return RankedTensorType::get(shape, elementOf(builder_.getContext(), record.tensor->type()));
  }

  SmallVector<Type> typesOf(const TosaGraph &graph, ArrayRef<StringRef> names) {
    return llvm::map_to_vector(names, [&](StringRef name) { return typeOf(graph.records.lookup(name)); });
  }

  Location locationOf(StringRef name) { return NameLoc::get(builder_.getStringAttr(name), state_.location); }

  /// `end` creates the terminator.
  LogicalResult readGraph(const TosaGraph &graph, Region &region, llvm::function_ref<void(ValueRange)> end) {
    OpBuilder::InsertionGuard guard(builder_);
    Block &block = region.emplaceBlock();
    builder_.setInsertionPointToEnd(&block);
    Values values;
    for (StringRef name : graph.inputs())
      values[name] = block.addArgument(typeOf(graph.records.lookup(name)), locationOf(name));
    active_.push_back(&graph);
    for (uint32_t index = 0; index < graph.numOperators(); ++index)
      if (failed(readOperator(graph, index, values)))
        return failure();
    active_.pop_back();
    end(llvm::map_to_vector(graph.outputs(), [&](StringRef name) { return values.lookup(name); }));
    return success();
  }

  LogicalResult readOperator(const TosaGraph &graph, uint32_t index, Values &values) {
    const tosa_file::TosaOperator &operation = graph.operation(index);
    const SmallVector<StringRef> inputs = namesIn(operation.inputs()), outputs = namesIn(operation.outputs());
    const StringRef kind = kindOf(operation);
    const Location location = isConstant(operation) ? locationOf(outputs.front())
                                                    : operatorLocation(outputs.empty() ? kind : outputs.front(), kind,
                                                                       index, state_.location);
    if (++operators_ > kMaxOperators)
      return emitError(location) << "operator " << index << " " << kind << " is one of more than " << kMaxOperators
                                 << " operators, counting each use of a graph";
    OperationState made(location, "tosa." + kind.lower());
    if (!made.name.isRegistered() || kind.starts_with("VARIABLE"))
      return emitRefusal(location,
                         {("operator " + Twine(index) + " " + kind).str(), "", kImplementedRule, kind.str(), ""}),
             failure();
    for (StringRef name : inputs)
      made.operands.push_back(values.lookup(name));
    made.types = typesOf(graph, outputs);
    if (failed(readOwn(graph, operation, made)))
      return failure();
    Operation *created = builder_.create(made);
    // What the format leaves to each operator: operands, attributes, shapes. The regions are verified already.
    if (failed(verify(created, /*verifyRecursively=*/false)))
      return failure();
    for (auto [name, result] : llvm::zip_equal(outputs, created->getResults()))
      values[name] = result;
    return success();
  }

  /// Reads what the operator itself says: attributes, elements of a constant, graphs.
  LogicalResult readOwn(const TosaGraph &graph, const tosa_file::TosaOperator &operation, OperationState &made) {
    if (isConstant(operation)) {
      const TosaRecord record = graph.records.lookup(textOf(operation.outputs()->Get(0)));
      made.addAttribute("values", record.shape ? elementsOf(*record.shape) : elementsOf(record));
      return success();
    }
    auto first = made.operands.empty() ? ShapedType() : dyn_cast<ShapedType>(made.operands.front().getType());
    FailureOr<TosaAttributes> attributes =
        readAttributes(made.location, operation, first ? first.getElementType() : Type());
    if (failed(attributes))
      return failure();
    made.addAttributes(attributes->values);
    // The condition of a branch is no operand of its graphs.
    const size_t own = operation.op() == tosa_file::Op::COND_IF ? 1 : 0;
    for (StringRef name : attributes->graphs)
      if (failed(readRegion(graph, name, made, own)))
        return failure();
    return success();
  }

  LogicalResult readRegion(const TosaGraph &user, StringRef name, OperationState &made, size_t own) {
    const TosaGraph *graph = file_.graph(user, name);
    if (!graph)
      return emitError(made.location) << "the operator runs '" << name << "', which is no region of the file";
    if (llvm::is_contained(active_, graph) || active_.size() > kMaxNesting)
      return emitError(made.location) << "the operator runs '" << name << "' inside that region itself, or deeper than "
                                      << kMaxNesting << " regions";
    if (graph->inputs().size() + own != made.operands.size())
      return emitError(made.location) << "region '" << name << "' has " << graph->inputs().size()
                                      << " inputs, its operator passes " << std::max(made.operands.size(), own) - own;
    const Location location = made.location;
    return readGraph(*graph, *made.addRegion(),
                     [&](ValueRange results) { tosa::YieldOp::create(builder_, location, results); });
  }

  ElementsAttr elementsOf(const tosa_file::TosaShape &shape) {
    const auto type = RankedTensorType::get({shape.rank()}, builder_.getIndexType());
    return DenseIntElementsAttr::get(type, integersOf(bytesOf(shape.data()), sizeof(int64_t)));
  }

  ElementsAttr elementsOf(const TosaRecord &record) {
    const auto type = cast<RankedTensorType>(typeOf(record));
    const ArrayRef<char> data = bytesOf(record.tensor->data());
    switch (record.tensor->type()) {
    case tosa_file::DType::BOOL:
      return DenseElementsAttr::get(type, llvm::map_to_vector(data, [](char byte) { return byte != 0; }));
    case tosa_file::DType::INT4:
      return elementsOfHalves(type, data);
    case tosa_file::DType::INT48: // the nn dialect has no such numbers, so they are converted
      return DenseElementsAttr::getFromRawBuffer(type, data);
    default:
      return data.size() <= kMostCopiedBytes ? ElementsAttr(DenseElementsAttr::getFromRawBuffer(type, data))
                                             : elementsInFile(state_, type, data, textOf(record.tensor->name()));
    }
  }

  /// A byte for each element.
  static ElementsAttr elementsOfHalves(RankedTensorType type, ArrayRef<char> data) {
    SmallVector<char> bytes(static_cast<size_t>(type.getNumElements()));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(static_cast<uint8_t>(data[i / 2]) >> (i % 2 * 4) & 15);
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }

  ImportState &state_;
  OpBuilder &builder_;
  const TosaFile &file_;
  SmallVector<const TosaGraph *> active_; ///< that are being read, from the network on
  uint32_t operators_ = 0;
};

} // namespace

bool isTosa(StringRef bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == tosa_file::TosaGraphIdentifier(); }

OwningOpRef<ModuleOp> readTosa(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file) {
  const Location location = beginImport(context, *file);
  context->loadDialect<tosa::TosaDialect>();
  FailureOr<TosaFile> model = TosaFile::open(location, file->getMemBufferRef());
  if (failed(model))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  ImportState state{builder, file, location};
  setTosaVersion(*module, model->version());
  if (failed(TosaReader(state, *model).readNetwork(*module)) || failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> importTosa(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file) {
  OwningOpRef<ModuleOp> module = readTosa(context, std::move(file));
  return module && succeeded(convertTosaToNn(*module)) ? std::move(module) : nullptr;
}

} // namespace avocet::compiler
