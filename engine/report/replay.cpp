// The replay runs the engine itself: the same class that is used in the window receives the
// recorded commands at their safe points, and its output is compared token by token.
//
// Two ordered lists are replayed: commands and turn starts. The earlier of their heads is due when
// the engine reaches its safe point; at equal points the command comes first. So turns overlap as
// recorded. If the replay has diverged and the engine waits, the next item is due regardless of its
// point.
//
// A turn reuses the recorded number of tokens, from its own cache or from the prefix cache. The
// latter is unlimited in a replay, so it holds at least what it held originally.
//
// Each turn uses its recorded seed. A turn that reused nothing starts with an emptied cache,
// whatever the original reason; otherwise the replay keeps all caches.

#include "engine/report/replay.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/host/engine_host.h"
#include "engine/session/read_facts.h"

namespace lacuna {
namespace {

/// Returns true if layers had different bit widths at any time.
bool spreadsBits(const Recording& recording) {
    return recording.initialConfig.kv.extraBits > 0 ||
           std::ranges::any_of(recording.generations, [](const ConfigApplied& applied) {
               return applied.config.kv.extraBits > 0;
           });
}

std::string rotationsText(const std::string& hash) {
    return hash.empty() ? "no calibrated rotations" : format("calibrated rotations {}", hash);
}

/// Paths and hashes of a recorded model.
struct RecordedModel {
    std::string fingerprint;
    std::filesystem::path path = {}, draft = {};  ///< `draft` is empty if there was no draft model
    std::string draftFingerprint = {}, rotationsHash = {}, layerLossHash = {};
};

/// Issues recorded commands and compares the resulting events, both on the engine's thread.
class ReplayDriver final : public CommandSource {
  public:
    ReplayDriver(const Recording& recording, const ReplayOptions& options,
                 std::vector<RecordedModel> models, std::string isa)
        : recording_(recording),
          options_(options),
          models_(std::move(models)),
          happenedAgain_(recording.compactions.size()),
          isa_(std::move(isa)) {
        for (std::size_t i = 0; i < recording.turns.size(); ++i) {
            if (!recording.turns[i].finished) continue;
            turns_ = i + 1;
            ++comparisons_;
        }
    }

    [[nodiscard]] std::stop_token stopToken() const { return stop_.get_token(); }
    void requestStop() { stop_.request_stop(); }

    // --- CommandSource

    /// Returns one command at a time, since of several setting changes returned together only the
    /// latest would take effect.
    [[nodiscard]] std::vector<Command> take(SafePoint at) override {
        if (over()) return {};
        dropLateCancels();
        const RecordedCommand* command = nextCommand();
        const RecordedTurn* turn = nextTurn();
        if (command != nullptr && (turn == nullptr || command->at <= turn->started.at)) {
            if (!due(command->at, at)) return {};
            ++nextCommand_;
            std::vector<Command> commands = loadedAnew(*command);
            commands.push_back(adapted(*command));
            return commands;
        }
        if (turn == nullptr) {
            if (comparisons_ == compared_) requestStop();
            return {};
        }
        if (!due(turn->started.at, at)) return {};
        return beginningOf(*turn);
    }

    void wait(std::stop_token) override {
        idle_ = true;
        if (nextCommand() == nullptr && nextTurn() == nullptr) requestStop();
    }

    [[nodiscard]] bool cancelWaiting(SafePoint) const override { return false; }

    /// A compaction that ended in the background ends at the same point in the replay, and nowhere
    /// else. A cancelled one is cancelled again, whatever the cause was. If several have the same
    /// point, as in a pause, the first one not replayed yet counts.
    [[nodiscard]] BackgroundPolicy backgroundPolicy(SafePoint at, ConversationId id) override {
        const auto next = nextCompaction(at, id);
        if (next == recording_.compactions.size()) return BackgroundPolicy::Hold;
        const CompactionReport& report = recording_.compactions[next].report;
        if (report.result == CompactionResult::Aborted) return BackgroundPolicy::Cancel;
        return report.background && report.result != CompactionResult::Started
                   ? BackgroundPolicy::Wait
                   : BackgroundPolicy::Hold;
    }

