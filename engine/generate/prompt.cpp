// A prompt is encoded as one text, because models were trained on whole texts: splitting at the border
// between template and message would change tokens there. Only when that would turn something a person
// wrote into a control token is each span encoded for itself, messages without control tokens.

#include "engine/generate/prompt.h"

#include <algorithm>

namespace lacuna {
namespace {

std::int64_t controlTokens(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
    return std::ranges::count_if(ids, [&](TokenId id) { return tokenizer.isControl(id); });
}

Result<std::string> spelling(const Tokenizer& tokenizer, const std::optional<TokenId>& id) {
    if (!id) return std::string();
    return tokenizer.pieceBytes(*id, SpecialOutput::Show);
}

/// Each span by itself: template text may hold control tokens, message text may not.
Result<std::vector<TokenId>> encodeApart(const Tokenizer& tokenizer, std::span<const PromptSpan> spans) {
    std::vector<TokenId> ids;
    for (const PromptSpan& span : spans) {
        const bool written = span.source == PromptSpan::Source::Message;
        LACUNA_TRY(const auto part, tokenizer.encode(span.text, {.special = written ? SpecialText::Plain
                                                                                    : SpecialText::Parse,
                                                                 .edges = EdgeTokens::None}));
        ids.insert(ids.end(), part.begin(), part.end());
    }
    return ids;
}

}  // namespace

Result<std::vector<TokenId>> promptTokens(const LoadedModel& model, std::span<const ChatMessage> messages) {
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "the conversation has no message to answer");
    const Tokenizer& tokenizer = model.tokenizer;
    RenderOptions options;
    LACUNA_TRY(options.bosText, spelling(tokenizer, tokenizer.data().bos));
    LACUNA_TRY(options.eosText, spelling(tokenizer, tokenizer.data().eos));
    LACUNA_TRY(const auto spans, model.chatTemplate.render(messages, options));
    std::string whole;
    for (const PromptSpan& span : spans) whole += span.text;
    LACUNA_TRY(auto ids, tokenizer.encode(whole, {.special = SpecialText::Parse, .edges = EdgeTokens::None}));
    LACUNA_TRY(auto apart, encodeApart(tokenizer, spans));
    if (controlTokens(tokenizer, ids) != controlTokens(tokenizer, apart)) ids = std::move(apart);
    const auto& bos = tokenizer.data().bos;
    if (tokenizer.data().addBos && bos && (ids.empty() || ids.front() != *bos)) ids.insert(ids.begin(), *bos);
    return ids;
}

}  // namespace lacuna
