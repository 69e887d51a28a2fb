#include "app/serve/answer_session.h"

#include <QRandomGenerator>
#include <algorithm>
#include <utility>

#include "app/serve/api_error.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr int kRetryAfterSeconds = 1;

}  // namespace

std::string randomId(const char* prefix) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::string id = prefix;
    for (int i = 0; i < 24; ++i)
        id += kLetters[QRandomGenerator::system()->bounded(static_cast<quint32>(kLetters.size()))];
    return id;
}

AnswerSession::AnswerSession(RequestedAnswers asked, ReplyStamp stamp,
                             std::shared_ptr<const ServedModel> model,
                             std::shared_ptr<HttpExchange> exchange, RequestScheduler& scheduler,
                             std::chrono::milliseconds keepAlive)
    : m_asked(std::move(asked)),
      m_stamp(std::move(stamp)),
      m_model(std::move(model)),
      m_exchange(std::move(exchange)),
      m_scheduler(scheduler) {
    for (std::size_t prompt = 0; prompt < m_asked.prompts.size(); ++prompt)
        for (int i = 0; i < m_asked.choices; ++i) {
            ChoiceSoFar choice;
            choice.index = static_cast<int>(m_choices.size());
            choice.prompt = prompt;
            m_choices.push_back(std::move(choice));
            m_calls.emplace_back(m_asked.calls);
            m_thoughts.emplace_back(m_asked.thoughts, m_asked.thoughtMarks);
        }
    if (m_asked.shape == AnswerShape::Responses)
        m_items.emplace(m_stamp, m_asked, *m_model,
                        m_asked.stream ? [this](const OrderedJson& data) {
            if (!m_over)
                static_cast<void>(m_exchange->send(format(
                    "event: {}\ndata: {}\n\n", data["type"].get<std::string>(), dumpJson(data))));
        } : ResponseItems::Sink());
    m_keepAlive.setInterval(keepAlive);
    QObject::connect(&m_keepAlive, &QTimer::timeout, &m_keepAlive, [this] { comment(); });
}

void AnswerSession::begin() {
    std::vector<QueuedRequest> questions;
    for (const ChoiceSoFar& choice : m_choices) {
        QueuedRequest question{.submit = Submit{.conversation = ConversationId(0),
                                                .messages = {},
                                                .stopStrings = m_asked.stops,
                                                .seed = m_asked.seed,
                                                .rules = m_asked.rules},
                               .keepsCache = m_asked.keepsCache,
                               .slot = m_asked.slot,
                               .salt = m_asked.salt,
                               .cache = m_asked.cache,
                               .choice = choice.index,
                               .prompt = choice.prompt};
        // Answers to one prompt must differ even with a fixed seed.
        if (question.submit.seed)
            *question.submit.seed +=
                static_cast<std::uint64_t>(choice.index % std::max(m_asked.choices, 1));
        question.submit.prompt = m_asked.prompts[choice.prompt].tokens;
        question.submit.question = m_asked.prompts[choice.prompt].question;
        question.submit.sampling = m_asked.sampling;
        question.submit.maxTokens = m_asked.prompts[choice.prompt].maxTokens;
        question.submit.prefix = {.shared = m_asked.keepsCache, .salt = m_asked.salt};
        questions.push_back(std::move(question));
    }
    m_exchange->onDisconnect = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->abandon();
    };
    const auto ticket = m_scheduler.ask(std::move(questions), shared_from_this());
    if (!ticket) {
        m_over = true;
        return m_exchange->reply(errorReply(
            {.status = 429,
             .message = format("{} requests are waiting already", RequestScheduler::kMaxWaiting),
             .code = "QUEUE_FULL",
             .retryAfterSeconds = kRetryAfterSeconds}));
    }
    m_ticket = *ticket;
    if (m_asked.stream) m_keepAlive.start();
}

void AnswerSession::abandon() {
    m_over = true;
    m_keepAlive.stop();
    m_scheduler.cancel(m_ticket);
}

