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

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Constants of at most so many bytes become numbers that passes can read, which zero points, multipliers and paddings
/// must be; filters stay in the file.
constexpr size_t kMostCopiedBytes = 1 << 16;
/// Graphs can be used many times: a small file could ask for any number of operations.
constexpr uint32_t kMaxOperators = 1 << 17;
constexpr size_t kMaxNesting = 32;
constexpr StringLiteral kUnlisted = "is no tensor or shape of the block";

/// Reads the graphs of one file into a module.
class TosaReader {
public:
  TosaReader(ImportState &state, const TosaFile &file, ModuleOp module)
      : state_(state), builder_(state.builder), file_(file), module_(module) {}

  LogicalResult readNetwork() {
    const TosaGraph &graph = file_.network();
    if (graph.outputs().empty())
      return emitError(state_.location, "the network has no outputs");
    builder_.setInsertionPointToEnd(module_.getBody());
    auto function = func::FuncOp::create(builder_, state_.location, "main", builder_.getFunctionType({}, {}));
    FailureOr<SmallVector<Value>> results = readGraph(graph, function.getBody());
    if (failed(results))
      return failure();
    builder_.setInsertionPointToEnd(&function.getBody().front());
    func::ReturnOp::create(builder_, state_.location, *results);
    function.setType(builder_.getFunctionType(function.getBody().getArgumentTypes(), TypeRange(ValueRange(*results))));
    for (auto [position, name] : llvm::enumerate(graph.inputs()))
      function.setArgAttr(position, nn::kNameAttr, builder_.getStringAttr(name));
    for (auto [position, name] : llvm::enumerate(graph.outputs()))
      function.setResultAttr(position, nn::kNameAttr, builder_.getStringAttr(name));
    return success();
  }

private:
  /// The block that is being read, and the values of its tensors and shapes.
  struct Scope {
    const TosaGraph &graph;
    llvm::StringMap<Value> values = {};
  };

  Type typeOf(const TosaRecord &record) {
    if (record.shape)
      return tosa::shapeType::get(builder_.getContext(), static_cast<int>(record.shape->rank()));
    return RankedTensorType::get(extentsOf(*record.tensor), elementOf(builder_.getContext(), record.tensor->type()));
  }

  Location locationOf(StringRef name) { return NameLoc::get(builder_.getStringAttr(name), state_.location); }

  /// The types of names that get a value, for which their place in the scope is made. `use` is "the block takes".
  FailureOr<SmallVector<Type>> define(Scope &scope, const Twine &use, ArrayRef<StringRef> names) {
    SmallVector<Type> types;
    for (StringRef name : names) {
      const auto record = scope.graph.records.find(name);
      const bool isListed = record != scope.graph.records.end();
      if (!isListed || !scope.values.try_emplace(name).second)
        return scope.graph.error(state_.location)
               << use << " '" << name << "', which " << (isListed ? "has a value already" : kUnlisted);
      types.push_back(typeOf(record->second));
    }
    return types;
  }

  FailureOr<SmallVector<Value>> valuesOf(const Scope &scope, const Twine &use, ArrayRef<StringRef> names) {
    SmallVector<Value> values;
    for (StringRef name : names)
      if (values.push_back(scope.values.lookup(name)); !values.back())
        return scope.graph.error(state_.location)
               << use << " '" << name << "', which "
               << (scope.graph.records.contains(name) ? "nothing before it computes" : kUnlisted);
    return values;
  }

