//===- Client.h - One client process of the service ------------ -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A life is one run of a client process: connect, then one random action after the other, until the steps are done or
// the process is killed. A violated expectation ends the process with kFailed and the reason on the state.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_CLIENT_H
#define AVOCET_TESTS_STRESS_CLIENT_H

#include "Models.h"
#include "Random.h"
#include "SharedState.h"

#include <initializer_list>
#include <optional>

namespace avocet::stress {

inline constexpr int kFailed = 3; ///< exit code

/// Behavior of a client.
enum class Role : uint32_t {
  Worker,  ///< all actions of a well-behaved client
  Suicide, ///< kills itself at a random moment of a random action
  Poor,    ///< little address space and few descriptors
  Patient, ///< a worker whose objects outlive the service
  Greedy,  ///< allocates as much as possible, up to its quotas
  Vandal,  ///< sends garbage, truncates memory that is in use
};
inline constexpr size_t kNumRoles = 6;
std::string_view toString(Role role);

struct ClientOptions {
  int state = -1;
  uint32_t slot = 0;
  uint64_t seed = 1;
  uint64_t modelSeed = 1;
  size_t models = 8;
  uint64_t steps = 40;
  Role role = Role::Worker;
  std::string socket, device, goldens;
};

/// Runs a life; returns the process's exit code.
int runClient(const ClientOptions &options);

struct Action;

/// A model that this client has prepared.
struct Held {
  const StressModel *model = nullptr;
  std::shared_ptr<hal::IPreparedModel> prepared;
};

/// The state that actions use. One thread.
class Client {
public:
  Client(const ClientOptions &options, SharedStateContent &state, std::vector<StressModel> models);

  /// Connects, also after the service's death; waits for a service that is being restarted.
  void connect();

  Random &random() { return random_; }
  const ClientOptions &options() const { return options_; }
  hal::IDevice &device() { return *device_; }
  std::vector<Held> &held() { return held_; }
  const StressModel &anyModel() { return models_[random_.below(models_.size())]; }
  /// A random one of the prepared models; prepares one if there is none. Nothing if that was refused.
  std::optional<Held> anyHeld();
  /// Prepares and keeps a model.
  bool prepare(const StressModel &model, const hal::PrepareOptions &options = {});
  void drop(size_t index);

  /// Counts the result of a call. True: success. An error that is neither in `allowed` nor possible at any time
  /// (resources exhausted, service killed) ends the life.
  bool judge(std::string_view what, hal::ErrorStatus status, const std::string &message,
             std::initializer_list<hal::ErrorStatus> allowed = {});
  template <typename T>
  bool judge(std::string_view what, const hal::Result<T> &result,
             std::initializer_list<hal::ErrorStatus> allowed = {}) {
    return judge(what, result.code(), result.isOk() ? std::string() : result.error().message, allowed);
  }
  /// Ends the life if the bytes differ from the golden ones after `applications`.
  void compare(std::string_view what, const StressModel &model, size_t applications, std::span<const uint8_t> bytes);

  /// Counts a result. One with the right bits is an effect of the current action.
  void add(Count count) {
    slot_.add(count);
    if (count == Count::Right)
      haveEffect();
  }
  /// The current action had its intended effect.
  void haveEffect() { hasEffect_ = true; }
  void tick() { slot_.progress.fetch_add(1, std::memory_order_relaxed); }
  [[noreturn]] void fail(const std::string &why);
  bool isServiceGone() const { return isGone_; }
  void begin(std::string_view action) { setText(slot_.action, action); }
  /// Runs the action, and counts it unless the service was killed meanwhile.
  void perform(const Action &action);

private:
  /// Whether the service was killed, so that calls may fail.
  bool isServiceKilled() const;
  hal::Result<std::shared_ptr<hal::IDevice>> open() const;

  const ClientOptions &options_;
  SharedStateContent &state_;
  Slot &slot_;
  Random random_;
  std::vector<StressModel> models_;
  std::shared_ptr<hal::IDevice> device_;
  std::vector<Held> held_;
  uint64_t killsSeen_ = 0; ///< number of kills when this client connected
  bool isGone_ = false;    ///< a call returned DEAD_OBJECT
  bool hasEffect_ = false; ///< of the current action
};

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_CLIENT_H
