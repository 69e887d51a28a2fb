#include "engine/generate/answer_rules.h"

#include <set>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

Status checkBias(const LogitBias& bias, int vocabulary) {
    if (bias.token < 0 || bias.token >= vocabulary)
        return fail(ErrorCode::InvalidArgument,
                    format("logit_bias names token {}; this vocabulary has 0 to {}", bias.token,
                           vocabulary - 1));
    if (bias.value >= AnswerRules::kForbid && bias.value <= -AnswerRules::kForbid) return {};
    return fail(
        ErrorCode::InvalidArgument,
        format("logit_bias of token {} is {}; allowed is -100 to 100", bias.token, bias.value));
}

}  // namespace

Status checkRules(const AnswerRules& rules, int vocabulary) {
    std::set<TokenId> seen;
    for (const LogitBias& bias : rules.bias) {
        LACUNA_TRY_STATUS(checkBias(bias, vocabulary));
        if (!seen.insert(bias.token).second)
            return fail(ErrorCode::InvalidArgument,
                        format("logit_bias names token {} twice", bias.token));
    }
    if (rules.logprobs && (*rules.logprobs < 0 || *rules.logprobs > AnswerRules::kMaxLogprobs))
        return fail(ErrorCode::InvalidArgument, format("logprobs is {}; allowed is 0 to {}",
                                                       *rules.logprobs, AnswerRules::kMaxLogprobs));
    return {};
}

}  // namespace lacuna
