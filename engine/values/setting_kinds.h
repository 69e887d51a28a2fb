#pragma once
/// \file
/// Kinds, groups and scopes of settings. Plain data, the same in the table of settings and in the
/// panel.

namespace lacuna {

enum class KnobKind { Real, Integer, OptionalInteger, Choice, IntegerList };
enum class KnobGroup { Compression, Cache, Sampling, Run };
/// Whom a setting can be set for.
enum class KnobScope {
    All,          ///< one value for all conversations
    Conversation  ///< a conversation may have its own (conversation_settings.h)
};
/// When a change takes effect.
enum class KnobWhen {
    Live,      ///< at the next safe point, also while text streams
    NextTurn,  ///< with the next answer
    NewCache,  ///< for conversations whose cache is built again
};

}  // namespace lacuna
