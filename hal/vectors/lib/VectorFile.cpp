//===- VectorFile.cpp - The cases of one specification ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/vectors/VectorFile.h"

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/vectors/SharedArea.h"
#include "avocet/hal/vectors/TestCase.h"
#include "nnapiTest_generated.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace avocet::hal::conformance {
namespace {

template <typename T> std::vector<T> copyOf(const flatbuffers::Vector<T> *list) {
  return list ? std::vector<T>(list->begin(), list->end()) : std::vector<T>();
}

/// Converts bytes of an unsigned operand to signed ones, 128 less: only the top bit changes.
void makeSigned(Bytes &bytes) {
  for (uint8_t &byte : bytes)
    byte ^= 0x80;
}

class CaseBuilder {
public:
  explicit CaseBuilder(Form form) : form_(form) {}

  Subgraph graph(const vectors::Subgraph &source);
  /// One pool with the constants of lifetime ConstantReference; empty if there are none.
  avocet::Result<std::vector<SharedMemory>> pools() const;
  Bytes takeOperandValues() { return std::move(copied_); }

  OperandType typeOf(int32_t code) const { return isCoupled(code) ? kSigned : static_cast<OperandType>(code); }
  Bytes dataOf(const flatbuffers::Vector<uint8_t> *data, int32_t type) const;

private:
  static constexpr OperandType kUnsigned = OperandType::TensorQuant8Asymm;
  static constexpr OperandType kSigned = OperandType::TensorQuant8AsymmSigned;

  bool isCoupled(int32_t code) const { return form_ == Form::Signed && static_cast<OperandType>(code) == kUnsigned; }
  Operand operand(const vectors::Operand &source);
  DataLocation place(Bytes &area, const Bytes &data);

  Form form_;
  Bytes copied_;
  Bytes referenced_;
};

Bytes CaseBuilder::dataOf(const flatbuffers::Vector<uint8_t> *data, int32_t type) const {
  Bytes bytes = copyOf(data);
  if (isCoupled(type))
    makeSigned(bytes);
  return bytes;
}

DataLocation CaseBuilder::place(Bytes &area, const Bytes &data) {
  const uint64_t offset = alignRegion(area.size());
  area.resize(offset);
  area.insert(area.end(), data.begin(), data.end());
  return {.poolIndex = 0, .offset = offset, .length = data.size()};
}

constexpr bool same(vectors::Lifetime a, OperandLifeTime b) {
  return static_cast<int32_t>(a) == static_cast<int32_t>(b);
}
static_assert(same(vectors::Lifetime::Temporary, OperandLifeTime::TemporaryVariable) &&
              same(vectors::Lifetime::SubgraphInput, OperandLifeTime::SubgraphInput) &&
              same(vectors::Lifetime::SubgraphOutput, OperandLifeTime::SubgraphOutput) &&
              same(vectors::Lifetime::ConstantCopy, OperandLifeTime::ConstantCopy) &&
              same(vectors::Lifetime::ConstantReference, OperandLifeTime::ConstantReference) &&
              same(vectors::Lifetime::NoValue, OperandLifeTime::NoValue) &&
              same(vectors::Lifetime::Subgraph, OperandLifeTime::Subgraph) &&
              vectors::Lifetime::MAX == vectors::Lifetime::Subgraph);

Operand CaseBuilder::operand(const vectors::Operand &source) {
  Operand made;
  made.type = typeOf(source.type());
  made.dimensions = copyOf(source.dimensions());
  made.scale = source.scale();
  made.zeroPoint = isCoupled(source.type()) ? source.zero_point() - 128 : source.zero_point();
  made.lifetime = static_cast<OperandLifeTime>(source.lifetime());
  if (made.type == OperandType::TensorQuant8SymmPerChannel)
    made.extraParams = SymmPerChannelQuantParams{copyOf(source.channel_scales()), source.channel_dim()};
  if (source.extension_data())
    made.extraParams = copyOf(source.extension_data());
  if (made.lifetime == OperandLifeTime::ConstantCopy)
    made.location = place(copied_, dataOf(source.data(), source.type()));
  if (made.lifetime == OperandLifeTime::ConstantReference)
    made.location = place(referenced_, dataOf(source.data(), source.type()));
  if (made.lifetime == OperandLifeTime::Subgraph)
    made.location.offset = static_cast<uint32_t>(source.subgraph());
  return made;
}

Subgraph CaseBuilder::graph(const vectors::Subgraph &source) {
  Subgraph made;
  if (source.operands())
    for (const vectors::Operand *entry : *source.operands())
      made.operands.push_back(operand(*entry));
  if (source.operations())
    for (const vectors::Operation *entry : *source.operations())
      made.operations.push_back(
          {static_cast<OperationType>(entry->type()), copyOf(entry->inputs()), copyOf(entry->outputs())});
  made.inputIndexes = copyOf(source.inputs());
  made.outputIndexes = copyOf(source.outputs());
  return made;
}

avocet::Result<std::vector<SharedMemory>> CaseBuilder::pools() const {
  if (referenced_.empty())
    return std::vector<SharedMemory>();
  AVOCET_ASSIGN_OR_RETURN(SharedArea area, SharedArea::make(alignRegion(referenced_.size())));
  std::ranges::copy(referenced_, area.bytes().begin());
  return std::vector<SharedMemory>{area.memory()};
}

OutputRule ruleOf(vectors::Tolerance tolerance) {
  if (tolerance == vectors::Tolerance::Ignored)
    return OutputRule::Ignored;
  return tolerance == vectors::Tolerance::Multinomial ? OutputRule::Multinomial : OutputRule::Close;
}

/// Integers are compared exactly: no operation of the vectors may be off by one in an index or a count.
double absoluteOf(const vectors::ExpectedOutput &source) {
  return source.tolerance() == vectors::Tolerance::Int32 ? 0 : static_cast<double>(source.atol());
}

/// A buffer for an output without expected values, so that a device cannot refuse the request for its size.
Bytes roomFor(const Operand &operand) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 26;
  uint64_t size = elementBytes(operand.type);
  for (uint32_t extent : operand.dimensions)
    size = std::min(size * std::max(extent, 1u), kMaxBytes);
  return Bytes(size);
}

