#include "ui/pages/prepare_page.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_jobs.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/panels/setting_row.h"
#include "ui/style/page_kit.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {

namespace {

using app::CalibrationKind;
using app::ModelLibraryEntry;
using app::ModelState;

constexpr int kProgressWidth = 140;
/// Tokens that a draft model proposes at a time unless the user has set another number.
const char* const kDraftTokens = "4";

QString stateText(const app::CalibrationState& state) {
    if (!state.problem.isEmpty()) return PreparePage::tr("stale, not used: %1").arg(state.problem);
    return state.there ? PreparePage::tr("available for this model") : PreparePage::tr("missing");
}

}  // namespace

PreparePage::PreparePage(app::ApplicationState& state, FileDialogs& files, QWidget* parent)
    : QWidget(parent), m_state(state), m_files(files) {
    QVBoxLayout* layout = tabLayout(this);
    layout->addWidget(m_title = titleLabel(this));
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(scroll);
    QFormLayout* form = formLayout(inside);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    buildDraft(form);
    buildCalibrations(form);
    buildWriting(form);
    buildCaches(form);
    buildMeasuring(form);
    scroll->setWidget(inside);
    layout->addWidget(scroll, 1);
    layout->addWidget(buildJob());
    connect(&state.jobs(), &app::ModelJobs::changed, this, &PreparePage::refresh);
    connect(&state.library(), &app::ModelLibrary::changed, this, &PreparePage::refresh);
    connect(&state.model(), &app::ModelController::changed, this, &PreparePage::refresh);
    connect(&state.chat(), &app::ChatController::stateChanged, this, &PreparePage::showCaches);
    connect(&state.chat(), &app::ChatController::currentChanged, this, [this] {
        m_moved.clear();
        showCaches();
    });
    connect(&state, &app::ApplicationState::cacheFileDone, this,
            [this](const QString& sentence, bool problem) {
                m_moved = sentence;
                m_moveFailed = problem;
                showCaches();
            });
    refresh();
}

void PreparePage::buildDraft(QFormLayout* form) {
    auto* box = new QWidget(this);
    QVBoxLayout* column = columnLayout(box, Spacing::half);
    m_draft = new SettingComboBox(box);
    m_draft->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_draft->setMinimumContentsLength(20);
    m_draft->setFocusPolicy(Qt::StrongFocus);
    setAccessible(m_draft, tr("Draft model"),
                  tr("A smaller model with the same vocabulary that drafts tokens; the text stays "
                     "the same."));
    m_draftNote = wrappedCaption(box);
    column->addWidget(m_draft);
    column->addWidget(m_draftNote);
    addRow(form, tr("Draft model"), m_draft, box);
    connect(m_draft, &QComboBox::activated, this, &PreparePage::chooseDraft);
}

void PreparePage::buildCalibrations(QFormLayout* form) {
    auto* box = new QWidget(this);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Spacing::wide);
    grid->setVerticalSpacing(Spacing::half);
    grid->setColumnStretch(1, 1);
    for (int i = 0; i < app::kCalibrationKinds; ++i) {
        const auto kind = static_cast<CalibrationKind>(i);
        const auto at = static_cast<std::size_t>(i);
        const QString name = app::calibrationName(kind);
        QLabel* title = plainLabel(name, box);
        title->setToolTip(tipText(app::calibrationHelp(kind)));
        m_states[at] = wrappedCaption(box);
        m_calibrate[at] = pushButton(tr("Calibrate"), {}, box, tr("Calibrate: %1").arg(name));
        connect(m_calibrate[at], &QPushButton::clicked, this,
                [this, kind] { m_state.jobs().calibrate(m_model, kind); });
        grid->addWidget(title, i, 0);
        grid->addWidget(m_states[at], i, 1);
        grid->addWidget(m_calibrate[at], i, 2);
    }
    form->addRow(plainLabel(tr("Calibrations"), this), box);
}

