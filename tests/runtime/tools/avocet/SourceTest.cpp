//===- SourceTest.cpp - avocet where, explain and compare -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRunner.h"

#include <gmock/gmock.h>

namespace avocet::tool::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

/// Artefacts of the digits network with a source map in the folder "out".
class WhereTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    const ToolResult compiled = run({"compile", kDigits, "-g", "-o", "out"});
    ASSERT_EQ(compiled.exitCode, 0) << compiled.errors;
  }

  std::string where(const std::string &option, const std::string &value) {
    const ToolResult result = run({"where", "out", option, value});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.output;
  }

  /// The cycle after the last one of a command.
  uint64_t endOf(const std::string &command) {
    std::string text = where("--command", command);
    text = text.substr(text.find(" to ", text.find("cycles ")) + 4);
    std::erase(text, ',');
    return std::stoull(text);
  }

  std::string refusal(const std::string &option, const std::string &value) {
    const ToolResult result = run({"where", "out", option, value});
    EXPECT_EQ(result.exitCode, 1) << result.output;
    return result.errors;
  }
};

TEST_F(WhereTest, CommandHasTileLayerAndOperator) {
  const std::string text = where("--command", "mac:4");
  EXPECT_THAT(text, HasSubstr("command    mac:4 of "));
  EXPECT_THAT(text, HasSubstr("tile       rows 8 to 11, columns 0 to 13, channels 0 to 15\n"));
  EXPECT_THAT(text, HasSubstr("operation  0 of 10: makes 'stem' as i8 14 x 14 x 16\n"));
  EXPECT_THAT(text, HasSubstr("layer      0 'stem' (CONV_2D)\noperators  0 CONV_2D digits_int8.tflite:stem\n"));
  EXPECT_THAT(text, HasSubstr("writes     sram 0x0 to 0xc40: result of operation 0, 'stem'\n"));
  EXPECT_THAT(text, HasSubstr(": constants of operation 0, 'stem'\n"));
}

TEST_F(WhereTest, FusedLayerHasAllOperators) {
  const std::string text = where("--layer", "add2");
  EXPECT_THAT(text, HasSubstr(" (CONV_2D + ADD)\noperators  7 CONV_2D digits_int8.tflite:residual2\n"));
  EXPECT_THAT(text, HasSubstr("           8 ADD digits_int8.tflite:add2\n"));
  EXPECT_THAT(text, HasSubstr("commands   "));
  EXPECT_THAT(text, HasSubstr(", in cycles "));
}

/// What follows a title in an answer, up to the end of the name of a command.
std::string nameAfter(const std::string &text, const std::string &title) {
  const size_t begin = text.find(title) + title.size();
  return text.substr(begin, text.find_first_of(",\n", begin) - begin);
}

TEST_F(WhereTest, WaitAndSignalNameEachOther) {
  const std::string count = nameAfter(where("--command", "mac:0"), "mac:0 of ");
  int waits = 0;
  for (int i = 0; i < std::stoi(count); ++i) {
    const std::string name = "mac:" + std::to_string(i), text = where("--command", name);
    if (text.find(": wait\n") == std::string::npos)
      continue;
    ++waits;
    ASSERT_THAT(text, HasSubstr("waits for  d")); // of the DMA or the DSP
    EXPECT_THAT(where("--command", nameAfter(text, "waits for  ")), HasSubstr("awaited by " + name + "\n"));
  }
  EXPECT_GT(waits, 2);
}

TEST_F(WhereTest, CycleListsCommandsThatRun) {
  const std::string text = where("--cycle", "2000");
  EXPECT_THAT(text, HasSubstr("command    "));
  EXPECT_THAT(text, HasSubstr("cycles     "));
  EXPECT_THAT(text, HasSubstr("operators  "));
  EXPECT_THAT(refusal("--cycle", "999999999"), HasSubstr("there is no cycle 999999999"));
}

TEST_F(WhereTest, AddressHasBufferAndLastWriter) {
  // Byte 0x70a of the stem's result: row 8, column 0, channel 10.
  const std::string text = where("--address", "sram:0x70a@" + std::to_string(endOf("mac:4")));
  EXPECT_THAT(text, HasSubstr("holds      result of operation 0, 'stem'\n"));
  EXPECT_THAT(text, HasSubstr("last written before this cycle by\ncommand    mac:4 of "));
  EXPECT_THAT(text, HasSubstr("element    row 8, column 0, channel 10\n"));
}

TEST_F(WhereTest, ConstantNamesLayerThatReadsIt) {
  EXPECT_THAT(where("--constant", "0"), HasSubstr("holds      constants of operation 0, 'stem'\n"));
  EXPECT_EQ(where("--constant", "0"), where("--address", "constants:0"));
}

