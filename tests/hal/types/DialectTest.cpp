//===- DialectTest.cpp - The tables of NNAPI against the graph dialect ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The validator has tables of its own, which other processes must pass. Here each difference to the dialect has a
// reason.
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Signatures.h"
#include "avocet/nnapi/Codes.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace avocet::hal {
namespace {

struct Row {
  std::string_view mnemonic, kind;
  uint32_t least, most;
  std::string_view types, tflite, nnapi, onnx, tosa;
};

constexpr Row kRows[] = {
#define AVOCET_NN_OPERATION(...) {__VA_ARGS__},
#include "avocet/nnapi/NnOperations.inc"
};

std::set<std::string> wordsOf(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

/// Element types of the dialect for the letters of Signatures.h.
const std::map<char, std::string> kTypes = {{'f', "f32"}, {'h', "f16"}, {'i', "i32"}, {'b', "i1"},  {'u', "uq8"},
                                            {'s', "q8"},  {'p', "q8c"}, {'y', "q8"},  {'q', "q16"}, {'Q', "uq16"}};

/// By the name in NNAPI, the element types of all operations of the dialect that have it.
std::map<std::string, std::set<std::string>> typesInDialect() {
  std::map<std::string, std::set<std::string>> types;
  for (const Row &row : kRows)
    for (const std::string &name : wordsOf(row.nnapi))
      types[name].merge(wordsOf(row.types));
  return types;
}

TEST(DialectTest, NamesAreThoseOfOperations) {
  std::set<std::string> known;
  for (const OperationSignature &signature : allSignatures())
    known.insert(std::string(nameOf(signature.type)));
  for (const auto &[name, types] : typesInDialect())
    EXPECT_TRUE(known.contains(name)) << name;
}

/// Leading types that the dialect's operation of the name does not take, and why the operation works all the same.
const std::map<std::string, std::string> kDifferences = {
    {"BATCH_MATMUL i32", "nn.mul and nn.reduce compute products of integers"},
    {"DEQUANTIZE q8c", "nn.cast and nn.mul with the scales compute it"},
    {"HASHTABLE_LOOKUP f32", "the dialect's first operand is the positions, NNAPI's leading one the values"},
    {"HASHTABLE_LOOKUP uq8", "the same"},
    {"SELECT f32", "the dialect's first operand is the condition, NNAPI's leading one a choice"},
    {"SELECT f16", "the same"},
    {"SELECT i32", "the same"},
    {"SELECT uq8", "the same"},
    {"SELECT q8", "the same"},
};

TEST(DialectTest, LeadingTypesAreThoseOfTheDialect) {
  std::set<std::string> differences, known;
  for (const auto &[difference, reason] : kDifferences)
    known.insert(difference);
  const auto dialect = typesInDialect();
  for (const OperationSignature &signature : allSignatures()) {
    const auto own = dialect.find(std::string(nameOf(signature.type)));
    for (char letter : signature.types)
      if (own != dialect.end() && kTypes.contains(letter) && !own->second.contains(kTypes.at(letter)))
        differences.insert(own->first + " " + kTypes.at(letter));
  }
  EXPECT_EQ(differences, known);
}

/// Operands of a form, "t4" being four.
size_t numOperands(std::string_view form) {
  size_t count = 0;
  for (char letter : form)
    count += letter >= '0' && letter <= '9' ? static_cast<size_t>(letter - '0') - 1 : 1;
  return count;
}

TEST(DialectTest, DirectOperationsHaveOperandsOfTheDialect) {
  const std::map<OperationType, size_t> direct = {
#define AVOCET_NN_NNAPI(Operation, operands, ...) {OperationType::Operation, operands},
#include "avocet/nnapi/NnOperations.inc"
  };
  size_t checked = 0;
  for (const OperationSignature &signature : allSignatures()) {
    const auto found = direct.find(signature.type);
    if (found == direct.end())
      continue;
    ++checked;
    for (const Form &form : signature.forms)
      EXPECT_EQ(numOperands(form.inputs), found->second) << nameOf(signature.type) << " " << form.inputs;
  }
  EXPECT_EQ(checked, direct.size());
}

} // namespace
} // namespace avocet::hal
