#pragma once
/// \file
/// Inner part of config_controller: what it keeps, and the two halves of a change's life. Edits
/// (config_edits.cpp) end with a revision sent; answers (config_answers.cpp) end it.
///
/// Kept are the settings in force (the engine's word), those sent (in force plus everything sent),
/// both for all and for conversations with their own; of the shown conversation `asked` (sent plus
/// the drafts that break no rule); and what the program started with. An
/// edit is tried first together with all refused drafts, since raising one setting may make another
/// valid, and then alone, since one wrong value must not hold up the others.

#include <QTimer>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/config_controller.h"
#include "engine/settings/config_check.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

using SettingValues = QVector<std::pair<QString, QString>>;  ///< key and text

struct ConfigController::Impl {
    struct Entry {
        KnobView view;
        bool draft = false;     ///< requested was refused and is not part of `asked`
        qint64 answeredAt = 0;  ///< ns; start of the fade of Applied
    };
    struct Attempt {
        EngineConfig config;
        std::vector<RuleViolation> violations;
    };

    ConfigController& owner;
    MachineFacts machine;
    std::optional<ModelFacts> model;
    Ports ports;
    EngineConfig initial, asked;
    ConversationSettings allInForce, allSent;
    ConversationId shown;
    std::map<ConversationId, SettingValues> parked;  ///< drafts of conversations that are not shown
    std::vector<Entry> entries;
    ConfigStatus status;
    SendPolicy sending = SendPolicy::AfterRest;
    QTimer rest, pendingMark, fade;
    qint64 lastRevision = 0;
    std::map<qint64, qint64> sentAt;       ///< revision to ns
    std::optional<RuleViolation> refusal;  ///< of the last edit, told when the drag rests

    Impl(ConfigController& self, const MachineFacts& machineFacts, const EngineConfig& config,
         Ports given);

    [[nodiscard]] Entry* find(const QString& key);
    [[nodiscard]] const EngineConfig& inForce() const { return allInForce.of(shown); }
    [[nodiscard]] const EngineConfig& sent() const { return allSent.of(shown); }
    /// Whether two conversations are answered under the same settings, as sent.
    [[nodiscard]] bool shareSettings(ConversationId one, ConversationId other) const {
        return one == other || (!allSent.hasOwn(one) && !allSent.hasOwn(other));
    }
    /// Ranges a slider can use: the static ones, narrowed by the model.
    void narrow();
    void refreshApplicability();

    // Edits.
    [[nodiscard]] std::vector<RuleViolation> violationsOf(const EngineConfig& config) const;
    [[nodiscard]] Attempt attempt(const SettingValues& values) const;
    [[nodiscard]] SettingValues refusedDrafts(const SettingValues& except) const;
    [[nodiscard]] bool anyDraft() const;
    /// The last refusal is not told any more; another edit that stands refused is what counts.
    void forgetRefusal();
    void markRefused(const SettingValues& values, const RuleViolation& violation);
    void accept(const SettingValues& values);
    void tryEdit(const SettingValues& values);
    void submit();
    /// Counts a revision that is about to be sent; the settings wait for its answer.
    [[nodiscard]] Revision announce();
    void sendOwn(ConversationId conversation, const std::optional<CacheSettings>& own);
    void show(ConversationId conversation);
    void showSettled();
    /// Drafts are given up: every setting as it was sent last.
    void revert();
    /// `sent` with the drafts that were made meanwhile on top.
    void rebuildAsked();

    // Answers.
    void markPending();
    void endFade();
    [[nodiscard]] static bool waiting(const KnobView& view) {
        return view.state == ChangeState::Submitted || view.state == ChangeState::Pending;
    }
    void setEffective(Entry& entry, const EngineConfig& config, qint64 revision);
    void acknowledge(qint64 revision, qint64 timeNs);
    void applied(const ConfigApplied& event);
    void rejected(const ConfigRejected& event);
    void superseded(const ConfigSuperseded& event);
    void turnStarted(const TurnStarted& event);
    void dropped(ConversationId conversation);
};

}  // namespace lacuna::app
