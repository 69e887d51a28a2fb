#include "ui/window/window_dialogs.h"

#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QStandardPaths>
#include <QTabWidget>
#include <array>
#include <utility>

#include "app/hub/hub_controller.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/files/program_files.h"
#include "app/state/list_text.h"
#include "app/state/models/memory_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/chat/context_full_dialog.h"
#include "ui/chat/system_prompt_dialog.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/format_page.h"
#include "ui/pages/model_details.h"
#include "ui/pages/models_page.h"
#include "ui/pages/prefix_page.h"
#include "ui/pages/progress_footer.h"
#include "ui/pages/quality_page.h"
#include "ui/pages/remote_page.h"
#include "ui/pages/server_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/panels/timeline_panel.h"
#include "ui/window/action_registry.h"
#include "ui/window/page_stack.h"

namespace lacuna::ui {

namespace {

struct KindName {
    FileKind kind;
    const char* key;
};
constexpr std::array kKinds{KindName{FileKind::Model, "folders/model"},
                            KindName{FileKind::Report, "folders/report"},
                            KindName{FileKind::Table, "folders/table"},
                            KindName{FileKind::Picture, "folders/picture"},
                            KindName{FileKind::Text, "folders/text"},
                            KindName{FileKind::Caches, "folders/caches"},
                            KindName{FileKind::Conversation, "folders/conversation"}};

/// The user's documents folder, or the home folder if there is none.
QString documentsPath() {
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return documents.isEmpty() ? QDir::homePath() : documents;
}

}  // namespace

namespace {

/// True if the folder contains a report in any readable format.
bool holdsReport(const QDir& folder) {
    constexpr qint64 kBegin = 8192;  ///< bytes; enough to contain the title of the page
    if (!app::reportAt(folder.absolutePath()).isEmpty()) return true;
    for (const char* name : {"report.html", "report.md"}) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        if (file.open(QIODevice::ReadOnly) && file.read(kBegin).contains("Lacuna session report"))
            return true;
    }
    return false;
}

}  // namespace

QString folderNextToReport(const QString& folder) {
    QString found = folder;
    QDir above(folder);
    do {
        if (!holdsReport(above)) continue;
        found = QFileInfo(above.absolutePath()).absolutePath();
    } while (above.cdUp());
    return found;
}

QString withTimestamp(const QString& name) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return name + QLatin1Char('-') + stamp;
}

QString documentsFolder(const QString& name) {
    return QDir(documentsPath()).filePath(withTimestamp(name));
}

