#pragma once
/// \file
/// What is said when memory runs out: an error that needs none, and the answers of commands that
/// could not be obeyed for it, so that nobody waits for ever. Pure functions.

#include <optional>

#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// NO_MEMORY with a sentence, or with two words where there is no memory for one.
[[nodiscard]] Error shortage(const char* sentence = "there is not enough memory for this") noexcept;

/// The event that answers a command, with the shortage in it; nothing for commands that may have
/// come half-way (a compaction, a change of settings) or have no answer. `at` is where the command
/// was taken, `modelStays` whether a model is in use.
[[nodiscard]] std::optional<Event> shortageAnswer(const Command& command, SafePoint at,
                                                  bool modelStays);

}  // namespace lacuna