    // --- events of the engine, called on its thread

    void compare(const Event& event) {
        std::visit(
            [this](const auto& one) {
                if constexpr (requires { this->on(one); }) on(one);
            },
            event);
    }

    [[nodiscard]] Result<ReplayOutcome> outcome(const LoadedModel* model) const;
    /// The model that is loaded or being loaded; null before the first one.
    [[nodiscard]] const RecordedModel* model() const { return model_; }

  private:
    /// Returns true once the outcome is decided; further events are ignored.
    [[nodiscard]] bool over() const { return problem_ || outcome_.divergedTurn != 0; }

    /// Returns null if there is none; commands after the last compared turn are ignored.
    [[nodiscard]] const RecordedCommand* nextCommand() const {
        if (nextCommand_ >= recording_.commands.size()) return nullptr;
        const RecordedCommand& command = recording_.commands[nextCommand_];
        return command.at.turn > static_cast<std::int64_t>(turns_) ? nullptr : &command;
    }
    [[nodiscard]] const RecordedTurn* nextTurn() const {
        return nextTurn_ < turns_ ? &recording_.turns[nextTurn_] : nullptr;
    }

    /// Returns the index of the first compaction at this point that was not replayed yet, or the
    /// size of the list.
    [[nodiscard]] std::size_t nextCompaction(SafePoint at, ConversationId id) const {
        std::size_t i = 0;
        while (i < recording_.compactions.size() &&
               (happenedAgain_[i] || !(recording_.compactions[i].at == at) ||
                recording_.compactions[i].conversation != id))
            ++i;
        return i;
    }

    /// Skips cancels that are obsolete because their turn ended early.
    void dropLateCancels() {
        for (; idle_ && nextCommand() != nullptr; ++nextCommand_)
            if (!std::holds_alternative<CancelTurn>(nextCommand()->command)) return;
    }

    [[nodiscard]] bool due(SafePoint told, SafePoint at) {
        return told <= at || std::exchange(idle_, false);
    }

    [[nodiscard]] Command adapted(const RecordedCommand& recorded) const {
        Command command = recorded.command;
        if (auto* change = std::get_if<SetConfig>(&command); change != nullptr && options_.threads)
            change->config.threads = *options_.threads;
        return command;
    }

    [[nodiscard]] std::vector<Command> beginningOf(const RecordedTurn& turn) {
        std::vector<Command> commands = loaded(turn.fingerprint);
        const ConversationId conversation = turn.started.conversation;
        if (turn.started.reusedTokens == 0) commands.push_back(ReleaseConversation{conversation});
        Submit submit{conversation, messagesOf(recording_, turn), turn.started.stopStrings};
        submit.seed = turn.started.seed;
        submit.rules = turn.started.rules;
        submit.prefix = turn.started.prefix;
        submit.pins = turn.started.pins;
        submit.maxReused = turn.started.reusedTokens;
        submit.ownCache = turn.started.match == PrefixMatch::None;
        if (turn.started.precision && turn.started.config.precision == PrecisionChoice::Auto)
            commands.push_back(UsePrecision{*turn.started.precision});
        commands.push_back(std::move(submit));
        if (options_.progress)
            options_.progress(static_cast<std::int64_t>(nextTurn_),
                              static_cast<std::int64_t>(turns_));
        ++nextTurn_;
        idle_ = false;
        return commands;
    }

    /// Returns the commands to load the model with this fingerprint; empty if it is loaded or
    /// unknown.
    [[nodiscard]] std::vector<Command> loaded(const std::string& fingerprint) {
        if (fingerprint.empty() || (model_ != nullptr && model_->fingerprint == fingerprint))
            return {};
        const auto next = std::ranges::find(models_, fingerprint, &RecordedModel::fingerprint);
        if (next == models_.end()) return {};
        model_ = &*next;
        return {LoadModel{model_->path, model_->draft}};
    }
    /// Profiles for another model were recorded when that model was loaded, so load it first: the
    /// settings that follow were made for it.
    [[nodiscard]] std::vector<Command> loadedAnew(const RecordedCommand& recorded) {
        const auto* heads = std::get_if<UseHeadProfiles>(&recorded.command);
        return heads != nullptr && model_ != nullptr ? loaded(heads->fingerprint)
                                                     : std::vector<Command>();
    }