void addValues(const vectors::Case &test, const CaseBuilder &builder, TestCase &made) {
  const vectors::Subgraph &main = *test.main();
  const vectors::Example &example = *test.examples()->Get(0);
  for (size_t i = 0; i < made.model.main.inputIndexes.size(); ++i) {
    const auto *data = example.inputs()->Get(static_cast<flatbuffers::uoffset_t>(i))->data();
    const int32_t type = main.operands()->Get(made.model.main.inputIndexes[i])->type();
    Bytes bytes = builder.dataOf(data, type);
    made.inputs.push_back(bytes.empty() ? std::nullopt : std::optional(std::move(bytes)));
  }
  for (size_t i = 0; i < made.model.main.outputIndexes.size(); ++i) {
    const vectors::ExpectedOutput &source = *example.outputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const int32_t type = main.operands()->Get(made.model.main.outputIndexes[i])->type();
    made.outputs.push_back({builder.typeOf(type), copyOf(source.dimensions()), builder.dataOf(source.data(), type),
                            ruleOf(source.tolerance()), absoluteOf(source), static_cast<double>(source.rtol())});
    if (source.tolerance() == vectors::Tolerance::None)
      made.outputs.back().bytes = roomFor(made.model.main.operands[made.model.main.outputIndexes[i]]);
  }
}

void forgetOutputExtents(Subgraph &main) {
  for (uint32_t index : main.outputIndexes)
    std::ranges::fill(main.operands[index].dimensions, 0u);
}

/// Fills all members of `made` except `info`. `test` must have passed VectorFile's checks.
Status buildCase(const vectors::Case &test, Form form, TestCase &made) {
  CaseBuilder builder(form);
  made.model.main = builder.graph(*test.main());
  if (test.referenced())
    for (const vectors::Subgraph *graph : *test.referenced())
      made.model.referenced.push_back(builder.graph(*graph));
  if (test.extensions())
    for (const vectors::ExtensionPrefix *extension : *test.extensions())
      made.model.extensionNameToPrefix.push_back({extension->name()->str(), extension->prefix()});
  AVOCET_ASSIGN_OR_RETURN(made.model.pools, builder.pools());
  made.model.operandValues = builder.takeOperandValues();
  made.model.relaxComputationFloat32toFloat16 = test.relaxed();
  made.multinomialTolerance = static_cast<double>(test.multinomial_tolerance());
  addValues(test, builder, made);
  if (form == Form::UnknownOutputs)
    forgetOutputExtents(made.model.main);
  return Status::ok();
}

} // namespace

