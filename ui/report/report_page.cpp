#include "ui/report/report_page.h"

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
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>
#include <QTextTable>
#include <QTimerEvent>
#include <QUrl>
#include <QVariant>
#include <QVector>
#include <QWidget>
#include <QtEndian>
#include <algorithm>
#include <utility>

namespace lacuna::ui {

namespace {

constexpr int kDotsPerInch = 96;  ///< same as a screen, so sizes of the page keep their meaning
constexpr int kMarginMm = 16;
constexpr int kFooter = 28;  ///< px below the text for the page number
constexpr double kBodyPoints = 9.5;
constexpr int kScreenMargin = 40;  ///< px next to the pictures
constexpr int kPictureGap = 6;     ///< px between two pictures in a row
constexpr int kWideAspect = 2;     ///< minimum width / height of charts; two of them fit in a row
constexpr int kMaxBreaks = 60;     ///< each break costs a layout

/// Style sheet of the page in Qt's subset of CSS.
QString paperStyle() {
    return QStringLiteral(
        "h1 { font-size: 18pt; } h2 { font-size: 13pt; margin-top: 16px; }"
        "h3 { font-size: 10.5pt; color: #4a4a4a; margin-top: 8px; margin-bottom: 2px; }"
        "th { font-weight: 600; color: #5f5f5f; text-align: left; }"
        "td, th { padding: 2px 8px 2px 0; font-size: 8pt; }"
        ".figure { text-align: right; }"
        "h4 { font-size: 8.5pt; font-weight: 600; color: #0072b2; margin-top: 4px; "
        "margin-bottom: 0; }"
        ".pinned { background-color: #fff3c4; text-decoration: underline; }"
        ".said { white-space: pre-wrap; font-size: 9pt; margin-top: 0; margin-bottom: 4px; }"
        ".picture { margin-top: 4px; margin-bottom: 0; }"
        ".caption { font-size: 8.5pt; color: #5f5f5f; margin-top: 0; margin-bottom: 8px; }");
}

/// A picture of the page with its caption.
struct Figure {
    QString alt, source, caption;
    QSize size;  ///< px
};

/// Reads the size from the header of a PNG file.
QSize sizeOfPng(const QString& source) {
    constexpr qsizetype kPngHead = 24;  ///< bytes up to the end of width and height
    const qsizetype data = source.indexOf(QLatin1Char(',')) + 1;
    const QByteArray head = QByteArray::fromBase64(source.mid(data, kPngHead / 3 * 4).toLatin1());
    if (head.size() < kPngHead) return {};
    return {qFromBigEndian<qint32>(head.constData() + 16),
            qFromBigEndian<qint32>(head.constData() + 20)};
}

/// Text between two markers; `at` is moved past the second one.
QString between(const QString& html, QLatin1String before, QLatin1String after, qsizetype& at) {
    const qsizetype from = html.indexOf(before, at) + before.size();
    const qsizetype to = html.indexOf(after, from);
    at = to + after.size();
    return html.mid(from, to - from);
}

/// Sets both dimensions, because with only one Qt does not scale the other.
QString pictureOf(const Figure& figure, int width, int tallest) {
    QSize shown = figure.size.isEmpty() ? QSize(width, width * 3 / 8)
                                        : figure.size.scaled(width, tallest, Qt::KeepAspectRatio);
    return QStringLiteral("<p class=\"picture\"><img width=\"%1\" height=\"%2\" alt=\"")
               .arg(shown.width())
               .arg(shown.height()) +
           figure.alt + QStringLiteral("\" src=\"") + figure.source +
           QStringLiteral("\"></p><p class=\"caption\">") + figure.caption + QStringLiteral("</p>");
}

/// Space for pictures on a page.
struct Pictures {
    int width = 0;    ///< px; width of the page
    int tallest = 0;  ///< px; maximum height of a picture
    bool paper = false;
};

/// Stacks pictures on a screen. On paper, charts are two to a row, and each row is a separate
/// table, because a table moves to the next page as a unit.
QString rowsOf(const QVector<Figure>& figures, const Pictures& place) {
    QString rows;
    for (qsizetype at = 0; at < figures.size(); ++at) {
        const Figure& first = figures.at(at);
        const auto isChart = [](const Figure& one) {
            return one.size.width() >= kWideAspect * one.size.height();
        };
        const bool pair =
            place.paper && at + 1 < figures.size() && isChart(first) && isChart(figures.at(at + 1));
        if (!pair) {
            const int width = place.paper && isChart(first) ? place.width / 2 : place.width;
            rows += QStringLiteral("<table><tr><td>") + pictureOf(first, width, place.tallest) +
                    QStringLiteral("</td></tr></table>");
            continue;
        }
        rows += QStringLiteral("<table width=\"100%\"><tr>");
        for (const Figure& one : {first, figures.at(++at)})
            rows += QStringLiteral("<td width=\"50%\">") +
                    pictureOf(one, place.width / 2 - kPictureGap, place.tallest) +
                    QStringLiteral("</td>");
        rows += QStringLiteral("</tr></table>");
    }
    return rows;
}

/// Replaces figures, which Qt does not support, and sets picture sizes.
QString laidOut(const QString& html, const Pictures& place) {
    QString page;
    QVector<Figure> figures;
    qsizetype at = std::max<qsizetype>(0, html.indexOf(QLatin1String("</style>")));
    const QLatin1String mark("<figure>");
    while (true) {
        const qsizetype next = html.indexOf(mark, at);
        const QStringView text = QStringView(html).mid(at, next < 0 ? html.size() - at : next - at);
        if (!text.trimmed().isEmpty() || next < 0) {
            page += rowsOf(std::exchange(figures, {}), place);
            page += text;
        }
        if (next < 0) break;
        Figure figure;
        at = next;
        figure.alt = between(html, QLatin1String("alt=\""), QLatin1String("\""), at);
        figure.source = between(html, QLatin1String("src=\""), QLatin1String("\""), at);
        figure.caption =
            between(html, QLatin1String("<figcaption>"), QLatin1String("</figcaption>"), at);
        at = html.indexOf(QLatin1String("</figure>"), at) + mark.size() + 1;
        figure.size = sizeOfPng(figure.source);
        figures.push_back(figure);
    }
    // A heading stays on the page of the text that follows it.
    page.replace(QLatin1String("<div class=\"speaker\">"), QLatin1String("<h4>"));
    page.replace(QLatin1String("</div>\n<div class=\"said\">"),
                 QLatin1String("</h4>\n<div class=\"said\">"));
    return page;
}

/// Document that loads only the pictures embedded in the page.
class ReportPage final : public QTextDocument {
  public:
    /// Wider pictures are scaled to `widest` pixels; 0: none is changed.
    explicit ReportPage(int widest) : m_widest(widest) {}