    void on(const ModelLoaded& loaded) {
        rotations_ = loaded.facts.rotationsHash;
        layerLoss_ = loaded.facts.layerLossHash;
        expectModel(loaded.facts.path, loaded.facts.fingerprint, model_->fingerprint);
        expectModel(loaded.facts.draftPath, loaded.facts.draftFingerprint,
                    model_->draftFingerprint);
    }
    void expectModel(const std::string& path, const std::string& found,
                     const std::string& expected) {
        if (found == expected || problem_) return;
        problem_ = fail(ErrorCode::Incompatible,
                        format("{} is not the recorded model: fingerprint {}, expected {}", path,
                               found, expected))
                       .value();
        requestStop();
    }
    void on(const ModelFailed& failed) {
        problem_ = failed.error;
        requestStop();
    }
    void on(const Fatal& fatal) {
        problem_ = fatal.error;
        requestStop();
    }
    void on(const ConfigRejected& rejected) {
        problem_ =
            withPrefix(violationsError(rejected.violations), "a recorded setting is rejected here");
        requestStop();
    }
    void on(const CompactionHappened& happened) {
        const auto again = nextCompaction(happened.at, happened.conversation);
        if (again < happenedAgain_.size()) happenedAgain_[again] = true;
        if (compacted(outcomeOf(happened.report))) ++outcome_.compactionsReplayed;
    }
    void on(const TurnFinished& finished) {
        const auto index = static_cast<std::size_t>(finished.turn - 1);
        if (over() || stop_.stop_requested() || options_.stop.stop_requested() || index >= turns_ ||
            !recording_.turns[index].finished)
            return;
        ++compared_;
        compare(*recording_.turns[index].finished, finished);
    }

    void compare(const TurnFinished& recorded, const TurnFinished& replayed) {
        const auto [a, b] = std::ranges::mismatch(recorded.tokens, replayed.tokens);
        const auto same = static_cast<std::int64_t>(a - recorded.tokens.begin());
        outcome_.tokens += same;
        ++outcome_.turns;
        addSpeed(recorded, recordedTokens_, recordedSeconds_);
        addSpeed(replayed, replayedTokens_, replayedSeconds_);
        const bool sameTokens = a == recorded.tokens.end() && b == replayed.tokens.end();
        if (sameTokens && recorded.reason == replayed.reason && recorded.text == replayed.text)
            return;
        outcome_.divergedTurn = recorded.turn;
        outcome_.divergedToken = same;
        expectedToken_ = a == recorded.tokens.end() ? std::nullopt : std::optional(*a);
        foundToken_ = b == replayed.tokens.end() ? std::nullopt : std::optional(*b);
        if (sameTokens)
            textNote_ = recorded.reason != replayed.reason ? "it ended for another reason"
                                                           : "its text differs";
        if (replayed.error) textNote_ = describe(*replayed.error);
        requestStop();
    }

    static void addSpeed(const TurnFinished& turn, std::int64_t& tokens, double& seconds) {
        if (turn.stats.generatedTokens < 2) return;
        tokens += turn.stats.generatedTokens - 1;
        seconds += turn.stats.decodeSeconds;
    }

