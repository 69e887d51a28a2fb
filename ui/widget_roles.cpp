#include "ui/widget_roles.h"

#include <QFrame>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QStyle>
#include <QTextBoundaryFinder>
#include <QTextDocument>
#include <QVariant>

#include "ui/theme.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxTipLength = 1800;  ///< signs; more than a screen holds
constexpr int kTipColumns = 56;            ///< of a line; no wider than a chart
constexpr int kShareSteps = 1000;          ///< of a bar that shows a share

QString cut(const QString& text, qsizetype most) {
    if (text.size() <= most) return text;
    // Half of a pair is no sign.
    const bool pair = most > 1 && text.at(most - 2).isHighSurrogate();
    return text.left(most - (pair ? 2 : 1)) + QChar(0x2026);
}

/// Signs of Chinese and the like take the room of two.
int columnsOf(QStringView text) {
    constexpr char32_t kWide = 0x2E80;
    int columns = 0;
    for (const char32_t sign : text.toUcs4()) columns += sign < kWide ? 1 : 2;
    return columns;
}

/// Broken where a line may end, so that none is wider than kTipColumns; a word that is, anywhere.
QString inLines(const QString& text) {
    QString lines;
    int column = 0;
    const auto add = [&](QStringView word) {
        if (column > 0 && column + columnsOf(word.trimmed()) > kTipColumns) {
            while (lines.endsWith(QLatin1Char(' '))) lines.chop(1);
            lines += QLatin1Char('\n');
            column = 0;
        }
        lines += word;
        column = word.endsWith(QLatin1Char('\n')) ? 0 : column + columnsOf(word);
    };
    QTextBoundaryFinder ends(QTextBoundaryFinder::Line, text);
    for (qsizetype from = 0; from < text.size();) {
        const qsizetype end = ends.toNextBoundary();
        qsizetype to = end > from ? end : text.size();
        if (to - from > kTipColumns) {
            to = from + kTipColumns;
            if (text.at(to - 1).isHighSurrogate()) --to;  // half of a pair is no sign
            ends.setPosition(to);
        }
        add(QStringView(text).mid(from, to - from));
        from = to;
    }
    return lines;
}

QLabel* asCaption(QLabel* label) {
    label->setFont(Theme::font(FontRole::Small));
    setRole(label, QStringLiteral("secondary"));
    return label;
}

class YieldingLabel final : public QLabel {
  public:
    using QLabel::QLabel;
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {0, QLabel::minimumSizeHint().height()};
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        if (shown == text()) return QLabel::paintEvent(event);
        QPainter painter(this);
        style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(),
                              isEnabled(), shown, foregroundRole());
    }
};

}  // namespace

void setRole(QWidget* widget, const QString& role) {
    if (widget->property("lacunaRole").toString() == role) return;
    widget->setProperty("lacunaRole", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QString changeRole(app::ChangeState state) {
    switch (state) {
        case app::ChangeState::Settled:
        case app::ChangeState::Superseded:
            return QStringLiteral("secondary");
        case app::ChangeState::Draft:
        case app::ChangeState::Submitted:
        case app::ChangeState::Pending:
            return QStringLiteral("pending");
        case app::ChangeState::Applied:
            return QStringLiteral("good");
        case app::ChangeState::Rejected:
        case app::ChangeState::RolledBack:
            return QStringLiteral("bad");
    }
    return {};
}

void setAccessible(QWidget* widget, const QString& name, const QString& description) {
    widget->setAccessibleName(name);
    if (!description.isEmpty()) widget->setAccessibleDescription(description);
}

QProgressBar* shareBar(int width, QWidget* parent) {
    auto* bar = new QProgressBar(parent);
    bar->setRange(0, kShareSteps);
    if (width > 0) bar->setFixedWidth(width);
    bar->setTextVisible(false);
    bar->setMaximumHeight(6);
    return bar;
}

void showShare(QProgressBar& bar, double share) {
    bar.setRange(0, share < 0 ? 0 : kShareSteps);
    bar.setValue(static_cast<int>(share * kShareSteps));
}

QString factDot() {
    return QStringLiteral("  ") + QChar(0x00B7) + QStringLiteral("  ");
}

QLabel* plainLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);  // before there is a text to look at
    label->setText(text);
    return label;
}

QLabel* captionLabel(const QString& text, QWidget* parent) {
    return asCaption(plainLabel(text, parent));
}

QLabel* yieldingLabel(QWidget* parent) {
    auto* label = new YieldingLabel(parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* yieldingCaption(QWidget* parent) {
    return asCaption(yieldingLabel(parent));
}

QString tipText(const QString& text) {
    const QString shown = inLines(cut(text, kMaxTipLength));
    return Qt::mightBeRichText(shown) ? Qt::convertFromPlainText(shown) : shown;
}

QString oneLine(const QString& text, qsizetype most) {
    QString line = cut(text, most);
    for (QChar& sign : line) {
        const ushort code = sign.unicode();
        const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
        const bool control =
            code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
        if (turns || control) sign = QChar::ReplacementCharacter;
    }
    return line;
}

QWidget* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    setRole(line, QStringLiteral("rule"));
    return line;
}

}  // namespace lacuna::ui
