#include "ui/pages/server_page.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
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
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

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

using RequestRow = const ServedRequest&;
constexpr int kStateColumn = 1;

std::vector<RowTable<ServedRequest>::Column> requestColumns() {
    return {
        {ServerPage::tr("Received"),
         {},
         CellAlign::Words,
         [](RequestRow request) { return request.asked.toString(QStringLiteral("HH:mm:ss")); }},
        {ServerPage::tr("State"), {}, CellAlign::Words, stateText},
        {ServerPage::tr("Prompt"), ServerPage::tr("Tokens of the prompt"), CellAlign::Figures,
         [](RequestRow request) { return app::countText(request.promptTokens); }},
        {ServerPage::tr("Reused"), ServerPage::tr("Prompt tokens that were already in a cache"),
         CellAlign::Figures,
         [](RequestRow request) { return app::countText(request.reusedTokens); }},
        {ServerPage::tr("Answer"), ServerPage::tr("Answer tokens so far"), CellAlign::Figures,
         [](RequestRow request) { return app::countText(request.answerTokens); }},
        {ServerPage::tr("Tokens/s"),
         {},
         CellAlign::Figures,
         [](RequestRow request) {
             return request.tokensPerSecond > 0 ? app::realText(request.tokensPerSecond, 1)
                                                : dash();
         }},
        {ServerPage::tr("Time"),
         ServerPage::tr("From the request to the end of the answer, or to now"), CellAlign::Figures,
         [](RequestRow request) { return app::durationText(request.seconds); }}};
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

}  // namespace

ServerPage::ServerPage(app::ServerController& server, FolderChooser chooseFolder, QWidget* parent)
    : QWidget(parent), m_server(server), m_chooseFolder(std::move(chooseFolder)) {
    setWindowTitle(tr("Server"));
    QVBoxLayout* layout = pageLayout(this);
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
    QVBoxLayout* said = columnLayout(nullptr, Spacing::half);
    said->addWidget(m_state = headlineLabel(this));
    said->addWidget(m_detail = wrappedLabel(this));
    m_detail->setAccessibleName(tr("Server state"));
    m_switch = pushButton({}, {}, this);
    setRole(m_switch, QStringLiteral("primary"));
    connect(m_switch, &QPushButton::clicked, this, &ServerPage::toggle);
    QHBoxLayout* row = rowLayout(nullptr, Spacing::wide);
    row->addLayout(said, 1);
    row->addWidget(m_switch, 0, Qt::AlignTop);
    layout->addLayout(row);
    layout->addWidget(hairline(this));
}

void ServerPage::buildSettings(QVBoxLayout* layout) {
    m_settings = new QWidget(this);
    QFormLayout* form = formLayout(m_settings);
    m_address = new QComboBox(m_settings);
    m_address->setEditable(true);
    m_address->setInsertPolicy(QComboBox::NoInsert);
    m_address->addItem(QStringLiteral("127.0.0.1"));
    m_address->addItem(QStringLiteral("::1"));
    m_address->addItem(QStringLiteral("0.0.0.0"));
    m_address->setItemData(0, tipText(tr("This machine only")), Qt::ToolTipRole);
    m_address->setItemData(1, tipText(tr("This machine only, IPv6")), Qt::ToolTipRole);
    m_address->setItemData(2, tipText(tr("Other machines too; needs a key")), Qt::ToolTipRole);
    explain(m_address, tr("Address"),
            tr("127.0.0.1 accepts only this machine. 0.0.0.0 accepts other machines too: that "
               "needs a key, and the text travels unencrypted."));
    m_port = new QSpinBox(m_settings);
    m_port->setRange(0, kMostPort);
    m_port->setSpecialValueText(tr("any free port"));
    m_port->setKeyboardTracking(false);
    m_alias = lineEdit(tr("Name of the model for clients"),
                       tr("Model name that clients use; further names after commas."), m_settings);
    m_alias->setPlaceholderText(tr("name of the model file"));
    m_slots = new QSpinBox(m_settings);
    m_slots->setRange(1, kMostSlots);
    m_slots->setKeyboardTracking(false);
    explain(m_slots, tr("Parallel answers"),
            tr("Answers written in parallel, each with its own cache; further requests wait. The "
               "conversation of this window is extra."));
    setAccessible(m_port, tr("Port"), tr("0 uses any free port."));
    QWidget* key = buildKey();
    QLayout* saving = buildSaving();
    addRow(form, tr("Address"), m_address,
           rowOf(m_address, {buddyLabel(tr("Port"), m_port), m_port}));
    addRow(form, tr("Key"), m_key, key);
    addRow(form, tr("Model name"), m_alias,
           rowOf(m_alias, {buddyLabel(tr("Parallel answers"), m_slots), m_slots}));
    addRow(form, tr("Embeddings"), m_embeddings, saving);
    layout->addWidget(m_settings);
    connect(m_address, &QComboBox::activated, this, &ServerPage::readSettings);
    connect(m_address->lineEdit(), &QLineEdit::editingFinished, this, &ServerPage::readSettings);
    connect(m_port, &QSpinBox::valueChanged, this, &ServerPage::readSettings);
    connect(m_key, &QLineEdit::editingFinished, this, &ServerPage::readSettings);
    connect(m_alias, &QLineEdit::editingFinished, this, &ServerPage::readSettings);
    connect(m_slots, &QSpinBox::valueChanged, this, &ServerPage::readSettings);
    connect(m_embeddings, &QComboBox::activated, this, &ServerPage::readSettings);
    connect(m_slotFolder, &QLineEdit::editingFinished, this, &ServerPage::readSettings);
}

