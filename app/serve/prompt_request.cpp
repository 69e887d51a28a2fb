#include "app/serve/prompt_request.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxPrompts = 64;
constexpr const char* kMember = "prompt";

class PromptReader {
  public:
    PromptReader(JsonFields& fields, const ServedModel& model, const StopRequested& stop)
        : fields_(fields), model_(model), stop_(stop) {}

    [[nodiscard]] RequestedPrompts::One read(const OrderedJson& prompt);

  private:
    /// Returns the text of an object, as sent by clients that support images.
    [[nodiscard]] std::optional<std::string> textOf(const OrderedJson& object);
    void add(RequestedPrompts::One& to, const OrderedJson& part);
    void addText(RequestedPrompts::One& to, const std::string& text);

    JsonFields& fields_;
    const ServedModel& model_;
    const StopRequested& stop_;
};

RequestedPrompts::One PromptReader::read(const OrderedJson& prompt) {
    RequestedPrompts::One result;
    if (prompt.is_object()) {
        if (const auto text = textOf(prompt)) addText(result, *text);
    } else if (prompt.is_array()) {
        for (const OrderedJson& part : prompt) {
            if (fields_.error()) break;
            add(result, part);
        }
    } else {
        add(result, prompt);
    }
    return result;
}

std::optional<std::string> PromptReader::textOf(const OrderedJson& object) {
    JsonFields inner(object, "prompt.");
    const OrderedJson* media = inner.find("multimodal_data");
    if (media != nullptr && !media->empty())
        inner.refuse("multimodal_data",
                     "prompt.multimodal_data is not supported: this model reads only text",
                     "UNSUPPORTED");
    auto text = inner.text("prompt_string");
    if (!text && !inner.error()) inner.refuse("prompt_string", "prompt.prompt_string is missing");
    if (!inner.error()) return text;
    fields_.refuse(*inner.error());
    return std::nullopt;
}

void PromptReader::add(RequestedPrompts::One& to, const OrderedJson& part) {
    const int vocabulary = model_.facts().vocabulary;
    if (part.is_string()) {
        addText(to, part.get<std::string>());
    } else if (part.is_number_integer() && part.get<std::int64_t>() >= 0 &&
               part.get<std::int64_t>() < vocabulary) {
        to.tokens.push_back(static_cast<TokenId>(part.get<std::int64_t>()));
        to.text += model_.piece(to.tokens.back());
    } else {
        fields_.refuse(
            kMember,
            format("prompt has an entry that is neither text nor a token id from 0 to {}",
                   vocabulary - 1),
            part.is_number() ? "RANGE" : "TYPE");
    }
}

/// Only the first text of a prompt gets the tokens that begin a prompt.
void PromptReader::addText(RequestedPrompts::One& to, const std::string& text) {
    auto ids = to.tokens.empty() ? model_.rawPrompt(text, stop_)
                                 : model_.tokenizer().encode(
                                       text, {.special = SpecialText::Parse, .stop = stop_});
    if (!ids) {
        ApiError wrong = apiErrorOf(ids.error());
        wrong.param = kMember;
        return fields_.refuse(std::move(wrong));
    }
    to.tokens.insert(to.tokens.end(), ids->begin(), ids->end());
    to.text += text;
}

}  // namespace

RequestedPrompts readPrompts(JsonFields& fields, const ServedModel& model,
                             const StopRequested& stop) {
    RequestedPrompts asked;
    const OrderedJson* prompt = fields.find(kMember);
    if (prompt == nullptr) {
        fields.refuse(kMember, "prompt is missing");
        return asked;
    }
    PromptReader reader(fields, model, stop);
    const bool single =
        prompt->is_string() || prompt->is_object() ||
        (prompt->is_array() &&
         std::ranges::any_of(*prompt, [](const OrderedJson& one) { return one.is_number(); }));
    if (single) {
        asked.prompts.push_back(reader.read(*prompt));
        return asked;
    }
    if (!prompt->is_array() || prompt->empty()) {
        fields.refuse(kMember, "prompt has to be a string, token ids or a list of them", "TYPE");
        return asked;
    }
    if (prompt->size() > kMaxPrompts) {
        fields.refuse(kMember, format("prompt has {} entries; at most {} are allowed",
                                      prompt->size(), kMaxPrompts));
        return asked;
    }
    asked.listed = prompt->size() > 1;
    for (const OrderedJson& one : *prompt) {
        if (fields.error()) break;
        asked.prompts.push_back(reader.read(one));
    }
    return asked;
}

}  // namespace lacuna::app
