//===- HalGoldenTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the networks as NNAPI models through the driver. Outputs must equal those of the compiler's own TFLite importer
// bit for bit, and meet the goldens.

#include "Inference.h"
#include "TfliteToHal.h"
#include "avocet/base/File.h"
#include "avocet/base/Rounding.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/session/HalRequest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

namespace avocet::golden {
namespace {

/// Networks that NNAPI cannot express, with the reason. The HAL runs them through the TFLite extension only.
const std::map<std::string, std::string> kNotInNnapi = {
    {"kws_dscnn_hybrid", "quantized weights with float activations"},
    {"mnist_lstm_fp32", "operator UNIDIRECTIONAL_SEQUENCE_LSTM"},
    {"mnist_lstm_int8", "operator UNIDIRECTIONAL_SEQUENCE_LSTM"},
};

/// A memory pool with one region for each tensor, aligned to 64 bytes.
struct Tensors {
  hal::SharedMemory memory;
  Mapping mapping;
  std::vector<hal::RequestArgument> arguments;
};

Result<Tensors> makeTensors(uint32_t pool, const std::vector<Bytes> &tensors) {
  Tensors made;
  uint64_t size = 0;
  for (const Bytes &tensor : tensors) {
    made.arguments.push_back({false, {pool, size, tensor.size(), 0}, {}});
    size = roundUp(size + tensor.size(), 64);
  }
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("golden", size));
  AVOCET_ASSIGN_OR_RETURN(made.mapping, Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
  made.memory = std::make_shared<const hal::Memory>(
      hal::Memory{hal::Ashmem{std::make_shared<const FileDescriptor>(std::move(file)), size}});
  return made;
}

class HalGoldenTest : public testing::TestWithParam<GoldenModel> {
protected:
  const GoldenModel &model() const { return GetParam(); }

  /// Prepares the network. On an error, fails the test and returns null.
  std::shared_ptr<hal::IPreparedModel> prepare(const hal::Model &converted) {
    auto device = hal::openDevice({});
    if (!device) {
      ADD_FAILURE() << device.error().message;
      return nullptr;
    }
    auto supported = (*device)->getSupportedOperations(converted);
    for (size_t i = 0; supported.isOk() && i < supported->supported.size(); ++i)
      EXPECT_TRUE(supported->supported[i]) << supported->reasons[i].operation << ": " << supported->reasons[i].rule;
    auto prepared = (*device)->prepareModel(converted, {});
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared.isOk() ? *prepared : nullptr;
  }

  std::vector<Bytes> execute(hal::IPreparedModel &prepared, const GoldenCase &wanted) {
    auto inputs = makeTensors(0, wanted.inputs);
    auto outputs = makeTensors(1, wanted.outputs);
    EXPECT_TRUE(inputs.isOk() && outputs.isOk());
    for (size_t i = 0; i < wanted.inputs.size(); ++i)
      std::ranges::copy(wanted.inputs[i],
                        inputs->mapping.bytes().begin() + static_cast<ptrdiff_t>(inputs->arguments[i].location.offset));
    const hal::Request request{inputs->arguments, outputs->arguments, {inputs->memory, outputs->memory}};
    const hal::ExecutionOutcome outcome = prepared.execute(request, {});
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
    std::vector<Bytes> results;
    for (const hal::RequestArgument &argument : outputs->arguments) {
      const auto bytes = outputs->mapping.bytes().subspan(argument.location.offset, argument.location.length);
      results.emplace_back(bytes.begin(), bytes.end());
    }
    return results;
  }

  /// Runs at most `maxCases` cases through the HAL and directly: outputs must be bit-identical and meet the goldens.
  void compareWithDirectRuns(const hal::Model &network, const session::LoadedModel &compiled, size_t maxCases) {
    std::shared_ptr<hal::IPreparedModel> prepared = prepare(network);
    ASSERT_NE(prepared, nullptr);
    Result<Inference> direct = Inference::open(compiled, {.functional = true, .timing = false});
    ASSERT_TRUE(direct.isOk()) << direct.status().toString();
    Result<std::vector<GoldenCase>> cases = loadCases(model());
    ASSERT_TRUE(cases.isOk()) << cases.status().toString();
    ASSERT_FALSE(cases->empty());
    cases->resize(std::min(cases->size(), maxCases));
    for (const GoldenCase &entry : *cases) {
      const std::vector<Bytes> results = execute(*prepared, entry);
      Result<std::vector<Bytes>> expected = direct->run(entry.inputs);
      ASSERT_TRUE(expected.isOk()) << expected.status().toString();
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(compare(Rule::Exact, results[i], (*expected)[i], false), "")
            << "case " << entry.id << " output " << i;
        EXPECT_EQ(compare(model().rule, results[i], entry.outputs[i], entry.sameArgmax), "") << "case " << entry.id;
      }
    }
  }
};

TEST_P(HalGoldenTest, MatchesTfliteImportBitForBit) {
  Result<Bytes> file = readFile(model().path);
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  Result<hal::Model> converted = tfliteToHal(*file);
  if (auto reason = kNotInNnapi.find(model().name); reason != kNotInNnapi.end()) {
    ASSERT_FALSE(converted.isOk());
    EXPECT_EQ(converted.status().message(), reason->second);
    return;
  }
  ASSERT_TRUE(converted.isOk()) << converted.status().toString();
  Result<session::LoadedModel> compiled = compile(model().path, "e256");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  compareWithDirectRuns(*converted, *compiled, 4);
}

TEST_P(HalGoldenTest, ExtensionRunsWholeNetwork) {
  Result<Bytes> file = readFile(model().path);
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  Result<session::LoadedModel> compiled = compile(model().path, "e256");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  compareWithDirectRuns(session::carriedModel({hal::CarriedFormat::Tflite, *file}, *compiled->artefacts.model),
                        *compiled, 2);
}

TEST_P(HalGoldenTest, ExtensionRejectsInconsistentModels) {
  Result<Bytes> file = readFile(model().path);
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  Result<session::LoadedModel> compiled = compile(model().path, "e256");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
  const hal::Model carried = session::carriedModel({hal::CarriedFormat::Tflite, *file}, *compiled->artefacts.model);
  auto device = hal::openDevice({});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  hal::Model otherShape = carried;
  otherShape.main.operands[otherShape.main.inputIndexes[0]].dimensions.back() += 1;
  EXPECT_EQ((*device)->prepareModel(otherShape, {}).code(), hal::ErrorStatus::InvalidArgument);
  hal::Model twice = carried;
  hal::Operand result = twice.main.operands[twice.main.outputIndexes[0]];
  twice.main.outputIndexes.push_back(static_cast<uint32_t>(twice.main.operands.size()));
  twice.main.operands.push_back(result);
  twice.main.operations.push_back(
      {twice.main.operations[0].type, twice.main.operations[0].inputs, {twice.main.outputIndexes.back()}});
  EXPECT_EQ((*device)->prepareModel(twice, {}).code(), hal::ErrorStatus::GeneralFailure);
  hal::Model noFile = carried;
  std::fill(noFile.operandValues.begin(), noFile.operandValues.end(), uint8_t(0));
  EXPECT_FALSE((*device)->prepareModel(noFile, {}).isOk());
}

INSTANTIATE_TEST_SUITE_P(Models, HalGoldenTest, testing::ValuesIn(goldenModels()),
                         [](const auto &info) { return info.param.name; });

TEST(TfliteToHal, RejectsBytesOfNoModel) { EXPECT_EQ(tfliteToHal(Bytes(64, 1)).status().code(), StatusCode::DataLoss); }

} // namespace
} // namespace avocet::golden
