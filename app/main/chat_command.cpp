// generate and chat: the same engine, queue and events as the window, on a terminal.

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>

#include "app/main/cli_support.h"
#include "app/main/command_engine.h"
#include "app/main/commands.h"
#include "app/main/compaction_list.h"
#include "app/main/slash_commands.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/model/weight_placement.h"
#include "engine/report/recorder.h"
#include "engine/report/report_folder.h"
#include "engine/session/read_facts.h"
#include "engine/settings/setting_value.h"
#include "engine/values/compaction_sentences.h"
#include "engine/values/turn_values.h"

namespace lacuna::cli {
namespace {

/// Standard input whose reads can be interrupted by a signal. Main thread only.
class StdinReader {
  public:
    explicit StdinReader(std::stop_token stop) : stop_(std::move(stop)) {}
    /// Appends at least one byte of input to `text`; returns false at the end of input or when
    /// stopped.
    [[nodiscard]] bool more(std::string& text);
    /// Reads the next line without its end; returns false if there is none.
    [[nodiscard]] bool line(std::string& text);

  private:
    std::stop_token stop_;
    std::string waiting_;  ///< read but not returned yet
};

constexpr int kPollMs = 50;

bool StdinReader::more(std::string& text) {
    char part[1 << 16];
    while (!stop_.stop_requested()) {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&input, 1, kPollMs);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t count = ::read(STDIN_FILENO, part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.append(part, static_cast<std::size_t>(count));
        return true;
    }
    return false;
}

bool StdinReader::line(std::string& text) {
    std::size_t searched = 0;
    while (true) {
        const auto end = waiting_.find('\n', searched);
        if (end != std::string::npos) {
            text = waiting_.substr(0, end);
            waiting_.erase(0, end + 1);
            return true;
        }
        searched = waiting_.size();
        if (more(waiting_)) continue;
        if (stop_.stop_requested() || waiting_.empty()) return false;
        text = std::move(waiting_);  // last line, without a line end
        waiting_.clear();
        return true;
    }
}

constexpr std::size_t kPromptLimit = std::size_t{64} << 20;
constexpr ConversationId kConversation{1};
// Time without progress after which the summary no longer waits for a background compaction.
constexpr std::chrono::seconds kLastCompaction{5};

std::int64_t unixMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Result<std::string> readAll(const std::string& file, const std::stop_token& stop) {
    if (file != "-") return readFile(file, kPromptLimit);
    std::string text;
    for (StdinReader input(stop); input.more(text);)
        if (text.size() > kPromptLimit)
            return fail(ErrorCode::TokTooLong,
                        format("standard input has more than {} bytes", kPromptLimit));
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "stopped while the message was being read");
    return text;
}

/// One terminal session: engine, recorder and output of events.
class Talk {
  public:
    Talk(const GenerateArguments& arguments, EngineConfig config, AnswerRules rules)
        : arguments_(arguments),
          rules_(std::move(rules)),
          config_(config),
          recorder_(machineFacts(), config, unixMs()),
          engine_(commandEngineOptions(config)),
          events_(engine_.events().subscribeQueue({.retention = !arguments.report.empty()})) {
        engine_.start();
    }

    [[nodiscard]] Status load(std::stop_token stop) {
        LACUNA_TRY(const auto path, modelPath(arguments_.model));
        LACUNA_TRY_STATUS(measureHeadsFirst(path, stop));
        LACUNA_TRY(const ModelFacts facts,
                   loadInto(engine_, events_, path, stop, arguments_.answer.draftModel));
        recorder_.add(ModelLoaded{facts, 0});
        if (!facts.templateNote.empty()) note(facts.templateNote);
        noteIdle(arguments_.settings, config_, facts);
        return {};
    }

