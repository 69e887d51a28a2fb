#include "ui/style/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <algorithm>
#include <cmath>

namespace lacuna::ui {

namespace {

constexpr double kRadius = 2.5;

QColor borderOf(const QStyleOption& option) {
    const QPalette& palette = option.palette;
    if (!option.state.testFlag(QStyle::State_Enabled)) return palette.color(QPalette::Mid);
    const bool focus = option.state.testFlag(QStyle::State_HasFocus);
    return palette.color(focus ? QPalette::Highlight : QPalette::Dark);
}

void paintBorder(QPainter& painter, const QRect& around, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(around).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter.restore();
}

void paintTick(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.setPen(QPen(colour, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) {
        return QPointF(box.left() + box.width() * x, box.top() + box.height() * y);
    };
    painter.drawPolyline(QPolygonF({at(0.24, 0.54), at(0.43, 0.73), at(0.77, 0.30)}));
}

void paintCheckBox(QPainter& painter, const QStyleOption& option) {
    const QPalette& palette = option.palette;
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor full = palette.color(enabled ? QPalette::Highlight : QPalette::Mid);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(on ? full : borderOf(option), 1));
    painter.setBrush(on ? full : palette.color(QPalette::Base));
    painter.drawRoundedRect(box, kRadius, kRadius);
    if (on) {
        const auto group = enabled ? QPalette::Active : QPalette::Disabled;
        paintTick(painter, box, palette.color(group, QPalette::HighlightedText));
    }
    painter.restore();
}

/// The Fusion style with visible borders. Fusion draws borders in a darker shade of the window
/// colour, which is invisible on a dark window. Here check boxes, number fields, combo boxes and
/// slider handles get the border colour of the palette (role Dark, 3:1 against the surface), or the
/// accent while focused. Dialog buttons have no icons.
class ControlStyle final : public QProxyStyle {
  public:
    ControlStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* answer) const override;
};

ControlStyle::ControlStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void ControlStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
    if (element == PE_IndicatorCheckBox) {
        paintCheckBox(*painter, *option);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ControlStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                      QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    // Fusion leaves a free row above and below a number field.
    if (control == CC_SpinBox)
        paintBorder(*painter, option->rect.adjusted(0, 1, 0, -1), borderOf(*option));
    if (control == CC_ComboBox) paintBorder(*painter, option->rect, borderOf(*option));
    if (control == CC_Slider)
        paintBorder(
            *painter,
            subControlRect(CC_Slider, option, SC_SliderHandle, widget).adjusted(1, 1, -1, -1),
            borderOf(*option));
}

/// The style's own icons on dialog buttons are made for a light background.
int ControlStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* answer) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    return QProxyStyle::styleHint(hint, option, widget, answer);
}

QColor grey(int value) {
    return QColor(value, value, value);
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linear(static_cast<double>(colour.redF())) +
           0.7152 * linear(static_cast<double>(colour.greenF())) +
           0.0722 * linear(static_cast<double>(colour.blueF()));
}

QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.background);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.surface);
    palette.setColor(QPalette::AlternateBase, theme.raised);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.secondary);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.bad);
    palette.setColor(QPalette::ToolTipBase, theme.surface);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.accentText);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Light, theme.surface);
    palette.setColor(QPalette::Midlight, theme.hairline);
    palette.setColor(QPalette::Mid, theme.hairline);
    palette.setColor(QPalette::Dark, theme.control);
    palette.setColor(QPalette::Shadow, theme.hairline);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.secondary);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.hairline);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, theme.text);
    return palette;
}

