// bench prefix: what a text costs that was read before. A conversation reads it and shares nothing;
// another one finds in the prefix cache what a third one read. The two take turns, so that what
// else the machine does falls on both.

#include <vector>

#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/engine_session.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

// Tokens from here on are ordinary words in every vocabulary that the program reads.
constexpr std::uint64_t kFirstWord = 300;

/// Any tokens: how long they take does not depend on what they say.
std::vector<TokenId> anyText(int tokens, int vocabulary) {
    RandomStream random(19, 1);
    const auto words = static_cast<std::uint64_t>(vocabulary);
    const std::uint64_t first = words > 2 * kFirstWord ? kFirstWord : 0;
    std::vector<TokenId> text;
    for (int i = 0; i < tokens; ++i)
        text.push_back(static_cast<TokenId>(first + random.below(words - first)));
    return text;
}

class PrefixBench {
  public:
    PrefixBench(const BenchPrefixArguments& arguments, const EngineConfig& config,
                std::stop_token stop)
        : arguments_(arguments), stop_(std::move(stop)), session_(config) {}

    [[nodiscard]] Result<OrderedJson> run() {
        LACUNA_TRY(const auto path, modelPath(arguments_.model));
        LACUNA_TRY(const ModelFacts facts, session_.load(path, stop_));
        const auto text = anyText(arguments_.prompt, facts.vocabulary);
        // Threads, activations and the file's pages are there before anything is timed.
        LACUNA_TRY([[maybe_unused]] const Answer warm, ask(anyText(16, facts.vocabulary), false));
        LACUNA_TRY([[maybe_unused]] const Answer stored, ask(text, true));
        std::vector<double> misses;
        std::vector<double> hits;
        std::vector<double> steps;
        bool equal = true;
        for (int i = 0; i < arguments_.repeat; ++i) {
            LACUNA_TRY(const Answer miss, ask(text, false));
            LACUNA_TRY(const Answer hit, ask(text, true));
            if (miss.reused != 0 || hit.reused != arguments_.prompt - 1)
                return fail(ErrorCode::Internal,
                            format("of {} tokens {} were reused, and {} where nothing is stored",
                                   arguments_.prompt, hit.reused, miss.reused));
            equal = equal && miss.tokens == hit.tokens;
            misses.push_back(miss.firstTokenMs);
            hits.push_back(hit.firstTokenMs);
            steps.push_back(hit.stepMs);
        }
        return OrderedJson{{"prompt_tokens", arguments_.prompt},
                           {"miss_ms", median(misses)},
                           {"ram_hit_ms", median(hits)},
                           {"disk_hit_ms", nullptr},
                           {"disk_bytes", nullptr},
                           {"one_token_ms", median(steps)},
                           {"answers_equal", equal}};
    }

  private:
    struct Answer {
        double firstTokenMs = 0;
        double stepMs = 0;  ///< of a later token
        std::int64_t reused = 0;
        std::vector<TokenId> tokens;
    };

    /// Errors: those of the answer; Cancelled.
    [[nodiscard]] Result<Answer> ask(const std::vector<TokenId>& text, bool shared) {
        Submit question{.conversation = ConversationId(++conversations_),
                        .messages = {},
                        .stopStrings = {},
                        .prompt = text};
        question.prefix.shared = shared;
        session_.push(std::move(question));
        std::vector<double> steps;
        while (const auto event = session_.next(stop_)) {
            if (const auto* sample = std::get_if<StepSample>(&*event);
                sample != nullptr && sample->phase == EngineState::Decode)
                steps.push_back(sample->stepMs);
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
            const auto* finished = std::get_if<TurnFinished>(&*event);
            if (finished == nullptr) continue;
            if (finished->error) return tl::unexpected<Error>(*finished->error);
            // What is stored stays; a conversation of its own takes as much memory again.
            session_.push(ForgetConversation{finished->conversation});
            if (!steps.empty()) steps.erase(steps.begin());
            return Answer{.firstTokenMs = finished->stats.timeToFirstTokenSeconds * 1e3,
                          .stepMs = median(steps),
                          .reused = finished->stats.reusedTokens,
                          .tokens = finished->tokens};
        }
        return fail(ErrorCode::Cancelled, "stopped while measuring");
    }

    const BenchPrefixArguments& arguments_;
    const std::stop_token stop_;
    EngineSession session_;
    std::int64_t conversations_ = 0;
};

Result<OrderedJson> measure(const BenchPrefixArguments& arguments, std::stop_token stop) {
    // Draws of so high a temperature seldom end an answer early.
    std::vector<std::string> assignments{"temperature=5", "top_p=1",      "min_p=0",
                                         "seed=1",        "max_tokens=5", "prefix_cache=65536"};
    assignments.insert(assignments.end(), arguments.settings.begin(), arguments.settings.end());
    LACUNA_TRY(const EngineConfig config, settings(assignments));
    return PrefixBench(arguments, config, std::move(stop)).run();
}

}  // namespace

int benchPrefix(const BenchPrefixArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = measure(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
