#include "engine/generate/prompt.h"

namespace lacuna {
namespace {

Result<std::string> spelling(const Tokenizer& tokenizer, const std::optional<TokenId>& id) {
    if (!id) return std::string();
    return tokenizer.pieceBytes(*id, SpecialOutput::Show);
}

}  // namespace

Result<std::vector<TokenId>> promptTokens(const LoadedModel& model,
                                          std::span<const ChatMessage> messages, StopAsked stop) {
    if (messages.empty())
        return fail(ErrorCode::InvalidArgument, "the conversation has no message to answer");
    LACUNA_TRY(RenderOptions options, renderOptions(model.tokenizer));
    options.stop = stop;
    LACUNA_TRY(const auto spans, model.chatTemplate.render(messages, options));
    return promptIds(model.tokenizer, spans, std::move(stop));
}

Result<RenderOptions> renderOptions(const Tokenizer& tokenizer) {
    RenderOptions options;
    const TokenizerData& data = tokenizer.data();
    LACUNA_TRY(options.bosText, spelling(tokenizer, data.bos));
    LACUNA_TRY(options.eosText, spelling(tokenizer, data.eos));
    LACUNA_TRY(options.padText, spelling(tokenizer, data.pad));
    LACUNA_TRY(options.unknownText, spelling(tokenizer, data.unknown));
    return options;
}

Result<std::vector<TokenId>> promptIds(const Tokenizer& tokenizer,
                                       std::span<const PromptSpan> spans, StopAsked stop) {
    LACUNA_TRY(auto ids, encodePrompt(tokenizer, spans, std::move(stop)));
    const auto& bos = tokenizer.data().bos;
    if (tokenizer.data().addBos && bos && (ids.empty() || ids.front() != *bos))
        ids.insert(ids.begin(), *bos);
    return ids;
}

}  // namespace lacuna
