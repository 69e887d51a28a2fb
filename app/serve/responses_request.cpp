#include "app/serve/responses_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxId = 256;

/// Members handled here that chat requests do not have.
constexpr auto kOwn = std::to_array<std::string_view>(
    {"input", "instructions", "max_output_tokens", "tools", "tool_choice", "text", "reasoning",
     "previous_response_id", "conversation", "background", "store", "include", "truncation",
     "max_tool_calls", "prompt", "messages"});

class Translator {
  public:
    Translator(const OrderedJson& asked, const RequestedResponseItems& items)
        : fields_(asked), items_(items) {
        for (const auto& [name, value] : asked.items())
            if (std::ranges::find(kOwn, name) == kOwn.end()) chat_[name] = value;
    }
    [[nodiscard]] ApiResult<OrderedJson> run();

  private:
    void refuseWhatIsNotKept();
    void readItems();
    void readItem(const OrderedJson& item, const std::string& place);
    void addCall(const OrderedJson& item, const std::string& place);
    void addThought(const OrderedJson& item);
    void readTools();
    void readChoice();
    void readText();
    void readReasoning();
    void readIncluded();

    JsonFields fields_;
    const RequestedResponseItems& items_;
    OrderedJson chat_ = OrderedJson::object();
    OrderedJson messages_ = OrderedJson::array();
    std::string thought_;  ///< reasoning of the next assistant message
};

ApiResult<OrderedJson> Translator::run() {
    refuseWhatIsNotKept();
    if (const auto instructions = fields_.text("instructions"))
        messages_.push_back({{"role", "system"}, {"content", *instructions}});
    readItems();
    readTools();
    readChoice();
    readText();
    readReasoning();
    readIncluded();
    if (const OrderedJson* most = fields_.find("max_output_tokens"))
        chat_["max_completion_tokens"] = *most;
    if (fields_.find("messages") != nullptr)
        fields_.refuse("messages", "messages is not supported here; use input");
    if (fields_.error()) return tl::unexpected<ApiError>(*fields_.error());
    chat_["messages"] = std::move(messages_);
    return std::move(chat_);
}

void Translator::refuseWhatIsNotKept() {
    for (const char* member : {"conversation", "prompt"})
        if (fields_.find(member) != nullptr)
            fields_.refuse(member,
                           format("{} is not supported: none are stored; continue an earlier "
                                  "response with previous_response_id",
                                  member),
                           "UNSUPPORTED");
    if (fields_.boolean("background").value_or(false))
        fields_.refuse(
            "background",
            "background is not supported: a response is generated while its client waits",
            "UNSUPPORTED");
    static_cast<void>(fields_.boolean("store"));
    if (const auto cut = fields_.text("truncation"); cut && *cut != "disabled")
        fields_.refuse(
            "truncation",
            "truncation has to be disabled: input that does not fit the context is refused",
            "UNSUPPORTED");
    if (fields_.find("max_tool_calls") != nullptr)
        fields_.refuse("max_tool_calls",
                       "max_tool_calls is not supported: this server does not call tools",
                       "UNSUPPORTED");
}

void Translator::readItems() {
    for (std::size_t i = 0; i < items_.all.size() && !fields_.error(); ++i)
        readItem(items_.all[i], i < items_.earlier ? format("previous_response_id[{}]", i)
                                                   : format("input[{}]", i - items_.earlier));
}

void Translator::readItem(const OrderedJson& item, const std::string& place) {
    if (!item.is_object())
        return fields_.refuse(place, format("{} has to be an object", place), "TYPE");
    JsonFields fields(item, place + ".");
    const std::string type = fields.text("type").value_or("message");
    if (fields.error()) return fields_.refuse(*fields.error());
    if (type == "message") {
        OrderedJson message = item;
        for (const char* own : {"type", "id", "status"}) message.erase(own);
        if (item.contains("role") && item["role"] == "assistant" && !thought_.empty())
            message["reasoning_content"] = std::exchange(thought_, {});
        messages_.push_back(std::move(message));
    } else if (type == "function_call") {
        addCall(item, place);
    } else if (type == "function_call_output") {
        OrderedJson answer{{"role", "tool"}};
        if (item.contains("call_id")) answer["tool_call_id"] = item["call_id"];
        if (item.contains("output")) answer["content"] = item["output"];
        messages_.push_back(std::move(answer));
    } else if (type == "reasoning") {
        addThought(item);
    } else {
        fields_.refuse(
            place + ".type",
            format(
                "{}.type is {}; expected message, function_call, function_call_output or reasoning",
                place, type.substr(0, 64)),
            "UNSUPPORTED");
    }
}

