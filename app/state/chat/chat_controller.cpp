#include "app/state/chat/chat_controller.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QString>
#include <QVector>
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/chat/chat_model.h"
#include "app/state/engine/engine_text.h"
#include "app/state/storage/conversation_database.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

namespace {

// Conversion of lines to model messages, and of finish reasons to text.

constexpr int kTitleCharacters = 42;

struct ChatTexts {
    Q_DECLARE_TR_FUNCTIONS(ChatMessages)
};

std::string roleOf(MessageRole speaker) {
    switch (speaker) {
        case MessageRole::System:
            return "system";
        case MessageRole::Person:
            return "user";
        case MessageRole::Model:
            return "assistant";
    }
    return "user";
}

/// Makes a title from the first words of the user message or the name of the attachment.
QString titleFrom(const PromptDraft& draft) {
    QString title = draft.text.simplified();
    if (title.isEmpty()) title = draft.attachmentName;
    if (title.size() <= kTitleCharacters) return title;
    const qsizetype space = title.lastIndexOf(QLatin1Char(' '), kTitleCharacters);
    return title.left(space > kTitleCharacters / 2 ? space : kTitleCharacters) + QChar(0x2026);
}

/// Skips empty answers, because models are not trained on them.
std::vector<ChatMessage> messagesOf(const QVector<ChatLine>& lines) {
    std::vector<ChatMessage> messages;
    for (const ChatLine& line : lines) {
        std::string content = fromQt(messageText(line));
        if (content.empty()) continue;
        messages.push_back({roleOf(line.speaker), std::move(content)});
    }
    return messages;
}

LineState stateOf(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return LineState::Done;
        case FinishReason::Length:
        case FinishReason::ContextFull:
        case FinishReason::Cancelled:
            return LineState::Stopped;
        case FinishReason::Error:
            return LineState::Failed;
    }
    return LineState::Failed;
}

/// Returns the reason why an answer ended early; empty if it is complete.
QString problemOf(const TurnFinished& event) {
    switch (event.reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return {};
        case FinishReason::Length:
            return ChatTexts::tr(
                "The answer reached its maximum length. Raise \"Max tokens\" for longer answers.");
        case FinishReason::ContextFull:
            return ChatTexts::tr(
                "The answer ended because the context is full. Switch on context shift, raise the "
                "context, or start a new conversation.");
        case FinishReason::Cancelled:
            return ChatTexts::tr("Stopped.");
        case FinishReason::Error:
            return event.error ? engineText(event.error->what)
                               : ChatTexts::tr("The answer failed.");
    }
    return {};
}

/// Combines the figures of a continued answer: the prompt figures of its beginning and the sums of
/// both parts.
std::optional<TurnRow> totalOf(const std::optional<TurnRow>& begun,
                               const std::optional<TurnRow>& rest) {
    if (!begun || !rest) return rest;
    TurnRow total = *rest;
    total.promptTokens = begun->promptTokens;
    total.reusedTokens = begun->reusedTokens;
    total.firstTokenSeconds = begun->firstTokenSeconds;
    total.prefillSeconds += begun->prefillSeconds;
    total.answerTokens += begun->answerTokens;
    total.decodeSeconds += begun->decodeSeconds;
    total.compactions += begun->compactions;
    total.restoredTokens += begun->restoredTokens;
    return total;
}

/// Adds the main contributor to the prompt length to a "no room" message. The last line is the
/// empty answer.
QString causeOf(const QString& why, const QVector<ChatLine>& lines) {
    if (lines.size() < 2) return why;
    qsizetype all = 0;
    for (const ChatLine& line : lines) all += messageText(line).size();
    const ChatLine& question = lines.at(lines.size() - 2);
    const bool attached = question.attachmentText.size() > all / 2;
    if (!attached && question.text.size() <= all / 2) return why;
    // The engine's own advice applies to the conversation as a whole and is removed.
    static const QRegularExpression advice(QStringLiteral("\\s*[;\uFF1B].*$"));
    const QString facts = asSentence(QString(why).remove(advice)) + QLatin1Char(' ');
    if (!attached) return facts + ChatTexts::tr("Shorten the question or raise the context.");
    const auto largest =
        std::max_element(question.parts.begin(), question.parts.end(),
                         [](const auto& a, const auto& b) { return a.length < b.length; });
    const QString name = largest == question.parts.end() ? question.attachment : largest->name;
    return facts +
           ChatTexts::tr("Shorten or remove \u201c%1\u201d, or raise the context.").arg(name);
}

/// Returns the beginning of an answer as the model wrote it, reasoning included.
std::string begunText(const ChatLine& line, const ThoughtForm& form) {
    std::string text;
    if (!line.thought.text.isEmpty()) {
        if (form.begins != ThoughtStream::Begins::InThought)
            text += std::string(form.marks.begin) + '\n';
        text += fromQt(line.thought.text);
        if (!line.text.isEmpty()) text += '\n' + std::string(form.marks.end) + "\n\n";
    }
    return text + fromQt(line.text);
}

/// Separates the reasoning of a running answer from its text and measures it.
class ThoughtReader {
  public:
    ThoughtReader() : ThoughtReader(ThoughtForm{.begins = ThoughtStream::Begins::InAnswer}) {}
    explicit ThoughtReader(ThoughtForm form, Thought begun = {})
        : m_form(std::move(form)),
          m_stream(m_form.begins, m_form.marks),
          m_begun(begun.text.size()),
          m_thought(std::move(begun)),
          m_secondsBefore(m_thought.seconds) {}