TEST_F(WhereTest, ErrorsSayWhatIsAccepted) {
  EXPECT_THAT(refusal("--command", "mac:9999"), HasSubstr("its commands are mac:0 to mac:"));
  EXPECT_THAT(refusal("--command", "gpu:1"), HasSubstr("'gpu:1' is not a command of 'digits_int8'"));
  EXPECT_THAT(refusal("--address", "sram"), HasSubstr("such as sram:0x1f40@120000"));
  EXPECT_THAT(refusal("--address", "rom:1"), HasSubstr("it has sram, input0, output0, constants"));
  EXPECT_THAT(refusal("--address", "output0:10"), HasSubstr("uses 10 bytes of output0"));
  EXPECT_THAT(refusal("--layer", "nosuch"), HasSubstr("no layer of 'digits_int8' has 'nosuch' in its name"));
  EXPECT_THAT(run({"where", "out"}).errors, HasSubstr("give one of --cycle, --command"));
}

TEST_F(WhereTest, RefusesArtefactsWithoutSourceMap) {
  ASSERT_EQ(run({"compile", kDigits, "-o", "plain"}).exitCode, 0);
  const ToolResult result = run({"where", "plain", "--cycle", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("have no source map; compile the model with 'avocet compile MODEL -g -o DIR'"));
}

TEST_F(WhereTest, SourceMapChangesNeitherConstantsNorOutputs) {
  ASSERT_EQ(run({"compile", kDigits, "-o", "plain"}).exitCode, 0);
  EXPECT_EQ(read("plain/data.avod"), read("out/data.avod"));
  EXPECT_LT(read("plain/model.avom").size(), read("out/model.avom").size());
  const auto report = [this](const std::string &folder) {
    return run({"run", folder, "--report", "json", "-o", folder + "-results", "--mode", "timing"}).output;
  };
  EXPECT_THAT(report("plain"), Not(testing::IsEmpty()));
  const auto cycles = [&](const std::string &folder) {
    const std::string text = report(folder);
    const size_t begin = text.find("\"cycles\":");
    return text.substr(begin, text.find(',', begin) - begin);
  };
  EXPECT_EQ(cycles("plain"), cycles("out"));
}

class ExplainTest : public ToolTest {
protected:
  std::string explain(const std::vector<std::string> &arguments) {
    std::vector<std::string> all = {"explain", kDigits};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ToolResult result = run(all);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.output;
  }
};

TEST_F(ExplainTest, NetworkHasItsLimitAndWorstLayers) {
  const std::string text = explain({"--no-changes"});
  EXPECT_THAT(text, HasSubstr("digits_int8 on e256: "));
  EXPECT_THAT(text, HasSubstr("limited by the off-chip port; moves "));
  EXPECT_THAT(text, HasSubstr("layers that lose most"));
  EXPECT_THAT(text, Not(HasSubstr("what would help")));
}

TEST_F(ExplainTest, LayerNamesWhatItWaitsFor) {
  const std::string text = explain({"--no-changes", "--layer", "add2"});
  EXPECT_THAT(text, HasSubstr("layer 6 '"));
  EXPECT_THAT(text, HasSubstr("1.0 times the 32.8 KiB that are stored"));
  EXPECT_THAT(text, HasSubstr("constants of this layer from off chip"));
}

TEST_F(ExplainTest, LayerHasTheDecisionsOfTheCompiler) {
  const std::string text = explain({"--no-changes", "--layer", "add2"});
  const size_t decisions = text.find("what the compiler decided");
  ASSERT_NE(decisions, std::string::npos) << text;
  EXPECT_THAT(text.substr(decisions), AllOf(HasSubstr("residual: the output stage of the convolution adds"),
                                            HasSubstr("engine: the MAC array"), HasSubstr("weights: compressed"),
                                            HasSubstr("cascade: "), HasSubstr("block: "), HasSubstr("instead")));
}

TEST_F(ExplainTest, MoreBandwidthHelpsWhereThePortLimits) {
  const std::string text = explain({});
  const size_t line = text.find("twice the off-chip bandwidth");
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_THAT(text.substr(line, text.find('\n', line) - line), HasSubstr("-"));
  EXPECT_THAT(text, HasSubstr("MiB of SRAM"));
}

TEST_F(ExplainTest, UnknownLayerIsAnError) {
  const ToolResult result = run({"explain", kDigits, "--layer", "nosuch"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("--layer nosuch: 0 of the "));
}

class CompareTest : public ToolTest {
protected:
  /// Compiles the digits network with one bit of one tile changed: the zero point of the third tile of the stem.
  void plantBit() {
    ASSERT_EQ(run({"compile", kDigits, "-g", "--stop-after", "cmd", "-o", "good.mlir"}).exitCode, 0);
    std::string text = read("good.mlir");
    const size_t tile = text.find("output = {4x14x16xi8, ringRows = 14, firstRow = 8, ");
    const size_t zero = text.find("zeroPoint = -128", tile);
    ASSERT_NE(tile, std::string::npos);
    ASSERT_NE(zero, std::string::npos);
    text.replace(zero, 16, "zeroPoint = -127");
    write("bad.mlir", text);
    const ToolResult compiled = run({"compile", "bad.mlir", "-o", "bad"});
    ASSERT_EQ(compiled.exitCode, 0) << compiled.errors;
  }
};

TEST_F(CompareTest, TensorsEqualReferenceOnAllTargets) {
  for (const std::string target : {"e256", "e256s", "m512", "p4096"}) {
    const ToolResult result = run({"compare", kDigits, "-t", target, "--against", "reference"});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("10 tensors: 10 equal, 0 differ")) << target;
  }
}

TEST_F(CompareTest, PlantedBitIsFoundInItsTile) {
  plantBit();
  const ToolResult result = run({"compare", "bad", "--against", "reference", "--model", kDigits});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("tensors differ"));
  EXPECT_THAT(result.output, HasSubstr("first difference\ntensor     'stem'\nelement    row 8, column 0, channel "));
  EXPECT_THAT(result.output, HasSubstr("operator   0 CONV_2D digits_int8.tflite:stem\n"));
  EXPECT_THAT(result.output, HasSubstr("written by mac:4, rows 8 to 11, columns 0 to 13, channels 0 to 15\n"));
}

