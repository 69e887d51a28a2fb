// generate and chat: the same engine, queue and events as the window, with a terminal for a face.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/engine_session.h"
#include "app/main/stdin_reader.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/report/recorder.h"
#include "engine/report/report_folder.h"
#include "engine/report/report_names.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kPromptLimit = std::size_t{64} << 20;
constexpr ConversationId kConversation{1};

std::int64_t unixMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Text from a terminal model may hold escape sequences: on a terminal only harmless bytes pass.
std::string forTerminal(std::string text) {
    if (::isatty(STDOUT_FILENO) == 0) return text;
    std::erase_if(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    });
    return text;
}

Result<std::string> readAll(const std::string& file, const std::stop_token& stop) {
    if (file != "-") return readFile(file, kPromptLimit);
    std::string text;
    for (StdinReader input(stop); input.more(text);)
        if (text.size() > kPromptLimit)
            return fail(ErrorCode::TokTooLong, format("standard input has more than {} bytes", kPromptLimit));
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "stopped while the message was read");
    return text;
}

/// One terminal session: engine, recorder and the way events are shown.
class Talk {
 public:
    Talk(const GenerateArguments& arguments, EngineConfig config, AnswerRules rules)
        : arguments_(arguments),
          rules_(std::move(rules)),
          recorder_(machineFacts(), config, unixMs()),
          session_(config, arguments.exact ? Precision::Exact : Precision::Fast) {}

    [[nodiscard]] Status load(std::stop_token stop) {
        LACUNA_TRY(const auto path, modelPath(arguments_.model));
        LACUNA_TRY(const ModelFacts facts, session_.load(path, stop, arguments_.answer.draftModel));
        recorder_.add(ModelLoaded{facts, 0});
        if (!facts.templateNote.empty()) std::fprintf(stderr, "lacuna: %s\n", facts.templateNote.c_str());
        return {};
    }

    /// Takes the cache from the file of --prompt-cache, when there is one.
    [[nodiscard]] Status readPromptCache(std::stop_token stop) {
        std::error_code ignored;
        const std::string& path = arguments_.answer.promptCache;
        if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
        session_.push(LoadPromptCache{kConversation, path});
        return promptCacheMoved(stop);
    }
    [[nodiscard]] Status writePromptCache(std::stop_token stop) {
        const std::string& path = arguments_.answer.promptCache;
        if (path.empty()) return {};
        if (fromFile_ > 0 && started_.reusedTokens == 0)
            std::fprintf(stderr, "lacuna: nothing of %s could be used: %s\n", path.c_str(),
                         started_.reuseNote.empty() ? "the prompt begins otherwise"
                                                    : started_.reuseNote.c_str());
        session_.push(SavePromptCache{kConversation, path});
        return promptCacheMoved(stop);
    }

    /// Sends the messages and shows the answer as it comes.
    [[nodiscard]] Result<TurnFinished> answer(std::vector<ChatMessage> messages, std::stop_token stop) {
        session_.push(Submit{.conversation = kConversation,
                             .messages = std::move(messages),
                             .stopStrings = arguments_.stop,
                             .rules = rules_});
        ProgressLine line;
        bool cancelled = false;
        while (true) {
            auto event = session_.next(cancelled ? std::stop_token{} : stop);
            if (!event) {
                session_.push(CancelTurn{});
                cancelled = true;
                continue;
            }
            recorder_.add(*event);
            if (const auto* started = std::get_if<TurnStarted>(&*event)) started_ = *started;
            if (const auto* progress = std::get_if<PrefillProgress>(&*event))
                line.show(format("reading {} of {} tokens", progress->done, progress->total));
            if (const auto* token = std::get_if<TokenText>(&*event); token != nullptr) {
                line.show("");
                if (!arguments_.json) LACUNA_TRY_STATUS(show(token->text));
                if (token->chances) chances_.push_back(chancesJson(*token));
            }
            if (const auto* notice = std::get_if<Notice>(&*event))
                std::fprintf(stderr, "lacuna: %s\n", notice->sentence.c_str());
            if (const auto* happened = std::get_if<CompactionHappened>(&*event)) compactions_.push_back(*happened);
            if (const auto* sample = std::get_if<StepSample>(&*event)) sample_ = *sample;
            if (const auto* sampled = std::get_if<QualitySampled>(&*event)) quality_.push_back(sampled->sample);
            if (const auto* fatal = std::get_if<Fatal>(&*event)) return tl::unexpected<Error>(fatal->error);
            if (auto* finished = std::get_if<TurnFinished>(&*event)) {
                if (finished->error) return tl::unexpected<Error>(*finished->error);
                return std::move(*finished);
            }
        }
    }

    [[nodiscard]] Status finishReport() const {
        if (arguments_.report.empty()) return {};
        LACUNA_TRY([[maybe_unused]] const auto names,
                   writeReportFolder(arguments_.report, recorder_.recording(), {}));
        return {};
    }
    [[nodiscard]] const StepSample& sample() const { return sample_; }
    [[nodiscard]] const OrderedJson& chances() const { return chances_; }
    [[nodiscard]] const TurnStarted& started() const { return started_; }
    [[nodiscard]] const std::vector<CompactionHappened>& compactions() const { return compactions_; }
    [[nodiscard]] const std::vector<LiveQuality>& quality() const { return quality_; }

