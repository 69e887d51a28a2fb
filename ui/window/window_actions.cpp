#include "ui/window/window_actions.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QSettings>
#include <algorithm>
#include <array>

#include "app/remote/remote_controller.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/storage/conversation_database.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/chat/attachment_controller.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/conversation_exporter.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/markdown_writer.h"
#include "ui/chat/message_actions.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/retention_presenter.h"
#include "ui/chat/session_list.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"
#include "ui/window/action_registry.h"
#include "ui/window/guided_demo.h"
#include "ui/window/main_window.h"
#include "ui/window/page_stack.h"
#include "ui/window/recent_models.h"
#include "ui/window/recorded_view.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

QList<QKeySequence> keys(std::initializer_list<const char*> names) {
    QList<QKeySequence> list;
    for (const char* name : names) list << QKeySequence(QString::fromLatin1(name));
    return list;
}

}  // namespace

WindowActions::WindowActions(ActionRegistry& actions, const Targets& on)
    : m_actions(actions), m_on(on) {
    addFileActions();
    addEditActions();
    addModelActions();
    addSessionActions();
    addViewActions();
    addToolActions();
    addHelpActions();
    connect(&actions, &ActionRegistry::started, &on.notice, &NoticeBar::nextAction);
    connect(&on.prompt, &PromptBox::sendRequested, this, &WindowActions::send);
    connect(&on.prompt, &PromptBox::attachRequested, this, &WindowActions::attachFiles);
    connect(&on.find, &FindBar::closed, &on.prompt, &PromptBox::focusText);
    // The message that had the focus is replaced.
    connect(&on.chat, &ChatView::editSent, &on.prompt, &PromptBox::focusText, Qt::QueuedConnection);
    connect(&on.chat, &ChatView::continueRequested, &on.state.chat(),
            &app::ChatController::continueAnswer);
    connect(&on.sessions, &SessionList::newRequested, this,
            [this] { m_actions.find(QStringLiteral("chat.new"))->trigger(); });
    connect(&on.sessions, &SessionList::renameRequested, &on.dialogs,
            &WindowDialogs::renameConversation);
    connect(&on.sessions, &SessionList::deleteRequested, this, &WindowActions::deleteConversation);
    connect(&on.state.model(), &app::ModelController::changed, this, &WindowActions::refresh);
    connect(&on.state.chat(), &app::ChatController::currentChanged, this, &WindowActions::refresh);
    connect(&on.state.chat(), &app::ChatController::titleChanged, this, &WindowActions::refresh);
    connect(&on.state.chat(), &app::ChatController::stateChanged, this, &WindowActions::refresh);
    connect(&on.state.feed(), &app::SessionFeed::engineChanged, this, [this] {
        refreshStop();
        if (m_cached != (m_on.state.feed().engine().contextTokens > 0)) refresh();
    });
    connect(&on.state.chat(), &app::ChatController::questionReturned, &on.prompt,
            &PromptBox::restoreDraft);
    on.chat.offer(actions.find(QStringLiteral("cache.bringBack")));
    connect(&on.chat, &ChatView::markedChanged, this, &WindowActions::refreshBringBack);
    connect(&on.state.config(), &app::ConfigController::undoChanged, this, &WindowActions::refresh);
    connect(&on.state, &app::ApplicationState::cacheFileDone, this,
            [this](const QString& sentence, bool problem) {
                m_on.notice.showMessage(problem ? NoticeKind::Problem : NoticeKind::Success,
                                        sentence);
            });
    connect(&on.remote, &app::RemoteController::changed, this, &WindowActions::refresh);
    connect(&on.window.recorded(), &RecordedView::changed, this, &WindowActions::refresh);
    connect(&on.state.report(), &app::ReportController::runningChanged, this,
            &WindowActions::refresh);
    actions.refreshChecks();
    refresh();
}

WindowActions::~WindowActions() = default;

