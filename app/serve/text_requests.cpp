#include "app/serve/text_requests.h"

#include <utility>
#include <vector>

#include "app/serve/chat_prompt.h"
#include "app/serve/responses_request.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

/// Returns the bytes as a string, or as numbers if they are not valid UTF-8.
OrderedJson pieceJson(const std::string& bytes) {
    const std::string text = dumpJson(OrderedJson(bytes));
    const auto back = parseOrderedJson(text);
    if (back && back->is_string() && back->get<std::string>() == bytes) return bytes;
    OrderedJson numbers = OrderedJson::array();
    for (const char c : bytes) numbers.push_back(static_cast<unsigned char>(c));
    return numbers;
}

}  // namespace

ApiResult<OrderedJson> tokenizeJson(JsonFields& fields, const ServedModel& model,
                                    const StopRequested& stop) {
    const auto content = fields.text("content");
    const bool edges = fields.boolean("add_special").value_or(false);
    const bool parse = fields.boolean("parse_special").value_or(true);
    const bool pieces = fields.boolean("with_pieces").value_or(false);
    if (!content && !fields.error()) fields.refuse("content", "content is missing");
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    const auto ids = model.tokenizer().encode(
        *content, {.special = parse ? SpecialText::Parse : SpecialText::Plain,
                   .edges = edges ? EdgeTokens::AsConfigured : EdgeTokens::None,
                   .stop = stop});
    if (!ids) return tl::unexpected<ApiError>(apiErrorOf(ids.error()));
    OrderedJson tokens = OrderedJson::array();
    for (const TokenId id : *ids) {
        if (pieces)
            tokens.push_back({{"id", id}, {"piece", pieceJson(model.piece(id))}});
        else
            tokens.push_back(id);
    }
    return OrderedJson{{"tokens", std::move(tokens)}};
}

ApiResult<OrderedJson> detokenizeJson(JsonFields& fields, const ServedModel& model) {
    const OrderedJson* const tokens = fields.find("tokens");
    std::vector<TokenId> ids;
    const bool list = tokens != nullptr && tokens->is_array();
    if (!list) fields.refuse("tokens", "tokens has to be a list of token ids", "TYPE");
    for (std::size_t i = 0; list && i < tokens->size() && !fields.error(); ++i) {
        const OrderedJson& one = (*tokens)[i];
        if (one.is_number_integer() && one.get<std::int64_t>() >= 0 &&
            one.get<std::int64_t>() < model.facts().vocabulary)
            ids.push_back(static_cast<TokenId>(one.get<std::int64_t>()));
        else
            fields.refuse("tokens",
                          format("tokens[{}] is not a token id; the vocabulary has 0 to {}", i,
                                 model.facts().vocabulary - 1),
                          "RANGE");
    }
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    const auto text = model.tokenizer().decode(ids, SpecialOutput::Show);
    if (!text) return tl::unexpected<ApiError>(apiErrorOf(text.error()));
    return OrderedJson{{"content", *text}};
}

ApiResult<OrderedJson> promptJson(JsonFields& fields, const ServedModel& model,
                                  std::optional<bool> reasoning, const StopRequested& stop) {
    const auto chat = renderChat(fields, model, {.reasoning = reasoning}, stop);
    if (!chat) return tl::unexpected<ApiError>(chat.error());
    return OrderedJson{{"prompt", promptText(chat->spans)}};
}

ApiResult<OrderedJson> chatTokensJson(JsonFields& fields, const ServedModel& model,
                                      std::optional<bool> reasoning, const StopRequested& stop) {
    const auto rendered = renderChat(fields, model, {.reasoning = reasoning}, stop);
    if (!rendered) return tl::unexpected<ApiError>(rendered.error());
    const auto tokens = model.chatPrompt(rendered->spans, stop);
    if (!tokens) return tl::unexpected<ApiError>(apiErrorOf(tokens.error()));
    return OrderedJson{{"object", "response.input_tokens"}, {"input_tokens", tokens->size()}};
}

ApiResult<OrderedJson> responseTokensJson(JsonFields& fields, const ServedModel& model,
                                          std::optional<bool> reasoning, ResponseStore& kept,
                                          const StopRequested& stop) {
    const auto items = itemsOfResponses(fields.object(), kept);
    if (!items) return tl::unexpected<ApiError>(items.error());
    const auto chat = chatOfResponses(fields.object(), *items);
    if (!chat) return tl::unexpected<ApiError>(chat.error());
    JsonFields inner(*chat);
    auto counted = chatTokensJson(inner, model, reasoning, stop);
    if (!counted) return tl::unexpected<ApiError>(errorOfResponses(counted.error()));
    return counted;
}

}  // namespace lacuna::app
