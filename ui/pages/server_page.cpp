#include "ui/pages/server_page.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFontMetrics>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/state/engine/engine_text.h"
#include "app/state/number_format.h"
#include "app/state/server/client_snippets.h"
#include "app/state/server/server_controller.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::ClientKind;
using app::RequestState;
using app::ServedRequest;
using app::ServerSettings;
using app::ServerState;
using app::ServerView;

constexpr int kMostPort = 65535;
constexpr int kMostSlots = 16;
constexpr int kRowHeight = 24;  ///< px

enum Column { Asked, State, Prompt, Reused, Answer, Speed, Duration, kColumns };

QString headText(int column) {
    switch (column) {
        case Asked:
            return ServerPage::tr("Received");
        case State:
            return ServerPage::tr("State");
        case Prompt:
            return ServerPage::tr("Prompt");
        case Reused:
            return ServerPage::tr("Reused");
        case Answer:
            return ServerPage::tr("Answer");
        case Speed:
            return ServerPage::tr("Tokens/s");
        default:
            return ServerPage::tr("Time");
    }
}

QString headTip(int column) {
    switch (column) {
        case Prompt:
            return ServerPage::tr("Tokens of the prompt");
        case Reused:
            return ServerPage::tr("Prompt tokens that were already in a cache");
        case Answer:
            return ServerPage::tr("Answer tokens so far");
        case Duration:
            return ServerPage::tr("From the request to the end of the answer, or to now");
        default:
            return headText(column);
    }
}

QString stateText(const ServedRequest& request) {
    switch (request.state) {
        case RequestState::Waiting:
            return ServerPage::tr("waiting");
        case RequestState::Reading:
            return ServerPage::tr("reading, %1 of %2")
                .arg(app::countText(request.readTokens), app::countText(request.promptTokens));
        case RequestState::Writing:
            return ServerPage::tr("writing");
        case RequestState::Done:
            return ServerPage::tr("done (%1)").arg(app::engineText(request.end));
        case RequestState::Stopped:
            return ServerPage::tr("cancelled");
        case RequestState::Failed:
            return ServerPage::tr("failed: %1").arg(app::engineText(request.end));
    }
    return {};
}

QString cellText(const ServedRequest& request, int column) {
    switch (column) {
        case Asked:
            return request.asked.toString(QStringLiteral("HH:mm:ss"));
        case State:
            return stateText(request);
        case Prompt:
            return app::countText(request.promptTokens);
        case Reused:
            return app::countText(request.reusedTokens);
        case Answer:
            return app::countText(request.answerTokens);
        case Speed:
            return request.tokensPerSecond > 0 ? app::realText(request.tokensPerSecond, 1)
                                               : QString(QChar(0x2013));
        default:
            return app::durationText(request.seconds);
    }
}

QString headline(const ServerView& view) {
    switch (view.state) {
        case ServerState::Off:
            return ServerPage::tr("The server is off");
        case ServerState::Starting:
            return ServerPage::tr("The server is starting");
        case ServerState::On:
            return ServerPage::tr("The server is on at %1").arg(view.address);
        case ServerState::Finishing:
            return ServerPage::tr("The server is finishing its answers");
    }
    return {};
}

QString detail(const ServerView& view) {
    if (view.state == ServerState::Off)
        return view.problem.isEmpty() ? ServerPage::tr(
                                            "No port is open. When on, the server answers programs "
                                            "with the model of this window, in parallel with the "
                                            "conversation. It is off at the next start of Lacuna.")
                                      : view.problem;
    if (view.state == ServerState::Finishing)
        return ServerPage::tr(
            "It takes no new connections and stops after the last answer. Switch it off again to "
            "cancel the remaining answers.");
    if (view.state == ServerState::On && view.model.isEmpty())
        return ServerPage::tr("No model is loaded: requests get status 503 until one is.");
    return ServerPage::tr(
               "Clients use the model name \u201c%1\u201d. The cache settings are those of this "
               "window.")
        .arg(view.model);
}