void WindowActions::addFileActions() {
    const auto place = Menu::File;
    m_actions.add(
        {QStringLiteral("chat.new"), tr("New conversation"),
         tr("Start an empty conversation; the others stay."), place, keys({"Ctrl+N", "Ctrl+T"})},
        [this] {
            m_on.state.chat().newConversation();
            m_on.sessions.reveal();
            m_on.prompt.focusText();
        });
    m_actions.addSeparator(place);
    m_recent = std::make_unique<RecentModels>(m_actions, m_on.state);
    m_exporter = std::make_unique<ConversationExporter>(
        m_actions, m_on.state.chat(), m_on.dialogs.files(), m_on.notice, m_on.window);
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("report.export"), tr("Export report..."),
                   tr("Save this session to a folder as JSON (replayable), PDF, HTML, Markdown, "
                      "CSV or charts."),
                   place, keys({"Ctrl+E"})},
                  [this] { m_on.window.pages().open(Page::Reports); });
    m_actions.add({QStringLiteral("report.open"), tr("Open report..."),
                   tr("Open a recorded session in this window, step through it and run it again."),
                   place, keys({"Ctrl+Alt+O"})},
                  [this] { m_on.dialogs.chooseReport(); });
    m_actions.add({QStringLiteral("report.close"), tr("Close recorded session"),
                   tr("Return to the live session."), place, keys({"Ctrl+W"})},
                  [this] { m_on.window.recorded().close(); });
    m_actions.addSeparator(place);
    m_actions.add(
        {QStringLiteral("app.quit"), tr("Quit"), tr("Close Lacuna."), place, keys({"Ctrl+Q"})},
        [this] { m_on.window.close(); });
}

namespace {

/// Slots common to the text widgets of Qt.
struct TextAction {
    const char* id;
    const char* slot;
    const char* key;  ///< key handled by text widgets; empty: another action of this window uses it
};
constexpr std::array kTextActions{TextAction{"text.undo", "undo", "Ctrl+Z"},
                                  TextAction{"text.redo", "redo", ""},
                                  TextAction{"text.cut", "cut", "Ctrl+X"},
                                  TextAction{"text.copy", "copy", "Ctrl+C"},
                                  TextAction{"text.paste", "paste", "Ctrl+V"},
                                  TextAction{"text.selectAll", "selectAll", "Ctrl+A"}};

bool hasSlot(const QWidget& widget, const char* slot) {
    return widget.metaObject()->indexOfMethod(QByteArray(slot).append("()").constData()) >= 0;
}

bool isReadOnly(const QWidget& widget) {
    return widget.property("readOnly").toBool();
}

}  // namespace

/// The text widgets handle their keys themselves; the menu only displays them.
void WindowActions::addTextActions() {
    const QString names[] = {tr("Undo"), tr("Redo"),  tr("Cut"),
                             tr("Copy"), tr("Paste"), tr("Select all")};
    const QString tips[] = {tr("Undo the last change of the text."),
                            tr("Redo the change that was undone."),
                            tr("Cut the selected text to the clipboard."),
                            tr("Copy the selected text to the clipboard."),
                            tr("Paste the text from the clipboard."),
                            tr("Select the whole text.")};
    for (std::size_t i = 0; i < kTextActions.size(); ++i) {
        const TextAction& one = kTextActions[i];
        QAction* action =
            m_actions.add({QString::fromLatin1(one.id), names[i], tips[i], Menu::Edit,
                           *one.key == '\0' ? QList<QKeySequence>() : keys({one.key})},
                          [this, slot = one.slot] {
                              if (m_text != nullptr) QMetaObject::invokeMethod(m_text, slot);
                          });
        action->setShortcutContext(Qt::WidgetShortcut);
    }
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now == nullptr || now->window() != &m_on.window) return;
        if (hasSlot(*now, "copy")) m_text = now;
        refreshTextActions();
    });
    refreshTextActions();
}

void WindowActions::refreshTextActions() {
    for (const TextAction& one : kTextActions) {
        const bool reads = qstrcmp(one.slot, "copy") == 0 || qstrcmp(one.slot, "selectAll") == 0;
        const QString no = m_text == nullptr               ? tr("Click into a text field first.")
                           : !reads && isReadOnly(*m_text) ? tr("This text cannot be changed.")
                                                           : QString();
        m_actions.setReason(QString::fromLatin1(one.id), no);
    }
}

