//===- NnapiQuery.cpp - Which operations run at all extents -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationProbe.h"

#include "NnapiFile.h"
#include "OpenOperands.h"
#include "OpenRows.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Refusal.h"

#include <optional>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// What is known of the shape of a value: nothing, or its rank and some extents.
using Known = std::optional<Extents>;

/// Keeps in `known` only what two executions of the same operation have in common.
void merge(Known &known, ArrayRef<int64_t> other) {
  if (!known || known->size() != other.size()) {
    known.reset();
    return;
  }
  for (auto [extent, seen] : llvm::zip(*known, other))
    extent = extent == seen ? extent : 0;
}

/// Checks the operations of the main subgraph in order; the result shapes of tried choices become known shapes.
class ModelQuery {
public:
  ModelQuery(const ProbeModel &model, const std::set<uint32_t> &valueOperands)
      : model_(model), main_(model.file.subgraph(0)), valueOperands_(valueOperands), shapes_(main_.operands()->size()),
        openRows_(main_.operands()->size()) {
    for (uint32_t index = 0; index < shapes_.size(); ++index)
      shapes_[index] = declared(index);
  }

  LogicalResult run() {
    for (uint32_t index = 0; index < main_.operations()->size(); ++index)
      if (isCancelled() || failed(judge(index)))
        return failure();
    return success(!refused_);
  }

private:
  const nnapi::Operand &operand(uint32_t index) const { return *main_.operands()->Get(index); }

  /// The shape that the model declares.
  Known declared(uint32_t index) const {
    const nnapi::Operand &source = operand(index);
    Extents extents = dimensionsOf(source);
    return extents.empty() && !isScalar(typeOf(source)) ? Known() : Known(extents);
  }

  bool hasElements(uint32_t index) const { return !model_.file.data(operand(index)).empty(); }

  LogicalResult judge(uint32_t index);

  /// Whether the operation reads the value of the operand at a position to determine the program, and executions give
  /// it.
  bool isOpenValue(const nnapi::Operation &operation, uint32_t position) const {
    const OperationType type = typeOf(operation);
    const bool passes = type == OperationType::If || type == OperationType::While;
    const NnapiConverter *converter = findNnapiConverter(model_.file, type);
    const bool reads = passes || (converter && position < 64 && converter->valueOperands >> position & 1);
    return reads && valueOperands_.contains(operation.inputs()->Get(position));
  }

  /// The distinct operands whose values the operation computes with. Operands that determine the program are separate.
  void collectInputs(const nnapi::Operation &operation, std::vector<uint32_t> &inputs, bool &needsValues) const {
    if (!operation.inputs())
      return;
    for (auto [position, index] : llvm::enumerate(*operation.inputs())) {
      const nnapi::Lifetime lifetime = operand(index).lifetime();
      if (lifetime == nnapi::Lifetime::NoValue || lifetime == nnapi::Lifetime::Subgraph || hasElements(index))
        continue;
      if (isOpenValue(operation, position))
        needsValues = true;
      else if (!llvm::is_contained(inputs, index))
        inputs.push_back(index);
    }
  }

  void refuse(uint32_t index, RefusalReason reason) {
    NnapiImport import = importState();
    NnapiGraph graph(import, 0);
    NnapiOperation op(graph, index);
    if (reason.operation.empty())
      reason.operation = op.name();
    reason.output = op.outputName();
    emitRefusal(op.location(), reason);
    refused_ = true;
  }

  NnapiImport importState() { return {{builder_, model_.bytes, model_.location}, model_.file}; }

  friend class Judgment;

  const ProbeModel &model_;
  const nnapi::Subgraph &main_;
  const std::set<uint32_t> &valueOperands_;
  std::vector<Known> shapes_;                     ///< by operand
  std::vector<std::optional<OpenRows>> openRows_; ///< by operand
  OpBuilder builder_{model_.context};
  bool refused_ = false;
};