QString nowText(const ServerView& view) {
    double speed = 0;
    for (const ServedRequest& request : view.recent)
        if (request.state == RequestState::Writing) speed += request.tokensPerSecond;
    if (view.state == ServerState::Off || view.state == ServerState::Starting)
        return ServerPage::tr("Answers appear here while the server is on: figures only, no text.");
    QString text =
        ServerPage::tr("Answering: %1, waiting: %2, connections: %3, requests so far: %4")
            .arg(app::countText(view.running), app::countText(view.waiting),
                 app::countText(view.connections), app::countText(view.requests));
    if (speed > 0) text += ServerPage::tr("; %1 tokens/s in total").arg(app::realText(speed, 1));
    return text;
}

QPushButton* pageButton(const QString& text, const QString& name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setAutoDefault(false);
    setAccessible(button, name);
    return button;
}

}  // namespace

/// Model of a server's newest requests.
class RequestTable final : public QAbstractTableModel {
  public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(const QVector<ServedRequest>& requests) {
        if (requests == m_requests) return;
        const bool same = requests.size() == m_requests.size();
        if (!same) beginResetModel();
        m_requests = requests;
        if (!same) return endResetModel();
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_requests.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : kColumns;
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid()) return {};
        const ServedRequest& request = m_requests.at(index.row());
        if (role == Qt::DisplayRole)
            return oneLine(cellText(request, index.column()), kMaxTitleLength);
        if (role == Qt::ToolTipRole && index.column() == State) return tipText(stateText(request));
        if (role == Qt::TextAlignmentRole && index.column() > State)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override {
        if (orientation != Qt::Horizontal) return {};
        if (role == Qt::DisplayRole) return headText(section);
        if (role == Qt::ToolTipRole) return tipText(headTip(section));
        if (role == Qt::TextAlignmentRole && section > State)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    }

  private:
    QVector<ServedRequest> m_requests;
};

