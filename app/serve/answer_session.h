#pragma once
/// \file
/// One request that is being answered: it hears what the desk says of its answers, and writes a
/// reply in one piece or as a stream of server-sent events. A stream begins with the first word or,
/// while the request waits or its prompt is read, with a comment that keeps proxies from giving up;
/// what fails before that is a status, and afterwards an event. Owned by the desk that answers it.

#include <QTimer>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/serve/answer_desk.h"
#include "app/serve/answer_json.h"
#include "app/serve/call_stream.h"
#include "app/serve/http_connection.h"
#include "app/serve/responses_json.h"
#include "app/serve/thought_stream.h"

namespace lacuna::app {

class AnswerSession final : public AnswerListener,
                            public std::enable_shared_from_this<AnswerSession> {
  public:
    AnswerSession(AskedAnswers asked, ReplyStamp stamp, std::shared_ptr<const ServedModel> model,
                  std::shared_ptr<HttpExchange> exchange, AnswerDesk& desk,
                  std::chrono::milliseconds keepAlive);

    /// Asks the desk; where it is full, says so.
    void begin();
    [[nodiscard]] AnswerDesk::Ticket ticket() const { return m_ticket; }
    /// Ends the request with an error: a status, or an event where the stream has begun.
    void fail(const ApiError& error);
    /// Told of a response once it is whole, before its client is; may be empty.
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
    void giveUp();

    const AskedAnswers m_asked;
    const ReplyStamp m_stamp;
    const std::shared_ptr<const ServedModel> m_model;
    const std::shared_ptr<HttpExchange> m_exchange;
    AnswerDesk& m_desk;
    AnswerDesk::Ticket m_ticket = 0;
    std::vector<ChoiceSoFar> m_choices;
    std::vector<ThoughtStream> m_thoughts;  // one for each choice
    std::vector<CallStream> m_calls;        // the same
    std::optional<ResponseItems> m_items;   // of a response
    std::vector<TokenText> m_unshown;       // tokens of a response whose text is held back
    QTimer m_keepAlive;
    std::int64_t m_read = 0, m_toRead = 0;
    bool m_over = false;
    bool m_ending = false;  // the engine was told to stop, the answer is complete
};

/// Twenty-four random letters and digits after a prefix: "chatcmpl-...".
[[nodiscard]] std::string randomId(const char* prefix);

}  // namespace lacuna::app