void AnswerSession::started(int index, const TurnStarted& turn, int slot) {
    ChoiceSoFar& choice = m_choices[static_cast<std::size_t>(index)];
    choice.slot = slot;
    choice.seed = turn.seed;
    choice.promptTokens = turn.promptTokens;
    choice.reusedTokens = turn.reusedTokens;
    choice.began = std::chrono::steady_clock::now();
}

void AnswerSession::progressed(int index, const PrefillProgress& progress) {
    m_read = progress.done;
    m_toRead = progress.total;
    if (m_over || !m_asked.stream || !m_asked.showsProgress) return;
    // The last prompt token is a step of its own; report its end, but not that one token is left.
    if (progress.done + 1 == progress.total && progress.done != progress.reused) return;
    const ChoiceSoFar& choice = m_choices[static_cast<std::size_t>(index)];
    openStream();
    OrderedJson told = progressJson(choice, progress);
    if (m_items) return m_items->progress(told);
    OrderedJson data = progressPiece(m_stamp, m_asked, choice, std::move(told));
    if (m_asked.timingsPerToken)
        data["timings"] = timingsOfReading(choice, progress.done - progress.reused);
    event(data);
}

void AnswerSession::openStream() {
    if (m_exchange->begun()) return;
    // A proxy that buffers the reply would turn the stream into one piece.
    m_exchange->begin({.contentType = "text/event-stream; charset=utf-8",
                       .fields = {{"X-Accel-Buffering", "no"}}});
    if (m_items) m_items->begin();
    if (m_asked.shape != AnswerShape::Chat) return;
    for (const ChoiceSoFar& choice : m_choices)
        event(chatChunk(m_stamp, choice.index, {{"role", "assistant"}, {"content", nullptr}}));
}

void AnswerSession::comment() {
    if (m_over) return;
    openStream();
    static_cast<void>(m_exchange->send(format(": keep-alive {}/{}\n\n", m_read, m_toRead)));
}

void AnswerSession::event(const OrderedJson& data) {
    if (!m_over) static_cast<void>(m_exchange->send("data: " + dumpJson(data) + "\n\n"));
}

/// Sends a piece of an answer, with timings if requested.
void AnswerSession::piece(const ChoiceSoFar& choice, OrderedJson data) {
    if (m_asked.timingsPerToken) data["timings"] = timingsSoFar(choice);
    event(data);
}

/// Returns the text of a control token that separates parts of the answer, for example channels;
/// such tokens have no text of their own.
std::string AnswerSession::markText(TokenId token) const {
    const bool separates =
        m_asked.thoughts == ThoughtStream::Begins::Channels || m_asked.thoughtMarks.control;
    const Tokenizer& tokenizer = m_model->tokenizer();
    const bool mark = tokenizer.isControl(token) && !tokenizer.isEndOfTurn(token);
    return separates && mark ? m_model->piece(token) : std::string();
}

void AnswerSession::wrote(int index, const TokenText& token) {
    if (m_over) return;
    ChoiceSoFar& choice = m_choices[static_cast<std::size_t>(index)];
    // Text released at the end repeats the index of the previous token.
    const bool fresh = token.index == static_cast<std::int64_t>(choice.tokens.size());
    ThoughtStream& thoughts = m_thoughts[static_cast<std::size_t>(index)];
    if (fresh && choice.tokens.empty()) choice.spoke = std::chrono::steady_clock::now();
    if (fresh) choice.tokens.push_back(token.token);
    if (fresh && token.logprobs) choice.drawn.push_back(token);
    const bool thought = thoughts.inThought();
    std::string text = token.text;
    if (fresh) text += markText(token.token);
    const ThoughtStream::Piece piece = thoughts.push(text);
    if (fresh && (thought || thoughts.inThought())) ++choice.thoughtTokens;
    take(choice, piece, fresh ? &token : nullptr);
    const bool complete = m_calls[static_cast<std::size_t>(index)].complete();
    if (complete && m_choices.size() == 1 && !std::exchange(m_ending, true))
        m_scheduler.end(m_ticket);
}