TEST_F(CompareTest, DifferencesWithinToleranceAreEqual) {
  plantBit();
  const auto compared = [this](const std::string &tolerance) {
    return run({"compare", "bad", "--against", "reference", "--model", kDigits, "--tolerance", tolerance});
  };
  EXPECT_EQ(compared("10").exitCode, 0);
  EXPECT_THAT(compared("0.02").output, HasSubstr("tensor     'depthwise1'")); // the stem differs by less
}

TEST_F(CompareTest, ToleranceCountsStepsOfStoredNumbers) {
  plantBit();
  const auto compared = [this](const std::string &steps) {
    return run({"compare", "bad", "--against", "reference", "--model", kDigits, "--tolerance-steps", steps});
  };
  EXPECT_EQ(compared("255").exitCode, 0);
  EXPECT_THAT(compared("0").output, HasSubstr("tensor     'stem'"));
}

TEST_F(CompareTest, SavedTensorsOfAnotherTargetAreEqual) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "saved"}).exitCode, 0);
  const ToolResult result = run({"compare", kDigits, "-t", "m512", "--against", "saved", "--all"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("'softmax'"));
  EXPECT_THAT(result.output, HasSubstr("10 tensors: 10 equal"));
}

TEST_F(CompareTest, OtherInputsDiffer) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "saved"}).exitCode, 0);
  const ToolResult result = run({"compare", kDigits, "--seed", "2", "--against", "saved"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("tensor     'stem'\n"));
}

TEST_F(CompareTest, ErrorsNameWhatIsMissing) {
  ASSERT_EQ(run({"compile", kDigits, "-g", "-o", "out"}).exitCode, 0);
  EXPECT_THAT(run({"compare", "out", "--against", "reference"}).errors, HasSubstr("add --model FILE.tflite"));
  EXPECT_THAT(run({"compare", "out"}).errors, HasSubstr("give --against reference|tflite|tflite-reference|DIR"));
  EXPECT_THAT(run({"compare", "out", "--against", "nowhere"}).errors, HasSubstr("nowhere/tensors.json"));
  write("saved.json", "{}");
  EXPECT_EQ(run({"compare", "out", "--against", "."}).exitCode, 1);
}

TEST_F(CompareTest, DamagedListOfTensorsIsRefused) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "saved"}).exitCode, 0);
  for (const std::string text :
       {"", "[]", "{\"schemaVersion\":2,\"tensors\":[]}", "{\"schemaVersion\":1,\"tensors\":[{}]}",
        "{\"schemaVersion\":1,\"tensors\":[{\"name\":\"a\",\"file\":\"../a\",\"type\":\"i8\"}]}",
        "{\"schemaVersion\":1,\"tensors\":[{\"name\":\"a\",\"file\":\"b\",\"type\":\"i9\"}]}"}) {
    write("saved/tensors.json", text);
    const ToolResult result = run({"compare", kDigits, "--against", "saved"});
    EXPECT_EQ(result.exitCode, 1) << text;
    EXPECT_THAT(result.errors, HasSubstr("saved/tensors.json: ")) << text;
  }
}

} // namespace
} // namespace avocet::tool::test