/// Consecutive calls belong to one message.
void Translator::addCall(const OrderedJson& item, const std::string& place) {
    if (!item.contains("call_id") || !item["call_id"].is_string())
        return fields_.refuse(place + ".call_id", format("{}.call_id is missing", place));
    OrderedJson function = OrderedJson::object();
    for (const char* member : {"name", "arguments"})
        if (item.contains(member)) function[member] = item[member];
    OrderedJson call{
        {"id", item["call_id"]}, {"type", "function"}, {"function", std::move(function)}};
    const bool goesOn = !messages_.empty() && messages_.back().contains("tool_calls");
    if (!goesOn) {
        // A text directly before a call belongs to the same message.
        const bool said = !messages_.empty() && messages_.back().contains("role") &&
                          messages_.back()["role"] == "assistant";
        if (!said) messages_.push_back({{"role", "assistant"}, {"content", nullptr}});
        if (!thought_.empty()) messages_.back()["reasoning_content"] = std::exchange(thought_, {});
        messages_.back()["tool_calls"] = OrderedJson::array();
    }
    messages_.back()["tool_calls"].push_back(std::move(call));
}

void Translator::addThought(const OrderedJson& item) {
    const auto content = item.find("content");
    if (content == item.end() || !content->is_array()) return;
    for (const OrderedJson& part : *content)
        if (part.is_object() && part.contains("text") && part["text"].is_string())
            thought_ += part["text"].get<std::string>();
}

void Translator::readTools() {
    const OrderedJson* tools = fields_.find("tools");
    if (tools == nullptr) return;
    if (!tools->is_array()) return fields_.refuse("tools", "tools has to be a list", "TYPE");
    OrderedJson all = OrderedJson::array();
    for (std::size_t i = 0; i < tools->size(); ++i) {
        const OrderedJson& tool = (*tools)[i];
        const std::string place = format("tools[{}]", i);
        if (!tool.is_object() || !tool.contains("type") || tool["type"] != "function")
            return fields_.refuse(place + ".type", format("{}.type has to be function", place),
                                  "UNSUPPORTED");
        OrderedJson function = tool;
        function.erase("type");
        all.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    chat_["tools"] = std::move(all);
}

void Translator::readChoice() {
    const OrderedJson* choice = fields_.find("tool_choice");
    if (choice == nullptr) return;
    if (!choice->is_object()) {
        chat_["tool_choice"] = *choice;
        return;
    }
    const bool named =
        choice->contains("type") && (*choice)["type"] == "function" && choice->contains("name");
    if (!named)
        return fields_.refuse("tool_choice",
                              "tool_choice has to be none, auto, required or name a function",
                              "UNSUPPORTED");
    chat_["tool_choice"] = {{"type", "function"}, {"function", {{"name", (*choice)["name"]}}}};
}

void Translator::readText() {
    const OrderedJson* text = fields_.find("text");
    if (text == nullptr) return;
    if (!text->is_object()) return fields_.refuse("text", "text has to be an object", "TYPE");
    JsonFields inner(*text, "text.");
    if (const auto verbosity = inner.text("verbosity"); verbosity && *verbosity != "medium")
        inner.refuse("verbosity", "text.verbosity is not supported here", "UNSUPPORTED");
    const OrderedJson* wanted = inner.find("format");
    if (wanted != nullptr && wanted->is_object() && wanted->contains("type") &&
        (*wanted)["type"] == "json_schema") {
        OrderedJson schema = *wanted;
        schema.erase("type");
        chat_["response_format"] = {{"type", "json_schema"}, {"json_schema", std::move(schema)}};
    } else if (wanted != nullptr) {
        chat_["response_format"] = *wanted;
    }
    if (inner.error()) fields_.refuse(*inner.error());
}

void Translator::readReasoning() {
    const OrderedJson* reasoning = fields_.find("reasoning");
    if (reasoning == nullptr) return;
    if (!reasoning->is_object())
        return fields_.refuse("reasoning", "reasoning has to be an object", "TYPE");
    JsonFields inner(*reasoning, "reasoning.");
    if (const auto effort = inner.text("effort", 64)) chat_["reasoning_effort"] = *effort;
    if (const auto summary = inner.text("summary"); summary && *summary != "auto")
        inner.refuse("summary",
                     "reasoning.summary is not supported: the full reasoning is returned",
                     "UNSUPPORTED");
    if (inner.error()) fields_.refuse(*inner.error());
}

void Translator::readIncluded() {
    const OrderedJson* included = fields_.find("include");
    if (included == nullptr) return;
    if (!included->is_array()) return fields_.refuse("include", "include has to be a list", "TYPE");
    for (const OrderedJson& one : *included) {
        if (one == "message.output_text.logprobs")
            chat_["logprobs"] = true;
        else if (one != "reasoning.encrypted_content")  // reasoning is sent unencrypted anyway
            fields_.refuse(
                "include",
                format("include has {}, which is not supported here", dumpJson(one).substr(0, 64)),
                "UNSUPPORTED");
    }
}

}  // namespace

