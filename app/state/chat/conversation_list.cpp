#include "app/state/chat/conversation_list.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

#include "app/state/chat/turn_lines.h"
#include "app/state/storage/conversation_database.h"
#include "engine/session/command.h"

namespace lacuna::app {

struct ConversationList::Conversation {
    ConversationRecord record;  ///< its lines are unused; they are stored in the model
    ChatModel model;
    bool linesMissing = false;  ///< true while the lines are only on disk
    bool plain = false;         ///< true if the user has removed the default system prompt
    bool answering = false;     ///< an answer is running or waiting

    [[nodiscard]] bool isEmpty() const { return model.isEmpty() && !linesMissing; }

    [[nodiscard]] ConversationRow row() const {
        ConversationRow row;
        row.id = record.id;
        row.title = record.title;
        row.messages = linesMissing ? record.messages : model.rowCount();
        row.answering = answering;
        row.changed = record.changed;
        row.settings = record.settings;
        row.ownSettings = !record.ownSettings.isEmpty();
        row.isPrivate = record.isPrivate;
        return row;
    }
};

ConversationList::ConversationList(QObject* parent)
    : QObject(parent), m_nextId(QDateTime::currentMSecsSinceEpoch()) {
    newConversation();
}

ConversationList::~ConversationList() = default;

ConversationList::Conversation* ConversationList::find(qint64 id) const {
    const auto at = std::find_if(m_conversations.begin(), m_conversations.end(),
                                 [id](const auto& one) { return one->record.id == id; });
    return at == m_conversations.end() ? nullptr : at->get();
}

ConversationList::Conversation& ConversationList::here() const {
    return *find(m_current);
}

ConversationList::Conversation& ConversationList::add(ConversationRecord record) {
    auto conversation = std::make_unique<Conversation>();
    conversation->linesMissing = record.lines.isEmpty() && record.messages > 0;
    conversation->model.setLines(std::move(record.lines), std::move(record.hidden));
    record.lines.clear();
    record.hidden.clear();
    conversation->record = std::move(record);
    m_conversations.push_back(std::move(conversation));
    m_items.prepend(m_conversations.back()->row());
    return *m_conversations.back();
}

ConversationListModel& ConversationList::itemModel() {
    return m_items;
}

qint64 ConversationList::current() const {
    return m_current;
}

ChatModel& ConversationList::currentModel() {
    return here().model;
}

QString ConversationList::title(qint64 conversation) const {
    const Conversation* found = find(conversation);
    return found == nullptr ? QString() : found->record.title;
}

ConversationRecord ConversationList::record(qint64 conversation) const {
    const Conversation* found = find(conversation);
    if (found == nullptr) return {};
    ConversationRecord record = found->record;
    record.lines = found->model.lines();
    record.hidden = found->model.hidden();
    if (!found->linesMissing) record.messages = static_cast<int>(record.lines.size());
    return record;
}

bool ConversationList::answering() const {
    return answering(m_current);
}

bool ConversationList::answering(qint64 conversation) const {
    const Conversation* found = find(conversation);
    return found != nullptr && found->answering;
}

bool ConversationList::anyAnswering() const {
    return std::any_of(m_conversations.begin(), m_conversations.end(),
                       [](const auto& one) { return one->answering; });
}

QVector<qint64> ConversationList::otherAnswering() const {
    QVector<qint64> others;
    for (const auto& one : m_conversations)
        if (one->answering && one->record.id != m_current) others << one->record.id;
    return others;
}

bool ConversationList::isEmpty() const {
    return here().model.isEmpty();
}

std::vector<ChatMessage> ConversationList::messages() const {
    return messagesOf(here().model.lines());
}

int ConversationList::lastQuestionRow() const {
    const auto& lines = here().model.lines();
    qsizetype row = lines.size() - 1;
    while (row >= 0 && lines[row].speaker != MessageRole::Person) --row;
    return static_cast<int>(row);
}

qint64 ConversationList::newConversation() {
    // An empty conversation is reused.
    if (const Conversation* current = find(m_current); current != nullptr && current->isEmpty())
        return m_current;
    ConversationRecord record;
    record.id = m_nextId++;
    record.title = tr("New conversation");
    const qint64 id = add(std::move(record)).record.id;
    select(id);
    return id;
}

void ConversationList::select(qint64 conversation) {
    const Conversation* found = find(conversation);
    if (conversation == m_current || found == nullptr) return;
    m_current = conversation;
    if (found->linesMissing) Q_EMIT linesRequested(conversation);
    Q_EMIT currentChanged();
    Q_EMIT stateChanged();
}

void ConversationList::rename(qint64 conversation, const QString& title) {
    Conversation* found = find(conversation);
    const QString clean = title.simplified();
    if (found == nullptr || clean.isEmpty()) return;
    found->record.title = clean;
    found->record.titleChosen = true;
    found->record.changed = QDateTime::currentMSecsSinceEpoch();
    m_items.update(found->row());
    Q_EMIT titleChanged(conversation);
    Q_EMIT touched(conversation);
}

void ConversationList::remove(qint64 conversation) {
    if (find(conversation) == nullptr) return;
    Q_EMIT aboutToBeRemoved(conversation);
    m_items.remove(conversation);
    const auto at = std::find_if(m_conversations.begin(), m_conversations.end(),
                                 [&](const auto& one) { return one->record.id == conversation; });
    // A view may still use its model, which is kept until the next removal.
    std::unique_ptr<Conversation> leaving = std::move(*at);
    m_conversations.erase(at);
    if (m_current == conversation) {
        m_current = 0;
        if (m_conversations.empty()) {
            newConversation();
        } else {
            select(m_conversations.back()->record.id);
        }
    }
    if (!leaving->isEmpty()) std::swap(m_removed, leaving);
    Q_EMIT removed(conversation);
    Q_EMIT stateChanged();
}

void ConversationList::undoRemove() {
    if (!m_removed) return;
    m_conversations.push_back(std::move(m_removed));
    const Conversation& back = *m_conversations.back();
    m_items.prepend(back.row());
    Q_EMIT returned(back.record.id);
    select(back.record.id);
}

bool ConversationList::canUndoRemove() const {
    return m_removed != nullptr;
}

qint64 ConversationList::continueWithNewerHalf() {
    const Conversation& old = here();
    const QVector<ChatLine>& lines = old.model.lines();
    ConversationRecord record;
    record.id = m_nextId++;
    record.title = tr("%1 (continued)").arg(old.record.title);
    record.titleChosen = true;
    record.isPrivate = old.record.isPrivate;
    if (!old.model.systemPrompt().isEmpty()) record.lines.push_back(lines.front());
    // Start at a user message, because a template may reject a leading answer.
    qsizetype from = (lines.size() + 1) / 2;
    while (from < lines.size() && lines[from].speaker != MessageRole::Person) ++from;
    for (; from < lines.size(); ++from) {
        record.lines.push_back(lines[from]);
        record.lines.back().figures.reset();
        for (const PinnedWords& pin : old.record.pins)
            if (pin.line == lines[from].id) record.pins.push_back(pin);
    }
    record.messages = static_cast<int>(record.lines.size());
    record.changed = QDateTime::currentMSecsSinceEpoch();
    const qint64 id = add(std::move(record)).record.id;
    Q_EMIT touched(id);
    select(id);
    return id;
}

void ConversationList::setOwnSettings(qint64 conversation, const QMap<QString, QString>& settings) {
    Conversation* found = find(conversation);
    if (found == nullptr || found->record.ownSettings == settings) return;
    found->record.ownSettings = settings;
    m_items.update(found->row());
    Q_EMIT touched(conversation);
}

void ConversationList::setPrivate(qint64 conversation, bool isPrivate) {
    Conversation* found = find(conversation);
    if (found == nullptr || found->record.isPrivate == isPrivate) return;
    found->record.isPrivate = isPrivate;
    m_items.update(found->row());
    Q_EMIT touched(conversation);
}

void ConversationList::restore(const QVector<ConversationRecord>& records) {
    if (records.isEmpty()) return;
    const qint64 fresh = m_current;
    const bool dropFresh = here().model.isEmpty();
    qint64 last = fresh;
    for (const ConversationRecord& record : records) last = add(record).record.id;
    if (!dropFresh) return;
    select(last);
    remove(fresh);
}

void ConversationList::fill(qint64 conversation, const QVector<ChatLine>& lines,
                            const QVector<HiddenLine>& hidden) {
    Conversation* found = find(conversation);
    if (found == nullptr || !found->linesMissing) return;
    found->linesMissing = false;
    found->model.setLines(lines, hidden);
    m_items.update(found->row());
    Q_EMIT stateChanged();
    Q_EMIT linesChanged(conversation);
}

QString ConversationList::systemPrompt() const {
    const Conversation& current = here();
    return current.isEmpty() && !current.plain ? m_standardPrompt : current.model.systemPrompt();
}

void ConversationList::setSystemPrompt(const QString& text) {
    const QString clean = text.trimmed();
    if (!changeBlocker().isEmpty() || clean == systemPrompt()) return;
    Conversation& current = here();
    current.plain = clean.isEmpty();
    current.model.setSystemPrompt(clean);
    publishChanged(m_current);
}

void ConversationList::setDefaultPrompt(const QString& text) {
    m_standardPrompt = text;
}

QString ConversationList::changeBlocker() const {
    if (answering()) return tr("An answer is being written. Stop it first.");
    if (here().linesMissing) return tr("This conversation is being read from disk.");
    return {};
}

void ConversationList::showBranch(int row, int number) {
    ChatModel& model = here().model;
    if (!changeBlocker().isEmpty() || model.branchAt(row).number == number) return;
    model.showBranch(row, number);
    publishLines(m_current);
    Q_EMIT branchShown();
}

bool ConversationList::showLine(qint64 line) {
    if (!changeBlocker().isEmpty()) return false;
    ChatModel& model = here().model;
    const qsizetype before = model.hidden().size();
    const qint64 last = model.isEmpty() ? 0 : model.lines().back().id;
    if (!model.showLine(line)) return false;
    if (before != model.hidden().size() || last != model.lines().back().id) publishLines(m_current);
    return true;
}

void ConversationList::removeBranch(int row) {
    ChatModel& model = here().model;
    if (!changeBlocker().isEmpty() || model.branchAt(row).count < 2) return;
    const qint64 line = model.line(row).id;
    m_removedBranch = RemovedBranch{m_current, line, model.removeBranchAt(row)};
    publishLines(m_current);
}

void ConversationList::undoRemoveBranch() {
    if (!canUndoRemoveBranch()) return;
    const RemovedBranch back = *std::exchange(m_removedBranch, std::nullopt);
    select(back.conversation);
    here().model.releaseBranch(back.lines, back.line);
    publishLines(back.conversation);
}

bool ConversationList::canUndoRemoveBranch() const {
    if (!m_removedBranch) return false;
    const Conversation* found = find(m_removedBranch->conversation);
    return found != nullptr && !found->answering;
}

ChatModel* ConversationList::modelOf(qint64 conversation) {
    Conversation* found = find(conversation);
    return found == nullptr ? nullptr : &found->model;
}

const ChatModel* ConversationList::modelOf(qint64 conversation) const {
    const Conversation* found = find(conversation);
    return found == nullptr ? nullptr : &found->model;
}

QVector<ChatLine> ConversationList::finishedLines(qint64 conversation) const {
    const Conversation* found = find(conversation);
    if (found == nullptr) return {};
    QVector<ChatLine> lines = found->model.lines();
    if (found->answering && !lines.isEmpty()) lines.removeLast();
    return lines;
}

bool ConversationList::isPrivate(qint64 conversation) const {
    const Conversation* found = find(conversation);
    return found != nullptr && found->record.isPrivate;
}

QVector<PinnedWords> ConversationList::pinsOf(qint64 conversation) const {
    const Conversation* found = find(conversation);
    return found == nullptr ? QVector<PinnedWords>() : found->record.pins;
}

void ConversationList::setPins(qint64 conversation, const QVector<PinnedWords>& pins) {
    Conversation* found = find(conversation);
    if (found == nullptr) return;
    found->record.pins = pins;
    Q_EMIT touched(conversation);
}

void ConversationList::suggestTitle(qint64 conversation, const QString& title) {
    Conversation* found = find(conversation);
    if (found == nullptr || found->record.titleChosen) return;
    found->record.title = title;
    Q_EMIT titleChanged(conversation);
}

void ConversationList::setUsedSettings(qint64 conversation, const QString& settings) {
    if (Conversation* found = find(conversation)) found->record.settings = settings;
}

void ConversationList::setAnswering(qint64 conversation, bool answering) {
    if (Conversation* found = find(conversation)) found->answering = answering;
}

void ConversationList::touch(qint64 conversation) {
    Q_EMIT touched(conversation);
}

void ConversationList::publish(qint64 conversation) {
    const Conversation* found = find(conversation);
    if (found == nullptr) return;
    m_items.update(found->row());
    Q_EMIT touched(conversation);
    Q_EMIT stateChanged();
}

void ConversationList::publishChanged(qint64 conversation) {
    if (Conversation* found = find(conversation))
        found->record.changed = QDateTime::currentMSecsSinceEpoch();
    publish(conversation);
}

void ConversationList::publishLines(qint64 conversation) {
    publishChanged(conversation);
    Q_EMIT linesChanged(conversation);
}

}  // namespace lacuna::app