  protected:
    QVariant loadResource(int type, const QUrl& name) override {
        if (name.scheme() != QLatin1String("data")) return {};
        QVariant loaded = QTextDocument::loadResource(type, name);
        if (m_widest == 0 || type != ImageResource) return loaded;
        // Qt has decoded it already on the current thread.
        const auto image = loaded.value<QImage>();
        if (image.width() <= m_widest) return loaded;
        const QVariant fitted = image.scaledToWidth(m_widest, Qt::SmoothTransformation);
        addResource(type, name, fitted);  // replaces the full-size picture that Qt caches
        return fitted;
    }

  private:
    const int m_widest;
};

/// Keeps at most `widest` pixels of a picture's width; 0: all.
std::unique_ptr<ReportPage> layOut(const QString& html, const Pictures& pictures, int widest) {
    auto page = std::make_unique<ReportPage>(widest);
    QFont font = page->defaultFont();
    font.setPointSizeF(kBodyPoints);
    page->setDefaultFont(font);
    page->setDefaultStyleSheet(paperStyle());
    page->setHtml(laidOut(html, pictures));
    return page;
}

/// Completes the work that the layout deferred to the event loop. After a move to another thread
/// its timers could not be stopped and would fire there forever.
void finishTimers(QAbstractTextDocumentLayout& layout) {
    for (const auto& timer : QAbstractEventDispatcher::instance()->registeredTimers(&layout)) {
        QTimerEvent due(timer.timerId);
        QCoreApplication::sendEvent(&layout, &due);
    }
}

int pageOf(const QTextDocument& document, double y) {
    return static_cast<int>(y / document.pageSize().height());
}

/// Page of the first line of a block outside of tables. Its box starts on the previous page if the
/// line does not fit there.
int pageOfFirstLine(const QTextDocument& document, const QTextBlock& block) {
    const QTextLayout& lines = *block.layout();
    const double within = lines.lineCount() > 0 ? lines.lineAt(0).y() : 0;
    return pageOf(document, lines.position().y() + within);
}

int pageOfBegin(const QTextDocument& document, const QTextBlock& block) {
    return pageOf(document, document.documentLayout()->blockBoundingRect(block).top());
}

/// Page on which a block ends.
int pageOfEnd(const QTextDocument& document, const QTextBlock& block) {
    return pageOf(document, document.documentLayout()->blockBoundingRect(block).bottom() - 1);
}

/// The last block that must be on the page where a table starts: its first row below the header.
QTextBlock heldWith(const QTextTable& table) {
    const int row = std::min(1, table.rows() - 1);
    return table.cellAt(row, 0).lastCursorPosition().block();
}

/// Inserts a page break before a heading that would otherwise be left alone at the end of a page,
/// or before a table whose header or picture would. Returns false if there is none.
bool breakPage(QTextDocument& document) {
    QTextBlock heading;  // first heading directly above the block
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0) {
            if (!heading.isValid()) heading = block;
            continue;
        }
        auto* const table = qobject_cast<QTextTable*>(document.frameAt(block.position()));
        const bool begins = table != nullptr && table->firstCursorPosition().block() == block;
        if (!begins && (table != nullptr || block.text().isEmpty())) continue;
        const QTextBlock first = heading.isValid() ? heading : block;
        const QTextBlock last = begins ? heldWith(*table) : block;
        const bool parted = pageOfBegin(document, first) !=
                            (begins ? pageOfEnd(document, last) : pageOfFirstLine(document, last));
        heading = {};
        if (!parted || (begins && first == last)) continue;
        if (first.blockFormat().headingLevel() > 0) {
            QTextBlockFormat format = first.blockFormat();
            if (format.pageBreakPolicy() != QTextFormat::PageBreak_Auto) continue;
            format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
            QTextCursor(first).setBlockFormat(format);
            return true;
        }
        if (!begins || table->format().pageBreakPolicy() != QTextFormat::PageBreak_Auto) continue;
        QTextTableFormat format = table->format();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        table->setFormat(format);
        return true;
    }
    return false;
}

/// Each break moves the rest, so the search restarts from the beginning.
void keepTogether(QTextDocument& document) {
    int breaks = 0;
    do {
        // pageCount() forces the layout, which is incomplete right after a change.
        static_cast<void>(document.pageCount());
    } while (breakPage(document) && ++breaks < kMaxBreaks);
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
    const QEventLoop timers;  // the layout starts timers, and a thread not created by Qt has no
                              // dispatcher
    auto page = layOut(html, {width - kScreenMargin, QWIDGETSIZE_MAX}, width - kScreenMargin);
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
    const auto document =
        layOut(html, {writer.width(), static_cast<int>(body.height() / 2), true}, 0);
    document->documentLayout()->setPaintDevice(&writer);
    document->setDocumentMargin(0);
    document->setPageSize(body);
    keepTogether(*document);
    for (int page = 0; page < document->pageCount(); ++page) {
        if (page > 0 && !writer.newPage()) return {};
        paintPage(painter, *document, page, body);
    }
    painter.end();
    return bytes;
}

}  // namespace lacuna::ui
