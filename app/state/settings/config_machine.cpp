#include "app/state/settings/config_machine.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lacuna::app {

SettingEdit readEdit(std::string key, std::string text) {
    ReadSetting value = readSetting(key, text);
    return {std::move(key), std::move(value), std::move(text)};
}

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

const ModelFacts* modelOf(const ConfigState& state) {
    return state.model ? &*state.model : nullptr;
}

/// Computes hints from the requested settings. The range uses the active ones, because a context
/// length that was not applied yet holds no tokens.
SettingHints hintsOf(const ConfigState& state, const SettingSpec& spec) {
    const ModelFacts* const model = modelOf(state);
    return {.impliedMethod = impliedMethod(spec, state.asked, SettingValue(1)),
            .idle = idleCondition(spec, state.asked, model),
            .meaning = resolvedMeaning(spec, state.asked, model),
            .maximum = effectiveMaximum(spec, state.inEffect.of(state.shown), model)};
}

std::vector<RuleViolation> violationsOf(const ConfigState& state, const EngineConfig& config) {
    return lacuna::violationsOf(config, modelOf(state), state.machine);
}

SettingEdit methodEdit(CompactionMethod method) {
    return {"method", SettingValue(SettingChoice{static_cast<std::size_t>(method)})};
}

/// One transition, with an overload for each input. An edit is first tried together with all
/// rejected drafts, because it may make them valid, and then alone, because one invalid value must
/// not block others.
class Transition {
  public:
    Transition(ConfigState& state, ConfigEffects& effects, std::int64_t nowNs)
        : s(state), out(effects), now(nowNs) {}

    void operator()(const SettingMoved& input) {
        const SettingState* setting = s.find(input.edit.key);
        if (setting == nullptr) return;
        const auto method = methodNeeded(*setting, input.edit.value);
        SettingEdits together{input.edit};
        if (method) together.push_back(methodEdit(*method));
        if (method && attempt(together).violations.empty()) {
            tryEdit(together);
            out.impliedMethod = {input.edit.key, *method};
        } else {
            tryEdit(withBudget({input.edit}));
        }
        if (s.sending == SendPolicy::OnSubmit) return;
        if (input.pace == EditPace::Settled)
            submit();
        else
            out.rest = ConfigEffects::Timer::Start;
    }

    void operator()(const SettingsGiven& input) {
        if (input.cancels) submit();  // Pending drafts are a separate change.
        cancels = input.cancels;
        tryEdit(withBudget(input.edits));
        submit();
    }

    void operator()(const DraftsDue&) { submit(); }

    void operator()(const DraftsDiscarded&) {
        stopRest();
        s.refusal.reset();
        s.asked = sent();
        for (SettingState& setting : s.settings) {
            if (!setting.refused && setting.state != ChangeState::Draft) continue;
            setRequested(setting, sent());
            clear(setting, setting.asRequested() ? ChangeState::Settled : ChangeState::Pending);
        }
        settleOverall(ChangeState::Settled);
        hint();
    }

    void operator()(const SettingDiscarded& input) {
        SettingState* setting = find(input.key);
        if (setting == nullptr || !setting->refused) return;
        setRequested(*setting, s.asked);
        clear(*setting, ChangeState::Settled);
        clearRefusal();
        out.overall = true;
    }

    void operator()(const AllReset&) {
        SettingEdits edits;
        for (SettingState& setting : s.settings) {
            put(setting, &SettingState::refused, false);
            SettingValue start = settingOf(s.initial, *setting.spec);
            if (setting.requested != start || setting.state == ChangeState::Rejected)
                edits.push_back({std::string(setting.spec->key), std::move(start)});
        }
        if (edits.empty()) return;
        tryEdit(edits);
        submit();
    }

    void operator()(const SendingChosen& input) {
        if (input.policy == s.sending) return;
        s.sending = input.policy;
        if (input.policy == SendPolicy::AfterRest)
            submit();
        else
            stopRest();
        out.overall = true;
    }

