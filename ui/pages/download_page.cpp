#include "ui/pages/download_page.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/hub/hub_controller.h"
#include "app/state/models/model_library.h"
#include "app/state/number_format.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {

namespace {

using app::DownloadState;
using app::HubOffer;
using app::HubRow;

QString stateText(const app::DownloadView& view) {
    switch (view.state) {
        case DownloadState::Waiting:
            return DownloadPage::tr("paused");
        case DownloadState::Checking:
            return DownloadPage::tr("reading the partial file");
        case DownloadState::Running:
            return view.total > 0 ? app::percentText(static_cast<double>(view.done) /
                                                     static_cast<double>(view.total))
                                  : DownloadPage::tr("running");
        case DownloadState::Done:
            return DownloadPage::tr("complete");
        case DownloadState::Failed:
            return DownloadPage::tr("stopped");
    }
    return {};
}

QString amountText(const app::DownloadView& view) {
    return view.total < 0 ? app::bytesText(view.done)
                          : DownloadPage::tr("%1 of %2")
                                .arg(app::bytesText(view.done), app::bytesText(view.total));
}

QString speedText(const app::DownloadView& view) {
    if (view.state != DownloadState::Running || view.bytesPerSecond <= 0) return {};
    QString text =
        DownloadPage::tr("%1/s").arg(app::bytesText(static_cast<qint64>(view.bytesPerSecond)));
    if (view.secondsLeft >= 0)
        text += DownloadPage::tr(", %1 left").arg(app::durationText(view.secondsLeft));
    return text;
}

void setCell(QTableWidget& table, int row, int column, const QString& text) {
    QTableWidgetItem* item = table.item(row, column);
    if (item == nullptr) {
        item = new QTableWidgetItem;
        table.setItem(row, column, item);
    }
    const QString shown = oneLine(text, kMaxTitleLength);
    if (item->text() == shown) return;
    item->setText(shown);
    item->setToolTip(tipText(text));
}

QTableWidget* makeTable(const QStringList& heads, const QString& name, QWidget* parent) {
    auto* table = new QTableWidget(0, static_cast<int>(heads.size()), parent);
    table->setHorizontalHeaderLabels(heads);
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    setRole(table, QStringLiteral("roomy"));
    table->setMinimumHeight(70);
    setAccessible(table, name);
    return table;
}

}  // namespace

DownloadPage::DownloadPage(app::HubController& hub, app::ModelLibrary& library, FileDialogs& files,
                           QWidget* parent)
    : QWidget(parent), m_hub(hub), m_library(library), m_files(files) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(buildQuestion());
    layout->addWidget(buildOffers(), 3);
    layout->addWidget(hairline(this));
    layout->addWidget(buildDownloads(), 2);
    if (const QString problem = hub.setHub(library.hub()); !problem.isEmpty()) tell(problem, true);
    hub.setFolder(library.downloadFolder());
    connect(&hub, &app::HubController::changed, this, &DownloadPage::refresh);
    refresh();
}

QWidget* DownloadPage::buildQuestion() {
    auto* box = new QWidget(this);
    auto* form = new QFormLayout(box);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    const auto field = [&](const QString& name, const QString& tip) {
        auto* made = new QLineEdit(box);
        made->setToolTip(tipText(tip));
        setAccessible(made, name, tip);
        return made;
    };
    const auto add = [&](const QString& text, QWidget* buddy, QLayout* row) {
        QLabel* label = plainLabel(text, box);
        label->setBuddy(buddy);
        form->addRow(label, row);
    };
    m_name = field(tr("Model"), tr("OWNER/NAME on the hub, or the address of a file. Nothing is "
                                   "sent before you press Look up."));
    m_name->setPlaceholderText(tr("OWNER/NAME or https://..."));
    m_ask = new QPushButton(tr("Look up"), box);
    m_ask->setAutoDefault(false);
    setAccessible(m_ask, tr("Look up"), tr("List the models of the repository."));
    auto* name = new QHBoxLayout;
    name->setSpacing(8);
    name->addWidget(m_name, 1);
    name->addWidget(m_ask);
    add(tr("Model"), m_name, name);
    m_hubField = field(tr("Hub"), tr("Address of the hub or of a mirror. Empty: the default hub."));
    m_token = field(tr("Token"),
                    tr("Access token of your hub account, for models with restricted access. It is "
                       "sent only to the hub, kept until this window closes and never saved."));
    m_token->setEchoMode(QLineEdit::Password);
    m_token->setPlaceholderText(tr("only for restricted models"));
    auto* hub = new QHBoxLayout;
    hub->setSpacing(8);
    hub->addWidget(m_hubField, 1);
    auto* tokenName = plainLabel(tr("Token"), box);
    tokenName->setBuddy(m_token);
    tokenName->setMinimumWidth(tokenName->sizeHint().width() + 4);  // otherwise its last letter is
                                                                    // cut
    hub->addWidget(tokenName);
    hub->addWidget(m_token, 1);
    add(tr("Hub"), m_hubField, hub);
    m_folder = field(tr("Folder"), tr("Where models are saved."));
    m_folder->setReadOnly(true);
    auto* browse = new QPushButton(tr("Choose..."), box);
    browse->setAutoDefault(false);
    setAccessible(browse, tr("Choose the folder for models"));
    m_plain = new QCheckBox(tr("Allow http"), box);
    const QString tip =
        tr("Also download unencrypted from other machines. Anyone on the network path can read and "
           "change the data, so enter a digest.");
    m_plain->setToolTip(tipText(tip));
    setAccessible(m_plain, m_plain->text(), tip);
    auto* folder = new QHBoxLayout;
    folder->setSpacing(8);
    folder->addWidget(m_folder, 1);
    folder->addWidget(browse);
    folder->addWidget(m_plain);
    add(tr("Folder"), m_folder, folder);
    connect(m_ask, &QPushButton::clicked, this, &DownloadPage::ask);
    connect(m_name, &QLineEdit::returnPressed, this, &DownloadPage::ask);
    connect(m_hubField, &QLineEdit::editingFinished, this, [this] {
        const QString problem = m_hub.setHub(m_hubField->text());
        if (problem.isEmpty()) m_library.setHub(m_hubField->text());
        if (!problem.isEmpty()) tell(problem, true);
    });
    connect(m_token, &QLineEdit::editingFinished, this,
            [this] { m_hub.setToken(m_token->text()); });
    connect(m_plain, &QCheckBox::toggled, this, [this](bool on) { m_hub.allowPlainHttp(on); });
    connect(browse, &QPushButton::clicked, this, &DownloadPage::chooseFolder);
    m_hubField->setText(m_library.hub());
    m_hubField->setPlaceholderText(m_hub.view().hub);
    return box;
}

