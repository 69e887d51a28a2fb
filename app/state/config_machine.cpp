#include "app/state/config_machine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lacuna::app {

ReadSetting askedValue(const KnobSpec& spec, const AskedValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return settingFromText(spec, *text);
    if (const auto* number = std::get_if<double>(&value)) return settingNumber(spec, *number);
    return std::get<SettingValue>(value);
}

RequestedValue requestedValue(const KnobSpec& spec, const AskedValue& value) {
    ReadSetting read = askedValue(spec, value);
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && (!read || !std::isfinite(numberOf(*read).value_or(0)))) return *text;
    return *std::move(read);
}

std::string requestedText(const KnobSpec& spec, const RequestedValue& value) {
    if (const auto* typed = std::get_if<std::string>(&value)) return *typed;
    return settingText(spec, std::get<SettingValue>(value));
}

std::string_view methodNeeded(const EngineConfig& config, const KnobSpec& spec,
                              const AskedValue& value) {
    if (!spec.brings) return {};
    const ReadSetting read = askedValue(spec, value);
    const auto method = read ? methodBrought(spec, config, *read) : std::nullopt;
    return method ? findKnob("method")->field.choices[static_cast<std::size_t>(*method)]
                  : std::string_view();
}

SettingHints hintsOf(const KnobSpec& spec, const EngineConfig& asked, const EngineConfig& inForce,
                     const ModelFacts* model) {
    return {.brings = methodNeeded(asked, spec, 1.0),
            .idle = idleCondition(spec, asked, model),
            .meaning = meaningNow(spec, asked, model),
            .maximum = mostNow(spec, inForce, model)};
}

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

/// In the setting's own type from here on.
std::optional<RuleViolation> set(EngineConfig& config, const Wish& wish) {
    const KnobSpec* spec = findKnob(wish.key);
    const auto* text = std::get_if<std::string>(&wish.value);
    if (spec == nullptr) return setKnob(config, wish.key, text != nullptr ? *text : std::string());
    ReadSetting value = askedValue(*spec, wish.value);
    if (!value) return std::move(value).error();
    setSetting(config, *spec, *value);
    return std::nullopt;
}

AskedValue askedAgain(const RequestedValue& requested) {
    return std::visit([](const auto& value) { return AskedValue(value); }, requested);
}

/// Ranges, reasons and meanings follow from what is asked for and from the model.
void refreshHints(ConfigState& state) {
    const ModelFacts* model = state.model ? &*state.model : nullptr;
    const EngineConfig& inForce = state.inForce.of(state.shown);
    for (SettingState& setting : state.settings)
        setting.hints = hintsOf(*setting.spec, state.asked, inForce, model);
}

std::vector<RuleViolation> violationsOf(const ConfigState& state, const EngineConfig& config) {
    return lacuna::violationsOf(config, state.model ? &*state.model : nullptr, state.machine);
}

/// One transition: an overload for each input. An edit is tried first together with all refused
/// drafts, since raising one setting may make another valid, and then alone, since one wrong value
/// must not hold up the others.
class Transition {
  public:
    Transition(ConfigState& state, ConfigEffects& effects, std::int64_t nowNs)
        : s(state), out(effects), now(nowNs) {}

    void operator()(const SettingMoved& input) {
        const SettingState* setting = s.find(input.wish.key);
        if (setting == nullptr) return;
        const bool moved = setting->requested != requestedValue(*setting->spec, input.wish.value);
        const std::string method(moved ? methodNeeded(s.asked, *setting->spec, input.wish.value)
                                       : "");
        const Wishes together{input.wish, {"method", method}};
        if (!method.empty() && attempt(together).violations.empty()) {
            tryEdit(together);
            out.brought = {input.wish.key, method};
        } else {
            tryEdit(withBudget({input.wish}));
        }
        if (s.sending == SendPolicy::WhenTold) return;
        if (input.pace == EditPace::Settled)
            submit();
        else
            out.rest = ConfigEffects::Timer::Start;
    }

