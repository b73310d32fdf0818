//===- OnnxGraph.h - Graphs and nodes of an ONNX file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OnnxGraph walks one graph of the file. OnnxOperation is what the converter of a node sees of it. A converter has a
// row in the table of its family; tables of Onnx*.cpp are joined in OnnxImport.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXGRAPH_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXGRAPH_H

#include "Import/Common/GraphOperation.h"
#include "Import/OnnxFile/OnnxFile.h"
#include "OnnxImport.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>
#include <string>

namespace avocet::compiler {

class OnnxOperation;

/// State of one import, of all its graphs.
struct OnnxImport : GraphImport {
  const OnnxFile &file;
  const OnnxOptions &options;
  uint32_t nodes = 0;                ///< imported so far, in all graphs
  bool narrowsFloats = false;        ///< a tensor of float64 became one of f32
  std::set<std::string> needed = {}; ///< inputs of the network whose values were asked for
};

/// What a name of the file stands for.
struct OnnxValue {
  mlir::Value value = {};                           ///< null: see the other members
  const onnx_file::TensorProto *constant = nullptr; ///< of which no value exists yet
};

class OnnxGraph {
public:
  /// `outer` is the graph around this one; null: none.
  OnnxGraph(OnnxImport &import, const onnx_file::GraphProto &graph, OnnxGraph *outer = nullptr);

  /// Fills the module with the function of the graph. On failure all diagnostics have been emitted.
  mlir::LogicalResult importGraph(mlir::ModuleOp module);
  /// Imports the graph's nodes at the insertion point, for a node that passes `inputs` to it, and returns the outputs.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importInto(OnnxOperation &user, mlir::ValueRange inputs);

private:
  friend class OnnxOperation;
  mlir::LogicalResult createFunction(mlir::ModuleOp module);
  mlir::LogicalResult importNodes();
  mlir::LogicalResult importNode(const onnx_file::NodeProto &node);
  /// The outputs' values; `user` is null for the network.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> outputs();
  /// What the name stands for here or in a graph around this one; null: nothing.
  OnnxValue *find(llvm::StringRef name);
  /// The value, of which a constant is created on first use; null after a report if the dialect has no such tensor.
  mlir::Value valueOf(OnnxValue &known, llvm::StringRef name, mlir::Location location);

  /// What the node reads of results of refused ones whose types are not known.
  mlir::SmallVector<mlir::Value> refusedInputs(const onnx_file::NodeProto &node);
  /// Binds the results of a refused node: those of a stand-in, or placeholders that every operation refuses.
  void bindRefused(const onnx_file::NodeProto &node, uint32_t index);
  /// Notes the arguments of the function that the value depends on.
  void noteNeeded(mlir::Value value);

  OnnxImport &state_;
  const onnx_file::GraphProto &graph_;
  OnnxGraph *outer_;
  llvm::StringMap<OnnxValue> values_;
};

struct OnnxConverter;

class OnnxOperation final : public GraphOperation {
public:
  OnnxOperation(OnnxGraph &graph, const onnx_file::NodeProto &node, uint32_t index);

  llvm::StringRef domain() const;
  bool isOfApplication() const override;
  llvm::StringRef kind() const { return node_.op_type(); }
  /// The opset of the node's domain.
  int64_t version() const { return node_.version(); }

  uint32_t numInputs() const override { return node_.input_size(); }
  uint32_t numOutputs() const override { return node_.output_size(); }
  bool hasInput(uint32_t position) const override;
  /// Whether a result has a name: nothing reads others.
  bool hasOutput(uint32_t position) const;

  /// An operand. An attribute that a later opset made an operand (kMoved in OnnxOperation.cpp) is one in all opsets.
  mlir::Value value(uint32_t position, llvm::StringRef operand) override;
  mlir::Value parameter(uint32_t position, llvm::StringRef operand) override;
  /// The same of operands that may be omitted: null without one. If one cannot be read, that is reported, and the node
  /// is then not converted.
  mlir::Value optional(uint32_t position, llvm::StringRef operand);
  mlir::Value optionalParameter(uint32_t position, llvm::StringRef operand);
  /// An operand as a constant; others are refused.
  nn::ConstantOp constant(uint32_t position, llvm::StringRef operand);
  /// The elements of a constant as floats; others are refused.
  mlir::FailureOr<mlir::SmallVector<float>> floats(uint32_t position, llvm::StringRef operand);
  /// The number of a constant of one element; `otherwise` if it may be omitted.
  mlir::FailureOr<float> scalar(uint32_t position, llvm::StringRef operand, std::optional<float> otherwise = {});
  /// The same of any type of number.
  mlir::FailureOr<double> numberAt(uint32_t position, llvm::StringRef operand);
  mlir::FailureOr<mlir::SmallVector<int64_t>> integers(uint32_t position, llvm::StringRef operand) override;
  using ImportedOperation::integer;
  using ImportedOperation::integers;
  bool dependsOnData(uint32_t position) override;
  /// Notes that the import fails because the value is not known: the inputs of the network on which it depends decide.
  void askFor(mlir::Value value) { graph_.noteNeeded(value); }
  /// The type of an operand without elements; else null.
  mlir::RankedTensorType emptyInput(uint32_t position);
  /// Converters of the node's family create operations of the dialect on operands without elements too.
  void admitEmpty() { admitsEmpty_ = true; }