    void operator()(const ConversationShown& input) {
        if (input.id == s.shown) return;
        if (shareSettings(s.shown, input.id)) {
            s.shown = input.id;
            return;
        }
        if (s.sending == SendPolicy::AfterRest)
            submit();
        else
            park();
        s.shown = input.id;
        stopRest();
        s.refusal.reset();
        for (SettingState& setting : s.settings) {
            put(setting, &SettingState::refused, false);
            put(setting, &SettingState::state, ChangeState::Settled);
            put(setting, &SettingState::refusal, {});
        }
        showSettled();
        const auto kept = s.parked.extract(s.shown);
        if (!kept.empty()) tryEdit(kept.mapped());
    }

    void operator()(const ConversationValueChosen& input) {
        if (s.sending == SendPolicy::AfterRest) submit();
        static_cast<void>(send(s.shown, input.own, input.own ? sent() : s.sent.shared()));
        showSettled();
    }

    void operator()(const ConversationValuesRestored& input) {
        static_cast<void>(send(input.id, true, withCacheSettings(s.sent.of(input.id), input.own)));
        if (input.id == s.shown) showSettled();
    }

    void operator()(const ModelKnown& input) {
        s.model = input.facts;
        hint();
    }

    void operator()(const LateAnswer&) {
        for (SettingState& setting : s.settings)
            if (setting.state == ChangeState::Submitted)
                put(setting, &SettingState::state, ChangeState::Pending);
        if (s.overall.state != ChangeState::Submitted) return;
        s.overall.state = ChangeState::Pending;
        out.overall = true;
    }

    void operator()(const OldMarks&) {
        for (SettingState& setting : s.settings) {
            if (setting.state != ChangeState::Applied) continue;
            if (now - setting.answeredAtNs < kFadeMs * kNsPerMs)
                out.mark = ConfigEffects::Timer::Start;
            else
                put(setting, &SettingState::state, ChangeState::Settled);
        }
    }

    void operator()(const ConfigApplied& event) {
        s.inEffect.take(event.conversation, event.own, event.config);
        const std::int64_t revision = event.revision.value;
        s.overall.effectiveRevision = revision;
        acknowledge(revision, event.timeNs);
        for (SettingState& setting : s.settings) {
            const bool concerned = event.conversation
                                       ? *event.conversation == s.shown && setting.ofConversation()
                                       : !setting.ofConversation() || !s.inEffect.hasOwn(s.shown);
            if (!concerned) continue;
            const SettingChange* const change = findChange(event.changes, *setting.spec);
            if (change == nullptr || !change->deferred) {
                takeAnswer(setting, change, revision);
                continue;
            }
            put(setting, &SettingState::state, ChangeState::Pending);
            put(setting, &SettingState::revision, revision);
            put(setting, &SettingState::remark, Remark::Deferred);
        }
        if (revision >= s.overall.requestedRevision) {
            s.overall.requestedRevision = revision;
            s.lastRevision = std::max(s.lastRevision, revision);
            s.sent = s.inEffect;
            rebuildRequested();
            const bool waits = anyDeferred(event.changes) || anyWaits();
            settleOverall(waits ? ChangeState::Pending : ChangeState::Applied);
            if (waits) s.overall.remark = Remark::Deferred;
        }
        hint();
        out.ownChanged = event.conversation;
    }

    void operator()(const ConfigRejected& event) {
        const std::int64_t revision = event.revision.value;
        acknowledge(revision, event.timeNs);
        const bool failed = event.violations.empty();
        for (SettingState& setting : s.settings)
            if (setting.waiting() && setting.revision == revision) reject(setting, event);
        // The requested changes are void; later edits are applied again on top of the active
        // settings.
        if (revision >= s.overall.requestedRevision) {
            s.sent = s.inEffect;
            rebuildRequested();
            settleOverall(failed ? ChangeState::RolledBack : ChangeState::Rejected);
            if (failed)
                s.overall.remark = Remark::ApplyFailed;
            else
                s.overall.sentence = event.violations.front().sentence;
        }
        hint();
    }

    void operator()(const ConfigSuperseded& event) {
        s.sentAtNs.erase(event.revision.value);
        for (SettingState& setting : s.settings) {
            if (!setting.waiting() || setting.revision != event.revision.value) continue;
            // The newer configuration contains this value too, so the setting waits for that reply.
            put(setting, &SettingState::revision, event.by.value);
            put(setting, &SettingState::remark, Remark::SentAgain);
        }
        if (s.overall.requestedRevision != event.revision.value) return;
        s.overall.state = ChangeState::Superseded;
        out.overall = true;
    }