void FileDialogs::ask(QWidget* window, const FileQuestion& question,
                      std::function<void(const QString& path)> chosen) {
    using Want = FileQuestion::Want;
    const bool fresh = question.want == Want::NewFile || question.want == Want::NewFolder;
    auto* dialog = new QFileDialog(window, question.title, folder(question.kind), question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (fresh) {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setFileMode(QFileDialog::AnyFile);
        if (folder(question.kind).isEmpty())
            dialog->setDirectory(QFileInfo(documentsPath()).isDir() ? documentsPath()
                                                                    : QDir::homePath());
        dialog->setDefaultSuffix(QFileInfo(question.name).suffix());
    }
    if (question.want == Want::Folder) {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
    } else if (question.want == Want::NewFolder) {
        // Any name may be new; an existing folder is opened, not selected.
        dialog->setFilter(QDir::Dirs | QDir::NoDotAndDotDot);
        dialog->setLabelText(QFileDialog::FileName, WindowDialogs::tr("New folder:"));
    } else if (!fresh) {
        dialog->setFileMode(question.want == Want::Files ? QFileDialog::ExistingFiles
                                                         : QFileDialog::ExistingFile);
    }
    if (!question.name.isEmpty()) dialog->selectFile(dialog->directory().filePath(question.name));
    QObject::connect(
        dialog, &QFileDialog::filesSelected, window,
        [this, kind = question.kind, chosen = std::move(chosen)](const QStringList& paths) {
            for (const QString& path : paths) {
                storeFolder(kind, path);
                chosen(path);
            }
        });
    dialog->open();
}

void FileDialogs::storeFolder(FileKind kind, const QString& path) {
    m_folders[kind] = QFileInfo(path).absolutePath();
}

QString FileDialogs::folder(FileKind kind) const {
    const QString path = m_folders.value(kind);
    return QFileInfo(path).isDir() ? path : QString();
}

void FileDialogs::restore(const QSettings& settings) {
    for (const KindName& one : kKinds)
        m_folders[one.kind] = settings.value(QString::fromLatin1(one.key)).toString();
}

void FileDialogs::save(QSettings& settings) const {
    for (const KindName& one : kKinds)
        if (const QString path = m_folders.value(one.kind); !path.isEmpty())
            settings.setValue(QString::fromLatin1(one.key), path);
}

namespace {

constexpr int kTitleWidth = 420;  ///< px; fits a title of the length that is generated

}  // namespace

WindowDialogs::WindowDialogs(app::ApplicationState& state, app::RemoteController& remote,
                             const ThemeSource& themes, PageStack& pages, QWidget& window)
    : m_state(state),
      m_remote(remote),
      m_themes(themes),
      m_window(&window),
      m_pages(pages),
      m_prompts(state.dataFolder()) {
    state.chat().setDefaultPrompt(m_prompts.defaultText());
    connect(&state.report(), &app::ReportController::finished, this,
            [this](const QString& folder) { m_files.storeFolder(FileKind::Report, folder); });
    connect(&state.model(), &app::ModelController::inspected, this, &WindowDialogs::showModelPage);
}

WindowDialogs::~WindowDialogs() {
    delete m_models;  // before the downloads it displays
}

void WindowDialogs::chooseModel() {
    m_files.ask(m_window,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::File,
                 .title = tr("Load a model"),
                 .filter = tr("Models (*.gguf *.safetensors);;All files (*)")},
                [this](const QString& path) { m_state.model().load(path); });
}

void WindowDialogs::chooseModelFolder() {
    m_files.ask(m_window,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::Folder,
                 .title = tr("Load a model folder")},
                [this](const QString& path) { m_state.model().load(path); });
}

void WindowDialogs::chooseModelToInspect() {
    m_files.ask(m_window,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::File,
                 .title = tr("Inspect a model"),
                 .filter = tr("Models (*.gguf *.safetensors config.json);;All files (*)")},
                [this](const QString& path) { m_state.model().inspect(path); });
}

void WindowDialogs::chooseTableFile(Chosen chosen) {
    m_files.ask(m_window,
                {.kind = FileKind::Table,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Save samples"),
                 .filter = tr("Table (*.csv)"),
                 .name = QStringLiteral("samples.csv")},
                std::move(chosen));
}

void WindowDialogs::choosePictureFile(Chosen chosen) {
    m_files.ask(m_window,
                {.kind = FileKind::Picture,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Save charts"),
                 .filter = tr("Picture (*.png)"),
                 .name = QStringLiteral("charts.png")},
                std::move(chosen));
}

void WindowDialogs::showModelDetails() {
    const app::ModelView& model = m_state.model().view();
    if (model.state == app::ModelState::Ready)
        m_state.model().inspect(model.path);
    else
        chooseModelToInspect();
}

/// Shows one page at a time: a new one replaces the open one.
void WindowDialogs::showModelPage(const app::ModelPageView& page) {
    buildPage(Page::Models);
    const auto show = [this](const app::ModelPageView& known, bool inUse) {
        m_details->showModel(known, inUse);
        const QSignalBlocker shown(m_models->tabs());
        m_models->tabs().setCurrentWidget(m_details);
        m_pages.open(*m_models);
        m_details->setFocus(Qt::OtherFocusReason);
    };
    const app::ModelView& loaded = m_state.model().view();
    const bool inUse = loaded.state == app::ModelState::Ready && loaded.path == page.path;
    if (!inUse) return show(page, false);
    app::ModelPageView known = page;
    const app::QualityController& quality = m_state.quality();
    const QString cited = quality.citation(m_state.config().asked());
    known.sections.push_back(
        {tr("Quality of compaction"),
         {{tr("With these settings"), cited.isEmpty() ? tr("Nothing is compacted.") : cited}}});
    show(known, true);
}

