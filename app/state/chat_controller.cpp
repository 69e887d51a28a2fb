#include "app/state/chat_controller.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QString>
#include <QVector>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/chat_model.h"
#include "app/state/conversation_database.h"
#include "app/state/engine_host.h"
#include "app/state/engine_text.h"
#include "app/state/view_rows.h"
#include "engine/session/event.h"

namespace lacuna::app {

namespace {

// Lines of the chat to messages for the model, and the end of an answer to words.

constexpr int kTitleCharacters = 42;

struct ChatTexts {
    Q_DECLARE_TR_FUNCTIONS(ChatMessages)
};

std::string roleOf(Speaker speaker) {
    switch (speaker) {
        case Speaker::System:
            return "system";
        case Speaker::Person:
            return "user";
        case Speaker::Model:
            return "assistant";
    }
    return "user";
}

/// The first words of a question, or the name of what was attached.
QString titleFrom(const PromptDraft& draft) {
    QString title = draft.text.simplified();
    if (title.isEmpty()) title = draft.attachmentName;
    if (title.size() <= kTitleCharacters) return title;
    const qsizetype space = title.lastIndexOf(QLatin1Char(' '), kTitleCharacters);
    return title.left(space > kTitleCharacters / 2 ? space : kTitleCharacters) + QChar(0x2026);
}

/// Answers that never got a word are left out; models are not trained on empty ones.
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

/// Why an answer ended early, as a sentence; empty: it came to its end.
QString problemOf(const TurnFinished& event) {
    switch (event.reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return {};
        case FinishReason::Length:
            return ChatTexts::tr(
                "Ended at the longest answer allowed. Raise \"Longest answer\" to get more.");
        case FinishReason::ContextFull:
            return ChatTexts::tr(
                "Ended because the context is full. Let it go on without the older half (context "
                "shift), raise the context, or start a new conversation.");
        case FinishReason::Cancelled:
            return ChatTexts::tr("Stopped.");
        case FinishReason::Error:
            return event.error ? engineText(event.error->what)
                               : ChatTexts::tr("The answer failed.");
    }
    return {};
}

struct Conversation {
    ConversationRecord record;  ///< lines unused: the model holds them
    std::unique_ptr<ChatModel> model;
    bool linesMissing = false;  ///< still on disk only
};

}  // namespace

struct ChatController::Impl {
    ChatController& owner;
    EngineHost& engine;
    ConversationListModel list;
    std::vector<Conversation> conversations;
    std::optional<Conversation> removed;  ///< the last one, until the next
    /// Ids stay unique over the runs of the program, since stored conversations keep theirs.
    qint64 nextId = QDateTime::currentMSecsSinceEpoch();
    qint64 currentId = 0;
    /// An answer that was asked for and has not ended.
    struct Answer {
        std::optional<PrefillView> prefill;  ///< while the prompt is read
        QElapsedTimer prefillClock;
        QString begun;  ///< what stood there already, of one that is gone on with
    };
    std::map<qint64, Answer> answers;  ///< by conversation
    std::optional<qint64> againAtEnd;  ///< conversation whose answer is asked for again at its end
    QString modelProblem = ChatController::tr("Load a model first.");
    QString held;  ///< why no question is taken for now

    Impl(ChatController& self, EngineHost& host) : owner(self), engine(host) {}

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
        conversation.model->setLines(std::move(record.lines));
        record.lines.clear();
        conversation.record = std::move(record);
        conversations.push_back(std::move(conversation));
        list.prepend(rowOf(conversations.back()));
        return conversations.back();
    }

    [[nodiscard]] Answer* answerOf(qint64 conversation) {
        const auto at = answers.find(conversation);
        return at == answers.end() ? nullptr : &at->second;
    }

    /// The text goes back to where it can be shortened.
    void takeQuestionBack(Conversation& conversation, const QString& why) {
        const qint64 id = conversation.record.id;
        conversation.model->removeLast();
        const ChatLine question = conversation.model->lines().back();
        conversation.model->removeLast();
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(id);
        Q_EMIT owner.stateChanged();
        Q_EMIT owner.questionReturned(
            {question.text, question.attachment, question.attachmentText});
        Q_EMIT owner.contextFull(id, why);
    }

    void askAgain(std::optional<BringBackMode> bringBack) {
        if (!owner.canRegenerate()) return;
        Conversation& conversation = *find(currentId);
        conversation.model->removeLast();
        ask(conversation, bringBack);
    }

    void ask(Conversation& conversation, std::optional<BringBackMode> bringBack = std::nullopt) {
        std::vector<ChatMessage> messages = messagesOf(conversation.model->lines());
        ChatLine answer;
        answer.speaker = Speaker::Model;
        answer.state = LineState::Waiting;
        conversation.model->append(std::move(answer));
        send(conversation, std::move(messages), Answer{}, bringBack);
    }

