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
#include "ui/style/page_kit.h"
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

}  // namespace

DownloadPage::DownloadPage(app::HubController& hub, app::ModelLibrary& library, FileDialogs& files,
                           QWidget* parent)
    : QWidget(parent), m_hub(hub), m_library(library), m_files(files) {
    QVBoxLayout* layout = tabLayout(this);
    layout->addWidget(buildQuestion());
    layout->addWidget(buildOffers(), 3);
    layout->addWidget(hairline(this));
    layout->addWidget(buildDownloads(), 2);
    if (const QString problem = hub.setHub(library.hub()); !problem.isEmpty())
        showMessage(problem, true);
    hub.setFolder(library.downloadFolder());
    connect(&hub, &app::HubController::changed, this, &DownloadPage::refresh);
    refresh();
}

QWidget* DownloadPage::buildQuestion() {
    auto* box = new QWidget(this);
    QFormLayout* form = formLayout(box);
    m_name = lineEdit(tr("Model"),
                      tr("OWNER/NAME on the hub, or the address of a file. Nothing is sent before "
                         "you press Look up."),
                      box);
    m_name->setPlaceholderText(tr("OWNER/NAME or https://..."));
    m_lookUp = pushButton(tr("Look up"), tr("List the models of the repository."), box);
    addRow(form, tr("Model"), m_name, rowOf(m_name, {m_lookUp}));
    m_hubField =
        lineEdit(tr("Hub"), tr("Address of the hub or of a mirror. Empty: the default hub."), box);
    m_token = lineEdit(
        tr("Token"),
        tr("Access token of your hub account, for models with restricted access. It is sent only "
           "to the hub, kept until this window closes and never saved."),
        box);
    m_token->setEchoMode(QLineEdit::Password);
    m_token->setPlaceholderText(tr("only for restricted models"));
    QLabel* tokenName = buddyLabel(tr("Token"), m_token);
    // Otherwise its last letter is cut.
    tokenName->setMinimumWidth(tokenName->sizeHint().width() + Spacing::half);
    QHBoxLayout* hub = rowOf(m_hubField, {tokenName});
    hub->addWidget(m_token, 1);
    addRow(form, tr("Hub"), m_hubField, hub);
    m_folder = lineEdit(tr("Folder"), tr("Where models are saved."), box);
    m_folder->setReadOnly(true);
    QPushButton* browse = pushButton(tr("Choose..."), {}, box, tr("Choose the folder for models"));
    m_plain = new QCheckBox(tr("Allow http"), box);
    explain(m_plain, tr("Also download unencrypted from other machines. Anyone on the network path "
                        "can read and change the data, so enter a digest."));
    addRow(form, tr("Folder"), m_folder, rowOf(m_folder, {browse, m_plain}));
    connect(m_lookUp, &QPushButton::clicked, this, &DownloadPage::ask);
    connect(m_name, &QLineEdit::returnPressed, this, &DownloadPage::ask);
    connect(m_hubField, &QLineEdit::editingFinished, this, [this] {
        const QString problem = m_hub.setHub(m_hubField->text());
        if (problem.isEmpty()) m_library.setHub(m_hubField->text());
        if (!problem.isEmpty()) showMessage(problem, true);
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
    QVBoxLayout* layout = columnLayout(box);
    m_offers = textTable({tr("Model"), tr("Size"), tr("Files"), tr("SHA-256")},
                         tr("Models of the repository"), box);
    showEmptyHint(*m_offers, tr("Models of a repository appear here after a lookup."));
    layout->addWidget(m_offers, 1);
    m_sentence = wrappedCaption(box);
    m_digest = lineEdit(tr("SHA-256 digest"),
                        tr("SHA-256 digest the file must have, 64 digits, if you know it."), box);
    m_digest->setPlaceholderText(tr("as shown on the hub"));
    m_fetch = pushButton(tr("Download"), {}, box);
    setRole(m_fetch, QStringLiteral("primary"));
    layout->addLayout(rowOf(m_sentence, {buddyLabel(tr("SHA-256"), m_digest), m_digest, m_fetch}));
    connect(m_fetch, &QPushButton::clicked, this, &DownloadPage::fetch);
    connect(m_offers, &QTableWidget::cellActivated, this, [this] { fetch(); });
    connect(m_offers, &QTableWidget::itemSelectionChanged, this, &DownloadPage::showButtons);
    return box;
}

QWidget* DownloadPage::buildDownloads() {
    auto* box = new QWidget(this);
    QVBoxLayout* layout = columnLayout(box);
    m_rows =
        textTable({tr("Download"), tr("State"), tr("Amount"), tr("Speed")}, tr("Downloads"), box);
    showEmptyHint(*m_rows, tr("Downloads and their progress appear here."));
    layout->addWidget(m_rows, 1);
    m_detail = wrappedCaption(box);
    m_detail->setAccessibleName(tr("Selected download"));
    m_pause = pushButton(tr("Pause"), tr("Keeps the downloaded part."), box);
    m_resume = pushButton(tr("Resume"), tr("Continues where it stopped if that is safe."), box);
    m_remove = pushButton(
        tr("Remove..."),
        tr("Removes it from this list and deletes the partial file of an unfinished download."),
        box);
    layout->addLayout(rowOf(m_detail, {m_pause, m_resume, m_remove}));
    connect(m_pause, &QPushButton::clicked, this, [this] { m_hub.pause(rowId()); });
    connect(m_resume, &QPushButton::clicked, this, [this] { m_hub.resume(rowId()); });
    connect(m_remove, &QPushButton::clicked, this, &DownloadPage::confirmRemoving);
    connect(m_rows, &QTableWidget::itemSelectionChanged, this, &DownloadPage::showButtons);
    return box;
}

QString DownloadPage::sentence() const {
    return m_sentence->text();
}

void DownloadPage::showMessage(const QString& sentence, bool problem) {
    m_message = sentence;
    showSentence(m_sentence, sentence, problem);
}

void DownloadPage::ask() {
    m_message.clear();
    m_hub.setToken(m_token->text());
    m_hub.ask(m_name->text());
}

void DownloadPage::fetch() {
    if (!m_fetch->isEnabled()) return;
    m_hub.setFolder(m_library.downloadFolder());
    const QString problem = m_hub.fetch(m_offers->currentRow(), m_digest->text());
    showMessage(problem, !problem.isEmpty());
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
void DownloadPage::confirmRemoving() {
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
    const auto count = view.offers.size();
    const bool fresh = m_offers->rowCount() != count;
    QVector<QStringList> texts;
    for (const HubOffer& offer : view.offers)
        texts.push_back(
            {offer.folder ? tr("%1 (folder of safetensors)").arg(offer.name) : offer.name,
             offer.bytes < 0 ? tr("unknown") : app::bytesText(offer.bytes),
             app::countText(offer.files),
             !offer.problem.isEmpty() ? offer.problem
             : offer.digests          ? tr("from the hub")
                                      : tr("none")});
    fillTable(m_offers, texts);
    if (fresh && count > 0) m_offers->selectRow(0);
    if (!m_message.isEmpty()) return;
    const bool problem = !view.problem.isEmpty();
    showSentence(
        m_sentence,
        problem       ? view.problem
        : view.asking ? tr("Looking up %1...").arg(view.hub)
        : count == 1  ? tr("%1: one model. Download fetches it.").arg(view.asked)
        : count > 0   ? tr("%1: Download fetches the selected model.").arg(view.asked)
                    : tr("No connection is made until you look something up or resume a download."),
        problem);
}

void DownloadPage::showRows() {
    const auto rows = m_hub.view().rows;
    QVector<QStringList> texts;
    for (const HubRow& row : rows)
        texts.push_back({row.download.title, stateText(row.download), amountText(row.download),
                         speedText(row.download)});
    fillTable(m_rows, texts);
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
    showSentence(m_detail, row == nullptr ? QString() : row->download.sentence,
                 is(DownloadState::Failed));
}

}  // namespace lacuna::ui