    /// If the settings require a task-free profile and there is none, measures it before the model
    /// is loaded.
    [[nodiscard]] Status measureHeadsFirst(const std::filesystem::path& path,
                                           const std::stop_token& stop) const {
        if (config_.kv.method != CompactionMethod::AttentionMatching ||
            config_.kv.headBudgets != HeadBudgets::TaskFree)
            return {};
        LACUNA_TRY(const auto model, loadToRun(path, {.progress = {}, .stop = stop}));
        ThreadPool pool(computeThreads(config_));
        LACUNA_TRY([[maybe_unused]] const auto profiles,
                   profilesFor(model, pool, config_,
                               arguments_.exact ? Precision::Exact : Precision::Fast, stop));
        return {};
    }

    /// Restores the cache from the file of --prompt-cache, if it exists.
    [[nodiscard]] Status readPromptCache(std::stop_token stop) {
        std::error_code ignored;
        const std::string& path = arguments_.answer.promptCache;
        if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
        engine_.send(LoadPromptCache{kConversation, path});
        return promptCacheMoved(stop);
    }
    [[nodiscard]] Status writePromptCache(std::stop_token stop) {
        const std::string& path = arguments_.answer.promptCache;
        if (path.empty()) return {};
        if (fromFile_ > 0 && started_.reusedTokens == 0)
            note(format("the cache in {} could not be used: {}", path,
                        started_.reuseNote.empty() ? "the prompt shares no prefix with it"
                                                   : started_.reuseNote));
        engine_.send(SavePromptCache{kConversation, path});
        return promptCacheMoved(stop);
    }

    /// Sends the messages and prints the answer as it is written. An answer that fails after its
    /// first tokens is returned with its error.
    [[nodiscard]] Result<TurnFinished> answer(std::vector<ChatMessage> messages,
                                              std::stop_token stop) {
        engine_.send(Submit{.conversation = kConversation,
                            .messages = std::move(messages),
                            .stopStrings = arguments_.stop,
                            .rules = rules_,
                            .pins = pins_});
        ProgressLine line;
        bool cancelled = false;
        while (true) {
            auto event = events_.next(cancelled ? std::stop_token{} : stop);
            if (!event) {
                engine_.send(CancelTurn{});
                cancelled = true;
                continue;
            }
            take(*event);
            if (const auto* progress = std::get_if<PrefillProgress>(&*event))
                line.show(format("reading {} of {} tokens", progress->done, progress->total));
            if (const auto* token = std::get_if<TokenText>(&*event); token != nullptr) {
                line.show("");
                if (!arguments_.json) LACUNA_TRY_STATUS(write(token->text));
                if (token->logprobs) logprobs_.push_back(logprobsJson(*token));
            }
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
            if (auto* finished = std::get_if<TurnFinished>(&*event)) {
                if (finished->error && finished->text.empty())
                    return tl::unexpected<Error>(*finished->error);
                return std::move(*finished);
            }
        }
    }

    // Operations on a conversation between two messages; each returns a sentence for the user.