    /// The last message is the beginning of the answer.
    void goOn(Conversation& conversation) {
        Answer answer;
        answer.begun = conversation.model->lines().back().text;
        conversation.model->reopenLast();
        send(conversation, messagesOf(conversation.model->lines()), std::move(answer));
    }

    void send(Conversation& conversation, std::vector<ChatMessage> messages, Answer answer,
              std::optional<BringBackMode> bringBack = std::nullopt) {
        answers.insert_or_assign(conversation.record.id, std::move(answer));
        Submit question{ConversationId(conversation.record.id), std::move(messages), {}};
        question.bringBack = bringBack;
        question.prefix.shared = !conversation.record.isPrivate;
        engine.send(std::move(question));
        conversation.record.changed = QDateTime::currentMSecsSinceEpoch();
        list.update(rowOf(conversation));
        Q_EMIT owner.conversationTouched(conversation.record.id);
        Q_EMIT owner.stateChanged();
    }
};

/// Nothing of it was read, so that nothing of it need stay.
bool refusedForRoom(const TurnFinished& event) {
    return event.reason == FinishReason::Error && event.error && event.text.empty() &&
           event.error->code == ErrorCode::ContextFull;
}

ChatController::ChatController(EngineHost& engine, QObject* parent)
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

QString ChatController::whyNoSubmit() const {
    if (!m_impl->modelProblem.isEmpty()) return m_impl->modelProblem;
    if (!m_impl->held.isEmpty()) return m_impl->held;
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (m_impl->find(m_impl->currentId)->linesMissing)
        return tr("This conversation is being read from disk.");
    return {};
}

bool ChatController::canRegenerate() const {
    if (!whyNoSubmit().isEmpty()) return false;
    const Conversation* conversation = m_impl->find(m_impl->currentId);
    const auto& lines = conversation->model->lines();
    return lines.size() >= 2 && lines.back().speaker == Speaker::Model;
}

QString ChatController::whyNoContinue() const {
    if (QString reason = whyNoSubmit(); !reason.isEmpty()) return reason;
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    if (lines.isEmpty() || lines.back().speaker != Speaker::Model)
        return tr("There is no answer yet.");
    if (lines.back().state == LineState::Done) return tr("The answer came to its end.");
    if (lines.back().text.isEmpty()) return tr("The answer has no words yet: answer again.");
    return {};
}

QString ChatController::systemPrompt() const {
    return m_impl->find(m_impl->currentId)->model->systemPrompt();
}

QString ChatController::whyNoSystemPrompt() const {
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (m_impl->find(m_impl->currentId)->linesMissing)
        return tr("This conversation is being read from disk.");
    return {};
}

void ChatController::setSystemPrompt(const QString& text) {
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    if (!whyNoSystemPrompt().isEmpty() || text.trimmed() == systemPrompt()) return;
    conversation.model->setSystemPrompt(text.trimmed());
    conversation.record.changed = QDateTime::currentMSecsSinceEpoch();
    m_impl->list.update(m_impl->rowOf(conversation));
    Q_EMIT conversationTouched(conversation.record.id);
    Q_EMIT stateChanged();
}

qint64 ChatController::newConversation() {
    // An empty conversation is as good as a new one.
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
    if (found->linesMissing) Q_EMIT linesWanted(conversation);
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
    if (m_impl->answers.erase(conversation) > 0) {
        m_impl->engine.send(CancelTurn{ConversationId(conversation)});
        at->model->finishLast(LineState::Stopped, tr("Stopped."), std::nullopt);
    }
    m_impl->engine.send(ForgetConversation{ConversationId(conversation)});
    m_impl->list.remove(conversation);
    // The view may still show its model, which stays until another removal.
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
    Q_EMIT cacheGivenUp(conversation);
    Q_EMIT conversationRemoved(conversation);
    Q_EMIT stateChanged();
}

void ChatController::undoRemove() {
    if (!m_impl->removed) return;
    Conversation back = std::move(*std::exchange(m_impl->removed, std::nullopt));
    const qint64 id = back.record.id;
    m_impl->conversations.push_back(std::move(back));
    m_impl->list.prepend(m_impl->rowOf(m_impl->conversations.back()));
    Q_EMIT conversationReturned(id);
    select(id);
}

bool ChatController::canUndoRemove() const {
    return m_impl->removed.has_value();
}

