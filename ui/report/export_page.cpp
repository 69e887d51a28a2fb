#include "ui/report/export_page.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

#include "app/state/number_format.h"
#include "ui/report/report_page.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kChoicesWidth = 280;
constexpr int kRestMs = 200;

struct PartText {
    ReportSection section;
    const char* text;
};
constexpr PartText kParts[] = {
    {ReportSection::Pictures, QT_TRANSLATE_NOOP("ReportParts", "Charts and maps")},
    {ReportSection::Cache, QT_TRANSLATE_NOOP("ReportParts", "Cache")},
    {ReportSection::Turns, QT_TRANSLATE_NOOP("ReportParts", "Answers and their metrics")},
    {ReportSection::Compactions, QT_TRANSLATE_NOOP("ReportParts", "Compactions")},
    {ReportSection::Memory, QT_TRANSLATE_NOOP("ReportParts", "Prefix cache")},
    {ReportSection::Quality, QT_TRANSLATE_NOOP("ReportParts", "Quality")},
    {ReportSection::Settings, QT_TRANSLATE_NOOP("ReportParts", "Settings and changes")},
    {ReportSection::Notices, QT_TRANSLATE_NOOP("ReportParts", "Notices")},
    {ReportSection::Conversation, QT_TRANSLATE_NOOP("ReportParts", "Messages")}};
static_assert(std::size(kParts) == kReportSections);

/// A read-only page that loads no resources and follows no links.
class ReportPreview final : public QTextBrowser {
  public:
    explicit ReportPreview(QWidget* parent) : QTextBrowser(parent) { setOpenLinks(false); }
    QVariant loadResource(int /*type*/, const QUrl& /*name*/) override { return {}; }
};

/// True if the folder contains anything.
bool holdsSomething(const QString& folder) {
    return QDir(folder).exists() &&
           !QDir(folder).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

}  // namespace

ExportPage::ExportPage(app::ReportController& report, Ports ports, QWidget* parent)
    : QWidget(parent),
      m_report(report),
      m_ports(std::move(ports)),
      m_folder(new QLineEdit(this)),
      m_state(plainLabel({}, this)),
      m_replace(new QCheckBox(tr("Replace existing files"), this)),
      m_preview(new ReportPreview(this)),
      m_printer([](const Error&) {}) {  // on failure the previous page stays
    setWindowTitle(tr("Export report"));
    QHBoxLayout* where = rowLayout();
    auto* caption = plainLabel(tr("Folder"), this);
    caption->setBuddy(m_folder);
    setAccessible(m_folder, tr("Folder for the report"));
    auto* choose = new QPushButton(tr("Choose..."), this);
    setAccessible(choose, tr("Choose a folder for the report"));
    where->addWidget(caption);
    where->addWidget(m_folder, 1);
    where->addWidget(choose);
    m_state->setWordWrap(true);
    setRole(m_state, QStringLiteral("secondary"));
    m_preview->setTabChangesFocus(true);
    // The preview shows paper, so it has the colours of paper in every theme.
    m_preview->setStyleSheet(
        QStringLiteral("QTextBrowser { background: #ffffff; color: #1c1c1c; }"));
    // Pages are laid out for the width next to the scroll bar.
    m_preview->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_preview->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessible(m_preview, tr("Preview of the report"));
    QHBoxLayout* middle = rowLayout();
    middle->addWidget(buildChoices());
    middle->addWidget(m_preview, 1);
    QHBoxLayout* buttons = rowLayout();
    auto* earlier = new QPushButton(tr("Open an earlier report..."), this);
    earlier->setToolTip(
        tipText(tr("Step through a recorded session in this window and run it again.")));
    connect(earlier, &QPushButton::clicked, this, [this] { m_ports.chooseReport(); });
    buttons->addWidget(earlier);
    buttons->addStretch(1);
    m_openFolder = new QPushButton(tr("Open folder"), this);
    m_openReport = new QPushButton(tr("Open report"), this);
    m_write = new QPushButton(tr("Write report"), this);
    m_write->setAutoDefault(true);  // Enter writes while it has the focus
    setRole(m_write, QStringLiteral("primary"));
    for (QPushButton* button : {m_openFolder, m_openReport, m_write}) buttons->addWidget(button);
    setFocusProxy(m_write);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(where);
    layout->addWidget(m_state);
    layout->addWidget(m_replace);
    layout->addLayout(middle, 1);
    layout->addLayout(buttons);
    connect(choose, &QPushButton::clicked, this, [this] {
        m_ports.chooseFolder([this](const QString& path) { m_folder->setText(path); });
    });
    connect(m_folder, &QLineEdit::textChanged, this, [this] {
        m_replace->setChecked(false);
        changed();
    });
    connect(m_replace, &QCheckBox::toggled, this, &ExportPage::changed);
    connect(m_write, &QPushButton::clicked, this, &ExportPage::write);
    connect(m_openFolder, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_written)); });
    connect(m_openReport, &QPushButton::clicked, this, [this] {
        m_ports.openReport(QDir(m_written).filePath(QStringLiteral("report.json")));
    });
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &ExportPage::askPreview);
    connect(&report, &app::ReportController::previewed, this, &ExportPage::layPreview);
    connect(&report, &app::ReportController::finished, this, &ExportPage::written);
    connect(&report, &app::ReportController::failed, this, [this](const QString& sentence) {
        if (!std::exchange(m_waits, false)) return;
        changed();
        m_state->setText(sentence);
    });
    connect(&report, &app::ReportController::runningChanged, this, &ExportPage::changed);
}

ExportPage::~ExportPage() {
    m_printer.waitForDone();
}

