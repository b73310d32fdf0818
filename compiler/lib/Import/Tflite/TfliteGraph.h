//===- TfliteGraph.h - Interface of converters to the import ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of one import, and the view of one operator for its converter. A converter reads operands and options, reports
// what it cannot express with refuse(), and creates operations of the nn dialect.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEGRAPH_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEGRAPH_H

#include "Import/Common/GraphOperation.h"
#include "TfliteFile.h"
#include "TfliteVariables.h"

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <vector>

namespace avocet::compiler {

class TfliteOperator;

struct TfliteImport : GraphImport {
  uint32_t operators = 0;                     ///< imported so far, in all subgraphs
  llvm::SmallVector<uint32_t> subgraphs = {}; ///< that are being imported, outermost first
  bool keepsRefused = false; ///< refused operators of the main subgraph get stand-ins with their operands
  bool isResized = false;    ///< inputs have other shapes than in the file: no recorded shape of a result counts
  TfliteVariables variables = {};
};

/// A tensor of COMPLEX64 is two values of f32.
enum class ComplexPart { Real, Imaginary };

class TfliteGraph {
public:
  /// `index` is the number of the subgraph in the file.
  TfliteGraph(TfliteImport &import, const TfliteFile &file, uint32_t index);
  ~TfliteGraph();

  /// Replaces the shapes of inputs, by the names of the signature or of the tensors.
  mlir::LogicalResult setInputShapes(std::span<const InputShape> shapes, const tflite::SignatureDef *signature);
  /// Fills the module with the function of the graph. On failure all diagnostics have been emitted.
  mlir::LogicalResult importGraph(mlir::ModuleOp module, const tflite::SignatureDef *signature);
  /// Imports the graph's operators at the insertion point, for an operator that passes `inputs` to it, and returns the
  /// outputs.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importInto(TfliteOperator &user, mlir::ValueRange inputs);

private:
  friend class TfliteOperator;
  mlir::FailureOr<mlir::func::FuncOp> createFunction();
  mlir::LogicalResult importInputs(mlir::func::FuncOp function);
  mlir::LogicalResult bindInputs(TfliteOperator &user, mlir::ValueRange inputs);
  mlir::LogicalResult importOperators();
  mlir::LogicalResult importOperator(uint32_t index);
  /// Whether no result of the operator has elements or is one of the graph, so that nothing needs to compute them.
  bool hasEmptyResults(const TfliteOperator &op, uint32_t index) const;
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> outputs();
  mlir::Location tensorLocation(int32_t tensor) const;
  bool isComplex(int32_t tensor) const { return file_.tensor(tensor).type() == tflite::TensorType::COMPLEX64; }
  /// The value of a tensor, of which `part` counts if it is complex.
  mlir::Value &valueOf(int32_t tensor, ComplexPart part) {
    return isComplex(tensor) && part == ComplexPart::Imaginary ? imaginary_[tensor] : values_[tensor];
  }
  /// Creates the constant on first use; null if its bytes do not fit its type.
  mlir::Value constant(int32_t tensor, mlir::RankedTensorType type);
  mlir::ElementsAttr constantData(int32_t tensor, mlir::RankedTensorType type);
  /// The same of a constant that stores only some elements; the others are zero.
  mlir::ElementsAttr sparseData(int32_t tensor, mlir::RankedTensorType type);
  /// The stand-in of a refused operator, with its operands.
  std::pair<mlir::SmallVector<mlir::Value>, bool> keptOperands(uint32_t index);
  void keepRefused(uint32_t index);
  /// Replaces results of refused operators, so that later operators can be checked.
  mlir::Value placeholder(int32_t tensor, mlir::RankedTensorType type);
  void addPlaceholders(int32_t tensor);
  /// The parts of a complex tensor as one value, whose last axis has the real and the imaginary part of an element. Its
  /// bytes are those of the tensor.
  mlir::Value joinedParts(int32_t tensor);
  /// Binds the parts of such a value.
  void bindParts(int32_t tensor, mlir::Value joined);

  TfliteImport &state_;
  TfliteFile file_;
  std::vector<mlir::Value> values_; ///< by tensor, real parts of complex ones; null where nothing is defined yet
  llvm::DenseMap<int32_t, mlir::Value> imaginary_;    ///< parts of complex tensors
  llvm::DenseMap<int32_t, TfliteVariable *> handles_; ///< by tensor
};

struct TfliteConverter;
struct TfliteShapeRule;

/// One operator of the graph.
class TfliteOperator : public GraphOperation {
public:
  TfliteOperator(TfliteGraph &graph, uint32_t index);

  tflite::BuiltinOperator code() const { return graph_.file_.code(index_); }
  uint32_t numInputs() const override;
  uint32_t numOutputs() const override;
  bool hasInput(uint32_t position) const override;

  /// The options table, or null if the operator has none of this type and the defaults apply.
  template <typename Options> const Options *options() const {
    return graph_.file_.operation(index_).template options_as<Options>();
  }