QWidget* DownloadPage::buildOffers() {
    auto* box = new QWidget(this);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_offers = makeTable({tr("Model"), tr("Size"), tr("Files"), tr("SHA-256")},
                         tr("Models of the repository"), box);
    showEmptyHint(*m_offers, tr("Models of a repository appear here after a lookup."));
    layout->addWidget(m_offers, 1);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_sentence = captionLabel({}, box);
    m_sentence->setWordWrap(true);
    row->addWidget(m_sentence, 1);
    auto* digestName = plainLabel(tr("SHA-256"), box);
    m_digest = new QLineEdit(box);
    m_digest->setPlaceholderText(tr("as shown on the hub"));
    const QString tip = tr("SHA-256 digest the file must have, 64 digits, if you know it.");
    m_digest->setToolTip(tipText(tip));
    setAccessible(m_digest, tr("SHA-256 digest"), tip);
    digestName->setBuddy(m_digest);
    m_fetch = new QPushButton(tr("Download"), box);
    m_fetch->setAutoDefault(false);
    setRole(m_fetch, QStringLiteral("primary"));
    setAccessible(m_fetch, m_fetch->text());
    row->addWidget(digestName);
    row->addWidget(m_digest);
    row->addWidget(m_fetch);
    layout->addLayout(row);
    connect(m_fetch, &QPushButton::clicked, this, &DownloadPage::fetch);
    connect(m_offers, &QTableWidget::cellActivated, this, [this] { fetch(); });
    connect(m_offers, &QTableWidget::itemSelectionChanged, this, &DownloadPage::showButtons);
    return box;
}

QWidget* DownloadPage::buildDownloads() {
    auto* box = new QWidget(this);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_rows =
        makeTable({tr("Download"), tr("State"), tr("Amount"), tr("Speed")}, tr("Downloads"), box);
    showEmptyHint(*m_rows, tr("Downloads and their progress appear here."));
    layout->addWidget(m_rows, 1);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_detail = captionLabel({}, box);
    m_detail->setWordWrap(true);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setAccessibleName(tr("Selected download"));
    row->addWidget(m_detail, 1);
    const auto button = [&](const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, box);
        made->setAutoDefault(false);
        made->setToolTip(tipText(tip));
        setAccessible(made, text, tip);
        row->addWidget(made);
        return made;
    };
    m_pause = button(tr("Pause"), tr("Keeps the downloaded part."));
    m_resume = button(tr("Resume"), tr("Continues where it stopped if that is safe."));
    m_remove = button(
        tr("Remove..."),
        tr("Removes it from this list and deletes the partial file of an unfinished download."));
    layout->addLayout(row);
    connect(m_pause, &QPushButton::clicked, this, [this] { m_hub.pause(rowId()); });
    connect(m_resume, &QPushButton::clicked, this, [this] { m_hub.resume(rowId()); });
    connect(m_remove, &QPushButton::clicked, this, &DownloadPage::askRemoving);
    connect(m_rows, &QTableWidget::itemSelectionChanged, this, &DownloadPage::showButtons);
    return box;
}

QString DownloadPage::sentence() const {
    return m_sentence->text();
}