    void operator()(const CacheSettingsDropped& event) {
        s.inEffect.setOwn(event.conversation, std::nullopt);
        s.sent.setOwn(event.conversation, std::nullopt);
        if (event.conversation == s.shown) showSettled();
        out.ownChanged = event.conversation;
    }

    void operator()(const TurnStarted& event) {
        const bool newCache = event.reusedTokens == 0;
        for (SettingState& setting : s.settings) {
            if (setting.state != ChangeState::Pending || setting.revision > event.revision.value)
                continue;
            if (setting.ofConversation() && !shareSettings(event.conversation, s.shown)) continue;
            const SettingTiming when = setting.spec->when;
            if (when == SettingTiming::NextTurn || (when == SettingTiming::NewCache && newCache))
                setEffective(setting, settingOf(event.config, *setting.spec), event.revision.value);
        }
        if (!anyWaits() && s.overall.state == ChangeState::Pending)
            settleOverall(ChangeState::Applied);
        out.overall = true;
    }

  private:
    struct Attempt {
        EngineConfig config;
        std::vector<RuleViolation> violations;
    };

    [[nodiscard]] SettingState* find(std::string_view key) {
        const SettingState* found = s.find(key);
        if (found == nullptr) return nullptr;
        return &s.settings[static_cast<std::size_t>(found - s.settings.data())];
    }
    [[nodiscard]] const EngineConfig& sent() const { return s.sent.of(s.shown); }
    /// Returns true if two conversations use the same sent settings.
    [[nodiscard]] bool shareSettings(ConversationId one, ConversationId other) const {
        return one == other || (!s.sent.hasOwn(one) && !s.sent.hasOwn(other));
    }
    /// Returns true if a sent setting is not active yet.
    [[nodiscard]] bool anyWaits() const {
        return std::any_of(s.settings.begin(), s.settings.end(),
                           [](const SettingState& one) { return one.waiting(); });
    }
    void stopRest() { out.rest = ConfigEffects::Timer::Stop; }

    /// All fields are written through this function, which records changed settings for repainting.
    template <class T>
    void put(SettingState& setting, T SettingState::*field, std::type_identity_t<T> value) {
        if (setting.*field == value) return;
        setting.*field = std::move(value);
        out.changed.push_back(static_cast<std::size_t>(&setting - s.settings.data()));
    }
    void putRequested(SettingState& setting, SettingValue value) {
        put(setting, &SettingState::requested, std::move(value));
        put(setting, &SettingState::typed, {});
    }
    void setRequested(SettingState& setting, const EngineConfig& config) {
        putRequested(setting, settingOf(config, *setting.spec));
    }
    /// Removes all objections to the requested value.
    void clear(SettingState& setting, ChangeState state) {
        put(setting, &SettingState::state, state);
        put(setting, &SettingState::refused, false);
        put(setting, &SettingState::remark, Remark::None);
        put(setting, &SettingState::refusal, {});
    }
    void settleOverall(ChangeState state) {
        s.overall.state = state;
        s.overall.remark = Remark::None;
        s.overall.sentence.clear();
        out.overall = true;
    }

    // ------------------------------------------------------------ edits

    /// Returns the method that this value requires to have an effect; nullopt if a method is set or
    /// the value is already requested.
    [[nodiscard]] std::optional<CompactionMethod> methodNeeded(const SettingState& setting,
                                                               const ReadSetting& value) const {
        if (!value || (setting.typed.empty() && setting.requested == *value)) return std::nullopt;
        return impliedMethod(*setting.spec, s.asked, *value);
    }

    [[nodiscard]] Attempt attempt(const SettingEdits& edits) const {
        Attempt result{s.asked, {}};
        for (const SettingEdit& edit : edits) {
            if (edit.value)
                setSetting(result.config, *findSetting(edit.key), *edit.value);
            else
                result.violations.push_back(edit.value.error());
        }
        if (result.violations.empty()) result.violations = violationsOf(s, result.config);
        return result;
    }