  /// The same for options that newer files keep in a second union.
  template <typename Options> const Options *moreOptions() const {
    return graph_.file_.operation(index_).template more_options_as<Options>();
  }

  mlir::Value value(uint32_t position, llvm::StringRef operand) override;
  /// From here on operands and results of COMPLEX64 are this part of them. Before the first call they are refused.
  void select(ComplexPart part) { part_ = part; }
  bool isComplexInput(uint32_t position) const;
  bool isComplexOutput(uint32_t position) const;
  /// Calls the converter once for each part of the operator's complex operands, once if all are real.
  mlir::LogicalResult convertParts(llvm::function_ref<mlir::LogicalResult(TfliteOperator &)> convert);
  /// Whether the operand has no elements; it then has no value.
  bool isEmpty(uint32_t position) const;
  /// A constant.
  mlir::Value weights(uint32_t position, llvm::StringRef operand);
  mlir::Value parameter(uint32_t position, llvm::StringRef operand) override;
  /// The shape of an operand, of which no constant is created.
  mlir::FailureOr<mlir::SmallVector<int64_t>> inputShape(uint32_t position);
  /// The type of a result, whose shape follows from a rule of TfliteShapes.cpp or is the recorded one.
  mlir::RankedTensorType resultType(uint32_t position = 0);
  mlir::Type resultElement(uint32_t position) override;
  /// Replaces the recorded shape. Null without a report if the only result has no elements.
  mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) override;
  /// The last extent that the file records for a result, if it is the same in all calls. Converters record 1 where they
  /// do not know it, so that this is no extent; 0: none.
  int64_t recordedExtent(uint32_t position) const;
  /// Whether the shape of the only result turned out to have no elements, so that nothing needs to compute it.
  bool computesNothing() const { return computesNothing_; }
  /// The elements of an INT32 or INT64 operand that follow from constants.
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) override;
  using ImportedOperation::integers;
  bool dependsOnData(uint32_t position) override {
    return hasInput(position) && !isEmpty(position) && constantBytes(position).empty() && !computedIntegers(position);
  }
  /// A constant of one element, of any numeric type; of quantized types the stored value.
  mlir::FailureOr<double> number(uint32_t position, llvm::StringRef operand);
  /// The value of an operand with `is_variable`, which is a state of the function; null after a refusal.
  mlir::Value state(uint32_t position, llvm::StringRef operand);
  bool isVariable(uint32_t position) const;
  /// Replaces the value that state() returned for this operand.
  void setState(uint32_t position, mlir::Value next);
  /// The name of a custom operator, else empty; its options.
  llvm::StringRef customName() const;
  bool isOfApplication() const override { return !customName().empty(); }
  llvm::ArrayRef<uint8_t> customOptions() const;
  /// The scale of an INT32 operand or result, whose type in the dialect has none. Refuses others, and zero points.
  mlir::FailureOr<float> integerScale(int32_t tensor, llvm::StringRef operand);
  int32_t inputTensor(uint32_t position) const;
  int32_t outputTensor(uint32_t position) const;
  /// The type of an intermediate, which is not a value of the graph.
  mlir::RankedTensorType intermediateElement(uint32_t position, llvm::StringRef operand);
  mlir::FailureOr<nn::Activation> fusedActivation(tflite::ActivationFunction function);

  /// Whether the operand is a constant of the file; its bytes then.
  llvm::ArrayRef<char> constantBytes(uint32_t position) const;
  /// Imports subgraph `index` of the file, which takes `inputs`, at the insertion point, and returns its outputs.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importSubgraph(int32_t index, mlir::ValueRange inputs);

  /// Erases the operations that a converter created for nothing.
  mlir::LogicalResult eraseCreated();

  TfliteVariables &variables() { return graph_.state_.variables; }
  mlir::func::FuncOp function() const { return graph_.state_.function(); }
  /// The variable whose handle is the operand.
  TfliteVariable *variable(uint32_t position, llvm::StringRef operand);
  /// Binds the result as the handle of a variable.
  mlir::LogicalResult finishHandle(TfliteVariable &variable);

  /// Fails unless the operator has as many operands and results as its converter expects. Infers the shape of the
  /// result where the converter does not.
  mlir::LogicalResult checkArity(const TfliteConverter &converter);

  /// Refuses the operator if an operation that it created breaks a rule of the dialect, such as one on element types.
  mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) override;

private:
  void noteRecordedShape(int32_t tensor, llvm::ArrayRef<int64_t> shape);
  mlir::LogicalResult inferShape();
  mlir::FailureOr<mlir::SmallVector<int64_t>> shapeByRule(const TfliteShapeRule &rule);
  const Integers *computedIntegers(uint32_t position);
  /// The little-endian bytes of a constant operand.
  mlir::FailureOr<mlir::ArrayRef<char>> bytes(uint32_t position, llvm::StringRef operand);
  mlir::RankedTensorType convertedType(int32_t tensor, llvm::StringRef operand);
  /// The variable of a tensor with `is_variable`. A subgraph has one, however often it is used.
  TfliteVariable &variableOf(int32_t tensor);

  TfliteGraph &graph_;
  uint32_t index_;
  bool computesNothing_ = false;
  std::optional<ComplexPart> part_;
};