    [[nodiscard]] Result<std::string> compactNow(std::stop_token stop) {
        engine_.send(CompactNow{kConversation});
        LACUNA_TRY([[maybe_unused]] const auto begun, awaited<CompactionHappened>(stop));
        LACUNA_TRY_STATUS(waitForCompaction(stop));
        return compactions_.sentences().back();
    }
    [[nodiscard]] Result<std::string> set(const std::string& assignment, std::stop_token stop) {
        auto changed = withSettings(config_, std::vector{assignment});
        if (!changed) return tl::unexpected<Error>(violationsError(changed.error()));
        engine_.send(SetConfig{Revision(++revision_), *changed});
        while (const auto event = events_.next(stop)) {
            take(*event);
            if (const auto* no = std::get_if<ConfigRejected>(&*event))
                return tl::unexpected<Error>(violationsError(no->violations));
            if (const auto* applied = std::get_if<ConfigApplied>(&*event)) {
                config_ = applied->config;
                return std::string(anyDeferred(applied->changes)
                                       ? "takes effect with the next message"
                                       : "applied");
            }
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
        }
        return fail(ErrorCode::Cancelled, "stopped before the setting was applied");
    }
    /// Drops the cache and disables compaction.
    [[nodiscard]] Result<std::string> makeFull(std::stop_token stop) {
        LACUNA_TRY([[maybe_unused]] const auto set, this->set("method=none", stop));
        engine_.send(ReleaseConversation{kConversation});
        return std::string("compression is off; the next message reads the full text again");
    }
    /// Replaces the previous pins.
    [[nodiscard]] Result<std::string> pin(const std::vector<ChatMessage>& messages,
                                          std::vector<TextPin> pins, std::stop_token stop) {
        engine_.send(PinText{.conversation = kConversation, .messages = messages, .pins = pins});
        LACUNA_TRY(const TextPinned pinned, awaited<TextPinned>(stop));
        if (pinned.error) return tl::unexpected<Error>(*pinned.error);
        pins_ = std::move(pins);
        std::int64_t evicted = 0;
        for (const PinnedTokens& one : pinned.pins) evicted += one.evicted;
        return format("{} tokens are pinned{}", pinned.tokens,
                      evicted > 0 ? format(", {} of them were already evicted", evicted) : "");
    }
    [[nodiscard]] const std::vector<TextPin>& pins() const { return pins_; }
    /// Drops pins from this message on, because the messages change.
    void dropPinsFrom(std::size_t message) {
        std::erase_if(pins_, [&](const TextPin& pin) {
            return pin.message >= static_cast<std::int64_t>(message);
        });
    }
    [[nodiscard]] Result<RetentionSnapshot> retained(std::stop_token stop) {
        engine_.send(RequestRetention{kConversation});
        return awaited<RetentionSnapshot>(stop);
    }
    [[nodiscard]] Result<std::string> bringBack(const std::string& words, std::stop_token stop) {
        LACUNA_TRY(const RetentionSnapshot held, retained(stop));
        const auto span = spanOf(held.pieces, words);
        if (!span)
            return fail(ErrorCode::InvalidArgument,
                        format("\"{}\" does not occur in the text", words));
        engine_.send(BringBack{
            .conversation = kConversation, .first = span->first, .count = span->tokens()});
        while (true) {
            LACUNA_TRY(const SpanRestored back, awaited<SpanRestored>(stop));
            if (back.error) return tl::unexpected<Error>(*back.error);
            if (back.ended)
                return format("{} tokens were restored, {} were read again", back.keptTokens,
                              back.rereadTokens);
        }
    }
    [[nodiscard]] Result<std::string> moveCache(const std::string& path, bool load,
                                                std::stop_token stop) {
        if (load)
            engine_.send(LoadPromptCache{kConversation, path});
        else
            engine_.send(SavePromptCache{kConversation, path});
        LACUNA_TRY(const PromptCacheMoved moved, awaited<PromptCacheMoved>(stop));
        if (moved.error) return tl::unexpected<Error>(*moved.error);
        return format("{} tokens {} {}", moved.tokens, load ? "loaded from" : "saved to", path);
    }

    /// Waits for a running compaction while it makes progress, so that its end is reported.
    [[nodiscard]] Status settle(std::stop_token stop) {
        LACUNA_TRY_STATUS(waitForCompaction(stop));
        return look(stop);
    }
    [[nodiscard]] Status waitForCompaction(std::stop_token stop) {
        ProgressLine line;
        if (!compactions_.unfinished()) return {};
        line.show("a compaction is finishing");
        auto until = std::chrono::steady_clock::now() + kLastCompaction;
        while (compactions_.unfinished()) {
            const auto event = events_.nextUntil(until, stop);
            if (!event) return {};
            take(*event);
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
            // Measuring the loss reads the text several times; wait while there is progress.
            until = std::chrono::steady_clock::now() + kLastCompaction;
            if (sample_.compaction.phase != CompactionPhase::Unknown)
                line.show(exclusionText(sample_.compaction));
        }
        // The resulting cache size is reported right after the end.
        if (const auto sample = events_.nextUntil(until, stop)) take(*sample);
        return {};
    }

