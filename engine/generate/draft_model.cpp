#include "engine/generate/draft_model.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::string_view kProbe =
    "The quick brown fox, 1234.5 \xC3\xA9\xE4\xB8\xAD\n\tif (x != y) { return \"z\"; } "
    "\xF0\x9F\x98\x80";

Status differs(const LoadedModel& draft, std::string_view what) {
    return fail(ErrorCode::Incompatible,
                format("{} cannot draft: {}; both models need the same vocabulary",
                       draft.path.string(), what));
}

std::string idText(const std::optional<TokenId>& id) {
    return id ? format("{}", *id) : "none";
}

}  // namespace

Status checkDraftVocabulary(const LoadedModel& target, const LoadedModel& draft) {
    const TokenizerData& a = target.tokenizer.data();
    const TokenizerData& b = draft.tokenizer.data();
    if (target.spec.vocabulary != draft.spec.vocabulary)
        return differs(draft, format("it has {} tokens and the model {}", draft.spec.vocabulary,
                                     target.spec.vocabulary));
    const auto [one, other] = std::ranges::mismatch(a.pieces, b.pieces);
    if (one != a.pieces.end() || other != b.pieces.end())
        return differs(draft, format("token {} is another", one - a.pieces.begin()));
    if (a.bos != b.bos)
        return differs(draft,
                       format("its begin token is {}, not {}", idText(b.bos), idText(a.bos)));
    for (TokenId id = 0; id < target.tokenizer.vocabularySize(); ++id)
        if (target.tokenizer.isEndOfTurn(id) != draft.tokenizer.isEndOfTurn(id))
            return differs(draft, format("token {} ends an answer in one of them only", id));
    LACUNA_TRY(const auto idsOfTarget, target.tokenizer.encode(kProbe));
    LACUNA_TRY(const auto idsOfDraft, draft.tokenizer.encode(kProbe));
    if (idsOfTarget != idsOfDraft) return differs(draft, "it splits a sample text otherwise");
    return {};
}

}  // namespace lacuna