void WindowActions::addEditActions() {
    const auto place = Menu::Edit;
    addTextActions();
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("chat.copy"), tr("Copy last answer"),
                   tr("Copy the text of the last answer."), place, keys({"Ctrl+Shift+C"})},
                  [this] { copyLastAnswer(); });
    m_actions.add({QStringLiteral("chat.copyCode"), tr("Copy last code"),
                   tr("Copy the last code block of the last answer."), place, keys({"Ctrl+Alt+C"})},
                  [this] { copyLastCode(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("chat.rename"), tr("Rename conversation..."),
                   tr("Change the title of this conversation."), place, keys({"F2"})},
                  [this] { m_on.dialogs.renameConversation(); });
    m_actions.add({QStringLiteral("chat.delete"), tr("Delete conversation"),
                   tr("Delete this conversation and release its cache; can be undone."), place,
                   keys({"Ctrl+Shift+D"})},
                  [this] { deleteConversation(); });
    m_actions.add({QStringLiteral("chat.undelete"), tr("Undo delete"),
                   tr("Restore the conversation deleted last."), place, keys({"Ctrl+Shift+Z"})},
                  [this] { undoDelete(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("chat.find"), tr("Find in conversation"),
                   tr("Find words in this conversation and step through the matches."), place,
                   keys({"Ctrl+F"})},
                  [this] { m_on.find.open(); });
    m_actions.add({QStringLiteral("chat.findNext"), tr("Next match"), tr("Go to the next match."),
                   place, keys({"F3"})},
                  [this] { m_on.find.findNext(); });
    m_actions.add({QStringLiteral("chat.findPrevious"), tr("Previous match"),
                   tr("Go to the previous match."), place, keys({"Shift+F3"})},
                  [this] { m_on.find.findPrevious(); });
    m_actions.add(
        {QStringLiteral("chat.search"), tr("Search conversations"),
         tr("Search the titles and messages of all conversations."), place, keys({"Ctrl+Shift+F"})},
        [this] { m_on.sessions.focusSearch(); });
}

void WindowActions::addModelActions() {
    const auto place = Menu::Model;
    m_actions.add({QStringLiteral("model.page"), tr("Models..."),
                   tr("Models on this machine and whether they fit, downloads, draft models, "
                      "calibration, conversion."),
                   place, keys({"Ctrl+Alt+L"})},
                  [this] { m_on.dialogs.openModels(); });
    m_actions.add(
        {QStringLiteral("model.load"), tr("Load model..."),
         tr("Load a model from a GGUF file; conversations stay."), place, keys({"Ctrl+O"})},
        [this] { m_on.dialogs.chooseModel(); });
    m_actions.add(
        {QStringLiteral("model.loadFolder"), tr("Load model folder..."),
         tr("Load a folder with config.json, tokenizer.json and safetensors files."), place},
        [this] { m_on.dialogs.chooseModelFolder(); });
    m_actions.add(
        {QStringLiteral("model.bundled"), tr("Load the bundled model"),
         tr("Load the small model that ships with Lacuna."), place, keys({"Ctrl+Shift+O"})},
        [this] { m_on.state.model().loadBundled(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("model.details"), tr("Model details"),
                   tr("Shape, tensors, cache bytes per token, tokenizer and memory plan."), place,
                   keys({"Ctrl+I"})},
                  [this] { m_on.dialogs.showModelDetails(); });
    m_actions.add(
        {QStringLiteral("model.inspect"), tr("Inspect a model file..."),
         tr("Show the details of a model file without loading it."), place, keys({"Ctrl+Shift+I"})},
        [this] { m_on.dialogs.chooseModelToInspect(); });
    m_actions.add(
        {QStringLiteral("model.measurePrecision"), tr("Measure the precision"),
         tr("Measure again, between answers, which arithmetic precision this model needs."), place},
        [this] { m_on.state.model().measurePrecision(); });
    m_actions.add({QStringLiteral("model.skipPrecision"), tr("Skip measuring"),
                   tr("Skip measuring the precision: answers are computed with two 8-bit terms, "
                      "which every model tolerates."),
                   place},
                  [this] { m_on.state.model().skipPrecision(); });
    m_actions.add({QStringLiteral("model.fitSurrogate"), tr("Fit a surrogate"),
                   tr("Fit again, between answers, the surrogate that predicts which tokens of a "
                      "text this model needs."),
                   place},
                  [this] { m_on.state.model().fitSurrogate(); });
    m_actions.add({QStringLiteral("model.skipSurrogate"), tr("Skip fitting"),
                   tr("Skip fitting the surrogate: texts are repeated between answers to find out "
                      "which of their tokens are needed."),
                   place},
                  [this] { m_on.state.model().skipSurrogate(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("remote.connect"), tr("Connect to an engine..."),
                   tr("Let a remote engine answer: vLLM, SGLang, llama-server, another Lacuna or "
                      "any server with an OpenAI-compatible API."),
                   place, keys({"Ctrl+Shift+N"})},
                  [this] { m_on.dialogs.openRemote(); });
    m_actions.add({QStringLiteral("remote.disconnect"), tr("Disconnect from the engine"),
                   tr("Let the local engine answer again."), place},
                  [this] { m_on.remote.disconnectNow(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("model.unload"), tr("Unload model"),
                   tr("Unload the model and free its memory."), place},
                  [this] { m_on.state.model().unload(); });
}

void WindowActions::addSessionActions() {
    const auto place = Menu::Session;
    m_actions.add({QStringLiteral("chat.send"), tr("Send"), tr("Send the prompt."), place,
                   keys({"Ctrl+Return"})},
                  [this] { send(); });
    m_actions.add(
        {QStringLiteral("chat.stop"), tr("Stop"),
         tr("Stop the answer, the loading of a model, or a compaction in the background."), place,
         keys({"Esc"})},
        [this] {
            // Cancels a question that waits for a model first; loading continues.
            if (!m_on.state.chat().queued()) m_on.state.model().stopLoading();
            if (m_on.state.chat().answering())
                m_on.state.chat().stop();
            else if (m_on.state.feed().compactsInBackground())
                m_on.state.chat().stopCompaction();
        });
    m_actions.add({QStringLiteral("chat.regenerate"), tr("Regenerate"),
                   tr("Answer the last question again."), place, keys({"Ctrl+R"})},
                  [this] { m_on.state.chat().regenerate(); });
    m_actions.add(
        {QStringLiteral("chat.continue"), tr("Continue"),
         tr("Continue the last answer where it ended."), place, keys({"Ctrl+Shift+Return"})},
        [this] { m_on.state.chat().continueAnswer(); });
    m_actions.add({QStringLiteral("chat.attach"), tr("Attach files..."),
                   tr("Attach texts, source code or PDFs to the next question."), place,
                   keys({"Ctrl+Shift+A"})},
                  [this] { attachFiles(); });
    m_actions.add({QStringLiteral("chat.system"), tr("System prompt..."),
                   tr("Instructions that the model reads before this conversation."), place,
                   keys({"Ctrl+Shift+P"})},
                  [this] { m_on.dialogs.editSystemPrompt(); });
    m_messageActions = std::make_unique<MessageActions>(m_actions, m_on.state, m_on.chat,
                                                        m_on.notice, m_on.window);
    m_actions.addSeparator(place);
    m_actions.add(
        {QStringLiteral("cache.compact"), tr("Compact now"),
         tr("Compact the cache of this conversation at the next token with the current settings."),
         place, keys({"F9"})},
        [this] { m_on.state.chat().compactNow(); });
    m_actions.add({QStringLiteral("cache.rebuild"), tr("Restore full cache"),
                   tr("Discard the compacted cache of this conversation and turn compression off: "
                      "the next question reads the full text again."),
                   place},
                  [this] { rebuildCache(); });
    m_actions.add({QStringLiteral("cache.bringBack"), tr("Restore words"),
                   tr("Restore the selected evicted words and keep them in later compactions. The "
                      "retention overlay shows which words are evicted."),
                   place, keys({"Ctrl+Shift+Y"})},
                  [this] { bringBack(); });
    m_actions.add({QStringLiteral("cache.save"), tr("Save cache..."),
                   tr("Save the cache of this conversation to a file, so that its text need not be "
                      "read again."),
                   place},
                  [this] { m_on.dialogs.chooseCacheToSave(); });
    m_actions.add(
        {QStringLiteral("cache.load"), tr("Load cache..."),
         tr("Load the cache of this conversation from a file; model and settings must match."),
         place},
        [this] { m_on.dialogs.chooseCacheToLoad(); });
    m_actions.add({QStringLiteral("settings.reset"), tr("Reset settings"),
                   tr("Restore the values that all settings had at program start."), place,
                   keys({"Ctrl+Shift+R"})},
                  [this] { m_on.state.config().resetAll(); });
    m_actions.add({QStringLiteral("settings.undo"), tr("Undo setting"),
                   tr("Undo the last setting change or reset."), place, keys({"Ctrl+Alt+Z"})},
                  [this] { m_on.state.config().undo(); });
}

void WindowActions::addViewActions() {
    const auto place = Menu::View;
    for (const Page page : kPages) {
        const QString tip = tr("Show the page %1.").arg(pageTitle(page));
        m_actions.add(
            {.id = QStringLiteral("page.") + pageKey(page),
             .text = pageTitle(page),
             .tooltip = tip,
             .menu = place,
             .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + static_cast<int>(page)))},
             .checked = [this, page] { return m_on.window.pages().current() == page; }},
            [this, page] { m_on.window.pages().open(page); });
    }
    m_actions.addSeparator(place);
    int digit = 0;
    for (const auto& [id, name, widget] : m_on.window.panels()) {
        m_actions.add({.id = QStringLiteral("panel.") + id,
                       .text = tr("Show %1").arg(name),
                       .tooltip = tr("Show or hide the %1 on the chat page.").arg(name),
                       .menu = place,
                       .checked = [panel = widget] { return !panel->isHidden(); }},
                      [this, panel = widget, key = id] {
                          m_on.window.setPanelShown(key, panel->isHidden());
                      });
        m_actions.add({QStringLiteral("focus.") + id,
                       tr("Go to %1").arg(name),
                       tr("Show the %1 and move the focus there.").arg(name),
                       place,
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key(Qt::Key_1 + digit++))}},
                      [this, key = id] { m_on.window.focusPanel(key); });
    }
    m_actions.add({QStringLiteral("focus.next"), tr("Next panel"),
                   tr("Move the focus through the panels."), place, keys({"F6"})},
                  [this] { m_on.window.focusNextPane(); });
    m_actions.addSeparator(place);
    m_actions.add({.id = QStringLiteral("telemetry.pause"),
                   .text = tr("Pause charts"),
                   .tooltip = tr("Freeze the charts; recording continues."),
                   .menu = place,
                   .shortcuts = keys({"F8"}),
                   .checked = [this] { return m_on.telemetry.mode() == ViewMode::Paused; }},
                  [this] { m_on.telemetry.toggleMode(); });
    m_actions.add(
        {.id = QStringLiteral("telemetry.table"),
         .text = tr("Charts as tables"),
         .tooltip = tr("Show the focused chart or map, or all visible ones, as a table, and back."),
         .menu = place,
         .shortcuts = keys({"F4"}),
         .checked =
             [this] {
                 return m_on.retention.mapsSeen() ? m_on.maps.showsTable()
                                                  : m_on.telemetry.showsTable();
             }},
        [this] {
            if (m_on.retention.mapsSeen()) {
                m_on.maps.toggleTable();
            } else {
                m_on.telemetry.toggleTable();
            }
        });
    m_actions.add({.id = QStringLiteral("view.retention"),
                   .text = tr("Retention overlay"),
                   .tooltip = tr("Tint every word of the conversation by what the cache still "
                                 "holds of it: kept, merged, kept in part, evicted."),
                   .menu = place,
                   .shortcuts = keys({"F7"}),
                   .checked = [this] { return m_on.retention.overlayShown(); }},
                  [this] {
                      RecordedView& recorded = m_on.window.recorded();
                      if (recorded.shown())
                          recorded.toggleOverlay();
                      else
                          m_on.retention.toggleOverlay();
                  });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("theme.toggle"), tr("Light / dark"),
                   tr("Switch between light and dark."), place, keys({"Ctrl+Shift+L"})},
                  [this] {
                      const bool dark = m_on.themes.theme().kind == ThemeKind::Dark;
                      m_on.themes.setChoice(dark ? ThemeChoice::Light : ThemeChoice::Dark);
                  });
    m_actions.add({.id = QStringLiteral("theme.system"),
                   .text = tr("System theme"),
                   .tooltip = tr("Follow the light or dark theme of the system."),
                   .menu = place,
                   .checked = [this] { return m_on.themes.choice() == ThemeChoice::System; }},
                  [this] { m_on.themes.setChoice(ThemeChoice::System); });
    addLanguages();
}