namespace fs = std::filesystem;

namespace {

constexpr uint32_t kFormatVersion = 1;

template <typename T> size_t sizeOf(const flatbuffers::Vector<T> *list) { return list ? list->size() : 0; }

Status checkLists(const vectors::Case &test) {
  if (!test.name() || !test.main())
    return dataLoss("has no name or no model");
  if (sizeOf(test.examples()) != 1)
    return dataLoss(fmt::format("has {} examples, must be 1", sizeOf(test.examples())));
  const vectors::Example &example = *test.examples()->Get(0);
  const vectors::Subgraph &main = *test.main();
  if (sizeOf(example.inputs()) != sizeOf(main.inputs()) || sizeOf(example.outputs()) != sizeOf(main.outputs()))
    return dataLoss("has other numbers of values than of inputs and outputs");
  for (const auto *list : {main.inputs(), main.outputs()})
    for (size_t i = 0; i < sizeOf(list); ++i)
      if (list->Get(static_cast<flatbuffers::uoffset_t>(i)) >= sizeOf(main.operands()))
        return dataLoss("names an operand that it does not have");
  return Status::ok();
}

Status checkCases(const vectors::SpecFile &root) {
  if (root.format_version() != kFormatVersion)
    return dataLoss(fmt::format("has format version {}, must be {}", root.format_version(), kFormatVersion));
  if (!root.spec() || !root.bucket())
    return dataLoss("names neither specification nor bucket");
  for (size_t i = 0; i < sizeOf(root.cases()); ++i)
    AVOCET_RETURN_IF_ERROR(
        checkLists(*root.cases()->Get(static_cast<flatbuffers::uoffset_t>(i))).withContext(fmt::format("case {}", i)));
  return Status::ok();
}

avocet::Result<const vectors::SpecFile *> verify(const Bytes &bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!vectors::VerifySpecFileBuffer(verifier))
    return dataLoss("is no vector file, or is truncated or corrupt");
  const vectors::SpecFile *root = vectors::GetSpecFile(bytes.data());
  AVOCET_RETURN_IF_ERROR(checkCases(*root));
  return root;
}

std::set<OperationType> typesOf(const vectors::Subgraph &graph) {
  std::set<OperationType> types;
  for (size_t i = 0; i < sizeOf(graph.operations()); ++i)
    types.insert(static_cast<OperationType>(graph.operations()->Get(static_cast<flatbuffers::uoffset_t>(i))->type()));
  return types;
}

/// The tested operation of the main graph: its control flow; else its only operation, ignoring the additions of zero
/// that variations add.
std::string primaryOf(std::set<OperationType> types) {
  for (OperationType control : {OperationType::If, OperationType::While})
    if (types.contains(control))
      return operationName(control);
  if (types.size() > 1)
    types.erase(OperationType::Add);
  return types.size() == 1 ? operationName(*types.begin()) : std::string(kSeveralOperations);
}

std::vector<std::string> allOperations(const vectors::Case &test) {
  std::set<OperationType> types = typesOf(*test.main());
  for (size_t i = 0; i < sizeOf(test.referenced()); ++i)
    types.merge(typesOf(*test.referenced()->Get(static_cast<flatbuffers::uoffset_t>(i))));
  std::vector<std::string> names;
  for (OperationType type : types)
    names.push_back(operationName(type));
  std::ranges::sort(names);
  return names;
}

/// Fences and device buffers need outputs of a known size above 0.
bool hasEmptyOutput(const vectors::Case &test) {
  const auto *outputs = test.examples()->Get(0)->outputs();
  for (size_t i = 0; i < sizeOf(outputs); ++i)
    if (sizeOf(outputs->Get(static_cast<flatbuffers::uoffset_t>(i))->data()) == 0)
      return true;
  return false;
}