    void read(const TokenText& token) {
        // Text released at the end repeats the index of the previous token.
        const bool fresh = token.index > m_lastIndex;
        m_lastIndex = token.index;
        const bool before = m_stream.inThought();
        std::string text = token.text;
        if (fresh && m_form.markText) text += m_form.markText(token.token);
        take(m_stream.push(text));
        if (fresh && (before || m_stream.inThought())) ++m_thought.tokens;
    }
    void read(const QString& text) { take(m_stream.push(fromQt(text))); }

    /// Returns the answer text read since the last call.
    [[nodiscard]] QString takeText() { return std::exchange(m_text, {}); }
    /// Returns the reasoning read since the last call.
    [[nodiscard]] QString readThought() {
        const QString fresh = m_thought.text.mid(m_begun);
        m_begun = m_thought.text.size();
        return fresh;
    }
    /// True while the model is writing its reasoning.
    [[nodiscard]] bool thinking() const { return m_clock.isValid() && !m_ended; }
    [[nodiscard]] Thought thought() const {
        Thought now = m_thought;
        if (thinking()) now.seconds = m_secondsBefore + elapsed();
        return now;
    }

    /// Ends the answer, whose text follows `begun`. `complete` is all that the model wrote; it
    /// repairs text lost on the way, unless its marks are control tokens, which it lacks.
    QString end(const QString& begun, const QString& shown, const std::string& complete) {
        if (m_form.markText) {
            take(m_stream.finish());
            return shown + takeText();
        }
        ThoughtReader again(m_form);
        again.take(again.m_stream.push(complete));
        again.take(again.m_stream.finish());
        finishThought();
        m_thought.text = m_thoughtBegun + again.m_thought.text;
        return begun + again.m_text;
    }

  private:
    void take(const ThoughtStream::Piece& piece) {
        if (m_stream.inThought() || !piece.thought.empty())
            if (!m_clock.isValid()) m_clock.start();
        m_thought.text += toQt(piece.thought);
        if (!piece.text.empty()) finishThought();
        m_text += toQt(piece.text);
    }
    void finishThought() {
        if (thinking()) m_thought.seconds = m_secondsBefore + elapsed();
        m_ended = true;
    }
    [[nodiscard]] double elapsed() const { return static_cast<double>(m_clock.elapsed()) / 1e3; }

    ThoughtForm m_form;
    ThoughtStream m_stream;
    qsizetype m_begun;  ///< characters of the reasoning that were returned
    Thought m_thought;
    QString m_thoughtBegun = m_thought.text;  ///< reasoning before this turn
    double m_secondsBefore;
    QString m_text;
    std::int64_t m_lastIndex = -1;
    QElapsedTimer m_clock;  ///< runs from the beginning of the reasoning
    bool m_ended = false;   ///< answer text has begun
};

struct Conversation {
    ConversationRecord record;  ///< its lines are unused; they are stored in the model
    std::unique_ptr<ChatModel> model;
    bool linesMissing = false;  ///< true while the lines are only on disk
    bool plain = false;         ///< true if the user has removed the default system prompt
    struct Counted {
        PinnedWords words;
        qint64 tokens = 0, evicted = 0;
    };
    QVector<Counted> counted;  ///< pins as last counted by the engine
    /// A pin change that the engine has not answered: the pins before it and the pins sent.
    struct Asked {
        QVector<PinnedWords> before;
        QVector<PinRow> told;
    };
    std::deque<Asked> asked;
    QVector<PinRow> sentWithTurn;  ///< pins sent with the latest turn

    [[nodiscard]] QVector<PinRow> pins() const {
        QVector<PinRow> rows = pinRows(record.pins, model->lines());
        for (PinRow& row : rows) {
            const auto known =
                std::find_if(counted.begin(), counted.end(),
                             [&](const Counted& one) { return one.words == row.words; });
            if (known == counted.end()) continue;
            row.tokens = known->tokens;
            row.evicted = known->evicted;
        }
        return rows;
    }
};

/// The branch that was deleted last.
struct RemovedBranch {
    qint64 conversation = 0;
    qint64 line = 0;  ///< id of its first line
    QVector<HiddenLine> lines;
};

}  // namespace

struct ChatController::Impl {
    ChatController& owner;
    CommandSink& engine;
    ConversationListModel list;
    std::vector<Conversation> conversations;
    std::optional<Conversation> removed;  ///< conversation that was removed last
    std::optional<RemovedBranch> removedBranch;
    QString standardPrompt;  ///< system prompt of conversations without messages
    std::map<qint64, std::pair<qint64, qint64>> estimates;  ///< (conversation, line) by request
                                                            ///< number
    qint64 lastEstimate = 0;
    /// Ids are unique across runs, because stored conversations keep theirs.
    qint64 nextId = QDateTime::currentMSecsSinceEpoch();
    qint64 currentId = 0;
    /// A requested answer that has not ended.
    struct Answer {
        std::optional<PrefillView> prefill;  ///< set during prefill
        QElapsedTimer prefillClock;
        QString begun;  ///< existing text of an answer that is being continued
        std::optional<TurnRow> begunFigures;  ///< figures of that text
        bool queued = false;                  ///< waits for the model to load
        ThoughtReader reader = {};
        bool dirty = false;  ///< the reader holds text that is not shown yet
    };
    std::map<qint64, Answer> answers;  ///< by conversation id
    std::optional<qint64> againAtEnd;  ///< conversation to regenerate once its answer has ended
    QString modelProblem = ChatController::tr("Load a model first.");
    QString modelName;
    ThoughtForm thoughtForm;
    bool loading = false;  ///< true if modelProblem is temporary because a model is loading
    QString held;          ///< reason for refusing submissions, or empty

