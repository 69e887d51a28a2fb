#include "ui/chat/message_actions.h"

#include <QAction>
#include <QApplication>
#include <QKeySequence>
#include <algorithm>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/pins_dialog.h"
#include "ui/window/action_registry.h"
#include "ui/window/recorded_view.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

QList<QKeySequence> key(const char* name) {
    return {QKeySequence(QString::fromLatin1(name))};
}

}  // namespace

MessageActions::MessageActions(ActionRegistry& actions, app::ApplicationState& state,
                               ChatView& chat, NoticeBar& notice, QWidget& window)
    : m_actions(actions), m_state(state), m_chat(chat), m_notice(notice), m_window(window) {
    addEditing();
    addBranches();
    addPins();
    app::ChatController& talk = state.chat();
    connect(&chat, &ChatView::regenerateRequested, this, &MessageActions::regenerate);
    connect(&chat, &ChatView::editRequested, this, &MessageActions::edit);
    connect(&chat, &ChatView::editSent, this, [this](int row, const QString& text) {
        app::PromptDraft draft = m_state.chat().draftOf(row);
        draft.text = text;
        m_state.chat().edit(row, draft);
    });
    connect(&chat, &ChatView::branchRequested, &talk, &app::ChatController::showBranch);
    connect(&chat, &ChatView::branchDeleteRequested, this, &MessageActions::removeBranch);
    connect(&chat, &ChatView::markedChanged, this, &MessageActions::refreshPins);
    connect(&talk, &app::ChatController::rereadingEstimated, &chat, &ChatView::showEditCost);
    connect(&talk, &app::ChatController::pinsChanged, this, &MessageActions::showPins);
    connect(&talk, &app::ChatController::currentChanged, this, &MessageActions::showPins);
    connect(&talk, &app::ChatController::pinnedEvicted, this, &MessageActions::publishEvicted);
    connect(&talk, &app::ChatController::pinRefused, this, [this](const QString& sentence) {
        m_notice.showMessage(NoticeKind::Problem, tr("Not pinned: %1").arg(sentence));
    });
    connect(qApp, &QApplication::focusChanged, this, [this] { refresh(); });
}

void MessageActions::addEditing() {
    m_actions.add({QStringLiteral("chat.edit"), tr("Edit message"),
                   tr("Edit the selected message, or the last question. The old text is kept as "
                      "another branch."),
                   Menu::Session, key("Ctrl+Shift+E")},
                  [this] { edit(editRow()); });
}

void MessageActions::addBranches() {
    const auto place = Menu::Session;
    m_actions.add({QStringLiteral("branch.before"), tr("Previous branch"),
                   tr("Show the branch before this one."), place, key("Alt+Left")},
                  [this] { stepBranch(-1); });
    m_actions.add({QStringLiteral("branch.next"), tr("Next branch"),
                   tr("Show the branch after this one."), place, key("Alt+Right")},
                  [this] { stepBranch(1); });
    m_actions.add({QStringLiteral("branch.delete"), tr("Delete branch"),
                   tr("Delete the branch shown, from where it splits off; can be undone."), place},
                  [this] { removeBranch(branchRow()); });
    m_actions.add({QStringLiteral("branch.undelete"), tr("Undo delete branch"),
                   tr("Restore the branch deleted last."), place},
                  [this] { undoRemoveBranch(); });
}

void MessageActions::addPins() {
    const auto place = Menu::Session;
    m_actions.addSeparator(place);
    QAction* pin = m_actions.add(
        {QStringLiteral("pin.add"), tr("Pin"),
         tr("Make compaction keep the selected words; they count towards the budget."), place,
         key("Ctrl+Shift+U")},
        [this] { pinMarked(); });
    QAction* unpin = m_actions.add(
        {QStringLiteral("pin.remove"), tr("Unpin"),
         tr("Let compaction evict the selected words again."), place, key("Ctrl+Alt+U")},
        [this] { unpinMarked(); });
    m_actions.add({QStringLiteral("pin.list"), tr("Pinned words..."),
                   tr("List the words that compaction keeps; go to them or unpin them."), place,
                   key("Ctrl+Alt+P")},
                  [this] { openPins(); });
    m_chat.offer(pin);
    m_chat.offer(unpin);
}

int MessageActions::editRow() const {
    const int chosen = m_chat.chosenRow();
    return chosen >= 0 ? chosen : m_state.chat().lastQuestionRow();
}

int MessageActions::branchRow() const {
    const app::ChatModel& model = m_state.chat().currentModel();
    const int chosen = m_chat.chosenRow();
    if (chosen >= 0 && model.branchAt(chosen).count > 1) return chosen;
    return app::lastBranching(model.lines(), model.hidden());
}

bool MessageActions::rest() {
    const QString over = recordedInstead(m_state);
    if (over.isEmpty()) return false;
    for (const char* action : {"chat.edit", "branch.before", "branch.next", "branch.delete",
                               "branch.undelete", "pin.add", "pin.remove"})
        m_actions.setReason(QString::fromLatin1(action), over);
    return true;
}

