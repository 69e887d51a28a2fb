#include "engine/generate/token_constraint.h"

#include <bit>
#include <limits>
#include <utility>

#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/json_schema.h"

namespace lacuna {

Status GrammarConstraint::mask(std::span<float> logits) {
    LACUNA_TRY(const auto allowed, mask_.allowed());
    for (std::size_t first = 0; first < logits.size(); first += 64) {
        std::uint64_t out = first / 64 < allowed.size() ? ~allowed[first / 64] : ~std::uint64_t{0};
        for (; out != 0; out &= out - 1) {
            const std::size_t id = first + static_cast<std::size_t>(std::countr_zero(out));
            if (id < logits.size()) logits[id] = -std::numeric_limits<float>::infinity();
        }
    }
    return {};
}

Result<std::shared_ptr<const Pushdown>> formGrammar(const AnswerRules& rules, StopRequested stop) {
    if (rules.kind == AnswerForm::Free) return nullptr;
    WorkBudget work(kFormSteps, std::move(stop));
    LACUNA_TRY(const GrammarTree tree, rules.kind == AnswerForm::Grammar
                                           ? parseGrammar(rules.form, work)
                                           : schemaGrammar(rules.form, work));
    return Pushdown::compile(tree, work);
}

}  // namespace lacuna
