// A replay is the engine itself, fed from the recording: the same class that answers in the window
// gets its commands at the recorded safe points, and what it says is compared token by token.
//
// Seeds are those really used, turn by turn. A turn that reused nothing of an earlier one starts
// with an emptied cache, whatever the reason was then; the replay keeps all caches otherwise.

#include "engine/report/replay.h"

#include <algorithm>
#include <set>

#include "engine/base/string_format.h"
#include "engine/session/engine.h"

namespace lacuna {
namespace {

/// Hands out recorded commands, compares what comes back. Both sides run on the one thread of
/// run().
class ReplayDriver final : public CommandSource, public EventSink {
  public:
    ReplayDriver(const Recording& recording, const ReplayOptions& options,
                 std::filesystem::path model, std::string isa)
        : recording_(recording),
          options_(options),
          modelPath_(std::move(model)),
          delivered_(recording.commands.size()),
          isa_(std::move(isa)) {
        while (turns_ < recording.turns.size() && recording.turns[turns_].finished) ++turns_;
    }

    [[nodiscard]] std::stop_token stopToken() const { return stop_.get_token(); }
    void requestStop() { stop_.request_stop(); }

    // --- CommandSource

    [[nodiscard]] std::vector<Command> take(SafePoint at) override {
        std::vector<Command> due;
        // Between two turns commands came one after another, so they are handed out one by one.
        for (std::size_t i = 0; i < delivered_.size() && (answering_ || due.empty()); ++i) {
            const RecordedCommand& recorded = recording_.commands[i];
            // A turn that ended early leaves its later commands to the pause after it, except its
            // cancel.
            if (delivered_[i] || (answering_ ? recorded.at > at : recorded.at.turn > at.turn))
                continue;
            delivered_[i] = true;
            if (answering_ || !std::holds_alternative<CancelTurn>(recorded.command))
                due.push_back(adapted(recorded));
        }
        if (!answering_ && due.empty()) submitNext(due);
        return due;
    }

    void wait(std::stop_token) override {}  // take() always has the next command or asks to stop

    [[nodiscard]] bool cancelWaiting(SafePoint) const override { return false; }

    // --- EventSink

    void post(Event event) override {
        std::visit(
            [this](const auto& one) {
                if constexpr (requires { this->on(one); }) on(one);
            },
            event);
    }

    [[nodiscard]] Result<ReplayOutcome> outcome(const LoadedModel* model) const;

  private:
    [[nodiscard]] const TurnFinished& recordedTurn(std::size_t index) const {
        return *recording_.turns[index].finished;
    }

    [[nodiscard]] Command adapted(const RecordedCommand& recorded) const {
        Command command = recorded.command;
        if (auto* change = std::get_if<SetConfig>(&command); change != nullptr && options_.threads)
            change->config.threads = *options_.threads;
        return command;
    }

    void submitNext(std::vector<Command>& due) {
        if (next_ >= turns_ || problem_ || outcome_.divergedTurn != 0) {
            requestStop();
            return;
        }
        const RecordedTurn& turn = recording_.turns[next_];
        if (!loading_ && !turn.fingerprint.empty()) {
            loading_ = true;
            due.push_back(LoadModel{modelPath_});
        }
        const ConversationId conversation = turn.started.conversation;
        if (turn.started.reusedTokens == 0) due.push_back(ForgetConversation{conversation});
        Submit submit{conversation, turn.started.messages, turn.started.stopStrings};
        submit.seed = turn.started.seed;
        due.push_back(std::move(submit));
        if (options_.progress)
            options_.progress(static_cast<std::int64_t>(next_), static_cast<std::int64_t>(turns_));
        answering_ = true;  // from here on safe points belong to the turn
    }

    void on(const ModelLoaded& loaded) {
        const std::string& expected = recording_.turns[next_].fingerprint;
        if (loaded.facts.fingerprint == expected) return;
        problem_ =
            fail(ErrorCode::Incompatible,
                 format("{} is another model than the recorded one: fingerprint {}, expected {}",
                        loaded.facts.path, loaded.facts.fingerprint, expected))
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
            withPrefix(violationsError(rejected.violations), "a recorded setting is refused here");
        requestStop();
    }
    void on(const CompactionHappened& happened) {
        if (happened.report.result == CompactionResult::Done) ++outcome_.compactionsReplayed;
    }
    void on(const TurnFinished& finished) {
        answering_ = false;
        if (problem_ || options_.stop.stop_requested() || next_ >= turns_) return;
        compare(recordedTurn(next_), finished);
        ++next_;
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
    const std::filesystem::path modelPath_;
    std::vector<bool> delivered_;  ///< by index of recording_.commands
    std::stop_source stop_;
    std::size_t turns_ = 0;  ///< finished ones at the start of the recording
    std::size_t next_ = 0;
    bool answering_ = false;
    bool loading_ = false;
    std::optional<Error> problem_;
    std::optional<TokenId> expectedToken_;
    std::optional<TokenId> foundToken_;
    std::string textNote_;
    const std::string isa_;  ///< kernels of this machine
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
        result.compactionsRecorded += happened.report.result == CompactionResult::Done ? 1 : 0;
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
    return result;
}

/// The one model that answered all turns; empty when no turn had one.
Result<std::string> recordedFingerprint(const Recording& recording) {
    std::set<std::string> fingerprints;
    for (const RecordedTurn& turn : recording.turns)
        if (!turn.fingerprint.empty()) fingerprints.insert(turn.fingerprint);
    if (fingerprints.size() > 1)
        return fail(ErrorCode::Incompatible,
                    format("the session used {} models; a replay runs sessions with one",
                           fingerprints.size()));
    return fingerprints.empty() ? std::string() : *fingerprints.begin();
}

Status checkReplayable(const Recording& recording) {
    if (recording.turns.empty() || !recording.turns.front().finished)
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
    LACUNA_TRY(const std::string fingerprint, recordedFingerprint(recording));
    if (!fingerprint.empty() && !recording.model && !options.model)
        return fail(ErrorCode::InvalidArgument,
                    "the report does not say where its model is; name one");
    std::filesystem::path path =
        options.model.value_or(recording.model ? recording.model->path : "");
    const MachineFacts machine = machineFacts();
    ReplayDriver driver(recording, options, std::move(path), machine.isa);
    std::shared_ptr<const LoadedModel> loaded;
    ModelMakers makers = options.makers;
    makers.load = [&](const std::filesystem::path& from, const LoadOptions& load) {
        auto result = options.makers.load(from, load);
        if (result) loaded = *result;
        return result;
    };
    EngineConfig config = recording.initialConfig;
    if (options.threads) config.threads = *options.threads;
    std::set<ConversationId> conversations;
    for (const RecordedTurn& turn : recording.turns)
        conversations.insert(turn.started.conversation);
    NullLogger log;
    const SteadyClock clock;
    const std::stop_callback outer(options.stop, [&driver] { driver.requestStop(); });
    Engine engine({.commands = driver,
                   .events = driver,
                   .log = log,
                   .clock = clock,
                   .machine = machine,
                   .config = std::move(config),
                   .precision = recording.model ? recording.model->precision : Precision::Fast,
                   .residentConversations = static_cast<int>(conversations.size()),
                   .makers = std::move(makers)});
    engine.run(driver.stopToken());
    return driver.outcome(loaded.get());
}

}  // namespace lacuna
