#include "app/main/answer_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/token_constraint.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kFormLimit = std::size_t{4} << 20;

template <class Number>
bool readsWhole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

Result<LogitBias> biasFrom(const std::string& text) {
    LogitBias bias;
    const std::size_t equals = text.find('=');
    const std::string_view all = text;
    if (equals != std::string::npos && readsWhole(all.substr(0, equals), bias.token) &&
        readsWhole(all.substr(equals + 1), bias.value))
        return bias;
    return fail(ErrorCode::InvalidArgument,
                format("--logit-bias is '{}'; expected TOKEN=VALUE, such as 13=-100", text));
}

OrderedJson logprobJson(double logprob) {
    return std::isfinite(logprob) ? OrderedJson(logprob) : OrderedJson(nullptr);
}

}  // namespace

void addAnswerOptions(CLI::App& command, AnswerArguments& arguments) {
    command
        .add_option(
            "--logprobs", arguments.logprobs,
            "Log probability of each token and of the N most likely ones; shown with --json")
        ->check(CLI::Range(0, AnswerRules::kMaxLogprobs));
    command
        .add_option("--logit-bias", arguments.logitBias,
                    "Added to the logit of a token, -100 to 100; -100 forbids it; may be repeated")
        ->type_name("TOKEN=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    auto* grammar = command.add_option("--grammar", arguments.grammar,
                                       "File with a grammar (GBNF) that the answer must follow");
    command
        .add_option("--json-schema", arguments.jsonSchema,
                    "File with a JSON schema that the answer must be valid under")
        ->excludes(grammar);
    command.add_option("--draft-model", arguments.draftModel,
                       "Smaller draft model with the same vocabulary; draft_tokens defaults to 4. "
                       "Not together with a budget or a method");
    command.add_option("--prompt-cache", arguments.promptCache,
                       "File for the cache: loaded before the answer if it exists, saved after it");
    command.add_option("--presence-penalty", arguments.presencePenalty,
                       "Setting presence_penalty, -2 to 2");
    command.add_option("--frequency-penalty", arguments.frequencyPenalty,
                       "Setting frequency_penalty, -2 to 2");
}

Result<AnswerRules> answerRules(const AnswerArguments& arguments, const std::stop_token& stop) {
    AnswerRules rules;
    rules.logprobs = arguments.logprobs;
    for (const std::string& text : arguments.logitBias) {
        LACUNA_TRY(const LogitBias bias, biasFrom(text));
        rules.bias.push_back(bias);
    }
    if (!arguments.grammar.empty()) {
        rules.kind = AnswerForm::Grammar;
        LACUNA_TRY(rules.form, readFile(arguments.grammar, kFormLimit));
    } else if (!arguments.jsonSchema.empty()) {
        rules.kind = AnswerForm::JsonSchema;
        LACUNA_TRY(rules.form, readFile(arguments.jsonSchema, kFormLimit));
    }
    // Compiled here so that an invalid grammar fails before the weights are read.
    LACUNA_TRY([[maybe_unused]] const auto grammar,
               formGrammar(rules, [stop] { return stop.stop_requested(); }));
    return rules;
}

std::vector<std::string> withOptionSettings(std::vector<std::string> settings,
                                            const AnswerArguments& arguments) {
    if (arguments.presencePenalty)
        settings.push_back("presence_penalty=" + *arguments.presencePenalty);
    if (arguments.frequencyPenalty)
        settings.push_back("frequency_penalty=" + *arguments.frequencyPenalty);
    const bool chosen = std::ranges::any_of(
        settings, [](const std::string& one) { return one.starts_with("draft_tokens="); });
    if (!arguments.draftModel.empty() && !chosen) settings.push_back("draft_tokens=4");
    return settings;
}

OrderedJson logprobsJson(const TokenText& drawn) {
    OrderedJson top = OrderedJson::array();
    for (const TokenLogprob& chance : drawn.logprobs->top)
        top.push_back({{"token", chance.token},
                       {"text", chance.text},
                       {"logprob", logprobJson(chance.logprob)}});
    return {{"token", drawn.token},
            {"text", drawn.text},
            {"logprob", logprobJson(drawn.logprobs->logprob)},
            {"top", std::move(top)}};
}

}  // namespace lacuna::cli