    Impl(ChatController& self, CommandSink& host) : owner(self), engine(host) {}

    Conversation* find(qint64 id) {
        const auto at = std::find_if(conversations.begin(), conversations.end(),
                                     [id](const Conversation& c) { return c.record.id == id; });
        return at == conversations.end() ? nullptr : &*at;
    }

    [[nodiscard]] ConversationRow rowOf(const Conversation& conversation) const {
        ConversationRow row;
        row.id = conversation.record.id;
        row.title = conversation.record.title;
        row.messages = conversation.linesMissing ? conversation.record.messages
                                                 : conversation.model->rowCount();
        row.answering = answers.count(row.id) > 0;
        row.changed = conversation.record.changed;
        row.settings = conversation.record.settings;
        row.ownSettings = !conversation.record.ownSettings.isEmpty();
        row.isPrivate = conversation.record.isPrivate;
        return row;
    }

    Conversation& add(ConversationRecord record) {
        Conversation conversation;
        conversation.model = std::make_unique<ChatModel>();
        conversation.linesMissing = record.lines.isEmpty() && record.messages > 0;
        conversation.model->setLines(std::move(record.lines), std::move(record.hidden));
        record.lines.clear();
        record.hidden.clear();
        conversation.record = std::move(record);
        conversations.push_back(std::move(conversation));
        list.prepend(rowOf(conversations.back()));
        return conversations.back();
    }

    [[nodiscard]] Answer* answerOf(qint64 conversation) {
        const auto at = answers.find(conversation);
        return at == answers.end() ? nullptr : &at->second;
    }

    /// Returns the reason why nothing can be sent to the engine; empty if something can.
    [[nodiscard]] QString busyReason() const {
        return modelProblem.isEmpty() ? owner.submitBlocker() : modelProblem;
    }

    /// Returns the user message to the input field.
    void takeQuestionBack(Conversation& conversation) {
        const qint64 id = conversation.record.id;
        conversation.model->removeLast();
        const ChatLine question = conversation.model->lines().back();
        conversation.model->removeLast();
        conversation.model->showNewestSuccessor();  // Restores the branch that the message would
                                                    // have replaced.
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(id);
        Q_EMIT owner.stateChanged();
        Q_EMIT owner.questionReturned(
            {question.text, question.attachment, question.attachmentText, question.parts});
    }

    /// In other conversations than the current one, the unsent message stays.
    void takeQueuedBack(qint64 id) {
        answers.erase(id);
        Conversation* conversation = find(id);
        if (conversation == nullptr) return;
        if (id == currentId) return takeQuestionBack(*conversation);
        conversation->model->finishLast(LineState::Failed,
                                        ChatController::tr("Not sent: the model was not loaded."),
                                        std::nullopt);
        list.update(rowOf(*conversation));
        Q_EMIT owner.conversationTouched(id);
        Q_EMIT owner.stateChanged();
    }

    [[nodiscard]] std::vector<qint64> queued() const {
        std::vector<qint64> ids;
        for (const auto& [id, answer] : answers)
            if (answer.queued) ids.push_back(id);
        return ids;
    }

    void requeue(int row, std::optional<BringBackMode> bringBack) {
        if (!owner.regenerateBlocker(row).isEmpty()) return;
        Conversation& conversation = *find(currentId);
        ChatModel& model = *conversation.model;
        // An empty answer is not worth keeping as a branch.
        if (row + 1 == model.rowCount() && model.line(row).text.isEmpty())
            model.removeLast();
        else
            model.hideFrom(row);
        ask(conversation, bringBack);
    }

    void ask(Conversation& conversation, std::optional<BringBackMode> bringBack = std::nullopt) {
        std::vector<ChatMessage> messages = messagesOf(conversation.model->lines());
        ChatLine answer;
        answer.speaker = MessageRole::Model;
        answer.state = LineState::Waiting;
        conversation.model->append(std::move(answer));
        if (loading) return queue(conversation);
        send(conversation, std::move(messages), newAnswer(), bringBack);
    }

    [[nodiscard]] Answer newAnswer() const {
        Answer answer;
        answer.reader = ThoughtReader(thoughtForm);
        return answer;
    }

    void queue(Conversation& conversation) {
        Answer answer;
        answer.queued = true;
        answers.insert_or_assign(conversation.record.id, std::move(answer));
        conversation.model->finishLast(
            LineState::Waiting, ChatController::tr("Sent once the model is loaded."), std::nullopt);
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(conversation.record.id);
        Q_EMIT owner.stateChanged();
    }

    /// Continues the answer in the last line.
    void runSlice(Conversation& conversation) {
        const ChatLine last = conversation.model->lines().back();
        ThoughtForm form = thoughtForm;
        if (!last.text.isEmpty())
            form.begins = ThoughtStream::Begins::InAnswer;
        else if (!last.thought.text.isEmpty())
            form.begins = ThoughtStream::Begins::InThought;
        Answer answer;
        answer.begun = last.text;
        answer.begunFigures = last.figures;
        answer.reader = ThoughtReader(std::move(form), last.thought);
        conversation.model->reopenLast();
        std::vector<ChatMessage> messages = messagesOf(linesBefore(conversation));
        messages.push_back({"assistant", begunText(last, thoughtForm)});
        send(conversation, std::move(messages), std::move(answer));
    }

