//===- Model.h - A small .tflite model with its inputs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model under construction: tensors, operators, and the bytes of graph inputs. The file follows the schema of the
// importer (compiler/tflite/Tflite.fbs).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_MODEL_H
#define AVOCET_TESTS_DIFFERENTIAL_MODEL_H

#include "Tflite_generated.h"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace avocet::differential {

using Bytes = std::vector<uint8_t>;
using Shape = std::vector<int32_t>;
using tflite::BuiltinOperator;
using tflite::TensorType;

/// Element type of a tensor with its quantization; no scales: plain numbers.
struct Element {
  TensorType type = TensorType::FLOAT32;
  std::vector<float> scales = {};
  std::vector<int64_t> zeroPoints = {};
  int32_t axis = 0; ///< of several scales

  float scale() const { return scales.empty() ? 1.0f : scales[0]; }
  int64_t zeroPoint() const { return zeroPoints.empty() ? 0 : zeroPoints[0]; }
};

/// Bytes of one element.
size_t elementBytes(TensorType type);
template <typename T> std::vector<T> numbersOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}
inline int64_t numElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// What a test compares: a file, the bytes of its graph inputs in order (for several runs one after the other), and
/// types and sizes of its graph outputs, those of each run.
struct TestModel {
  Bytes file;
  std::vector<Bytes> inputs;
  std::vector<TensorType> outputs;
  std::vector<size_t> outputBytes;
  std::vector<Bytes> expected;    ///< by the reference's formula, if the generator computes it; otherwise empty
  std::vector<Shape> shapes = {}; ///< of the inputs, if they are not those of the file
};

/// With types and sizes of the outputs from the file.
TestModel testModel(Bytes file, std::vector<Bytes> inputs);

class Model {
public:
  Model();

  /// Each returns the number of the new tensor.
  int32_t addTensor(const Shape &shape, const Element &element);
  int32_t addInput(const Shape &shape, const Element &element, Bytes values);
  /// The inputs of one more run, in the order of addInput().
  void addRun(std::vector<Bytes> values);
  int32_t addConstant(const Shape &shape, const Element &element, const Bytes &values);
  /// A constant that stores only the elements that `sparsity` describes.
  int32_t addSparse(const Shape &shape, const Element &element, tflite::SparsityT sparsity, const Bytes &stored);
  /// Scales of blocks, in a constant of the graph.
  struct BlockScales {
    int32_t scales, block;
  };
  /// A constant whose elements have a scale for each block of a row.
  int32_t addBlocks(const Shape &shape, const Element &element, const Bytes &values, const BlockScales &blocks);
  int32_t addOutput(const Shape &shape, const Element &element);
  int32_t addVariable(const Shape &shape, const Element &element);

  /// `outputs` are tensors of addTensor() or addOutput(). The caller sets the options.
  tflite::OperatorT &addOperator(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs);
  /// What is added from now on belongs to a new subgraph, or again to the main one. Returns the number of the subgraph.
  uint32_t openSubgraph();
  void closeSubgraph() { current_ = 0; }
  /// An input of a subgraph that is not the main one.
  int32_t addParameter(const Shape &shape, const Element &element);
  /// Makes an input of a subgraph its output as well.
  void addResult(int32_t tensor) { graph().outputs.push_back(tensor); }

  /// Of the operators so far; 1 unless it is set.
  void setVersion(int32_t version);

  /// The outputs by the reference's formula.
  void expect(std::vector<Bytes> outputs) { expected_ = std::move(outputs); }

  const Shape &shape(int32_t tensor) const { return graph().tensors[static_cast<size_t>(tensor)]->shape; }
  Element element(int32_t tensor) const;
  /// Of a constant or of an input of the main graph.
  const Bytes &bytes(int32_t tensor) const;
  TestModel finish() const;

private:
  tflite::SubGraphT &graph() { return *model_.subgraphs[current_]; }
  const tflite::SubGraphT &graph() const { return *model_.subgraphs[current_]; }

  tflite::ModelT model_;
  size_t current_ = 0; ///< subgraph
  size_t runs_ = 1;
  std::vector<Bytes> inputs_, expected_;
};

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_MODEL_H
