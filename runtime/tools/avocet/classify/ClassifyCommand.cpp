//===- ClassifyCommand.cpp - avocet classify --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accuracy.h"
#include "Commands.h"
#include "LabeledImages.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/session/Answers.h"
#include "avocet/session/Inputs.h"
#include "model/ModelSource.h"
#include "output/Picture.h"
#include "output/TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

struct ClassifyOptions {
  std::string model;
  std::string target;
  ImageOptions images;
  bool trustData = false;
  std::string backend;
  size_t show = 3;
  double minAccuracy = 0;
};

constexpr const char *kExamples = R"(Examples:
  avocet classify digits.tflite --images test-images.idx3-ubyte --labels test-labels.idx1-ubyte
  avocet classify out --images i.idx --labels l.idx --show 0 --min-accuracy 95   for scripts: fails below 95 %
)";

struct Answer {
  size_t item = 0;
  size_t label = 0;
  size_t answer = 0;
  double score = 0;
};

Result<Answer> classifyItem(session::LocalSession &session, const LabeledImages &data, size_t item,
                            const ClassifyOptions &options) {
  cache::OperandView input = session.model().input(0);
  AVOCET_RETURN_IF_ERROR(storeImage(data, item, options.images, input, session.input(0)));
  AVOCET_RETURN_IF_ERROR(session.reset()); // items do not depend on one another
  AVOCET_RETURN_IF_ERROR(session.run().status());
  const session::Answer best =
      session::bestAnswers(session.model().output(0), session.output(0), data.classNames, 1).front();
  return Answer{item, data.labels.data[item], best.label, best.score};
}

Result<std::vector<Answer>> classifyAll(session::LocalSession &session, const LabeledImages &data,
                                        const ClassifyOptions &options, Progress &progress) {
  size_t count = data.count(options.images);
  std::vector<Answer> answers;
  for (size_t item = 0; item < count; ++item) {
    progress.count("classifying", item, count);
    AVOCET_ASSIGN_OR_RETURN(Answer answer, classifyItem(session, data, item, options));
    answers.push_back(answer);
  }
  progress.clear();
  return answers;
}

void showPicture(const LabeledImages &data, const Answer &answer) {
  constexpr size_t kIndent = 2;
  const auto columns = static_cast<uint32_t>(std::min<size_t>(64, tableWidth() - kIndent));
  const std::vector<uint32_t> &shape = data.images.shape;
  PictureView view{data.images.item(answer.item), shape[1], shape.size() > 2 ? shape[2] : 1,
                   shape.size() > 3 ? shape[3] : 1};
  std::string verdict = answer.answer == answer.label ? "right" : "wrong, is " + data.classNames[answer.label];
  printOut("image {}: {} with score {:.3f} ({})\n", answer.item, data.classNames[answer.answer], answer.score, verdict);
  for (const std::string &line : drawPicture(view, pictureStyleForOutput(), columns))
    printOut("  {}\n", line);
}

/// Draws the first items, and the wrong answer with the model's highest confidence.
void showPictures(const LabeledImages &data, const std::vector<Answer> &answers, size_t count) {
  for (size_t i = 0; i < std::min(count, answers.size()); ++i)
    showPicture(data, answers[i]);
  const Answer *worst = nullptr;
  for (const Answer &answer : answers) {
    if (answer.answer != answer.label && (worst == nullptr || answer.score > worst->score))
      worst = &answer;
  }
  if (count > 0 && worst != nullptr && worst->item >= count) {
    printOut("the wrong answer with the highest score:\n");
    showPicture(data, *worst);
  }
}

Status printSummary(const LabeledImages &data, const std::vector<Answer> &answers, const ClassifyOptions &options) {
  constexpr size_t kMaxMatrixClasses = 20;
  ConfusionMatrix matrix(data.classNames.size());
  for (const Answer &answer : answers)
    matrix.add(answer.label, answer.answer);
  if (matrix.numClasses() <= kMaxMatrixClasses)
    printOut("{}\n", matrix.toString(data.classNames));
  double percent = 100 * matrix.accuracy();
  printOut("accuracy {:.2f}% ({} of {} images)\n", percent, matrix.numCorrect(), matrix.numAll());
  if (percent < options.minAccuracy)
    return failedPrecondition(
        fmt::format("the accuracy of {:.2f}% is below --min-accuracy, {:.2f}%", percent, options.minAccuracy));
  return Status::ok();
}

Status classify(const ClassifyOptions &options) {
  Progress progress;
  ModelChoice choice{options.model, options.target, {}};
  choice.trustData = options.trustData;
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::Text, progress));
  AVOCET_ASSIGN_OR_RETURN(const LabeledImages data,
                          readLabeledImages(options.images, *model.artefacts.model, options.model));
  session::LocalOptions sessionOptions;
  sessionOptions.backend = options.backend;
  sessionOptions.timing = false;
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<session::LocalSession> session,
                          session::LocalSession::open(model, sessionOptions));
  AVOCET_ASSIGN_OR_RETURN(std::vector<Answer> answers, classifyAll(*session, data, options, progress));
  showPictures(data, answers, options.show);
  AVOCET_RETURN_IF_ERROR(session->finish());
  return printSummary(data, answers, options);
}

} // namespace

void addClassifyCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ClassifyOptions>();
  CommandLine command =
      app.addSubcommand("classify", "Run a labeled data set through a classifier and print its accuracy");
  command.setFooter(std::string(kExamples) + kImageHelp);
  command.addText("model", options->model, "Model file (.tflite, .onnx, .tosa, .mlir) or directory of artefacts")
      .required();
  ImageFileOptions files = addImageOptions(command, options->images);
  files.images.required();
  files.labels.required();
  addNumber(command, "--show", options->show, "Draw the first N images and the worst mistake; default: 3");
  addNumber(command, "--limit", options->images.limit, "Use the first N images only");
  addNumber(command, "--min-accuracy", options->minAccuracy, "Fail below this accuracy in percent", 0, 100);
  command.addText("-t,--target", options->target, kTargetHelp);
  addTrustDataOption(command, options->trustData);
  command.addText("--backend", options->backend, "Back end, as for avocet run; default: sim");
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return classify(*options); }; });
}

} // namespace avocet::tool