    void send(Conversation& conversation, std::vector<ChatMessage> messages, Answer answer,
              std::optional<BringBackMode> bringBack = std::nullopt) {
        answers.insert_or_assign(conversation.record.id, std::move(answer));
        conversation.model->noteModel(modelName);
        const ChatLine& last = conversation.model->lines().back();
        const auto ahead = static_cast<std::int64_t>(
            last.text.isEmpty() ? 0 : messages.back().content.size() - fromQt(last.text).size());
        Submit question{ConversationId(conversation.record.id), std::move(messages), {}};
        question.bringBack = bringBack;
        question.prefix.shared = !conversation.record.isPrivate;
        conversation.sentWithTurn = conversation.pins();
        question.pins = textPins(conversation.sentWithTurn, conversation.model->lines());
        // A continued answer is sent with its reasoning ahead.
        for (TextPin& pin : question.pins) {
            if (pin.message + 1 != static_cast<std::int64_t>(question.messages.size())) continue;
            pin.first += ahead;
            pin.last += ahead;
        }
        engine.send(std::move(question));
        conversation.record.changed = QDateTime::currentMSecsSinceEpoch();
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(conversation.record.id);
        Q_EMIT owner.stateChanged();
    }

    /// Publishes a change of the current conversation's lines.
    void linesChanged(Conversation& conversation) {
        conversation.record.changed = QDateTime::currentMSecsSinceEpoch();
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(conversation.record.id);
        Q_EMIT owner.stateChanged();
        Q_EMIT owner.pinsChanged(conversation.record.id);
    }

    /// Returns the lines without the last one.
    [[nodiscard]] static QVector<ChatLine> linesBefore(const Conversation& conversation) {
        QVector<ChatLine> lines = conversation.model->lines();
        if (!lines.isEmpty()) lines.removeLast();
        return lines;
    }

    /// Returns the lines without an answer that is still being written.
    [[nodiscard]] QVector<ChatLine> linesSaid(const Conversation& conversation) const {
        return answers.count(conversation.record.id) > 0 ? linesBefore(conversation)
                                                         : conversation.model->lines();
    }

    /// Shows what the reader of a running answer holds.
    void show(Conversation& conversation, Answer& answer) {
        answer.dirty = false;
        if (std::exchange(answer.prefill, std::nullopt)) Q_EMIT owner.prefillChanged();
        const QString text = answer.reader.takeText();
        const QString thought = answer.reader.readThought();
        const Thought whole = answer.reader.thought();
        if (!thought.isEmpty() || (answer.reader.thinking() && text.isEmpty()))
            conversation.model->appendThought(thought, whole.seconds, whole.tokens);
        if (!text.isEmpty() || thought.isEmpty()) conversation.model->appendText(text);
        Q_EMIT owner.conversationTouched(conversation.record.id);
    }

    void setPins(Conversation& conversation, QVector<PinnedWords> pins) {
        if (conversation.record.pins == pins) return;
        Conversation::Asked asked{std::exchange(conversation.record.pins, std::move(pins)), {}};
        Q_EMIT owner.conversationTouched(conversation.record.id);
        if (modelProblem.isEmpty()) {
            const QVector<ChatLine> said = linesSaid(conversation);
            asked.told = pinRows(conversation.record.pins, said);
            PinText told{ConversationId(conversation.record.id), messagesOf(said),
                         textPins(asked.told, said)};
            conversation.asked.push_back(std::move(asked));
            engine.send(std::move(told));
        }
        Q_EMIT owner.pinsChanged(conversation.record.id);
    }
};

/// Returns true if the turn was refused before prefill, so the message can be withdrawn.
bool refusedForRoom(const TurnFinished& event) {
    return event.reason == FinishReason::Error && event.error && event.text.empty() &&
           event.error->code == ErrorCode::ContextFull;
}

ChatController::ChatController(CommandSink& engine, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, engine)) {
    newConversation();
}

ChatController::~ChatController() = default;

ConversationListModel& ChatController::conversations() {
    return m_impl->list;
}

qint64 ChatController::current() const {
    return m_impl->currentId;
}

ChatModel& ChatController::currentModel() {
    return *m_impl->find(m_impl->currentId)->model;
}

QString ChatController::title(qint64 conversation) const {
    const Conversation* found = m_impl->find(conversation);
    return found == nullptr ? QString() : found->record.title;
}

ConversationRecord ChatController::record(qint64 conversation) const {
    const Conversation* found = m_impl->find(conversation);
    if (found == nullptr) return {};
    ConversationRecord record = found->record;
    record.lines = found->model->lines();
    record.hidden = found->model->hidden();
    if (!found->linesMissing) record.messages = static_cast<int>(record.lines.size());
    return record;
}

void ChatController::setOwnSettings(qint64 conversation, const QMap<QString, QString>& settings) {
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || found->record.ownSettings == settings) return;
    found->record.ownSettings = settings;
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT conversationTouched(conversation);
}

void ChatController::setPrivate(qint64 conversation, bool isPrivate) {
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || found->record.isPrivate == isPrivate) return;
    found->record.isPrivate = isPrivate;
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT conversationTouched(conversation);
}

bool ChatController::answering() const {
    return answering(m_impl->currentId);
}

bool ChatController::answering(qint64 conversation) const {
    return m_impl->answerOf(conversation) != nullptr;
}

bool ChatController::anyAnswering() const {
    return !m_impl->answers.empty();
}

QVector<qint64> ChatController::otherAnswering() const {
    QVector<qint64> others;
    for (const auto& [id, answer] : m_impl->answers)
        if (id != m_impl->currentId) others << id;
    return others;
}