void PreparePage::buildWriting(QFormLayout* form) {
    auto* box = new QWidget(this);
    QVBoxLayout* column = columnLayout(box, Spacing::half);
    QHBoxLayout* line = rowLayout();
    m_type = new SettingComboBox(box);
    m_type->setFocusPolicy(Qt::StrongFocus);
    setAccessible(m_type, tr("Number format of the new file"));
    m_write = pushButton(tr("Write..."), {}, box, tr("Write the model in this format"));
    line->addWidget(m_type);
    line->addWidget(m_write);
    line->addStretch(1);
    m_writeNote = wrappedCaption(box);
    column->addLayout(line);
    column->addWidget(m_writeNote);
    addRow(form, tr("Write as GGUF"), m_type, box);
    connect(m_write, &QPushButton::clicked, this, [this] {
        const QString name = QFileInfo(m_model).completeBaseName() + QLatin1Char('-') +
                             m_type->currentText().toLower() + QStringLiteral(".gguf");
        m_files.ask(this,
                    {.kind = FileKind::Model,
                     .want = FileQuestion::Want::NewFile,
                     .title = tr("Write the model"),
                     .filter = tr("Models (*.gguf)"),
                     .name = name},
                    [this](const QString& path) { writeTo(path); });
    });
}

void PreparePage::buildCaches(QFormLayout* form) {
    auto* box = new QWidget(this);
    QVBoxLayout* column = columnLayout(box, Spacing::half);
    QHBoxLayout* line = rowLayout();
    m_save = pushButton(tr("Save..."), {}, box, tr("Save the cache of the conversation to a file"));
    m_take = pushButton(tr("Load..."), {}, box, tr("Load a cache into the conversation"));
    line->addWidget(m_save);
    line->addWidget(m_take);
    line->addStretch(1);
    m_cacheNote = wrappedCaption(box);
    m_cacheNote->setAccessibleName(tr("Conversation cache"));
    column->addLayout(line);
    column->addWidget(m_cacheNote);
    form->addRow(plainLabel(tr("Conversation cache"), this), box);
    connect(m_save, &QPushButton::clicked, this, [this] {
        m_files.ask(this,
                    {.kind = FileKind::Caches,
                     .want = FileQuestion::Want::NewFile,
                     .title = tr("Save the cache"),
                     .filter = tr("Caches (*.kvcache)"),
                     .name = QStringLiteral("conversation.kvcache")},
                    [this](const QString& path) { m_state.saveCache(path); });
    });
    connect(m_take, &QPushButton::clicked, this, [this] {
        m_files.ask(this,
                    {.kind = FileKind::Caches,
                     .want = FileQuestion::Want::File,
                     .title = tr("Load a cache"),
                     .filter = tr("Caches (*.kvcache);;All files (*)")},
                    [this](const QString& path) { m_state.loadCache(path); });
    });
}

void PreparePage::buildMeasuring(QFormLayout* form) {
    auto* box = new QWidget(this);
    QHBoxLayout* line = rowLayout(box);
    m_formats = pushButton(tr("Cache formats..."), {}, box,
                           tr("Presets and bits of the cache, measured on the model in use"));
    m_quality = pushButton(tr("Quality..."), {}, box, tr("The quality table of the model in use"));
    line->addWidget(m_formats);
    line->addWidget(m_quality);
    line->addStretch(1);
    form->addRow(plainLabel(tr("Measure"), this), box);
    connect(m_formats, &QPushButton::clicked, this, &PreparePage::formatsRequested);
    connect(m_quality, &QPushButton::clicked, this, &PreparePage::qualityRequested);
}

QWidget* PreparePage::buildJob() {
    QFrame* box = infoBox(this);
    QHBoxLayout* line = rowLayout(box);
    line->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    m_job = wrappedLabel(box);
    m_job->setAccessibleName(tr("Model file task"));
    m_progress = shareBar(kProgressWidth, box);
    setAccessible(m_progress, tr("Progress of the model file task"));
    m_stop = pushButton(tr("Stop"), {}, box, tr("Stop the task; its result is discarded"));
    m_again = pushButton(tr("Reload the model"), {}, box, tr("Reload the model"));
    line->addWidget(m_job, 1);
    line->addWidget(m_progress);
    line->addWidget(m_stop);
    line->addWidget(m_again);
    connect(m_stop, &QPushButton::clicked, &m_state.jobs(), &app::ModelJobs::stop);
    connect(m_again, &QPushButton::clicked, this,
            [this] { m_state.model().load(m_state.jobs().view().model); });
    return box;
}

