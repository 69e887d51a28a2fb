#pragma once
/// \file
/// Engine values to view values, and text to text. Pure functions, used inside app/state only.

#include <QMap>
#include <QString>
#include <string>
#include <string_view>

#include "app/state/view_types.h"
#include "engine/session/event.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

[[nodiscard]] QString toQt(std::string_view text);
[[nodiscard]] std::string fromQt(const QString& text);

[[nodiscard]] SampleRow rowOf(const StepSample& sample);
/// `config`: in force when it happened. `number`: from 1 in the session.
[[nodiscard]] CompactionRow rowOf(const CompactionHappened& happened, const EngineConfig& config,
                                  qint64 number);
[[nodiscard]] QualityRow rowOf(const QualitySampled& sampled);
[[nodiscard]] TurnRow rowOf(const TurnFinished& finished, qint64 timeNs);
[[nodiscard]] ModelView viewOf(const ModelFacts& facts, double seconds);
[[nodiscard]] ModelPageView viewOf(const ModelInspected& answer);
[[nodiscard]] KnobView viewOf(const KnobSpec& spec);
/// A choice of setting `key` as people read it: "Attention matching" for method=am. What has no
/// words of its own, such as a number format, is shown as it is written.
[[nodiscard]] QString choiceWords(std::string_view key, std::string_view choice);
/// What a rule says of settings, in the language of the window, with methods called as it calls
/// them.
[[nodiscard]] QString ruleText(std::string_view english);
[[nodiscard]] MachineView viewOf(const MachineFacts& facts);
/// "stop", "stop string", "length", "context full", "cancelled", "error".
[[nodiscard]] QString finishText(FinishReason reason);
/// "AM ratio 2 to 4, Method None to Attention matching", by the labels of the knob table.
[[nodiscard]] QString differenceText(const SettingsDiff& changes);

/// "Method Attention matching, AM ratio 4": what is not as a new program has it; empty: nothing.
[[nodiscard]] QString settingsText(const EngineConfig& config);
/// The same as keys and texts of the command line.
[[nodiscard]] QMap<QString, QString> settingsChosen(const EngineConfig& config);

}  // namespace lacuna::app