void WindowDialogs::chooseReportFolder(Chosen chosen) {
    m_files.ask(m_window,
                {.kind = FileKind::Report,
                 .want = FileQuestion::Want::NewFolder,
                 .title = tr("Folder for the report"),
                 .name = proposedReportFolder()},
                std::move(chosen));
}

QString WindowDialogs::proposedReportFolder() const {
    const QString last = m_files.folder(FileKind::Report);
    return QDir(last.isEmpty() ? documentsPath() : folderNextToReport(last))
        .filePath(withTimestamp(QStringLiteral("lacuna-report")));
}

void WindowDialogs::chooseReport() {
    m_files.ask(m_window,
                {.kind = FileKind::Report,
                 .want = FileQuestion::Want::File,
                 .title = tr("Open a report"),
                 .filter = tr("Reports (*.json);;All files (*)")},
                [this](const QString& path) { m_state.recording().open(path); });
}

void WindowDialogs::chooseTexts(Chosen chosen) {
    m_files.ask(m_window,
                {.kind = FileKind::Text,
                 .want = FileQuestion::Want::Files,
                 .title = tr("Attach files"),
                 .filter = tr("Texts, code, PDF (*);;PDF (*.pdf)")},
                std::move(chosen));
}

void WindowDialogs::editSystemPrompt() {
    app::ChatController& chat = m_state.chat();
    if (!chat.systemPromptBlocker().isEmpty()) return;
    const qint64 tokens = m_state.feed().engine().contextTokens;
    const QString cost = tokens > 0 ? tr("The next question reads the full text again, about %1 "
                                         "tokens, because the start of the prompt changes.")
                                          .arg(app::countText(tokens))
                                    : QString();
    auto* dialog = new SystemPromptDialog(m_prompts, chat.systemPrompt(), cost, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SystemPromptDialog::defaultChanged, this,
            [this] { m_state.chat().setDefaultPrompt(m_prompts.defaultText()); });
    connect(dialog, &SystemPromptDialog::chosen, this,
            [this, id = chat.current()](const QString& text) {
                if (m_state.chat().current() == id) m_state.chat().setSystemPrompt(text);
            });
    dialog->open();
}

void WindowDialogs::showContextFull(const QString& sentence) {
    if (m_full == nullptr) {
        m_full = new ContextFullDialog(m_window);
        connect(m_full, &ContextFullDialog::shiftRequested, this, [this] {
            m_state.config().editAll({{QStringLiteral("method"), QStringLiteral("none")},
                                      {QStringLiteral("context_shift"), QStringLiteral("4")}});
        });
        connect(m_full, &ContextFullDialog::largerContextRequested, this, [this] {
            m_state.config().edit(QStringLiteral("context"), QStringLiteral("0"),
                                  app::EditPace::Settled);
        });
        connect(m_full, &ContextFullDialog::newerHalfRequested, &m_state.chat(),
                &app::ChatController::continueWithNewerHalf);
    }
    ContextFullDialog::Choices choices;
    choices.noShift = m_state.localEngineBlocker();
    const int trained = m_state.model().view().context;
    if (trained > m_state.feed().engine().contextLimit && choices.noShift.isEmpty())
        choices.largerContext = trained;
    if (m_state.chat().currentModel().rowCount() < 4)
        choices.noNewerHalf = tr("This conversation has no older half yet.");
    m_full->show(sentence, choices);
}

void WindowDialogs::renameConversation() {
    const qint64 id = m_state.chat().current();
    auto* dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename conversation"));
    dialog->setLabelText(tr("Title"));
    dialog->setTextValue(m_state.chat().title(id));
    dialog->resize(kTitleWidth, dialog->sizeHint().height());
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, id](const QString& title) { m_state.chat().rename(id, title); });
    dialog->open();
}