    const Recording& recording_;
    const ReplayOptions& options_;
    const std::vector<RecordedModel> models_;  ///< models that answered turns
    const RecordedModel* model_ = nullptr;     ///< the one that is loaded or being loaded
    std::stop_source stop_;
    std::size_t turns_ = 0;        ///< number of turns up to the last finished one
    std::size_t comparisons_ = 0;  ///< number of finished turns among them
    std::size_t compared_ = 0;
    std::size_t nextTurn_ = 0;
    std::size_t nextCommand_ = 0;
    bool idle_ = false;                ///< the engine waits although items are left
    std::vector<bool> happenedAgain_;  ///< one flag per compaction of the recording
    std::optional<Error> problem_;
    std::optional<TokenId> expectedToken_;
    std::optional<TokenId> foundToken_;
    std::string textNote_;
    const std::string isa_;  ///< kernels used on this machine
    std::string rotations_;  ///< hash of the loaded model's calibrated rotations; empty if none
    std::string layerLoss_;  ///< hash of the loaded model's measured layer errors; empty if none
    ReplayOutcome outcome_;
    std::int64_t recordedTokens_ = 0, replayedTokens_ = 0;
    double recordedSeconds_ = 0, replayedSeconds_ = 0;
};

std::string pieceText(const LoadedModel* model, const std::optional<TokenId>& token) {
    if (!token) return "the end of the answer";
    if (model == nullptr) return format("token {}", *token);
    return model->tokenizer.pieceBytes(*token, SpecialOutput::Show)
        .value_or(format("token {}", *token));
}

double speed(std::int64_t tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

Result<ReplayOutcome> ReplayDriver::outcome(const LoadedModel* model) const {
    if (problem_) return tl::unexpected<Error>(*problem_);
    if (options_.stop.stop_requested()) return fail(ErrorCode::Cancelled, "the replay was stopped");
    ReplayOutcome result = outcome_;
    result.identical = outcome_.divergedTurn == 0;
    for (const CompactionHappened& happened : recording_.compactions)
        if (happened.at.turn <= static_cast<std::int64_t>(turns_))
            result.compactionsRecorded += compacted(outcomeOf(happened.report)) ? 1 : 0;
    result.recordedDecodeTokensPerSecond = speed(recordedTokens_, recordedSeconds_);
    result.replayedDecodeTokensPerSecond = speed(replayedTokens_, replayedSeconds_);
    if (result.identical) {
        result.sentence =
            format("identical: {} {}, {} {}", result.turns, result.turns == 1 ? "turn" : "turns",
                   result.tokens, result.tokens == 1 ? "token" : "tokens");
        return result;
    }
    result.expected = pieceText(model, expectedToken_);
    result.found = pieceText(model, foundToken_);
    result.sentence =
        format("diverged at token {} of turn {}: ", result.divergedToken, result.divergedTurn);
    result.sentence += textNote_.empty()
                           ? format("expected '{}', found '{}'", result.expected, result.found)
                           : textNote_;
    if (recording_.machine.isa != isa_)
        result.sentence +=
            format("; recorded with {} kernels, replayed with {}, which round differently",
                   recording_.machine.isa, isa_);
    if (model_ != nullptr && model_->rotationsHash != rotations_)
        result.sentence += format("; recorded with {}, replayed with {}",
                                  rotationsText(model_->rotationsHash), rotationsText(rotations_));
    if (model_ != nullptr && model_->layerLossHash != layerLoss_ && spreadsBits(recording_))
        result.sentence +=
            "; recorded with another measurement of the loss in each layer (extra_bits)";
    return result;
}

/// Returns the models that answered turns. Errors: Incompatible if the report does not describe one
/// of several, InvalidArgument if the model file is ambiguous.
Result<std::vector<RecordedModel>> recordedModels(const Recording& recording,
                                                  const ReplayOptions& options) {
    std::set<std::string> fingerprints;
    std::vector<RecordedModel> models;
    for (const RecordedTurn& turn : recording.turns) {
        if (turn.fingerprint.empty() || !fingerprints.insert(turn.fingerprint).second) continue;
        RecordedModel one{.fingerprint = turn.fingerprint};
        if (const ModelFacts* facts = modelOf(recording, turn)) {
            one.path = facts->path;
            if (!facts->draftPath.empty()) one.draft = options.draft.value_or(facts->draftPath);
            one.draftFingerprint = facts->draftFingerprint;
            one.rotationsHash = facts->rotationsHash;
            one.layerLossHash = facts->layerLossHash;
        }
        models.push_back(std::move(one));
    }
    const auto unknown =
        std::ranges::count_if(models, [](const RecordedModel& one) { return one.path.empty(); });
    if (models.size() > 1 && unknown > 0)
        return fail(ErrorCode::Incompatible,
                    format("the session used {} models, but the report describes only {} of them; "
                           "reports written by this version describe all",
                           models.size(), models.size() - static_cast<std::size_t>(unknown)));
    if (models.size() > 1 && (options.model || options.draft))
        return fail(ErrorCode::InvalidArgument,
                    format("the session used {} models; leave out the model, because the report "
                           "states where all of them are",
                           models.size()));
    if (models.size() == 1 && options.model) models.front().path = *options.model;
    if (models.size() == 1 && models.front().path.empty())
        return fail(ErrorCode::InvalidArgument,
                    "the report does not state where its model is; name one");
    return models;
}

/// Resolved value of precision=auto per model, for reports that do not record it per turn.
PrecisionSource recordedPrecision(const Recording& recording) {
    PrecisionSource source{.given = recording.model ? recording.model->precision : Precision::Fast};
    for (const ModelFacts* model : modelsOf(recording))
        source.recorded.emplace(model->fingerprint, model->precision);
    return source;
}

Status checkReplayable(const Recording& recording) {
    if (std::ranges::none_of(recording.turns,
                             [](const RecordedTurn& turn) { return turn.finished.has_value(); }))
        return fail(ErrorCode::InvalidArgument, "the report has no finished answer to replay");
    for (std::size_t i = 0; i < recording.turns.size(); ++i)
        if (recording.turns[i].started.turn != static_cast<std::int64_t>(i) + 1)
            return fail(ErrorCode::Config, format("turns[{}].turn is {}; expected {}", i,
                                                  recording.turns[i].started.turn, i + 1));
    return {};
}

}  // namespace

Result<ReplayOutcome> replay(const Recording& recording, const ReplayOptions& options) {
    LACUNA_TRY_STATUS(checkReplayable(recording));
    LACUNA_TRY(std::vector<RecordedModel> models, recordedModels(recording, options));
    const MachineFacts machine = machineFacts();
    ReplayDriver driver(recording, options, std::move(models), machine.isa);
    std::shared_ptr<const LoadedModel> loaded;  // the driver's current model, not its draft model
    const RecordedModel* loadedFor = nullptr;
    ModelMakers makers = options.makers;
    makers.load = [&](const std::filesystem::path& from, const LoadOptions& load) {
        auto result = options.makers.load(from, load);
        // The first load per model is the model itself, the next its draft model.
        if (result && std::exchange(loadedFor, driver.model()) != driver.model()) loaded = *result;
        return result;
    };
    EngineConfig config = recording.initialConfig;
    if (options.threads) config.threads = *options.threads;
    std::set<ConversationId> conversations;
    for (const RecordedTurn& turn : recording.turns)
        conversations.insert(turn.started.conversation);
    EngineHost engine({.machine = machine,
                       .config = std::move(config),
                       .precision = recordedPrecision(recording),
                       .profileFolder = options.kept,
                       .profilesGiven = std::ranges::any_of(
                           recording.commands,
                           [](const RecordedCommand& one) {
                               return std::holds_alternative<UseHeadProfiles>(one.command);
                           }),
                       .keepsPrefixes = true,
                       .restoresAreRecorded = true,
                       .residentConversations = static_cast<int>(conversations.size()),
                       .makers = std::make_shared<const ModelMakers>(std::move(makers))},
                      &driver);
    const EventSubscription events =
        engine.events().subscribe({}, [&driver](const Event& event) { driver.compare(event); });
    const std::stop_callback outer(options.stop, [&driver] { driver.requestStop(); });
    const std::stop_callback over(driver.stopToken(), [&engine] { engine.requestStop(); });
    engine.start();
    engine.wait();
    return driver.outcome(loaded.get());
}

}  // namespace lacuna