  /// Reads the operators into a new block of the region, and returns the results of the graph.
  FailureOr<SmallVector<Value>> readGraph(const TosaGraph &graph, Region &region) {
    OpBuilder::InsertionGuard guard(builder_);
    Block &block = region.emplaceBlock();
    builder_.setInsertionPointToEnd(&block);
    Scope scope{graph};
    const SmallVector<StringRef> inputs = graph.inputs();
    FailureOr<SmallVector<Type>> types = define(scope, "the block takes", inputs);
    if (failed(types))
      return failure();
    for (auto [name, type] : llvm::zip_equal(inputs, *types))
      scope.values[name] = block.addArgument(type, locationOf(name));
    active_.push_back(&graph);
    for (auto [index, operation] : llvm::enumerate(listOf(graph.block->operators())))
      if (failed(readOperator(scope, static_cast<uint32_t>(index), *operation)))
        return failure();
    active_.pop_back();
    return valuesOf(scope, "the block returns", graph.outputs());
  }

  LogicalResult readOperator(Scope &scope, uint32_t index, const tosa_file::TosaOperator &operation) {
    const StringRef kind = kindOf(operation);
    const std::string what = ("operator " + Twine(index) + " " + kind).str();
    SmallVector<StringRef> inputs = namesIn(operation.inputs()), outputs = namesIn(operation.outputs());
    if (failed(checkOperator(scope.graph, what, operation)))
      return failure();
    if (++operators_ > kMaxOperators)
      return emitError(state_.location) << what << " is one of more than " << kMaxOperators
                                        << " operators, counting each use of a graph";
    FailureOr<StringRef> variable = takeVariable(scope.graph, what, operation, inputs, outputs);
    if (failed(variable) || operation.op() == tosa_file::Op::VARIABLE)
      return failed(variable) ? failure() : success();
    FailureOr<SmallVector<Value>> operands = valuesOf(scope, what + " reads", inputs);
    FailureOr<SmallVector<Type>> types = define(scope, what + " computes", outputs);
    if (failed(operands) || failed(types))
      return failure();
    const StringRef own = outputs.empty() ? kind : outputs.front();
    const Location location =
        isConstant(operation) ? locationOf(own) : operatorLocation(own, kind, index, state_.location);
    OperationState made(location, "tosa." + kind.lower(), *operands, *types);
    if (!variable->empty())
      made.addAttribute("name", builder_.getStringAttr(*variable));
    if (failed(readOwn(scope.graph, what, operation, made)))
      return failure();
    Operation *created = builder_.create(made);
    // What the format leaves to each operator: operands, attributes, shapes. The regions are verified already.
    if (failed(verify(created, /*verifyRecursively=*/false)))
      return failure();
    for (auto [name, result] : llvm::zip_equal(outputs, created->getResults()))
      scope.values[name] = result;
    return success();
  }

  LogicalResult checkOperator(const TosaGraph &graph, StringRef what, const tosa_file::TosaOperator &operation) {
    const auto number = static_cast<uint32_t>(operation.op()),
               member = static_cast<uint32_t>(operation.attribute_type());
    if (operation.op() <= tosa_file::Op::MIN || operation.op() > tosa_file::Op::MAX)
      return graph.error(state_.location) << what << "has the number " << number << ", which is none of the format's";
    if (member != 0 && (member != number || !operation.attribute()))
      return graph.error(state_.location) << what << " has the attributes of another operator, number " << member;
    return success();
  }

  FailureOr<ElementsAttr> constantOf(const TosaGraph &graph, StringRef what, const tosa_file::TosaOperator &operation) {
    const bool isShape = operation.op() == tosa_file::Op::CONST_SHAPE;
    const SmallVector<StringRef> outputs = namesIn(operation.outputs());
    const auto [tensor, shape] = outputs.size() == 1 ? graph.records.lookup(outputs.front()) : TosaRecord();
    // A shape of rank 0 has no bytes.
    const bool hasData = isShape ? shape && (shape->rank() == 0 || !bytesOf(shape->data()).empty())
                                 : tensor && !bytesOf(tensor->data()).empty();
    if (!hasData || !namesIn(operation.inputs()).empty())
      return graph.error(state_.location)
             << what << " must have no inputs and one output, a " << (isShape ? "shape" : "tensor") << " with data";
    return isShape ? elementsOf(*shape) : elementsOf(*tensor);
  }