/// The check of one operation.
class Judgment {
public:
  Judgment(ModelQuery &query, uint32_t index) : query_(query), index_(index) {
    query.collectInputs(*query.main_.operations()->Get(index), operands_, needsValues_);
    if (const NnapiConverter *converter =
            findNnapiConverter(query.model_.file, typeOf(*query.main_.operations()->Get(index)));
        converter && converter->presences)
      takeOptional(converter->optionalOperands);
    for (uint32_t operand : operands_)
      numUnranked_ += !query.shapes_[operand];
    setRanks(0);
  }

  bool isOpen() const { return needsValues_ || !optional_.empty() || numUnranked_ > 0 || shapes_->numOpen() > 0; }

  /// Tries all choices until one is refused.
  void run() {
    for (uint32_t number = 0; number < numRanks() && !isRefused() && !isCancelled(); ++number)
      if (tellsMore(number)) {
        setRanks(number);
        runRanked();
      }
  }

  bool isRefused() const { return refusal_.has_value(); }
  bool hasRun() const { return hasRun_; }
  const RefusalReason &refusal() const { return *refusal_; }
  const std::string &lastMessage() const { return lastMessage_; }
  const std::vector<Known> &results() const { return results_; }
  const std::vector<std::optional<OpenRows>> &openRows() const { return openRows_; }

private:
  /// Ranks of operands that have none: each with each, or for many operands the same for all.
  uint32_t numRanks() const { return numUnranked_ == 0 ? 1 : numUnranked_ == 2 ? kMaxRank * kMaxRank : kMaxRank; }

  /// Pairs of different high ranks say nothing new: elements repeat along the outer axes of one operand as they do when
  /// the other has rank 1. Operations whose operands need ranks of their own need low ones.
  bool tellsMore(uint32_t number) const {
    constexpr uint32_t kLowRank = 4;
    const uint32_t first = 1 + number % kMaxRank, second = 1 + number / kMaxRank;
    return numUnranked_ != 2 || first == second || std::min(first, second) == 1 || std::max(first, second) <= kLowRank;
  }

  const nnapi::Operation &operation() const { return *query_.main_.operations()->Get(index_); }

  void setRanks(uint32_t number) {
    std::vector<Extents> extents;
    uint32_t rest = number;
    for (uint32_t operand : operands_) {
      const Known &known = query_.shapes_[operand];
      extents.push_back(known.value_or(Extents(1 + rest % kMaxRank, 0)));
      if (!known && numUnranked_ == 2)
        rest /= kMaxRank;
    }
    shapes_.emplace(extents);
    // Other operands' extents often have to equal those of constants.
    for (uint32_t operand : inputsOf(index_))
      if (query_.hasElements(operand) && !query_.declared(operand)->empty())
        extents.push_back(*query_.declared(operand));
    related_.emplace(std::move(extents));
    largeRuns_.assign(shapes_->numOpen(), false);
  }

  void runRanked() {
    tryAll(shapes_->choices(needsValues_ || numUnranked_ > 0));
    std::vector<bool> pinned = neverLarge();
    if (!isRefused() && shapes_->numOpen() > 0 && llvm::is_contained(pinned, true)) {
      const SmallVector<bool> flags(pinned.begin(), pinned.end());
      tryAll(related_->choicesPinned(flags));
    }
  }

  ArrayRef<uint32_t> inputsOf(uint32_t index) const {
    const auto *inputs = query_.main_.operations()->Get(index)->inputs();
    return inputs ? ArrayRef<uint32_t>(inputs->data(), inputs->size()) : ArrayRef<uint32_t>();
  }

  void tryAll(const std::vector<OpenChoice> &choices) {
    for (const OpenChoice &choice : choices)
      if (!isRefused() && !isCancelled())
        tryChoice(choice);
  }

  /// Halves the large extents until no tensor, results included, is too large.
  void tryChoice(const OpenChoice &choice) {
    for (auto elements = static_cast<int64_t>(kMaxOpenElements); elements > 1; elements /= 2) {
      auto shapes = shapes_->shapes(choice, elements);
      if (!shapes || tryShapes(choice, *shapes) || !llvm::is_contained(choice.fixed, 0))
        return;
    }
  }