    /// A report also contains the final state of the cache.
    [[nodiscard]] Status look(std::stop_token stop) {
        if (arguments_.report.empty()) return {};
        const auto until = std::chrono::steady_clock::now() + kLastCompaction;
        engine_.send(RequestRetention{kConversation});
        while (const auto event = events_.nextUntil(until, stop)) {
            take(*event);
            if (std::holds_alternative<RetentionSnapshot>(*event)) return {};
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
        }
        return {};
    }

    [[nodiscard]] Status finishReport() const {
        if (arguments_.report.empty()) return {};
        LACUNA_TRY([[maybe_unused]] const auto names,
                   writeReportFolder(arguments_.report, recorder_.recording(), {}));
        return {};
    }
    [[nodiscard]] const StepSample& sample() const { return sample_; }
    [[nodiscard]] const OrderedJson& logprobs() const { return logprobs_; }
    [[nodiscard]] const TurnStarted& started() const { return started_; }
    [[nodiscard]] const CompactionList& compactions() const { return compactions_; }
    [[nodiscard]] const std::vector<LiveQuality>& quality() const { return quality_; }

  private:
    template <class Wanted>
    [[nodiscard]] Result<Wanted> awaited(std::stop_token stop) {
        while (const auto event = events_.next(stop)) {
            take(*event);
            if (const auto* found = std::get_if<Wanted>(&*event)) return *found;
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
        }
        return fail(ErrorCode::Cancelled, "stopped before it was done");
    }
    /// Records an event, independent of what is being waited for.
    void take(const Event& event) {
        recorder_.add(event);
        if (const auto* started = std::get_if<TurnStarted>(&event)) started_ = *started;
        if (const auto* notice = std::get_if<Notice>(&event)) note(notice->sentence);
        if (const auto* happened = std::get_if<CompactionHappened>(&event)) {
            compactions_.add(happened->report);
        }
        if (const auto* sample = std::get_if<StepSample>(&event)) sample_ = *sample;
        if (const auto* sampled = std::get_if<QualitySampled>(&event))
            quality_.push_back(sampled->sample);
    }
    [[nodiscard]] Status promptCacheMoved(std::stop_token stop) {
        while (const auto event = events_.next(stop)) {
            take(*event);
            if (const auto* moved = std::get_if<PromptCacheMoved>(&*event)) {
                if (moved->error) return tl::unexpected<Error>(*moved->error);
                if (moved->loaded) fromFile_ = moved->tokens;
                return {};
            }
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
        }
        return fail(ErrorCode::Cancelled,
                    "stopped while the prompt cache was being loaded or saved");
    }
    GenerateArguments arguments_;
    AnswerRules rules_;
    EngineConfig config_;
    std::int64_t fromFile_ = 0;                    ///< tokens read from the prompt cache
    OrderedJson logprobs_ = OrderedJson::array();  ///< probabilities of all tokens, if requested
    Recorder recorder_;
    EngineHost engine_;
    EventSubscription events_;
    TurnStarted started_;
    StepSample sample_;
    CompactionList compactions_;
    std::vector<LiveQuality> quality_;
    std::vector<TextPin> pins_;  ///< pins in the messages sent last
    std::int64_t revision_ = 0;  ///< revision of the changed settings
};

/// Returns the share of time since the first sample that was spent measuring, 0..1.
double costShare(const std::vector<LiveQuality>& samples) {
    double cost = 0;
    double all = 0;
    for (const LiveQuality& one : samples) {
        cost += one.costMs;
        all += one.costMs + one.decodeMs;
    }
    return all > 0 ? cost / all : 0;
}

OrderedJson qualityJson(const std::vector<LiveQuality>& samples) {
    OrderedJson rows = OrderedJson::array();
    for (const LiveQuality& one : samples) {
        rows.push_back({{"tokens", one.tokens},
                        {"kl", one.kl},
                        {"same_top", one.sameTop},
                        {"cost_share", one.costShare()},
                        {"shadow_bytes", one.shadowBytes}});
        if (one.outputError) rows.back()["output_error"] = *one.outputError;
    }
    return {{"cost_share", costShare(samples)}, {"samples", rows}};
}

OrderedJson outcomeJson(const Talk& talk, const TurnFinished& turn) {
    const TurnStats& s = turn.stats;
    OrderedJson json{
        {"text", turn.text},
        {"tokens", turn.tokens},
        {"finish_reason", keyOf(turn.reason)},
        {"seed", talk.started().seed},
        {"precision", talk.started().precision ? OrderedJson(keyOf(*talk.started().precision))
                                               : OrderedJson(nullptr)},
        {"prompt_tokens", s.promptTokens},
        {"reused_tokens", s.reusedTokens},
        {"generated_tokens", s.generatedTokens},
        {"decode_steps", s.decodeSteps},
        {"shifted_tokens", s.shiftedTokens},
        {"drafted_tokens", s.draftedTokens},
        {"accepted_tokens", s.acceptedTokens},
        {"prefill_seconds", s.prefillSeconds},
        {"decode_seconds", s.decodeSeconds},
        {"time_to_first_token_seconds",
         s.generatedTokens > 0 ? OrderedJson(s.timeToFirstTokenSeconds) : OrderedJson(nullptr)},
        {"kv",
         {{"logical_bytes", talk.sample().kv.logicalBytes},
          {"live_bytes", talk.sample().kv.liveBytes},
          {"allocated_bytes", talk.sample().kv.allocatedBytes},
          {"state_bytes", talk.sample().kv.stateBytes},
          {"checkpoint_bytes", talk.sample().kv.checkpointBytes}}},
        {"read_again", {{"regenerate", s.regenerateTokens}, {"edit", s.editTokens}}},
        {"compactions", talk.compactions().json()}};
    if (turn.error)
        json["error"] = {{"code", errorName(turn.error->code)}, {"message", turn.error->what}};
    if (!talk.quality().empty()) json["quality"] = qualityJson(talk.quality());
    if (talk.started().rules.logprobs) json["logprobs"] = talk.logprobs();
    return json;
}

/// The prompt cache is both read and written, so it is not checked as an input.
Status checkTalkOutputs(const GenerateArguments& a) {
    CommandFiles files{.outputs = reportFiles(a.report),
                       .models = {a.model, a.answer.draftModel},
                       .inputs = {a.file, a.answer.grammar, a.answer.jsonSchema}};
    files.outputs.push_back(a.answer.promptCache);
    return checkOutputs(files);
}

Result<int> generateOrError(const GenerateArguments& arguments, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact(arguments.settings, arguments.exact));
    LACUNA_TRY(EngineConfig config, settings(withOptionSettings(given, arguments.answer)));
    LACUNA_TRY_STATUS(checkTalkOutputs(arguments));
    LACUNA_TRY(AnswerRules rules, answerRules(arguments.answer, stop));
    std::string text = arguments.prompt;
    if (!arguments.file.empty()) {
        LACUNA_TRY(const std::string content, readAll(arguments.file, stop));
        text = text.empty() ? content : content + "\n\n" + text;
    }
    if (text.empty())
        return fail(ErrorCode::InvalidArgument,
                    "nothing to answer: use --prompt TEXT or --file FILE");
    Talk talk(arguments, config, std::move(rules));
    LACUNA_TRY_STATUS(talk.load(stop));
    LACUNA_TRY_STATUS(talk.readPromptCache(stop));
    std::vector<ChatMessage> messages;
    if (!arguments.system.empty()) messages.push_back({"system", arguments.system});
    messages.push_back({"user", text});
    LACUNA_TRY(const TurnFinished turn, talk.answer(std::move(messages), stop));
    // End the line of the answer before waiting.
    if (const int status = arguments.json ? 0 : print("\n"); status != 0) return status;
    LACUNA_TRY_STATUS(talk.settle(stop));
    if (!turn.error) LACUNA_TRY_STATUS(talk.writePromptCache(stop));
    LACUNA_TRY_STATUS(talk.finishReport());
    if (const int status = arguments.json ? printJson(outcomeJson(talk, turn)) : 0; status != 0)
        return status;
    if (!arguments.json)
        for (const std::string& sentence : talk.compactions().sentences()) note(sentence);
    if (turn.error) return report(*turn.error);
    return turn.reason == FinishReason::Cancelled ? static_cast<int>(ErrorClass::Cancelled) : 0;
}