 private:
    [[nodiscard]] Status promptCacheMoved(std::stop_token stop) {
        while (const auto event = session_.next(stop)) {
            recorder_.add(*event);
            if (const auto* moved = std::get_if<PromptCacheMoved>(&*event)) {
                if (moved->error) return tl::unexpected<Error>(*moved->error);
                if (moved->loaded) fromFile_ = moved->tokens;
                return {};
            }
            if (const auto* fatal = std::get_if<Fatal>(&*event)) return tl::unexpected<Error>(fatal->error);
        }
        return fail(ErrorCode::Cancelled, "stopped while the prompt cache was read or written");
    }
    [[nodiscard]] static Status show(const std::string& text) {
        const std::string safe = forTerminal(text);
        if (std::fwrite(safe.data(), 1, safe.size(), stdout) != safe.size() || std::fflush(stdout) != 0)
            return fail(ErrorCode::Write, "standard output is closed or full");
        return {};
    }

    GenerateArguments arguments_;
    AnswerRules rules_;
    std::int64_t fromFile_ = 0;  ///< tokens read from the prompt cache
    OrderedJson chances_ = OrderedJson::array();  ///< of all tokens, when they are asked for
    Recorder recorder_;
    EngineSession session_;
    TurnStarted started_;
    StepSample sample_;
    std::vector<CompactionHappened> compactions_;
    std::vector<LiveQuality> quality_;
};

/// Part of the time since the first sample that measuring took, 0..1.
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
    OrderedJson compactions = OrderedJson::array();
    for (const CompactionHappened& c : talk.compactions()) {
        compactions.push_back({{"slots_before", c.report.slotsBefore},
                               {"slots_after", c.report.slotsAfter},
                               {"live_bytes_before", c.report.liveBytesBefore},
                               {"live_bytes_after", c.report.liveBytesAfter},
                               {"milliseconds", c.report.totalMs},
                               {"note", c.report.reason}});
    }
    const TurnStats& s = turn.stats;
    OrderedJson json{{"text", turn.text},
            {"tokens", turn.tokens},
            {"finish_reason", reportName(turn.reason)},
            {"seed", talk.started().seed},
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
            {"kv", {{"logical_bytes", talk.sample().kv.logicalBytes},
                    {"live_bytes", talk.sample().kv.liveBytes},
                    {"allocated_bytes", talk.sample().kv.allocatedBytes}}},
            {"compactions", compactions}};
    if (!talk.quality().empty()) json["quality"] = qualityJson(talk.quality());
    if (talk.started().rules.logprobs) json["logprobs"] = talk.chances();
    return json;
}

Result<int> generateOrError(const GenerateArguments& arguments, std::stop_token stop) {
    LACUNA_TRY(EngineConfig config, settings(withOptionSettings(arguments.settings, arguments.answer)));
    LACUNA_TRY(AnswerRules rules, answerRules(arguments.answer));
    std::string text = arguments.prompt;
    if (!arguments.file.empty()) {
        LACUNA_TRY(const std::string content, readAll(arguments.file, stop));
        text = text.empty() ? content : content + "\n\n" + text;
    }
    if (text.empty())
        return fail(ErrorCode::InvalidArgument, "nothing to answer: give --prompt TEXT or --file FILE");
    Talk talk(arguments, config, std::move(rules));
    LACUNA_TRY_STATUS(talk.load(stop));
    LACUNA_TRY_STATUS(talk.readPromptCache(stop));
    std::vector<ChatMessage> messages;
    if (!arguments.system.empty()) messages.push_back({"system", arguments.system});
    messages.push_back({"user", text});
    LACUNA_TRY(const TurnFinished turn, talk.answer(std::move(messages), stop));
    LACUNA_TRY_STATUS(talk.writePromptCache(stop));
    LACUNA_TRY_STATUS(talk.finishReport());
    const int status = arguments.json ? printJson(outcomeJson(talk, turn)) : print("\n");
    if (status != 0) return status;
    return turn.reason == FinishReason::Cancelled ? static_cast<int>(ErrorClass::Cancelled) : 0;
}

Result<int> chatOrError(const GenerateArguments& arguments, std::stop_token stop) {
    LACUNA_TRY(EngineConfig config, settings(withOptionSettings(arguments.settings, arguments.answer)));
    LACUNA_TRY(AnswerRules rules, answerRules(arguments.answer));
    Talk talk(arguments, config, std::move(rules));
    LACUNA_TRY_STATUS(talk.load(stop));
    LACUNA_TRY_STATUS(talk.readPromptCache(stop));
    std::vector<ChatMessage> messages;
    if (!arguments.system.empty()) messages.push_back({"system", arguments.system});
    std::fprintf(stderr, "Type a message and press Enter; an empty line or Ctrl+D ends.\n");
    StdinReader input(stop);
    for (std::string line; !stop.stop_requested();) {
        if (print("> ") != 0) return 74;
        if (!input.line(line) || line.empty()) break;
        messages.push_back({"user", line});
        LACUNA_TRY(const TurnFinished turn, talk.answer(messages, stop));
        messages.push_back({"assistant", turn.text});
        const KvStats& kv = talk.sample().kv;
        if (print("\n") != 0) return 74;
        std::fprintf(stderr, "[%lld tokens, KV %.1f of %.1f MiB, %zu compactions]\n",
                     static_cast<long long>(kv.tokens), static_cast<double>(kv.liveBytes) / 0x1p20,
                     static_cast<double>(kv.logicalBytes) / 0x1p20, talk.compactions().size());
        if (!talk.quality().empty())
            std::fprintf(stderr, "[KL to the whole cache %.4f at the newest sample; measuring took %.0f %% of the time]\n",
                         talk.quality().back().kl, costShare(talk.quality()) * 100);
    }
    if (!messages.empty() && messages.back().role == "assistant")
        LACUNA_TRY_STATUS(talk.writePromptCache({}));
    LACUNA_TRY_STATUS(talk.finishReport());
    return stop.stop_requested() ? static_cast<int>(ErrorClass::Cancelled) : 0;
}

int finish(const Result<int>& outcome) { return outcome ? *outcome : report(outcome.error()); }

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