void AnswerSession::take(ChoiceSoFar& choice, const ThoughtStream::Piece& piece,
                         const TokenText* drawn) {
    choice.thoughts += piece.thought;
    if (!piece.thought.empty()) writeThought(choice, piece.thought, std::exchange(drawn, nullptr));
    // Text held back as a reasoning mark is not sent, but the token's probabilities are.
    const bool held = piece.text.empty() && m_asked.thoughts != ThoughtStream::Begins::InAnswer;
    if (held && (drawn == nullptr || !drawn->logprobs)) return;
    write(choice, piece.text, drawn);
}

void AnswerSession::writeThought(ChoiceSoFar& choice, const std::string& text,
                                 const TokenText* drawn) {
    if (m_asked.stream) openStream();
    if (m_items) return m_items->addThought(text);
    if (m_asked.stream)
        piece(choice, chatPiece(m_stamp, choice.index, {text, drawn, true}, *m_model));
}

/// Complete answers are built from the same pieces as streams, so that both agree.
void AnswerSession::write(ChoiceSoFar& choice, const std::string& text, const TokenText* drawn) {
    if (m_asked.stream) openStream();
    if (m_asked.shape == AnswerShape::Chat || m_asked.shape == AnswerShape::Responses)
        return writeChat(choice, text, drawn);
    choice.text += text;
    if (!m_asked.stream) return;
    // The echoed prompt precedes the first token.
    if (m_asked.echo && choice.tokens.size() == 1 && drawn != nullptr)
        event(completionPiece(m_stamp, choice, {m_asked.prompts[choice.prompt].text}, *m_model));
    const bool silent = text.empty() && (drawn == nullptr || !drawn->logprobs);
    if (m_asked.shape == AnswerShape::Native) {
        if (!silent || drawn != nullptr)
            piece(choice, nativePiece(m_asked, choice, {text, drawn}, *m_model));
    } else if (!silent) {
        piece(choice, completionPiece(m_stamp, choice, {text, drawn}, *m_model));
    }
}

void AnswerSession::writeChat(ChoiceSoFar& choice, const std::string& text,
                              const TokenText* drawn) {
    auto pieces = m_calls[static_cast<std::size_t>(choice.index)].push(text);
    // The probabilities of a token are sent even if its text is held back or belongs to a call.
    const bool textComes = !pieces.empty() && pieces.front().kind == CallStreamPiece::Kind::Text;
    if (!textComes && drawn != nullptr && drawn->logprobs)
        pieces.insert(pieces.begin(), CallStreamPiece{});
    writePieces(choice, pieces, drawn);
}

/// A response cannot hold a token without text before a text item begins.
void AnswerSession::writeResponseText(const ChoiceSoFar& choice, const std::string& text,
                                      const TokenText* drawn) {
    if (text.empty() && m_asked.calls.form != CallForm::None) {
        if (drawn != nullptr) m_unshown.push_back(*drawn);
        return;
    }
    for (const TokenText& before : std::exchange(m_unshown, {}))
        m_items->addText({}, &before, nullptr);
    m_items->addText(text, drawn,
                     m_asked.timingsPerToken ? timingsSoFar(choice) : OrderedJson(nullptr));
}

void AnswerSession::writePieces(ChoiceSoFar& choice, const std::vector<CallStreamPiece>& pieces,
                                const TokenText* drawn) {
    for (const CallStreamPiece& one : pieces) {
        switch (one.kind) {
            case CallStreamPiece::Kind::Text:
                choice.text += one.text;
                if (m_items)
                    writeResponseText(choice, one.text, drawn);
                else if (m_asked.stream)
                    piece(choice, chatPiece(m_stamp, choice.index, {one.text, drawn}, *m_model));
                break;
            case CallStreamPiece::Kind::Begin:
                choice.callIds.push_back(randomId("call_"));
                choice.calls.push_back({one.text, {}});
                m_unshown.clear();
                if (m_items)
                    m_items->beginCall(choice.callIds.back(), one.text);
                else if (m_asked.stream)
                    piece(choice,
                          chatChunk(m_stamp, choice.index,
                                    callDelta(one.call, choice.callIds.back(), one.text, "")));
                break;
            case CallStreamPiece::Kind::Arguments:
                choice.calls.back().arguments += one.text;
                if (m_items)
                    m_items->addArguments(one.text);
                else if (m_asked.stream)
                    piece(choice,
                          chatChunk(m_stamp, choice.index, callDelta(one.call, "", "", one.text)));
                break;
        }
        drawn = nullptr;  // send its probabilities once
    }
}

