// What the actions of the window open and ask. Split from window_actions.cpp, which names them;
// both implement ui/main_window.h.

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QMessageBox>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/chat_model.h"
#include "app/state/conversation_keeper.h"
#include "app/state/model_controller.h"
#include "ui/main_window.h"
#include "ui/model_details.h"
#include "ui/notice_bar.h"
#include "ui/panel_dock.h"
#include "ui/prompt_box.h"
#include "ui/telemetry_panel.h"
#include "ui/widget_roles.h"
#include "ui/window_paths.h"

namespace lacuna::ui {

namespace {

constexpr int kTitleWidth = 420;  ///< px; room for a title as long as they are made

}  // namespace

void MainWindow::send() {
    const app::PromptDraft draft = m_prompt->draft();
    if (draft.isEmpty() || !m_state.chat().whyNoSubmit().isEmpty()) return;
    m_prompt->clear();
    m_state.chat().submit(draft);
}

void MainWindow::chooseModel() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::File,
                 .title = tr("Load a model"),
                 .filter = tr("Models (*.gguf *.safetensors);;All files (*)")},
                [this](const QString& path) { m_state.model().load(path); });
}

void MainWindow::chooseModelFolder() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::Folder,
                 .title = tr("Load a model folder")},
                [this](const QString& path) { m_state.model().load(path); });
}

void MainWindow::chooseModelToInspect() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::File,
                 .title = tr("Inspect a model"),
                 .filter = tr("Models (*.gguf *.safetensors config.json);;All files (*)")},
                [this](const QString& path) { m_state.model().inspect(path); });
}

void MainWindow::chooseTableFile() {
    m_files.ask(this,
                {.kind = FileKind::Table,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Save samples"),
                 .filter = tr("Table (*.csv)"),
                 .name = QStringLiteral("samples.csv")},
                [this](const QString& path) { m_telemetry->saveCsv(path); });
}

void MainWindow::choosePictureFile() {
    m_files.ask(this,
                {.kind = FileKind::Picture,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Save charts"),
                 .filter = tr("Picture (*.png)"),
                 .name = QStringLiteral("charts.png")},
                [this](const QString& path) { m_telemetry->savePng(path); });
}

void MainWindow::showModelDetails() {
    const app::ModelView& model = m_state.model().view();
    if (model.state == app::ModelState::Ready)
        m_state.model().inspect(model.path);
    else
        chooseModelToInspect();
}

/// One page at a time: a new one takes the place of the one that is open.
void MainWindow::showModelPage(const app::ModelPageView& page) {
    if (m_details == nullptr) {
        m_details = new ModelDetails(this);
        connect(m_details, &ModelDetails::loadAsked, this,
                [this](const QString& path) { m_state.model().load(path); });
    }
    const app::ModelView& loaded = m_state.model().view();
    const bool inUse = loaded.state == app::ModelState::Ready && loaded.path == page.path;
    m_details->show(page, inUse);
}

void MainWindow::chooseReportFolder() {
    m_files.ask(this,
                {.kind = FileKind::Report,
                 .want = FileQuestion::Want::NewFolder,
                 .title = tr("Folder for the report"),
                 .name = stamped(QStringLiteral("lacuna-report"))},
                [this](const QString& folder) { exportReport(folder); });
}

void MainWindow::renameConversation() {
    const qint64 id = m_state.chat().current();
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename conversation"));
    dialog->setLabelText(tr("Title"));
    dialog->setTextValue(m_state.chat().title(id));
    dialog->resize(kTitleWidth, dialog->sizeHint().height());
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, id](const QString& title) { m_state.chat().rename(id, title); });
    dialog->open();
}

/// At once, without asking: it can be taken back until the next one.
void MainWindow::deleteConversation() {
    app::ChatController& chat = m_state.chat();
    const qint64 id = chat.current();
    const QString title = chat.title(id);
    const bool empty = chat.currentModel().isEmpty() && chat.whyNoSubmit().isEmpty();
    chat.remove(id);
    refreshActions();
    if (empty) return;
    m_notice->tell(NoticeKind::Info, tr("Deleted \u201c%1\u201d.").arg(oneLine(title, kMostOfATitle)),
                   tr("Undo"), [this] { undoDelete(); });
}

void MainWindow::undoDelete() {
    m_state.chat().undoRemove();
    refreshActions();
}

void MainWindow::copyLastAnswer() {
    const auto& lines = m_state.chat().currentModel().lines();
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        if (line->speaker != app::Speaker::Model) continue;
        QApplication::clipboard()->setText(line->text);
        return;
    }
}

void MainWindow::focusNextPane() {
    const QList<QWidget*> panes{centralWidget(), m_sessionsDock, m_tuningDock,
                                m_telemetryDock, m_mapsDock,     m_timelineDock};
    qsizetype at = 0;
    for (qsizetype i = 0; i < panes.size(); ++i) {
        if (panes.at(i)->isAncestorOf(QApplication::focusWidget())) at = i;
    }
    for (qsizetype step = 1; step <= panes.size(); ++step) {
        QWidget* next = panes.at((at + step) % panes.size());
        if (next == centralWidget()) {
            m_prompt->focusText();
            return;
        }
        if (!next->isVisible()) continue;
        static_cast<PanelDock*>(next)->focusInside();
        return;
    }
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::Information, tr("About Lacuna"),
        tr("Lacuna %1\n\nChats with a local model and shows what its memory costs.\n\n"
           "Free software under the GNU General Public License, version 3 or later.\nUses Qt %2.")
            .arg(QApplication::applicationVersion(), QString::fromLatin1(qVersion())),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace lacuna::ui
