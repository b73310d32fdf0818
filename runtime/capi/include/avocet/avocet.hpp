//===- avocet.hpp - The C library for C++ programs --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// avocet.h with owners of handles, and exceptions for errors. C++17; all of it is in this header, so that programs and
// library need not have the same compiler. The contracts are those of avocet.h.
//
//   avocet::api::Network network("model.tflite");
//   avocet::api::Run run(network.compile());
//   ... run.input(0).data() ...
//   run.execute();
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_AVOCET_HPP
#define AVOCET_AVOCET_HPP

#include "avocet/avocet.h"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace avocet::api {

/// Why one operator was refused; see AvocetReasonField.
struct Reason {
  std::string op, number, tensor, location, operand, rule, value, limit, advice;
};

class Error : public std::runtime_error {
public:
  Error(AvocetCode code, const std::string &message, std::vector<Reason> reasons = {}, std::string json = {})
      : std::runtime_error(message), code_(code), reasons_(std::move(reasons)), json_(std::move(json)) {}

  AvocetCode code() const { return code_; }
  const std::vector<Reason> &reasons() const { return reasons_; }
  /// See avocetErrorJson().
  const std::string &json() const { return json_; }

private:
  AvocetCode code_;
  std::vector<Reason> reasons_;
  std::string json_;
};

/// What a call has returned as an exception, and the end of its error.
inline Error takeError(AvocetError *error) {
  const std::unique_ptr<AvocetError, void (*)(AvocetError *)> owner(error, avocetErrorDestroy);
  std::vector<Reason> reasons;
  for (size_t i = 0; i < avocetErrorReasonCount(error); ++i) {
    const auto field = [&](AvocetReasonField each) { return std::string(avocetErrorReason(error, i, each)); };
    reasons.push_back({field(AVOCET_REASON_OPERATOR), field(AVOCET_REASON_NUMBER), field(AVOCET_REASON_TENSOR),
                       field(AVOCET_REASON_LOCATION), field(AVOCET_REASON_OPERAND), field(AVOCET_REASON_RULE),
                       field(AVOCET_REASON_VALUE), field(AVOCET_REASON_LIMIT), field(AVOCET_REASON_ADVICE)});
  }
  return {avocetErrorCode(error), avocetErrorMessage(error), std::move(reasons), avocetErrorJson(error)};
}

inline void check(AvocetError *error) {
  if (error)
    throw takeError(error);
}

