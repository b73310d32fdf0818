//===- Pictures.cpp - Pictures as inputs of runs               -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pictures.h"

#include "avocet/base/File.h"
#include "avocet/session/Answers.h"
#include "avocet/session/ModelMetadata.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

using session::ModelMetadata;

Result<ModelMetadata> metadataOf(const std::string &model) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(model, error) || !model.ends_with(".tflite"))
    return ModelMetadata();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(model));
  Result<ModelMetadata> metadata = session::readModelMetadata(bytes);
  return metadata ? std::move(metadata) : Result<ModelMetadata>(metadata.status().withContext(model));
}

/// Sets what the option gives.
Status take(const std::vector<double> &numbers, const char *option, std::array<float, 3> &into) {
  if (numbers.size() != 1 && numbers.size() != into.size())
    return invalidArgument(
        fmt::format("{} has {} numbers; give one, or one each for red, green and blue", option, numbers.size()));
  for (size_t color = 0; color < into.size(); ++color)
    into[color] = static_cast<float>(numbers[numbers.size() == 1 ? 0 : color]);
  return Status::ok();
}

Status addOptions(const PictureOptions &options, std::optional<session::Normalization> &normalization) {
  if (options.mean.empty() && options.scale.empty())
    return Status::ok();
  if (!normalization)
    normalization.emplace();
  if (!options.mean.empty())
    AVOCET_RETURN_IF_ERROR(take(options.mean, "--mean", normalization->mean));
  if (!options.scale.empty())
    AVOCET_RETURN_IF_ERROR(take(options.scale, "--scale", normalization->scale));
  return Status::ok();
}

} // namespace

void addPictureOptions(CommandLine &command, PictureOptions &options) {
  constexpr const char *kGroup = "Pictures";
  CommandOption image =
      command.addTexts("--image", options.files, "PNG or JPEG file for the only input; repeatable: a run for each");
  image.oneEach().valueName("FILE").group(kGroup).excludes(command.option("--input"));
  auto belong = [&](CommandOption option) { return option.needs(image).group(kGroup); };
  belong(addChoice(command, "--fit", options.fit,
                   "Pictures of another aspect ratio: stretch them, crop their borders, or pad them with black; "
                   "default: stretch",
                   {{"stretch", session::Fit::Stretch}, {"crop", session::Fit::Crop}, {"pad", session::Fit::Pad}}));
  belong(addChoice(command, "--colors", options.bgr, "Order of the channels; default: rgb",
                   {{"rgb", false}, {"bgr", true}}));
  belong(addNumber(command, "--mean", options.mean,
                   "Subtracted from the bytes of a picture: one number, or R,G,B; default: of the file's metadata"))
      .delimiter(',')
      .valueName("N|R,G,B");
  belong(addNumber(command, "--scale", options.scale,
                   "Factor of the difference; default: of the file's metadata; without any, 8-bit inputs use their "
                   "whole range, and others 0 to 1"))
      .delimiter(',')
      .valueName("N|R,G,B");
  belong(command.addText("--labels", options.labels,
                         "Names of the classes, one per line; default: of the file's metadata, or numbers"))
      .valueName("FILE");
  belong(addNumber(command, "--top", options.top, "Show the N best classes of each picture; default: 5", 1, 1000));
}

Result<Pictures> Pictures::open(const PictureOptions &options, const std::string &model) {
  Pictures pictures(options);
  if (options.files.empty())
    return pictures;
  AVOCET_ASSIGN_OR_RETURN(ModelMetadata metadata, metadataOf(model));
  AVOCET_RETURN_IF_ERROR(addOptions(options, metadata.normalization));
  pictures.form_ = {options.fit, options.bgr, metadata.normalization};
  pictures.labels_ = std::move(metadata.labels);
  if (!options.labels.empty()) {
    AVOCET_ASSIGN_OR_RETURN(pictures.labels_, session::readLabels(options.labels));
  }
  return pictures;
}

Status Pictures::fill(session::Session &session, uint32_t run) const {
  if (session.numInputs() != 1)
    return invalidArgument(fmt::format("--image fills the only input of a network, this one has {}; give raw tensors "
                                       "with --input",
                                       session.numInputs()));
  const std::string &file = options_.files[run % options_.files.size()];
  AVOCET_ASSIGN_OR_RETURN(const session::Image image, session::readImage(file));
  return session::storeImage(image, form_, session.describeInput(0), session.input(0)).withContext(file);
}

std::vector<analysis::ClassReport> Pictures::classesOf(const session::Session &session, uint32_t run) const {
  if (options_.files.empty() || session.numOutputs() == 0)
    return {};
  const cache::OperandView output = session.describeOutput(0);
  if (output.shape.empty() || output.bytes != static_cast<uint64_t>(output.shape.back()) * sizeOf(output.type))
    return {}; // maps or boxes
  std::vector<analysis::ClassReport> classes;
  for (session::Answer &answer : session::bestAnswers(output, session.output(0), labels_, options_.top))
    classes.push_back(
        {options_.files[run % options_.files.size()], answer.label, std::move(answer.name), answer.score});
  return classes;
}

} // namespace avocet::tool
