//===- FuzzCapi.cpp - Calls of the C library in any order -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a program: bytes that choose calls, their objects and their values. Objects are NULL, live, destroyed or
// of another kind, and calls come in any order; the last calls of a program come from two threads at once. Every call
// must return, with a code of the header and a message for each error, and results must be empty after an error.
//
//===----------------------------------------------------------------------===//

#include "CustomNetwork.h"
#include "avocet/avocet.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

constexpr std::string_view kTotal = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}, %s: tensor<1x4xf32> {nn.initial_state = dense<1.0> : tensor<1x4xf32>, nn.name = "total"}) -> (tensor<1x4xf32> {nn.name = "y"}, tensor<1x4xf32> {nn.name = "total"}) {
    %0 = nn.add %x, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    return %0, %0 : tensor<1x4xf32>, tensor<1x4xf32>
  }
})";
constexpr std::string_view kRefused = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x50xf32>) -> tensor<1x50xf32> {
    %y = nn.softmax %x beta 0x7F800000 : (tensor<1x50xf32>) -> tensor<1x50xf32>
    return %y : tensor<1x50xf32>
  }
})";
constexpr std::string_view kNetworks[] = {kTotal, kTotal, kRefused, "no network",
                                          std::string_view("\x1c\0\0\0TFL3", 8)};
/// With custom operators.
std::string_view customNetwork() {
  static const std::string &file = *new std::string(avocet::capi::test::CustomNetwork::file());
  return file;
}
constexpr const char *kNames[] = {"target",  "mode",   "profile", "optimize", "layer",  "changes", "ir",    "shape",
                                  "threads", "format", "none",    "fit",      "labels", "top",     "scale", nullptr};
constexpr const char *kValues[] = {"e256",  "timing", "true", "0", "1",    "false",
                                   "x=1x4", "mlir",   "",     "/", "crop", nullptr};
constexpr const char *kTensors[] = {"x", "y", "total", "", nullptr};
constexpr const char *kOperators[] = {"Halve", "Scale", "Halve", "Scale", "", nullptr};
constexpr const char *kDevices[] = {"sim", "null", "cpu", "kernel:/nonexistent", "service:none", "", nullptr};

/// Of callers: it outlives all programs.
alignas(64) char memory[4096];

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// A call that has ended, or that another thread computes.
std::atomic<AvocetCall *> lastCall = nullptr;

void end(AvocetError *error);

/// Asks a call, or what was one, for everything.
void examine(AvocetCall *call) {
  size_t size = 0;
  (void)avocetCallAttributes(call, &size);
  for (AvocetRole role = AVOCET_INPUT; role <= AVOCET_STATE; ++role) {
    AvocetTensor *tensor = nullptr;
    end(avocetCallTensor(call, role, avocetCallTensorCount(call, role), &tensor));
    require(tensor == nullptr);
  }
  avocetCallSetMessage(call, size ? "with attributes" : nullptr);
}

/// The outputs become zeros, unless `user` is a code that is none.
AvocetCode compute(void *user, AvocetCall *call) {
  examine(lastCall.exchange(call));
  examine(call);
  for (size_t i = 0; i < avocetCallTensorCount(call, AVOCET_OUTPUT); ++i) {
    AvocetTensor *tensor = nullptr;
    end(avocetCallTensor(call, AVOCET_OUTPUT, i, &tensor));
    std::memset(avocetTensorData(tensor), 0, avocetTensorBytes(tensor));
    end(avocetTensorBind(tensor, nullptr, 0));
  }
  require(*avocetCallName(call) != 0);
  return user ? *static_cast<const AvocetCode *>(user) : AvocetCode{AVOCET_OK};
}

/// Handles of all kinds, with those that were destroyed.
class Handles {
public:
  void *at(uint8_t index) const { return slots_[index % kCount].load(); }
  void put(uint8_t index, void *handle) {
    if (handle)
      slots_[index % kCount].store(handle);
  }

  static constexpr size_t kCount = 24;

private:
  std::array<std::atomic<void *>, kCount> slots_{};
};

/// The bytes of a program.
class Input {
public:
  Input(const uint8_t *data, size_t size) : data_(data), size_(size) {}
  bool isEmpty() const { return size_ == 0; }
  uint8_t next() { return size_ == 0 ? 0 : (--size_, *data_++); }
  template <typename T, size_t count> T of(const T (&choices)[count]) { return choices[next() % count]; }
  Input rest() const { return *this; }

private:
  const uint8_t *data_;
  size_t size_;
};

/// Every error has a code of the header and a message.
void end(AvocetError *error) {
  const AvocetCode code = avocetErrorCode(error);
  require(code >= AVOCET_OK && code <= AVOCET_INTERNAL && (code == AVOCET_OK) == (error == nullptr));
  require((*avocetErrorMessage(error) != 0) == (error != nullptr));
  for (size_t i = 0; i < avocetErrorReasonCount(error); ++i)
    require(*avocetErrorReason(error, i, AVOCET_REASON_RULE) != 0);
  avocetErrorDestroy(error);
}

