//===- NnapiWindowTest.cpp - NNAPI operations with windows ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of one operation with a window, in all the forms of their scalars, and with invalid figures. Invalid figures
// must give a diagnostic and never a crash.
//
//===----------------------------------------------------------------------===//

#include "nnapiModel_generated.h"

#include "Import/Nnapi/NnapiImport.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/nnapi/Codes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <variant>

using namespace mlir;

namespace avocet::compiler {
namespace {

using nnapi::OperandType;
using nnapi::OperationType;

/// A scalar: INT32 or BOOL.
using Scalar = std::variant<int32_t, bool>;
using Shape = std::vector<uint32_t>;

/// One operation. Its first operands are main inputs, followed by constants.
struct Model {
  OperationType type;
  std::vector<Shape> tensors;
  std::vector<Scalar> scalars;
  std::vector<int32_t> outputShape; ///< constant tensor before the scalars, if not empty
  Shape result;                     ///< as declared; empty: unknown
};

class ModelWriter {
public:
  explicit ModelWriter(const Model &model) : model_(model) {}

  std::string write() {
    for (const Shape &shape : model_.tensors)
      add(OperandType::TensorFloat32, shape, nnapi::Lifetime::SubgraphInput, {});
    if (!model_.outputShape.empty())
      add(OperandType::TensorInt32, {static_cast<uint32_t>(model_.outputShape.size())}, nnapi::Lifetime::ConstantCopy,
          bytesOf(model_.outputShape.data(), model_.outputShape.size() * 4));
    for (const Scalar &scalar : model_.scalars)
      std::visit([&](auto value) { addScalar(value); }, scalar);
    auto inputs = indices(operands_.size());
    add(OperandType::TensorFloat32, model_.result, nnapi::Lifetime::SubgraphOutput, {});
    return finish(inputs, static_cast<uint32_t>(operands_.size() - 1));
  }

private:
  static std::vector<uint8_t> bytesOf(const void *data, size_t size) {
    std::vector<uint8_t> bytes(size);
    std::memcpy(bytes.data(), data, size);
    return bytes;
  }
  static std::vector<uint32_t> indices(size_t count) {
    std::vector<uint32_t> numbers(count);
    for (size_t i = 0; i < count; ++i)
      numbers[i] = static_cast<uint32_t>(i);
    return numbers;
  }

  void addScalar(int32_t value) {
    add(OperandType::Int32, {}, nnapi::Lifetime::ConstantCopy, bytesOf(&value, sizeof(value)));
  }
  void addScalar(bool value) {
    add(OperandType::Bool, {}, nnapi::Lifetime::ConstantCopy, {static_cast<uint8_t>(value)});
  }

  void add(OperandType type, const Shape &shape, nnapi::Lifetime lifetime, const std::vector<uint8_t> &data) {
    auto dimensions = builder_.CreateVector(shape);
    builder_.ForceVectorAlignment(data.size(), 1, 8);
    auto bytes = data.empty() ? 0 : builder_.CreateVector(data);
    operands_.push_back(
        nnapi::CreateOperand(builder_, static_cast<int32_t>(type), dimensions, 0, 0, lifetime, 0, 0, bytes));
  }

