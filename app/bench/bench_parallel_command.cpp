// bench parallel: several conversations at once through the complete engine, as in the window.
// Measures tokens per second by number of answers, and how a long prompt affects concurrent
// answers.

#include <algorithm>
#include <map>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "app/main/command_engine.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/session/read_facts.h"
#include "engine/session/running_model.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::cli {
namespace {

/// Returns random words, different for each question.
std::string words(int count, std::size_t question) {
    constexpr std::string_view kWords[] = {"river", "stone", "light",  "seven",  "garden", "letter",
                                           "north", "paper", "winter", "street", "glass",  "boat"};
    RandomStream random(3, question);
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += kWords[random.below(std::size(kWords))];
        text += ' ';
    }
    return text;
}

/// Observations of one answer; all times use one clock.
struct Answer {
    std::int64_t askedNs = 0;
    std::int64_t promptTokens = 0;
    std::vector<std::int64_t> tokenNs;  ///< time at which each token was reported
    std::size_t question = 0;
    std::vector<TokenId> tokens;
    bool finished = false;
    [[nodiscard]] double firstTokenSeconds() const {
        return tokenNs.empty() ? 0 : static_cast<double>(tokenNs.front() - askedNs) * 1e-9;
    }
    /// Returns the milliseconds between tokens reported from `from` to `to`, including the adjacent
    /// ones.
    [[nodiscard]] std::vector<double> gaps(std::int64_t from, std::int64_t to) const {
        std::vector<double> found;
        for (std::size_t i = 1; i < tokenNs.size(); ++i)
            if (tokenNs[i] >= from && tokenNs[i - 1] <= to)
                found.push_back(static_cast<double>(tokenNs[i] - tokenNs[i - 1]) * 1e-6);
        return found;
    }
};

class ParallelBench {
  public:
    ParallelBench(const BenchParallelArguments& arguments, EngineConfig config,
                  std::stop_token stop)
        : arguments_(arguments),
          config_(std::move(config)),
          stop_(std::move(stop)),
          engine_(commandEngineOptions(config_)),
          events_(engine_.events().subscribeQueue({})) {
        engine_.start();
    }

