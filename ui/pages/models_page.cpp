#include "ui/pages/models_page.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/hub/hub_controller.h"
#include "app/state/application_state.h"
#include "app/state/list_text.h"
#include "app/state/models/memory_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_library.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/charts/memory_plan_chart.h"
#include "ui/pages/download_page.h"
#include "ui/pages/prepare_page.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {

namespace {

using app::MemoryPart;
using app::ModelLibraryEntry;
using app::ModelState;

constexpr int kProgressWidth = 120;

QString fitsText(const ModelLibraryEntry& row) {
    if (!row.plan) return QString(QChar(0x2013));
    if (row.plan->fits) return ModelsPage::tr("fits");
    if (row.plan->largest > 0)
        return ModelsPage::tr("%1 tokens fit").arg(app::countText(row.plan->largest));
    return ModelsPage::tr("does not fit");
}

QString remarkText(const ModelLibraryEntry& row, bool inUse) {
    if (!row.read) return ModelsPage::tr("reading...");
    if (!row.problem.isEmpty()) return row.problem;
    QStringList remarks;
    if (inUse) remarks << ModelsPage::tr("in use");
    if (row.bundled) remarks << ModelsPage::tr("ships with Lacuna");
    if (row.downloaded) remarks << ModelsPage::tr("downloaded");
    if (!row.draft.isEmpty())
        remarks << ModelsPage::tr("draft model %1").arg(QFileInfo(row.draft).fileName());
    return app::listed(remarks);
}

using ModelRow = const ModelLibraryEntry&;
constexpr int kNameColumn = 0, kRemarkColumn = 6;
constexpr int kWidths[] = {216, 72, 160, 68, 64, 104};  ///< px, of the columns before the note

std::vector<RowTable<ModelLibraryEntry>::Column> modelColumns() {
    using enum CellAlign;
    return {
        {ModelsPage::tr("Model"), {}, Words, [](ModelRow row) { return row.name; }},
        {ModelsPage::tr("Size"), ModelsPage::tr("Size of all its files."), Figures,
         [](ModelRow row) { return row.bytes > 0 ? app::bytesText(row.bytes) : QString(); }},
        {ModelsPage::tr("Shape"), ModelsPage::tr("Architecture, layers and width."), Words,
         [](ModelRow row) {
             return row.architecture.isEmpty() || row.shape.isEmpty()
                        ? row.architecture
                        : app::listed({row.architecture, row.shape});
         }},
        {ModelsPage::tr("Weights"), ModelsPage::tr("Number format of most of its weights."), Words,
         [](ModelRow row) { return row.quantisation; }},
        {ModelsPage::tr("Context"), ModelsPage::tr("Number of tokens it was trained for."), Figures,
         [](ModelRow row) { return row.context > 0 ? app::countText(row.context) : QString(); }},
        {ModelsPage::tr("Memory here"),
         ModelsPage::tr("Memory the engine plans for weights, one step and the caches of all "
                        "answers at the trained context, compared with free memory, under the "
                        "current settings."),
         Words, [](ModelRow row) { return row.read ? fitsText(row) : QString(); }},
        {ModelsPage::tr("Note"), {}, Words, [](ModelRow) { return QString(); }}};
}

}  // namespace

class ModelLibraryTable final : public RowTable<ModelLibraryEntry> {
  public:
    explicit ModelLibraryTable(QObject* parent) : RowTable(modelColumns(), parent) {}

    void show(const QVector<ModelLibraryEntry>& rows, const QString& inUse) {
        m_inUse = inUse;
        const bool same =
            std::equal(rows.begin(), rows.end(), this->rows().begin(), this->rows().end(),
                       [](ModelRow a, ModelRow b) { return a.path == b.path; });
        if (same)
            setRows(rows);
        else
            resetRows(rows);
    }
    [[nodiscard]] int find(const QString& path) const {
        for (int i = 0; i < rowCount(); ++i)
            if (row(i)->path == path) return i;
        return -1;
    }