ServerPage::ServerPage(app::ServerController& server, FolderChooser chooseFolder, QWidget* parent)
    : QWidget(parent), m_server(server), m_chooseFolder(std::move(chooseFolder)) {
    setWindowTitle(tr("Server"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    buildHead(layout);
    buildSettings(layout);
    auto* tabs = new QTabWidget(this);
    tabs->setDocumentMode(true);
    tabs->addTab(buildRequests(), tr("Answers"));
    tabs->addTab(buildClients(), tr("Clients"));
    setAccessible(tabs, tr("Answers and clients"));
    layout->addWidget(tabs, 1);
    setFocusProxy(m_switch);
    connect(&server, &app::ServerController::changed, this, &ServerPage::refresh);
    showSettings();
    refresh();
}

void ServerPage::buildHead(QVBoxLayout* layout) {
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    auto* said = new QVBoxLayout;
    said->setSpacing(2);
    m_state = plainLabel({}, this);
    m_state->setFont(Theme::font(FontRole::Headline));
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail = plainLabel({}, this);
    m_detail->setWordWrap(true);
    m_detail->setAccessibleName(tr("Server state"));
    said->addWidget(m_state);
    said->addWidget(m_detail);
    row->addLayout(said, 1);
    m_switch = new QPushButton(this);
    setRole(m_switch, QStringLiteral("primary"));
    m_switch->setAutoDefault(false);
    connect(m_switch, &QPushButton::clicked, this, &ServerPage::toggle);
    row->addWidget(m_switch, 0, Qt::AlignTop);
    layout->addLayout(row);
    layout->addWidget(hairline(this));
}

void ServerPage::buildSettings(QVBoxLayout* layout) {
    m_settings = new QWidget(this);
    auto* form = new QFormLayout(m_settings);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    m_address = new QComboBox(m_settings);
    m_address->setEditable(true);
    m_address->setInsertPolicy(QComboBox::NoInsert);
    m_address->addItem(QStringLiteral("127.0.0.1"));
    m_address->addItem(QStringLiteral("::1"));
    m_address->addItem(QStringLiteral("0.0.0.0"));
    m_address->setItemData(0, tipText(tr("This machine only")), Qt::ToolTipRole);
    m_address->setItemData(1, tipText(tr("This machine only, IPv6")), Qt::ToolTipRole);
    m_address->setItemData(2, tipText(tr("Other machines too; needs a key")), Qt::ToolTipRole);
    m_address->setToolTip(
        tipText(tr("127.0.0.1 accepts only this machine. 0.0.0.0 accepts other machines too: that "
                   "needs a key, and the text travels unencrypted.")));
    m_port = new QSpinBox(m_settings);
    m_port->setRange(0, kMostPort);
    m_port->setSpecialValueText(tr("any free port"));
    m_port->setKeyboardTracking(false);
    m_alias = new QLineEdit(m_settings);
    m_alias->setPlaceholderText(tr("name of the model file"));
    m_alias->setToolTip(tipText(tr("Model name that clients use; further names after commas.")));
    m_slots = new QSpinBox(m_settings);
    m_slots->setRange(1, kMostSlots);
    m_slots->setKeyboardTracking(false);
    m_slots->setToolTip(
        tipText(tr("Answers written in parallel, each with its own cache; further requests wait. "
                   "The conversation of this window is extra.")));
    auto* place = new QHBoxLayout;
    place->setSpacing(8);
    place->addWidget(m_address, 1);
    auto* port = plainLabel(tr("Port"), m_settings);
    port->setBuddy(m_port);
    place->addWidget(port);
    place->addWidget(m_port);
    auto* name = new QHBoxLayout;
    name->setSpacing(8);
    name->addWidget(m_alias, 1);
    auto* slotsName = plainLabel(tr("Parallel answers"), m_settings);
    slotsName->setBuddy(m_slots);
    name->addWidget(slotsName);
    name->addWidget(m_slots);
    setAccessible(m_address, tr("Address"));
    setAccessible(m_port, tr("Port"), tr("0 uses any free port."));
    setAccessible(m_alias, tr("Name of the model for clients"));
    setAccessible(m_slots, tr("Parallel answers"));
    const auto add = [&](const QString& text, QWidget* buddy, auto* field) {
        QLabel* label = plainLabel(text, m_settings);
        label->setBuddy(buddy);
        form->addRow(label, field);
    };
    add(tr("Address"), m_address, place);
    QWidget* key = buildKey();
    add(tr("Key"), m_key, key);
    add(tr("Model name"), m_alias, name);
    QLayout* saving = buildSaving();
    add(tr("Embeddings"), m_embeddings, saving);
    layout->addWidget(m_settings);
    connect(m_address, &QComboBox::activated, this, &ServerPage::takeSettings);
    connect(m_address->lineEdit(), &QLineEdit::editingFinished, this, &ServerPage::takeSettings);
    connect(m_port, &QSpinBox::valueChanged, this, &ServerPage::takeSettings);
    connect(m_key, &QLineEdit::editingFinished, this, &ServerPage::takeSettings);
    connect(m_alias, &QLineEdit::editingFinished, this, &ServerPage::takeSettings);
    connect(m_slots, &QSpinBox::valueChanged, this, &ServerPage::takeSettings);
    connect(m_embeddings, &QComboBox::activated, this, &ServerPage::takeSettings);
    connect(m_slotFolder, &QLineEdit::editingFinished, this, &ServerPage::takeSettings);
}

/// Controls for further client features: embeddings and caches saved to files.
QLayout* ServerPage::buildSaving() {
    m_embeddings = new QComboBox(m_settings);
    m_embeddings->addItem(tr("none", "embeddings"), QStringLiteral("off"));
    m_embeddings->addItem(tr("mean of all tokens"), QStringLiteral("mean"));
    m_embeddings->addItem(tr("first token"), QStringLiteral("cls"));
    m_embeddings->addItem(tr("last token"), QStringLiteral("last"));
    m_embeddings->addItem(tr("one per token"), QStringLiteral("none"));
    m_embeddings->setToolTip(
        tipText(tr("Text vectors (/v1/embeddings), and the tokens each is made from.")));
    setAccessible(m_embeddings, tr("Embeddings"));
    m_slotFolder = new QLineEdit(m_settings);
    m_slotFolder->setPlaceholderText(tr("none: nothing is saved"));
    m_slotFolder->setToolTip(tipText(tr(
        "Folder where clients may save and restore the cache of a slot (/slots/0?action=save).")));
    setAccessible(m_slotFolder, tr("Folder for saved caches"));
    m_browse = pageButton(tr("Choose..."), tr("Choose the folder for saved caches"), m_settings);
    connect(m_browse, &QPushButton::clicked, this, [this] {
        m_chooseFolder([this](const QString& path) {
            m_slotFolder->setText(path);
            takeSettings();
        });
    });
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_embeddings);
    auto* name = plainLabel(tr("Saved caches"), m_settings);
    name->setBuddy(m_slotFolder);
    row->addWidget(name);
    row->addWidget(m_slotFolder, 1);
    row->addWidget(m_browse);
    return row;
}

QWidget* ServerPage::buildKey() {
    auto* line = new QWidget(m_settings);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_key = new QLineEdit(line);
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setPlaceholderText(tr("none: every program on this machine can connect"));
    setAccessible(m_key, tr("Key"),
                  tr("Clients send it with each request. Empty: no key is needed."));
    m_showKey = pageButton(tr("Show"), tr("Show the key"), line);
    m_showKey->setCheckable(true);
    m_copyKey = pageButton(tr("Copy"), tr("Copy the key"), line);
    m_newKey = pageButton(tr("Generate"), tr("Generate a key"), line);
    m_newKey->setToolTip(
        tipText(tr("Replace the key with 32 random letters and digits. It is stored in a file that "
                   "only you can read.")));
    connect(m_showKey, &QPushButton::toggled, this, [this](bool shown) {
        m_key->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password);
    });
    connect(m_copyKey, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_key->text()); });
    connect(m_newKey, &QPushButton::clicked, this, [this] {
        m_key->setText(app::ServerController::newKey());
        takeSettings();
    });
    row->addWidget(m_key, 1);
    for (QPushButton* button : {m_showKey, m_copyKey, m_newKey}) row->addWidget(button);
    return line;
}