bool ChatController::isEmpty() const {
    return m_impl->find(m_impl->currentId)->model->isEmpty();
}

std::vector<ChatMessage> ChatController::messages() const {
    return messagesOf(m_impl->find(m_impl->currentId)->model->lines());
}

std::optional<PrefillView> ChatController::prefill() const {
    const Impl::Answer* answer = m_impl->answerOf(m_impl->currentId);
    return answer == nullptr ? std::nullopt : answer->prefill;
}

QString ChatController::submitBlocker() const {
    if (!m_impl->modelProblem.isEmpty() && !m_impl->loading) return m_impl->modelProblem;
    if (!m_impl->held.isEmpty()) return m_impl->held;
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (m_impl->find(m_impl->currentId)->linesMissing)
        return tr("This conversation is being read from disk.");
    return {};
}

int ChatController::lastQuestionRow() const {
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    qsizetype row = lines.size() - 1;
    while (row >= 0 && lines[row].speaker != MessageRole::Person) --row;
    return static_cast<int>(row);
}

QString ChatController::branchBlocker() const {
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (m_impl->find(m_impl->currentId)->linesMissing)
        return tr("This conversation is being read from disk.");
    return {};
}

QString ChatController::editBlocker(int row) const {
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    if (row < 0 || row >= lines.size()) return tr("There is no question yet.");
    switch (lines[row].speaker) {
        case MessageRole::System:
            return tr("The system prompt is edited in its own window.");
        case MessageRole::Person:
            return m_impl->busyReason();
        case MessageRole::Model:
            return branchBlocker();
    }
    return {};
}

QString ChatController::regenerateBlocker(int row) const {
    if (QString reason = m_impl->busyReason(); !reason.isEmpty()) return reason;
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    const bool answer = row > 0 && row < lines.size() && lines[row].speaker == MessageRole::Model &&
                        lines[row - 1].speaker == MessageRole::Person;
    return answer ? QString() : tr("There is no answer yet.");
}

bool ChatController::canRegenerate() const {
    if (!m_impl->busyReason().isEmpty()) return false;
    const Conversation* conversation = m_impl->find(m_impl->currentId);
    const auto& lines = conversation->model->lines();
    return lines.size() >= 2 && lines.back().speaker == MessageRole::Model;
}

QString ChatController::continueBlocker() const {
    if (QString reason = m_impl->busyReason(); !reason.isEmpty()) return reason;
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    if (lines.isEmpty() || lines.back().speaker != MessageRole::Model)
        return tr("There is no answer yet.");
    if (lines.back().state == LineState::Done) return tr("The answer is complete.");
    if (m_impl->thoughtForm.begins == ThoughtStream::Begins::Channels)
        return tr("Answers of this model cannot be continued. Regenerate it instead.");
    if (lines.back().text.isEmpty() && lines.back().thought.text.isEmpty())
        return tr("The answer is still empty. Regenerate it instead.");
    return {};
}

QString ChatController::systemPrompt() const {
    const Conversation& here = *m_impl->find(m_impl->currentId);
    const bool begins = here.model->isEmpty() && !here.linesMissing && !here.plain;
    return begins ? m_impl->standardPrompt : here.model->systemPrompt();
}

QString ChatController::systemPromptBlocker() const {
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (m_impl->find(m_impl->currentId)->linesMissing)
        return tr("This conversation is being read from disk.");
    return {};
}

void ChatController::setSystemPrompt(const QString& text) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (!systemPromptBlocker().isEmpty() || text.trimmed() == systemPrompt()) return;
    conversation.plain = text.trimmed().isEmpty();
    conversation.model->setSystemPrompt(text.trimmed());
    conversation.record.changed = QDateTime::currentMSecsSinceEpoch();
    m_impl->list.update(m_impl->rowOf(conversation));
    Q_EMIT conversationTouched(conversation.record.id);
    Q_EMIT stateChanged();
}

void ChatController::setDefaultPrompt(const QString& text) {
    m_impl->standardPrompt = text;
}

qint64 ChatController::newConversation() {
    // An empty conversation is reused.
    if (Conversation* here = m_impl->find(m_impl->currentId);
        here != nullptr && here->model->isEmpty() && !here->linesMissing) {
        return here->record.id;
    }
    ConversationRecord record;
    record.id = m_impl->nextId++;
    record.title = tr("New conversation");
    const qint64 id = m_impl->add(std::move(record)).record.id;
    select(id);
    return id;
}

void ChatController::select(qint64 conversation) {
    const Conversation* found = m_impl->find(conversation);
    if (conversation == m_impl->currentId || found == nullptr) return;
    m_impl->currentId = conversation;
    if (found->linesMissing) Q_EMIT linesRequested(conversation);
    Q_EMIT currentChanged();
    Q_EMIT stateChanged();
    Q_EMIT prefillChanged();
}

void ChatController::rename(qint64 conversation, const QString& title) {
    Conversation* found = m_impl->find(conversation);
    const QString clean = title.simplified();
    if (found == nullptr || clean.isEmpty()) return;
    found->record.title = clean;
    found->record.titleChosen = true;
    found->record.changed = QDateTime::currentMSecsSinceEpoch();
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT titleChanged(conversation);
    Q_EMIT conversationTouched(conversation);
}