void WindowActions::addLanguages() {
    auto* group = new QActionGroup(this);
    for (const Language language : languages()) {
        const QString name = languageName(language);
        QAction* action =
            m_actions.add({QStringLiteral("language.") + languageCode(language),
                           name,
                           tr("Use this language from the next start of Lacuna."),
                           Menu::View,
                           {},
                           tr("Language")},
                          [this, language, name] {
                              QSettings settings = windowSettings();
                              storeLanguage(settings, language);
                              m_on.notice.showMessage(
                                  NoticeKind::Success,
                                  tr("Language from the next start of Lacuna: %1.").arg(name));
                          });
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(language == storedLanguage(windowSettings()));
    }
}

/// Adds the measurements and the secondary windows.
void WindowActions::addToolActions() {
    const auto place = Menu::Tools;
    m_actions.add(
        {QStringLiteral("measure.compare"), tr("Compare two settings..."),
         tr("Answer one question under two settings, side by side."), place, keys({"Ctrl+B"})},
        [this] { m_on.dialogs.openCompare(); });
    m_actions.add({QStringLiteral("measure.sweep"), tr("Sweep settings..."),
                   tr("Try methods, ratios and budgets on this conversation and plot the cost and "
                      "loss of each."),
                   place, keys({"Ctrl+Shift+B"})},
                  [this] { m_on.dialogs.openSweep(); });
    m_actions.add(
        {QStringLiteral("measure.quality"), tr("Quality of this model..."),
         tr("Recall, RULER score and cost of every method at every ratio, for the model in use."),
         place, keys({"Ctrl+Shift+Q"})},
        [this] { m_on.dialogs.openQuality(); });
    m_actions.add({QStringLiteral("measure.formats"), tr("Cache formats of this model..."),
                   tr("Presets and bits of keys and values, and what each costs on the model in "
                      "use: bytes, divergence, recall, speed."),
                   place, keys({"Ctrl+Shift+K"})},
                  [this] { m_on.dialogs.openFormats(); });
    m_actions.addSeparator(place);
    m_actions.add({QStringLiteral("memory.open"), tr("Memory..."),
                   tr("Prefixes stored in memory and on disk, what they saved, and how each "
                      "conversation uses them."),
                   place, keys({"Ctrl+Shift+M"})},
                  [this] { m_on.dialogs.openMemory(); });
    m_actions.add({QStringLiteral("server.open"), tr("Server..."),
                   tr("Let other programs use the loaded model: switch the server on and off, "
                      "watch its answers, copy client examples."),
                   place, keys({"Ctrl+Shift+S"})},
                  [this] { m_on.dialogs.openServer(); });
}