void AnswerSession::finished(int index, const TurnFinished& turn) {
    if (m_over) return;
    if (turn.error) return failed(*turn.error);
    ChoiceSoFar& choice = m_choices[static_cast<std::size_t>(index)];
    choice.ended = turn;
    if (const auto held = m_thoughts[static_cast<std::size_t>(index)].finish();
        !held.thought.empty() || !held.text.empty())
        take(choice, held, nullptr);
    CallStream& calls = m_calls[static_cast<std::size_t>(index)];
    if (m_asked.stream) openStream();
    writePieces(choice, calls.finish(), nullptr);
    choice.callCut = calls.cut();
    if (m_asked.stream) endChoice(choice);
    if (std::ranges::all_of(m_choices,
                            [](const ChoiceSoFar& one) { return one.ended.has_value(); }))
        endAll();
}

void AnswerSession::endChoice(ChoiceSoFar& choice) {
    openStream();
    const auto last = [&](OrderedJson data) {
        addVerbose(data, m_stamp, m_asked, choice, *m_model);
        event(data);
    };
    switch (m_asked.shape) {
        case AnswerShape::Chat:
            return last(chatEnd(m_stamp, choice));
        case AnswerShape::Responses:
            m_items->end(choice);
            if (responded) responded(m_items->whole(&choice));
            return;
        case AnswerShape::Completion:
            return last(completionEnd(m_stamp, choice));
        case AnswerShape::Native:
            return event(nativeEnd(m_stamp, m_asked, choice, *m_model));
    }
}

void AnswerSession::endAll() {
    m_keepAlive.stop();
    if (!m_asked.stream) {
        m_over = true;
        const auto reply = [&] {
            switch (m_asked.shape) {
                case AnswerShape::Chat:
                    return chatReply(m_stamp, m_asked, m_choices, *m_model);
                case AnswerShape::Completion:
                    return completionReply(m_stamp, m_asked, m_choices, *m_model);
                case AnswerShape::Responses:
                    return completeResponse(m_choices.front());
                case AnswerShape::Native:
                    break;
            }
            return nativeReply(m_stamp, m_asked, m_choices, *m_model);
        };
        return m_exchange->reply({.body = dumpJson(reply())});
    }
    if (m_asked.shape == AnswerShape::Chat || m_asked.shape == AnswerShape::Completion) {
        if (m_asked.includeUsage) event(usageChunk(m_stamp, m_asked, m_choices));
        static_cast<void>(m_exchange->send("data: [DONE]\n\n"));
    }
    m_over = true;
    m_exchange->end();
}

OrderedJson AnswerSession::completeResponse(const ChoiceSoFar& choice) {
    m_items->end(choice);
    OrderedJson response = m_items->whole(&choice);
    if (responded) responded(response);
    return response;
}

/// A failed answer ends the whole request.
void AnswerSession::failed(const Error& error) {
    fail(apiErrorOf(error));
}

void AnswerSession::fail(const ApiError& wrong) {
    if (m_over) return;
    m_keepAlive.stop();
    if (m_exchange->begun()) {
        if (m_items)
            m_items->fail(errorJson(wrong)["error"]);
        else
            event(errorJson(wrong));
        m_over = true;
        m_exchange->end();
    } else {
        m_over = true;
        m_exchange->reply(errorReply(wrong));
    }
    m_scheduler.cancel(m_ticket);
}

}  // namespace lacuna::app
