//===- Privileges.cpp - Switches the service to another user -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/sandbox/ServiceSandbox.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace avocet::hal {

avocet::Status becomeUser(const std::string &user) {
  std::vector<char> text(1 << 16);
  passwd entry = {}, *found = nullptr;
  if (int error = ::getpwnam_r(user.c_str(), &entry, text.data(), text.size(), &found); error != 0)
    return internalError(fmt::format("user {} cannot be looked up: {}", user, std::strerror(error)));
  if (found == nullptr)
    return notFound(fmt::format("there is no user {}", user));
  if (::geteuid() == entry.pw_uid && ::getuid() == entry.pw_uid)
    return avocet::Status::ok();
  // Groups first: the process cannot change them after it has changed the user.
  if (::initgroups(user.c_str(), entry.pw_gid) != 0 || ::setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid) != 0 ||
      ::setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid) != 0)
    return failedPrecondition(fmt::format("cannot become user {}: {}; start the service as root or as that user", user,
                                          std::strerror(errno)));
  return avocet::Status::ok();
}

void limitResources() {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
}

} // namespace avocet::hal