void ChatController::remove(qint64 conversation) {
    auto& all = m_impl->conversations;
    const auto at = std::find_if(
        all.begin(), all.end(), [&](const Conversation& c) { return c.record.id == conversation; });
    if (at == all.end()) return;
    if (const auto answer = m_impl->answers.extract(conversation); !answer.empty()) {
        // A cancel would also abort the loading that a queued submission waits for.
        if (!answer.mapped().queued) m_impl->engine.send(CancelTurn{ConversationId(conversation)});
        at->model->finishLast(LineState::Stopped, tr("Stopped."), std::nullopt);
    }
    m_impl->engine.send(ReleaseConversation{ConversationId(conversation)});
    m_impl->list.remove(conversation);
    // A view may still use its model, which is kept until the next removal.
    const bool empty = at->model->isEmpty() && !at->linesMissing;
    std::optional<Conversation> leaving(std::move(*at));
    all.erase(at);
    if (m_impl->currentId == conversation) {
        m_impl->currentId = 0;
        if (all.empty()) {
            newConversation();
        } else {
            select(all.back().record.id);
        }
    }
    if (!empty) std::swap(m_impl->removed, leaving);
    Q_EMIT cacheReleased(conversation);
    Q_EMIT conversationRemoved(conversation);
    Q_EMIT stateChanged();
}

void ChatController::undoRemove() {
    if (!m_impl->removed) return;
    Conversation back = std::move(*std::exchange(m_impl->removed, std::nullopt));
    const qint64 id = back.record.id;
    m_impl->conversations.push_back(std::move(back));
    m_impl->list.prepend(m_impl->rowOf(m_impl->conversations.back()));
    Q_EMIT conversationRestored(id);
    select(id);
}

bool ChatController::canUndoRemove() const {
    return m_impl->removed.has_value();
}

void ChatController::fill(qint64 conversation, const QVector<ChatLine>& lines,
                          const QVector<HiddenLine>& hidden) {
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || !found->linesMissing) return;
    found->linesMissing = false;
    found->model->setLines(lines, hidden);
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT stateChanged();
    Q_EMIT pinsChanged(conversation);
}

void ChatController::restore(const QVector<ConversationRecord>& records) {
    if (records.isEmpty()) return;
    const qint64 fresh = m_impl->currentId;
    Conversation* first = m_impl->find(fresh);
    const bool dropFresh = first != nullptr && first->model->isEmpty();
    qint64 last = fresh;
    for (const ConversationRecord& record : records) {
        last = m_impl->add(record).record.id;
    }
    if (!dropFresh) return;
    select(last);
    remove(fresh);
}

void ChatController::submit(const PromptDraft& draft) {
    if (draft.isEmpty() || !submitBlocker().isEmpty()) return;
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    const auto& lines = conversation.model->lines();
    const bool first = std::none_of(lines.begin(), lines.end(), [](const ChatLine& line) {
        return line.speaker == MessageRole::Person;
    });
    if (first && !conversation.record.titleChosen) {
        conversation.record.title = titleFrom(draft);
        Q_EMIT titleChanged(conversation.record.id);
    }
    if (lines.isEmpty()) conversation.model->setSystemPrompt(systemPrompt());
    ChatLine question;
    question.speaker = MessageRole::Person;
    question.text = draft.text.trimmed();
    question.attachment = draft.attachmentName;
    question.attachmentText = draft.attachmentText;
    question.parts = draft.parts;
    conversation.model->append(std::move(question));
    m_impl->ask(conversation);
}

bool ChatController::queued() const {
    const Impl::Answer* answer = m_impl->answerOf(m_impl->currentId);
    return answer != nullptr && answer->queued;
}

void ChatController::stop() {
    if (queued())
        m_impl->takeQueuedBack(m_impl->currentId);
    else if (answering())
        m_impl->engine.send(CancelTurn{ConversationId(m_impl->currentId)});
}

void ChatController::stopCompaction() {
    m_impl->engine.send(CancelTurn{ConversationId(m_impl->currentId)});
}

PromptDraft ChatController::draftOf(int row) const {
    const ChatLine& line = m_impl->find(m_impl->currentId)->model->line(row);
    return {line.text, line.attachment, line.attachmentText, line.parts};
}

void ChatController::edit(int row, const PromptDraft& draft) {
    if (draft.isEmpty() || !editBlocker(row).isEmpty()) return;
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    const ChatLine before = conversation.model->line(row);
    if (before.text == draft.text.trimmed() && before.attachmentText == draft.attachmentText)
        return;
    conversation.model->hideFrom(row);
    if (before.speaker == MessageRole::Person) return submit(draft);
    ChatLine answer;
    answer.speaker = MessageRole::Model;
    answer.model = before.model;
    answer.thought = before.thought;
    answer.text = draft.text.trimmed();
    answer.state = LineState::Stopped;
    answer.problem = tr("Edited by you. Continue adds to its end.");
    conversation.model->append(std::move(answer));
    m_impl->linesChanged(conversation);
}

void ChatController::regenerate() {
    regenerate(m_impl->find(m_impl->currentId)->model->rowCount() - 1);
}

void ChatController::regenerate(int row) {
    m_impl->requeue(row, std::nullopt);
}

void ChatController::regenerateRestored() {
    const int last = m_impl->find(m_impl->currentId)->model->rowCount() - 1;
    if (!answering()) return m_impl->requeue(last, BringBackMode::Auto);
    m_impl->againAtEnd = m_impl->currentId;
    stop();
}

void ChatController::showBranch(int row, int number) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (!branchBlocker().isEmpty() || conversation.model->branchAt(row).number == number) return;
    conversation.model->showBranch(row, number);
    m_impl->linesChanged(conversation);
    estimateRereading(conversation.model->rowCount() - 1);
}

