#pragma once
/// \file
/// The life of settings changes as values: what is known (ConfigState), what happens (ConfigInput),
/// and what is to be done about it (ConfigEffects). One pure function leads from one state to the
/// next; it has no clock, no timer and no Qt, and so every transition can be tested as a row of a
/// table. ConfigController runs the effects.
///
///   Draft -> Submitted -> Pending -> Applied | Rejected | Superseded | RolledBack
///
/// Kept are the settings in force (the engine's word), those sent (in force with all that was sent
/// on top), both for all conversations and for those with cache settings of their own; of the
/// conversation on screen `asked` (sent, with the drafts that break no rule); and what the program
/// started with. A change goes to an audience: the conversation on screen, for cache settings where
/// it has its own, else everybody. All else about it is the same.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/state/change_state.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/settings/config_check.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/settings/knob_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {

/// A value asked for, of a setting of the table or, as an error, one that could not be read.
struct SettingEdit {
    std::string key;
    ReadSetting value;
    std::string typed = {};  ///< text that `value` was read from; empty: it was none
};
using SettingEdits = std::vector<SettingEdit>;

/// Reads text in the form that the command line takes. Never fails: what is wrong with the text is
/// the edit's value.
[[nodiscard]] SettingEdit readEdit(std::string key, std::string text);

/// What follows for one setting from all the others and from the model: why it has no effect now,
/// what it stands for, what it brings with it, how far it goes. Pure functions without Qt; the
/// controller puts them into sentences.
struct SettingHints {
    std::optional<CompactionMethod> brings;  ///< method that moving it sets
    const IdleWhen* idle = nullptr;          ///< why it has no effect; null: it has one
    std::string meaning;  ///< what the value stands for with this model; empty: itself
    double maximum = 0;   ///< of the range, narrowed by context and model
    friend bool operator==(const SettingHints&, const SettingHints&) = default;
};

/// What is said about a change, apart from the sentence of a rule.
enum class Remark {
    None,
    Refused,        ///< by a rule; see Refusal
    Deferred,       ///< takes effect later, as the setting's kind has it
    SentAgain,      ///< with a newer revision
    OthersRefused,  ///< another setting of the same change broke a rule; see Refusal::sentence
    CouldNotApply,  ///< the engine failed, the value in force stays
};

struct Refusal {
    std::string rule;  ///< "AM-RANGE"; empty: another setting's
    std::string sentence;
    std::string nearest;     ///< valid value as text; empty: none is offered
    std::string nearestKey;  ///< setting that takes it
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// One setting of the conversation on screen.
struct SettingState {
    const KnobSpec* spec = nullptr;
    SettingValue requested;
    std::string typed;       ///< text asked for that could not be read; empty: `requested` is
    SettingValue effective;  ///< in force
    ChangeState state = ChangeState::Settled;
    bool refused = false;  ///< `requested` broke a rule and is not part of `asked`
    Remark remark = Remark::None;
    Refusal refusal;
    SettingHints hints;
    std::int64_t revision = 0;      ///< of its last change
    std::int64_t answeredAtNs = 0;  ///< start of the mark of Applied

    [[nodiscard]] bool ofConversation() const { return spec->scope == KnobScope::Conversation; }
    [[nodiscard]] bool asRequested() const { return typed.empty() && requested == effective; }
    /// Sent, and not answered yet.
    [[nodiscard]] bool waiting() const {
        return state == ChangeState::Submitted || state == ChangeState::Pending;
    }
    friend bool operator==(const SettingState&, const SettingState&) = default;
};

/// The configuration as a whole.
struct OverallState {
    ChangeState state = ChangeState::Settled;
    Remark remark = Remark::None;  ///< Deferred: a part of the change waits
    std::string sentence;          ///< of a rule
    std::int64_t requestedRevision = 0, effectiveRevision = 0;
    double acknowledgeMs = 0;  ///< from submit to the last answer
};

struct ConfigState {
    ConfigState(MachineFacts facts, const EngineConfig& config);

    MachineFacts machine;
    std::optional<ModelFacts> model;
    EngineConfig initial, asked;
    ConversationSettings inForce, sent;
    ConversationId shown;
    std::map<ConversationId, SettingEdits> parked;  ///< drafts of conversations not shown
    std::vector<SettingState> settings;             ///< in the order of the table
    OverallState overall;
    SendPolicy sending = SendPolicy::AfterRest;
    std::int64_t lastRevision = 0;
    std::map<std::int64_t, std::int64_t> sentAtNs;  ///< by revision, until its answer
    std::optional<RuleViolation> refusal;  ///< of the last edit, reported when the drag rests

    [[nodiscard]] const SettingState* find(std::string_view key) const;
    [[nodiscard]] bool hasDrafts() const;
    /// The cache settings of `id`, as sent, with `texts` on top. Keys that are unknown or of all
    /// conversations are left out. Error: the sentence of the first rule that refuses them.
    [[nodiscard]] tl::expected<CacheSettings, std::string> ownWith(
        ConversationId id, const std::map<std::string, std::string>& texts) const;
};

// What happens: by a person or the program,
struct SettingMoved {
    SettingEdit edit;
    EditPace pace = EditPace::Settled;
};
/// All or nothing, and sent at once.
struct SettingsGiven {
    SettingEdits edits;
    /// They end that the cache of this conversation is coded again, and count for nothing else.
    std::optional<ConversationId> cancels = std::nullopt;
};
struct DraftsDue {};  ///< the drag rests, or they were told to go
struct DraftsGivenUp {};
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
/// The conversation on screen gets those it has now as its own, or the shared ones again.
struct OwnChosen {
    bool own = false;
};
/// What was kept of an earlier run.
struct OwnRestored {
    ConversationId id;
    CacheSettings own;
};
struct ModelKnown {
    std::optional<ModelFacts> facts;
};
// by time,
struct AnswerLate {};
struct MarksOld {};
// and by the engine's word.
using ConfigInput =
    std::variant<SettingMoved, SettingsGiven, DraftsDue, DraftsGivenUp, SettingDiscarded, AllReset,
                 SendingChosen, ConversationShown, OwnChosen, OwnRestored, ModelKnown, AnswerLate,
                 MarksOld, ConfigApplied, ConfigRejected, ConfigSuperseded, CacheSettingsDropped,
                 TurnStarted>;

/// What is to be done after a transition.
struct ConfigEffects {
    enum class Timer { Leave, Start, Stop };
    /// In this order. A rejection is one made here, for the record.
    std::vector<std::variant<SetConfig, SetCacheSettings, ConfigRejected>> send;
    Timer rest = Timer::Leave;                 ///< then DraftsDue
    Timer unanswered = Timer::Leave;           ///< then AnswerLate
    Timer mark = Timer::Leave;                 ///< then MarksOld
    std::vector<std::size_t> changed;          ///< settings that are not as before; each once
    bool overall = false;                      ///< anything about the whole moved
    std::optional<ConversationId> ownChanged;  ///< what this one has of its own, in force
    /// A setting, and the method that was set for it.
    std::optional<std::pair<std::string, CompactionMethod>> brought;
};

struct ConfigStep {
    ConfigState state;
    ConfigEffects effects;
};
/// `nowNs`: monotonic clock.
[[nodiscard]] ConfigStep next(ConfigState state, const ConfigInput& input, std::int64_t nowNs);

}  // namespace lacuna::app