    /// Adds the budget that a method in these edits requires.
    [[nodiscard]] SettingEdits withBudget(SettingEdits edits) const {
        const auto sets = [&edits](std::string_view key) {
            return std::ranges::find(edits, key, &SettingEdit::key) != edits.end();
        };
        if (!sets("method") || sets("budget")) return edits;
        const auto budget = impliedBudget(attempt(edits).config, modelOf(s));
        if (budget) edits.push_back({"budget", SettingValue(*budget)});
        return edits;
    }

    /// Converts the requested value back to an edit.
    [[nodiscard]] static SettingEdit editOf(const SettingState& setting) {
        std::string key(setting.spec->key);
        return setting.typed.empty() ? SettingEdit{std::move(key), setting.requested}
                                     : readEdit(std::move(key), setting.typed);
    }

    /// Returns the drafts that violate a rule, except those also in `except`.
    [[nodiscard]] SettingEdits refusedDrafts(const SettingEdits& except) const {
        SettingEdits drafts;
        for (const SettingState& setting : s.settings) {
            const bool edited =
                std::ranges::find(except, setting.spec->key, &SettingEdit::key) != except.end();
            if (setting.refused && !edited) drafts.push_back(editOf(setting));
        }
        return drafts;
    }

    void tryEdit(const SettingEdits& edits) {
        SettingEdits all = refusedDrafts(edits);
        if (!all.empty()) {
            all.insert(all.end(), edits.begin(), edits.end());
            if (accepted(all, attempt(all))) return;
        }
        Attempt alone = attempt(edits);
        if (alone.violations.empty())
            accepted(edits, std::move(alone));
        else
            refuse(edits, alone.violations.front());
    }

    /// Returns false and changes nothing if a rule is violated.
    bool accepted(const SettingEdits& edits, Attempt tried) {
        if (!tried.violations.empty()) return false;
        s.asked = std::move(tried.config);
        for (const SettingEdit& edit : edits) {
            SettingState* setting = find(edit.key);
            if (setting == nullptr) continue;
            // The engine has another value that is still pending.
            const bool waits = setting->waiting();
            setRequested(*setting, s.asked);
            const bool inEffect = !waits && setting->asRequested() &&
                                  setting->revision <= s.overall.effectiveRevision;
            clear(*setting, inEffect ? ChangeState::Settled : ChangeState::Draft);
        }
        s.refusal.reset();
        settleOverall(s.hasDrafts() ? ChangeState::Draft : ChangeState::Settled);
        hint();
        return true;
    }

    void refuse(const SettingEdits& edits, const RuleViolation& violation) {
        for (const SettingEdit& edit : edits) {
            SettingState* setting = find(edit.key);
            if (setting == nullptr) continue;
            if (edit.value)
                putRequested(*setting, *edit.value);
            else
                put(*setting, &SettingState::typed, edit.typed);
            put(*setting, &SettingState::refused, true);
            put(*setting, &SettingState::state, ChangeState::Rejected);
            put(*setting, &SettingState::remark, Remark::Refused);
            put(*setting, &SettingState::refusal,
                {violation.rule, violation.sentence, violation.nearest,
                 violation.field.empty() ? edit.key : violation.field});
        }
        settleOverall(ChangeState::Rejected);
        s.overall.sentence = violation.sentence;
        s.refusal = violation;
    }

    /// Drops the last refusal; the overall state then shows another refused edit, if any.
    void clearRefusal() {
        s.refusal.reset();
        if (s.overall.state != ChangeState::Rejected) return;
        const auto first = std::find_if(s.settings.begin(), s.settings.end(),
                                        [](const SettingState& one) { return one.refused; });
        if (first != s.settings.end()) {
            s.overall.sentence = first->refusal.sentence;
            return;
        }
        settleOverall(s.hasDrafts() ? ChangeState::Draft
                      : anyWaits()  ? ChangeState::Pending
                                    : ChangeState::Settled);
    }

    // ------------------------------------------------------------ sending

    /// Returns the conversation affected by a change of the setting; nullopt for all conversations.
    [[nodiscard]] std::optional<ConversationId> audienceOf(const SettingState& setting) const {
        const bool own = setting.ofConversation() && s.sent.hasOwn(s.shown);
        return own ? std::optional(s.shown) : std::nullopt;
    }