    void operator()(const SettingsGiven& input) {
        if (input.cancels) submit();  // what waits is another change
        cancels = input.cancels;
        tryEdit(withBudget(input.wishes));
        submit();
    }

    void operator()(const DraftsDue&) { submit(); }

    void operator()(const DraftsGivenUp&) {
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
        forgetRefusal();
        out.overall = true;
    }

    void operator()(const AllReset&) {
        Wishes wishes;
        for (SettingState& setting : s.settings) {
            setting.refused = false;
            SettingValue start = settingOf(s.initial, *setting.spec);
            if (setting.requested != RequestedValue(start) ||
                setting.state == ChangeState::Rejected)
                wishes.push_back({std::string(setting.spec->key), std::move(start)});
        }
        if (wishes.empty()) return;
        tryEdit(wishes);
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
            setting.refused = false;
            setting.state = ChangeState::Settled;
            setting.refusal = {};
        }
        showSettled();
        const auto kept = s.parked.extract(s.shown);
        if (!kept.empty()) tryEdit(kept.mapped());
    }

    void operator()(const OwnChosen& input) {
        if (s.sending == SendPolicy::AfterRest) submit();
        static_cast<void>(send(s.shown, input.own, input.own ? sent() : s.sent.shared()));
        showSettled();
    }

    void operator()(const OwnRestored& input) {
        static_cast<void>(send(input.id, true, withCacheSettings(s.sent.of(input.id), input.own)));
        if (input.id == s.shown) showSettled();
    }

    void operator()(const ModelKnown& input) {
        s.model = input.facts;
        hint();
    }

    void operator()(const AnswerLate&) {
        for (SettingState& setting : s.settings)
            if (setting.state == ChangeState::Submitted) setting.state = ChangeState::Pending;
        if (s.overall.state != ChangeState::Submitted) return;
        s.overall.state = ChangeState::Pending;
        out.overall = true;
    }

    void operator()(const MarksOld&) {
        for (SettingState& setting : s.settings) {
            if (setting.state != ChangeState::Applied) continue;
            if (now - setting.answeredAtNs < kFadeMs * kNsPerMs)
                out.mark = ConfigEffects::Timer::Start;
            else
                setting.state = ChangeState::Settled;
        }
    }

    void operator()(const ConfigApplied& event) {
        s.inForce.take(event.conversation, event.own, event.config);
        const std::int64_t revision = event.revision.value;
        s.overall.effectiveRevision = revision;
        acknowledge(revision, event.timeNs);
        for (SettingState& setting : s.settings) {
            const bool concerned = event.conversation
                                       ? *event.conversation == s.shown && setting.ofConversation()
                                       : !setting.ofConversation() || !s.inForce.hasOwn(s.shown);
            if (!concerned) continue;
            const SettingChange* const change = findChange(event.changes, *setting.spec);
            if (change == nullptr || !change->deferred) {
                takeAnswer(setting, change, revision);
                continue;
            }
            setting.state = ChangeState::Pending;
            setting.revision = revision;
            setting.remark = Remark::Deferred;
        }
        if (revision >= s.overall.requestedRevision) {
            s.overall.requestedRevision = revision;
            s.lastRevision = std::max(s.lastRevision, revision);
            s.sent = s.inForce;
            rebuildAsked();
            const bool waits = anyDeferred(event.changes);
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
        // What was asked for is void; edits made since are tried again on top of what is in force.
        if (revision >= s.overall.requestedRevision) {
            s.sent = s.inForce;
            rebuildAsked();
            settleOverall(failed ? ChangeState::RolledBack : ChangeState::Rejected);
            if (failed)
                s.overall.remark = Remark::CouldNotApply;
            else
                s.overall.sentence = event.violations.front().sentence;
        }
        hint();
    }

    void operator()(const ConfigSuperseded& event) {
        s.sentAtNs.erase(event.revision.value);
        for (SettingState& setting : s.settings) {
            if (!setting.waiting() || setting.revision != event.revision.value) continue;
            // The newer configuration carries this value too, so the setting waits for its answer.
            setting.revision = event.by.value;
            setting.remark = Remark::SentAgain;
        }
        if (s.overall.requestedRevision != event.revision.value) return;
        s.overall.state = ChangeState::Superseded;
        out.overall = true;
    }

    void operator()(const CacheSettingsDropped& event) {
        s.inForce.setOwn(event.conversation, std::nullopt);
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
            const KnobWhen when = setting.spec->when;
            if (when == KnobWhen::NextTurn || (when == KnobWhen::NewCache && newCache))
                setEffective(setting, settingOf(event.config, *setting.spec), event.revision.value);
        }
        const bool waits = std::any_of(s.settings.begin(), s.settings.end(),
                                       [](const SettingState& one) { return one.waiting(); });
        if (!waits && s.overall.state == ChangeState::Pending) settleOverall(ChangeState::Applied);
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
    /// Whether two conversations are answered under the same settings, as sent.
    [[nodiscard]] bool shareSettings(ConversationId one, ConversationId other) const {
        return one == other || (!s.sent.hasOwn(one) && !s.sent.hasOwn(other));
    }
    void stopRest() { out.rest = ConfigEffects::Timer::Stop; }

    void setRequested(SettingState& setting, const EngineConfig& config) {
        setting.requested = settingOf(config, *setting.spec);
    }
    /// Nothing stands against the value asked for.
    static void clear(SettingState& setting, ChangeState state) {
        setting.state = state;
        setting.refused = false;
        setting.remark = Remark::None;
        setting.refusal = {};
    }
    void settleOverall(ChangeState state) {
        s.overall.state = state;
        s.overall.remark = Remark::None;
        s.overall.sentence.clear();
        out.overall = true;
    }

    // ------------------------------------------------------------ edits

    [[nodiscard]] Attempt attempt(const Wishes& wishes) const {
        Attempt result{s.asked, {}};
        for (const Wish& wish : wishes)
            if (auto violation = set(result.config, wish))
                result.violations.push_back(std::move(*violation));
        if (result.violations.empty()) result.violations = violationsOf(s, result.config);
        return result;
    }

    /// Adds the budget that a method of these brings with it.
    [[nodiscard]] Wishes withBudget(Wishes wishes) const {
        const auto sets = [&wishes](std::string_view key) {
            return std::ranges::find(wishes, key, &Wish::key) != wishes.end();
        };
        if (!sets("method") || sets("budget")) return wishes;
        const auto budget = budgetBrought(attempt(wishes).config, s.model ? &*s.model : nullptr);
        if (budget) wishes.push_back({"budget", SettingValue(*budget)});
        return wishes;
    }

    /// The drafts that break a rule, but for those of `except`.
    [[nodiscard]] Wishes refusedDrafts(const Wishes& except) const {
        Wishes drafts;
        for (const SettingState& setting : s.settings) {
            const bool edited = std::any_of(except.begin(), except.end(), [&](const Wish& wish) {
                return wish.key == setting.spec->key;
            });
            if (setting.refused && !edited)
                drafts.push_back({std::string(setting.spec->key), askedAgain(setting.requested)});
        }
        return drafts;
    }

    void tryEdit(const Wishes& wishes) {
        Wishes all = refusedDrafts(wishes);
        if (!all.empty()) {
            all.insert(all.end(), wishes.begin(), wishes.end());
            if (accepted(all, attempt(all))) return;
        }
        Attempt alone = attempt(wishes);
        if (alone.violations.empty())
            accepted(wishes, std::move(alone));
        else
            refuse(wishes, alone.violations.front());
    }

    /// False, and nothing done, where a rule is broken.
    bool accepted(const Wishes& wishes, Attempt tried) {
        if (!tried.violations.empty()) return false;
        s.asked = std::move(tried.config);
        for (const Wish& wish : wishes) {
            SettingState* setting = find(wish.key);
            if (setting == nullptr) continue;
            setRequested(*setting, s.asked);
            const bool inForce =
                setting->asRequested() && setting->revision <= s.overall.effectiveRevision;
            clear(*setting, inForce ? ChangeState::Settled : ChangeState::Draft);
        }
        s.refusal.reset();
        settleOverall(s.hasDrafts() ? ChangeState::Draft : ChangeState::Settled);
        hint();
        return true;
    }

    void refuse(const Wishes& wishes, const RuleViolation& violation) {
        for (const Wish& wish : wishes) {
            SettingState* setting = find(wish.key);
            if (setting == nullptr) continue;
            setting->refused = true;
            setting->requested = requestedValue(*setting->spec, wish.value);
            setting->state = ChangeState::Rejected;
            setting->remark = Remark::Refused;
            setting->refusal = {violation.rule, violation.sentence, violation.nearest,
                                violation.field.empty() ? wish.key : violation.field};
        }
        settleOverall(ChangeState::Rejected);
        s.overall.sentence = violation.sentence;
        s.refusal = violation;
    }

    /// The last refusal is not reported any more; another edit that stands refused is what counts.
    void forgetRefusal() {
        s.refusal.reset();
        if (s.overall.state != ChangeState::Rejected) return;
        const auto first = std::find_if(s.settings.begin(), s.settings.end(),
                                        [](const SettingState& one) { return one.refused; });
        if (first != s.settings.end()) {
            s.overall.sentence = first->refusal.sentence;
            return;
        }
        const bool waits = std::any_of(s.settings.begin(), s.settings.end(),
                                       [](const SettingState& one) { return one.waiting(); });
        settleOverall(s.hasDrafts() ? ChangeState::Draft
                      : waits       ? ChangeState::Pending
                                    : ChangeState::Settled);
    }

    // ------------------------------------------------------------ sending

    /// Whom a change of the setting is for; nobody: everybody.
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
        // What the conversation has of its own is not for everybody.
        const bool apart = !audience && s.sent.hasOwn(s.shown);
        const Revision revision =
            send(audience, audience.has_value(),
                 apart ? withCacheSettings(s.asked, cacheSettingsOf(s.sent.shared())) : s.asked);
        for (SettingState* setting : drafts) {
            setting->state = ChangeState::Submitted;
            setting->revision = revision.value;
            setting->remark = Remark::Deferred;
        }
    }

    /// The settings of an audience, under the next revision. `own`: as its own.
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
        Wishes drafts = refusedDrafts({});
        for (const SettingState& setting : s.settings)
            if (setting.state == ChangeState::Draft)
                drafts.push_back({std::string(setting.spec->key), askedAgain(setting.requested)});
        if (!drafts.empty()) s.parked[s.shown] = std::move(drafts);
    }

    /// Every setting that no draft stands in: as it was sent, and what is in force.
    void showSettled() {
        for (SettingState& setting : s.settings) {
            setting.effective = settingOf(s.inForce.of(s.shown), *setting.spec);
            if (setting.refused || setting.state == ChangeState::Draft) continue;
            setRequested(setting, sent());
            const bool same = setting.asRequested();
            if (same && setting.waiting()) continue;  // of a change that is not answered yet
            setting.state = same ? ChangeState::Settled : ChangeState::Pending;
            setting.remark = Remark::None;
            if (!same) setting.revision = s.overall.requestedRevision;
        }
        rebuildAsked();
        hint();
    }

    /// `sent` with the drafts that were made meanwhile on top.
    void rebuildAsked() {
        s.asked = sent();
        for (const SettingState& setting : s.settings)
            if (setting.state == ChangeState::Draft)
                setSetting(s.asked, *setting.spec, std::get<SettingValue>(setting.requested));
    }

    void hint() {
        refreshHints(s);
        out.overall = true;
    }

    // ------------------------------------------------------------ answers

    /// The engine applied a revision in which this setting changed as `change` says, or, where that
    /// is null, did not change. One that waits for the next turn since an earlier revision goes on
    /// waiting.
    void takeAnswer(SettingState& setting, const SettingChange* change, std::int64_t revision) {
        if (change != nullptr)
            setEffective(setting, change->after, revision);
        else if (setting.asRequested() || !setting.waiting())
            setEffective(setting, setting.effective, revision);
    }

    void setEffective(SettingState& setting, SettingValue value, std::int64_t revision) {
        setting.effective = std::move(value);
        if (setting.waiting() && setting.revision <= revision) {
            setting.state = ChangeState::Applied;
            setting.remark = Remark::None;
            setting.answeredAtNs = now;
            out.mark = ConfigEffects::Timer::Start;
        } else if (setting.state == ChangeState::Settled || setting.state == ChangeState::Applied) {
            setting.requested = setting.effective;
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
            setting.state = ChangeState::RolledBack;
            setting.remark = Remark::CouldNotApply;
            setting.refused = false;
            setting.requested = setting.effective;
            return;
        }
        const auto own = std::find_if(
            event.violations.begin(), event.violations.end(),
            [&](const RuleViolation& violation) { return violation.field == setting.spec->key; });
        setting.state = ChangeState::Rejected;
        setting.refused = true;
        const bool others = own == event.violations.end();
        setting.remark = others ? Remark::OthersRefused : Remark::Refused;
        if (others)
            setting.refusal.sentence = event.violations.front().sentence;
        else
            setting.refusal = {own->rule, own->sentence, own->nearest, own->field};
    }

    ConfigState& s;
    ConfigEffects& out;
    const std::int64_t now;
    std::optional<ConversationId> cancels;  ///< what is sent is to end this one's recoding
};

}  // namespace

