//===- DefinitionVectorsTest.cpp - Definitions against known answers ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The definitions are compared with answers that no kernel computed: those of the tree's own vectors, and of NNAPI's.

#include "VectorGraph.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "random/Definitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Operations whose definitions read each form of their operands; the others read the form with all operands, as in
/// random graphs. The draws of RANDOM_MULTINOMIAL are not in the vectors.
constexpr OperationType kInAllForms[] = {BatchToSpaceNd,
                                         BidirectionalSequenceLstm,
                                         BidirectionalSequenceRnn,
                                         DepthToSpace,
                                         LshProjection,
                                         Lstm,
                                         QuantizedLstm,
                                         ResizeBilinear,
                                         ResizeNearestNeighbor,
                                         Rnn,
                                         SpaceToBatchNd,
                                         SpaceToDepth,
                                         Svdf,
                                         UnidirectionalSequenceLstm,
                                         UnidirectionalSequenceRnn};

/// Whether an operation has the form with the most operands and omits none: all definitions read it.
bool isLongestForm(const Graph &graph) {
  const Operation &operation = graph.operations.front();
  const std::string counts = allowedInputCounts(*findSignature(operation.type));
  return counts.substr(counts.rfind(',') + 1) == std::to_string(operation.inputs.size()) &&
         std::ranges::none_of(operation.inputs,
                              [&](uint32_t input) { return graph.values[input].role == ValueRole::Omitted; });
}

/// Of a definition or null; false for random results.
bool isDeterminate(const Definition *definition) {
  return definition != nullptr && !std::holds_alternative<Definition::Check>(definition->define);
}

bool isDefined(const Graph &graph) {
  const OperationType type = graph.operations.front().type;
  if (!isDeterminate(findDefinition(type)))
    return false;
  return std::ranges::find(kInAllForms, type) != std::end(kInAllForms) || isLongestForm(graph);
}

/// By kInAllForms, or because the operation has one number of operands.
bool isComparedInAllForms(const OperationSignature &signature) {
  return std::ranges::find(kInAllForms, signature.type) != std::end(kInAllForms) ||
         allowedInputCounts(signature).find_first_of(",+") == std::string::npos;
}

/// Answers in floating point have few digits.
double slackOf(const TestCase &test) {
  double slack = 0;
  for (const ExpectedOutput &output : test.outputs)
    if (isFloating(output.type))
      slack = std::max(slack, output.absolute);
  return slack;
}

/// Fails for answers that differ from the definition. Returns the number of cases of each operation that are compared.
std::map<OperationType, size_t> compareAnswers(const std::string &folder) {
  std::map<OperationType, size_t> compared;
  auto cases = findCases(folder);
  EXPECT_TRUE(cases.isOk()) << cases.status().toString();
  for (const CaseRef &ref : cases.isOk() ? *cases : std::vector<CaseRef>()) {
    const CaseInfo info = ref.file->info(ref.index);
    auto made = ref.file->make(ref.index, Form::AsWritten);
    const std::optional<Graph> graph =
        made.isOk() && info.kinds.has(RunKind::General) ? graphOfCase(*made) : std::nullopt;
    if (!graph || !isDefined(*graph))
      continue;
    const DefinitionCheck check = compareWithDefinition(*graph, slackOf(*made));
    EXPECT_EQ(check.difference, "") << info.name;
    compared[graph->operations.front().type] += check.isCompared;
  }
  return compared;
}

TEST(DefinitionVectorsTest, OwnAnswersAreThoseOfDefinitions) {
  const std::map<OperationType, size_t> compared = compareAnswers(AVOCET_OWN_VECTORS);
  for (const OperationSignature &signature : allSignatures())
    if (isDeterminate(findDefinition(signature.type)) && isComparedInAllForms(signature))
      EXPECT_TRUE(compared.contains(signature.type) && compared.at(signature.type) > 0) << signature.name();
}

TEST(DefinitionVectorsTest, AnswersOfNnapiAreThoseOfDefinitions) {
  const std::string folder = std::string(AVOCET_SHARED_DATA) + "/conformance/vectors";
  if (std::string_view(AVOCET_SHARED_DATA).empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/vectors";
  size_t total = 0;
  for (const auto &[type, count] : compareAnswers(folder))
    total += count;
  EXPECT_GT(total, 1500u);
}

} // namespace
} // namespace avocet::hal::conformance