/// The owner of a handle. Moves, and does not copy.
template <typename Handle, void (*destroy)(Handle *)> class Owner {
public:
  Owner() = default;
  explicit Owner(Handle *handle) : handle_(handle) {}
  Owner(Owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() { destroy(handle_); }

  /// For the functions of avocet.h.
  Handle *handle() const { return handle_; }

protected:
  Handle *handle_ = nullptr;
};

class Call;

class Options : public Owner<AvocetOptions, avocetOptionsDestroy> {
public:
  Options() { check(avocetOptionsCreate(&handle_)); }

  Options &set(const std::string &name, const std::string &value) {
    check(avocetOptionsSet(handle_, name.c_str(), value.c_str()));
    return *this;
  }
  /// See AvocetProgress. It must not throw.
  Options &onProgress(std::function<void(const char *what, uint32_t done, uint32_t total)> progress) {
    calls_->progress = std::move(progress);
    check(avocetOptionsSetProgress(
        handle_,
        [](void *user, const char *what, uint32_t done, uint32_t total) {
          static_cast<Calls *>(user)->progress(what, done, total);
        },
        calls_.get()));
    return *this;
  }
  /// See AvocetCancelled. It must not throw.
  Options &cancelWhen(std::function<bool()> cancelled) {
    calls_->cancelled = std::move(cancelled);
    check(avocetOptionsSetCancelled(
        handle_, [](void *user) -> int32_t { return static_cast<Calls *>(user)->cancelled(); }, calls_.get()));
    return *this;
  }

  /// See avocetOptionsSetOperator(). What it throws ends the execution with its message. Models that are compiled with
  /// these options, and their runs, must not outlive them.
  Options &setOperator(const std::string &name, std::function<void(const Call &call)> compute) {
    std::function<void(const Call &)> &kept = calls_->operators[name] = std::move(compute);
    check(avocetOptionsSetOperator(handle_, name.c_str(), callOperator, &kept));
    return *this;
  }

private:
  struct Calls {
    std::function<void(const char *, uint32_t, uint32_t)> progress;
    std::function<bool()> cancelled;
    std::map<std::string, std::function<void(const Call &)>> operators;
  };
  static AvocetCode callOperator(void *user, AvocetCall *call);
  std::unique_ptr<Calls> calls_ = std::make_unique<Calls>();
};

inline AvocetOptions *handleOf(const Options *options) { return options ? options->handle() : nullptr; }

/// The text of a report, and its end.
inline std::string takeText(AvocetReport *report) {
  const Owner<AvocetReport, avocetReportDestroy> owner(report);
  return {avocetReportText(report), avocetReportSize(report)};
}

/// Of a model or run, which owns it.
class Tensor {
public:
  explicit Tensor(AvocetTensor *handle) : handle_(handle) {}

  AvocetTensor *handle() const { return handle_; }
  std::string name() const { return avocetTensorName(handle_); }
  AvocetType type() const { return avocetTensorType(handle_); }
  std::vector<int32_t> shape() const {
    const int32_t *extents = avocetTensorShape(handle_);
    return {extents, extents + avocetTensorRank(handle_)};
  }
  size_t bytes() const { return avocetTensorBytes(handle_); }
  std::vector<float> scales() const {
    const float *scales = avocetTensorScales(handle_);
    return {scales, scales + avocetTensorScaleCount(handle_)};
  }
  std::vector<int32_t> zeroPoints() const {
    const int32_t *points = avocetTensorZeroPoints(handle_);
    return {points, points + avocetTensorScaleCount(handle_)};
  }
  int32_t axis() const { return avocetTensorAxis(handle_); }
  template <typename T = void> T *data() const { return static_cast<T *>(avocetTensorData(handle_)); }
  void bind(void *memory, size_t bytes) const { check(avocetTensorBind(handle_, memory, bytes)); }
  /// Fills an input of a run from a PNG or JPEG file.
  void readImage(const std::string &path, const Options *options = nullptr) const {
    check(avocetTensorReadImage(handle_, path.c_str(), handleOf(options)));
  }
  void decodeImage(const void *bytes, size_t size, const Options *options = nullptr) const {
    check(avocetTensorDecodeImage(handle_, bytes, size, handleOf(options)));
  }
  /// The best classes of an output of a run, as JSON.
  std::string classes(const Options *options = nullptr) const {
    AvocetReport *report = nullptr;
    check(avocetTensorClasses(handle_, handleOf(options), &report));
    return takeText(report);
  }
  void unbind() const { check(avocetTensorBind(handle_, nullptr, 0)); }

private:
  AvocetTensor *handle_;
};

/// One call of an operator of the application, until it returns.
class Call {
public:
  explicit Call(AvocetCall *handle) : handle_(handle) {}

  AvocetCall *handle() const { return handle_; }
  std::string name() const { return avocetCallName(handle_); }
  size_t count(AvocetRole role) const { return avocetCallTensorCount(handle_, role); }
  Tensor tensor(AvocetRole role, size_t index) const {
    AvocetTensor *tensor = nullptr;
    check(avocetCallTensor(handle_, role, index, &tensor));
    return Tensor(tensor);
  }
  Tensor input(size_t index) const { return tensor(AVOCET_INPUT, index); }
  Tensor output(size_t index) const { return tensor(AVOCET_OUTPUT, index); }
  std::string attributes() const {
    size_t size = 0;
    const void *bytes = avocetCallAttributes(handle_, &size);
    return {static_cast<const char *>(bytes), size};
  }

private:
  AvocetCall *handle_;
};

inline AvocetCode Options::callOperator(void *user, AvocetCall *call) {
  try {
    (*static_cast<std::function<void(const Call &)> *>(user))(Call(call));
    return AVOCET_OK;
  } catch (const Error &error) {
    avocetCallSetMessage(call, error.what());
    return error.code();
  } catch (const std::exception &error) {
    avocetCallSetMessage(call, error.what());
    return AVOCET_INTERNAL;
  }
}

class Model : public Owner<AvocetModel, avocetModelDestroy> {
public:
  explicit Model(AvocetModel *handle) : Owner(handle) {}
  explicit Model(const std::string &directory, const Options *options = nullptr) {
    check(avocetModelOpen(directory.c_str(), handleOf(options), &handle_));
  }

  void save(const std::string &directory) const { check(avocetModelSave(handle_, directory.c_str())); }
  std::string name() const { return avocetModelName(handle_); }
  std::string target() const { return avocetModelTarget(handle_); }
  uint64_t predictedCycles() const { return avocetModelPredictedCycles(handle_); }
  size_t count(AvocetRole role) const { return avocetModelTensorCount(handle_, role); }
  Tensor tensor(AvocetRole role, size_t index) const {
    AvocetTensor *tensor = nullptr;
    check(avocetModelTensor(handle_, role, index, &tensor));
    return Tensor(tensor);
  }
  Tensor tensor(AvocetRole role, const std::string &name) const {
    AvocetTensor *tensor = nullptr;
    check(avocetModelFindTensor(handle_, role, name.c_str(), &tensor));
    return Tensor(tensor);
  }
};

class Network : public Owner<AvocetNetwork, avocetNetworkDestroy> {
public:
  explicit Network(const std::string &path) { check(avocetNetworkOpen(path.c_str(), &handle_)); }
  /// The bytes must not change while the network exists.
  Network(const void *bytes, size_t size, const std::string &name) {
    check(avocetNetworkCreate(bytes, size, name.c_str(), &handle_));
  }

  /// Throws AVOCET_UNSUPPORTED with all reasons.
  void checkSupport(const Options *options = nullptr) const { check(avocetNetworkCheck(handle_, handleOf(options))); }
  Model compile(const Options *options = nullptr) const {
    AvocetModel *model = nullptr;
    check(avocetNetworkCompile(handle_, handleOf(options), &model));
    return Model(model);
  }
  std::string explain(const Options *options = nullptr) const {
    AvocetReport *report = nullptr;
    check(avocetNetworkExplain(handle_, handleOf(options), &report));
    return takeText(report);
  }
  std::string report(const Options *options = nullptr) const {
    AvocetReport *report = nullptr;
    check(avocetNetworkReport(handle_, handleOf(options), &report));
    return takeText(report);
  }
};

class Device : public Owner<AvocetDevice, avocetDeviceDestroy> {
public:
  explicit Device(const std::string &name, const Options *options = nullptr) {
    check(avocetDeviceOpen(name.c_str(), handleOf(options), &handle_));
  }
  std::string name() const { return avocetDeviceName(handle_); }
};

/// JSON about the shipped targets; about the target of options, with all figures; about devices and services.
inline std::string targets() {
  AvocetReport *report = nullptr;
  check(avocetTargetList(&report));
  return takeText(report);
}
inline std::string describeTarget(const Options *options = nullptr) {
  AvocetReport *report = nullptr;
  check(avocetTargetDescribe(handleOf(options), &report));
  return takeText(report);
}
inline std::string devices(const Options *options = nullptr) {
  AvocetReport *report = nullptr;
  check(avocetDeviceList(handleOf(options), &report));
  return takeText(report);
}

class Run : public Owner<AvocetRun, avocetRunDestroy> {
public:
  explicit Run(const Model &model, const Device *device = nullptr, const Options *options = nullptr) {
    check(avocetRunCreate(model.handle(), device ? device->handle() : nullptr, handleOf(options), &handle_));
  }

  Tensor tensor(AvocetRole role, size_t index) const {
    AvocetTensor *tensor = nullptr;
    check(avocetRunTensor(handle_, role, index, &tensor));
    return Tensor(tensor);
  }
  Tensor tensor(AvocetRole role, const std::string &name) const {
    AvocetTensor *tensor = nullptr;
    check(avocetRunFindTensor(handle_, role, name.c_str(), &tensor));
    return Tensor(tensor);
  }
  Tensor input(size_t index) const { return tensor(AVOCET_INPUT, index); }
  Tensor output(size_t index) const { return tensor(AVOCET_OUTPUT, index); }

  void execute() { check(avocetRunExecute(handle_)); }
  void start(AvocetCompleted completed = nullptr, void *user = nullptr) {
    check(avocetRunStart(handle_, completed, user));
  }
  void wait() { check(avocetRunWait(handle_, -1)); }
  void cancel() { check(avocetRunCancel(handle_)); }
  void reset() { check(avocetRunReset(handle_)); }
  uint64_t cycles() const { return avocetRunCycles(handle_); }
  uint64_t copiedBytes() const { return avocetRunCopiedBytes(handle_); }
  std::string report() const {
    AvocetReport *report = nullptr;
    check(avocetRunReport(handle_, &report));
    return takeText(report);
  }
  std::string trace() const {
    AvocetReport *report = nullptr;
    check(avocetRunTrace(handle_, &report));
    return takeText(report);
  }
};

} // namespace avocet::api

#endif // AVOCET_AVOCET_HPP
