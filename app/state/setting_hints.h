#pragma once
/// \file
/// What the panel says beside a setting: why it has no effect now, when a change takes effect, what
/// else it needs. Pure functions, used inside app/state only.

#include <QString>

#include "app/state/view_types.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// "no effect while method is none", from the settings table; empty: it has. `model` may be null,
/// here and below.
[[nodiscard]] QString noEffectReason(const EngineConfig& config, const ModelFacts* model,
                                     const QString& key);
/// "auto is keydiff: qwen3 models normalise their keys ..."; empty: the value stands for itself.
[[nodiscard]] QString meaningOf(const EngineConfig& config, const ModelFacts* model,
                                const QString& key);
[[nodiscard]] QString deferredSentence(KnobWhenView when);
/// The method that setting `key` to `text` needs to have any effect, when none is chosen; the same
/// that the command line takes. Empty: it needs nothing.
[[nodiscard]] QString methodNeeded(const EngineConfig& config, const QString& key,
                                   const QString& text);

}  // namespace lacuna::app