/// A row of a converter table: operator, number of operands, function, and number of results.
struct TfliteConverter {
  tflite::BuiltinOperator code;
  uint32_t minInputs;
  uint32_t maxInputs;
  mlir::LogicalResult (*convert)(TfliteOperator &op);
  uint32_t minOutputs = 1;
  uint32_t maxOutputs = 1;
  llvm::StringRef customName = ""; ///< of a custom operator
};

namespace detail {

template <typename Options>
mlir::LogicalResult convertWith(TfliteOperator &op, mlir::LogicalResult (*convert)(TfliteOperator &, const Options &)) {
  const Options *options = op.options<Options>();
  return options ? convert(op, *options) : mlir::LogicalResult(op.malformed("lacks its options"));
}

template <typename Options>
mlir::LogicalResult convertWith(TfliteOperator &op, mlir::LogicalResult (*convert)(TfliteOperator &, const Options *)) {
  return convert(op, op.options<Options>());
}

/// Options without the field have the activation NONE.
template <typename Options>
mlir::LogicalResult convertWith(TfliteOperator &op,
                                mlir::LogicalResult (*convert)(TfliteOperator &, const Options *, nn::Activation)) {
  const Options *options = op.options<Options>();
  auto activation = op.fusedActivation(options ? options->activation() : tflite::ActivationFunction::NONE);
  return mlir::failed(activation) ? mlir::failure() : convert(op, options, *activation);
}

template <typename Options>
mlir::LogicalResult convertWith(TfliteOperator &op,
                                mlir::LogicalResult (*convert)(TfliteOperator &, const Options &, nn::Activation)) {
  const Options *options = op.options<Options>();
  if (!options)
    return op.malformed("lacks its options");
  mlir::FailureOr<nn::Activation> activation = op.fusedActivation(options->activation());
  return mlir::failed(activation) ? mlir::failure() : convert(op, *options, *activation);
}

} // namespace detail

/// A converter that also takes the options of the operator, as a reference if the operator must have them, and perhaps
/// their activation.
template <auto convert> mlir::LogicalResult withOptions(TfliteOperator &op) { return detail::convertWith(op, convert); }

/// A converter of an operator that moves elements, and so both parts of complex ones.
template <auto convert> mlir::LogicalResult onParts(TfliteOperator &op) { return op.convertParts(convert); }

/// A converter of an operator that needs no more than the shape of complex operands.
template <auto convert> mlir::LogicalResult onShape(TfliteOperator &op) {
  op.select(ComplexPart::Real);
  return convert(op);
}

/// The most operands or results of operators that have any number of them.
inline constexpr uint32_t kAnyNumber = 1024;

/// The converter of the operator, or null if it is not supported.
const TfliteConverter *findTfliteConverter(const TfliteOperator &op);

/// The shape of an operator's result, from operands and options.
struct TfliteShapeRule {
  tflite::BuiltinOperator code;
  mlir::FailureOr<llvm::SmallVector<int64_t>> (*infer)(TfliteOperator &op);
};

/// Null for operators whose converters compute the shape themselves.
const TfliteShapeRule *findTfliteShapeRule(tflite::BuiltinOperator code);

mlir::LogicalResult convertStridedSlice(TfliteOperator &op, const tflite::StridedSliceOptions &options);

/// The tables of the individual files.
llvm::ArrayRef<TfliteConverter> tfliteComplexConverters();
llvm::ArrayRef<TfliteConverter> tfliteControlFlowConverters();
llvm::ArrayRef<TfliteConverter> tfliteConcatenationConverters();
llvm::ArrayRef<TfliteConverter> tfliteConvConverters();
llvm::ArrayRef<TfliteConverter> tfliteDetectionConverters();
llvm::ArrayRef<TfliteConverter> tfliteElementwiseConverters();
llvm::ArrayRef<TfliteConverter> tfliteQuantizationConverters();
llvm::ArrayRef<TfliteConverter> tfliteSequenceConverters();
llvm::ArrayRef<TfliteConverter> tfliteLookupConverters();
llvm::ArrayRef<TfliteConverter> tfliteMoveConverters();
llvm::ArrayRef<TfliteConverter> tfliteNormalizeConverters();
llvm::ArrayRef<TfliteConverter> tfliteRecurrentConverters();
llvm::ArrayRef<TfliteConverter> tfliteShapeConverters();
llvm::ArrayRef<TfliteConverter> tfliteVolumeConverters();
llvm::ArrayRef<TfliteConverter> tfliteVariableConverters();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEGRAPH_H