/// Contains only what a palette cannot express. The property "lacunaRole" marks the few widgets
/// with a look of their own.
const char* const kSheet = R"(
QWidget[lacunaRole="rail"] { background: @raised; border-right: 1px solid @hairline; }
QToolButton[lacunaRole="rail"] { border-color: transparent; background: transparent; color: @secondary; padding: 4px 0; }
QToolButton[lacunaRole="rail"]:hover { background: @hairline; }
QToolButton[lacunaRole="rail"]:focus { border-color: @accent; }
QToolButton[lacunaRole="rail"]:checked { background: @surface; border-color: @hairline; color: @accent; }
QToolButton[lacunaRole="rail"]:checked:focus { border-color: @accent; }
QSplitter::handle { background: @hairline; }
QToolButton[lacunaRole="good"], QToolButton[lacunaRole="pending"], QToolButton[lacunaRole="bad"],
QToolButton[lacunaRole="secondary"] { border-color: transparent; background: transparent; color: @secondary; }
QToolButton[lacunaRole="good"] { color: @good; }
QToolButton[lacunaRole="pending"] { color: @pending; }
QToolButton[lacunaRole="bad"] { color: @bad; }
QToolButton[lacunaRole="good"]:hover, QToolButton[lacunaRole="pending"]:hover, QToolButton[lacunaRole="bad"]:hover,
QToolButton[lacunaRole="secondary"]:hover { background: @raised; }
QToolButton[lacunaRole="good"]:focus, QToolButton[lacunaRole="pending"]:focus, QToolButton[lacunaRole="bad"]:focus,
QToolButton[lacunaRole="secondary"]:focus { border-color: @accent; }
QMenuBar { background: @background; border-bottom: 1px solid @hairline; padding: 2px 4px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @raised; }
QMenu { background: @surface; border: 1px solid @hairline; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 20px; border-radius: 4px; }
QMenu::item:selected { background: @accent; color: @accentText; }
QMenu::item:disabled { color: @secondary; }
QMenu::separator { height: 1px; background: @hairline; margin: 4px 8px; }
QTabWidget::pane { border: 0; }
QToolTip { background: @surface; color: @text; border: 1px solid @control; padding: 4px 6px; }
QPushButton, QToolButton { border: 1px solid @control; border-radius: 4px; background: @surface; color: @text;
    padding: 4px 10px; }
QToolButton { padding: 3px 7px; }
QPushButton:hover, QToolButton:hover { background: @raised; }
QPushButton:pressed, QToolButton:pressed { background: @hairline; }
QPushButton:focus, QToolButton:focus { border: 1px solid @accent; }
QPushButton:disabled, QToolButton:disabled { color: @secondary; border-color: @hairline; background: @background; }
QPushButton:default, QPushButton[lacunaRole="primary"], QToolButton[lacunaRole="primary"] {
    background: @accent; color: @accentText; border-color: @accent; }
QPushButton[lacunaRole="primary"]:disabled, QToolButton[lacunaRole="primary"]:disabled {
    background: @background; color: @secondary; border-color: @hairline; }