void DownloadPage::tell(const QString& sentence, bool problem) {
    m_told = sentence;
    m_sentence->setText(sentence);
    setRole(m_sentence, problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
}

void DownloadPage::ask() {
    m_told.clear();
    m_hub.setToken(m_token->text());
    m_hub.ask(m_name->text());
}

void DownloadPage::fetch() {
    if (!m_fetch->isEnabled()) return;
    m_hub.setFolder(m_library.downloadFolder());
    const QString problem = m_hub.fetch(m_offers->currentRow(), m_digest->text());
    tell(problem, !problem.isEmpty());
    if (problem.isEmpty()) {
        m_digest->clear();
        m_rows->selectRow(0);
    }
}

void DownloadPage::chooseFolder() {
    m_files.ask(this,
                {.kind = FileKind::Model,
                 .want = FileQuestion::Want::Folder,
                 .title = tr("Folder for models")},
                [this](const QString& path) {
                    m_library.setDownloadFolder(path);
                    m_hub.setFolder(m_library.downloadFolder());
                });
}

/// Asks for confirmation, because the partial download is deleted.
void DownloadPage::askRemoving() {
    const int id = rowId();
    for (const HubRow& row : m_hub.view().rows) {
        if (row.id != id) continue;
        if (row.download.state == DownloadState::Done || row.download.done == 0)
            return m_hub.remove(id);
        auto* box = new QMessageBox(QMessageBox::Question, tr("Remove a download"),
                                    tr("Remove %1? The %2 downloaded so far are deleted.")
                                        .arg(row.download.title, app::bytesText(row.download.done)),
                                    QMessageBox::NoButton, this);
        box->setTextFormat(Qt::PlainText);
        box->setAttribute(Qt::WA_DeleteOnClose);
        QPushButton* const yes = box->addButton(tr("Remove"), QMessageBox::DestructiveRole);
        box->setDefaultButton(box->addButton(tr("Keep"), QMessageBox::RejectRole));
        connect(yes, &QPushButton::clicked, this, [this, id] { m_hub.remove(id); });
        return box->open();
    }
}

int DownloadPage::rowId() const {
    const int at = m_rows->currentRow();
    const auto rows = m_hub.view().rows;
    return at >= 0 && at < rows.size() ? rows[at].id : 0;
}

void DownloadPage::refresh() {
    m_folder->setText(m_library.downloadFolder());
    showOffers();
    showRows();
    showButtons();
}

void DownloadPage::showOffers() {
    const app::HubView view = m_hub.view();
    const int count = static_cast<int>(view.offers.size());
    const bool fresh = m_offers->rowCount() != count;
    m_offers->setRowCount(count);
    for (int i = 0; i < count; ++i) {
        const HubOffer& offer = view.offers[i];
        setCell(*m_offers, i, 0,
                offer.folder ? tr("%1 (folder of safetensors)").arg(offer.name) : offer.name);
        setCell(*m_offers, i, 1, offer.bytes < 0 ? tr("unknown") : app::bytesText(offer.bytes));
        setCell(*m_offers, i, 2, app::countText(offer.files));
        setCell(*m_offers, i, 3,
                !offer.problem.isEmpty() ? offer.problem
                : offer.digests          ? tr("from the hub")
                                         : tr("none"));
    }
    if (fresh && count > 0) m_offers->selectRow(0);
    if (!m_told.isEmpty()) return;
    const bool problem = !view.problem.isEmpty();
    m_sentence->setText(
        problem       ? view.problem
        : view.asking ? tr("Looking up %1...").arg(view.hub)
        : count == 1  ? tr("%1: one model. Download fetches it.").arg(view.asked)
        : count > 0
            ? tr("%1: Download fetches the selected model.").arg(view.asked)
            : tr("No connection is made until you look something up or resume a download."));
    setRole(m_sentence, problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
}

void DownloadPage::showRows() {
    const auto rows = m_hub.view().rows;
    m_rows->setRowCount(static_cast<int>(rows.size()));
    for (int i = 0; i < rows.size(); ++i) {
        setCell(*m_rows, i, 0, rows[i].download.title);
        setCell(*m_rows, i, 1, stateText(rows[i].download));
        setCell(*m_rows, i, 2, amountText(rows[i].download));
        setCell(*m_rows, i, 3, speedText(rows[i].download));
    }
    if (m_rows->currentRow() < 0 && !rows.isEmpty()) m_rows->selectRow(0);
}

void DownloadPage::showButtons() {
    const app::HubView view = m_hub.view();
    const int offer = m_offers->currentRow();
    const bool can =
        offer >= 0 && offer < view.offers.size() && view.offers[offer].problem.isEmpty();
    m_fetch->setEnabled(can);
    const int at = m_rows->currentRow();
    const HubRow* row = at >= 0 && at < view.rows.size() ? &view.rows[at] : nullptr;
    const auto is = [&](DownloadState state) {
        return row != nullptr && row->download.state == state;
    };
    m_pause->setEnabled(is(DownloadState::Running) || is(DownloadState::Checking));
    m_resume->setEnabled(is(DownloadState::Waiting) || is(DownloadState::Failed));
    m_remove->setEnabled(row != nullptr);
    m_detail->setText(row == nullptr ? QString() : row->download.sentence);
    setRole(m_detail,
            is(DownloadState::Failed) ? QStringLiteral("bad") : QStringLiteral("secondary"));
}

}  // namespace lacuna::ui
