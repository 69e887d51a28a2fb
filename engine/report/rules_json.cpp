#include "engine/report/rules_json.h"

#include <array>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<AnswerForm, std::string_view>, 3> kForms{
    {{AnswerForm::Free, "free"},
     {AnswerForm::Grammar, "grammar"},
     {AnswerForm::JsonSchema, "json_schema"}}};

std::string_view formName(AnswerForm form) {
    for (const auto& [value, name] : kForms)
        if (value == form) return name;
    return "";
}

std::optional<AnswerForm> formNamed(std::string_view wanted) {
    for (const auto& [value, name] : kForms)
        if (name == wanted) return value;
    return std::nullopt;
}

std::optional<LogitBias> biasOf(const Json& pair) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        pair[0].get<std::uint64_t>() > 0x7fffffffU || !pair[1].is_number())
        return std::nullopt;
    return LogitBias{pair[0].get<TokenId>(), pair[1].get<double>()};
}

}  // namespace

OrderedJson rulesJson(const AnswerRules& rules) {
    OrderedJson biases = OrderedJson::array();
    for (const LogitBias& bias : rules.bias)
        biases.push_back(OrderedJson::array({bias.token, bias.value}));
    return {{"logit_bias", std::move(biases)},
            {"logprobs", rules.logprobs ? OrderedJson(*rules.logprobs) : OrderedJson(nullptr)},
            {"form", std::string(formName(rules.kind))},
            {"form_text", rules.form}};
}

AnswerRules readRules(const Json& json, const std::string& path, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    AnswerRules rules;
    for (const Json& pair : reader.list("logit_bias")) {
        const auto bias = biasOf(pair);
        if (!bias) {
            problem.note(ErrorCode::Config, format("{} holds {}; expected [token, value]",
                                                   reader.pathOf("logit_bias"), pair.dump()));
            break;
        }
        rules.bias.push_back(*bias);
    }
    if (!reader.member("logprobs").is_null()) rules.logprobs = reader.smallCount("logprobs");
    rules.kind = reader.named<AnswerForm>("form", formNamed);
    rules.form = reader.text("form_text");
    return rules;
}

}  // namespace lacuna
