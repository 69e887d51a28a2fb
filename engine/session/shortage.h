#pragma once
/// \file
/// Replies for memory exhaustion: an error that needs no allocation, and answers to commands that
/// could not be executed, so that no client waits forever. Pure functions.

#include <optional>

#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// Returns NO_MEMORY with a sentence, or with two words if the sentence cannot be allocated.
[[nodiscard]] Error shortage(const char* sentence = "there is not enough memory for this") noexcept;

/// Returns the event that answers a command with the shortage; nullopt for commands that may be
/// half done (a compaction, a change of settings) or have no answer. `at` is where the command was
/// taken, `modelStays` is true if a model is loaded.
[[nodiscard]] std::optional<Event> shortageAnswer(const Command& command, SafePoint at,
                                                  bool modelStays);

}  // namespace lacuna