/// The messages so far, and the handling of terminal input.
class Dialogue {
  public:
    Dialogue(Talk& talk, const std::string& system) : talk_(talk) {
        if (!system.empty()) messages_.push_back({"system", system});
    }
    [[nodiscard]] const std::vector<ChatMessage>& messages() const { return messages_; }

    /// A failed command prints its reason and the conversation continues; an error ends it.
    [[nodiscard]] Status take(const ChatLine& line, std::stop_token stop) {
        switch (line.order) {
            case SlashCommand::Send:
                messages_.push_back({"user", attached_ + line.text});
                attached_.clear();
                return answer(stop);
            case SlashCommand::Again:
            case SlashCommand::Edit:
            case SlashCommand::Continue:
                return answerAgain(line, stop);
            case SlashCommand::Help:
                return write(slashCommandsHelp());
            default:
                return say(order(line, stop));
        }
    }

  private:
    [[nodiscard]] Status answer(std::stop_token stop) {
        LACUNA_TRY(const TurnFinished turn, talk_.answer(messages_, stop));
        if (!messages_.empty() && messages_.back().role == "assistant")
            messages_.back().content += turn.text;
        else
            messages_.push_back({"assistant", turn.text});
        LACUNA_TRY_STATUS(write("\n"));
        if (turn.error) {
            LACUNA_TRY_STATUS(talk_.finishReport());
            return tl::unexpected<Error>(*turn.error);
        }
        const KvStats& kv = talk_.sample().kv;
        std::fprintf(stderr, "[%lld tokens, KV %.1f of %.1f MiB, %s]\n",
                     static_cast<long long>(kv.tokens), static_cast<double>(kv.liveBytes) / 0x1p20,
                     static_cast<double>(kv.logicalBytes) / 0x1p20,
                     talk_.compactions().counts().c_str());
        if (!talk_.quality().empty())
            std::fprintf(stderr,
                         "[KL from the full cache %.4f at the newest sample; measuring took %.0f "
                         "%% of the time]\n",
                         talk_.quality().back().kl, costShare(talk_.quality()) * 100);
        return {};
    }
    [[nodiscard]] Status answerAgain(const ChatLine& line, std::stop_token stop) {
        if (messages_.empty() || messages_.back().role != "assistant")
            return say(fail(ErrorCode::InvalidArgument, "there is no answer yet"));
        if (line.order == SlashCommand::Continue) return answer(stop);
        if (line.order == SlashCommand::Edit && line.text.empty())
            return say(fail(ErrorCode::InvalidArgument, "/edit needs the new question"));
        messages_.pop_back();
        if (line.order == SlashCommand::Edit) messages_.back().content = line.text;
        talk_.dropPinsFrom(messages_.size() - (line.order == SlashCommand::Edit ? 1 : 0));
        return answer(stop);
    }
    /// Runs a command between two messages and returns the sentence about it.
    [[nodiscard]] Result<std::string> order(const ChatLine& line, std::stop_token stop) {
        const bool needsText =
            line.order == SlashCommand::Attach || line.order == SlashCommand::Pin ||
            line.order == SlashCommand::BackWith || line.order == SlashCommand::Set ||
            line.order == SlashCommand::Save || line.order == SlashCommand::Load;
        if (needsText && line.text.empty())
            return fail(ErrorCode::InvalidArgument, "an argument is missing; see /help");
        switch (line.order) {
            case SlashCommand::Attach:
                return attach(line.text);
            case SlashCommand::Compact:
                return talk_.compactNow(stop);
            case SlashCommand::FullCache:
                return talk_.makeFull(stop);
            case SlashCommand::Held: {
                LACUNA_TRY(const RetentionSnapshot held, talk_.retained(stop));
                return heldText(held.pieces, held.row.share);
            }
            case SlashCommand::Pin:
                return pin(line.text, stop);
            case SlashCommand::Unpin:
                return talk_.pin(messages_, {}, stop);
            case SlashCommand::BackWith:
                return talk_.bringBack(line.text, stop);
            case SlashCommand::Set:
                return talk_.set(line.text, stop);
            case SlashCommand::Save:
            case SlashCommand::Load:
                return talk_.moveCache(line.text, line.order == SlashCommand::Load, stop);
            default:
                return fail(ErrorCode::InvalidArgument,
                            format("unknown command /{}; /help lists all commands, and // starts a "
                                   "message with a slash",
                                   line.text));
        }
    }
    [[nodiscard]] Result<std::string> attach(const std::string& path) {
        LACUNA_TRY(const std::string text, readFile(path, kPromptLimit));
        attached_ += text + "\n\n";
        return format("{} bytes are attached to the next message", text.size());
    }
    [[nodiscard]] Result<std::string> pin(const std::string& words, std::stop_token stop) {
        const auto found = pinOf(messages_, words);
        if (!found)
            return fail(ErrorCode::InvalidArgument,
                        format("\"{}\" does not occur in any message", words));
        std::vector<TextPin> pins = talk_.pins();
        pins.push_back(*found);
        return talk_.pin(messages_, std::move(pins), stop);
    }
    /// Rejections are only shown to the user; being stopped ends the conversation.
    [[nodiscard]] static Status say(const Result<std::string>& said) {
        if (said) return write(*said + "\n");
        if (said.error().code == ErrorCode::Cancelled) return {};
        note(describe(said.error()));
        return {};
    }

