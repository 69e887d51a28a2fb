#include "app/state/chat/conversation_turns.h"

#include <algorithm>
#include <utility>

#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_pins.h"
#include "app/state/chat/turn_lines.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_dispatcher.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

ConversationTurns::ConversationTurns(CommandSink& engine, ConversationList& list,
                                     ConversationPins& pins, QObject* parent)
    : QObject(parent),
      m_engine(engine),
      m_list(list),
      m_pins(pins),
      m_modelProblem(tr("Load a model first.")) {
    connect(&list, &ConversationList::stateChanged, this, &ConversationTurns::stateChanged);
    connect(&list, &ConversationList::currentChanged, this, &ConversationTurns::prefillChanged);
    connect(&list, &ConversationList::aboutToBeRemoved, this, &ConversationTurns::cancelRemoved);
    connect(&list, &ConversationList::branchShown, this,
            [this] { estimateRereading(m_list.currentModel().rowCount() - 1); });
}

ConversationTurns::~ConversationTurns() = default;

ConversationTurns::Answer* ConversationTurns::answerOf(qint64 conversation) {
    const auto at = m_answers.find(conversation);
    return at == m_answers.end() ? nullptr : &at->second;
}

const ConversationTurns::Answer* ConversationTurns::answerOf(qint64 conversation) const {
    const auto at = m_answers.find(conversation);
    return at == m_answers.end() ? nullptr : &at->second;
}

std::vector<qint64> ConversationTurns::queuedIds() const {
    std::vector<qint64> ids;
    for (const auto& [id, answer] : m_answers)
        if (answer.queued) ids.push_back(id);
    return ids;
}

std::optional<PrefillView> ConversationTurns::prefill() const {
    const Answer* answer = answerOf(m_list.current());
    return answer == nullptr ? std::nullopt : answer->prefill;
}

QString ConversationTurns::submitBlocker() const {
    if (!m_modelProblem.isEmpty() && !m_loading) return m_modelProblem;
    if (!m_held.isEmpty()) return m_held;
    return m_list.changeBlocker();
}

/// Returns the reason why nothing can be sent to the engine; empty if something can.
QString ConversationTurns::busyReason() const {
    return m_modelProblem.isEmpty() ? submitBlocker() : m_modelProblem;
}

bool ConversationTurns::queued() const {
    const Answer* answer = answerOf(m_list.current());
    return answer != nullptr && answer->queued;
}

bool ConversationTurns::canRegenerate() const {
    if (!busyReason().isEmpty()) return false;
    const auto& lines = m_list.currentModel().lines();
    return lines.size() >= 2 && lines.back().speaker == MessageRole::Model;
}

QString ConversationTurns::editBlocker(int row) const {
    const auto& lines = m_list.currentModel().lines();
    if (row < 0 || row >= lines.size()) return tr("There is no question yet.");
    switch (lines[row].speaker) {
        case MessageRole::System:
            return tr("The system prompt is edited in its own window.");
        case MessageRole::Person:
            return busyReason();
        case MessageRole::Model:
            return m_list.changeBlocker();
    }
    return {};
}

QString ConversationTurns::regenerateBlocker(int row) const {
    if (QString reason = busyReason(); !reason.isEmpty()) return reason;
    const auto& lines = m_list.currentModel().lines();
    const bool answer = row > 0 && row < lines.size() && lines[row].speaker == MessageRole::Model &&
                        lines[row - 1].speaker == MessageRole::Person;
    return answer ? QString() : tr("There is no answer yet.");
}

QString ConversationTurns::continueBlocker() const {
    if (QString reason = busyReason(); !reason.isEmpty()) return reason;
    const auto& lines = m_list.currentModel().lines();
    if (lines.isEmpty() || lines.back().speaker != MessageRole::Model)
        return tr("There is no answer yet.");
    if (lines.back().state == LineState::Done) return tr("The answer is complete.");
    if (m_thoughtForm.begins == ThoughtStream::Begins::Channels)
        return tr("Answers of this model cannot be continued. Regenerate it instead.");
    if (lines.back().text.isEmpty() && lines.back().thought.text.isEmpty())
        return tr("The answer is still empty. Regenerate it instead.");
    return {};
}

PromptDraft ConversationTurns::draftOf(int row) const {
    const ChatLine& line = m_list.currentModel().line(row);
    return {line.text, line.attachment, line.attachmentText, line.parts};
}

