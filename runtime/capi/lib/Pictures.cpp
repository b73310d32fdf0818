//===- Pictures.cpp - Pictures as inputs, classes as answers --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Run.h"
#include "avocet/session/Answers.h"
#include "avocet/session/Image.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::capi {

/// Of the network; it is about the first input and the first output.
Result<session::ModelMetadata> Run::metadata() {
  if (!metadata_) {
    AVOCET_ASSIGN_OR_RETURN(metadata_, source_->bytes.empty() ? session::metadataOfFile(source_->path)
                                                              : session::readModelMetadata(source_->bytes));
  }
  return *metadata_;
}

Status Run::storeImage(size_t index, const session::Image &image, const session::PictureChoice &choice) {
  AVOCET_RETURN_IF_ERROR(acquire());
  const NoExecution guard(*this);
  AVOCET_ASSIGN_OR_RETURN(session::ModelMetadata known, metadata());
  if (index != 0)
    known.normalization.reset();
  const std::span<uint8_t> copy = copiedInputs_[index];
  return session::storeImage(image, session::imageForm(choice, known), session_->describeInput(index),
                             copy.empty() ? session_->input(index) : copy);
}

Result<std::string> Run::classesText(size_t index, const session::PictureChoice &choice, size_t top) {
  AVOCET_RETURN_IF_ERROR(acquire());
  const NoExecution guard(*this);
  if (count_ == 0)
    return failedPrecondition("nothing was executed yet");
  const cache::OperandView output = session_->describeOutput(index);
  if (!session::hasClasses(output))
    return unsupported(fmt::format("'{}' has more than one score for each class; read the tensor", output.name));
  AVOCET_ASSIGN_OR_RETURN(session::ModelMetadata known, metadata());
  if (index != 0)
    known.labels.clear();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<std::string> labels, session::labelsOf(choice, std::move(known)));
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  for (const session::Answer &answer : session::bestAnswers(output, session_->output(index), labels, top))
    classes.push_back({{"label", answer.label}, {"name", answer.name}, {"score", answer.score}});
  const nlohmann::ordered_json document = {{"classes", std::move(classes)}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

struct OfRun {
  std::shared_ptr<const Tensor> tensor;
  std::shared_ptr<Run> run;
};

/// A tensor of a run with this role.
Result<OfRun> find(const AvocetTensor *handle, AvocetRole role, const char *what) {
  AVOCET_ASSIGN_OR_RETURN(auto tensor, need<TensorTable>(handle, "tensor"));
  auto run = tensor->run.lock();
  if (!run || tensor->role != role)
    return invalidArgument(fmt::format("'{}' is no {} of a run", tensor->view.name, what));
  return OfRun{std::move(tensor), std::move(run)};
}

template <typename Read> AvocetError *fill(AvocetTensor *tensor, const AvocetOptions *options, const Read &read) {
  return guarded([&]() -> Status {
    AVOCET_ASSIGN_OR_RETURN(const OfRun found, find(tensor, AVOCET_INPUT, "input"));
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    AVOCET_ASSIGN_OR_RETURN(const session::Image image, read());
    return found.run->storeImage(found.tensor->index, image, chosen.pictures);
  });
}

} // namespace
} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetTensorReadImage(AvocetTensor *tensor, const char *path, const AvocetOptions *options) {
  return fill(tensor, options, [&]() -> Result<session::Image> {
    AVOCET_RETURN_IF_ERROR(needText(path, "path of a picture"));
    return session::readImage(path);
  });
}

AvocetError *avocetTensorDecodeImage(AvocetTensor *tensor, const void *bytes, size_t size,
                                     const AvocetOptions *options) {
  return fill(tensor, options, [&]() -> Result<session::Image> {
    if (!bytes)
      return invalidArgument("no bytes of a picture were given");
    return session::decodeImage({static_cast<const uint8_t *>(bytes), size}, "the picture");
  });
}

AvocetError *avocetTensorClasses(const AvocetTensor *tensor, const AvocetOptions *options, AvocetReport **report) {
  return reported(report, [&]() -> Result<std::string> {
    AVOCET_ASSIGN_OR_RETURN(const OfRun found, find(tensor, AVOCET_OUTPUT, "output"));
    AVOCET_ASSIGN_OR_RETURN(const Options chosen, optionsOf(options));
    return found.run->classesText(found.tensor->index, chosen.pictures, chosen.top);
  });
}