  protected:
    [[nodiscard]] QVariant cell(ModelRow row, int column, int role) const override {
        if (role == Qt::DisplayRole && column == kRemarkColumn)
            return oneLine(remarkText(row, row.path == m_inUse), kMaxTitleLength);
        if (role == Qt::ToolTipRole)
            return tipText(column == kRemarkColumn && !row.problem.isEmpty()
                               ? row.problem
                               : row.path + QLatin1Char('\n') + row.heading);
        if (role != Qt::FontRole) return {};
        QFont font = Theme::font(FontRole::Small);
        font.setBold(row.path == m_inUse && column == kNameColumn);
        return font;
    }

  private:
    QString m_inUse;
};

ModelsPage::ModelsPage(app::ApplicationState& state, app::HubController& hub, FileDialogs& files,
                       const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_hub(hub),
      m_files(files),
      m_themes(themes),
      m_rows(new ModelLibraryTable(this)) {
    setWindowTitle(tr("Models"));
    setAcceptDrops(true);
    QVBoxLayout* layout = pageLayout(this);
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    setAccessible(m_tabs, tr("Models, downloads and preparation"));
    m_tabs->addTab(buildList(), tr("On this machine"));
    m_downloads = new DownloadPage(hub, state.library(), files, this);
    m_tabs->addTab(m_downloads, tr("Download"));
    m_prepare = new PreparePage(state, files, this);
    m_tabs->addTab(m_prepare, tr("Prepare"));
    layout->addWidget(m_tabs);
    connect(m_prepare, &PreparePage::formatsRequested, this, &ModelsPage::formatsRequested);
    connect(m_prepare, &PreparePage::qualityRequested, this, &ModelsPage::qualityRequested);
    connect(&state.library(), &app::ModelLibrary::changed, this, &ModelsPage::refresh);
    connect(&state.model(), &app::ModelController::changed, this, &ModelsPage::refresh);
    connect(&state, &app::ApplicationState::remoteChanged, this, &ModelsPage::refresh);
    connect(&state.feed(), &app::SessionFeed::engineChanged, this, [this] {
        if (isVisible()) showPlan(m_rows->row(m_table->currentIndex().row()));
    });
    connect(&state.feed(), &app::SessionFeed::qualityArrived, this,
            [this](const app::QualityRow& row) { m_shadow = row.shadowBytes; });
    connect(&hub, &app::HubController::arrived, this, [this](const QString& path) {
        m_state.library().addModel(path);
        choose(path);
        showMessage(tr("%1 downloaded.").arg(QFileInfo(path).fileName()), false);
    });
    setFocusProxy(m_table);
    refresh();
}

void ModelsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_state.library().scan();
    if (chosen().isEmpty()) choose(m_state.model().view().path);
}

