#include "app/serve/embedding_request.h"

#include <QByteArray>
#include <algorithm>
#include <bit>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxTexts = 2048;
constexpr int kAsTheyAre = -1, kEuclidean = 2;  // values of embd_normalize of llama.cpp's server

/// Returns the text of an object, as sent by clients that support images: `prompt_string`, or
/// `content`, a list of parts.
ApiResult<std::string> textOfObject(const OrderedJson& object, const std::string& place) {
    JsonFields fields(object, place + ".");
    std::string text;
    const OrderedJson* media = fields.find("multimodal_data");
    const OrderedJson* content = fields.find("content");
    if (media != nullptr && !media->empty())
        fields.refuse("multimodal_data", "embeddings are made from text only", "UNSUPPORTED");
    else if (const auto whole = fields.text("prompt_string"))
        text = *whole;
    else if (content == nullptr || !content->is_array())
        fields.refuse("content", format("{} has neither prompt_string nor content", place));
    else
        for (const OrderedJson& part : *content) {
            if (!part.is_object() || part.value("type", OrderedJson()) != "text" ||
                !part.value("text", OrderedJson()).is_string())
                fields.refuse("content", format("{}.content has a part that is not text", place),
                              "UNSUPPORTED");
            else
                text += part["text"].get<std::string>();
        }
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    return text;
}

/// Reads a text, token ids, or a mix of both.
ApiResult<std::vector<TokenId>> readText(const OrderedJson& text, const std::string& place,
                                         const ServedModel& model, const StopRequested& stop) {
    const auto wrong = [&](std::string message, std::string code) {
        return tl::unexpected<ApiError>(
            ApiError{.message = std::move(message), .param = place, .code = std::move(code)});
    };
    std::vector<TokenId> tokens;
    const auto add = [&](const OrderedJson& part) -> ApiResult<bool> {
        if (part.is_string()) {
            const auto words = part.get<std::string>();
            auto ids = tokens.empty() ? model.rawPrompt(words, stop)
                                      : model.tokenizer().encode(
                                            words, {.special = SpecialText::Parse, .stop = stop});
            if (!ids) return tl::unexpected<ApiError>(apiErrorOf(ids.error()));
            tokens.insert(tokens.end(), ids->begin(), ids->end());
            return true;
        }
        if (!part.is_number_integer() || part.get<std::int64_t>() < 0 ||
            part.get<std::int64_t>() >= model.facts().vocabulary)
            return wrong(format("{} has an entry that is neither text nor a token id from 0 to {}",
                                place, model.facts().vocabulary - 1),
                         part.is_number() ? "RANGE" : "TYPE");
        tokens.push_back(static_cast<TokenId>(part.get<std::int64_t>()));
        return true;
    };
    if (text.is_object()) {
        auto words = textOfObject(text, place);
        if (!words) return tl::unexpected<ApiError>(words.error());
        if (auto added = add(OrderedJson(std::move(*words))); !added)
            return tl::unexpected<ApiError>(added.error());
    } else if (text.is_array()) {
        for (const OrderedJson& part : text)
            if (auto added = add(part); !added) return tl::unexpected<ApiError>(added.error());
    } else if (auto added = add(text); !added) {
        return tl::unexpected<ApiError>(added.error());
    }
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count == 0)
        return wrong(format("{} is empty; it needs at least one token", place), "EMPTY");
    if (count > model.context()) {
        ApiError error{.message = format("{} has {} tokens and is too large: the context has room "
                                         "for {}",
                                         place, count, model.context()),
                       .param = place,
                       .code = std::string(errorName(ErrorCode::ContextFull)),
                       .type = "exceed_context_size_error"};
        error.more = {{"n_prompt_tokens", count}, {"n_ctx", model.context()}};
        return tl::unexpected<ApiError>(std::move(error));
    }
    return tokens;
}