void WindowActions::addHelpActions() {
    const auto place = Menu::Help;
    m_actions.add(
        {QStringLiteral("help.welcome"), tr("What now?"),
         tr("Ways to continue: chat, load a model, tune; and what the bundled model can do."),
         place, keys({"Ctrl+F1"})},
        [this] { m_on.window.openWelcome(); });
    m_actions.add({QStringLiteral("demo.short"), tr("Demo in 20 seconds"),
                   tr("The model reads a page and is asked for a fact; the cache is made four "
                      "times smaller, and it is asked for another."),
                   place, keys({"Ctrl+Shift+G"})},
                  [this] { m_on.window.startShortDemo(); });
    m_actions.add(
        {QStringLiteral("demo.run"), tr("Full demo with report"),
         tr("A short chat, then facts asked of a long text, with the full cache and with compacted "
            "ones; about two minutes."),
         place},
        [this] { m_on.window.startDemo(documentsFolder(QStringLiteral("lacuna-demo"))); });
    m_actions.add({QStringLiteral("help.shortcuts"), tr("Keyboard shortcuts"),
                   tr("Every action and its keys."), place, keys({"F1"})},
                  [this] { m_on.dialogs.showShortcuts(m_actions); });
    m_actions.add({QStringLiteral("help.log"), tr("Event log"),
                   tr("The timeline: events of this session, and the program log of this run and "
                      "earlier ones."),
                   place, keys({"Ctrl+Shift+J"})},
                  [this] { m_on.dialogs.showLog(); });
    m_actions.add(
        {QStringLiteral("help.about"), tr("About Lacuna"), tr("Version and licence."), place},
        [this] { m_on.dialogs.showAbout(); });
}