void PreparePage::setModel(const QString& path) {
    if (path == m_model) return;
    m_model = path;
    refresh();
}

const ModelLibraryEntry* PreparePage::row() const {
    return m_state.library().row(m_model);
}

bool PreparePage::inUse() const {
    const app::ModelView& model = m_state.model().view();
    return model.state == ModelState::Ready && QFileInfo(model.path).absoluteFilePath() == m_model;
}

QString PreparePage::calibrationText(CalibrationKind kind) const {
    return m_states[static_cast<std::size_t>(kind)]->text();
}

QString PreparePage::jobText() const {
    return m_job->text();
}

/// Stores the draft for the model. A model in use is reloaded with it, which checks the vocabulary.
void PreparePage::chooseDraft(int index) {
    const QString draft = m_draft->itemData(index).toString();
    if (draft == m_state.library().draftOf(m_model)) return;
    m_state.library().setDraft(m_model, draft);
    if (!draft.isEmpty() &&
        m_state.config().spec(QStringLiteral("draft_tokens")).requestedText() == QLatin1String("0"))
        m_state.config().edit(QStringLiteral("draft_tokens"), QString::fromLatin1(kDraftTokens),
                              app::EditPace::Settled);
    if (inUse() && m_state.localEngineBlocker().isEmpty()) m_state.model().load(m_model);
}

void PreparePage::writeTo(const QString& out) {
    const ModelLibraryEntry* row = this->row();
    if (row == nullptr) return;
    if (row->safetensors && app::ModelJobs::convertTypes().contains(m_type->currentText()))
        m_state.jobs().convert(m_model, out, m_type->currentText());
    else
        m_state.jobs().quantise(m_model, out, m_type->currentText());
}

void PreparePage::refresh() {
    const ModelLibraryEntry* row = this->row();
    m_title->setText(row == nullptr ? tr("Choose a model on the first tab.") : row->name);
    m_title->setToolTip(tipText(m_model));
    showDraft(row);
    showCalibrations(row);
    showWriting(row);
    showCaches();
    showJob();
}

void PreparePage::showDraft(const ModelLibraryEntry* row) {
    const QString chosen = m_state.library().draftOf(m_model);
    QStringList paths{QString()};
    for (const ModelLibraryEntry& one : m_state.library().rows())
        if (one.path != m_model && one.read && one.problem.isEmpty()) paths << one.path;
    if (!paths.contains(chosen)) paths << chosen;
    QStringList shown;
    for (int i = 0; i < m_draft->count(); ++i) shown << m_draft->itemData(i).toString();
    // Avoids changing a list that is open under the pointer without need.
    if (shown != paths) {
        m_draft->clear();
        for (const QString& path : paths)
            m_draft->addItem(path.isEmpty() ? tr("None") : QFileInfo(path).fileName(), path);
    }
    m_draft->setCurrentIndex(static_cast<int>(paths.indexOf(chosen)));
    m_draft->setEnabled(row != nullptr && row->problem.isEmpty());
    const app::ModelView& model = m_state.model().view();
    const bool refused = inUse() && !model.problem.isEmpty();
    m_draftNote->setText(
        refused ? model.problem
        : chosen.isEmpty()
            ? tr("A smaller model with the same vocabulary that drafts tokens: answers come faster "
                 "where its drafts are right, and stay the same.")
            : tr("Takes effect when the model is next loaded; the setting draft_tokens limits the "
                 "length of a draft."));
    setRole(m_draftNote, refused ? QStringLiteral("bad") : QStringLiteral("secondary"));
}

void PreparePage::showCalibrations(const ModelLibraryEntry* row) {
    const app::JobView& job = m_state.jobs().view();
    QString why;
    if (row == nullptr)
        why = tr("Choose a model on the first tab.");
    else if (!row->problem.isEmpty())
        why = row->problem;
    else if (job.running)
        why = tr("Another model file task is running. Wait for it or stop it.");
    for (int i = 0; i < app::kCalibrationKinds; ++i) {
        const auto at = static_cast<std::size_t>(i);
        m_states[at]->setText(row == nullptr || !row->problem.isEmpty()
                                  ? QString()
                                  : stateText(row->calibrations[at]));
        setRole(m_states[at], row != nullptr && !row->calibrations[at].problem.isEmpty()
                                  ? QStringLiteral("bad")
                                  : QStringLiteral("secondary"));
        m_calibrate[at]->setEnabled(why.isEmpty());
        const auto kind = static_cast<CalibrationKind>(i);
        const QString tip = why.isEmpty() ? app::calibrationHelp(kind) : why;
        m_calibrate[at]->setToolTip(tipText(tip));
        setAccessible(m_calibrate[at], tr("Calibrate: %1").arg(app::calibrationName(kind)), tip);
    }
}