    [[nodiscard]] Result<OrderedJson> run() {
        LACUNA_TRY(const auto path, modelPath(arguments_.model));
        LACUNA_TRY(facts_, loadInto(engine_, events_, path, stop_));
        // A word has at least one token; longer prompts are rejected by the engine when asked.
        const int context = effectiveContext(config_, facts_, machineFacts());
        LACUNA_TRY_STATUS(checkWithinContext(
            "--prompt and --decode", std::int64_t{arguments_.prompt} + arguments_.decode, context));
        LACUNA_TRY_STATUS(checkWithinContext("--long-prompt", arguments_.longPrompt, context));
        LACUNA_TRY_STATUS(warmUp());
        LACUNA_TRY_STATUS(
            answerAlone(static_cast<std::size_t>(std::ranges::max(arguments_.answers))));
        OrderedJson rates = OrderedJson::array();
        for (const int answers : arguments_.answers) {
            LACUNA_TRY(OrderedJson rate, rateOf(answers));
            rates.push_back(std::move(rate));
        }
        LACUNA_TRY(OrderedJson beside, besideALongPrompt(2));
        LACUNA_TRY(OrderedJson behind, besideALongPrompt(1));
        const MachineFacts machine = machineFacts();
        return OrderedJson{
            {"model", facts_.name},
            {"file_type", facts_.fileType},
            {"precision", keyOf(facts_.precision)},
            {"threads", computeThreads(config_)},
            {"passes", settingValueText(config_, "passes")},
            {"prefill_chunk", config_.prefillChunk},
            {"decode_tokens", arguments_.decode},
            {"repeat", arguments_.repeat},
            {"answers", std::move(rates)},
            {"beside_a_long_prompt", std::move(beside)},
            {"behind_a_long_prompt", std::move(behind)},
            {"machine", {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}}}};
    }

  private:
    /// Applies the settings with these limits.
    [[nodiscard]] Status configure(int parallel, int maxTokens) {
        EngineConfig config = config_;
        config.prefixCacheMiB = 0;  // the same questions repeat and must be read each time
        config.parallel = parallel;
        config.maxTokens = maxTokens;
        revision_ = Revision(revision_.value + 1);
        engine_.send(SetConfig{revision_, config});
        while (auto event = events_.next(stop_)) {
            if (const auto* applied = std::get_if<ConfigApplied>(&*event);
                applied && applied->revision == revision_)
                return {};
            if (const auto* refused = std::get_if<ConfigRejected>(&*event))
                return tl::unexpected<Error>(violationsError(refused->violations));
        }
        return fail(ErrorCode::Cancelled, "stopped while measuring");
    }

    std::int64_t ask(int promptWords, std::size_t question = 0) {
        const std::int64_t conversation = ++conversations_;
        answers_[conversation] = {
            .askedNs = clock_.nowNs(), .tokenNs = {}, .question = question, .tokens = {}};
        engine_.send(
            Submit{ConversationId(conversation), {{"user", words(promptWords, question)}}, {}});
        return conversation;
    }

    /// Records the answer to each question when it runs alone.
    [[nodiscard]] Status answerAlone(std::size_t questions) {
        LACUNA_TRY_STATUS(configure(1, arguments_.decode));
        for (std::size_t i = 0; i < questions; ++i) {
            const std::int64_t one = ask(arguments_.prompt, i);
            LACUNA_TRY_STATUS(follow([&] { return answers_[one].finished; }));
            alone_.push_back(answers_[one].tokens);
        }
        return {};
    }

    /// Processes events until `done` returns true. Errors: those of answers; Cancelled.
    template <class Done>
    [[nodiscard]] Status follow(const Done& done) {
        while (!done()) {
            const auto event = events_.next(stop_);
            if (!event) return fail(ErrorCode::Cancelled, "stopped while measuring");
            if (const auto* started = std::get_if<TurnStarted>(&*event))
                answers_[started->conversation.value].promptTokens = started->promptTokens;
            if (const auto* token = std::get_if<TokenText>(&*event))
                answers_[token->conversation.value].tokenNs.push_back(clock_.nowNs());
            if (const auto* sample = std::get_if<StepSample>(&*event)) note(*sample);
            if (const auto* finished = std::get_if<TurnFinished>(&*event)) {
                if (finished->error) return tl::unexpected<Error>(*finished->error);
                answers_[finished->conversation.value].finished = true;
                answers_[finished->conversation.value].tokens = finished->tokens;
                engine_.send(ReleaseConversation{finished->conversation});
            }
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
        }
        return {};
    }

    [[nodiscard]] Status warmUp() {
        LACUNA_TRY_STATUS(configure(1, 8));
        const std::int64_t one = ask(8);
        return follow([&] { return answers_[one].finished; });
    }

    /// One step according to its samples.
    struct Step {
        int drawing = 0;
        int reading = 0;
        int tokens = 0;
        double ms = 0;
    };
    void note(const StepSample& sample) {
        Step& step = steps_[sample.at];
        (sample.phase == EngineState::Prefill ? step.reading : step.drawing) += 1;
        step.tokens += sample.tokens;
        step.ms = sample.stepMs;
    }

    /// Measures tokens per second, both over the steps in which all answers drew a token and over
    /// the whole time.
    [[nodiscard]] Result<OrderedJson> rateOf(int answers) {
        std::vector<double> decode;
        std::vector<double> whole;
        std::vector<double> stepMs;
        std::int64_t promptTokens = 0;
        std::size_t steps = 0;
        std::int64_t equal = 0;
        std::int64_t same = 0;
        std::int64_t compared = 0;
        for (int round = 0; round < arguments_.repeat; ++round) {
            LACUNA_TRY_STATUS(configure(answers, arguments_.decode));
            answers_.clear();
            steps_.clear();
            const std::int64_t begin = clock_.nowNs();
            for (int i = 0; i < answers; ++i) ask(arguments_.prompt, static_cast<std::size_t>(i));
            LACUNA_TRY_STATUS(follow([&] {
                return std::ranges::all_of(answers_,
                                           [](const auto& one) { return one.second.finished; });
            }));
            double seconds = 0;
            std::int64_t tokens = 0;
            for (const auto& [at, step] : steps_) {
                if (step.drawing != answers || step.reading > 0) continue;
                ++steps;
                tokens += step.tokens;
                seconds += step.ms * 1e-3;
                stepMs.push_back(step.ms);
            }
            std::int64_t all = 0;
            for (const auto& [conversation, answer] : answers_) {
                all += static_cast<std::int64_t>(answer.tokenNs.size());
                const auto& lone = alone_[answer.question];
                same += std::ranges::mismatch(answer.tokens, lone).in1 - answer.tokens.begin();
                compared += static_cast<std::int64_t>(lone.size());
                equal += answer.tokens == lone ? 1 : 0;
                promptTokens = answer.promptTokens;
            }
            if (seconds > 0) decode.push_back(static_cast<double>(tokens) / seconds);
            whole.push_back(static_cast<double>(all) / secondsSince(clock_, begin));
        }
        return OrderedJson{
            {"answers", answers},
            {"prompt_tokens", promptTokens},
            {"decode_tokens_per_second", median(decode)},
            {"highest", highest(decode)},
            {"step_ms_median", median(stepMs)},
            {"steps", steps},
            {"with_prompts_tokens_per_second", median(whole)},
            {"answers_equal_to_those_alone", equal},
            {"answers_compared", static_cast<std::int64_t>(answers) * arguments_.repeat},
            {"tokens_until_they_differ", same},
            {"tokens_compared", compared}};
    }

    /// Measures a short question and a running answer while a long prompt is read.
    [[nodiscard]] Result<OrderedJson> besideALongPrompt(int parallelBesideTheRunning) {
        std::vector<double> alone;
        std::vector<double> beside;
        std::vector<double> quietGaps;
        std::vector<double> gaps;
        std::int64_t longTokens = 0;
        for (int round = 0; round < arguments_.repeat; ++round) {
            LACUNA_TRY_STATUS(configure(1 + parallelBesideTheRunning, arguments_.longPrompt));
            answers_.clear();
            const std::int64_t running = ask(16);
            LACUNA_TRY_STATUS(follow([&] {
                return answers_[running].tokenNs.size() >= 32 || answers_[running].finished;
            }));
            const std::int64_t quietUntil = clock_.nowNs();
            const std::int64_t asked = ask(arguments_.longPrompt);
            const std::int64_t question = ask(16);
            LACUNA_TRY_STATUS(follow([&] {
                return !answers_[question].tokenNs.empty() && !answers_[asked].tokenNs.empty();
            }));
            const std::int64_t read = answers_[asked].tokenNs.front();
            engine_.send(CancelTurn{});
            LACUNA_TRY_STATUS(follow([&] {
                return std::ranges::all_of(answers_,
                                           [](const auto& one) { return one.second.finished; });
            }));
            for (const double gap : answers_[running].gaps(0, quietUntil)) quietGaps.push_back(gap);
            for (const double gap : answers_[running].gaps(quietUntil, read)) gaps.push_back(gap);
            beside.push_back(answers_[question].firstTokenSeconds());
            longTokens = answers_[asked].promptTokens;
            LACUNA_TRY_STATUS(configure(2, 8));
            const std::int64_t lone = ask(16);
            LACUNA_TRY_STATUS(follow([&] { return answers_[lone].finished; }));
            alone.push_back(answers_[lone].firstTokenSeconds());
        }
        return OrderedJson{{"long_prompt_tokens", longTokens},
                           {"at_once", 1 + parallelBesideTheRunning},
                           {"first_token_seconds_alone", median(alone)},
                           {"first_token_seconds", median(beside)},
                           {"running_answer_gap_ms_before", median(quietGaps)},
                           {"running_answer_gap_ms_median", median(gaps)},
                           {"running_answer_gap_ms_highest", highest(gaps)}};
    }

    const BenchParallelArguments& arguments_;
    const EngineConfig config_;
    const std::stop_token stop_;
    SteadyClock clock_;
    EngineHost engine_;
    EventSubscription events_;
    ModelFacts facts_;
    Revision revision_;
    std::int64_t conversations_ = 0;
    std::map<std::int64_t, Answer> answers_;  ///< by conversation
    std::map<SafePoint, Step> steps_;
    std::vector<std::vector<TokenId>> alone_;  ///< by question
};

Result<OrderedJson> measure(const BenchParallelArguments& arguments, std::stop_token stop) {
    // A very high temperature makes early ends of answers unlikely.
    std::vector<std::string> assignments{"temperature=5", "top_p=1", "min_p=0", "seed=1"};
    assignments.insert(assignments.end(), arguments.settings.begin(), arguments.settings.end());
    LACUNA_TRY(EngineConfig config, settings(assignments));
    return ParallelBench(arguments, std::move(config), std::move(stop)).run();
}

}  // namespace

int benchParallel(const BenchParallelArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = measure(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