  /// False if a tensor was too large.
  bool tryShapes(const OpenChoice &choice, const std::vector<Extents> &shapes) {
    std::vector<ProbeInput> inputs;
    for (auto [operand, extents] : llvm::zip(operands_, shapes))
      inputs.push_back({operand, extents, false, query_.openRows_[operand]});
    if (optional_.empty())
      return tryInputs(choice, inputs);
    bool fits = false;
    for (const NnapiPresent &present : OperationProbe(query_.model_, index_, inputs).presences())
      fits |= tryInputs(choice, withOptional(inputs, present));
    return fits;
  }

  bool tryInputs(const OpenChoice &choice, ArrayRef<ProbeInput> inputs) {
    OperationProbe probe(query_.model_, index_, inputs);
    NnapiValueChoices values(1);
    if (needsValues_)
      values = withoutKnown(probe.valueChoices());
    bool fits = values.empty();
    for (const NnapiValues &given : values) {
      if (isRefused() || isCancelled())
        return true;
      ProbeResult result = probe.run(given);
      fits |= result.kind != ProbeResult::Kind::TooLarge;
      note(choice, inputs, given, result);
    }
    return fits;
  }

  /// Collects inputs of the model that may be omitted, if the operation works without them.
  void takeOptional(uint64_t positions) {
    for (uint32_t position = 0; position < std::min<size_t>(inputsOf(index_).size(), 64); ++position)
      if (const uint32_t operand = inputsOf(index_)[position];
          positions >> position & 1 && llvm::is_contained(operands_, operand) &&
          query_.operand(operand).lifetime() == nnapi::Lifetime::SubgraphInput) {
        optional_.push_back(operand);
        llvm::erase(operands_, operand);
      }
  }

  SmallVector<ProbeInput> withOptional(ArrayRef<ProbeInput> inputs, const NnapiPresent &present) const {
    SmallVector<ProbeInput> result(inputs);
    for (uint32_t operand : optional_) {
      ProbeInput input{operand, {}, true};
      for (const auto &[position, extents] : present)
        if (inputsOf(index_)[position] == operand)
          input = {operand, extents, false};
      result.push_back(std::move(input));
    }
    return result;
  }

  /// Keeps only values of operands that executions provide, and only if the operand can have that many elements.
  NnapiValueChoices withoutKnown(const NnapiValueChoices &choices) const {
    NnapiValueChoices result;
    for (const NnapiValues &choice : choices) {
      NnapiValues open;
      bool fits = true;
      for (const auto &[position, elements] : choice) {
        if (position >= inputsOf(index_).size())
          continue;
        if (!query_.isOpenValue(operation(), position))
          continue;
        fits &= takes(inputsOf(index_)[position], elements.size());
        open.push_back({position, elements});
      }
      if (fits && coversAll(open) && !llvm::is_contained(result, open))
        result.push_back(std::move(open));
    }
    return result;
  }

  bool takes(uint32_t operand, size_t count) const {
    const Known &known = query_.shapes_[operand];
    if (!known || llvm::is_contained(*known, 0))
      return true;
    return nn::elementsOf(*known) == static_cast<int64_t>(count);
  }

  bool coversAll(const NnapiValues &values) const {
    for (uint32_t position = 0; position < inputsOf(index_).size(); ++position)
      if (query_.isOpenValue(operation(), position) &&
          llvm::none_of(values, [&](const auto &value) { return value.first == position; }))
        return false;
    return true;
  }