void WindowActions::refresh() {
    app::ChatController& chat = m_on.state.chat();
    const QString noSubmit = chat.submitBlocker();
    const QString noModel = m_on.state.model().problem();
    const bool empty = chat.currentModel().isEmpty();
    m_cached = m_on.state.feed().engine().contextTokens > 0;
    const QString rests = m_on.state.localEngineBlocker();
    m_actions.setReason(QStringLiteral("remote.disconnect"),
                        m_on.remote.connected() ? QString() : tr("No remote engine is connected."));
    for (const char* local : {"model.load", "model.loadFolder", "model.bundled", "measure.compare",
                              "measure.sweep", "view.retention", "demo.run", "demo.short"})
        m_actions.setReason(QString::fromLatin1(local), rests);
    m_actions.setReason(QStringLiteral("chat.send"), noSubmit);
    refreshStop();
    const QString noAgain = chat.canRegenerate() ? QString()
                            : noSubmit.isEmpty() ? tr("There is no answer yet.")
                                                 : noSubmit;
    m_actions.setReason(QStringLiteral("chat.regenerate"), noAgain);
    m_messageActions->refresh();
    m_actions.setReason(QStringLiteral("chat.continue"),
                        rests.isEmpty() ? chat.continueBlocker() : rests);
    m_actions.setReason(QStringLiteral("chat.system"), chat.systemPromptBlocker());
    for (const char* finding : {"chat.find", "chat.findNext", "chat.findPrevious"})
        m_actions.setReason(QString::fromLatin1(finding),
                            empty ? tr("This conversation is empty.") : QString());
    m_actions.setReason(QStringLiteral("cache.compact"),
                        !rests.isEmpty()     ? rests
                        : !noModel.isEmpty() ? noModel
                        : empty              ? tr("Nothing is cached in this conversation yet.")
                        : !m_cached
                            ? tr("The cache of this conversation is empty: its text is read again "
                                 "with the next question.")
                            : QString());
    m_actions.setReason(QStringLiteral("cache.rebuild"),
                        !rests.isEmpty()     ? rests
                        : !noModel.isEmpty() ? noModel
                        : empty              ? tr("Nothing is cached in this conversation yet.")
                        : chat.answering()   ? tr("An answer is being written. Stop it first.")
                                             : QString());
    const QString noCache = !rests.isEmpty()     ? rests
                            : !noModel.isEmpty() ? noModel
                            : chat.answering()   ? tr("An answer is being written. Stop it first.")
                                                 : QString();
    m_actions.setReason(QStringLiteral("cache.load"), noCache);
    m_actions.setReason(
        QStringLiteral("cache.save"),
        noCache.isEmpty() && empty ? tr("Nothing is cached in this conversation yet.") : noCache);
    refreshBringBack();
    for (const char* copying : {"chat.copy", "chat.copyCode"})
        m_actions.setReason(QString::fromLatin1(copying),
                            empty ? tr("There is no answer yet.") : QString());
    m_actions.setReason(QStringLiteral("chat.undelete"),
                        chat.canUndoRemove() ? QString() : tr("No conversation was deleted."));
    m_actions.setReason(QStringLiteral("settings.undo"),
                        m_on.state.config().undoText().isEmpty()
                            ? tr("No setting of this conversation was changed.")
                            : QString());
    m_actions.setReason(QStringLiteral("model.unload"), rests.isEmpty() ? noModel : rests);
    const bool measuring = m_on.state.model().measuringPrecision();
    m_actions.setReason(QStringLiteral("model.measurePrecision"),
                        !rests.isEmpty()     ? rests
                        : !noModel.isEmpty() ? noModel
                        : measuring          ? tr("The precision is being measured.")
                                             : QString());
    m_actions.setReason(QStringLiteral("model.skipPrecision"),
                        measuring ? QString() : tr("No precision is being measured."));
    const bool fitting = m_on.state.model().fittingSurrogate();
    m_actions.setReason(QStringLiteral("model.fitSurrogate"),
                        !rests.isEmpty()     ? rests
                        : !noModel.isEmpty() ? noModel
                        : fitting            ? tr("A surrogate is being fitted.")
                                             : QString());
    m_actions.setReason(QStringLiteral("model.skipSurrogate"),
                        fitting ? QString() : tr("No surrogate is being fitted."));
    m_actions.setReason(QStringLiteral("report.export"),
                        m_on.state.report().running() ? tr("A report is being written.") : rests);
    refreshRecorded();
    m_on.prompt.setState(chat.answering() ? PromptState::Answering : PromptState::Writing,
                         noSubmit);
    const bool queues = m_on.state.model().loading() && noSubmit.isEmpty();
    m_on.prompt.showLine(queues ? tr("A question is sent once the model is loaded.")
                                : runningAnswersNote(noModel.isEmpty() ? noSubmit : QString()));
    if (m_on.window.recorded().shown()) return;
    m_on.chat.setEmptyText(
        !rests.isEmpty()
            ? tr("Remote engine %1 answers this conversation.").arg(m_on.state.remote()->name)
        : noModel.isEmpty() ? tr("Say hello, or paste a long text and ask about it: the charts "
                                 "show what its cache costs.\n\nHelp > Demo in 20 seconds shows "
                                 "it; Help > What now? lists ways to continue.")
        : m_on.state.model().loading()
            ? noModel
            : noModel + QStringLiteral("\n\n") +
                  tr("Model > Load the bundled model (Ctrl+Shift+O) loads the small model that "
                     "ships with Lacuna; Models... lists and downloads others."));
}

