#include "app/serve/responses_json.h"

#include <utility>

#include "app/serve/answer_session.h"

namespace lacuna::app {
namespace {

constexpr const char* kMessage = "message";
constexpr const char* kReasoning = "reasoning";
constexpr const char* kCall = "function_call";

bool isOf(const OrderedJson& item, const char* type) {
    return item.is_object() && item["type"] == type;
}

OrderedJson usageOf(const ChoiceSoFar& choice) {
    const std::int64_t written = choice.ended->stats.generatedTokens;
    return {{"input_tokens", choice.promptTokens},
            {"input_tokens_details",
             {{"cached_tokens", choice.reusedTokens},
              {"cache_write_tokens", choice.promptTokens - choice.reusedTokens}}},
            {"output_tokens", written},
            {"output_tokens_details", {{"reasoning_tokens", choice.thoughtTokens}}},
            {"total_tokens", choice.promptTokens + written}};
}

/// Returns "completed", "incomplete" or "cancelled".
const char* statusOf(const ChoiceSoFar& choice) {
    const std::string finish = finishName(choice);
    if (finish == "cancelled") return "cancelled";
    return finish == "length" ? "incomplete" : "completed";
}

}  // namespace

void ResponseItems::publish(const char* type, OrderedJson more) {
    if (!m_sink) return;
    OrderedJson event{{"type", type}, {"sequence_number", m_sequence++}};
    event.update(more);
    m_sink(event);
}

void ResponseItems::begin() {
    publish("response.created", {{"response", whole(nullptr)}});
    publish("response.in_progress", {{"response", whole(nullptr)}});
}

void ResponseItems::progress(const OrderedJson& progress) {
    publish("response.in_progress", {{"response", whole(nullptr)}, {"prompt_progress", progress}});
}

OrderedJson ResponseItems::place() const {
    return {{"item_id", m_item["id"]}, {"output_index", m_items.size()}};
}

void ResponseItems::openItem(OrderedJson item) {
    closeItem("completed");
    m_item = std::move(item);
    m_grown.clear();
    m_logprobs = OrderedJson::array();
    publish("response.output_item.added", {{"output_index", m_items.size()}, {"item", m_item}});
}

void ResponseItems::openPart(const char* type) {
    OrderedJson part{{"type", type}, {"text", ""}};
    if (isOf(m_item, kMessage)) {
        part["annotations"] = OrderedJson::array();
        part["logprobs"] = OrderedJson::array();
    }
    OrderedJson event = place();
    event.update(OrderedJson{{"content_index", 0}, {"part", std::move(part)}});
    publish("response.content_part.added", std::move(event));
}

void ResponseItems::addThought(const std::string& text) {
    if (!isOf(m_item, kReasoning)) {
        openItem({{"id", randomId("rs_")},
                  {"type", kReasoning},
                  {"summary", OrderedJson::array()},
                  {"content", OrderedJson::array()},
                  {"status", "in_progress"}});
        openPart("reasoning_text");
    }
    m_grown += text;
    OrderedJson event = place();
    event.update(OrderedJson{{"content_index", 0}, {"delta", text}});
    publish("response.reasoning_text.delta", std::move(event));
}

void ResponseItems::addText(const std::string& text, const TokenText* drawn,
                            const OrderedJson& timings) {
    if (!isOf(m_item, kMessage)) {
        openItem({{"id", randomId("msg_")},
                  {"type", kMessage},
                  {"status", "in_progress"},
                  {"role", "assistant"},
                  {"content", OrderedJson::array()}});
        openPart("output_text");
    }
    m_grown += text;
    OrderedJson logprobs = OrderedJson::array();
    if (drawn != nullptr) logprobs = logprobsList(*drawn, m_model);
    for (const OrderedJson& one : logprobs) m_logprobs.push_back(one);
    if (text.empty() && logprobs.empty()) return;
    OrderedJson event = place();
    event.update(
        OrderedJson{{"content_index", 0}, {"delta", text}, {"logprobs", std::move(logprobs)}});
    if (!timings.is_null()) event["timings"] = timings;
    publish("response.output_text.delta", std::move(event));
}

void ResponseItems::beginCall(const std::string& id, const std::string& name) {
    openItem({{"id", randomId("fc_")},
              {"type", kCall},
              {"status", "in_progress"},
              {"call_id", id},
              {"name", name},
              {"arguments", ""}});
}

void ResponseItems::addArguments(const std::string& text) {
    m_grown += text;
    OrderedJson event = place();
    event["delta"] = text;
    publish("response.function_call_arguments.delta", std::move(event));
}

void ResponseItems::closeItem(const char* status) {
    if (m_item.is_null()) return;
    OrderedJson event = place();
    if (isOf(m_item, kCall)) {
        m_item["arguments"] = m_grown;
        event.update(OrderedJson{{"name", m_item["name"]}, {"arguments", m_grown}});
        publish("response.function_call_arguments.done", std::move(event));
    } else {
        const bool message = isOf(m_item, kMessage);
        OrderedJson part{{"type", message ? "output_text" : "reasoning_text"}, {"text", m_grown}};
        event.update(OrderedJson{{"content_index", 0}, {"text", m_grown}});
        if (message) {
            part["annotations"] = OrderedJson::array();
            part["logprobs"] = m_logprobs;
            event["logprobs"] = m_logprobs;
        }
        publish(message ? "response.output_text.done" : "response.reasoning_text.done", event);
        event = place();
        event.update(OrderedJson{{"content_index", 0}, {"part", part}});
        publish("response.content_part.done", std::move(event));
        m_item["content"].push_back(std::move(part));
    }
    m_item["status"] = status;
    publish("response.output_item.done", {{"output_index", m_items.size()}, {"item", m_item}});
    m_items.push_back(std::exchange(m_item, nullptr));
}

void ResponseItems::end(const ChoiceSoFar& choice) {
    // An answer without text is an empty message.
    if (m_items.empty() && m_item.is_null()) addText({}, nullptr, nullptr);
    const std::string status = statusOf(choice);
    closeItem(status == "completed" ? "completed" : "incomplete");
    OrderedJson event{{"response", whole(&choice)}, {"timings", timingsJson(choice)}};
    publish(status == "completed" ? "response.completed" : "response.incomplete", std::move(event));
}

void ResponseItems::fail(const OrderedJson& error) {
    OrderedJson response = whole(nullptr);
    response["status"] = "failed";
    response["error"] = {{"code", "server_error"}, {"message", error["message"]}};
    publish("response.failed", {{"response", std::move(response)}});
}

OrderedJson ResponseItems::whole(const ChoiceSoFar* choice) const {
    const std::string status = choice == nullptr ? "in_progress" : statusOf(*choice);
    OrderedJson response{{"id", m_stamp.id},
                         {"object", "response"},
                         {"created_at", m_stamp.created},
                         {"status", status},
                         {"background", false},
                         {"error", nullptr},
                         {"incomplete_details", nullptr},
                         {"model", m_stamp.model},
                         {"output", m_items},
                         {"temperature", m_asked.sampling.temperature},
                         {"top_p", m_asked.sampling.topP},
                         {"service_tier", "default"}};
    response.update(m_asked.repeated);
    if (status == "incomplete") response["incomplete_details"] = {{"reason", "max_output_tokens"}};
    if (choice != nullptr) response["usage"] = usageOf(*choice);
    if (!m_asked.warnings.empty()) response["warnings"] = m_asked.warnings;
    return response;
}

}  // namespace lacuna::app