KindSet kindsOf(const vectors::Case &test) {
  using vectors::Kind;
  KindSet kinds;
  auto addIf = [&](Kind bit, std::initializer_list<RunKind> list) {
    if ((test.kinds() & bit) == bit)
      for (RunKind kind : list)
        kinds.add(kind);
  };
  addIf(Kind::General, {RunKind::General, RunKind::Caching, RunKind::Reusable, RunKind::Asynchronous, RunKind::Burst,
                        RunKind::FmqBurst});
  addIf(Kind::DynamicShape, {RunKind::DynamicShape});
  if (!hasEmptyOutput(test)) {
    addIf(Kind::Fenced, {RunKind::Fenced});
    addIf(Kind::DeviceMemory, {RunKind::DeviceMemory});
  }
  addIf(Kind::QuantCoupling, {RunKind::SignedCoupling});
  addIf(Kind::Validation, {RunKind::Validation});
  addIf(Kind::LoopTimeout, {RunKind::LoopTimeout});
  const auto *outputs = test.examples()->Get(0)->outputs();
  if (kinds.has(RunKind::DynamicShape) && sizeOf(outputs) > 0 && sizeOf(outputs->Get(0)->data()) > 1)
    kinds.add(RunKind::OneByteShort);
  return kinds;
}

static_assert(static_cast<int>(vectors::Level::V1_0) == static_cast<int>(Version::V1_0) + 1 &&
              static_cast<int>(vectors::Level::AidlV3) == static_cast<int>(Version::AidlV3) + 1);

/// Levels count from 1; unknown levels need the first.
Version versionOf(vectors::Level level) {
  const int number = std::max(static_cast<int>(level) - 1, 0);
  return static_cast<Version>(std::min(number, static_cast<int>(kLatestVersion)));
}

Suite suiteOf(vectors::Suite suite) {
  if (suite == vectors::Suite::CtsAndVts)
    return Suite::Driver;
  return suite == vectors::Suite::CtsOnly ? Suite::Optional : Suite::Experimental;
}

} // namespace

avocet::Result<std::shared_ptr<const VectorFile>> VectorFile::read(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(Bytes bytes, readFile(path));
  return adopt(std::move(bytes), path);
}

avocet::Result<std::shared_ptr<const VectorFile>> VectorFile::adopt(Bytes bytes, std::string_view origin) {
  auto root = verify(bytes);
  if (!root)
    return root.status().withContext(origin);
  return std::shared_ptr<const VectorFile>(new VectorFile(std::move(bytes), *root));
}

size_t VectorFile::numCases() const { return sizeOf(root_->cases()); }

const vectors::Case &VectorFile::at(size_t index) const {
  return *root_->cases()->Get(static_cast<flatbuffers::uoffset_t>(index));
}

CaseInfo VectorFile::info(size_t index) const {
  const vectors::Case &test = at(index);
  return {.name = fmt::format("{}/{}/{}", root_->bucket()->c_str(), root_->spec()->c_str(), test.name()->c_str()),
          .primaryOperation = primaryOf(typesOf(*test.main())),
          .operations = allOperations(test),
          .level = versionOf(test.effective_level()),
          .suite = suiteOf(root_->suite()),
          .kinds = kindsOf(test)};
}

avocet::Result<TestCase> VectorFile::make(size_t index, Form form) const {
  TestCase made;
  made.info = info(index);
  AVOCET_RETURN_IF_ERROR(buildCase(at(index), form, made));
  return made;
}

avocet::Result<std::vector<CaseRef>> findCases(const std::string &path) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".nntv")
        files.push_back(entry->path().string());
  } else {
    files.push_back(path);
  }
  std::ranges::sort(files);
  std::vector<CaseRef> cases;
  for (const std::string &name : files) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const VectorFile> file, VectorFile::read(name));
    for (size_t i = 0; i < file->numCases(); ++i)
      cases.push_back({file, i});
  }
  if (cases.empty())
    return notFound(path + " holds no .nntv files");
  return cases;
}

} // namespace avocet::hal::conformance