QWidget* ModelsPage::buildList() {
    auto* page = new QWidget(this);
    QVBoxLayout* layout = tabLayout(page);
    layout->addWidget(buildHead(page));
    m_table = new QTableView(page);
    m_table->setModel(m_rows);
    styleTable(m_table, tr("Models on this machine"));
    m_table->setAccessibleDescription(tr("Enter loads the selected model."));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_table->horizontalHeader()->setStretchLastSection(true);
    for (int column = 0; column < kRemarkColumn; ++column)
        m_table->setColumnWidth(column, kWidths[column]);
    m_table->setMinimumHeight(110);
    connect(m_table, &QTableView::activated, this, [this] { load(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        const QString path = chosen();
        if (!path.isEmpty() && path != m_lastChosen) {
            m_lastChosen = path;
            m_message.clear();
            m_state.library().refresh(path);  // with the active settings
        }
        showChosen();
    });
    layout->addWidget(m_table, 1);
    layout->addWidget(buildPlan(page));
    m_sentence = wrappedLabel(page);
    m_sentence->setAccessibleName(tr("Selected model"));
    layout->addWidget(m_sentence);
    layout->addWidget(buildFoot(page));
    return page;
}

QWidget* ModelsPage::buildHead(QWidget* parent) {
    auto* head = new QWidget(parent);
    QHBoxLayout* row = rowLayout(head);
    QPushButton* folder = pushButton(
        tr("Add folder..."), tr("Search a folder for models, now and at every start."), head);
    QPushButton* model = pushButton(tr("Add model..."),
                                    tr("Add a GGUF file to the list; it stays where it is."), head);
    connect(folder, &QPushButton::clicked, this, &ModelsPage::addFolder);
    connect(model, &QPushButton::clicked, this, &ModelsPage::addModel);
    row->addWidget(folder);
    row->addWidget(model);
    m_folders = new QToolButton(head);
    m_folders->setText(tr("Folders"));
    m_folders->setPopupMode(QToolButton::InstantPopup);
    m_folders->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_folders->setFocusPolicy(Qt::StrongFocus);
    m_folderMenu = new QMenu(m_folders);
    m_folders->setMenu(m_folderMenu);
    explain(m_folders, tr("Folders that are searched for models. Choose one to remove it from this "
                          "list; its files are not deleted."));
    row->addWidget(m_folders);
    row->addStretch(1);
    m_again = new QCheckBox(tr("Load the last model at startup"), head);
    explain(m_again,
            tr("At the next start, loads the model that was last in use, even after a crash."));
    connect(m_again, &QCheckBox::toggled, this,
            [this](bool on) { m_state.library().setLoadsLast(on); });
    row->addWidget(m_again);
    return head;
}

QWidget* ModelsPage::buildPlan(QWidget* parent) {
    auto* box = new QWidget(parent);
    m_planStack = new QStackedWidget(box);
    m_chart = new MemoryPlanChart(m_themes, m_planStack);
    m_planTable = textTable({tr("Part"), tr("Planned"), tr("Measured")},
                            tr("Memory plan as a table"), m_planStack);
    m_planStack->addWidget(m_chart);
    m_planStack->addWidget(m_planTable);
    m_planStack->setFixedHeight(m_chart->sizeHint().height());
    m_asTable =
        pushButton(tr("Table"), tr("Switch between table and chart."), box, tr("Plan as a table"));
    m_asTable->setCheckable(true);
    QHBoxLayout* row = rowOf(m_planStack, {m_asTable}, box);
    row->setAlignment(m_asTable, Qt::AlignTop);
    connect(m_asTable, &QPushButton::toggled, this,
            [this](bool table) { m_planStack->setCurrentIndex(table ? 1 : 0); });
    return box;
}

QWidget* ModelsPage::buildFoot(QWidget* parent) {
    auto* foot = new QWidget(parent);
    QHBoxLayout* row = rowLayout(foot);
    m_remove = pushButton(tr("Remove from list"), tr("The file stays where it is."), foot);
    m_delete = pushButton(tr("Delete files..."),
                          tr("Delete a downloaded model from disk, after confirmation."), foot);
    m_details =
        pushButton(tr("Details..."), tr("Shape, tensors, tokenizer and the whole plan."), foot);
    m_unload = pushButton(tr("Unload"), tr("Unload the model and free its memory."), foot);
    m_stop = pushButton(tr("Stop"), tr("Stop loading; the previous model stays in use."), foot);
    m_load = pushButton(tr("Load"), tr("Load the selected model; conversations stay."), foot);
    setRole(m_load, QStringLiteral("primary"));
    m_progress = shareBar(kProgressWidth, foot);
    setAccessible(m_progress, tr("Loading progress"));
    for (QPushButton* one : {m_remove, m_delete, m_details}) row->addWidget(one);
    row->addStretch(1);
    row->addWidget(m_progress);
    for (QPushButton* one : {m_stop, m_unload, m_load}) row->addWidget(one);
    connect(m_remove, &QPushButton::clicked, this,
            [this] { m_state.library().removeFromList(chosen()); });
    connect(m_delete, &QPushButton::clicked, this, &ModelsPage::confirmDeleting);
    connect(m_details, &QPushButton::clicked, this, [this] { Q_EMIT detailsRequested(chosen()); });
    connect(m_unload, &QPushButton::clicked, &m_state.model(), &app::ModelController::unload);
    connect(m_stop, &QPushButton::clicked, &m_state.model(), &app::ModelController::stopLoading);
    connect(m_load, &QPushButton::clicked, this, &ModelsPage::load);
    return foot;
}

void ModelsPage::addFolder() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::Folder,
                 .title = tr("Folder with models")},
                [this](const QString& path) { take({path}); });
}

