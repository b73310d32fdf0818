//===- RegistryFixture.h - A registry with several services -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_SERVICE_REGISTRYFIXTURE_H
#define AVOCET_TESTS_HAL_SERVICE_REGISTRYFIXTURE_H

#include "ServiceFixture.h"
#include "TemporaryFolder.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/wire/Envelope.h"

#include <map>
#include <sys/socket.h>
#include <sys/un.h>

namespace avocet::hal::testing {

namespace fb = ipc::fb;

/// Services in this process with fake devices, and others that do not keep the rules.
class RegistryFixture : public ::testing::Test {
protected:
  std::string socketOf(const std::string &service) const { return folder_ + "/" + service; }
  std::unique_ptr<Listener> listen(const std::string &service) const {
    auto listener = Listener::listen(socketOf(service));
    EXPECT_TRUE(listener.isOk()) << listener.error().message;
    return listener ? std::move(*listener) : nullptr;
  }
  void start(const std::string &service, const std::vector<std::string> &devices,
             const ProtocolRange &protocols = kProtocols) {
    std::vector<ServedDevice> served;
    for (const std::string &device : devices)
      served.push_back({device, [state = fake_](const ClientOptions &) { return makeFakeDevice(state); }, {}});
    services_[service] = std::make_unique<Service>(listen(service), std::move(served), Quotas(), protocols);
  }
  /// A socket that accepts connections in the kernel and never answers.
  void startHanging(const std::string &service) { hanging_.push_back(listen(service)); }
  /// A service that has ended and left its socket.
  void leaveSocket(const std::string &service) const {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    socketOf(service).copy(address.sun_path, sizeof(address.sun_path) - 1);
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
  }
  using Answerer = std::function<void(Channel &)>;
  /// Receives one call of each client and lets `answer` do the rest.
  void startStrange(const std::string &service, const Answerer &answer) {
    strange_.push_back(std::make_unique<Strange>(listen(service), answer));
  }
  /// The answer to a list query.
  static void welcome(Channel &channel, fb::WelcomeT welcome) {
    fb::EnvelopeT reply;
    reply.number = 1;
    reply.answer.Set(std::move(welcome));
    (void)ipc::sendEnvelope(channel, reply, {});
  }

  FoundDevices find(std::chrono::milliseconds patience = kPatience) const {
    Result<FoundDevices> found = findDevices(folder_, patience);
    EXPECT_TRUE(found.isOk()) << found.error().message;
    return found ? *found : FoundDevices();
  }

  const test::TemporaryFolder temporary_{"avocetRegistry"};
  const std::string folder_ = temporary_.path().string();
  const std::shared_ptr<FakeState> fake_ = std::make_shared<FakeState>();
  std::map<std::string, std::unique_ptr<Service>> services_;

private:
  class Strange {
  public:
    Strange(std::unique_ptr<Listener> listener, const Answerer &answer) : listener_(std::move(listener)) {
      thread_ = std::thread([this, answer] {
        while (Result<std::unique_ptr<Channel>> channel = listener_->accept()) {
          (void)(*channel)->receive();
          answer(**channel);
        }
      });
    }
    ~Strange() {
      listener_->shutdown();
      thread_.join();
    }

  private:
    const std::unique_ptr<Listener> listener_;
    std::thread thread_;
  };

  std::vector<std::unique_ptr<Listener>> hanging_;
  std::vector<std::unique_ptr<Strange>> strange_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_SERVICE_REGISTRYFIXTURE_H
