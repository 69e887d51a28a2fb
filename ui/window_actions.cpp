// The actions of the window: what they are called and what they do. Split from main_window.cpp,
// which composes; both implement ui/main_window.h.

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/chat_model.h"
#include "app/state/config_controller.h"
#include "app/state/model_controller.h"
#include "app/state/report_controller.h"
#include "ui/action_registry.h"
#include "ui/cache_map_panel.h"
#include "ui/chat_view.h"
#include "ui/command_palette.h"
#include "ui/guided_demo.h"
#include "ui/knob_panel.h"
#include "ui/main_window.h"
#include "ui/notice_bar.h"
#include "ui/panel_dock.h"
#include "ui/prompt_box.h"
#include "ui/retention_view.h"
#include "ui/session_list.h"
#include "ui/shortcut_sheet.h"
#include "ui/telemetry_panel.h"
#include "ui/theme.h"
#include "ui/window_paths.h"

namespace lacuna::ui {

namespace {

QList<QKeySequence> keys(std::initializer_list<const char*> names) {
    QList<QKeySequence> list;
    for (const char* name : names) list << QKeySequence(QString::fromLatin1(name));
    return list;
}

}  // namespace

void MainWindow::addFileActions() {
    const auto place = MenuPlace::File;
    m_actions->add(
        {QStringLiteral("chat.new"), tr("New conversation"),
         tr("Start an empty conversation; the others stay."), place, keys({"Ctrl+N", "Ctrl+T"})},
        [this] {
            m_state.chat().newConversation();
            m_prompt->focusText();
        });
    m_actions->addSeparator(place);
    m_actions->add(
        {QStringLiteral("report.export"), tr("Export report..."),
         tr("Write JSON (replayable), CSV, Markdown, HTML and charts of this session to a folder."),
         place, keys({"Ctrl+E"})},
        [this] { chooseReportFolder(); });
    m_actions->addSeparator(place);
    m_actions->add(
        {QStringLiteral("app.quit"), tr("Quit"), tr("Close Lacuna."), place, keys({"Ctrl+Q"})},
        [this] { close(); });
}

void MainWindow::addEditActions() {
    const auto place = MenuPlace::Edit;
    m_actions->add(
        {QStringLiteral("chat.copy"), tr("Copy last answer"),
         tr("Put the text of the last answer on the clipboard."), place, keys({"Ctrl+Shift+C"})},
        [this] { copyLastAnswer(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("chat.rename"), tr("Rename conversation..."),
                    tr("Give this conversation another title."), place, keys({"F2"})},
                   [this] { renameConversation(); });
    m_actions->add({QStringLiteral("chat.delete"), tr("Delete conversation"),
                    tr("Delete this conversation and give its cache back; can be undone."), place,
                    keys({"Ctrl+Shift+D"})},
                   [this] { deleteConversation(); });
    m_actions->add({QStringLiteral("chat.undelete"), tr("Undo delete"),
                    tr("Bring the conversation deleted last back."), place, keys({"Ctrl+Shift+Z"})},
                   [this] { undoDelete(); });
    m_actions->add({QStringLiteral("chat.search"), tr("Search conversations"),
                    tr("Find conversations by their titles and by every word in them."), place,
                    keys({"Ctrl+Shift+F"})},
                   [this] { m_sessions->focusSearch(); });
}

void MainWindow::addModelActions() {
    const auto place = MenuPlace::Model;
    m_actions->add(
        {QStringLiteral("model.load"), tr("Load model..."),
         tr("Load a model from a GGUF file; conversations stay."), place, keys({"Ctrl+O"})},
        [this] { chooseModel(); });
    m_actions->add(
        {QStringLiteral("model.loadFolder"), tr("Load model folder..."),
         tr("Load a folder with config.json, tokenizer.json and safetensors files."), place},
        [this] { chooseModelFolder(); });
    m_actions->add(
        {QStringLiteral("model.bundled"), tr("Load the bundled model"),
         tr("Load the small model that ships with Lacuna."), place, keys({"Ctrl+Shift+O"})},
        [this] { m_state.model().loadBundled(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("model.details"), tr("Model details"),
                    tr("Shape, tensors, cache bytes per token, tokenizer and memory plan."), place,
                    keys({"Ctrl+I"})},
                   [this] { showModelDetails(); });
    m_actions->add({QStringLiteral("model.inspect"), tr("Inspect a model file..."),
                    tr("The same for a file that is not loaded; nothing else changes."), place,
                    keys({"Ctrl+Shift+I"})},
                   [this] { chooseModelToInspect(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("model.unload"), tr("Unload model"),
                    tr("Give the model's memory back."), place},
                   [this] { m_state.model().unload(); });
}

void MainWindow::addSessionActions() {
    const auto place = MenuPlace::Session;
    m_actions->add({QStringLiteral("chat.send"), tr("Send"), tr("Send what stands in the prompt."),
                    place, keys({"Ctrl+Return"})},
                   [this] { send(); });
    m_actions->add({QStringLiteral("chat.stop"), tr("Stop"),
                    tr("Stop the answer that is being written."), place, keys({"Esc"})},
                   [this] { m_state.chat().stop(); });
    m_actions->add({QStringLiteral("chat.regenerate"), tr("Regenerate"),
                    tr("Answer the last question again."), place, keys({"Ctrl+R"})},
                   [this] { m_state.chat().regenerate(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("cache.compact"), tr("Compact now"),
                    tr("Compact the cache of this conversation at the next token, with the "
                       "settings in force."),
                    place, keys({"F9"})},
                   [this] { m_state.chat().compactNow(); });
    m_actions->add({QStringLiteral("settings.reset"), tr("Reset settings"),
                    tr("Set every setting back to the value the program started with."), place,
                    keys({"Ctrl+Shift+R"})},
                   [this] { m_state.config().resetAll(); });
}

void MainWindow::addViewActions() {
    const auto place = MenuPlace::View;
    m_actions->add({QStringLiteral("view.palette"), tr("Commands"),
                    tr("Find and run any action by name."), place, keys({"Ctrl+K"})},
                   [this] { m_palette->open(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("focus.chat"), tr("Go to prompt"),
                    tr("Put the keyboard into the prompt."), place, keys({"Ctrl+1"})},
                   [this] { m_prompt->focusText(); });
    const QList<std::tuple<QString, QString, PanelDock*, const char*>> docks{
        {QStringLiteral("sessions"), tr("sessions"), m_sessionsDock, "Ctrl+2"},
        {QStringLiteral("tuning"), tr("tuning"), m_tuningDock, "Ctrl+3"},
        {QStringLiteral("telemetry"), tr("telemetry"), m_telemetryDock, "Ctrl+4"},
        {QStringLiteral("maps"), tr("cache map"), m_mapsDock, "Ctrl+5"},
        {QStringLiteral("timeline"), tr("timeline"), m_timelineDock, "Ctrl+6"}};
    for (const auto& [id, name, dock, key] : docks) {
        PanelDock* target = dock;
        m_actions->add(
            {QStringLiteral("focus.") + id, tr("Go to %1").arg(name),
             tr("Show the %1 panel and put the keyboard there.").arg(name), place, keys({key})},
            [target] { target->focusInside(); });
    }
    m_actions->add({QStringLiteral("focus.next"), tr("Next panel"), tr("Go round the panels."),
                    place, keys({"F6"})},
                   [this] { focusNextPane(); });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("telemetry.pause"), tr("Pause charts"),
                    tr("Hold the charts still; recording goes on."), place, keys({"F8"})},
                   [this] { m_telemetry->toggleMode(); });
    m_actions->add(
        {QStringLiteral("telemetry.table"), tr("Charts as tables"),
         tr("Show the figures of the charts or maps in sight as tables."), place, keys({"F4"})},
        [this] {
            if (m_mapsSeen) {
                m_maps->toggleTable();
            } else {
                m_telemetry->toggleTable();
            }
        });
    m_actions->add({QStringLiteral("view.retention"), tr("Retention overlay"),
                    tr("Tint every word of the conversation by what the cache still holds of it: "
                       "kept, merged, kept in part, evicted."),
                    place, keys({"Alt+E"})},
                   [this] {
                       if (m_retention->isVisible()) {
                           hideRetention();
                       } else {
                           showRetention();
                       }
                   });
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("theme.toggle"), tr("Light / dark"),
                    tr("Change between light and dark."), place, keys({"Ctrl+Shift+L"})},
                   [this] {
                       const bool dark = m_themes.theme().kind == ThemeKind::Dark;
                       m_themes.setChoice(dark ? ThemeChoice::Light : ThemeChoice::Dark);
                   });
    m_actions->add({QStringLiteral("theme.system"), tr("Theme of the system"),
                    tr("Follow the light or dark theme of the system."), place},
                   [this] { m_themes.setChoice(ThemeChoice::System); });
    m_actions->add({QStringLiteral("view.reset"), tr("Reset layout"),
                    tr("Put every panel back to its place."), place, keys({"Ctrl+Shift+0"})},
                   [this] { resetLayout(); });
}

void MainWindow::addHelpActions() {
    const auto place = MenuPlace::Help;
    m_actions->add(
        {QStringLiteral("demo.run"), tr("Guided demo"),
         tr("Let the bundled model recall facts from a long text while compression settings move."),
         place, keys({"Ctrl+Shift+G"})},
        [this] { startDemo(documentsFolder(QStringLiteral("lacuna-demo"))); });
    m_actions->add({QStringLiteral("help.shortcuts"), tr("Keyboard shortcuts"),
                    tr("Every action and its keys."), place, keys({"F1"})},
                   [this] { (new ShortcutSheet(*m_actions, this))->show(); });
    m_actions->add(
        {QStringLiteral("help.about"), tr("About Lacuna"), tr("Version and licence."), place},
        [this] { showAbout(); });
}

void MainWindow::refreshActions() {
    app::ChatController& chat = m_state.chat();
    const QString noSubmit = chat.whyNoSubmit();
    const QString noModel = m_state.model().problem();
    const bool empty = chat.currentModel().isEmpty();
    m_actions->setReason(QStringLiteral("chat.send"), noSubmit);
    m_actions->setReason(QStringLiteral("chat.stop"),
                         chat.answering() ? QString() : tr("No answer is running."));
    m_actions->setReason(QStringLiteral("chat.regenerate"), chat.canRegenerate() ? QString()
                                                            : noSubmit.isEmpty()
                                                                ? tr("There is no answer yet.")
                                                                : noSubmit);
    m_actions->setReason(QStringLiteral("cache.compact"),
                         !noModel.isEmpty() ? noModel
                         : empty            ? tr("Nothing is cached in this conversation yet.")
                                            : QString());
    m_actions->setReason(QStringLiteral("chat.copy"),
                         empty ? tr("There is no answer yet.") : QString());
    m_actions->setReason(QStringLiteral("chat.undelete"),
                         chat.canUndoRemove() ? QString() : tr("No conversation was deleted."));
    m_actions->setReason(QStringLiteral("model.unload"), noModel);
    m_actions->setReason(QStringLiteral("report.export"),
                         m_state.report().running() ? tr("A report is being written.") : QString());
    m_prompt->setState(chat.answering() ? PromptState::Answering : PromptState::Writing, noSubmit);
    m_chatView->setEmptyText(noModel.isEmpty()
                                 ? tr("Paste a long text, hide a fact in it and ask for it: the "
                                      "charts show what remembering costs.\n\n"
                                      "Help > Guided demo does it for you in about a minute.")
                                 : noModel);
}

}  // namespace lacuna::ui