void WindowDialogs::buildPage(Page page) {
    switch (page) {
        case Page::Monitor:
            return buildMonitor();
        case Page::Experiments:
            return buildExperiments();
        case Page::Models:
            return buildModels();
        case Page::Engines:
            return buildEngines();
        case Page::Chat:
        case Page::Reports:
            return;
    }
}

void WindowDialogs::buildMonitor() {
    if (m_memory != nullptr) return;
    m_memory = new PrefixPage(m_state.memory(), m_state.chat(), m_state.config(), m_window);
    m_pages.addTab(Page::Monitor, m_memory, tr("Stored prefixes"));
}

void WindowDialogs::buildExperiments() {
    if (m_compare != nullptr) return;
    m_compare = new ComparePage(m_state.measurement(), m_themes, m_window);
    connect(m_compare, &ComparePage::useRequested, this, &WindowDialogs::useSide);
    m_sweep = new SweepPage(m_state.measurement(), m_state.config(), m_themes, m_window);
    m_formats = new FormatPage(m_state.quality(), m_state.calibration(), m_state.config(),
                               m_state.feed(), m_window);
    m_quality = new QualityPage(m_state.quality(), m_window);
    connect(m_quality, &QualityPage::saveRequested, this, [this] {
        m_files.ask(m_window,
                    {.kind = FileKind::Table,
                     .want = FileQuestion::Want::NewFile,
                     .title = tr("Save the quality table"),
                     .filter = tr("Table (*.csv);;Markdown (*.md)"),
                     .name = QStringLiteral("quality.csv")},
                    [this](const QString& path) {
                        const QString problem = app::saveFile(path, m_quality->exported(path));
                        m_quality->foot().showMessage(
                            problem.isEmpty() ? tr("Saved to %1.").arg(path) : problem,
                            !problem.isEmpty());
                    });
    });
    m_pages.addTab(Page::Experiments, m_compare, tr("Compare"));
    m_pages.addTab(Page::Experiments, m_sweep, tr("Sweep"));
    m_pages.addTab(Page::Experiments, m_formats, tr("Formats"));
    m_pages.addTab(Page::Experiments, m_quality, tr("Quality"));
}

void WindowDialogs::buildModels() {
    if (m_models != nullptr) return;
    m_hub = std::make_unique<app::HubController>();
    m_models = new ModelsPage(m_state, *m_hub, m_files, m_themes, m_window);
    connect(m_models, &ModelsPage::formatsRequested, this, &WindowDialogs::openFormats);
    connect(m_models, &ModelsPage::qualityRequested, this, &WindowDialogs::openQuality);
    connect(m_models, &ModelsPage::detailsRequested, this,
            [this](const QString& path) { m_state.model().inspect(path); });
    m_details = new ModelDetails(m_models);
    connect(m_details, &ModelDetails::loadRequested, this,
            [this](const QString& path) { m_state.model().load(path); });
    connect(m_details, &ModelDetails::connectRequested, this, &WindowDialogs::openRemote);
    connect(m_details, &ModelDetails::qualityRequested, this, &WindowDialogs::openQuality);
    m_models->tabs().addTab(m_details, tr("Details"));
    connect(&m_models->tabs(), &QTabWidget::currentChanged, this, [this](int tab) {
        if (m_models->tabs().widget(tab) == m_details && !m_models->chosen().isEmpty())
            m_state.model().inspect(m_models->chosen());
    });
    m_pages.addTab(Page::Models, m_models, tr("Models"));
}

void WindowDialogs::buildEngines() {
    if (m_server != nullptr) return;
    const auto chooseFolder = [this](std::function<void(const QString&)> chosen) {
        m_files.ask(m_window,
                    {.kind = FileKind::Caches,
                     .want = FileQuestion::Want::Folder,
                     .title = tr("Folder for saved caches")},
                    std::move(chosen));
    };
    m_server = new ServerPage(m_state.server(), chooseFolder, m_window);
    m_remoteWindow = new RemotePage(m_state, m_remote, m_window);
    m_pages.addTab(Page::Engines, m_server, tr("Local server"));
    m_pages.addTab(Page::Engines, m_remoteWindow, tr("Remote engines"));
}