/// Actions that change or copy a conversation apply to the live one, which is hidden.
void WindowActions::refreshRecorded() {
    const QString why = m_on.window.recorded().liveMeasurementBlocker();
    m_actions.setReason(QStringLiteral("report.close"),
                        why.isEmpty() ? tr("No recorded session is open.") : QString());
    for (const char* always : {"chat.attach", "chat.rename", "chat.delete", "settings.reset"})
        m_actions.setReason(QString::fromLatin1(always), why);
    if (why.isEmpty()) return;
    for (const char* live :
         {"chat.send", "chat.regenerate", "chat.continue", "chat.edit", "chat.system", "chat.copy",
          "chat.copyCode", "chat.find", "chat.findNext", "chat.findPrevious", "cache.compact",
          "cache.rebuild", "cache.bringBack", "report.export", "settings.undo", "demo.run",
          "demo.short"})
        m_actions.setReason(QString::fromLatin1(live), why);
}

/// States why nothing can be asked, or what happens to a question while others are answered.
/// Reading is possible meanwhile.
QString WindowActions::runningAnswersNote(const QString& noSubmit) const {
    const app::ChatController& chat = m_on.state.chat();
    if (chat.answering()) return {};
    if (!noSubmit.isEmpty()) return noSubmit;
    const QVector<qint64> others = chat.otherAnswering();
    if (others.isEmpty()) return {};
    const QString title =
        QChar(0x201C) + oneLine(chat.title(others.front()), kMaxTitleLength) + QChar(0x201D);
    const bool beside =
        others.size() < m_on.state.config().effective(QStringLiteral("parallel")).toInt();
    if (others.size() > 1)
        return beside ? tr("%1 and %n other conversation(s) are being answered; a question here is "
                           "answered in parallel.",
                           nullptr, static_cast<int>(others.size()) - 1)
                            .arg(title)
                      : tr("%1 and %n other conversation(s) are being answered; a question here "
                           "waits for one of them.",
                           nullptr, static_cast<int>(others.size()) - 1)
                            .arg(title);
    return beside ? tr("%1 is being answered; a question here is answered in parallel.").arg(title)
                  : tr("%1 is being answered; a question here waits for it.").arg(title);
}