  bool hasAttribute(llvm::StringRef name) const { return attribute(name) != nullptr; }
  // An attribute, or what counts without it. One of another type is reported, and the node is then not converted. All
  // attributes of a node must be read, so that none is ignored that this compiler does not know.
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  bool flag(llvm::StringRef name, bool otherwise = false) { return integer(name, otherwise ? 1 : 0) != 0; }
  float number(llvm::StringRef name, float otherwise);
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise = "");
  mlir::SmallVector<int64_t> list(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  mlir::SmallVector<float> numbers(llvm::StringRef name, llvm::ArrayRef<float> otherwise = {});
  mlir::SmallVector<llvm::StringRef> texts(llvm::StringRef name);
  const onnx_file::TensorProto *tensor(llvm::StringRef name);
  const onnx_file::GraphProto *graph(llvm::StringRef name);
  /// Attributes that say nothing about the results.
  void ignore(std::initializer_list<llvm::StringRef> names);
  /// An axis attribute, normalized to [0, rank).
  mlir::FailureOr<int64_t> axisOf(int64_t otherwise, int64_t rank, llvm::StringRef name = "axis");
  /// The same, of a value; fails without a report if that is null.
  mlir::FailureOr<int64_t> axisOf(int64_t otherwise, mlir::Value of, llvm::StringRef name = "axis");

  /// The element type of a number of AttributeProto or TensorProto (DataType); null after a refusal.
  mlir::Type elementOfType(int64_t type, llvm::StringRef operand);
  /// The elements of a tensor of an attribute, which has the type; null after a report.
  mlir::ElementsAttr elements(const onnx_file::TensorProto &tensor, mlir::RankedTensorType type);
  /// Imports a graph that takes `inputs`, at the insertion point, and returns its outputs.
  mlir::FailureOr<mlir::SmallVector<mlir::Value>> importSubgraph(const onnx_file::GraphProto &graph,
                                                                 mlir::ValueRange inputs);

  bool declaresResults() const override { return false; }
  mlir::RankedTensorType resultType(uint32_t position, llvm::ArrayRef<int64_t> shape) override;
  /// The file declares no types: results have the element type of the first operand, unless their operation says so.
  mlir::Type resultElement(uint32_t position) override;
  mlir::LogicalResult finish(mlir::Value value, uint32_t position = 0) override;
  /// Binds a constant of the file as a result; no value exists before something reads it.
  mlir::LogicalResult finishConstant(const onnx_file::TensorProto &constant);
  /// Binds a tensor without elements as a result.
  mlir::LogicalResult finishEmpty(mlir::RankedTensorType type, uint32_t position = 0) override;
  /// Binds what operand `position` stands for as result `result`.
  mlir::LogicalResult forward(uint32_t position, uint32_t result = 0);

  mlir::LogicalResult checkArity(const OnnxConverter &converter);
  /// Refuses the node, and notes it, if it has an attribute that no converter read. Fails if one has another type.
  mlir::LogicalResult checkAttributes(bool &isRefused);

private:
  const onnx_file::AttributeProto *attribute(llvm::StringRef name) const;
  /// The attribute if it has the type; marks it as read.
  const onnx_file::AttributeProto *read(llvm::StringRef name, onnx_file::AttributeProto::AttributeType type);
  /// The attribute that is the operand in the node's opset; null: it is an operand there too.
  const onnx_file::AttributeProto *movedAttribute(uint32_t position) const;
  OnnxValue *input(uint32_t position);
  mlir::LogicalResult bind(uint32_t position, OnnxValue value);

  OnnxGraph &graph_;
  const onnx_file::NodeProto &node_;
  llvm::StringSet<> read_;
  bool isMalformed_ = false; ///< an attribute or an optional operand could not be read
  bool admitsEmpty_ = false;
};

/// How nodes of one operator become operations of the dialect. Of several rows of an operator the one with the greatest
/// `since` that is not above the node's opset counts.
struct OnnxConverter {
  llvm::StringRef kind;
  int64_t since;
  uint32_t minInputs, maxInputs;
  mlir::LogicalResult (*convert)(OnnxOperation &op);
  uint32_t minOutputs = 1, maxOutputs = 1;
  llvm::StringRef domain = "";
};

inline constexpr uint32_t kAnyNumber = 1 << 16;
inline constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

/// Whether applications define the operators of a domain: others than those of ONNX and of ONNX Runtime.
inline bool isDomainOfApplications(llvm::StringRef domain) {
  return !domain.empty() && domain != kMicrosoft && !domain.starts_with("ai.onnx");
}

/// The row of the node; null: this compiler has none.
const OnnxConverter *findOnnxConverter(OnnxOperation &op);

llvm::ArrayRef<OnnxConverter> onnxAttentionConverters();
llvm::ArrayRef<OnnxConverter> onnxControlFlowConverters();
llvm::ArrayRef<OnnxConverter> onnxElementwiseConverters();
llvm::ArrayRef<OnnxConverter> onnxLookupConverters();
llvm::ArrayRef<OnnxConverter> onnxMatrixConverters();
llvm::ArrayRef<OnnxConverter> onnxMoveConverters();
llvm::ArrayRef<OnnxConverter> onnxNormalizeConverters();
llvm::ArrayRef<OnnxConverter> onnxQLinearConverters();
llvm::ArrayRef<OnnxConverter> onnxQuantizeConverters();
llvm::ArrayRef<OnnxConverter> onnxRecurrentConverters();
llvm::ArrayRef<OnnxConverter> onnxReductionConverters();
llvm::ArrayRef<OnnxConverter> onnxSampleConverters();
llvm::ArrayRef<OnnxConverter> onnxShapeConverters();
llvm::ArrayRef<OnnxConverter> onnxSignalConverters();
llvm::ArrayRef<OnnxConverter> onnxWindowConverters();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXGRAPH_H
