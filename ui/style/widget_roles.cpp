
#include <QAbstractItemView>
#include <QFrame>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QStyle>
#include <QTextBoundaryFinder>
#include <QTextDocument>
#include <QVBoxLayout>
#include <QVariant>
#include <algorithm>

#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxTipLength = 1800;  ///< characters; more than a screen holds
constexpr int kTipColumns = 56;            ///< characters per line; no wider than a chart
constexpr int kShareSteps = 1000;          ///< resolution of a share bar

QString cut(const QString& text, qsizetype most) {
    if (text.size() <= most) return text;
    // Half a surrogate pair is not a character.
    const bool pair = most > 1 && text.at(most - 2).isHighSurrogate();
    return text.left(most - (pair ? 2 : 1)) + QChar(0x2026);
}

/// Chinese and similar characters take two columns.
int columnsOf(QStringView text) {
    constexpr char32_t kWide = 0x2E80;
    int columns = 0;
    for (const char32_t sign : text.toUcs4()) columns += sign < kWide ? 1 : 2;
    return columns;
}

/// Breaks at permitted positions, so no line is wider than kTipColumns; a longer word is broken
/// anywhere.
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
            if (text.at(to - 1).isHighSurrogate())
                --to;  // half a surrogate pair is not a character
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

QString effectRole(app::AnswerEffect effect) {
    switch (effect) {
        case app::AnswerEffect::Within:
            return QStringLiteral("good");
        case app::AnswerEffect::Near:
            return QStringLiteral("pending");
        case app::AnswerEffect::Exceeded:
            return QStringLiteral("bad");
        case app::AnswerEffect::Full:
        case app::AnswerEffect::NotMeasured:
            break;
    }
    return QStringLiteral("secondary");
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

QString factSeparator() {
    return QStringLiteral("  ") + QChar(0x00B7) + QStringLiteral("  ");
}

QLabel* plainLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);  // set first, so Qt never interprets the text
    label->setText(text);
    return label;
}

QLabel* captionLabel(const QString& text, QWidget* parent) {
    return asCaption(plainLabel(text, parent));
}

void ElidingLabel::setForms(const QStringList& longestFirst) {
    m_forms = longestFirst;
    m_first = 0;
    setText(m_forms.value(0));
    updateGeometry();
    update();
}

void ElidingLabel::beginWith(qsizetype form) {
    if (form == m_first) return;
    m_first = form;
    updateGeometry();
    update();
}

int ElidingLabel::widthOf(qsizetype form) const {
    const QMargins around = contentsMargins();
    return fontMetrics().horizontalAdvance(m_forms.value(form, text())) + around.left() +
           around.right();
}

QString ElidingLabel::shown() const {
    const QMargins around = contentsMargins();
    const int room = width() - around.left() - around.right();
    for (qsizetype i = m_first; i < m_forms.size(); ++i)
        if (fontMetrics().horizontalAdvance(m_forms[i]) <= room) return m_forms[i];
    const QString last = m_forms.isEmpty() ? text() : m_forms.back();
    return fontMetrics().elidedText(last, Qt::ElideRight, room);
}

QSize ElidingLabel::sizeHint() const {
    const QSize whole = QLabel::sizeHint();
    return m_forms.isEmpty() ? whole : QSize(widthOf(m_first), whole.height());
}

QSize ElidingLabel::minimumSizeHint() const {
    return {0, QLabel::minimumSizeHint().height()};
}

void ElidingLabel::paintEvent(QPaintEvent* event) {
    const QString words = shown();
    if (words == text()) return QLabel::paintEvent(event);
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(),
                          isEnabled(), words, foregroundRole());
}

ElidingLabel* shrinkingLabel(QWidget* parent) {
    auto* label = new ElidingLabel(parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

ElidingLabel* shrinkingCaption(QWidget* parent) {
    ElidingLabel* label = shrinkingLabel(parent);
    asCaption(label);
    return label;
}

SteadyCaption::SteadyCaption(int lines, QWidget* parent) : QLabel(parent), m_lines(lines) {
    setTextFormat(Qt::PlainText);
    asCaption(this);
    setWordWrap(true);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
}

int SteadyCaption::heightForWidth(int width) const {
    constexpr qsizetype kMostWidths = 64;  // dragging a frame produces many widths
    if (m_tallest.size() > kMostWidths) m_tallest.clear();
    const QMargins around = contentsMargins();
    const int least = m_lines * fontMetrics().lineSpacing() + around.top() + around.bottom();
    int& tallest = m_tallest[width];
    tallest = std::max({tallest, least, QLabel::heightForWidth(width)});
    return tallest;
}

QSize SteadyCaption::sizeHint() const {
    const int width = QLabel::sizeHint().width();
    return {width, heightForWidth(width)};
}

QSize SteadyCaption::minimumSizeHint() const {
    return {0, m_lines * fontMetrics().lineSpacing()};
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

QLabel* showEmptyHint(QAbstractItemView& view, const QString& text) {
    QLabel* note = plainLabel(text, view.viewport());
    note->setAlignment(Qt::AlignCenter);
    note->setWordWrap(true);
    setRole(note, QStringLiteral("secondary"));
    QVBoxLayout* over = pageLayout(view.viewport());
    over->addWidget(note);
    const QAbstractItemModel* rows = view.model();
    const auto show = [note, rows] { note->setVisible(rows->rowCount() == 0); };
    QObject::connect(rows, &QAbstractItemModel::rowsInserted, note, show);
    QObject::connect(rows, &QAbstractItemModel::rowsRemoved, note, show);
    QObject::connect(rows, &QAbstractItemModel::modelReset, note, show);
    show();
    return note;
}

QWidget* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    setRole(line, QStringLiteral("rule"));
    return line;
}

}  // namespace lacuna::ui
