//===- Pictures.cpp - Pictures and classes of one network -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Pictures.h"

#include "avocet/base/File.h"
#include "avocet/session/Answers.h"

#include <filesystem>
#include <fmt/format.h>

namespace avocet::session {

Result<std::array<float, 3>> numbersOfColors(std::span<const double> numbers) {
  std::array<float, 3> colors{};
  if (numbers.size() != 1 && numbers.size() != colors.size())
    return invalidArgument(
        fmt::format("has {} numbers; give one, or one each for red, green and blue", numbers.size()));
  for (size_t color = 0; color < colors.size(); ++color)
    colors[color] = static_cast<float>(numbers[numbers.size() == 1 ? 0 : color]);
  return colors;
}

Result<ModelMetadata> metadataOfFile(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || !path.ends_with(".tflite"))
    return ModelMetadata();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  Result<ModelMetadata> metadata = readModelMetadata(bytes);
  return metadata ? std::move(metadata) : Result<ModelMetadata>(metadata.status().withContext(path));
}

ImageForm imageForm(const PictureChoice &choice, const ModelMetadata &metadata) {
  ImageForm form{choice.fit, choice.bgr, metadata.normalization};
  if (!form.normalization && (choice.mean || choice.scale))
    form.normalization.emplace();
  if (choice.mean)
    form.normalization->mean = *choice.mean;
  if (choice.scale)
    form.normalization->scale = *choice.scale;
  return form;
}

Result<std::vector<std::string>> labelsOf(const PictureChoice &choice, ModelMetadata metadata) {
  return choice.labels.empty() ? std::move(metadata.labels) : readLabels(choice.labels);
}

bool hasClasses(const cache::OperandView &output) {
  return !output.shape.empty() && output.bytes == static_cast<uint64_t>(output.shape.back()) * sizeOf(output.type);
}

} // namespace avocet::session