bool ChatController::showLine(qint64 line) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (!branchBlocker().isEmpty()) return false;
    const qsizetype before = conversation.model->hidden().size();
    const qint64 last = conversation.model->isEmpty() ? 0 : conversation.model->lines().back().id;
    if (!conversation.model->showLine(line)) return false;
    if (before != conversation.model->hidden().size() ||
        last != conversation.model->lines().back().id)
        m_impl->linesChanged(conversation);
    return true;
}

void ChatController::removeBranch(int row) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (!branchBlocker().isEmpty() || conversation.model->branchAt(row).count < 2) return;
    const qint64 line = conversation.model->line(row).id;
    m_impl->removedBranch =
        RemovedBranch{conversation.record.id, line, conversation.model->removeBranchAt(row)};
    m_impl->linesChanged(conversation);
}

void ChatController::undoRemoveBranch() {
    if (!canUndoRemoveBranch()) return;
    const RemovedBranch back = *std::exchange(m_impl->removedBranch, std::nullopt);
    select(back.conversation);
    Conversation& conversation = *m_impl->find(back.conversation);
    conversation.model->releaseBranch(back.lines, back.line);
    m_impl->linesChanged(conversation);
}

bool ChatController::canUndoRemoveBranch() const {
    return m_impl->removedBranch && !answering(m_impl->removedBranch->conversation) &&
           m_impl->find(m_impl->removedBranch->conversation) != nullptr;
}

void ChatController::estimateRereading(int row) {
    const Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (row < 0 || row >= conversation.model->rowCount() || !m_impl->modelProblem.isEmpty()) return;
    QVector<ChatLine> lines = conversation.model->lines();
    const qint64 line = lines[row].id;
    lines.resize(lines[row].speaker == MessageRole::Model ? row : row + 1);
    if (lines.isEmpty()) return;
    EstimateReading asked{ConversationId(conversation.record.id), messagesOf(lines)};
    asked.prefix.shared = !conversation.record.isPrivate;
    asked.request = ++m_impl->lastEstimate;
    m_impl->estimates[asked.request] = {conversation.record.id, line};
    m_impl->engine.send(std::move(asked));
}

QVector<PinRow> ChatController::pins() const {
    return m_impl->find(m_impl->currentId)->pins();
}

void ChatController::pin(const PinnedWords& words) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    m_impl->setPins(conversation, withPin(conversation.record.pins, words));
}

void ChatController::unpin(const PinnedWords& words) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    m_impl->setPins(conversation, withoutPin(conversation.record.pins, words));
}

void ChatController::unpinAll() {
    m_impl->setPins(*m_impl->find(m_impl->currentId), {});
}

void ChatController::continueAnswer() {
    if (continueBlocker().isEmpty()) m_impl->runSlice(*m_impl->find(m_impl->currentId));
}

qint64 ChatController::continueWithNewerHalf() {
    const Conversation& here = *m_impl->find(m_impl->currentId);
    const QVector<ChatLine>& lines = here.model->lines();
    ConversationRecord record;
    record.id = m_impl->nextId++;
    record.title = tr("%1 (continued)").arg(here.record.title);
    record.titleChosen = true;
    record.isPrivate = here.record.isPrivate;
    if (!here.model->systemPrompt().isEmpty()) record.lines.push_back(lines.front());
    // Start at a user message, because a template may reject a leading answer.
    qsizetype from = (lines.size() + 1) / 2;
    while (from < lines.size() && lines[from].speaker != MessageRole::Person) ++from;
    for (; from < lines.size(); ++from) {
        record.lines.push_back(lines[from]);
        record.lines.back().figures.reset();
        for (const PinnedWords& pin : here.record.pins)
            if (pin.line == lines[from].id) record.pins.push_back(pin);
    }
    record.messages = static_cast<int>(record.lines.size());
    record.changed = QDateTime::currentMSecsSinceEpoch();
    const qint64 id = m_impl->add(std::move(record)).record.id;
    Q_EMIT conversationTouched(id);
    select(id);
    return id;
}

void ChatController::compactNow() {
    m_impl->engine.send(CompactNow{ConversationId(m_impl->currentId)});
    Q_EMIT compactionRequested(m_impl->currentId);
}

void ChatController::bringBack(qint64 first, qint64 count) {
    m_impl->engine.send(BringBack{ConversationId(m_impl->currentId), first, count});
}

void ChatController::releaseCache() {
    m_impl->engine.send(ReleaseConversation{ConversationId(m_impl->currentId)});
    Q_EMIT cacheReleased(m_impl->currentId);
}

void ChatController::requestRetention() {
    m_impl->engine.send(RequestRetention{ConversationId(m_impl->currentId)});
}

void ChatController::setModelProblem(const QString& reason, bool loading) {
    if (m_impl->modelProblem == reason && m_impl->loading == loading) return;
    m_impl->modelProblem = reason;
    m_impl->loading = loading;
    Q_EMIT stateChanged();
}

void ChatController::setModelName(const QString& name) {
    m_impl->modelName = name;
}

void ChatController::setThoughtForm(ThoughtForm form) {
    m_impl->thoughtForm = std::move(form);
}

void ChatController::sendQueued() {
    for (const qint64 id : m_impl->queued()) {
        Conversation* conversation = m_impl->find(id);
        if (conversation == nullptr) continue;
        std::vector<ChatMessage> messages = messagesOf(m_impl->linesSaid(*conversation));
        conversation->model->reopenLast();
        m_impl->send(*conversation, std::move(messages), m_impl->newAnswer());
    }
}

void ChatController::returnQueued() {
    for (const qint64 id : m_impl->queued()) m_impl->takeQueuedBack(id);
}