class Calls {
public:
  Calls(Input input, Handles &handles, bool isAlone) : input_(input), handles_(handles), isAlone_(isAlone) {}

  bool isDone() const { return input_.isEmpty(); }
  Input rest() const { return input_; }

  void one() {
    switch (input_.next() % 34) {
    case 0:
      return make([](AvocetOptions **made) { return avocetOptionsCreate(made); });
    case 1:
      return end(avocetOptionsSet(any<AvocetOptions>(), input_.of(kNames), input_.of(kValues)));
    case 2:
    case 3:
      return openNetwork();
    case 4:
      return compile();
    case 5:
      return end(avocetNetworkCheck(any<AvocetNetwork>(), any<AvocetOptions>()));
    case 6:
      return makeWith<AvocetReport>(
          [&](auto **made) { return avocetNetworkExplain(any<AvocetNetwork>(), any<AvocetOptions>(), made); });
    case 7:
      return makeWith<AvocetDevice>(
          [&](auto **made) { return avocetDeviceOpen(input_.of(kDevices), any<AvocetOptions>(), made); });
    case 8:
    case 9:
      return createRun();
    case 10:
    case 11:
      return findTensor();
    case 12:
      return bind();
    case 13:
      return write();
    case 14:
    case 15:
      return end(avocetRunExecute(any<AvocetRun>()));
    case 16:
      return end(avocetRunStart(any<AvocetRun>(), input_.next() % 2 ? countCompleted : nullptr, nullptr));
    case 17:
      return end(avocetRunWait(any<AvocetRun>(), input_.next() % 2 ? -1 : 0));
    case 18:
      return end(avocetRunCancel(any<AvocetRun>()));
    case 19:
      return end(avocetRunReset(any<AvocetRun>()));
    case 20:
      return makeWith<AvocetReport>([&](auto **made) { return avocetRunReport(any<AvocetRun>(), made); });
    case 21:
      return ask();
    case 22:
      return savedModel();
    case 23:
      return end(avocetOptionsSet(any<AvocetOptions>(), "fallback", input_.next() % 8 ? "cpu" : "none"));
    case 24:
    case 25:
      return setOperator();
    case 26:
      return openCustomNetwork();
    case 27:
      return readImage();
    case 28:
      return makeWith<AvocetReport>(
          [&](auto **made) { return avocetTensorClasses(any<AvocetTensor>(), any<AvocetOptions>(), made); });
    case 29:
      return makeWith<AvocetReport>([&](auto **made) { return avocetTargetDescribe(any<AvocetOptions>(), made); });
    case 30:
      return list();
    case 31:
      return examine(lastCall);
    case 32:
      return examine(any<AvocetCall>());
    default:
      return destroy(input_.next());
    }
  }

  void destroyAll() {
    for (size_t i = 0; i < Handles::kCount; ++i)
      destroyEverything(handles_.at(uint8_t(i)));
  }

private:
  static void countCompleted(void *, AvocetCode code) { require(code >= AVOCET_OK && code <= AVOCET_INTERNAL); }

  template <typename T> T *any() { return static_cast<T *>(handles_.at(input_.next())); }

  template <typename T, typename Make> void makeWith(const Make &call) {
    T *made = nullptr;
    AvocetError *error = call(&made);
    require((made == nullptr) == (error != nullptr));
    end(error);
    handles_.put(input_.next(), made);
  }
  void make(AvocetError *(*call)(AvocetOptions **)) { makeWith<AvocetOptions>(call); }