void WindowDialogs::openCompare() {
    buildExperiments();
    m_pages.open(*m_compare);
}

/// Applied immediately without the Apply button, because the user pressed a button for it.
void WindowDialogs::useSide(int side) {
    app::ConfigController& config = m_state.config();
    const auto values = m_compare->values(side);
    config.editAll(values);
    config.submitNow();
    QStringList words;
    QString refused;
    for (const auto& [key, text] : values) {
        const app::SettingView& spec = config.spec(key);
        if (spec.state == app::ChangeState::Rejected) refused = spec.sentence;
        const auto choice = spec.choices.indexOf(text);
        words << spec.label + QLatin1Char(' ') +
                     (choice < 0 ? text : spec.choiceWords.value(choice));
    }
    if (!refused.isEmpty()) return m_compare->showMessage(refused, true);
    m_compare->showMessage(
        tr("Current settings of the window: %1. What is cached is compacted when the "
           "next answer needs it, or now with Compact now (F9).")
            .arg(app::listed(words)),
        false);
}

void WindowDialogs::openSweep() {
    buildExperiments();
    m_pages.open(*m_sweep);
}

void WindowDialogs::openQuality() {
    buildExperiments();
    m_pages.open(*m_quality);
}

void WindowDialogs::openFormats() {
    buildExperiments();
    m_pages.open(*m_formats);
}

void WindowDialogs::openRemote() {
    buildEngines();
    m_pages.open(*m_remoteWindow);
}

void WindowDialogs::openServer() {
    buildEngines();
    m_pages.open(*m_server);
}

void WindowDialogs::openMemory() {
    buildMonitor();
    m_pages.open(*m_memory);
}

void WindowDialogs::showLog() {
    buildMonitor();
    m_pages.open(*m_pages.findChild<TimelinePanel*>());
}

ModelsPage& WindowDialogs::openModels() {
    buildModels();
    m_pages.open(*m_models);
    return *m_models;
}

void WindowDialogs::chooseCacheToSave() {
    m_files.ask(m_window,
                {.kind = FileKind::Caches,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Save the cache"),
                 .filter = tr("Caches (*.kvcache)"),
                 .name = QStringLiteral("conversation.kvcache")},
                [this](const QString& path) { m_state.saveCache(path); });
}

void WindowDialogs::chooseCacheToLoad() {
    m_files.ask(m_window,
                {.kind = FileKind::Caches,
                 .want = FileQuestion::Want::File,
                 .title = tr("Load a cache"),
                 .filter = tr("Caches (*.kvcache);;All files (*)")},
                [this](const QString& path) { m_state.loadCache(path); });
}

void WindowDialogs::confirmClosing(std::function<void()> finish, std::function<void()> now) {
    auto* box = new QMessageBox(QMessageBox::Question, tr("Close Lacuna"),
                                tr("The server is still answering other programs (requests: %1).")
                                    .arg(m_state.server().open()),
                                QMessageBox::NoButton, m_window);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const finishing =
        box->addButton(tr("Finish, then close"), QMessageBox::AcceptRole);
    QPushButton* const closing = box->addButton(tr("Close now"), QMessageBox::DestructiveRole);
    box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(finishing);
    connect(finishing, &QPushButton::clicked, this, std::move(finish));
    connect(closing, &QPushButton::clicked, this, std::move(now));
    box->open();
}

void WindowDialogs::showShortcuts(const ActionRegistry& actions) {
    (new ShortcutSheet(actions, m_window))->show();
}

void WindowDialogs::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::Information, tr("About Lacuna"),
        tr("Lacuna %1\n\nChats with a local model and shows what its memory costs.\n\n"
           "Free software under the GNU General Public License, version 3 or later.\nUses Qt %2.")
            .arg(QApplication::applicationVersion(), QString::fromLatin1(qVersion())),
        QMessageBox::Close, m_window);
    constexpr int kIconSize = 48;
    box->setIconPixmap(QIcon(QStringLiteral(":/icons/lacuna-128.png")).pixmap(kIconSize));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace lacuna::ui