void ConversationTurns::submit(const PromptDraft& draft) {
    if (draft.isEmpty() || !submitBlocker().isEmpty()) return;
    const qint64 id = m_list.current();
    ChatModel& model = m_list.currentModel();
    const auto& lines = model.lines();
    if (std::none_of(lines.begin(), lines.end(),
                     [](const ChatLine& line) { return line.speaker == MessageRole::Person; }))
        m_list.suggestTitle(id, titleFrom(draft));
    if (lines.isEmpty()) model.setSystemPrompt(m_list.systemPrompt());
    ChatLine question;
    question.speaker = MessageRole::Person;
    question.text = draft.text.trimmed();
    question.attachment = draft.attachmentName;
    question.attachmentText = draft.attachmentText;
    question.parts = draft.parts;
    model.append(std::move(question));
    ask(id);
}

void ConversationTurns::stop() {
    if (queued())
        returnUnsent(m_list.current());
    else if (m_list.answering())
        m_engine.send(CancelTurn{ConversationId(m_list.current())});
}

void ConversationTurns::regenerate() {
    regenerate(m_list.currentModel().rowCount() - 1);
}

void ConversationTurns::regenerate(int row) {
    requeue(row, std::nullopt);
}

void ConversationTurns::regenerateRestored() {
    if (!m_list.answering())
        return requeue(m_list.currentModel().rowCount() - 1, BringBackMode::Auto);
    m_restoredNext = m_list.current();
    stop();
}

/// Sends the last answer as the beginning of the next one.
void ConversationTurns::continueAnswer() {
    if (!continueBlocker().isEmpty()) return;
    ChatModel& model = m_list.currentModel();
    const ChatLine last = model.lines().back();
    ThoughtForm form = m_thoughtForm;
    if (!last.text.isEmpty())
        form.begins = ThoughtStream::Begins::InAnswer;
    else if (!last.thought.text.isEmpty())
        form.begins = ThoughtStream::Begins::InThought;
    Answer answer;
    answer.begun = last.text;
    answer.begunFigures = last.figures;
    answer.reader = ThoughtReader(std::move(form), last.thought);
    model.reopenLast();
    QVector<ChatLine> before = model.lines();
    before.removeLast();
    std::vector<ChatMessage> messages = messagesOf(before);
    messages.push_back({"assistant", begunText(last, m_thoughtForm)});
    send(m_list.current(), std::move(messages), std::move(answer));
}

void ConversationTurns::edit(int row, const PromptDraft& draft) {
    if (draft.isEmpty() || !editBlocker(row).isEmpty()) return;
    ChatModel& model = m_list.currentModel();
    const ChatLine before = model.line(row);
    if (before.text == draft.text.trimmed() && before.attachmentText == draft.attachmentText)
        return;
    model.hideFrom(row);
    if (before.speaker == MessageRole::Person) return submit(draft);
    ChatLine answer;
    answer.speaker = MessageRole::Model;
    answer.model = before.model;
    answer.thought = before.thought;
    answer.text = draft.text.trimmed();
    answer.state = LineState::Stopped;
    answer.problem = tr("Edited by you. Continue adds to its end.");
    model.append(std::move(answer));
    m_list.publishLines(m_list.current());
}

void ConversationTurns::estimateRereading(int row) {
    const qint64 id = m_list.current();
    QVector<ChatLine> lines = m_list.currentModel().lines();
    if (row < 0 || row >= lines.size() || !m_modelProblem.isEmpty()) return;
    const qint64 line = lines[row].id;
    lines.resize(lines[row].speaker == MessageRole::Model ? row : row + 1);
    if (lines.isEmpty()) return;
    EstimateReading asked{ConversationId(id), messagesOf(lines)};
    asked.prefix.shared = !m_list.isPrivate(id);
    asked.request = ++m_lastEstimate;
    m_estimates[asked.request] = {id, line};
    m_engine.send(std::move(asked));
}

void ConversationTurns::requeue(int row, std::optional<BringBackMode> bringBack) {
    if (!regenerateBlocker(row).isEmpty()) return;
    ChatModel& model = m_list.currentModel();
    // An empty answer is not worth keeping as a branch.
    if (row + 1 == model.rowCount() && model.line(row).text.isEmpty())
        model.removeLast();
    else
        model.hideFrom(row);
    ask(m_list.current(), bringBack);
}

