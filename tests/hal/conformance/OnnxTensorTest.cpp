//===- OnnxTensorTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnx/OnnxTensor.h"

#include "../../support/TemporaryFolder.h"
#include "Onnx.pb.h"
#include "avocet/base/File.h"

#include <cstring>
#include <gmock/gmock.h>
#include <limits>

namespace avocet::tool {
namespace {

using firmware::DataType;
using onnx_file::TensorProto;
using testing::HasSubstr;

template <typename T> std::vector<uint8_t> bytesOf(std::initializer_list<T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

using Shape = std::vector<int32_t>;
const Shape kTwo = {2}, kThree = {3}, kOneByTwo = {1, 2};

/// The shape must outlive the view.
cache::OperandView operandOf(DataType type, const Shape &shape) {
  return {.name = "x", .type = type, .shape = shape, .bytes = 0, .scales = {}, .zeroPoints = {}, .axis = 0};
}

OnnxTensor floats(std::initializer_list<float> values) {
  return {"x", TensorProto::FLOAT, {static_cast<int64_t>(values.size())}, bytesOf(values)};
}

class OnnxTensorTest : public testing::Test {
protected:
  Result<OnnxTensor> read(const TensorProto &proto) {
    const std::string path = (folder_.path() / "input_0.pb").string();
    EXPECT_TRUE(writeFile(path, proto.SerializeAsString()).isOk());
    return readOnnxTensor(path);
  }

  test::TemporaryFolder folder_{"avocetOnnx"};
};

TEST_F(OnnxTensorTest, ReadsRawAndTypedElements) {
  TensorProto raw;
  raw.set_data_type(TensorProto::INT16);
  raw.add_dims(2);
  raw.set_raw_data(std::string("\1\0\2\0", 4));
  EXPECT_EQ(read(raw)->bytes, (bytesOf<int16_t>({1, 2})));

  TensorProto typed;
  typed.set_data_type(TensorProto::FLOAT16);
  typed.add_dims(2);
  typed.add_int32_data(0x3C00);
  typed.add_int32_data(0xBC00);
  EXPECT_EQ(read(typed)->bytes, (bytesOf<uint16_t>({0x3C00, 0xBC00})));

  TensorProto scalar;
  scalar.set_data_type(TensorProto::UINT64);
  scalar.add_uint64_data(7);
  EXPECT_EQ(read(scalar)->bytes, bytesOf<uint64_t>({7}));
}

TEST_F(OnnxTensorTest, RefusesOtherElementsAndSizes) {
  TensorProto texts;
  texts.set_data_type(TensorProto::STRING);
  EXPECT_EQ(read(texts).status().code(), StatusCode::Unsupported);
  EXPECT_EQ(read(texts).status().message(), "data of type STRING");

  TensorProto short_;
  short_.set_data_type(TensorProto::FLOAT);
  short_.add_dims(3);
  short_.add_float_data(1);
  EXPECT_EQ(read(short_).status().code(), StatusCode::DataLoss);
}

TEST(OnnxOperandTest, InputsKeepTheirNumbersInOtherTypes) {
  const OnnxTensor tensor{"x", TensorProto::DOUBLE, {2}, bytesOf<double>({1.5, -2})};
  std::vector<uint8_t> bytes(8);
  ASSERT_TRUE(fillOperand(tensor, operandOf(DataType::Float32, kTwo), bytes).isOk());
  EXPECT_EQ(bytes, bytesOf<float>({1.5f, -2}));
  EXPECT_THAT(std::string(fillOperand(tensor, operandOf(DataType::Float32, kThree), bytes).message()),
              HasSubstr("is FLOAT[3], the data are DOUBLE[2]"));
  EXPECT_FALSE(fillOperand(tensor, operandOf(DataType::Int32, kTwo), bytes).isOk());
}

TEST(OnnxOperandTest, BitsOfBFloatsAreTheirNumbers) {
  const OnnxTensor tensor{"x", TensorProto::UINT16, {2}, bytesOf<uint16_t>({0x3F80, 0x4000})};
  std::vector<uint8_t> bytes(4);
  ASSERT_TRUE(fillOperand(tensor, operandOf(DataType::BFloat16, kTwo), bytes).isOk());
  EXPECT_EQ(bytes, tensor.bytes);
  EXPECT_EQ(compareOperand(tensor, operandOf(DataType::BFloat16, kTwo), bytes), "");
  EXPECT_FALSE(fillOperand(tensor, operandOf(DataType::Float16, kTwo), bytes).isOk());
}

TEST(OnnxOperandTest, FloatsAreEqualWithinTolerance) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const cache::OperandView operand = operandOf(DataType::Float32, kThree);
  EXPECT_EQ(compareOperand(floats({1, kNan, kInf}), operand, bytesOf<float>({1.0009f, kNan, kInf})), "");
  EXPECT_EQ(compareOperand(floats({1, kNan, kInf}), operand, bytesOf<float>({1.002f, kNan, kInf})),
            "[0] is 1.0019999742507935, must be 1 (1 of 3 elements differ)");
  EXPECT_NE(compareOperand(floats({1, kNan, kInf}), operand, bytesOf<float>({1, 0, kInf})), "");
  EXPECT_NE(compareOperand(floats({1, kNan, kInf}), operand, bytesOf<float>({1, kNan, -kInf})), "");
  // A sum whose terms cancel.
  EXPECT_EQ(compareOperand(floats({100, 0, 0}), operand, bytesOf<float>({100, 9e-5f, 0})), "");
  EXPECT_NE(compareOperand(floats({1, 0, 0}), operand, bytesOf<float>({1, 9e-5f, 0})), "");
}

TEST(OnnxOperandTest, IntegersAndShapesAreEqualExactly) {
  const OnnxTensor tensor{"x", TensorProto::INT64, {2}, bytesOf<int64_t>({1, int64_t{1} << 60})};
  EXPECT_EQ(compareOperand(tensor, operandOf(DataType::Int64, kTwo), tensor.bytes), "");
  EXPECT_NE(compareOperand(tensor, operandOf(DataType::Int64, kTwo), bytesOf<int64_t>({1, (int64_t{1} << 60) + 1})),
            "");
  EXPECT_EQ(compareOperand(tensor, operandOf(DataType::Int64, kOneByTwo), tensor.bytes),
            "is INT64[1,2], must be INT64[2]");
}

} // namespace
} // namespace avocet::tool