  void note(const OpenChoice &choice, ArrayRef<ProbeInput> inputs, const NnapiValues &values, ProbeResult &result) {
    if (!result.message.empty())
      lastMessage_ = result.message;
    // Too large in spite of known extents: in every execution.
    if (result.kind == ProbeResult::Kind::Refused || (result.kind == ProbeResult::Kind::TooLarge && !isOpen()))
      noteRefusal(inputs, values, result.reason);
    if (result.kind != ProbeResult::Kind::Runs)
      return;
    for (size_t i = 0; i < choice.fixed.size(); ++i)
      if (choice.fixed[i] == 0)
        largeRuns_[i] = true;
    for (size_t i = 0; i < result.results.size(); ++i)
      if (!hasRun_)
        results_.push_back(result.results[i]);
      else
        merge(results_[i], result.results[i]);
    if (!hasRun_)
      openRows_ = result.openRows;
    hasRun_ = true;
  }

  void noteRefusal(ArrayRef<ProbeInput> inputs, const NnapiValues &values, const Refusal &reason) {
    std::string where;
    for (const ProbeInput &input : inputs)
      where += input.isOmitted ? std::string() : (where.empty() ? "" : " ") + nn::textOf(input.extents);
    for (const auto &[position, elements] : values)
      where += " input " + std::to_string(position) + " = " + nn::textOf(elements);
    refusal_ = RefusalReason{reason.operation, reason.operand, reason.rule, reason.value, reason.limit};
    if (isOpen())
      refusal_->rule += " (an execution may bring the shapes " + where + ")";
  }

  /// Open extents that are not large in any execution that runs.
  std::vector<bool> neverLarge() const {
    std::vector<bool> never(shapes_->numOpen(), true);
    for (size_t i = 0; i < largeRuns_.size(); ++i)
      never[i] = !largeRuns_[i];
    return never;
  }

  ModelQuery &query_;
  const uint32_t index_;
  std::vector<uint32_t> operands_, optional_; ///< operands that it computes with; those that may be omitted
  bool needsValues_ = false, hasRun_ = false;
  uint32_t numUnranked_ = 0;
  std::optional<OpenShapes> shapes_;  ///< of operands_
  std::optional<OpenShapes> related_; ///< of operands_ and constants
  std::vector<bool> largeRuns_;       ///< by open extent: was large in an execution that runs
  std::vector<Known> results_;
  std::vector<std::optional<OpenRows>> openRows_; ///< of the results
  std::optional<RefusalReason> refusal_;
  std::string lastMessage_;
};

LogicalResult ModelQuery::judge(uint32_t index) {
  const OperationType type = typeOf(*main_.operations()->Get(index));
  if (!findNnapiConverter(model_.file, type)) {
    refuse(index, {"", "", kImplementedRule, operationNameOf(type), ""});
    return success();
  }
  Judgment judgment(*this, index);
  judgment.run();
  if (isCancelled())
    return failure();
  if (judgment.isRefused()) {
    refuse(index, judgment.refusal());
    return success();
  }
  if (!judgment.hasRun()) {
    if (!judgment.isOpen())
      return emitError(model_.location, judgment.lastMessage());
    refuse(index, {"", "", "runs with every extent and value that an execution may bring",
                   "cannot be shown: " + judgment.lastMessage(), ""});
    return success();
  }
  const nnapi::Operation &operation = *main_.operations()->Get(index);
  for (uint32_t i = 0; i < operation.outputs()->size(); ++i) {
    Known &shape = shapes_[operation.outputs()->Get(i)];
    if (i < judgment.openRows().size())
      openRows_[operation.outputs()->Get(i)] = judgment.openRows()[i];
    if (i < judgment.results().size() && (!shape || llvm::is_contained(*shape, 0)))
      shape = judgment.results()[i];
  }
  return success();
}

} // namespace

LogicalResult queryNnapi(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                         std::span<const std::span<const uint8_t>> pools, NnapiJudge judge) {
  Location location = beginImport(context, *file);
  FailureOr<NnapiFile> model = NnapiFile::open(location, file->getMemBufferRef(), pools);
  if (failed(model))
    return failure();
  const NnapiOpenOperands open = openOperandsOf(*model);
  const ProbeModel probed{context, *model, file, location, judge, open.unrolledLoops};
  return ModelQuery(probed, open.valueOperands).run();
}

} // namespace avocet::compiler
