#include "ui/window/navigation_rail.h"

#include <QButtonGroup>
#include <QFile>
#include <QIcon>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kIconSize = 24;  ///< px; size of the drawings, too
constexpr double kStroke = 1.75;
constexpr int kRailWidth = 84, kNarrowWidth = 48;
constexpr int kButtonHeight = 56, kNarrowHeight = 44;

/// Reads the path of an icon in resources/icons/pages, which uses absolute M, L and Z only.
QPainterPath pathOf(const QString& name) {
    QFile file(QStringLiteral(":/icons/pages/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    static const QRegularExpression data(QStringLiteral("\\bd=\"([^\"]+)\""));
    static const QRegularExpression step(QStringLiteral("([MLZ])(?:\\s*([\\d.]+)\\s+([\\d.]+))?"));
    const QString steps = data.match(QString::fromUtf8(file.readAll())).captured(1);
    QPainterPath path;
    for (auto all = step.globalMatch(steps); all.hasNext();) {
        const QRegularExpressionMatch one = all.next();
        const QPointF to(one.captured(2).toDouble(), one.captured(3).toDouble());
        if (one.captured(1) == QLatin1String("M"))
            path.moveTo(to);
        else if (one.captured(1) == QLatin1String("L"))
            path.lineTo(to);
        else
            path.closeSubpath();
    }
    return path;
}

QPixmap drawn(const QPainterPath& path, const QColor& colour, double ratio) {
    QPixmap picture(QSize(kIconSize, kIconSize) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.strokePath(path, QPen(colour, kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    return picture;
}

QString tipOf(Page page) {
    switch (page) {
        case Page::Chat:
            return NavigationRail::tr("Conversations, and what their memory costs");
        case Page::Monitor:
            return NavigationRail::tr("Charts, cache map, timeline and stored prefixes");
        case Page::Experiments:
            return NavigationRail::tr("Compare and sweep settings, measure formats and quality");
        case Page::Models:
            return NavigationRail::tr("Models on this machine, downloads and preparation");
        case Page::Engines:
            return NavigationRail::tr("Local server and remote engines");
        case Page::Reports:
            return NavigationRail::tr("Export a session, or open a recorded one");
    }
    return {};
}

}  // namespace

QString pageKey(Page page) {
    static constexpr std::array kKeysOfPages{"chat",   "monitor", "experiments",
                                             "models", "engines", "reports"};
    return QString::fromLatin1(kKeysOfPages.at(static_cast<std::size_t>(page)));
}

QString pageTitle(Page page) {
    switch (page) {
        case Page::Chat:
            return NavigationRail::tr("Chat");
        case Page::Monitor:
            return NavigationRail::tr("Monitor");
        case Page::Experiments:
            return NavigationRail::tr("Experiments");
        case Page::Models:
            return NavigationRail::tr("Models");
        case Page::Engines:
            return NavigationRail::tr("Engines");
        case Page::Reports:
            return NavigationRail::tr("Reports");
    }
    return {};
}

NavigationRail::NavigationRail(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_themes(themes), m_buttons(new QButtonGroup(this)) {
    setRole(this, QStringLiteral("rail"));
    setAttribute(Qt::WA_StyledBackground);
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::half, Spacing::unit, Spacing::half, Spacing::unit);
    for (const Page page : kPages) {
        auto* button = new QToolButton(this);
        const int number = static_cast<int>(page) + 1;
        button->setText(pageTitle(page));
        button->setCheckable(true);
        button->setIconSize({kIconSize, kIconSize});
        button->setFont(Theme::font(FontRole::Small));
        button->setFocusPolicy(Qt::StrongFocus);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setToolTip(tipText(tr("%1 (Ctrl+%2)").arg(tipOf(page)).arg(number)));
        setRole(button, QStringLiteral("rail"));
        setAccessible(button, pageTitle(page), tipOf(page));
        m_buttons->addButton(button, static_cast<int>(page));
        layout->addWidget(button);
    }
    layout->addStretch(1);
    setNarrow(false);
    drawIcons();
    connect(m_buttons, &QButtonGroup::idClicked, this,
            [this](int id) { Q_EMIT chosen(static_cast<Page>(id)); });
    connect(&themes, &ThemeSource::changed, this, &NavigationRail::drawIcons);
}

void NavigationRail::setCurrent(Page page) {
    m_buttons->button(static_cast<int>(page))->setChecked(true);
}

void NavigationRail::setNarrow(bool narrow) {
    setFixedWidth(narrow ? kNarrowWidth : kRailWidth);
    for (QAbstractButton* button : m_buttons->buttons()) {
        static_cast<QToolButton*>(button)->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly
                                                                     : Qt::ToolButtonTextUnderIcon);
        button->setFixedHeight(narrow ? kNarrowHeight : kButtonHeight);
    }
}

void NavigationRail::drawIcons() {
    const Theme& theme = m_themes.theme();
    for (const Page page : kPages) {
        const QPainterPath path = pathOf(pageKey(page));
        QIcon icon;
        for (const double ratio : {1.0, 2.0}) {
            icon.addPixmap(drawn(path, theme.secondary, ratio), QIcon::Normal, QIcon::Off);
            icon.addPixmap(drawn(path, theme.accent, ratio), QIcon::Normal, QIcon::On);
        }
        m_buttons->button(static_cast<int>(page))->setIcon(icon);
    }
}

}  // namespace lacuna::ui