QPushButton[lacunaRole="primary"]:focus { border: 1px solid @text; }
QPushButton[lacunaRole="quiet"], QToolButton[lacunaRole="quiet"] { border-color: transparent; background: transparent; }
QPushButton[lacunaRole="quiet"]:hover, QToolButton[lacunaRole="quiet"]:hover { background: @raised; }
QPushButton[lacunaRole="quiet"]:focus, QToolButton[lacunaRole="quiet"]:focus { border-color: @accent; }
QToolButton:checked, QPushButton:checked { background: @raised; border-color: @accent; }
QPushButton[lacunaRole="fold"] { border-color: transparent; background: transparent; text-align: left; padding: 4px 0; }
QPushButton[lacunaRole="fold"]:focus { border-color: @accent; }
QPushButton[lacunaRole="fold"]:hover { background: @raised; }
QTabBar::tab { background: transparent; color: @secondary; border: 0; border-bottom: 2px solid transparent; padding: 5px 12px; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QLineEdit, QPlainTextEdit, QTextEdit { border: 1px solid @hairline; border-radius: 4px; background: @surface;
    color: @text; selection-background-color: @accent; selection-color: @accentText; }
QLineEdit { padding: 3px 6px; }
QLineEdit, QPlainTextEdit[lacunaRole="input"] { border-color: @control; }
QLineEdit:disabled { color: @secondary; border-color: @hairline; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QTextEdit[lacunaRole="page"] { border-color: transparent; border-radius: 0; background: transparent; }
QTextEdit[lacunaRole="page"]:focus { border-color: @hairline; }
QListView { border: 1px solid @control; background: @surface; outline: 0; }
QListWidget, QComboBox QListView, QListView[lacunaRole="bare"] { border: 0; background: transparent; }
QComboBox QListView { background: @surface; }
QListWidget[lacunaRole="boxed"] { border: 1px solid @hairline; border-radius: 4px; background: @surface; }
QTreeView, QTableView { border: 0; background: @surface; alternate-background-color: @background;
    outline: 0; gridline-color: @hairline; }
QTableView[lacunaRole="roomy"] QHeaderView::section { padding: 3px 8px; }
QTableView[lacunaRole="roomy"]::item { padding: 3px 4px; }
QTableView[lacunaRole="figures"] QHeaderView::section { padding: 2px 6px; }
QTableView[lacunaRole="figures"]::item { padding: 2px 2px; }
QTableView[lacunaRole="roomy"]::item, QTableView[lacunaRole="figures"]::item { border: 1px solid transparent;
    color: @text; }
QTableView[lacunaRole="roomy"]::item:selected, QTableView[lacunaRole="figures"]::item:selected { background: @accent;
    color: @accentText; }
QTableView[lacunaRole="roomy"]::item:focus, QTableView[lacunaRole="figures"]::item:focus { border-color: @accent; }
QHeaderView { font-size: 8.5pt; }
QTableView[lacunaRole="figures"] { font-size: 8.5pt; }
QListView::item { padding: 4px 6px; border-radius: 4px; color: @text; }
QListView::item:hover { background: @raised; }
QListView::item:selected { background: @accent; color: @accentText; }
QHeaderView::section { background: @background; color: @secondary; border: 0; border-bottom: 1px solid @hairline;
    padding: 3px; }
QScrollArea, QAbstractScrollArea[lacunaRole="chat"] { border: 0; background: @surface; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollArea[lacunaRole="clear"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @control; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @secondary; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { border: 0; border-radius: 3px; background: @hairline; color: @text; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QFrame[lacunaRole="panel"] { background: @surface; border: 0; }
QFrame[lacunaRole="notice"] { background: @badSurface; border: 1px solid @bad; border-radius: 4px; }
QFrame[lacunaRole="problemBar"] { background: @badSurface; border: 0; border-bottom: 1px solid @bad; }
QFrame[lacunaRole="infoBar"] { background: @raised; border: 0; border-bottom: 1px solid @hairline; }
QFrame[lacunaRole="info"] { background: @raised; border: 1px solid @hairline; border-radius: 4px; }
QFrame[lacunaRole="chip"], QToolButton[lacunaRole="chip"] { background: @raised; border: 1px solid @hairline;
  border-radius: 4px; }
QToolButton[lacunaRole="chip"] { padding: 3px 8px; }
QFrame[lacunaRole="rule"] { background: @hairline; border: 0; max-height: 1px; min-height: 1px; }
QLabel[lacunaRole="secondary"] { color: @secondary; }
QLabel[lacunaRole="bad"] { color: @bad; }
QLabel[lacunaRole="good"] { color: @good; }
QLabel[lacunaRole="pending"] { color: @pending; }
)";

QString sheetOf(const Theme& theme) {
    QString sheet = QString::fromLatin1(kSheet);
    // Longer names first, since "@bad" is a prefix of "@badSurface".
    const std::pair<const char*, QColor> kNames[] = {{"@background", theme.background},
                                                     {"@badSurface", theme.badSurface},
                                                     {"@accentText", theme.accentText},
                                                     {"@secondary", theme.secondary},
                                                     {"@hairline", theme.hairline},
                                                     {"@pending", theme.pending},
                                                     {"@surface", theme.surface},
                                                     {"@control", theme.control},
                                                     {"@accent", theme.accent},
                                                     {"@raised", theme.raised},
                                                     {"@text", theme.text},
                                                     {"@good", theme.good},
                                                     {"@bad", theme.bad}};
    for (const auto& [name, colour] : kNames) sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

ThemeKind kindOf(ThemeChoice choice, ThemeKind system) {
    switch (choice) {
        case ThemeChoice::System:
            return system;
        case ThemeChoice::Light:
            return ThemeKind::Light;
        case ThemeChoice::Dark:
            return ThemeKind::Dark;
    }
    return system;
}

/// Qt 6.4 does not report it; text lighter than the window indicates a dark system.
ThemeKind systemKind() {
    const QPalette palette = QApplication::palette();
    const bool dark = palette.color(QPalette::WindowText).lightness() >
                      palette.color(QPalette::Window).lightness();
    return dark ? ThemeKind::Dark : ThemeKind::Light;
}

/// Sets the colours that curves share with others of the same meaning.
void shareColours(Theme& theme) {
    SeriesColours& s = theme.series;
    s.live = s.codes = s.decode = s.causeBudget = theme.accent;
    s.allocated = s.prefill = s.causeManual = QColor(0xE6, 0x9F, 0x00);
    s.ok = s.causeLimit = s.budget;
    s.saved = withAlpha(s.budget, 0.10);
    s.rejected = s.firstToken = s.causeConfig = s.scales;
}

}  // namespace

double contrastRatio(const QColor& a, const QColor& b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

Theme Theme::light() {
    Theme t;
    t.kind = ThemeKind::Light;
    t.background = grey(250);
    t.surface = grey(255);
    t.raised = QColor(242, 244, 246);
    t.code = QColor(245, 246, 247);
    t.text = grey(28);
    t.secondary = grey(102);
    t.hairline = grey(225);
    t.control = grey(140);
    t.accent = QColor(0x00, 0x72, 0xB2);
    t.accentText = grey(255);
    t.pending = QColor(0x8A, 0x56, 0x00);
    t.pendingSurface = QColor(0xFF, 0xF3, 0xDC);
    t.good = QColor(0x00, 0x6B, 0x4E);
    t.goodSurface = QColor(0xE3, 0xF4, 0xEE);
    t.bad = QColor(0xB0, 0x41, 0x00);
    t.badSurface = QColor(0xFD, 0xEC, 0xE3);
    auto& s = t.series;
    s.logical = grey(118);
    s.budget = QColor(0x00, 0x9E, 0x73);
    s.trigger = QColor(0xC0, 0x30, 0x20);
    s.scales = QColor(0xCC, 0x79, 0xA7);
    s.exact = QColor(0x56, 0xB4, 0xE9);
    s.failed = QColor(0xD5, 0x5E, 0x00);
    s.skipped = grey(160);
    shareColours(t);
    return t;
}

Theme Theme::dark() {
    Theme t;
    t.kind = ThemeKind::Dark;
    t.background = grey(24);
    t.surface = grey(32);
    t.raised = grey(42);
    t.code = grey(40);
    t.text = grey(232);
    t.secondary = grey(158);
    t.hairline = grey(52);
    t.control = grey(116);
    t.accent = QColor(0x56, 0xB4, 0xE9);
    t.accentText = grey(16);
    t.pending = QColor(0xF0, 0xB4, 0x4A);
    t.pendingSurface = QColor(0x3A, 0x2F, 0x1A);
    t.good = QColor(0x3C, 0xC8, 0x9C);
    t.goodSurface = QColor(0x1B, 0x35, 0x2C);
    t.bad = QColor(0xF2, 0x8C, 0x4A);
    t.badSurface = QColor(0x3C, 0x26, 0x1A);
    auto& s = t.series;
    s.logical = grey(150);
    s.budget = QColor(0x2F, 0xBF, 0x95);
    s.trigger = QColor(0xF0, 0x6A, 0x5A);
    s.scales = QColor(0xD9, 0x8F, 0xB8);
    s.exact = QColor(0x9C, 0xD3, 0xF2);
    s.failed = QColor(0xF0, 0x7A, 0x28);
    s.skipped = grey(110);
    shareColours(t);
    return t;
}

Theme Theme::of(ThemeKind kind) {
    return kind == ThemeKind::Dark ? dark() : light();
}

QFont Theme::font(FontRole role) {
    QFont font = QFontDatabase::systemFont(role == FontRole::Mono ? QFontDatabase::FixedFont
                                                                  : QFontDatabase::GeneralFont);
    switch (role) {
        case FontRole::Base:
            font.setPointSizeF(10);
            break;
        case FontRole::Small:
            font.setPointSizeF(8.5);
            break;
        case FontRole::Headline:
            font.setPointSizeF(13);
            font.setWeight(QFont::DemiBold);
            break;
        case FontRole::Title:
            font.setPointSizeF(10);
            font.setWeight(QFont::DemiBold);
            break;
        case FontRole::Mono:
            font.setPointSizeF(10);
            break;
    }
    return font;
}

void applyTheme(QApplication& application, const Theme& theme) {
    application.setStyle(new ControlStyle);
    application.setPalette(paletteOf(theme));
    application.setFont(Theme::font(FontRole::Base));
    application.setStyleSheet(sheetOf(theme));
}

ThemeSource::ThemeSource(ThemeChoice choice, QObject* parent)
    : QObject(parent),
      m_choice(choice),
      m_systemKind(systemKind()),
      m_theme(Theme::of(kindOf(choice, m_systemKind))) {
    if (auto* application = qobject_cast<QApplication*>(QCoreApplication::instance())) {
        applyTheme(*application, m_theme);
    }
}

void ThemeSource::setChoice(ThemeChoice choice) {
    m_choice = choice;
    const ThemeKind kind = kindOf(choice, m_systemKind);
    if (kind == m_theme.kind) return;
    m_theme = Theme::of(kind);
    if (auto* application = qobject_cast<QApplication*>(QCoreApplication::instance())) {
        applyTheme(*application, m_theme);
    }
    Q_EMIT changed();
}

}  // namespace lacuna::ui