void WindowActions::refreshStop() {
    const bool stops = m_on.state.chat().answering() || m_on.state.model().loading() ||
                       m_on.state.feed().compactsInBackground();
    m_actions.setReason(QStringLiteral("chat.stop"),
                        stops ? QString() : tr("No answer is running."));
}

void WindowActions::refreshBringBack() {
    const app::ChatController& chat = m_on.state.chat();
    const QString rests = m_on.state.localEngineBlocker();
    const QString noModel = m_on.state.model().problem();
    const QString over = m_on.window.recorded().liveMeasurementBlocker();
    const ChatView::MarkedTokens marked = m_on.chat.markedTokens();
    m_actions.setReason(QStringLiteral("cache.bringBack"),
                        !over.isEmpty()      ? over
                        : !rests.isEmpty()   ? rests
                        : !noModel.isEmpty() ? noModel
                        : chat.answering()   ? tr("An answer is being written. Stop it first.")
                        : !m_on.chat.tinted()
                            ? tr("Show the retention overlay first, then select words in it.")
                        : marked.count == 0   ? tr("Select evicted words first.")
                        : marked.evicted == 0 ? tr("The cache holds all of the selected words.")
                                              : QString());
}

/// Requests all marked tokens, because restoring only the forgotten ones could evict the others.
void WindowActions::bringBack() {
    const ChatView::MarkedTokens marked = m_on.chat.markedTokens();
    if (marked.evicted > 0) m_on.state.chat().bringBack(marked.first, marked.count);
}

void WindowActions::send() {
    const app::PromptDraft draft = m_on.prompt.draft();
    if (!m_on.prompt.sendBlocker().isEmpty() || !m_on.state.chat().submitBlocker().isEmpty())
        return;
    m_on.prompt.clear();
    m_on.state.chat().submit(draft);
}

/// Deletes immediately without confirmation; it can be undone until the next deletion.
void WindowActions::deleteConversation() {
    app::ChatController& chat = m_on.state.chat();
    const qint64 id = chat.current();
    const QString title = chat.title(id);
    const bool empty = chat.record(id).messages == 0;
    chat.remove(id);
    refresh();
    if (empty) return;
    m_on.notice.showMessage(
        NoticeKind::Success, tr("Deleted \u201c%1\u201d.").arg(oneLine(title, kMaxTitleLength)),
        tr("Undo"), [this] { undoDelete(); }, [&chat] { return chat.canUndoRemove(); });
}

/// Rebuilds from the text, which still contains everything a compaction evicted.
void WindowActions::rebuildCache() {
    const qint64 tokens = m_on.state.feed().engine().contextTokens;
    m_on.state.config().edit(QStringLiteral("method"), QStringLiteral("none"),
                             app::EditPace::Settled);
    m_on.state.chat().releaseCache();
    const QString sentence = tr("The cache was discarded and compression is off. The next question "
                                "reads the full text again, about %1 tokens.")
                                 .arg(app::countText(tokens));
    m_on.notice.showMessage(NoticeKind::Info, sentence);
    app::ChatController& chat = m_on.state.chat();
    m_on.notice.showWhile(sentence, [&chat, conversation = chat.current()] {
        return chat.current() == conversation && !chat.answering();
    });
}

void WindowActions::attachFiles() {
    m_on.dialogs.chooseTexts([this](const QString& path) { m_on.attachments.attachFiles({path}); });
}

void WindowActions::undoDelete() {
    m_on.state.chat().undoRemove();
    refresh();
}

QString WindowActions::lastAnswer() const {
    const auto& lines = m_on.state.chat().currentModel().lines();
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const app::ChatLine& line) {
        return line.speaker == app::MessageRole::Model;
    });
    return last == lines.rend() ? QString() : last->text;
}

void WindowActions::copyLastAnswer() {
    QApplication::clipboard()->setText(lastAnswer());
}

void WindowActions::copyLastCode() {
    const QString code = lastCodeIn(lastAnswer());
    if (code.isEmpty())
        m_on.notice.showMessage(NoticeKind::Info, tr("The last answer has no code block."));
    else
        QApplication::clipboard()->setText(code);
}

}  // namespace lacuna::ui