namespace {

/// Returns the item, or the item of an earlier answer that it references by id.
ApiResult<OrderedJson> resolved(const OrderedJson& item, const std::string& place,
                                ResponseStore& kept) {
    if (!item.is_object() || !item.contains("type") || item["type"] != "item_reference")
        return item;
    JsonFields fields(item, place + ".");
    const auto id = fields.text("id", kMaxId);
    if (!id && !fields.error()) fields.refuse("id", format("{}.id is missing", place));
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    if (auto found = kept.item(*id)) return std::move(*found);
    fields.refuse("id",
                  format("there is no item '{}': only items of the newest responses are kept; send "
                         "the item itself",
                         *id),
                  "item_not_found");
    return tl::unexpected<ApiError>(*fields.error());
}

}  // namespace

ApiResult<RequestedResponseItems> itemsOfResponses(const OrderedJson& asked, ResponseStore& kept) {
    JsonFields fields(asked);
    RequestedResponseItems items;
    const auto previous = fields.text("previous_response_id", kMaxId);
    if (previous) {
        auto before = kept.conversation(*previous);
        if (!before)
            fields.refuse("previous_response_id",
                          format("there is no response '{}': only the newest are kept, and only "
                                 "while the server runs; send the full conversation as input",
                                 *previous),
                          "previous_response_not_found");
        else
            items.all = std::move(*before);
        items.earlier = items.all.size();
    }
    const OrderedJson* input = fields.find("input");
    if (input == nullptr)
        fields.refuse("input", "input is missing");
    else if (input->is_string())
        items.all.push_back({{"type", "message"}, {"role", "user"}, {"content", *input}});
    else if (!input->is_array())
        fields.refuse("input", "input has to be a string or a list of items", "TYPE");
    else
        for (std::size_t i = 0; i < input->size(); ++i) {
            auto item = resolved((*input)[i], format("input[{}]", i), kept);
            if (!item) return tl::unexpected<ApiError>(item.error());
            items.all.push_back(std::move(*item));
        }
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    return items;
}

ApiResult<OrderedJson> chatOfResponses(const OrderedJson& asked,
                                       const RequestedResponseItems& items) {
    return Translator(asked, items).run();
}

bool keepsResponse(const OrderedJson& asked) {
    const auto store = asked.find("store");
    return store == asked.end() || *store != OrderedJson(false);
}

OrderedJson repeatedOfResponses(const OrderedJson& asked) {
    OrderedJson all{{"instructions", nullptr},
                    {"max_output_tokens", nullptr},
                    {"metadata", OrderedJson::object()},
                    {"parallel_tool_calls", true},
                    {"previous_response_id", nullptr},
                    {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}},
                    {"text", {{"format", {{"type", "text"}}}}},
                    {"tool_choice", "auto"},
                    {"tools", OrderedJson::array()},
                    {"truncation", "disabled"}};
    for (auto& [name, value] : all.items())
        if (const auto given = asked.find(name); given != asked.end() && !given->is_null())
            value = *given;
    if (const auto user = asked.find("user"); user != asked.end() && !user->is_null())
        all["user"] = *user;
    all["store"] = keepsResponse(asked);
    return all;
}

ApiError errorOfResponses(ApiError error) {
    constexpr std::string_view kChat = "messages", kOurs = "input";
    for (std::string* text : {&error.param, &error.message})
        if (text->starts_with(kChat)) text->replace(0, kChat.size(), kOurs);
    return error;
}

}  // namespace lacuna::app
