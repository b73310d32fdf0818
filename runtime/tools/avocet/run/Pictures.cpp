//===- Pictures.cpp - Pictures as inputs of runs ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pictures.h"

#include "avocet/session/Answers.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

/// Sets what the option gives.
Status take(const std::vector<double> &numbers, const char *option, std::optional<std::array<float, 3>> &into) {
  if (numbers.empty())
    return Status::ok();
  const Result<std::array<float, 3>> colors = session::numbersOfColors(numbers);
  if (!colors)
    return colors.status().withContext(option);
  into = *colors;
  return Status::ok();
}

} // namespace

void addPictureOptions(CommandLine &command, PictureOptions &options) {
  constexpr const char *kGroup = "Pictures";
  CommandOption image =
      command.addTexts("--image", options.files, "PNG or JPEG file for the only input; repeatable: a run for each");
  image.oneEach().valueName("FILE").group(kGroup).excludes(command.option("--input"));
  auto belong = [&](CommandOption option) { return option.needs(image).group(kGroup); };
  belong(addChoice(command, "--fit", options.choice.fit,
                   "Pictures of another aspect ratio: stretch them, crop their borders, or pad them with black; "
                   "default: stretch",
                   {{"stretch", session::Fit::Stretch}, {"crop", session::Fit::Crop}, {"pad", session::Fit::Pad}}));
  belong(addChoice(command, "--colors", options.choice.bgr, "Order of the channels; default: rgb",
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
  belong(command.addText("--labels", options.choice.labels,
                         "Names of the classes, one per line; default: of the file's metadata, or numbers"))
      .valueName("FILE");
  belong(addNumber(command, "--top", options.top, "Show the N best classes of each picture; default: 5", 1, 1000));
}

Result<Pictures> Pictures::open(const PictureOptions &options, const std::string &model) {
  Pictures pictures(options);
  if (options.files.empty())
    return pictures;
  session::PictureChoice choice = options.choice;
  AVOCET_RETURN_IF_ERROR(take(options.mean, "--mean", choice.mean));
  AVOCET_RETURN_IF_ERROR(take(options.scale, "--scale", choice.scale));
  AVOCET_ASSIGN_OR_RETURN(session::ModelMetadata metadata, session::metadataOfFile(model));
  pictures.form_ = session::imageForm(choice, metadata);
  AVOCET_ASSIGN_OR_RETURN(pictures.labels_, session::labelsOf(choice, std::move(metadata)));
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
  if (!session::hasClasses(output))
    return {};
  std::vector<analysis::ClassReport> classes;
  for (session::Answer &answer : session::bestAnswers(output, session.output(0), labels_, options_.top))
    classes.push_back(
        {options_.files[run % options_.files.size()], answer.label, std::move(answer.name), answer.score});
  return classes;
}

} // namespace avocet::tool
