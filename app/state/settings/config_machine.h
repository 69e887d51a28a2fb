#pragma once
/// \file
/// State machine of settings changes: state (ConfigState), input (ConfigInput) and effects
/// (ConfigEffects). A single pure function computes the transition; it has no clock, timer or Qt,
/// so that every transition can be tested as a table row. ConfigController executes the effects.
///
///   Draft -> Submitted -> Pending -> Applied | Rejected | Superseded | RolledBack
///
/// The state holds the active settings (confirmed by the engine) and the sent ones (active plus
/// unanswered changes), each for the shared settings and for conversations with their own cache
/// settings. For the shown conversation it also holds `asked` (sent plus valid drafts). A change
/// applies to the shown conversation if it is a cache setting and that conversation has its own;
/// otherwise to all conversations.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/state/settings/change_state.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/settings/config_check.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {

/// A requested value of a setting, or an error if it could not be parsed.
struct SettingEdit {
    std::string key;
    ReadSetting value;
    std::string typed = {};  ///< text from which `value` was parsed; empty if there was none
};
using SettingEdits = std::vector<SettingEdit>;

/// Parses text in command-line syntax. Never fails: a parse error becomes the edit's value.
[[nodiscard]] SettingEdit readEdit(std::string key, std::string text);

/// Facts about one setting that follow from the other settings and the model. Pure data without Qt;
/// the controller turns them into sentences.
struct SettingHints {
    std::optional<CompactionMethod> impliedMethod;  ///< method that is set together with it
    const IdleWhen* idle = nullptr;                 ///< why it has no effect; null if it has
    std::string meaning;  ///< effective value with this model; empty if the value is literal
    double maximum = 0;   ///< maximum of the range, limited by context and model
    friend bool operator==(const SettingHints&, const SettingHints&) = default;
};

/// Note on a change, in addition to the message of a rule.
enum class Remark {
    None,
    Refused,        ///< rejected by a rule; see Refusal
    Deferred,       ///< takes effect later, depending on the setting's kind
    SentAgain,      ///< sent again with a newer revision
    OthersRefused,  ///< another setting of the same change broke a rule; see Refusal::sentence
    ApplyFailed,    ///< the engine failed; the previous value stays in effect
};

struct Refusal {
    std::string rule;  ///< "AM-RANGE"; empty if another setting's rule was broken
    std::string sentence;
    std::string nearest;     ///< nearest valid value as text; empty if none is offered
    std::string nearestKey;  ///< setting that `nearest` belongs to
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// One setting of the shown conversation.
struct SettingState {
    const SettingSpec* spec = nullptr;
    SettingValue requested;
    std::string typed;       ///< input that could not be parsed; empty if `requested` is valid
    SettingValue effective;  ///< active value
    ChangeState state = ChangeState::Settled;
    bool refused = false;  ///< `requested` violates a rule and is not part of `asked`
    Remark remark = Remark::None;
    Refusal refusal;
    SettingHints hints;
    std::int64_t revision = 0;      ///< revision of its last change
    std::int64_t answeredAtNs = 0;  ///< start of the highlight of an applied change

    [[nodiscard]] bool ofConversation() const { return spec->scope == SettingScope::Conversation; }
    [[nodiscard]] bool asRequested() const { return typed.empty() && requested == effective; }
    /// Returns true if the change was sent but not answered yet.
    [[nodiscard]] bool waiting() const {
        return state == ChangeState::Submitted || state == ChangeState::Pending;
    }
    friend bool operator==(const SettingState&, const SettingState&) = default;
};

/// State of the configuration as a whole.
struct OverallState {
    ChangeState state = ChangeState::Settled;
    Remark remark = Remark::None;  ///< Deferred if part of the change is pending
    std::string sentence;          ///< message of a violated rule
    std::int64_t requestedRevision = 0, effectiveRevision = 0;
    double acknowledgeMs = 0;  ///< time from submission to the last reply
};

struct ConfigState {
    ConfigState(MachineFacts facts, const EngineConfig& config);

