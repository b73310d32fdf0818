//===- FoldersTest.cpp - Constants that folders compute ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random operands, once as inputs, for which the kernels compute, and once as constants, for which the folders do.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"

#include <random>

namespace avocet::compiler {
namespace {

/// An operation on %a0, %a1, ... and the types, such as "2x3xi32".
struct Case {
  std::string operation;
  std::vector<std::string> operands;
  std::string result;
};

std::string elementOf(const std::string &type) { return type.substr(type.rfind('x') + 1); }

size_t elementsOf(const std::string &type) {
  size_t count = 1;
  for (size_t at = 0, end = type.find('x'); end != std::string::npos; at = end + 1, end = type.find('x', at))
    count *= std::stoul(type.substr(at, end - at));
  return count;
}

/// Integers near the ends of the type and near zero, with which results overflow, and any others.
template <typename T> Bytes randomIntegers(std::mt19937 &random, size_t count) {
  std::vector<T> integers(count);
  for (T &integer : integers) {
    const uint64_t any = random() | uint64_t(random()) << 32;
    const uint64_t bases[] = {0, uint64_t(std::numeric_limits<T>::min()), uint64_t(std::numeric_limits<T>::max()), any};
    integer = static_cast<T>(bases[random() % 4] + random() % 5 - 2);
  }
  return bytesOf(integers);
}

Bytes randomBytes(std::mt19937 &random, const std::string &type) {
  const std::string element = elementOf(type);
  const size_t count = elementsOf(type);
  if (element == "i64")
    return randomIntegers<int64_t>(random, count);
  if (element == "i32")
    return randomIntegers<int32_t>(random, count);
  if (element == "i16")
    return randomIntegers<int16_t>(random, count);
  if (element == "i8")
    return randomIntegers<int8_t>(random, count);
  if (element == "ui8")
    return randomIntegers<uint8_t>(random, count);
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = random() % 2;
  return bytes;
}

std::string hexOf(const Bytes &bytes) {
  std::string text = "0x10000000"; // alignment
  for (uint8_t byte : bytes)
    for (unsigned digit : {byte >> 4, byte & 15})
      text += "0123456789ABCDEF"[digit];
  return text;
}

/// The operation, its operands and `:` with all types.
std::string bodyOf(const Case &test) {
  std::string types;
  for (const std::string &type : test.operands)
    types += (types.empty() ? "tensor<" : ", tensor<") + type + ">";
  return "  %0 = " + test.operation + " : (" + types + ") -> tensor<" + test.result + ">\n  return %0 : tensor<" +
         test.result + ">\n}\n";
}

Bytes computed(const Case &test, const std::vector<Bytes> &operands) {
  std::string arguments;
  for (size_t i = 0; i < test.operands.size(); ++i)
    arguments += (i == 0 ? "%a" : ", %a") + std::to_string(i) + ": tensor<" + test.operands[i] + ">";
  return run("func.func @f(" + arguments + ") -> tensor<" + test.result + "> {\n" + bodyOf(test), operands);
}

Bytes elementsOf(nn::ConstantOp constant) {
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue())) {
    llvm::ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    return Bytes(data.begin(), data.end());
  }
  auto dense = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
  Bytes bytes;
  for (int64_t copies = dense.isSplat() ? dense.getNumElements() : 1; copies > 0; --copies)
    bytes.insert(bytes.end(), dense.getRawData().begin(), dense.getRawData().end());
  return bytes;
}

/// The bytes of the constant to which the operation folds; empty: it is still there.
Bytes folded(const Case &test, const std::vector<Bytes> &operands) {
  std::string constants, resources;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "a" + std::to_string(i);
    constants += "  %" + name + " = nn.constant dense_resource<" + name + "> : tensor<" + test.operands[i] + ">\n";
    resources += (i == 0 ? "" : ",\n") + name + ": \"" + hexOf(operands[i]) + "\"";
  }
  const std::string text = "func.func @f() -> tensor<" + test.result + "> {\n" + constants + bodyOf(test) +
                           "{-#\ndialect_resources: {\nbuiltin: {\n" + resources + "\n}\n}\n#-}\n";
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager manager(&context);
  manager.addNestedPass<mlir::func::FuncOp>(nn::createCanonicalizePass());
  if (!module || mlir::failed(manager.run(*module))) {
    ADD_FAILURE() << text;
    return {};
  }
  mlir::Block &body = (*module->getOps<mlir::func::FuncOp>().begin()).front();
  auto constant = body.getTerminator()->getOperand(0).getDefiningOp<nn::ConstantOp>();
  if (!constant || llvm::range_size(body) != 2)
    return {};
  return elementsOf(constant);
}

void expectSame(const Case &test, uint32_t seed = 1, uint32_t rounds = 8) {
  SCOPED_TRACE(bodyOf(test));
  std::mt19937 random(seed);
  for (uint32_t round = 0; round < rounds; ++round) {
    std::vector<Bytes> operands;
    for (const std::string &type : test.operands)
      operands.push_back(randomBytes(random, type));
    ASSERT_EQ(folded(test, operands), computed(test, operands));
  }
}

TEST(NnFoldersTest, ArithmeticIsThatOfKernels) {
  for (const char *element : {"i32", "i64"})
    for (const char *operation : {"nn.add %a0, %a1", "nn.sub %a0, %a1", "nn.mul %a0, %a1", "nn.div %a0, %a1",
                                  "nn.div %a0, %a1 truncates", "nn.binary squared_difference %a0, %a1"})
      expectSame(
          {operation, {std::string("2x5x") + element, std::string("5x") + element}, std::string("2x5x") + element});
  expectSame({"nn.pow %a0, %a1", {"4x5xi32", "4x1xi32"}, "4x5xi32"});
}