    Talk& talk_;
    std::vector<ChatMessage> messages_;
    std::string attached_;  ///< text to prepend to the next message
};

Result<int> chatOrError(const GenerateArguments& arguments, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact(arguments.settings, arguments.exact));
    LACUNA_TRY(EngineConfig config, settings(withOptionSettings(given, arguments.answer)));
    LACUNA_TRY_STATUS(checkTalkOutputs(arguments));
    LACUNA_TRY(AnswerRules rules, answerRules(arguments.answer, stop));
    Talk talk(arguments, config, std::move(rules));
    LACUNA_TRY_STATUS(talk.load(stop));
    LACUNA_TRY_STATUS(talk.readPromptCache(stop));
    Dialogue dialogue(talk, arguments.system);
    std::fprintf(stderr,
                 "Type a message and press Enter; an empty line or Ctrl+D ends, /help lists all "
                 "commands.\n");
    StdinReader input(stop);
    for (std::string line; !stop.stop_requested();) {
        if (print("> ") != 0) return 74;
        if (!input.line(line) || line.empty()) break;
        LACUNA_TRY_STATUS(dialogue.take(chatLineIn(line), stop));
    }
    const std::vector<ChatMessage>& messages = dialogue.messages();
    LACUNA_TRY_STATUS(talk.settle(stop));
    if (!messages.empty() && messages.back().role == "assistant")
        LACUNA_TRY_STATUS(talk.writePromptCache({}));
    LACUNA_TRY_STATUS(talk.finishReport());
    for (const std::string& sentence : talk.compactions().sentences()) note(sentence);
    return stop.stop_requested() ? static_cast<int>(ErrorClass::Cancelled) : 0;
}

int finish(const Result<int>& outcome) {
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace

int generate(const GenerateArguments& arguments) {
    const Interrupts interrupts;
    return finish(generateOrError(arguments, interrupts.token()));
}

int chat(const GenerateArguments& arguments) {
    const Interrupts interrupts;
    return finish(chatOrError(arguments, interrupts.token()));
}

}  // namespace lacuna::cli