QWidget* ServerPage::buildRequests() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(4);
    m_now = captionLabel({}, page);
    m_now->setWordWrap(true);
    m_rows = new RequestTable(page);
    m_table = new QTableView(page);
    m_table->setModel(m_rows);
    m_table->setAccessibleName(tr("Answers of the server, newest first"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    setRole(m_table, QStringLiteral("roomy"));
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    QHeaderView* head = m_table->horizontalHeader();
    head->setHighlightSections(false);
    head->setSectionResizeMode(State, QHeaderView::Stretch);
    head->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const QFontMetrics letters(font());
    for (const int column : {Asked, Prompt, Reused, Answer, Speed, Duration})
        m_table->setColumnWidth(
            column, letters.horizontalAdvance(headText(column) + QStringLiteral("0000")) + 12);
    showEmptyHint(*m_table,
                  tr("No requests in this run yet. The Clients tab shows how programs connect."));
    layout->addWidget(m_now);
    layout->addWidget(m_table, 1);
    return page;
}

QWidget* ServerPage::buildClients() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_client = new QComboBox(page);
    setAccessible(m_client, tr("Client"));
    for (const ClientKind kind :
         {ClientKind::Curl, ClientKind::Python, ClientKind::Node, ClientKind::Vercel})
        m_client->addItem(app::clientName(kind), static_cast<int>(kind));
    m_withKey = new QCheckBox(tr("Include the key"), page);
    m_withKey->setToolTip(tipText(
        tr("Otherwise the text takes the key from the environment variable LACUNA_API_KEY.")));
    QPushButton* copy = pageButton(tr("Copy"), tr("Copy the text for this client"), page);
    row->addWidget(m_client);
    row->addWidget(m_withKey);
    row->addStretch(1);
    row->addWidget(copy);
    m_snippet = new QPlainTextEdit(page);
    m_snippet->setReadOnly(true);
    m_snippet->setTabChangesFocus(true);
    m_snippet->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_snippet->setFont(Theme::font(FontRole::Mono));
    m_snippet->setAccessibleName(tr("Example for this client"));
    connect(m_client, &QComboBox::currentIndexChanged, this, &ServerPage::refreshClients);
    connect(m_withKey, &QCheckBox::toggled, this, &ServerPage::refreshClients);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_snippet->toPlainText()); });
    layout->addLayout(row);
    layout->addWidget(m_snippet, 1);
    return page;
}

