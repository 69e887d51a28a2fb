#include "ui/pages/remote_page.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

#include "app/remote/remote_controller.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

constexpr int kListWidth = 190;  ///< px
constexpr int kRefreshMs = 2000;
constexpr int kMaxKey = 4096;  ///< characters

enum Column { Label, Now, Total, kColumns };

/// "vLLM at http://host:8000, model M, context 8,192"
QString headingOf(const app::RemoteView& remote) {
    const QString engine = remote.family.isEmpty() ? RemoteFigures::tr("An engine") : remote.family;
    QString text = RemoteFigures::tr("%1 at %2").arg(engine, remote.address);
    if (remote.contextLimit)
        text +=
            RemoteFigures::tr(", context of %1 tokens").arg(app::countText(*remote.contextLimit));
    if (!remote.problem.isEmpty()) text += QLatin1Char('\n') + remote.problem;
    return text;
}

}  // namespace

// ---------------------------------------------------------------- figures

RemoteFigures::RemoteFigures(app::ApplicationState& state, app::RemoteController& remote,
                             QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_remote(remote),
      m_heading(wrappedLabel(this)),
      m_model(new QComboBox(this)),
      m_controls(new QHBoxLayout),
      m_table(
          textTable({tr("Metric"), tr("Now"), tr("Total")}, tr("Metrics of this engine"), this)),
      m_details(wrappedCaption(this)) {
    QVBoxLayout* layout = columnLayout(this);
    setAccessible(m_model, tr("Model of this engine"));
    QHBoxLayout* line = rowLayout();
    line->addWidget(buddyLabel(tr("Model"), m_model));
    line->addWidget(m_model, 1);
    m_table->horizontalHeaderItem(Now)->setToolTip(
        tipText(tr("The current value, or the rate or mean over the last second.")));
    m_table->horizontalHeaderItem(Total)->setToolTip(
        tipText(tr("Since the engine started; for times, the mean.")));
    m_table->setAccessibleDescription(
        tr("Known metrics; a dash where the engine does not report one."));
    layout->addWidget(m_heading);
    layout->addLayout(line);
    layout->addLayout(m_controls);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_details);
    connect(m_model, &QComboBox::textActivated, &m_remote, &app::RemoteController::chooseModel);
    connect(&m_remote, &app::RemoteController::changed, this, [this] {
        showModels();
        showControls();
        showFigures();
    });
    connect(&m_remote, &app::RemoteController::figuresChanged, this, &RemoteFigures::showFigures);
    connect(&m_refresh, &QTimer::timeout, &m_remote, &app::RemoteController::refreshDetails);
    showModels();
    showControls();
    showFigures();
}

void RemoteFigures::showModels() {
    const QSignalBlocker quiet(m_model);
    m_model->clear();
    m_model->addItems(m_remote.models());
    if (m_state.remote()) m_model->setCurrentText(m_state.remote()->model);
}

void RemoteFigures::showControls() {
    while (QLayoutItem* item = m_controls->takeAt(0)) {
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    for (const app::ControlLine& control : m_remote.controls()) {
        QPushButton* does = pushButton(control.label, control.meaning, this);
        connect(does, &QPushButton::clicked, this, [this, id = control.id, does] {
            does->setEnabled(false);
            const QPointer<QPushButton> asked(does);
            const QPointer<RemoteFigures> here(this);
            m_remote.run(id, [asked, here](const app::RemoteOutcome& outcome) {
                if (asked) asked->setEnabled(true);
                if (here) Q_EMIT here->messageChanged(outcome.ok, outcome.sentence);
            });
        });
        m_controls->addWidget(does);
    }
    m_controls->addStretch(1);
}

void RemoteFigures::showFigures() {
    if (m_state.remote()) m_heading->setText(headingOf(*m_state.remote()));
    const QVector<app::FigureLine>& lines = m_remote.figures();
    const QString absent = tr("not reported");
    QVector<QStringList> rows;
    for (const app::FigureLine& line : lines)
        rows.push_back({line.label,
                        !line.reported       ? absent
                        : line.now.isEmpty() ? dash()
                                             : line.now,
                        line.total.isEmpty() ? dash() : line.total});
    fillTable(m_table, rows, Now);
    for (int row = 0; row < lines.size(); ++row)
        for (int column = 0; column < kColumns; ++column)
            m_table->item(row, column)
                ->setFlags(lines[row].reported ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                                               : Qt::ItemIsSelectable);
    QStringList details = m_remote.properties();
    for (const app::SlotLine& slot : m_remote.slotLines())
        details << tr("Slot %1: %2").arg(slot.id).arg(slot.text);
    m_details->setText(details.join(QLatin1Char('\n')));
    m_details->setVisible(!details.isEmpty());
}

void RemoteFigures::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_remote.refreshDetails();
    m_refresh.start(kRefreshMs);
}

