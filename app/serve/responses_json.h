#pragma once
/// \file
/// An answer in the form of OpenAI's responses: a list of items (thoughts, text, calls), and the
/// events in which it comes as a stream. One that is sent in one piece is made of the same parts.
/// docs/server.md, "Responses". Owned by one answer.

#include <functional>
#include <string>

#include "app/serve/answer_json.h"

namespace lacuna::app {

class ResponseItems {
  public:
    /// Takes an event's name and its data.
    using Sink = std::function<void(const OrderedJson& event)>;

    /// `asked` is kept by whoever owns this.
    ResponseItems(ReplyStamp stamp, const AskedAnswers& asked, const ServedModel& model, Sink sink)
        : m_stamp(std::move(stamp)), m_asked(asked), m_model(model), m_sink(std::move(sink)) {}

    void begin();
    /// How much of the prompt was read.
    void progress(const OrderedJson& progress);
    void addThought(const std::string& text);
    /// `timings` may be null.
    void addText(const std::string& text, const TokenText* drawn, const OrderedJson& timings);
    void beginCall(const std::string& id, const std::string& name);
    void addArguments(const std::string& text);
    /// Closes what is open and says how it ended.
    void end(const ChoiceSoFar& choice);
    void fail(const OrderedJson& error);
    /// The whole response, as far as it has come. `choice` may be null: it goes on.
    [[nodiscard]] OrderedJson whole(const ChoiceSoFar* choice) const;

  private:
    void say(const char* type, OrderedJson more);
    void openItem(OrderedJson item);
    void openPart(const char* type);
    void closeItem(const char* status);
    [[nodiscard]] OrderedJson place() const;

    const ReplyStamp m_stamp;
    const AskedAnswers& m_asked;
    const ServedModel& m_model;
    const Sink m_sink;
    OrderedJson m_items = OrderedJson::array();  ///< those that are complete
    OrderedJson m_item = nullptr;                ///< the one that grows
    std::string m_grown;                         ///< its text or arguments
    OrderedJson m_logprobs = OrderedJson::array();
    int m_sequence = 0;
};

}  // namespace lacuna::app