TEST(NnFoldersTest, FunctionsOfEveryWidthAreThoseOfKernels) {
  for (const char *element : {"i8", "ui8", "i16", "i32", "i64"}) {
    const std::string wide = std::string("3x7x") + element, narrow = std::string("3x1x") + element;
    for (const char *operation :
         {"nn.minimum", "nn.maximum", "nn.binary floor_div", "nn.binary floor_mod", "nn.binary bitwise_xor",
          "nn.binary right_shift", "nn.binary bitwise_and", "nn.binary bitwise_or", "nn.binary left_shift",
          "nn.binary logical_right_shift", "nn.binary rounding_right_shift"})
      expectSame({std::string(operation) + " %a0, %a1", {wide, narrow}, wide});
    for (const char *kind : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
      expectSame({std::string("nn.compare ") + kind + " %a0, %a1", {narrow, wide}, "3x7xi1"});
    for (const char *kind : {"max", "min"})
      expectSame({std::string("nn.reduce ") + kind + " %a0 axes [0] keep_dims", {wide}, std::string("1x7x") + element});
  }
}

TEST(NnFoldersTest, UnaryFunctionsAreThoseOfKernels) {
  for (const char *element : {"i16", "i32", "i64"})
    for (const char *kind : {"abs", "neg", "sign", "square", "leading_zeros"})
      expectSame(
          {std::string("nn.unary ") + kind + " %a0", {std::string("9x") + element}, std::string("9x") + element});
  expectSame({"nn.unary logical_not %a0", {"9xi1"}, "9xi1"});
}

TEST(NnFoldersTest, CastsAreThoseOfKernels) {
  for (const char *from : {"i1", "i8", "ui8", "i16", "i32", "i64"})
    for (const char *to : {"i1", "i8", "ui8", "i16", "i32", "i64"})
      for (const char *form : {"", " wraps"})
        if (std::string(from) != to)
          expectSame({std::string("nn.cast %a0") + form, {std::string("9x") + from}, std::string("9x") + to});
}

TEST(NnFoldersTest, ReductionsAreThoseOfKernels) {
  for (const char *element : {"i32", "i64"})
    for (const char *kind : {"sum", "prod"})
      for (const auto &[axes, result] :
           {std::pair("[0]", "3x4x"), {"[1] keep_dims", "2x1x4x"}, {"[0, 2]", "3x"}, {"[0, 1, 2]", ""}})
        expectSame({std::string("nn.reduce ") + kind + " %a0 axes " + axes,
                    {std::string("2x3x4x") + element},
                    std::string(result) + element});
  for (const char *kind : {"all", "any"})
    expectSame({std::string("nn.reduce ") + kind + " %a0 axes [1]", {"5x2xi1"}, "5xi1"});
}

TEST(NnFoldersTest, TruthAndChoicesAreThoseOfKernels) {
  expectSame({"nn.logical and %a0, %a1", {"2x9xi1", "9xi1"}, "2x9xi1"});
  expectSame({"nn.logical or %a0, %a1", {"2x9xi1", "9xi1"}, "2x9xi1"});
  expectSame({"nn.compare equal %a0, %a1", {"9xi1", "9xi1"}, "9xi1"});
  for (const char *element : {"i1", "i8", "ui8", "i16", "i32", "i64"}) {
    const std::string type = std::string("9x") + element;
    expectSame({"nn.select %a0, %a1, %a2", {"9xi1", type, type}, type});
  }
}

TEST(NnFoldersTest, MovesAreThoseOfKernels) {
  for (const char *element : {"i1", "i8", "ui8", "i16", "i32", "i64"}) {
    const auto of = [&](const char *shape) { return std::string(shape) + element; };
    expectSame({"nn.reshape %a0 to [3, 2]", {of("2x3x")}, of("3x2x")}, 1, 2);
    expectSame({"nn.transpose %a0 permutation [2, 0, 1]", {of("2x3x4x")}, of("4x2x3x")}, 1, 2);
    expectSame({"nn.slice %a0 begin [1, 3] size [2, 2] strides [1, -2]", {of("3x4x")}, of("2x2x")}, 1, 2);
    expectSame({"nn.tile %a0 multiples [2, 3]", {of("2x3x")}, of("4x9x")}, 1, 2);
    expectSame({"nn.concatenation %a0, %a1, %a2 axis 1", {of("2x3x"), of("2x1x"), of("2x3x")}, of("2x7x")}, 1, 2);
    expectSame({"nn.pad %a0 low [0, 2] high [1, 0] value 1.0", {of("2x3x")}, of("3x5x")}, 1, 2);
    expectSame({"nn.pad %a0 low [1, 0] high [0, 1]", {of("2x3x")}, of("3x4x")}, 1, 2);
  }
}

TEST(NnFoldersTest, GathersAreThoseOfKernels) {
  const std::vector<Bytes> operands = {bytesOf<int32_t>({1, -2, 3, 4, 5, 6}), bytesOf<int64_t>({2, 0, 0, 1})};
  for (const Case &test : {Case{"nn.gather %a0 at %a1 axis 0", {"3x2xi32", "2x2xi64"}, "2x2x2xi32"},
                           Case{"nn.gather %a0 at %a1 axis 1", {"2x3xi32", "4xi64"}, "2x4xi32"}})
    EXPECT_EQ(folded(test, operands), computed(test, operands)) << test.operation;
}

} // namespace
} // namespace avocet::compiler
