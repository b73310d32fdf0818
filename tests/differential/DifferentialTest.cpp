//===- DifferentialTest.cpp - Bounded numbers of random cases, and the table ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Reshaped.h"
#include "Sanitizer.h"
#include "Table.h"
#include "Tester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace avocet::differential {
namespace {

constexpr uint64_t kCasesOfEach = casesOf(6, 2);

class OperatorTest : public testing::TestWithParam<const Row *> {};

TEST_P(OperatorTest, AgreesWithTensorFlowLite) {
  Result<std::string> library = findOracle();
  if (!library)
    GTEST_SKIP() << library.status().message();
  Oracle oracle(*library);
  for (Kind kind : GetParam()->kinds) {
    Tally tally;
    for (uint64_t seed = 0; seed < kCasesOfEach; ++seed) {
      const CaseName name{GetParam(), kind, seed};
      tally.add(name, runCase(name, oracle));
    }
    EXPECT_TRUE(tally.isGood()) << kindName(kind) << ": " << tally.summary();
  }
}

/// Operators without a generator are only in the table.
std::vector<const Row *> drawnRows() {
  std::vector<const Row *> rows;
  for (const Row &row : allRows())
    if (row.draw)
      rows.push_back(&row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Operators, OperatorTest, testing::ValuesIn(drawnRows()),
                         [](const auto &info) { return std::string(EnumNameBuiltinOperator(info.param->code)); });

class ShapeTest : public testing::TestWithParam<const Row *> {};

/// Results do not depend on where the shapes of the inputs come from.
TEST_P(ShapeTest, FollowsFromTheInputs) {
  for (Kind kind : GetParam()->kinds)
    for (uint64_t seed = 0; seed < kCasesOfEach; ++seed) {
      const TestModel model = draw(*GetParam(), kind, seed);
      const DeviceResult recorded = runOnDevice(model), given = runOnDevice(reshaped(model));
      EXPECT_EQ(recorded.status.isOk(), given.status.isOk())
          << kindName(kind) << " " << seed << ": " << given.refusal << given.status.toString();
      EXPECT_EQ(recorded.outputs, given.outputs) << kindName(kind) << " " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Operators, ShapeTest, testing::ValuesIn(drawnRows()),
                         [](const auto &info) { return std::string(EnumNameBuiltinOperator(info.param->code)); });

TEST(OperatorTable, IsCurrent) {
  if (kHasSanitizer)
    GTEST_SKIP() << "the table of the plain build is the same";
  const Result<std::vector<uint8_t>> file = readFile(AVOCET_SOURCE_DIR "/compiler/docs/TfliteOperators.md");
  ASSERT_TRUE(file) << file.status().toString();
  EXPECT_EQ(std::string(file->begin(), file->end()), operatorTable())
      << "write the table again: avocetDifferential --table compiler/docs/TfliteOperators.md";
}

TEST(OperatorTable, EveryConverterHasAGenerator) {
  for (const Row &row : allRows())
    if (!row.draw) {
      const DeviceResult result = compileOnly(draw(row, row.kinds[0], 0));
      EXPECT_FALSE(result.isImplemented) << EnumNameBuiltinOperator(row.code)
                                         << " is imported; add a row with a generator to tests/differential/operators";
    }
}

/// Names of the files `NAME.tflite`.
std::vector<std::string> savedCases() {
  std::vector<std::string> stems;
  const std::filesystem::path folder = AVOCET_SOURCE_DIR "/tests/differential/cases";
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tflite")
      stems.push_back(entry.path().parent_path() / entry.path().stem());
  std::ranges::sort(stems);
  return stems;
}

/// The bytes of NAME.input0, NAME.input1, ...
std::vector<Bytes> readSeries(const std::string &stem) {
  std::vector<Bytes> series;
  for (std::string path = stem + "0"; std::filesystem::exists(path); path = stem + std::to_string(series.size()))
    series.push_back(*readFile(path));
  return series;
}

class SavedCaseTest : public testing::TestWithParam<std::string> {};

TEST_P(SavedCaseTest, GivesSavedOutputs) {
  const TestModel model = testModel(*readFile(GetParam() + ".tflite"), readSeries(GetParam() + ".input"));
  const std::vector<Bytes> expected = readSeries(GetParam() + ".output");
  ASSERT_FALSE(expected.empty());
  const DeviceResult result = runOnDevice(model);
  ASSERT_TRUE(result.status.isOk()) << result.status.toString();
  ASSERT_EQ(result.outputs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(compare(model.outputs[i], result.outputs[i], expected[i], {.real = kTolerance}), "") << "output " << i;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SavedCaseTest);
INSTANTIATE_TEST_SUITE_P(Cases, SavedCaseTest, testing::ValuesIn(savedCases()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).filename();
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(CaseName, ParsesItsText) {
  const Result<CaseName> name = CaseName::parse("ADD/i8/17");
  ASSERT_TRUE(name) << name.status().toString();
  EXPECT_EQ(name->text(), "ADD/i8/17");
}

TEST(CaseName, RejectsUnknownParts) {
  for (const char *text : {"", "ADD", "ADD/i8", "ADDITION/i8/1", "ADD/i9/1", "ADD/i8/x", "ADD/i8/1x"})
    EXPECT_FALSE(CaseName::parse(text)) << text;
}

/// A network of so many inputs and one output.
TestModel joined(int32_t inputsCount) {
  Draft draft(Kind::I8, 1);
  const Element element = draft.element();
  std::vector<int32_t> inputs;
  for (int32_t i = 0; i < inputsCount; ++i)
    inputs.push_back(draft.input({1, 1}, element));
  tflite::ConcatenationOptionsT options;
  options.axis = 1;
  draft.op(BuiltinOperator::CONCATENATION, inputs, {draft.output({1, inputsCount}, element)}, options);
  return draft.model().finish();
}

TEST(NetworkBorder, MoreInputsThanADeviceBindsAreRefused) {
  const DeviceResult result = compileOnly(joined(1022));
  EXPECT_NE(result.status.toString().find("1022 inputs and 1 outputs; a device binds at most 1022"), std::string::npos)
      << result.status.toString();
}

TEST(NetworkBorder, AsManyInputsAsADeviceBindsRun) {
  const DeviceResult result = runOnDevice(joined(1021));
  EXPECT_TRUE(result.status.isOk()) << result.status.toString();
}

TEST(Draw, EqualSeedsGiveEqualModels) {
  for (const Row *row : drawnRows())
    for (Kind kind : row->kinds) {
      const TestModel first = draw(*row, kind, 3), second = draw(*row, kind, 3);
      EXPECT_EQ(first.file, second.file) << EnumNameBuiltinOperator(row->code);
      EXPECT_EQ(first.inputs, second.inputs) << EnumNameBuiltinOperator(row->code);
    }
}

TEST(Compare, CountsStepsAndTolerances) {
  EXPECT_EQ(compare(TensorType::INT8, {1, 0x80}, {1, 0x80}, {}), "");
  EXPECT_EQ(compare(TensorType::INT8, {1, 0x80}, {1, 0x81}, {}),
            "1 of 2 elements differ, the first at 1: -128, expected -127");
  EXPECT_EQ(compare(TensorType::INT8, {1, 0x80}, {1, 0x81}, {.steps = 1}), "");
  EXPECT_EQ(compare(TensorType::UINT8, {1}, {1, 2}, {}), "1 bytes, expected 2");
  const Bytes one = encode({1}, TensorType::FLOAT32), close = encode({1.000001}, TensorType::FLOAT32);
  EXPECT_EQ(compare(TensorType::FLOAT32, one, close, {.real = 1e-5f}), "");
  EXPECT_NE(compare(TensorType::FLOAT32, one, close, {}), "");
  EXPECT_NE(compare(TensorType::FLOAT32, one, encode({NAN}, TensorType::FLOAT32), {.real = 1e-5f}), "");
}

} // namespace

// Makes GoogleTest print a parameter as its name.
void PrintTo(const Row *row, std::ostream *stream) { *stream << EnumNameBuiltinOperator(row->code); }

} // namespace avocet::differential