QWidget* ExportPage::buildChoices() {
    auto* column = new QWidget(this);
    column->setFixedWidth(kChoicesWidth);
    QVBoxLayout* layout = columnLayout(column, Spacing::half);
    const auto title = [&](const QString& text) {
        QLabel* label = plainLabel(text, column);
        label->setFont(Theme::font(FontRole::Title));
        layout->addWidget(label);
    };
    title(tr("Documents"));
    m_json = addDocument(tr("JSON, complete"),
                         tr("Everything; can be opened here and replayed on any machine."), column);
    m_pdf = addDocument(tr("PDF"), tr("For printing and for readers without Lacuna."), column);
    m_html = addDocument(tr("HTML"), tr("One page that opens in any browser."), column);
    m_markdown = addDocument(tr("Markdown"),
                             tr("For notes and issue trackers; needs the pictures."), column);
    m_tables = addDocument(tr("Tables (CSV)"), tr("Every sample, for spreadsheets."), column);
    m_pictures = addDocument(tr("Pictures (PNG)"), tr("Charts, maps and the window."), column);
    layout->addSpacing(Spacing::unit);
    title(tr("Parts of PDF, HTML and Markdown"));
    for (const PartText& part : kParts) {
        auto* box = new QCheckBox(QCoreApplication::translate("ReportParts", part.text), column);
        box->setChecked(true);
        connect(box, &QCheckBox::toggled, this, &ExportPage::changed);
        connect(box, &QCheckBox::toggled, &m_rest, qOverload<>(&QTimer::start));
        layout->addWidget(box);
        m_parts.push_back({box, part.section});
    }
    layout->addStretch(1);
    return column;
}

QCheckBox* ExportPage::addDocument(const QString& text, const QString& tip, QWidget* column) {
    auto* box = new QCheckBox(text, column);
    box->setChecked(true);
    explain(box, text, tip);
    connect(box, &QCheckBox::toggled, this, &ExportPage::changed);
    column->layout()->addWidget(box);
    return box;
}

void ExportPage::propose(const QString& folder) {
    m_folder->setText(folder);
    m_written.clear();
    m_images.clear();
    changed();
    askPreview();
    m_ports.pictures([this](const QVector<app::ChartImage>& images) {
        m_images = images;
        askPreview();
    });
}

app::ReportParts ExportPage::parts() const {
    app::ReportParts parts{.json = m_json->isChecked(),
                           .tables = m_tables->isChecked(),
                           .markdown = m_markdown->isChecked(),
                           .html = m_html->isChecked(),
                           .pdf = m_pdf->isChecked(),
                           .pictures = m_pictures->isChecked() || m_markdown->isChecked()};
    for (const Part& part : m_parts)
        parts.sections.set(static_cast<std::size_t>(part.section), part.box->isChecked());
    return parts;
}

QString ExportPage::folder() const {
    const QString text = m_folder->text().trimmed();
    return text.isEmpty() ? QString() : QDir::cleanPath(QDir().absoluteFilePath(text));
}

QString ExportPage::disabledReason() const {
    const app::ReportParts chosen = parts();
    if (m_report.running() || m_waits) return tr("A report is being written.");
    if (folder().isEmpty()) return tr("Choose a folder for the report.");
    if (QFileInfo(folder()).isFile()) return tr("A file with this name exists.");
    if (!chosen.json && !chosen.tables && !chosen.markdown && !chosen.html && !chosen.pdf &&
        !chosen.pictures)
        return tr("Choose at least one document.");
    if (holdsSomething(folder()) && !m_replace->isChecked())
        return tr("This folder is not empty. Choose another, or allow replacing existing files.");
    return {};
}

void ExportPage::changed() {
    const bool there = holdsSomething(folder());
    const bool again = !m_written.isEmpty() && folder() == m_written;
    m_replace->setVisible(there && !m_waits && !again);
    m_pictures->setEnabled(!m_markdown->isChecked());
    const QString reason = again ? QString() : disabledReason();
    m_write->setEnabled(reason.isEmpty() && !again);
    m_write->setToolTip(tipText(reason));
    for (QPushButton* button : {m_openReport, m_openFolder}) button->setEnabled(again);
    if (again) return;
    m_state->setText(!reason.isEmpty() ? reason
                     : there           ? tr("Existing files with the same names are replaced.")
                                       : tr("The folder will be created."));
}

void ExportPage::askPreview() {
    m_report.preview(m_images, parts());
}

/// Runs on another thread: layout decodes pictures and measures long tables.
void ExportPage::layPreview(const QString& html) {
    const int width = m_preview->viewport()->width();
    m_printer.start([this, html, width, number = ++m_pages] {
        auto show = [this, number, page = reportPreview(html, width, thread())]() mutable {
            if (number == m_pages) showPreview(std::move(page));
        };
        QMetaObject::invokeMethod(this, std::move(show), Qt::QueuedConnection);
    });
}

void ExportPage::showPreview(std::unique_ptr<QTextDocument> page) {
    const int place = m_preview->verticalScrollBar()->value();
    m_preview->setDocument(page.get());
    m_page = std::move(page);
    m_preview->verticalScrollBar()->setValue(place);
}

void ExportPage::write() {
    if (!disabledReason().isEmpty()) return;
    m_waits = true;
    m_ports.write(folder(), parts());
    if (!m_waits) return;  // refused synchronously; the reason is displayed
    changed();
    m_state->setText(tr("Writing..."));
}

void ExportPage::written(const QString& folder, const QStringList& files) {
    if (!std::exchange(m_waits, false)) return;
    m_written = QDir::cleanPath(folder);
    changed();
    m_openReport->setEnabled(files.contains(QStringLiteral("report.json")));
    m_state->setText(
        tr("Report written: %1 files in %2.").arg(app::countText(files.size()), m_written));
    m_openFolder->setFocus();
}

}  // namespace lacuna::ui