void RemoteFigures::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_refresh.stop();
}

// ---------------------------------------------------------------- window

RemotePage::RemotePage(app::ApplicationState& state, app::RemoteController& remote, QWidget* parent)
    : QWidget(parent), m_state(state), m_remote(remote) {
    setWindowTitle(tr("Remote engines"));
    QHBoxLayout* layout = rowLayout(this, Spacing::wide);
    layout->setContentsMargins(Spacing::wide, Spacing::wide, Spacing::wide, Spacing::wide);
    layout->addWidget(buildList());
    QVBoxLayout* right = columnLayout();
    QLabel* about =
        captionLabel(tr("A remote engine can answer the conversations of this window: vLLM, "
                        "SGLang, llama-server, another Lacuna, or any server with an "
                        "OpenAI-compatible API. Nothing is sent before you test or connect."),
                     this);
    about->setWordWrap(true);
    right->addWidget(about);
    right->addWidget(buildForm());
    m_sentence = wrappedLabel(this);
    right->addWidget(m_sentence);
    m_figures = new RemoteFigures(state, remote, this);
    right->addWidget(m_figures, 1);
    right->addStretch(0);
    layout->addLayout(right, 1);
    connectButtons();
    connect(&remote, &app::RemoteController::changed, this, &RemotePage::refresh);
    connect(&state, &app::ApplicationState::remoteChanged, this, &RemotePage::refresh);
    // Obstacles to connecting an engine can change at any time.
    connect(&state.model(), &app::ModelController::changed, this, &RemotePage::showButtons);
    connect(&state.chat(), &app::ChatController::stateChanged, this, &RemotePage::showButtons);
    connect(&state.measurement(), &app::MeasurementController::changed, this,
            &RemotePage::showButtons);
    setFocusProxy(m_name);
    refresh();
    if (m_list->count() > 0) m_list->setCurrentRow(0);
    showChosen();
}

QWidget* RemotePage::buildList() {
    auto* side = new QWidget(this);
    side->setFixedWidth(kListWidth);
    QVBoxLayout* layout = columnLayout(side);
    m_list = new QListWidget(side);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // long names are elided
    setRole(m_list, QStringLiteral("boxed"));
    setAccessible(m_list, tr("Engines"), tr("Saved engines"));
    showEmptyHint(*m_list, tr("Saved engines appear here."));
    m_new = pushButton(tr("New"), tr("Add another engine"), side);
    m_remove = pushButton(tr("Remove"), tr("Remove this engine and its key"), side);
    QHBoxLayout* line = rowLayout();
    line->addWidget(m_new);
    line->addWidget(m_remove);
    layout->addWidget(m_list, 1);
    layout->addLayout(line);
    return side;
}