void ModelsPage::addModel() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::File,
                 .title = tr("Add a model"),
                 .filter = tr("Models (*.gguf);;All files (*)")},
                [this](const QString& path) { take({path}); });
}

void ModelsPage::take(const QStringList& paths) {
    for (const QString& path : paths) {
        const QFileInfo file(path);
        const bool folder =
            file.isDir() && !QFileInfo::exists(path + QStringLiteral("/config.json"));
        if (folder) {
            m_state.library().addFolder(path);
            showMessage(tr("Looking for models in %1.").arg(path), false);
        } else {
            m_state.library().addModel(path);
            choose(file.absoluteFilePath());
        }
    }
}

void ModelsPage::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void ModelsPage::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    event->acceptProposedAction();
    take(paths);
}

QString ModelsPage::sentence() const {
    return m_sentence->text();
}

QString ModelsPage::chosen() const {
    const ModelLibraryEntry* row = m_rows->row(m_table->currentIndex().row());
    return row == nullptr ? QString() : row->path;
}

void ModelsPage::choose(const QString& path) {
    if (const int row = m_rows->find(QFileInfo(path).absoluteFilePath()); row >= 0)
        m_table->setCurrentIndex(m_rows->index(row, 0));
}

bool ModelsPage::inUse(const QString& path) const {
    const app::ModelView& model = m_state.model().view();
    return !path.isEmpty() && model.state == ModelState::Ready &&
           QFileInfo(model.path).absoluteFilePath() == path;
}

void ModelsPage::showMessage(const QString& sentence, bool problem) {
    m_message = sentence;
    m_messageIsProblem = problem;
    showChosen();
}

void ModelsPage::load() {
    if (!m_load->isEnabled() || chosen().isEmpty()) return;
    m_message.clear();
    m_state.model().load(chosen());
}