/// Controls for further client features: embeddings and caches saved to files.
QLayout* ServerPage::buildSaving() {
    m_embeddings = new QComboBox(m_settings);
    m_embeddings->addItem(tr("none", "embeddings"), QStringLiteral("off"));
    m_embeddings->addItem(tr("mean of all tokens"), QStringLiteral("mean"));
    m_embeddings->addItem(tr("first token"), QStringLiteral("cls"));
    m_embeddings->addItem(tr("last token"), QStringLiteral("last"));
    m_embeddings->addItem(tr("one per token"), QStringLiteral("none"));
    explain(m_embeddings, tr("Embeddings"),
            tr("Text vectors (/v1/embeddings), and the tokens each is made from."));
    m_slotFolder = lineEdit(
        tr("Folder for saved caches"),
        tr("Folder where clients may save and restore the cache of a slot (/slots/0?action=save)."),
        m_settings);
    m_slotFolder->setPlaceholderText(tr("none: nothing is saved"));
    m_browse =
        pushButton(tr("Choose..."), {}, m_settings, tr("Choose the folder for saved caches"));
    connect(m_browse, &QPushButton::clicked, this, [this] {
        m_chooseFolder([this](const QString& path) {
            m_slotFolder->setText(path);
            readSettings();
        });
    });
    QHBoxLayout* row = rowLayout();
    row->addWidget(m_embeddings);
    row->addWidget(buddyLabel(tr("Saved caches"), m_slotFolder));
    row->addWidget(m_slotFolder, 1);
    row->addWidget(m_browse);
    return row;
}

QWidget* ServerPage::buildKey() {
    auto* line = new QWidget(m_settings);
    m_key = new QLineEdit(line);
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setPlaceholderText(tr("none: every program on this machine can connect"));
    setAccessible(m_key, tr("Key"),
                  tr("Clients send it with each request. Empty: no key is needed."));
    m_showKey = pushButton(tr("Show"), {}, line, tr("Show the key"));
    m_showKey->setCheckable(true);
    m_copyKey = pushButton(tr("Copy"), {}, line, tr("Copy the key"));
    m_newKey = pushButton(tr("Generate"),
                          tr("Replace the key with 32 random letters and digits. It is stored in a "
                             "file that only you can read."),
                          line, tr("Generate a key"));
    connect(m_showKey, &QPushButton::toggled, this, [this](bool shown) {
        m_key->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password);
    });
    connect(m_copyKey, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_key->text()); });
    connect(m_newKey, &QPushButton::clicked, this, [this] {
        m_key->setText(app::ServerController::newKey());
        readSettings();
    });
    rowOf(m_key, {m_showKey, m_copyKey, m_newKey}, line);
    return line;
}

QWidget* ServerPage::buildRequests() {
    auto* page = new QWidget(this);
    QVBoxLayout* layout = tabLayout(page);
    m_now = wrappedCaption(page);
    m_rows = new RowTable<ServedRequest>(requestColumns(), page);
    m_table = new QTableView(page);
    m_table->setModel(m_rows);
    styleTable(m_table, tr("Answers of the server, newest first"));
    m_table->horizontalHeader()->setSectionResizeMode(kStateColumn, QHeaderView::Stretch);
    showEmptyHint(*m_table,
                  tr("No requests in this run yet. The Clients tab shows how programs connect."));
    layout->addWidget(m_now);
    layout->addWidget(m_table, 1);
    return page;
}

QWidget* ServerPage::buildClients() {
    auto* page = new QWidget(this);
    QVBoxLayout* layout = tabLayout(page);
    QHBoxLayout* row = rowLayout();
    m_client = new QComboBox(page);
    setAccessible(m_client, tr("Client"));
    for (const ClientKind kind :
         {ClientKind::Curl, ClientKind::Python, ClientKind::Node, ClientKind::Vercel})
        m_client->addItem(app::clientName(kind), static_cast<int>(kind));
    m_withKey = new QCheckBox(tr("Include the key"), page);
    m_withKey->setToolTip(tipText(
        tr("Otherwise the text takes the key from the environment variable LACUNA_API_KEY.")));
    QPushButton* copy = pushButton(tr("Copy"), {}, page, tr("Copy the text for this client"));
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

void ServerPage::readSettings() {
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
    readSettings();
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
    const QString disabledReason = m_server.disabledReason();
    const bool off = view.state == ServerState::Off;
    m_state->setText(headline(view));
    m_detail->setText(disabledReason.isEmpty() ? detail(view) : disabledReason);
    const bool bad = off && (!view.problem.isEmpty() || !disabledReason.isEmpty());
    setRole(m_detail, bad ? QStringLiteral("bad") : QStringLiteral("secondary"));
    m_switch->setText(off ? tr("Switch on") : tr("Switch off"));
    m_switch->setEnabled(disabledReason.isEmpty() && view.state != ServerState::Starting);
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
    if (m_rows->rows() != view.recent) m_rows->setRows(view.recent);
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