ConfigState::ConfigState(MachineFacts facts, const EngineConfig& config)
    : machine(std::move(facts)), initial(config), asked(config), inForce(config), sent(config) {
    for (const KnobSpec& spec : knobSpecs()) {
        SettingState setting;
        setting.spec = &spec;
        setting.effective = settingOf(config, spec);
        setting.requested = setting.effective;
        settings.push_back(std::move(setting));
    }
    refreshHints(*this);
}

const SettingState* ConfigState::find(std::string_view key) const {
    const auto at =
        std::find_if(settings.begin(), settings.end(),
                     [&](const SettingState& setting) { return setting.spec->key == key; });
    return at == settings.end() ? nullptr : &*at;
}

bool ConfigState::hasDrafts() const {
    return std::any_of(settings.begin(), settings.end(), [](const SettingState& setting) {
        return setting.state == ChangeState::Draft;
    });
}

tl::expected<CacheSettings, std::string> ConfigState::ownWith(
    ConversationId id, const std::map<std::string, std::string>& texts) const {
    EngineConfig config = sent.of(id);
    for (const auto& [key, text] : texts) {
        const SettingState* setting = find(key);
        if (setting == nullptr || !setting->ofConversation()) continue;  // of another version
        if (const auto violation = setKnob(config, key, text))
            return tl::unexpected<std::string>(violation->sentence);
    }
    const auto violations = violationsOf(*this, config);
    if (!violations.empty()) return tl::unexpected<std::string>(violations.front().sentence);
    return cacheSettingsOf(config);
}

ConfigStep next(ConfigState state, const ConfigInput& input, std::int64_t nowNs) {
    const std::vector<SettingState> before = state.settings;
    ConfigEffects effects;
    std::visit(Transition(state, effects, nowNs), input);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != state.settings[i]) effects.changed.push_back(i);
    return {std::move(state), std::move(effects)};
}

}  // namespace lacuna::app
