#include "engine/generate/prompt.h"

namespace lacuna {
namespace {

Result<std::string> spelling(const Tokenizer& tokenizer, const std::optional<TokenId>& id) {
    if (!id) return std::string();
    return tokenizer.pieceBytes(*id, SpecialOutput::Show);
}

}  // namespace

Result<std::vector<TokenId>> promptTokens(const LoadedModel& model,
                                          std::span<const ChatMessage> messages) {
    if (messages.empty())
        return fail(ErrorCode::InvalidArgument, "the conversation has no message to answer");
    const Tokenizer& tokenizer = model.tokenizer;
    RenderOptions options;
    LACUNA_TRY(options.bosText, spelling(tokenizer, tokenizer.data().bos));
    LACUNA_TRY(options.eosText, spelling(tokenizer, tokenizer.data().eos));
    LACUNA_TRY(const auto spans, model.chatTemplate.render(messages, options));
    LACUNA_TRY(auto ids, encodePrompt(tokenizer, spans));
    // Some files ask for a leading token and have a template that does not write it.
    const auto& bos = tokenizer.data().bos;
    if (tokenizer.data().addBos && bos && (ids.empty() || ids.front() != *bos))
        ids.insert(ids.begin(), *bos);
    return ids;
}

}  // namespace lacuna