    void submit() {
        stopRest();
        if (s.refusal) {
            out.send.push_back(ConfigRejected{Revision(++s.lastRevision), {*s.refusal}, now});
            s.refusal.reset();
        }
        if (!s.hasDrafts()) return;
        sendDrafts(std::nullopt);
        if (s.sent.hasOwn(s.shown)) sendDrafts(s.shown);
        out.overall = true;
    }

    void sendDrafts(std::optional<ConversationId> audience) {
        std::vector<SettingState*> drafts;
        for (SettingState& setting : s.settings)
            if (setting.state == ChangeState::Draft && audienceOf(setting) == audience)
                drafts.push_back(&setting);
        if (drafts.empty()) return;
        // The conversation's own cache settings must not become shared.
        const bool apart = !audience && s.sent.hasOwn(s.shown);
        const Revision revision =
            send(audience, audience.has_value(),
                 apart ? withCacheSettings(s.asked, cacheSettingsOf(s.sent.shared())) : s.asked);
        for (SettingState* setting : drafts) {
            put(*setting, &SettingState::state, ChangeState::Submitted);
            put(*setting, &SettingState::revision, revision.value);
            put(*setting, &SettingState::remark, Remark::Deferred);
        }
    }

    /// Sends the settings of an audience under the next revision; `own` marks them as the
    /// conversation's own.
    Revision send(std::optional<ConversationId> audience, bool own, const EngineConfig& config) {
        const Revision revision(++s.lastRevision);
        s.sent.take(audience, own, config);
        settleOverall(ChangeState::Submitted);
        s.overall.requestedRevision = revision.value;
        s.sentAtNs[revision.value] = now;
        out.unanswered = ConfigEffects::Timer::Start;
        if (audience)
            out.send.push_back(SetCacheSettings{
                revision, *audience, own ? std::optional(cacheSettingsOf(config)) : std::nullopt,
                cancels});
        else
            out.send.push_back(SetConfig{revision, config, cancels});
        return revision;
    }

    // ------------------------------------------------------------ another conversation

    void park() {
        SettingEdits drafts = refusedDrafts({});
        for (const SettingState& setting : s.settings)
            if (setting.state == ChangeState::Draft) drafts.push_back(editOf(setting));
        if (!drafts.empty()) s.parked[s.shown] = std::move(drafts);
    }

    /// Updates every setting without a draft to the sent value and the active value.
    void showSettled() {
        for (SettingState& setting : s.settings) {
            put(setting, &SettingState::effective,
                settingOf(s.inEffect.of(s.shown), *setting.spec));
            if (setting.refused || setting.state == ChangeState::Draft) continue;
            setRequested(setting, sent());
            const bool same = setting.asRequested();
            if (same && setting.waiting()) continue;  // An unanswered change keeps its state.
            put(setting, &SettingState::state, same ? ChangeState::Settled : ChangeState::Pending);
            put(setting, &SettingState::remark, Remark::None);
            if (!same) put(setting, &SettingState::revision, s.overall.requestedRevision);
        }
        rebuildRequested();
        hint();
    }

    /// Recomputes `asked` from the sent settings and the remaining drafts.
    void rebuildRequested() {
        s.asked = sent();
        for (const SettingState& setting : s.settings)
            if (setting.state == ChangeState::Draft)
                setSetting(s.asked, *setting.spec, setting.requested);
    }

    void hint() {
        for (SettingState& setting : s.settings)
            put(setting, &SettingState::hints, hintsOf(s, *setting.spec));
        out.overall = true;
    }

    // ------------------------------------------------------------ answers

    /// Handles a revision applied by the engine. `change` is null if it did not change this
    /// setting. A setting that is still pending from an earlier revision stays pending.
    void takeAnswer(SettingState& setting, const SettingChange* change, std::int64_t revision) {
        if (change != nullptr)
            setEffective(setting, change->after, revision);
        else if (setting.asRequested() || !setting.waiting())
            setEffective(setting, setting.effective, revision);
    }

