//===- ModelMetadata.cpp - What a .tflite file says of pictures -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ModelMetadata.h"

#include "TfliteMetadata_generated.h"
#include "Tflite_generated.h"
#include "avocet/session/Answers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <zip.h>

namespace avocet::session {
namespace {

namespace format = tflite_metadata;

constexpr const char *kMetadata = "TFLITE_METADATA";
constexpr uint64_t kMostLabelBytes = 16 << 20;

Status damaged(std::string_view what) {
  return dataLoss(fmt::format("the metadata of the .tflite file is damaged: {}", what));
}

/// Nothing: the file has none.
const format::ModelMetadata *metadataOf(const avocet::tflite::Model &model, Status &status) {
  if (model.metadata() == nullptr || model.buffers() == nullptr)
    return nullptr;
  for (const avocet::tflite::Metadata *entry : *model.metadata()) {
    if (entry->name() == nullptr || entry->name()->string_view() != kMetadata)
      continue;
    const auto *buffer = entry->buffer() < model.buffers()->size() ? model.buffers()->Get(entry->buffer()) : nullptr;
    if (buffer == nullptr || buffer->data() == nullptr)
      continue;
    flatbuffers::Verifier verifier(buffer->data()->data(), buffer->data()->size());
    if (format::VerifyModelMetadataBuffer(verifier))
      return format::GetModelMetadata(buffer->data()->data());
    status = damaged("its tables do not fit");
  }
  return nullptr;
}

template <typename Tensors> const format::TensorMetadata *firstOf(const Tensors *tensors) {
  return tensors != nullptr && tensors->size() > 0 ? tensors->Get(0) : nullptr;
}

/// One value is that of all colors.
bool take(const flatbuffers::Vector<float> *values, std::array<float, 3> &into) {
  if (values == nullptr || (values->size() != 1 && values->size() != into.size()))
    return false;
  for (uint32_t i = 0; i < into.size(); ++i)
    into[i] = values->Get(values->size() == 1 ? 0 : i);
  return std::ranges::all_of(into, [](float value) { return std::isfinite(value); });
}

std::optional<Normalization> normalizationOf(const format::TensorMetadata *input) {
  if (input == nullptr || input->process_units() == nullptr)
    return std::nullopt;
  for (const format::ProcessUnit *unit : *input->process_units()) {
    const format::NormalizationOptions *options = unit->options_as_NormalizationOptions();
    Normalization normalization;
    std::array<float, 3> deviation{};
    if (options == nullptr || !take(options->mean(), normalization.mean) || !take(options->std(), deviation))
      continue;
    std::ranges::transform(deviation, normalization.scale.begin(), [](float value) { return 1 / value; });
    if (std::ranges::all_of(normalization.scale, [](float value) { return std::isfinite(value); }))
      return normalization;
  }
  return std::nullopt;
}

/// Empty: the output has no labels.
std::string labelFileOf(const format::TensorMetadata *output) {
  if (output == nullptr || output->associated_files() == nullptr)
    return "";
  for (const format::AssociatedFile *file : *output->associated_files())
    if (file->type() == format::AssociatedFileType::TENSOR_AXIS_LABELS && file->name() != nullptr)
      return file->name()->str();
  return "";
}

struct CloseZip {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t *member) const { zip_fclose(member); }
};

/// A member of the archive at the end of a file.
Result<std::string> readMember(std::span<const uint8_t> file, const std::string &name) {
  zip_source_t *source = zip_source_buffer_create(file.data(), file.size(), 0, nullptr);
  if (source == nullptr)
    return resourceExhausted("no memory to read the labels of the .tflite file");
  const std::unique_ptr<zip_t, CloseZip> archive(zip_open_from_source(source, ZIP_RDONLY, nullptr));
  if (!archive) {
    zip_source_free(source);
    return damaged("it names labels, and no archive follows the network");
  }
  zip_stat_t state;
  zip_stat_init(&state);
  if (zip_stat(archive.get(), name.c_str(), 0, &state) != 0)
    return damaged(fmt::format("it has no file '{}'", name));
  if (state.size > kMostLabelBytes)
    return damaged(fmt::format("the labels have {} bytes; {} are allowed", state.size, kMostLabelBytes));
  const std::unique_ptr<zip_file_t, CloseMember> member(zip_fopen(archive.get(), name.c_str(), 0));
  std::string text(state.size, '\0');
  if (!member || zip_fread(member.get(), text.data(), text.size()) != static_cast<zip_int64_t>(text.size()))
    return damaged(fmt::format("'{}' cannot be unpacked", name));
  return text;
}

} // namespace

Result<ModelMetadata> readModelMetadata(std::span<const uint8_t> file) {
  ModelMetadata result;
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!avocet::tflite::VerifyModelBuffer(verifier))
    return dataLoss("it is no .tflite file, or damaged");
  Status status;
  const format::ModelMetadata *metadata = metadataOf(*avocet::tflite::GetModel(file.data()), status);
  AVOCET_RETURN_IF_ERROR(status);
  if (metadata == nullptr || metadata->subgraph_metadata() == nullptr || metadata->subgraph_metadata()->size() == 0)
    return result;
  const format::SubGraphMetadata &graph = *metadata->subgraph_metadata()->Get(0);
  result.normalization = normalizationOf(firstOf(graph.input_tensor_metadata()));
  if (const std::string name = labelFileOf(firstOf(graph.output_tensor_metadata())); !name.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const std::string text, readMember(file, name));
    result.labels = splitLabels(text);
  }
  return result;
}

} // namespace avocet::session