void ServerPage::takeSettings() {
    ServerSettings order;
    order.host = m_address->currentText().trimmed();
    order.port = m_port->value();
    order.key = m_key->text().trimmed();
    order.alias = m_alias->text().trimmed();
    order.slots = m_slots->value();
    order.embeddings = m_embeddings->currentData().toString();
    order.slotFolder = m_slotFolder->text().trimmed();
    m_server.setSettings(order);
}

void ServerPage::showSettings() {
    const ServerSettings order = m_server.settings();
    const QSignalBlocker noAddress(m_address), noPort(m_port), noSlots(m_slots);
    m_address->setCurrentText(order.host);
    m_port->setValue(order.port);
    m_key->setText(order.key);
    m_alias->setText(order.alias);
    m_slots->setValue(order.slots);
    m_embeddings->setCurrentIndex(std::max(0, m_embeddings->findData(order.embeddings)));
    m_slotFolder->setText(order.slotFolder);
}

void ServerPage::toggle() {
    takeSettings();
    switch (m_server.view().state) {
        case ServerState::Off:
            return m_server.start();
        case ServerState::Starting:
            return;
        case ServerState::On:
            return m_server.open() > 0 ? m_server.finish() : m_server.stop();
        case ServerState::Finishing:
            return m_server.stop();
    }
}

void ServerPage::refresh() {
    const ServerView& view = m_server.view();
    const QString whyNot = m_server.whyNot();
    const bool off = view.state == ServerState::Off;
    m_state->setText(headline(view));
    m_detail->setText(whyNot.isEmpty() ? detail(view) : whyNot);
    const bool bad = off && (!view.problem.isEmpty() || !whyNot.isEmpty());
    setRole(m_detail, bad ? QStringLiteral("bad") : QStringLiteral("secondary"));
    m_switch->setText(off ? tr("Switch on") : tr("Switch off"));
    m_switch->setEnabled(whyNot.isEmpty() && view.state != ServerState::Starting);
    m_switch->setToolTip(
        tipText(off ? tr("Open the port and answer requests.")
                : view.state == ServerState::On && m_server.open() > 0
                    ? tr("Accept no new connections, and stop after the last answer.")
                    : tr("Close all connections and cancel the remaining answers.")));
    setAccessible(m_switch, off ? tr("Switch the server on") : tr("Switch the server off"));
    for (QWidget* field : {static_cast<QWidget*>(m_address), static_cast<QWidget*>(m_port),
                           static_cast<QWidget*>(m_key), static_cast<QWidget*>(m_newKey),
                           static_cast<QWidget*>(m_alias), static_cast<QWidget*>(m_slots),
                           static_cast<QWidget*>(m_embeddings), static_cast<QWidget*>(m_slotFolder),
                           static_cast<QWidget*>(m_browse)}) {
        field->setEnabled(off);
        field->setStatusTip(off ? QString() : tr("Switch the server off to change this."));
    }
    const bool hasKey = !m_key->text().isEmpty();
    m_showKey->setEnabled(hasKey);
    m_copyKey->setEnabled(hasKey);
    m_now->setText(nowText(view));
    m_rows->show(view.recent);
    refreshClients();
}

void ServerPage::refreshClients() {
    const ServerSettings& order = m_server.settings();
    const ServerView& view = m_server.view();
    m_withKey->setEnabled(!order.key.isEmpty());
    app::SnippetOptions options;
    options.address = view.address.isEmpty()
                          ? QStringLiteral("http://%1:%2")
                                .arg(order.host, order.port > 0 ? QString::number(order.port)
                                                                : QStringLiteral("PORT"))
                          : view.address;
    options.model = !view.model.isEmpty()    ? view.model
                    : !order.alias.isEmpty() ? order.alias
                                             : QStringLiteral("default");
    options.needsKey = !order.key.isEmpty();
    if (m_withKey->isEnabled() && m_withKey->isChecked()) options.key = order.key;
    const QString text =
        app::clientSnippet(static_cast<ClientKind>(m_client->currentData().toInt()), options);
    if (m_snippet->toPlainText() != text) m_snippet->setPlainText(text);
}

}  // namespace lacuna::ui