void MessageActions::refresh() {
    if (rest()) return;
    app::ChatController& talk = m_state.chat();
    m_actions.setReason(QStringLiteral("chat.edit"), talk.editBlocker(editRow()));
    const int row = branchRow();
    const QString busy = talk.branchBlocker();
    const app::BranchPosition place =
        row < 0 ? app::BranchPosition{} : talk.currentModel().branchAt(row);
    const QString none =
        tr("This conversation has only one branch: edit a message or regenerate an answer to start "
           "another.");
    const QString no = !busy.isEmpty() ? busy : row < 0 ? none : QString();
    m_actions.setReason(QStringLiteral("branch.before"), !no.isEmpty() ? no
                                                         : place.number == 1
                                                             ? tr("This is the first branch.")
                                                             : QString());
    m_actions.setReason(QStringLiteral("branch.next"), !no.isEmpty() ? no
                                                       : place.number == place.count
                                                           ? tr("This is the last branch.")
                                                           : QString());
    m_actions.setReason(QStringLiteral("branch.delete"), no);
    m_actions.setReason(QStringLiteral("branch.undelete"),
                        talk.canUndoRemoveBranch() ? QString() : tr("No branch was deleted."));
    refreshPins();
}

void MessageActions::refreshPins() {
    if (rest()) return;
    const QString rests = m_state.localEngineBlocker();
    const bool marked = m_chat.hasMarkedWords();
    const QString no = !rests.isEmpty() ? rests
                       : !marked        ? tr("Select words of a message first.")
                                        : QString();
    m_actions.setReason(QStringLiteral("pin.add"), no);
    const bool any = !m_state.chat().pins().isEmpty();
    m_actions.setReason(QStringLiteral("pin.remove"), !no.isEmpty() ? no
                                                      : any         ? QString()
                                                                    : tr("Nothing is pinned."));
}

void MessageActions::edit(int row) {
    app::ChatController& talk = m_state.chat();
    if (const QString why = talk.editBlocker(row); !why.isEmpty())
        return m_notice.showMessage(NoticeKind::Info, why);
    m_chat.beginEdit(row);
    if (talk.currentModel().line(row).speaker == app::MessageRole::Person)
        talk.estimateRereading(row);
}

void MessageActions::regenerate(int row) {
    app::ChatController& talk = m_state.chat();
    if (const QString why = talk.regenerateBlocker(row); !why.isEmpty())
        return m_notice.showMessage(NoticeKind::Info, why);
    talk.regenerate(row);
}

void MessageActions::stepBranch(int by) {
    const int row = branchRow();
    if (row < 0) return;
    const app::BranchPosition place = m_state.chat().currentModel().branchAt(row);
    m_state.chat().showBranch(row, std::clamp(place.number + by, 1, place.count));
}

/// Deletes immediately without confirmation; it can be undone until the next deletion.
void MessageActions::removeBranch(int row) {
    app::ChatController& talk = m_state.chat();
    if (row < 0) return;
    if (const QString why = talk.branchBlocker(); !why.isEmpty())
        return m_notice.showMessage(NoticeKind::Info, why);
    const int before = talk.currentModel().rowCount();
    const app::BranchPosition place = talk.currentModel().branchAt(row);
    talk.removeBranch(row);
    refresh();
    m_notice.showMessage(
        NoticeKind::Success,
        tr("Deleted branch %1 of %2, with %n message(s).", nullptr, before - row)
            .arg(app::countText(place.number), app::countText(place.count)),
        tr("Undo"), [this] { undoRemoveBranch(); },
        [this] { return m_state.chat().canUndoRemoveBranch(); });
}

void MessageActions::undoRemoveBranch() {
    m_state.chat().undoRemoveBranch();
    refresh();
}

void MessageActions::pinMarked() {
    const auto words = m_chat.markedWords();
    if (!words)
        return m_notice.showMessage(NoticeKind::Info, tr("Select words of a message first."));
    m_state.chat().pin(*words);
}

void MessageActions::unpinMarked() {
    if (const auto words = m_chat.markedWords()) m_state.chat().unpin(*words);
}

void MessageActions::openPins() {
    if (m_pins == nullptr) {
        m_pins = new PinsDialog(m_state.chat(), m_state.feed(), &m_window);
        connect(m_pins, &PinsDialog::showRequested, this, [this](const app::PinRow& pin) {
            m_chat.showWords(pin.row, pin.text.left(pin.text.indexOf(QLatin1Char('\n'))), 0);
        });
    }
    m_pins->show();
    m_pins->raise();
    m_pins->activateWindow();
}

void MessageActions::showPins() {
    m_chat.setPins(m_state.chat().pins());
    refreshPins();
}

void MessageActions::publishEvicted(qint64 tokens, qint64 first, qint64 count) {
    m_notice.showMessage(
        NoticeKind::Info,
        tr("Pinned. %n of these tokens were already evicted; they can be restored.", nullptr,
           static_cast<int>(tokens)),
        tr("Restore"), [this, first, count] { m_state.chat().bringBack(first, count); },
        [this, conversation = m_state.chat().current()] {
            const app::ChatController& talk = m_state.chat();
            const QVector<app::PinRow> pins = talk.pins();
            return talk.current() == conversation && !talk.answering() &&
                   std::any_of(pins.begin(), pins.end(),
                               [](const app::PinRow& pin) { return pin.evicted > 0; });
        });
}

}  // namespace lacuna::ui
