#pragma once
/// \file
/// One request being answered: receives the events of its answers and writes the reply, complete or
/// as server-sent events. A stream begins with the first token, or with a comment that keeps
/// proxies from timing out while the request waits or its prompt is read. Failures before that
/// become an HTTP status, later ones an event. Owned by the RequestScheduler that serves it.

#include <QTimer>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/serve/answer_json.h"
#include "app/serve/call_stream.h"
#include "app/serve/http_connection.h"
#include "app/serve/request_scheduler.h"
#include "app/serve/responses_json.h"
#include "engine/template/thought_stream.h"

namespace lacuna::app {

class AnswerSession final : public AnswerListener,
                            public std::enable_shared_from_this<AnswerSession> {
  public:
    AnswerSession(RequestedAnswers asked, ReplyStamp stamp,
                  std::shared_ptr<const ServedModel> model, std::shared_ptr<HttpExchange> exchange,
                  RequestScheduler& scheduler, std::chrono::milliseconds keepAlive);

    /// Enqueues the request; replies 429 if the queue is full.
    void begin();
    [[nodiscard]] RequestScheduler::Ticket ticket() const { return m_ticket; }
    /// Ends the request with an error: as a status, or as an event if the stream has begun.
    void fail(const ApiError& error);
    /// Optional hook, called with the complete response before it is sent.
    std::function<void(const OrderedJson& response)> responded;

    void started(int choice, const TurnStarted& turn, int slot) override;
    void progressed(int choice, const PrefillProgress& progress) override;
    void wrote(int choice, const TokenText& token) override;
    void finished(int choice, const TurnFinished& turn) override;

  private:
    void openStream();
    void event(const OrderedJson& data);
    void piece(const ChoiceSoFar& choice, OrderedJson data);
    void comment();
    [[nodiscard]] std::string markText(TokenId token) const;
    void take(ChoiceSoFar& choice, const ThoughtStream::Piece& piece, const TokenText* drawn);
    void write(ChoiceSoFar& choice, const std::string& text, const TokenText* drawn);
    void writeThought(ChoiceSoFar& choice, const std::string& text, const TokenText* drawn);
    void writeChat(ChoiceSoFar& choice, const std::string& text, const TokenText* drawn);
    void writePieces(ChoiceSoFar& choice, const std::vector<CallStreamPiece>& pieces,
                     const TokenText* drawn);
    void writeResponseText(const ChoiceSoFar& choice, const std::string& text,
                           const TokenText* drawn);
    [[nodiscard]] OrderedJson completeResponse(const ChoiceSoFar& choice);
    void endChoice(ChoiceSoFar& choice);
    void endAll();
    void failed(const Error& error);
    void abandon();

    const RequestedAnswers m_asked;
    const ReplyStamp m_stamp;
    const std::shared_ptr<const ServedModel> m_model;
    const std::shared_ptr<HttpExchange> m_exchange;
    RequestScheduler& m_scheduler;
    RequestScheduler::Ticket m_ticket = 0;
    std::vector<ChoiceSoFar> m_choices;
    std::vector<ThoughtStream> m_thoughts;  // one per choice
    std::vector<CallStream> m_calls;        // one per choice
    std::optional<ResponseItems> m_items;   // only for the Responses API
    std::vector<TokenText> m_unshown;       // tokens of a response whose text is held back
    QTimer m_keepAlive;
    std::int64_t m_read = 0, m_toRead = 0;
    bool m_over = false;
    bool m_ending = false;  // the engine was asked to stop because the answer is complete
};

/// Returns `prefix` followed by 24 random letters and digits: "chatcmpl-...".
[[nodiscard]] std::string randomId(const char* prefix);

}  // namespace lacuna::app
