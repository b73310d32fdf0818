//===- Networks.cpp - Networks of callers ---------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallObserver.h"
#include "Guard.h"
#include "Models.h"
#include "Reasons.h"
#include "avocet/analysis/TfliteModel.h"
#include "avocet/base/Knobs.h"
#include "avocet/documents/Explanation.h"
#include "avocet/documents/ReportDocument.h"
#include "avocet/runtime/LinkedBackends.h"
#include "avocet/session/TargetFile.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace avocet::capi {
namespace {

/// What a call about a network has.
struct Call {
  Options options;
  network::ModelChoice choice;
};

Result<Call> callFor(const AvocetNetwork *network, const AvocetOptions *options) {
  runtime::registerLinkedBackends(); // searches for schedules run networks
  AVOCET_ASSIGN_OR_RETURN(const auto found, need<NetworkTable>(network, "network"));
  AVOCET_ASSIGN_OR_RETURN(Options chosen, optionsOf(options));
  network::ModelChoice choice = chosen.choice;
  choice.path = found->path;
  choice.bytes = found->bytes;
  return Call{std::move(chosen), std::move(choice)};
}

/// Calls `work` for a network, and adds to its error what the compiler said.
template <typename Work>
AvocetError *withNetwork(const AvocetNetwork *network, const AvocetOptions *options, const Work &work) {
  const Result<Call> call = callFor(network, options);
  if (!call)
    return makeError(call.status());
  CallObserver observer(call->options);
  const Status status = work(*call, observer);
  return status.isOk() ? nullptr : makeError(observer.errorOf(status, call->choice));
}

/// The target of artefacts as a name, or as the file beside them.
std::string targetIn(const std::string &directory, const firmware::Target &target) {
  std::error_code error;
  const std::string file = directory + "/" + session::kTargetFileName;
  return std::filesystem::exists(file, error) ? file : target.name();
}

} // namespace

Result<AvocetModel *> loadModel(const network::ModelChoice &choice, const Options &options,
                                network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(session::LoadedModel loaded, network::loadModel(choice, observer));
  auto model = std::make_shared<Model>();
  model->name = loaded.name;
  model->targetName = loaded.target->name();
  std::error_code error;
  const bool isDirectory = choice.bytes.empty() && std::filesystem::is_directory(choice.path, error);
  model->target = !choice.target.empty() ? choice.target
                  : isDirectory          ? targetIn(choice.path, *loaded.target)
                                         : loaded.target->name();
  model->targetText = options.targetText;
  Source source{choice.path, {}, choice.format == compiler::InputFormat::Onnx || choice.path.ends_with(".onnx")};
  if (source.isOnnx || analysis::isTflite(choice.bytes))
    source.bytes.assign(choice.bytes.begin(), choice.bytes.end());
  model->source = std::make_shared<const Source>(std::move(source));
  model->loaded = std::move(loaded);
  return table<ModelTable>().add(std::move(model));
}

} // namespace avocet::capi

using namespace avocet;
using namespace avocet::capi;

AvocetError *avocetNetworkOpen(const char *path, AvocetNetwork **network) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(network));
    AVOCET_RETURN_IF_ERROR(needText(path, "path"));
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      return notFound(std::string(path) + ": there is no such file or directory");
    *network = table<NetworkTable>().add(std::make_shared<const Network>(Network{path, {}}));
    return Status::ok();
  });
}

AvocetError *avocetNetworkCreate(const void *bytes, size_t size, const char *name, AvocetNetwork **network) {
  return guarded([&]() -> Status {
    AVOCET_RETURN_IF_ERROR(clearResult(network));
    AVOCET_RETURN_IF_ERROR(needText(name, "name of the network"));
    if (!bytes || size == 0)
      return invalidArgument(std::string(name) + ": the network has no bytes");
    const std::span<const uint8_t> view(static_cast<const uint8_t *>(bytes), size);
    *network = table<NetworkTable>().add(std::make_shared<const Network>(Network{name, view}));
    return Status::ok();
  });
}

AvocetError *avocetNetworkCheck(const AvocetNetwork *network, const AvocetOptions *options) {
  return guarded([&]() -> AvocetError * {
    AvocetError *refused = nullptr;
    AvocetError *failed = withNetwork(network, options, [&](const Call &call, network::Observer &observer) -> Status {
      Status status = network::loadModel(call.choice, observer).status();
      if (status.code() != StatusCode::Unsupported)
        return status;
      // A compilation ends after the first phase that refuses.
      AVOCET_ASSIGN_OR_RETURN(const auto operators, documents::refusedOperators(call.choice, observer));
      refused = makeError(Error{AVOCET_UNSUPPORTED, status.message(), reasonsOf(operators)});
      return Status::ok();
    });
    return failed ? failed : refused;
  });
}

AvocetError *avocetNetworkCompile(const AvocetNetwork *network, const AvocetOptions *options, AvocetModel **model) {
  return guarded([&]() -> AvocetError * {
    if (const Status status = clearResult(model); !status.isOk())
      return makeError(status);
    return withNetwork(network, options, [&](const Call &call, network::Observer &observer) -> Status {
      AVOCET_ASSIGN_OR_RETURN(*model, capi::loadModel(call.choice, call.options, observer));
      return Status::ok();
    });
  });
}

static Status explain(const Call &call, network::Observer &observer, AvocetReport **report) {
  const documents::ExplainRequest request{call.choice, call.options.layer, !call.options.triesChanges};
  const Result<documents::Explanation> explanation = documents::explainNetwork(request, observer);
  if (explanation) {
    *report = addReport(documents::explanationJson(*explanation));
    return Status::ok();
  }
  if (explanation.code() != StatusCode::Unsupported)
    return explanation.status();
  AVOCET_ASSIGN_OR_RETURN(const documents::RefusedNetwork refused,
                          documents::explainRefusals(request, explanation.status(), observer));
  *report = addReport(documents::refusalsJson(call.choice.path, refused.target, refused.operators));
  return Status::ok();
}

AvocetError *avocetNetworkExplain(const AvocetNetwork *network, const AvocetOptions *options, AvocetReport **report) {
  return guarded([&]() -> AvocetError * {
    if (const Status status = clearResult(report); !status.isOk())
      return makeError(status);
    return withNetwork(network, options,
                       [&](const Call &call, network::Observer &observer) { return explain(call, observer, report); });
  });
}

AvocetError *avocetNetworkReport(const AvocetNetwork *network, const AvocetOptions *options, AvocetReport **report) {
  return guarded([&]() -> AvocetError * {
    if (const Status status = clearResult(report); !status.isOk())
      return makeError(status);
    return withNetwork(network, options, [&](const Call &call, network::Observer &observer) -> Status {
      AVOCET_ASSIGN_OR_RETURN(const documents::Json document,
                              documents::makeDocument(call.choice, {.withIr = call.options.withIr}, observer));
      *report = addReport(documents::documentText(document));
      return Status::ok();
    });
  });
}

void avocetNetworkDestroy(AvocetNetwork *network) { destroy<NetworkTable>(network); }

const char *avocetReportText(const AvocetReport *report) {
  return valueOf<ReportTable>(report, "", [](const Report &each) { return each.text.c_str(); });
}

size_t avocetReportSize(const AvocetReport *report) {
  return valueOf<ReportTable>(report, size_t{0}, [](const Report &each) { return each.text.size(); });
}

void avocetReportDestroy(AvocetReport *report) { destroy<ReportTable>(report); }
