#pragma once
/// \file
/// Converts engine values to view values and texts. Pure functions, internal to app/state.

#include <QMap>
#include <QString>
#include <string>
#include <string_view>

#include "app/state/view_types.h"
#include "engine/session/event.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {

[[nodiscard]] QString toQt(std::string_view text);
[[nodiscard]] std::string fromQt(const QString& text);

[[nodiscard]] SampleRow rowOf(const StepSample& sample);
/// `config` is the configuration active at that time; `number` counts from 1 in the session.
[[nodiscard]] CompactionRow rowOf(const CompactionHappened& happened, const EngineConfig& config,
                                  qint64 number);
[[nodiscard]] QualityRow rowOf(const QualitySampled& sampled);
[[nodiscard]] TurnRow rowOf(const TurnFinished& finished, qint64 timeNs);
[[nodiscard]] ModelView viewOf(const ModelFacts& facts, double seconds);
[[nodiscard]] ModelPageView viewOf(const ModelInspected& answer);
[[nodiscard]] SettingView viewOf(const SettingSpec& spec);
/// Returns the display text of a choice of setting `key`: "Attention matching" for method=am.
/// Choices without a display text, such as number formats, are returned unchanged.
[[nodiscard]] QString choiceWords(std::string_view key, std::string_view choice);
/// Translates the message of a rule and replaces method keys by their names.
[[nodiscard]] QString ruleText(std::string_view english);
[[nodiscard]] MachineView viewOf(const MachineFacts& facts);
/// Returns "stop", "stop string", "length", "context full", "cancelled" or "error".
[[nodiscard]] QString finishText(FinishReason reason);
/// Describes changes with the labels of the settings table: "AM ratio 2 to 4, Method None to
/// Attention matching".
[[nodiscard]] QString differenceText(const SettingsDiff& changes);

/// Describes the settings that differ from the defaults: "Method Attention matching, AM ratio 4".
/// Empty if there are none.
[[nodiscard]] QString settingsText(const EngineConfig& config);
/// Returns the settings that differ from the defaults as command-line keys and values.
[[nodiscard]] QMap<QString, QString> settingsChosen(const EngineConfig& config);

}  // namespace lacuna::app