void ConversationTurns::ask(qint64 conversation, std::optional<BringBackMode> bringBack) {
    ChatModel& model = *m_list.modelOf(conversation);
    std::vector<ChatMessage> messages = messagesOf(model.lines());
    ChatLine answer;
    answer.speaker = MessageRole::Model;
    answer.state = LineState::Waiting;
    model.append(std::move(answer));
    if (m_loading) return queue(conversation);
    send(conversation, std::move(messages), newAnswer(), bringBack);
}

ConversationTurns::Answer ConversationTurns::newAnswer() const {
    Answer answer;
    answer.reader = ThoughtReader(m_thoughtForm);
    return answer;
}

void ConversationTurns::begin(qint64 conversation, Answer answer) {
    m_answers.insert_or_assign(conversation, std::move(answer));
    m_list.setAnswering(conversation, true);
}

/// Returns the answer that was running or waiting; nullopt if there was none.
std::optional<ConversationTurns::Answer> ConversationTurns::end(qint64 conversation) {
    auto answer = m_answers.extract(conversation);
    if (answer.empty()) return std::nullopt;
    m_list.setAnswering(conversation, false);
    return std::move(answer.mapped());
}

void ConversationTurns::queue(qint64 conversation) {
    Answer answer;
    answer.queued = true;
    begin(conversation, std::move(answer));
    m_list.modelOf(conversation)
        ->finishLast(LineState::Waiting, tr("Sent once the model is loaded."), std::nullopt);
    m_list.publish(conversation);
}

void ConversationTurns::send(qint64 conversation, std::vector<ChatMessage> messages, Answer answer,
                             std::optional<BringBackMode> bringBack) {
    begin(conversation, std::move(answer));
    ChatModel& model = *m_list.modelOf(conversation);
    model.noteModel(m_modelName);
    const ChatLine& last = model.lines().back();
    const auto ahead = static_cast<std::int64_t>(
        last.text.isEmpty() ? 0 : messages.back().content.size() - fromQt(last.text).size());
    Submit question{ConversationId(conversation), std::move(messages), {}};
    question.bringBack = bringBack;
    question.prefix.shared = !m_list.isPrivate(conversation);
    question.pins = m_pins.takeForTurn(conversation);
    // A continued answer is sent with its reasoning ahead.
    for (TextPin& pin : question.pins) {
        if (pin.message + 1 != static_cast<std::int64_t>(question.messages.size())) continue;
        pin.first += ahead;
        pin.last += ahead;
    }
    m_engine.send(std::move(question));
    m_list.publishChanged(conversation);
}

/// Shows what the reader of a running answer holds.
void ConversationTurns::show(qint64 conversation, Answer& answer) {
    ChatModel& model = *m_list.modelOf(conversation);
    answer.dirty = false;
    if (std::exchange(answer.prefill, std::nullopt)) Q_EMIT prefillChanged();
    const QString text = answer.reader.takeText();
    const QString thought = answer.reader.readThought();
    const Thought whole = answer.reader.thought();
    if (!thought.isEmpty() || (answer.reader.thinking() && text.isEmpty()))
        model.appendThought(thought, whole.seconds, whole.tokens);
    if (!text.isEmpty() || thought.isEmpty()) model.appendText(text);
    m_list.touch(conversation);
}

/// Returns the user message to the input field.
void ConversationTurns::returnQuestion(qint64 conversation) {
    ChatModel& model = *m_list.modelOf(conversation);
    model.removeLast();
    const ChatLine question = model.lines().back();
    model.removeLast();
    model.showNewestSuccessor();  // Restores the branch that the message would have replaced.
    m_list.publish(conversation);
    Q_EMIT questionReturned(
        {question.text, question.attachment, question.attachmentText, question.parts});
}

/// In other conversations than the current one, the unsent message stays.
void ConversationTurns::returnUnsent(qint64 conversation) {
    end(conversation);
    ChatModel* model = m_list.modelOf(conversation);
    if (model == nullptr) return;
    if (conversation == m_list.current()) return returnQuestion(conversation);
    model->finishLast(LineState::Failed, tr("Not sent: the model was not loaded."), std::nullopt);
    m_list.publish(conversation);
}

void ConversationTurns::cancelRemoved(qint64 conversation) {
    const std::optional<Answer> answer = end(conversation);
    if (!answer) return;
    // A cancel would also abort the loading that a queued submission waits for.
    if (!answer->queued) m_engine.send(CancelTurn{ConversationId(conversation)});
    m_list.modelOf(conversation)->finishLast(LineState::Stopped, tr("Stopped."), std::nullopt);
}