  void openNetwork() {
    const std::string_view text = input_.of(kNetworks);
    makeWith<AvocetNetwork>(
        [&](auto **made) { return avocetNetworkCreate(text.data(), text.size(), "network.mlir", made); });
  }
  void openCustomNetwork() {
    const std::string_view file = customNetwork();
    makeWith<AvocetNetwork>(
        [&](auto **made) { return avocetNetworkCreate(file.data(), file.size(), "custom.tflite", made); });
  }
  void setOperator() {
    static constexpr AvocetCode kCodes[] = {AVOCET_OK, AVOCET_UNSUPPORTED, -1};
    const void *const user = input_.next() % 2 ? &kCodes[input_.next() % 3] : nullptr;
    end(avocetOptionsSetOperator(any<AvocetOptions>(), input_.of(kOperators), input_.next() % 8 ? compute : nullptr,
                                 const_cast<void *>(user)));
  }
  /// Of a file that is none, or of bytes: pictures have fuzz targets of their own.
  void readImage() {
    static constexpr std::string_view kPictures[] = {"", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0 JPEG", "GIF89a"};
    auto *tensor = any<AvocetTensor>();
    if (input_.next() % 4 == 0)
      return end(avocetTensorReadImage(tensor, "/nonexistent.png", any<AvocetOptions>()));
    const std::string_view picture = input_.of(kPictures);
    end(avocetTensorDecodeImage(tensor, picture.data(), picture.size(), any<AvocetOptions>()));
  }
  /// Of devices with a socket that does not exist: a service of this machine is not asked.
  void list() {
    if (input_.next() % 2)
      return makeWith<AvocetReport>([](auto **made) { return avocetTargetList(made); });
    AvocetOptions *options = nullptr;
    end(avocetOptionsCreate(&options));
    end(avocetOptionsSet(options, "socket", "/nonexistent"));
    makeWith<AvocetReport>([&](auto **made) { return avocetDeviceList(options, made); });
    avocetOptionsDestroy(options);
  }
  void compile() {
    makeWith<AvocetModel>(
        [&](auto **made) { return avocetNetworkCompile(any<AvocetNetwork>(), any<AvocetOptions>(), made); });
  }
  void createRun() {
    makeWith<AvocetRun>([&](auto **made) {
      return avocetRunCreate(any<AvocetModel>(), any<AvocetDevice>(), any<AvocetOptions>(), made);
    });
  }
  void findTensor() {
    const AvocetRole role = input_.next() % 5 - 1;
    makeWith<AvocetTensor>([&](auto **made) {
      switch (input_.next() % 4) {
      case 0:
        return avocetRunTensor(any<AvocetRun>(), role, input_.next() % 3, made);
      case 1:
        return avocetRunFindTensor(any<AvocetRun>(), role, input_.of(kTensors), made);
      case 2:
        return avocetModelTensor(any<AvocetModel>(), role, input_.next() % 3, made);
      default:
        return avocetModelFindTensor(any<AvocetModel>(), role, input_.of(kTensors), made);
      }
    });
  }
  void bind() {
    constexpr size_t kOffsets[] = {0, 1, 16, 4080};
    constexpr size_t kSizes[] = {16, 0, 15};
    char *place = input_.next() % 4 ? memory + input_.of(kOffsets) : nullptr;
    end(avocetTensorBind(any<AvocetTensor>(), place, input_.of(kSizes)));
  }
  /// Another thread may destroy the run, or execute it: then the data are not the caller's.
  void write() {
    const auto *tensor = any<AvocetTensor>();
    void *data = avocetTensorData(tensor);
    if (data && isAlone_)
      std::memset(data, input_.next(), avocetTensorBytes(tensor));
  }
  void ask() {
    const auto *tensor = any<AvocetTensor>();
    if (isAlone_)
      for (size_t i = 0; i < avocetTensorRank(tensor); ++i)
        require(avocetTensorShape(tensor)[i] > 0);
    (void)avocetRunCycles(any<AvocetRun>());
    (void)avocetRunCopiedBytes(any<AvocetRun>());
    (void)avocetModelTensorCount(any<AvocetModel>(), input_.next());
    const auto *report = any<AvocetReport>();
    if (isAlone_)
      require(std::strlen(avocetReportText(report)) == avocetReportSize(report));
  }
  void savedModel() { end(avocetModelSave(any<AvocetModel>(), "/nonexistent/folder")); }

  /// As an object of every kind: only one is right.
  static void destroyEverything(void *handle) {
    avocetRunDestroy(static_cast<AvocetRun *>(handle));
    avocetModelDestroy(static_cast<AvocetModel *>(handle));
    avocetNetworkDestroy(static_cast<AvocetNetwork *>(handle));
    avocetDeviceDestroy(static_cast<AvocetDevice *>(handle));
    avocetOptionsDestroy(static_cast<AvocetOptions *>(handle));
    avocetReportDestroy(static_cast<AvocetReport *>(handle));
    avocetErrorDestroy(static_cast<AvocetError *>(handle));
  }
  void destroy(uint8_t index) { destroyEverything(handles_.at(index)); }

  Input input_;
  Handles &handles_;
  const bool isAlone_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool isQuiet = ::setenv("AVOCET_LOG", "error", 0) == 0; // refusals are expected
  (void)isQuiet;
  Handles handles;
  const size_t together = size / 4; // bytes of the part with two threads
  Calls alone(Input(data, size - together), handles, /*isAlone=*/true);
  while (!alone.isDone())
    alone.one();
  const auto perform = [&](size_t skipped) {
    Calls calls(Input(data + (size - together) + skipped, together - skipped), handles, /*isAlone=*/false);
    while (!calls.isDone())
      calls.one();
  };
  if (together > 1) {
    std::thread other(perform, together / 2);
    perform(0);
    other.join();
  }
  alone.destroyAll();
  return 0;
}
