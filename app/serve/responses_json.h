#pragma once
/// \file
/// Builds an answer in the format of OpenAI's Responses API: a list of items (reasoning, text,
/// calls) and the stream events that announce them. Complete replies are built from the same parts.
/// docs/server.md, "Responses". Owned by one answer.

#include <functional>
#include <string>

#include "app/serve/answer_json.h"

namespace lacuna::app {

class ResponseItems {
  public:
    /// Receives each event, including its type.
    using Sink = std::function<void(const OrderedJson& event)>;

    /// The owner must keep `asked` alive.
    ResponseItems(ReplyStamp stamp, const RequestedAnswers& asked, const ServedModel& model,
                  Sink sink)
        : m_stamp(std::move(stamp)), m_asked(asked), m_model(model), m_sink(std::move(sink)) {}

    void begin();
    /// Reports how much of the prompt was read.
    void progress(const OrderedJson& progress);
    void addThought(const std::string& text);
    /// `timings` may be null.
    void addText(const std::string& text, const TokenText* drawn, const OrderedJson& timings);
    void beginCall(const std::string& id, const std::string& name);
    void addArguments(const std::string& text);
    /// Closes open items and reports how the answer ended.
    void end(const ChoiceSoFar& choice);
    void fail(const OrderedJson& error);
    /// Returns the response as written so far. `choice` is null while the answer is running.
    [[nodiscard]] OrderedJson whole(const ChoiceSoFar* choice) const;

  private:
    void publish(const char* type, OrderedJson more);
    void openItem(OrderedJson item);
    void openPart(const char* type);
    void closeItem(const char* status);
    [[nodiscard]] OrderedJson place() const;

    const ReplyStamp m_stamp;
    const RequestedAnswers& m_asked;
    const ServedModel& m_model;
    const Sink m_sink;
    OrderedJson m_items = OrderedJson::array();  ///< completed items
    OrderedJson m_item = nullptr;                ///< item being written; null if none
    std::string m_grown;                         ///< its text or arguments so far
    OrderedJson m_logprobs = OrderedJson::array();
    int m_sequence = 0;
};

}  // namespace lacuna::app