/// The only place in the window that deletes a file.
void ModelsPage::confirmDeleting() {
    const QString path = chosen();
    auto* box = new QMessageBox(QMessageBox::Question, tr("Delete a model"),
                                tr("Delete %1 from disk? This cannot be undone.").arg(path),
                                QMessageBox::NoButton, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const yes = box->addButton(tr("Delete"), QMessageBox::DestructiveRole);
    QPushButton* const no = box->addButton(tr("Keep"), QMessageBox::RejectRole);
    box->setDefaultButton(no);
    connect(yes, &QPushButton::clicked, this, [this, path] {
        const QString problem = m_state.library().deleteDownloaded(path);
        showMessage(
            problem.isEmpty() ? tr("%1 was deleted.").arg(QFileInfo(path).fileName()) : problem,
            !problem.isEmpty());
    });
    box->open();
}

void ModelsPage::fillFolders() {
    m_folderMenu->clear();
    for (const QString& folder : m_state.library().folders())
        m_folderMenu->addAction(tr("Remove %1").arg(folder), this,
                                [this, folder] { m_state.library().removeFolder(folder); });
    if (m_folderMenu->isEmpty())
        m_folderMenu->addAction(tr("No folders added yet"))->setEnabled(false);
}

void ModelsPage::refresh() {
    const QString before = chosen();
    const app::ModelView& model = m_state.model().view();
    m_rows->show(m_state.library().rows(), model.state == ModelState::Ready
                                               ? QFileInfo(model.path).absoluteFilePath()
                                               : QString());
    if (chosen() != before) choose(before);
    {
        const QSignalBlocker quiet(m_again);
        m_again->setChecked(m_state.library().loadsLast());
    }
    fillFolders();
    showChosen();
    showLoading();
}

void ModelsPage::showLoading() {
    const app::ModelView& model = m_state.model().view();
    const bool loading = model.state == ModelState::Loading;
    m_progress->setVisible(loading);
    showShare(*m_progress, model.loadShare);
    m_stop->setVisible(loading);
    m_unload->setVisible(!loading);
    m_unload->setEnabled(model.state == ModelState::Ready &&
                         m_state.localEngineBlocker().isEmpty());
}

void ModelsPage::showChosen() {
    const ModelLibraryEntry* row = m_rows->row(m_table->currentIndex().row());
    const app::ModelView& model = m_state.model().view();
    const bool loading = model.state == ModelState::Loading;
    const QString rests = m_state.localEngineBlocker();
    QString why;
    if (row == nullptr)
        why = tr("Choose a model.");
    else if (!rests.isEmpty())
        why = rests;
    else if (loading)
        why = tr("%1 is being loaded.").arg(model.name);
    else if (!row->problem.isEmpty())
        why = row->problem;
    m_load->setEnabled(why.isEmpty());
    m_load->setText(row != nullptr && inUse(row->path) ? tr("Reload") : tr("Load"));
    explain(m_load, why.isEmpty() ? tr("Load the selected model; conversations stay.") : why);
    m_details->setEnabled(row != nullptr);
    m_remove->setEnabled(row != nullptr && !row->bundled && !inUse(row->path));
    m_delete->setEnabled(row != nullptr && row->downloaded && !inUse(row->path));
    QString said = m_message;
    bool bad = m_messageIsProblem && !m_message.isEmpty();
    if (said.isEmpty() && !model.problem.isEmpty() && !loading) {
        said = model.problem;
        bad = true;
    }
    if (said.isEmpty() && row != nullptr) {
        bad = !row->problem.isEmpty();
        said = bad ? row->problem : row->plan ? row->plan->verdict : QString();
    }
    if (said.isEmpty() && m_rows->rowCount() == 0)
        said = tr("No models yet: add a folder, drop a file here, or download one.");
    showSentence(m_sentence, said, bad);
    showPlan(row);
    m_prepare->setModel(row == nullptr ? QString() : row->path);
}

/// Shows the planned memory, next to the measured one for the current model.
void ModelsPage::showPlan(const ModelLibraryEntry* row) {
    std::optional<app::MemoryPlanView> plan = row == nullptr ? std::nullopt : row->plan;
    if (plan && inUse(row->path)) {
        const app::EngineView& engine = m_state.feed().engine();
        const qint64 caches = m_state.memory().view().cacheBytes;
        app::MemoryBar now;
        now.set(MemoryPart::Weights, m_state.model().view().weightBytes);
        const app::MemoryView& held = m_state.memory().view();
        const qint64 recurrent = held.stateBytes + held.checkpointBytes;
        now.set(MemoryPart::Live, std::max(caches - recurrent, engine.liveBytes));
        now.set(MemoryPart::States, held.stateBytes);
        now.set(MemoryPart::Checkpoints, held.checkpointBytes);
        now.set(MemoryPart::Slack, std::max<qint64>(engine.allocatedBytes - engine.liveBytes, 0));
        now.set(MemoryPart::Shadow, m_shadow);
        now.set(MemoryPart::Kept, engine.prefixBytesAlone);
        const qint64 others = std::max<qint64>(engine.rssBytes - now.total(), 0);
        now.set(MemoryPart::Activations,
                std::min(others, plan->planned.of(MemoryPart::Activations)));
        now.set(MemoryPart::Rest, others - now.of(MemoryPart::Activations));
        plan->measured = now;
    }
    const QString why = row == nullptr ? tr("Choose a model to see its memory plan.")
                        : !row->read   ? tr("The file is being read.")
                                       : tr("There is no plan for a model that cannot be loaded.");
    m_chart->setPlan(plan, why);
    const QVector<app::PlanRow> rows = plan ? app::planRows(*plan) : QVector<app::PlanRow>();
    QVector<QStringList> texts;
    for (const app::PlanRow& part : rows) texts.push_back({part.part, part.planned, part.measured});
    fillTable(m_planTable, texts, 1);
}

}  // namespace lacuna::ui