void ChatController::fill(qint64 conversation, const QVector<ChatLine>& lines) {
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || !found->linesMissing) return;
    found->linesMissing = false;
    found->model->setLines(lines);
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT stateChanged();
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
    if (draft.isEmpty() || !whyNoSubmit().isEmpty()) return;
    Conversation& conversation = *m_impl->find(m_impl->currentId);
    const auto& lines = conversation.model->lines();
    const bool first = std::none_of(lines.begin(), lines.end(), [](const ChatLine& line) {
        return line.speaker == Speaker::Person;
    });
    if (first && !conversation.record.titleChosen) {
        conversation.record.title = titleFrom(draft);
        Q_EMIT titleChanged(conversation.record.id);
    }
    ChatLine question;
    question.speaker = Speaker::Person;
    question.text = draft.text.trimmed();
    question.attachment = draft.attachmentName;
    question.attachmentText = draft.attachmentText;
    conversation.model->append(std::move(question));
    m_impl->ask(conversation);
}

void ChatController::stop() {
    if (answering()) m_impl->engine.send(CancelTurn{ConversationId(m_impl->currentId)});
}

void ChatController::stopCompaction() {
    m_impl->engine.send(CancelTurn{ConversationId(m_impl->currentId)});
}

PromptDraft ChatController::lastQuestion() const {
    const auto& lines = m_impl->find(m_impl->currentId)->model->lines();
    const ChatLine& question = lines[lines.size() - 2];
    return {question.text, question.attachment, question.attachmentText};
}

void ChatController::editLast(const PromptDraft& draft) {
    if (draft.isEmpty() || !canRegenerate()) return;
    ChatModel& model = *m_impl->find(m_impl->currentId)->model;
    model.removeLast();
    model.removeLast();
    submit(draft);
}

void ChatController::regenerate() {
    m_impl->askAgain(std::nullopt);
}

void ChatController::regenerateBroughtBack() {
    if (!answering()) return m_impl->askAgain(BringBackMode::Auto);
    m_impl->againAtEnd = m_impl->currentId;
    stop();
}

void ChatController::continueAnswer() {
    if (whyNoContinue().isEmpty()) m_impl->goOn(*m_impl->find(m_impl->currentId));
}

qint64 ChatController::goOnWithNewerHalf() {
    const Conversation& here = *m_impl->find(m_impl->currentId);
    const QVector<ChatLine>& lines = here.model->lines();
    ConversationRecord record;
    record.id = m_impl->nextId++;
    record.title = tr("%1 (continued)").arg(here.record.title);
    record.titleChosen = true;
    record.isPrivate = here.record.isPrivate;
    if (!here.model->systemPrompt().isEmpty()) record.lines.push_back(lines.front());
    // From a question on: a template may refuse a conversation that begins with an answer.
    qsizetype from = (lines.size() + 1) / 2;
    while (from < lines.size() && lines[from].speaker != Speaker::Person) ++from;
    for (; from < lines.size(); ++from) {
        record.lines.push_back(lines[from]);
        record.lines.back().figures.reset();
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
}

void ChatController::bringBack(qint64 first, qint64 count) {
    m_impl->engine.send(BringBack{ConversationId(m_impl->currentId), first, count});
}

void ChatController::giveCacheUp() {
    m_impl->engine.send(ForgetConversation{ConversationId(m_impl->currentId)});
    Q_EMIT cacheGivenUp(m_impl->currentId);
}

void ChatController::requestRetention() {
    m_impl->engine.send(RequestRetention{ConversationId(m_impl->currentId)});
}

void ChatController::setModelProblem(const QString& reason) {
    if (m_impl->modelProblem == reason) return;
    m_impl->modelProblem = reason;
    Q_EMIT stateChanged();
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

void ChatController::onText(qint64 conversation, const QString& text) {
    Impl::Answer* answer = m_impl->answerOf(conversation);
    Conversation* found = m_impl->find(conversation);
    if (found == nullptr || answer == nullptr) return;
    if (std::exchange(answer->prefill, std::nullopt)) Q_EMIT prefillChanged();
    found->model->appendText(text);
    Q_EMIT conversationTouched(conversation);
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
    if (refusedForRoom(event) && id == m_impl->currentId && begun.isEmpty())
        return m_impl->takeQuestionBack(*found, engineText(event.error->what));
    found->model->replaceLastText(begun + toQt(event.text));
    found->model->finishLast(stateOf(event.reason), problemOf(event), figures);
    found->record.changed = QDateTime::currentMSecsSinceEpoch();
    m_impl->list.update(m_impl->rowOf(*found));
    Q_EMIT conversationTouched(id);
    Q_EMIT stateChanged();
    Q_EMIT answerFinished(id);
    if (m_impl->againAtEnd == id) {
        m_impl->againAtEnd.reset();
        if (id == m_impl->currentId) return m_impl->askAgain(BringBackMode::Auto);
    }
    if (event.reason == FinishReason::ContextFull || refusedForRoom(event))
        Q_EMIT contextFull(id, problemOf(event));
}

}  // namespace lacuna::app