OrderedJson vectorJson(const std::vector<float>& vector, bool base64) {
    if (!base64) return vector;
    static_assert(std::endian::native == std::endian::little);
    const QByteArray bytes(reinterpret_cast<const char*>(vector.data()),
                           static_cast<qsizetype>(vector.size() * sizeof(float)));
    return bytes.toBase64().toStdString();
}

}  // namespace

ApiResult<RequestedEmbeddings> readEmbeddings(const OrderedJson& object, bool native,
                                              const ServedModel& model, Pooling pooling, int width,
                                              const StopRequested& stop) {
    JsonFields fields(object);
    RequestedEmbeddings asked;
    asked.native = native;
    const char* member = "input";
    const OrderedJson* input = fields.find(member);
    if (input == nullptr && native) input = fields.find(member = "content");
    if (input == nullptr) fields.refuse("input", "input is missing");
    const auto encoding = fields.text("encoding_format").value_or("float");
    if (encoding != "float" && encoding != "base64")
        fields.refuse("encoding_format", "encoding_format has to be float or base64",
                      "UNSUPPORTED");
    asked.base64 = encoding == "base64";
    if (const auto length = fields.integer("dimensions", 1, width); length && *length != width)
        fields.refuse(
            "dimensions",
            format("dimensions is not supported: embeddings of this model have {} dimensions",
                   width),
            "UNSUPPORTED");
    asked.normalised = pooling != Pooling::None;
    if (const auto norm = fields.integer("embd_normalize", kAsTheyAre, 1024)) {
        if (*norm != kAsTheyAre && *norm != kEuclidean)
            fields.refuse("embd_normalize", "embd_normalize has to be -1 (none) or 2 (length 1)",
                          "UNSUPPORTED");
        asked.normalised = asked.normalised && *norm == kEuclidean;
    }
    if (!native && pooling == Pooling::None)
        fields.refuse(
            "input",
            "this endpoint returns one vector for each text, but the server was started with "
            "--pooling none; use /embeddings or start the server with another pooling",
            "UNSUPPORTED");
    fields.ignore("user");
    fields.ignore("model");
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    const bool single =
        !input->is_array() ||
        std::ranges::any_of(*input, [](const OrderedJson& one) { return one.is_number(); });
    if (single) {
        auto text = readText(*input, member, model, stop);
        if (!text) return tl::unexpected<ApiError>(text.error());
        asked.texts.push_back(std::move(*text));
    } else {
        if (input->empty() || input->size() > kMaxTexts)
            return tl::unexpected<ApiError>(
                ApiError{.message = format("{} has {} entries; 1 to {} are allowed", member,
                                           input->size(), kMaxTexts),
                         .param = member,
                         .code = "RANGE"});
        for (std::size_t i = 0; i < input->size(); ++i) {
            auto text = readText((*input)[i], format("{}[{}]", member, i), model, stop);
            if (!text) return tl::unexpected<ApiError>(text.error());
            asked.texts.push_back(std::move(*text));
        }
    }
    for (const std::string& name : fields.unread())
        asked.warnings.push_back(format("{} is unknown and was ignored", name));
    return asked;
}

OrderedJson embeddingsJson(const RequestedEmbeddings& asked,
                           const std::vector<std::vector<std::vector<float>>>& vectors,
                           const ServedModel& model) {
    OrderedJson data = OrderedJson::array();
    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        tokens += static_cast<std::int64_t>(asked.texts[i].size());
        if (asked.native) {
            OrderedJson rows = OrderedJson::array();
            for (const auto& row : vectors[i]) rows.push_back(vectorJson(row, asked.base64));
            data.push_back({{"index", i}, {"embedding", std::move(rows)}});
        } else {
            data.push_back({{"object", "embedding"},
                            {"embedding", vectorJson(vectors[i].front(), asked.base64)},
                            {"index", i}});
        }
    }
    if (asked.native) return data;
    OrderedJson reply{{"object", "list"},
                      {"data", std::move(data)},
                      {"model", model.id()},
                      {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
    if (!asked.warnings.empty()) reply["warnings"] = asked.warnings;
    return reply;
}

}  // namespace lacuna::app
