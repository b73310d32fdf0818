//===- SignatureTest.cpp - The table of signatures ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include "signatures/Pattern.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace avocet::hal {
namespace {

TEST(Signatures, HaveOneRowPerOperation) {
  ASSERT_EQ(allSignatures().size(), 106U);
  std::set<std::string_view> names;
  for (size_t i = 0; i < allSignatures().size(); ++i) {
    const OperationSignature &row = allSignatures()[i];
    EXPECT_EQ(row.type, static_cast<OperationType>(i)) << row.name();
    EXPECT_TRUE(names.insert(row.name()).second) << row.name();
    EXPECT_FALSE(row.forms.empty()) << row.name();
    EXPECT_EQ(findSignature(row.type), &row);
  }
  EXPECT_EQ(findSignature(static_cast<OperationType>(106)), nullptr);
  EXPECT_EQ(findSignature(static_cast<OperationType>(-1)), nullptr);
  EXPECT_EQ(findSignature(kOemOperation), nullptr);
}

TEST(Signatures, ContainOnlyKnownLetters) {
  for (const OperationSignature &row : allSignatures()) {
    EXPECT_TRUE(row.types.empty() || row.types.size() % 3 == 2) << row.name();
    for (size_t i = 0; i < row.types.size(); i += 3) {
      EXPECT_NE(typesInList(row.types.substr(i, 2)), 0U) << row.name();
      EXPECT_TRUE(row.types[i + 1] >= '1' && row.types[i + 1] <= '8') << row.name();
    }
    for (const Form &form : row.forms)
      for (std::string_view pattern : {form.inputs, form.outputs}) {
        std::string letters = expand(pattern, countOf(pattern).least).value();
        for (char letter : letters)
          EXPECT_NE(typesOfLetter(letter, OperandType::TensorFloat32), 0U) << row.name() << " " << letter;
      }
  }
}

TEST(Signatures, NeedVersionThatIntroducedOperation) {
  for (const OperationSignature &row : allSignatures()) {
    Version first = kLatestVersion;
    for (const Form &form : row.forms)
      first = std::min(first, form.since);
    uint32_t level = row.types.empty() ? 1 : 9;
    for (size_t i = 0; i < row.types.size(); i += 3)
      level = std::min(level, static_cast<uint32_t>(row.types[i + 1] - '0'));
    EXPECT_EQ(std::max(static_cast<uint32_t>(first) + 1, level), nnapi::infoOf(row.type)->level) << row.name();
  }
}

TEST(Pattern, CountsLettersRepeatsAndTails) {
  EXPECT_EQ(countOf("twcI4").least, 7U);
  EXPECT_EQ(countOf("sy8q3i4yisqq4F6IF").least, 32U);
  EXPECT_EQ(countOf("t48IFFBBt8").least, 61U);
  EXPECT_TRUE(countOf("t+I").admits(2));
  EXPECT_TRUE(countOf("t+I").admits(100));
  EXPECT_FALSE(countOf("t+I").admits(1));
  EXPECT_TRUE(countOf("bGGa*").admits(3));
  EXPECT_FALSE(countOf("tt").admits(3));
}

TEST(Pattern, ExpandsToOneLetterPerOperand) {
  EXPECT_EQ(expand("twcI4B", 8), "twcIIIIB");
  EXPECT_EQ(expand("t+I", 4), "tttI");
  EXPECT_EQ(expand("It+", 3), "Itt");
  EXPECT_EQ(expand("bGGa*", 3), "bGG");
  EXPECT_EQ(expand("tI", 3), std::nullopt);
}

TEST(TypeSet, LettersFollowTheLeadingType) {
  using enum OperandType;
  EXPECT_EQ(typesOfLetter('F', TensorFloat16), setOf(Float16));
  EXPECT_EQ(typesOfLetter('F', TensorQuant8Asymm), setOf(Float32));
  EXPECT_EQ(typesOfLetter('c', TensorQuant8AsymmSigned), setOf(TensorInt32));
  EXPECT_EQ(typesOfLetter('c', TensorFloat16), setOf(TensorFloat16));
  EXPECT_EQ(typesOfLetter('w', TensorFloat32), setOf(TensorFloat32));
  EXPECT_EQ(typesOfLetter('w', TensorQuant8Asymm), setOf(TensorQuant8Asymm) | setOf(TensorQuant8SymmPerChannel));
  EXPECT_EQ(typesOfLetter('V', TensorInt32), setOf(Int32));
  EXPECT_EQ(namesOf(typesOfLetter('d', TensorQuant16Asymm)), "TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED");
}

} // namespace
} // namespace avocet::hal