    void setEffective(SettingState& setting, SettingValue value, std::int64_t revision) {
        put(setting, &SettingState::effective, std::move(value));
        if (setting.waiting() && setting.revision <= revision) {
            put(setting, &SettingState::state, ChangeState::Applied);
            put(setting, &SettingState::remark, Remark::None);
            setting.answeredAtNs = now;
            out.mark = ConfigEffects::Timer::Start;
        } else if (setting.state == ChangeState::Settled || setting.state == ChangeState::Applied) {
            putRequested(setting, setting.effective);
        }
    }

    void acknowledge(std::int64_t revision, std::int64_t timeNs) {
        const auto asking = s.sentAtNs.find(revision);
        if (asking == s.sentAtNs.end()) return;
        const std::int64_t took = std::max<std::int64_t>(timeNs - asking->second, 0);
        s.overall.acknowledgeMs = static_cast<double>(took) / kNsPerMs;
        s.sentAtNs.erase(s.sentAtNs.begin(), std::next(asking));
    }

    void reject(SettingState& setting, const ConfigRejected& event) {
        if (event.violations.empty()) {
            put(setting, &SettingState::state, ChangeState::RolledBack);
            put(setting, &SettingState::remark, Remark::ApplyFailed);
            put(setting, &SettingState::refused, false);
            putRequested(setting, setting.effective);
            return;
        }
        const auto own = std::find_if(
            event.violations.begin(), event.violations.end(),
            [&](const RuleViolation& violation) { return violation.field == setting.spec->key; });
        put(setting, &SettingState::state, ChangeState::Rejected);
        put(setting, &SettingState::refused, true);
        const bool others = own == event.violations.end();
        put(setting, &SettingState::remark, others ? Remark::OthersRefused : Remark::Refused);
        Refusal refusal = setting.refusal;
        if (others)
            refusal.sentence = event.violations.front().sentence;
        else
            refusal = {own->rule, own->sentence, own->nearest, own->field};
        put(setting, &SettingState::refusal, std::move(refusal));
    }

    ConfigState& s;
    ConfigEffects& out;
    const std::int64_t now;
    std::optional<ConversationId> cancels;  ///< conversation whose recoding is cancelled
};

}  // namespace

ConfigState::ConfigState(MachineFacts facts, const EngineConfig& config)
    : machine(std::move(facts)), initial(config), asked(config), inEffect(config), sent(config) {
    for (const SettingSpec& spec : settingSpecs()) {
        SettingState setting;
        setting.spec = &spec;
        setting.effective = settingOf(config, spec);
        setting.requested = setting.effective;
        setting.hints = hintsOf(*this, spec);
        settings.push_back(std::move(setting));
    }
}

const SettingState* ConfigState::find(std::string_view key) const {
    const SettingSpec* const spec = findSetting(key);
    if (spec == nullptr) return nullptr;
    return &settings[static_cast<std::size_t>(spec - settingSpecs().data())];
}

bool ConfigState::hasDrafts() const {
    return std::any_of(settings.begin(), settings.end(), [](const SettingState& setting) {
        return setting.state == ChangeState::Draft;
    });
}

tl::expected<CacheSettings, std::string> ConfigState::ownSettingsWith(
    ConversationId id, const std::map<std::string, std::string>& texts) const {
    EngineConfig config = sent.of(id);
    for (const auto& [key, text] : texts) {
        const SettingState* setting = find(key);
        if (setting == nullptr || !setting->ofConversation())
            continue;  // The key comes from another version.
        if (const auto violation = changeSetting(config, key, text))
            return tl::unexpected<std::string>(violation->sentence);
    }
    const auto violations = violationsOf(*this, config);
    if (!violations.empty()) return tl::unexpected<std::string>(violations.front().sentence);
    return cacheSettingsOf(config);
}

ConfigStep next(ConfigState state, const ConfigInput& input, std::int64_t nowNs) {
    ConfigEffects effects;
    std::visit(Transition(state, effects, nowNs), input);
    std::ranges::sort(effects.changed);
    const auto repeated = std::ranges::unique(effects.changed);
    effects.changed.erase(repeated.begin(), repeated.end());
    return {std::move(state), std::move(effects)};
}

}  // namespace lacuna::app