void PreparePage::showWriting(const ModelLibraryEntry* row) {
    const bool folder = row != nullptr && row->safetensors;
    const QStringList types =
        (folder ? app::ModelJobs::convertTypes() : QStringList()) + app::ModelJobs::quantiseTypes();
    if (m_type->count() != types.size()) {
        m_type->clear();
        m_type->addItems(types);
    }
    QString why;
    if (row == nullptr)
        why = tr("Choose a model on the first tab.");
    else if (!row->problem.isEmpty())
        why = row->problem;
    else if (row->quantised)
        why = tr("Its weights are already %1; converting to fewer bits needs a file with F32, F16 "
                 "or BF16 weights.")
                  .arg(row->quantisation);
    else if (m_state.jobs().view().running)
        why = tr("Another model file task is running. Wait for it or stop it.");
    m_write->setEnabled(why.isEmpty());
    m_type->setEnabled(why.isEmpty());
    m_writeNote->setText(why.isEmpty() ? tr("Writes a new file; the original stays unchanged.")
                                       : why);
    m_write->setToolTip(tipText(m_writeNote->text()));
    setAccessible(m_write, tr("Write the model in this format"), m_writeNote->text());
}

void PreparePage::showCaches() {
    const QString rests = m_state.localEngineBlocker();
    const QString noModel = m_state.model().problem();
    const qint64 tokens = m_state.feed().engine().contextTokens;
    const QString why = !rests.isEmpty()     ? rests
                        : !noModel.isEmpty() ? noModel
                        : m_state.chat().answering()
                            ? tr("An answer is being written. Stop it first.")
                            : QString();
    m_save->setEnabled(why.isEmpty() && tokens > 0);
    m_take->setEnabled(why.isEmpty());
    const QString text =
        !why.isEmpty()       ? why
        : !m_moved.isEmpty() ? m_moved
        : tokens > 0 ? tr("%1 tokens that need not be read again with this model and these cache "
                          "settings. Anyone who has the file can read the conversation in it.")
                           .arg(app::countText(tokens))
                     : tr("Nothing is cached in this conversation yet.");
    m_cacheNote->setText(text);
    setRole(m_cacheNote, why.isEmpty() && m_moveFailed && !m_moved.isEmpty()
                             ? QStringLiteral("bad")
                             : QStringLiteral("secondary"));
    const QString rule = noModel.isEmpty() ? rests : noModel;
    for (QPushButton* measure : {m_formats, m_quality}) {
        measure->setEnabled(rule.isEmpty());
        measure->setToolTip(tipText(rule));
    }
}

void PreparePage::showJob() {
    const app::JobView& job = m_state.jobs().view();
    QString text = job.title;
    if (job.running && job.stopping)
        text = tr("Stopping...");
    else if (job.running && !job.line.isEmpty())
        text += QStringLiteral(". ") + job.line;
    else if (!job.sentence.isEmpty())
        text += QStringLiteral(". ") + job.sentence;
    if (text.isEmpty())
        text =
            tr("Calibrating and converting take minutes, run at low priority in the background and "
               "load another copy of the model.");
    m_job->setText(text);
    setRole(m_job, job.problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
    m_progress->setVisible(job.running);
    showShare(*m_progress, job.share);
    m_progress->setAccessibleDescription(text);
    m_stop->setVisible(job.running);
    m_stop->setEnabled(!job.stopping);
    const app::ModelView& model = m_state.model().view();
    m_again->setVisible(!job.running && job.calibrated && model.state == ModelState::Ready &&
                        QFileInfo(model.path).absoluteFilePath() ==
                            QFileInfo(job.model).absoluteFilePath());
}

}  // namespace lacuna::ui