  /// The name of the variable of an operator on variables, which is no operand and no result of the dialect's: writers
  /// list its tensor among the inputs or the outputs. Empty for other operators.
  FailureOr<StringRef> takeVariable(const TosaGraph &graph, StringRef what, const tosa_file::TosaOperator &operation,
                                    SmallVector<StringRef> &inputs, SmallVector<StringRef> &outputs) {
    SmallVector<const tosa_file::TosaTensor *> variables;
    for (SmallVector<StringRef> *names : {&inputs, &outputs})
      llvm::erase_if(*names, [&](StringRef name) {
        const tosa_file::TosaTensor *tensor = graph.records.lookup(name).tensor;
        if (tensor && tensor->variable())
          variables.push_back(tensor);
        return tensor && tensor->variable();
      });
    const size_t expected = kindOf(operation).starts_with("VARIABLE") ? 1 : 0;
    if (variables.size() != expected)
      return graph.error(state_.location)
             << what << " names " << variables.size() << " variables, must name " << expected;
    return expected == 0 ? StringRef() : declared(*variables.front());
  }

  /// Makes the variable one of the module, unless it is, and returns its name there.
  StringRef declared(const tosa_file::TosaTensor &tensor) {
    const StringRef own = textOf(tensor.variable_name()), name = own.empty() ? textOf(tensor.name()) : own;
    if (!variables_.insert(name).second)
      return name;
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(module_.getBody());
    const bool hasData = !bytesOf(tensor.data()).empty();
    tosa::VariableOp::create(builder_, locationOf(name), name, typeOf({&tensor}),
                             hasData ? elementsOf(tensor) : ElementsAttr());
    return name;
  }

  /// Reads what the operator itself says: attributes, elements of a constant, graphs.
  LogicalResult readOwn(const TosaGraph &graph, StringRef what, const tosa_file::TosaOperator &operation,
                        OperationState &made) {
    if (isConstant(operation)) {
      FailureOr<ElementsAttr> elements = constantOf(graph, what, operation);
      if (failed(elements))
        return failure();
      made.addAttribute("values", *elements);
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
    Region &region = *made.addRegion();
    FailureOr<SmallVector<Value>> results = readGraph(*graph, region);
    if (failed(results))
      return failure();
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(&region.front());
    tosa::YieldOp::create(builder_, made.location, *results);
    return success();
  }

  ElementsAttr elementsOf(const tosa_file::TosaShape &shape) {
    const auto type = RankedTensorType::get({shape.rank()}, builder_.getIndexType());
    return DenseIntElementsAttr::get(type, integersOf(bytesOf(shape.data()), sizeof(int64_t)));
  }

  ElementsAttr elementsOf(const tosa_file::TosaTensor &tensor) {
    const auto type = cast<RankedTensorType>(typeOf({&tensor}));
    const ArrayRef<char> data = bytesOf(tensor.data());
    switch (tensor.type()) {
    case tosa_file::DType::BOOL:
      return DenseElementsAttr::get(type, llvm::map_to_vector(data, [](char byte) { return byte != 0; }));
    case tosa_file::DType::INT4:
      return elementsOfHalves(type, data);
    case tosa_file::DType::INT48: // the nn dialect has no such numbers, so they are converted
      return DenseElementsAttr::getFromRawBuffer(type, data);
    default:
      return data.size() <= kMostCopiedBytes ? ElementsAttr(DenseElementsAttr::getFromRawBuffer(type, data))
                                             : elementsInFile(state_, type, data, textOf(tensor.name()));
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
  ModuleOp module_;
  llvm::StringSet<> variables_;           ///< that the module has
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
  if (failed(TosaReader(state, *model, *module).readNetwork()) || failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> importTosa(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file) {
  OwningOpRef<ModuleOp> module = readTosa(context, std::move(file));
  return module && succeeded(convertTosaToNn(*module)) ? std::move(module) : nullptr;
}

} // namespace avocet::compiler