  std::string finish(const std::vector<uint32_t> &inputs, uint32_t output) {
    auto operationInputs = builder_.CreateVector(inputs);
    auto outputs = builder_.CreateVector(std::vector<uint32_t>{output});
    std::vector operations = {
        nnapi::CreateOperation(builder_, static_cast<int32_t>(model_.type), operationInputs, outputs)};
    auto mainInputs = builder_.CreateVector(indices(model_.tensors.size()));
    auto main = nnapi::CreateSubgraph(builder_, builder_.CreateVector(operands_), builder_.CreateVector(operations),
                                      mainInputs, outputs);
    builder_.Finish(nnapi::CreateModel(builder_, 1, main), nnapi::ModelIdentifier());
    return {reinterpret_cast<const char *>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

  const Model &model_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<nnapi::Operand>> operands_;
};

/// The type that the function returns as text, or the diagnostics.
std::string import(const Model &model) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { text += diagnostic.str() + "\n"; });
  ImportNeeds needs;
  std::shared_ptr<llvm::MemoryBuffer> file = llvm::MemoryBuffer::getMemBufferCopy(ModelWriter(model).write(), "model");
  OwningOpRef<ModuleOp> module = importNnapi(&context, file, {}, needs);
  if (!module)
    return text.empty() ? "no diagnostic" : text;
  auto function = *module->getOps<func::FuncOp>().begin();
  llvm::raw_string_ostream(text) << function.getResultTypes().front();
  return text;
}

/// A 1 x 5 x 6 x 2 image and a filter of 4 x 3 x 3 x 2.
Model convolution(std::vector<Scalar> scalars) {
  return {OperationType::Conv2d, {{1, 5, 6, 2}, {4, 3, 3, 2}, {4}}, std::move(scalars), {}, {}};
}
Model pool(std::vector<Scalar> scalars) {
  return {OperationType::MaxPool2d, {{1, 5, 6, 2}}, std::move(scalars), {}, {}};
}
Model transposed(std::vector<Scalar> scalars, std::vector<int32_t> shape = {}) {
  return {OperationType::TransposeConv2d, {{1, 2, 3, 2}, {4, 3, 3, 2}, {4}}, std::move(scalars), std::move(shape), {}};
}

TEST(NnapiWindow, AcceptsAllFormsOfScalars) {
  // Implicit: scheme, strides (width, height), activation, then layout, then dilation (width, height).
  EXPECT_EQ(import(convolution({1, 2, 1, 0})), "tensor<1x5x3x4xf32>");
  EXPECT_EQ(import(convolution({2, 2, 1, 0, false})), "tensor<1x3x2x4xf32>");
  EXPECT_EQ(import(convolution({2, 1, 1, 0, false, 1, 2})), "tensor<1x1x4x4xf32>");
  // Explicit: left, right, top, bottom come first. With ten inputs the type of the eighth decides: layout or stride.
  EXPECT_EQ(import(convolution({1, 1, 0, 0, 1, 1, 0})), "tensor<1x3x6x4xf32>");
  EXPECT_EQ(import(convolution({0, 0, 2, 0, 1, 1, 0, false})), "tensor<1x5x4x4xf32>");
  EXPECT_EQ(import(convolution({0, 0, 2, 0, 1, 1, 0, false, 1, 2})), "tensor<1x3x4x4xf32>");
  EXPECT_EQ(import(pool({2, 2, 1, 3, 2, 0})), "tensor<1x4x2x2xf32>");
  EXPECT_EQ(import(pool({1, 0, 0, 0, 1, 1, 2, 2, 0})), "tensor<1x4x6x2xf32>");
}

TEST(NnapiWindow, AcceptsChannelsFirst) {
  Model model = convolution({1, 2, 1, 0, true});
  model.tensors[0] = {1, 2, 5, 6};
  EXPECT_EQ(import(model), "tensor<1x4x5x3xf32>");
}

TEST(NnapiWindow, ComputesTransposedExtents) {
  EXPECT_EQ(import(transposed({0, 0, 0, 0, 2, 2, 0, false})), "tensor<1x5x7x4xf32>");
  // Padding after the end may be negative: it adds a column.
  EXPECT_EQ(import(transposed({0, -1, 0, 0, 2, 2, 0, false})), "tensor<1x5x8x4xf32>");
  EXPECT_EQ(import(transposed({1, 2, 2, 0, false}, {1, 4, 6, 4})), "tensor<1x4x6x4xf32>");
}

TEST(NnapiWindow, DeclaredShapesMustAgree) {
  Model model = convolution({2, 1, 1, 0});
  model.result = {1, 0, 4, 4};
  EXPECT_EQ(import(model), "tensor<1x3x4x4xf32>");
  model.result = {1, 2, 4, 4};
  EXPECT_NE(import(model).find("computes an extent of 3, but its result is declared with 2"), std::string::npos);
}

struct Broken {
  const char *name;
  Model model;
  const char *diagnostic;
};

void PrintTo(const Broken &broken, std::ostream *out) { *out << broken.name; }

Model withTensors(Model model, std::vector<Shape> tensors) {
  model.tensors = std::move(tensors);
  return model;
}

const Broken kBroken[] = {
    {"noStride", convolution({2, 0, 1, 0}), "has a window with stride"},
    {"negativeStride", convolution({2, 1, -7, 0}), "has a window with stride"},
    {"noDilation", convolution({2, 1, 1, 0, false, 0, 1}), "has a window with stride"},
    {"hugeDilation", convolution({2, 1, 1, 0, false, INT32_MAX, 1}),
     "width of the window is 4294967295, more than the padded input's 6"},
    {"hugeDilationSame", convolution({1, 1, 1, 0, false, INT32_MAX, 1}), "padding fits 31 bits"},
    {"negativePadding", convolution({-1, 0, 0, 0, 1, 1, 0}), "has a window with stride"},
    {"negativePaddingAfter", convolution({0, -1, 0, 0, 1, 1, 0}), "'pad' has the entry -1"},
    {"scheme", convolution({3, 1, 1, 0}), "unknown padding scheme 3"},
    {"activation", convolution({2, 1, 1, 4}), "unknown activation 4"},
    {"layoutIsNumber", convolution({2, 1, 1, 0, 1}), "has layout of type"},
    {"halfDilation", convolution({2, 1, 1, 0, false, 1}), "lacks its dilation"},
    {"windowLargerThanInput", withTensors(convolution({2, 1, 1, 0}), {{1, 2, 2, 2}, {4, 3, 3, 2}, {4}}),
     "height of the window is 3, more than the padded input's 2"},
    {"channels", withTensors(convolution({2, 1, 1, 0}), {{1, 5, 5, 3}, {4, 3, 3, 2}, {4}}),
     "input has 3 channels, the filter reads 2"},
    {"inputRank", withTensors(convolution({2, 1, 1, 0}), {{5, 5, 2}, {4, 3, 3, 2}, {4}}), "of rank 3, must be 4"},
    {"filterRank", withTensors(convolution({2, 1, 1, 0}), {{1, 5, 5, 2}, {4, 3, 2}, {4}}), "of rank 3, must be 4"},
    {"biasLength", withTensors(convolution({2, 1, 1, 0}), {{1, 5, 5, 2}, {4, 3, 3, 2}, {5}}),
     "bias must have the shape"},
    {"poolPadding", pool({2, 0, 0, 0, 1, 1, 2, 2, 0}), "padding of the width reaches the window's 2"},
    {"poolKernel", pool({2, 1, 1, 0, 1, 0}), "has a window with stride"},
    {"poolHuge", pool({2, 1, 1, INT32_MAX, 1, 0}), "width of the window is 2147483647, more than the padded input's 6"},
    {"multiplier",
     {OperationType::DepthwiseConv2d, {{1, 5, 5, 2}, {1, 3, 3, 4}, {4}}, {2, 1, 1, 3, 0}, {}, {}},
     "makes 4 channels of 2 with the multiplier 3"},
    {"groups",
     {OperationType::GroupedConv2d, {{1, 5, 5, 2}, {4, 3, 3, 2}, {4}}, {2, 1, 1, 0, 0, false}, {}, {}},
     "'groups' is 0"},
    {"groupsOfChannels",
     {OperationType::GroupedConv2d, {{1, 5, 5, 2}, {4, 3, 3, 2}, {4}}, {2, 1, 1, 2, 0, false}, {}, {}},
     "2 groups of the filter read 2 each"},
    {"transposedToNothing", transposed({5, 0, 0, 0, 1, 1, 0, false}), "'width' is 0"},
    {"transposedToTooMuch", transposed({0, 0, 0, 0, INT32_MAX, INT32_MAX, 0, false}), "'height' is 2147483650"},
    {"transposedPaddingAfter", transposed({0, INT32_MIN, 0, 0, 1, 1, 0, false}), "'width' is 2147483653"},
    {"outputShapeRank", transposed({1, 2, 2, 0, false}, {1, 4, 6}), "has an output shape of 3 extents"},
    {"outputShapeExtent", transposed({1, 2, 2, 0, false}, {1, -4, 6, 4}), "has the extent -4 in its output shape"},
};

class NnapiBrokenWindow : public testing::TestWithParam<Broken> {};

TEST_P(NnapiBrokenWindow, GivesItsDiagnostic) {
  std::string text = import(GetParam().model);
  EXPECT_NE(text.find(GetParam().diagnostic), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(All, NnapiBrokenWindow, testing::ValuesIn(kBroken),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::compiler