QWidget* RemotePage::buildForm() {
    auto* page = new QWidget(this);
    QFormLayout* form = formLayout(page);
    const auto add = [&](const QString& name, const QString& hint) {
        QLineEdit* input = lineEdit(name, hint, page);
        input->setPlaceholderText(hint);
        addRow(form, name, input, input);
        return input;
    };
    m_name = add(tr("Name"), tr("Any name"));
    m_address = add(tr("Address"), tr("http://127.0.0.1:8080"));
    m_key = add(tr("Key"), tr("none", "key"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setMaxLength(kMaxKey);
    form->addRow(plainLabel({}, page), m_place = wrappedCaption(page));
    m_test = pushButton(tr("Test"), tr("Query its models and metrics"), page);
    m_save = pushButton(tr("Save"), tr("Save it to the list"), page);
    m_connect = pushButton(tr("Connect"), tr("Let it answer instead of the local engine"), page);
    setRole(m_connect, QStringLiteral("primary"));
    QHBoxLayout* line = rowLayout();
    line->addWidget(m_test);
    line->addWidget(m_save);
    line->addStretch(1);
    line->addWidget(m_connect);
    form->addRow(line);
    return page;
}

void RemotePage::connectButtons() {
    connect(m_list, &QListWidget::currentRowChanged, this, [this] { showChosen(); });
    connect(m_key, &QLineEdit::textEdited, this, [this] { m_keyTouched = true; });
    connect(m_new, &QPushButton::clicked, this, [this] {
        m_list->setCurrentRow(-1);
        showChosen();
        m_name->setFocus();
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        m_remote.remove(chosen());
        showChosen();
        showMessage(true, tr("Removed, together with its key."));
    });
    connect(m_test, &QPushButton::clicked, this, [this] {
        showMessage(true, tr("Testing..."));
        const QPointer<RemotePage> here(this);
        m_remote.test(draft(), [here](const app::RemoteOutcome& outcome) {
            if (here) here->showMessage(outcome.ok, outcome.sentence);
        });
    });
    connect(m_save, &QPushButton::clicked, this, [this] { saveThen({}); });
    connect(m_connect, &QPushButton::clicked, this, [this] {
        if (m_remote.connected()) {
            m_remote.disconnectNow();
            return showMessage(true, tr("Disconnected. The local engine answers again."));
        }
        saveThen([this](const QString& id) {
            showMessage(true, tr("Connecting..."));
            const QPointer<RemotePage> here(this);
            m_remote.connectTo(id, [here](const app::RemoteOutcome& outcome) {
                if (here) here->showMessage(outcome.ok, outcome.sentence);
            });
        });
    });
    connect(m_figures, &RemoteFigures::messageChanged, this, &RemotePage::showMessage);
}

void RemotePage::saveThen(const std::function<void(const QString& id)>& then) {
    const QPointer<RemotePage> here(this);
    m_remote.save(draft(), [here, then](const app::RemoteController::Saved& saved) {
        if (!here) return;
        here->showMessage(!saved.id.isEmpty(), saved.sentence);
        if (saved.id.isEmpty()) return;
        for (int row = 0; row < here->m_list->count(); ++row)
            if (here->m_list->item(row)->data(Qt::UserRole).toString() == saved.id)
                here->m_list->setCurrentRow(row);
        here->showChosen();
        if (then) then(saved.id);
    });
}

QString RemotePage::chosen() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
}

app::RemoteDraft RemotePage::draft() const {
    return {chosen(), m_name->text(), m_address->text(),
            m_keyTouched || chosen().isEmpty() ? std::optional(m_key->text()) : std::nullopt};
}

/// Reloads the saved list and keeps the selection.
void RemotePage::refresh() {
    const QString before = chosen();
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        for (const app::RemoteConnection& one : m_remote.list().connections()) {
            const bool answers = one.id == m_remote.connectedId();
            const QString name = oneLine(one.name, kMaxTitleLength);
            auto* item =
                new QListWidgetItem(answers ? tr("%1 (connected)").arg(name) : name, m_list);
            item->setData(Qt::UserRole, one.id);
            if (one.id == before) m_list->setCurrentItem(item);
        }
    }
    showButtons();
    m_figures->setVisible(m_remote.connected());
}

/// Enables the buttons that currently apply.
void RemotePage::showButtons() {
    const bool connected = m_remote.connected();
    const QString why = connected ? QString() : m_state.attachBlocker();
    m_remove->setEnabled(!chosen().isEmpty());
    m_connect->setText(connected ? tr("Disconnect") : tr("Connect"));
    m_connect->setEnabled(why.isEmpty() && !m_remote.connecting());
    m_connect->setToolTip(tipText(!why.isEmpty() ? why
                                  : connected    ? tr("Let the local engine answer again")
                                              : tr("Let it answer instead of the local engine")));
}

void RemotePage::showChosen() {
    const auto connection = m_remote.list().find(chosen());
    m_name->setText(connection ? connection->name : QString());
    m_address->setText(connection ? connection->address : QString());
    m_key->clear();
    m_keyTouched = false;
    const bool kept = connection && connection->key != app::KeyStorage::None;
    m_key->setPlaceholderText(kept ? tr("Saved; type to replace it") : tr("none", "key"));
    m_place->setText(connection ? placeText(connection->key) : QString());
    m_remove->setEnabled(connection.has_value());
}

void RemotePage::showMessage(bool ok, const QString& sentence) {
    showSentence(m_sentence, ok ? sentence : tr("Problem: %1").arg(sentence), !ok);
    setAccessible(m_sentence, tr("Result"), sentence);
}

QString RemotePage::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
