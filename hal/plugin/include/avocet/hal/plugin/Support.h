//===- Support.h - The nodes of a graph that a device takes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PLUGIN_SUPPORT_H
#define AVOCET_HAL_PLUGIN_SUPPORT_H

#include "avocet/base/Status.h"
#include "avocet/hal/plugin/Judgment.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::plugin {

/// Nodes of a framework's graph, by its numbers.
template <typename Number> struct Support {
  std::vector<Number> nodes;             ///< in the framework's order
  std::map<Number, std::string> reasons; ///< why the other nodes stay with the framework

  void leaveOut(Number node, std::string reason) {
    if (std::erase(nodes, node) > 0)
      reasons[node] = std::move(reason);
  }
};

/// How a framework's graph answers narrowToSupported().
template <typename Number> struct SupportQuestions {
  /// The compiler's judgment of a network of these nodes. An error: it cannot be asked.
  std::function<Result<Judgment>(std::span<const Number> nodes)> ask;
  /// The node that a reason's location names.
  std::function<std::optional<Number>(const std::string &location)> nodeNamedIn;
  /// Leaves out nodes that the others make impossible; called before each question.
  std::function<void()> prune;
};

namespace detail {

/// Removes the nodes that reasons name; false: they name none.
template <typename Number>
bool noteReasons(Support<Number> &support, const Judgment &judgment, const SupportQuestions<Number> &questions) {
  const size_t before = support.nodes.size();
  for (const Reason &reason : judgment.reasons)
    if (const std::optional<Number> node = questions.nodeNamedIn(reason.location))
      support.leaveOut(*node, reason.text);
  return support.nodes.size() < before;
}

/// For errors that name no node: a node is supported if a network of its own is. Nodes that are supported only together
/// with others are left out.
template <typename Number> Status askOneByOne(Support<Number> &support, const SupportQuestions<Number> &questions) {
  const std::vector<Number> nodes = support.nodes;
  for (const Number node : nodes) {
    AVOCET_ASSIGN_OR_RETURN(const Judgment judgment, questions.ask({&node, 1}));
    if (!judgment.isSupported())
      support.leaveOut(node, judgment.reasons[0].text);
  }
  questions.prune();
  return Status::ok();
}

} // namespace detail

/// Leaves out nodes until the compiler takes the network of the others. An error: it cannot be asked.
template <typename Number>
Status narrowToSupported(Support<Number> &support, const SupportQuestions<Number> &questions) {
  while (true) {
    questions.prune();
    if (support.nodes.empty())
      return Status::ok();
    AVOCET_ASSIGN_OR_RETURN(const Judgment judgment, questions.ask(support.nodes));
    if (judgment.isSupported())
      return Status::ok();
    if (!detail::noteReasons(support, judgment, questions))
      return detail::askOneByOne(support, questions);
  }
}

} // namespace avocet::plugin

#endif // AVOCET_HAL_PLUGIN_SUPPORT_H
