#include "engine/generate/grammar_constraint.h"

#include <limits>

#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/json_schema.h"

namespace lacuna {

Status GrammarConstraint::mask(std::span<float> logits) {
    LACUNA_TRY(const auto allowed, mask_.allowed());
    for (std::size_t id = 0; id < logits.size(); ++id) {
        const bool may = id / 64 < allowed.size() && ((allowed[id / 64] >> (id % 64)) & 1U) != 0;
        if (!may) logits[id] = -std::numeric_limits<float>::infinity();
    }
    return {};
}

Result<std::shared_ptr<const Pushdown>> formGrammar(const AnswerRules& rules) {
    if (rules.kind == AnswerForm::Free) return nullptr;
    LACUNA_TRY(const GrammarTree tree, rules.kind == AnswerForm::Grammar
                                           ? parseGrammar(rules.form)
                                           : schemaGrammar(rules.form));
    return Pushdown::compile(tree);
}

}  // namespace lacuna