void ConversationTurns::subscribeTo(EventDispatcher& events) {
    events.subscribe(this, &ConversationTurns::onTurnStarted);
    events.subscribe(this, &ConversationTurns::onPrefill);
    events.subscribe<ConversationTurns, TokenText>(this, &ConversationTurns::onText);
    events.subscribe(this, &ConversationTurns::onEstimated);
}

void ConversationTurns::setModelProblem(const QString& reason, bool loading) {
    if (m_modelProblem == reason && m_loading == loading) return;
    m_modelProblem = reason;
    m_loading = loading;
    m_pins.setModelLoaded(reason.isEmpty());
    Q_EMIT stateChanged();
}

void ConversationTurns::setModelName(const QString& name) {
    m_modelName = name;
}

void ConversationTurns::setThoughtForm(ThoughtForm form) {
    m_thoughtForm = std::move(form);
}

void ConversationTurns::sendQueued() {
    for (const qint64 id : queuedIds()) {
        ChatModel* model = m_list.modelOf(id);
        if (model == nullptr) continue;
        std::vector<ChatMessage> messages = messagesOf(m_list.finishedLines(id));
        model->reopenLast();
        send(id, std::move(messages), newAnswer());
    }
}

void ConversationTurns::returnQueued() {
    for (const qint64 id : queuedIds()) returnUnsent(id);
}

void ConversationTurns::hold(const QString& reason) {
    if (m_held == reason) return;
    m_held = reason;
    Q_EMIT stateChanged();
}

void ConversationTurns::onTurnStarted(const TurnStarted& event) {
    const qint64 id = event.conversation.value;
    m_list.setUsedSettings(id, settingsText(event.config));
    Answer* answer = answerOf(id);
    if (answer == nullptr) return;
    PrefillView view;
    view.conversation = id;
    view.total = event.promptTokens;
    view.reused = view.done = event.reusedTokens;
    answer->prefill = view;
    answer->prefillClock.start();
    Q_EMIT prefillChanged();
}

void ConversationTurns::onPrefill(const PrefillProgress& event) {
    Answer* answer = answerOf(event.conversation.value);
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

void ConversationTurns::onText(const TokenText& event) {
    Answer* answer = answerOf(event.conversation.value);
    if (answer == nullptr) return;
    answer->reader.read(event);
    answer->dirty = true;
}

void ConversationTurns::flushText() {
    for (auto& [id, answer] : m_answers)
        if (answer.dirty && m_list.modelOf(id) != nullptr) show(id, answer);
}

void ConversationTurns::onText(qint64 conversation, const QString& text) {
    Answer* answer = answerOf(conversation);
    if (answer == nullptr || m_list.modelOf(conversation) == nullptr) return;
    answer->reader.read(text);
    show(conversation, *answer);
}

void ConversationTurns::onTurnFinished(const TurnFinished& event,
                                       const std::optional<TurnRow>& figures) {
    const qint64 id = event.conversation.value;
    std::optional<Answer> answer = end(id);
    Q_EMIT prefillChanged();
    ChatModel* model = m_list.modelOf(id);
    if (model == nullptr || !answer) return;
    if (refusedForRoom(event) && id == m_list.current() && answer->begun.isEmpty()) {
        const QString cause = causeOf(asSentence(engineText(event.error->what)), model->lines());
        returnQuestion(id);
        Q_EMIT contextFull(id, cause);
        return;
    }
    const QString text = answer->reader.end(answer->begun, model->lines().back().text, event.text);
    model->replaceLastText(text, answer->reader.thought());
    model->finishLast(stateAfter(event), problemOf(event), totalOf(answer->begunFigures, figures));
    m_list.publishChanged(id);
    Q_EMIT answerFinished(id);
    if (m_restoredNext == id) {
        m_restoredNext.reset();
        if (id == m_list.current()) return requeue(model->rowCount() - 1, BringBackMode::Auto);
    }
    if (event.reason == FinishReason::ContextFull || refusedForRoom(event))
        Q_EMIT contextFull(id, asSentence(problemOf(event)));
}

void ConversationTurns::onEstimated(const ReadingEstimated& event) {
    const auto asked = m_estimates.extract(event.request);
    if (asked.empty() || event.error) return;
    const auto [conversation, line] = asked.mapped();
    ChatModel* model = m_list.modelOf(conversation);
    if (model == nullptr) return;
    model->noteAskingAgain(line, event.readTokens);
    if (conversation == m_list.current()) Q_EMIT rereadingEstimated(line, event.readTokens);
}

}  // namespace lacuna::app