void ChatController::hold(const QString& reason) {
    if (m_impl->held == reason) return;
    m_impl->held = reason;
    Q_EMIT stateChanged();
}

void ChatController::onTurnStarted(const TurnStarted& event) {
    if (Conversation* found = m_impl->find(event.conversation.value))
        found->record.settings = settingsText(event.config);
    Impl::Answer* answer = m_impl->answerOf(event.conversation.value);
    if (answer == nullptr) return;
    PrefillView view;
    view.conversation = event.conversation.value;
    view.total = event.promptTokens;
    view.reused = view.done = event.reusedTokens;
    answer->prefill = view;
    answer->prefillClock.start();
    Q_EMIT prefillChanged();
}

void ChatController::onPrefill(const PrefillProgress& event) {
    Impl::Answer* answer = m_impl->answerOf(event.conversation.value);
    if (answer == nullptr) return;
    PrefillView view;
    view.conversation = event.conversation.value;
    view.done = event.done;
    view.total = event.total;
    view.reused = event.reused;
    const double seconds = static_cast<double>(answer->prefillClock.elapsed()) / 1e3;
    const qint64 computed = view.done - view.reused;
    if (seconds > 0 && computed > 0) {
        view.tokensPerSecond = static_cast<double>(computed) / seconds;
        view.secondsLeft = static_cast<double>(view.total - view.done) / view.tokensPerSecond;
    }
    answer->prefill = view;
    Q_EMIT prefillChanged();
}

void ChatController::onText(const TokenText& event) {
    Impl::Answer* answer = m_impl->answerOf(event.conversation.value);
    if (answer == nullptr) return;
    answer->reader.read(event);
    answer->dirty = true;
}

void ChatController::flushText() {
    for (auto& [id, answer] : m_impl->answers)
        if (Conversation* found = m_impl->find(id); found != nullptr && answer.dirty)
            m_impl->show(*found, answer);
}

void ChatController::onText(qint64 conversation, const QString& text) {
    Impl::Answer* answer = m_impl->answerOf(conversation);
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || answer == nullptr) return;
    answer->reader.read(text);
    m_impl->show(*found, *answer);
}

void ChatController::onTurnFinished(const TurnFinished& event,
                                    const std::optional<TurnRow>& figures) {
    const qint64 id = event.conversation.value;
    const auto answer = m_impl->answers.extract(id);
    const bool expected = !answer.empty();
    Q_EMIT prefillChanged();
    Conversation* found = m_impl->find(id);
    if (found == nullptr || !expected) return;
    const QString begun = answer.mapped().begun;
    ThoughtReader& reader = answer.mapped().reader;
    if (refusedForRoom(event) && id == m_impl->currentId && begun.isEmpty()) {
        const QString cause =
            causeOf(asSentence(engineText(event.error->what)), found->model->lines());
        m_impl->takeQuestionBack(*found);
        Q_EMIT contextFull(id, cause);
        return;
    }
    const QString text = reader.end(begun, found->model->lines().back().text, event.text);
    found->model->replaceLastText(text, reader.thought());
    found->model->finishLast(stateOf(event.reason), problemOf(event),
                             totalOf(answer.mapped().begunFigures, figures));
    found->record.changed = QDateTime::currentMSecsSinceEpoch();
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT conversationTouched(id);
    Q_EMIT stateChanged();
    Q_EMIT answerFinished(id);
    if (m_impl->againAtEnd == id) {
        m_impl->againAtEnd.reset();
        if (id == m_impl->currentId)
            return m_impl->requeue(found->model->rowCount() - 1, BringBackMode::Auto);
    }
    if (event.reason == FinishReason::ContextFull || refusedForRoom(event))
        Q_EMIT contextFull(id, asSentence(problemOf(event)));
}

void ChatController::onPinned(const TextPinned& event) {
    Conversation* found = m_impl->find(event.conversation.value);
    if (found == nullptr) return;
    QVector<PinRow> told = found->sentWithTurn;
    if (event.asked) {
        if (found->asked.empty()) return;
        Conversation::Asked asked = std::move(found->asked.front());
        found->asked.pop_front();
        told = std::move(asked.told);
        if (event.error) {
            found->record.pins = std::move(asked.before);
            Q_EMIT conversationTouched(found->record.id);
            Q_EMIT pinsChanged(found->record.id);
        }
    }
    if (event.error) {
        Q_EMIT pinRefused(engineText(event.error->what));
        return;
    }
    found->counted.clear();
    const PinnedTokens* lost = nullptr;
    const auto count =
        std::min<std::size_t>(event.pins.size(), static_cast<std::size_t>(told.size()));
    for (std::size_t i = 0; i < count; ++i) {
        const PinnedTokens& pin = event.pins[i];
        found->counted.push_back({told[static_cast<qsizetype>(i)].words, pin.count, pin.evicted});
        if (pin.evicted > 0) lost = &pin;
    }
    Q_EMIT pinsChanged(found->record.id);
    if (event.asked && lost != nullptr && found->record.id == m_impl->currentId)
        Q_EMIT pinnedEvicted(lost->evicted, lost->first, lost->count);
}

void ChatController::onEstimated(const ReadingEstimated& event) {
    const auto asked = m_impl->estimates.extract(event.request);
    if (asked.empty() || event.error) return;
    const auto [conversation, line] = asked.mapped();
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr) return;
    found->model->noteAskingAgain(line, event.readTokens);
    if (conversation == m_impl->currentId) Q_EMIT rereadingEstimated(line, event.readTokens);
}

}  // namespace lacuna::app
