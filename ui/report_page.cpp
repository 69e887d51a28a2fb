#include "ui/report_page.h"

#include <QAbstractEventDispatcher>
#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QEventLoop>
#include <QFont>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QTextDocument>
#include <QTimerEvent>
#include <QUrl>
#include <QVariant>
#include <algorithm>

namespace lacuna::ui {

namespace {

constexpr int kDotsPerInch = 96;  ///< as a screen, so that sizes of the page mean the same
constexpr int kMarginMm = 16;
constexpr int kFooter = 28;  ///< px below the text for the number of the page
constexpr double kBodyPoints = 9.5;
constexpr int kScreenMargin = 40;  ///< px beside the pictures

/// What Qt's subset of CSS knows of the page's own style.
QString paperStyle() {
    return QStringLiteral(
        "h1 { font-size: 18pt; } h2 { font-size: 13pt; margin-top: 16px; }"
        "h3 { font-size: 10.5pt; color: #4a4a4a; }"
        "th { font-weight: 600; color: #5f5f5f; text-align: left; }"
        "td, th { padding: 2px 8px 2px 0; font-size: 8pt; }"
        ".figure { text-align: right; }"
        ".speaker { font-size: 8.5pt; font-weight: 600; color: #0072b2; }"
        ".pinned { background-color: #fff3c4; text-decoration: underline; }"
        ".said { white-space: pre-wrap; margin-bottom: 8px; }"
        ".caption { font-size: 8.5pt; color: #5f5f5f; }");
}

/// Qt knows no figures, and takes a picture as wide as it is.
QString laidOut(QString html, int width) {
    static const QRegularExpression head(QStringLiteral("<style>.*</style>"),
                                         QRegularExpression::DotMatchesEverythingOption);
    html.remove(head);
    html.replace(QStringLiteral("<figure><img alt="),
                 QStringLiteral("<p><img width=\"%1\" alt=").arg(width));
    html.replace(QStringLiteral("<figcaption>"), QStringLiteral("</p><p class=\"caption\">"));
    html.replace(QStringLiteral("</figcaption></figure>"), QStringLiteral("</p>"));
    return html;
}

/// Pictures are those inside the page; nothing that a text names is loaded.
class ReportPage final : public QTextDocument {
  public:
    /// Pictures that are wider have `widest` pixels across; 0: none is changed.
    explicit ReportPage(int widest) : m_widest(widest) {}

  protected:
    QVariant loadResource(int type, const QUrl& name) override {
        if (name.scheme() != QLatin1String("data")) return {};
        QVariant loaded = QTextDocument::loadResource(type, name);
        if (m_widest == 0 || type != ImageResource) return loaded;
        // Qt has unpacked it already, on whichever thread this is.
        const auto image = loaded.value<QImage>();
        if (image.width() <= m_widest) return loaded;
        const QVariant fitted = image.scaledToWidth(m_widest, Qt::SmoothTransformation);
        addResource(type, name, fitted);  // before the whole one that Qt keeps
        return fitted;
    }

  private:
    const int m_widest;
};

/// `width` pixels for pictures, of which no more than `widest` are kept across; 0: all.
std::unique_ptr<ReportPage> pageOf(const QString& html, int width, int widest) {
    auto page = std::make_unique<ReportPage>(widest);
    QFont font = page->defaultFont();
    font.setPointSizeF(kBodyPoints);
    page->setDefaultFont(font);
    page->setDefaultStyleSheet(paperStyle());
    page->setHtml(laidOut(html, width));
    return page;
}

/// Does what a layout put off to the next turn of an event loop. Its timers cannot be stopped any
/// more once they are another thread's, and would go off there without end.
void finishTimers(QAbstractTextDocumentLayout& layout) {
    for (const auto& timer : QAbstractEventDispatcher::instance()->registeredTimers(&layout)) {
        QTimerEvent due(timer.timerId);
        QCoreApplication::sendEvent(&layout, &due);
    }
}

void paintPage(QPainter& painter, QTextDocument& document, int page, const QSizeF& body) {
    painter.save();
    painter.translate(0, -page * body.height());
    const QRectF view(0, page * body.height(), body.width(), body.height());
    painter.setClipRect(view);
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = view;
    context.palette.setColor(QPalette::Text, Qt::black);
    document.documentLayout()->draw(&painter, context);
    painter.restore();
    painter.drawText(QRectF(0, body.height(), body.width(), kFooter),
                     Qt::AlignRight | Qt::AlignBottom,
                     QStringLiteral("%1 / %2").arg(page + 1).arg(document.pageCount()));
}

}  // namespace

std::unique_ptr<QTextDocument> reportPreview(const QString& html, int width, QThread* shownOn) {
    const QEventLoop timers;  // a layout starts some, and a thread that Qt did not start has none
    auto page = pageOf(html, width - kScreenMargin, width - kScreenMargin);
    page->setTextWidth(width);
    static_cast<void>(page->size());
    finishTimers(*page->documentLayout());
    page->moveToThread(shownOn);
    return page;
}

QByteArray reportPdf(const QString& html) {
    const QEventLoop timers;  // as above
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly)) return {};
    QPdfWriter writer(&buffer);
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm),
                          QPageLayout::Millimeter);
    writer.setTitle(QStringLiteral("Lacuna session report"));
    writer.setCreator(QStringLiteral("Lacuna " LACUNA_VERSION));
    QPainter painter;
    if (!painter.begin(&writer)) return {};
    const QSizeF body(writer.width(), writer.height() - kFooter);
    const auto document = pageOf(html, writer.width(), 0);
    document->documentLayout()->setPaintDevice(&writer);
    document->setDocumentMargin(0);
    document->setPageSize(body);
    for (int page = 0; page < document->pageCount(); ++page) {
        if (page > 0 && !writer.newPage()) return {};
        paintPage(painter, *document, page, body);
    }
    painter.end();
    return bytes;
}

}  // namespace lacuna::ui