    MachineFacts machine;
    std::optional<ModelFacts> model;
    EngineConfig initial, asked;
    ConversationSettings inEffect, sent;
    ConversationId shown;
    std::map<ConversationId, SettingEdits> parked;  ///< drafts of conversations not shown
    std::vector<SettingState> settings;             ///< in table order
    OverallState overall;
    SendPolicy sending = SendPolicy::AfterRest;
    std::int64_t lastRevision = 0;
    std::map<std::int64_t, std::int64_t> sentAtNs;  ///< send time by revision, until answered
    std::optional<RuleViolation> refusal;  ///< violation of the last edit, reported when the drag
                                           ///< rests

    [[nodiscard]] const SettingState* find(std::string_view key) const;
    [[nodiscard]] bool hasDrafts() const;
    /// Returns the sent cache settings of `id` with `texts` applied. Unknown keys and keys of
    /// shared settings are skipped. Error: message of the first violated rule.
    [[nodiscard]] tl::expected<CacheSettings, std::string> ownSettingsWith(
        ConversationId id, const std::map<std::string, std::string>& texts) const;
};

// Inputs from the user or the program:
struct SettingMoved {
    SettingEdit edit;
    EditPace pace = EditPace::Settled;
};
/// Applies several edits, all or nothing, and sends them at once.
struct SettingsGiven {
    SettingEdits edits;
    /// If set, the edits only cancel the recoding of this conversation's cache.
    std::optional<ConversationId> cancels = std::nullopt;
};
struct DraftsDue {};  ///< the drag rests, or the user requested sending
struct DraftsDiscarded {};
struct SettingDiscarded {
    std::string key;
};
struct AllReset {};
struct SendingChosen {
    SendPolicy policy = SendPolicy::AfterRest;
};
struct ConversationShown {
    ConversationId id;
};
/// Gives the shown conversation its current settings as its own, or returns it to the shared ones.
struct ConversationValueChosen {
    bool own = false;
};
/// Own settings of a conversation restored from an earlier run.
struct ConversationValuesRestored {
    ConversationId id;
    CacheSettings own;
};
struct ModelKnown {
    std::optional<ModelFacts> facts;
};
// Inputs from timers:
struct LateAnswer {};
struct OldMarks {};
// The remaining inputs are events of the engine.
using ConfigInput =
    std::variant<SettingMoved, SettingsGiven, DraftsDue, DraftsDiscarded, SettingDiscarded,
                 AllReset, SendingChosen, ConversationShown, ConversationValueChosen,
                 ConversationValuesRestored, ModelKnown, LateAnswer, OldMarks, ConfigApplied,
                 ConfigRejected, ConfigSuperseded, CacheSettingsDropped, TurnStarted>;

/// Effects of a transition.
struct ConfigEffects {
    enum class Timer { Leave, Start, Stop };
    /// Commands in the order of sending. A ConfigRejected is a local rejection, for the record.
    std::vector<std::variant<SetConfig, SetCacheSettings, ConfigRejected>> send;
    Timer rest = Timer::Leave;                 ///< expires with DraftsDue
    Timer unanswered = Timer::Leave;           ///< expires with LateAnswer
    Timer mark = Timer::Leave;                 ///< expires with OldMarks
    std::vector<std::size_t> changed;          ///< indices of changed settings, without duplicates
    bool overall = false;                      ///< true if the overall state changed
    std::optional<ConversationId> ownChanged;  ///< conversation whose active own settings changed
    /// A setting and the method that was set for it.
    std::optional<std::pair<std::string, CompactionMethod>> impliedMethod;
};

struct ConfigStep {
    ConfigState state;
    ConfigEffects effects;
};
/// Computes one transition. `nowNs` is a time of the monotonic clock.
[[nodiscard]] ConfigStep next(ConfigState state, const ConfigInput& input, std::int64_t nowNs);

}  // namespace lacuna::app
