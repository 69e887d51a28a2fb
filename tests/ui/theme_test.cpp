#include "ui/style/theme.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QFrame>
#include <QImage>
#include <QLineEdit>
#include <QPalette>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <set>

#include "tests/ui/offscreen.h"

namespace lacuna::ui {
namespace {

constexpr double kText = 4.5;     // WCAG 2 AA, text
constexpr double kControl = 3.0;  // WCAG 2 AA, borders of controls and marks of charts

class ThemeContrastTest : public ::testing::TestWithParam<ThemeKind> {};

TEST_P(ThemeContrastTest, text_hasEnoughContrastOnEverySurface) {
    const Theme theme = Theme::of(GetParam());
    for (const QColor& surface : {theme.background, theme.surface, theme.raised, theme.code}) {
        for (const QColor& text :
             {theme.text, theme.secondary, theme.accent, theme.pending, theme.good, theme.bad}) {
            EXPECT_GE(contrastRatio(text, surface), kText)
                << text.name().toStdString() << " on " << surface.name().toStdString();
        }
    }
    EXPECT_GE(contrastRatio(theme.accentText, theme.accent), kText);
}

TEST_P(ThemeContrastTest, stateText_hasEnoughContrastOnItsSurface) {
    const Theme theme = Theme::of(GetParam());
    EXPECT_GE(contrastRatio(theme.text, theme.badSurface), kText);
    EXPECT_GE(contrastRatio(theme.bad, theme.badSurface), kText);
    EXPECT_GE(contrastRatio(theme.pending, theme.pendingSurface), kText);
    EXPECT_GE(contrastRatio(theme.good, theme.goodSurface), kText);
}

TEST_P(ThemeContrastTest, controls_haveEnoughContrast) {
    const Theme theme = Theme::of(GetParam());
    for (const QColor& surface : {theme.background, theme.surface, theme.raised, theme.code})
        EXPECT_GE(contrastRatio(theme.control, surface), kControl) << surface.name().toStdString();
    EXPECT_GE(contrastRatio(theme.series.live, theme.surface), kControl);
    EXPECT_GE(contrastRatio(theme.series.trigger, theme.surface), kControl);
    EXPECT_GE(contrastRatio(theme.series.failed, theme.surface), kControl);
    EXPECT_GE(contrastRatio(theme.series.causeLimit, theme.surface), kControl);
}

/// Greatest contrast with the window in a row of pixels across the control's edge.
double edgeContrast(QWidget& control, const QColor& window, int from, int to) {
    const QImage picture = control.grab().toImage();
    double most = 1;
    for (int x = from; x < to; ++x)
        most = std::max(most, contrastRatio(picture.pixelColor(x, picture.height() / 2), window));
    return most;
}

TEST_P(ThemeContrastTest, boxesAndFields_haveVisibleBorders) {
    offscreenApplication();
    const bool light = GetParam() == ThemeKind::Light;
    const ThemeSource themes(light ? ThemeChoice::Light : ThemeChoice::Dark);
    const QColor window = themes.theme().background;
    QWidget page;
    QCheckBox box(&page);
    QDoubleSpinBox field(&page);
    QComboBox choice(&page);
    for (QWidget* control : QList<QWidget*>{&box, &field, &choice}) control->resize(100, 26);
    page.grab();
    EXPECT_GE(edgeContrast(box, window, 0, 4), kControl);
    EXPECT_GE(edgeContrast(field, window, 0, 2), kControl);
    EXPECT_GE(edgeContrast(choice, window, 0, 2), kControl);
    box.setChecked(true);
    EXPECT_GE(edgeContrast(box, window, 2, 10), kControl) << "a tick is more than a shade";
}

TEST_P(ThemeContrastTest, scrollBars_haveEnoughContrastToTheirTrack) {
    offscreenApplication();
    const bool light = GetParam() == ThemeKind::Light;
    const ThemeSource themes(light ? ThemeChoice::Light : ThemeChoice::Dark);
    for (const char* role : {"panel", "info"}) {  // on the plain and on the raised surface
        QFrame page;
        page.setProperty("lacunaRole", QString::fromLatin1(role));
        QScrollBar bar(Qt::Vertical, &page);
        bar.setRange(0, 100);
        bar.setPageStep(100);
        bar.resize(10, 200);
        page.resize(60, 200);
        const QImage picture = page.grab().toImage();
        const QColor handle = picture.pixelColor(5, 50);
        const QColor track = picture.pixelColor(5, 180);
        EXPECT_GE(contrastRatio(handle, track), kControl)
            << handle.name().toStdString() << " on " << track.name().toStdString();
    }
}

TEST_P(ThemeContrastTest, completerPopup_usesTheThemeColours) {
    offscreenApplication();
    const bool light = GetParam() == ThemeKind::Light;
    const ThemeSource themes(light ? ThemeChoice::Light : ThemeChoice::Dark);
    QLineEdit field;
    QCompleter completer(QStringList{QStringLiteral("harbour"), QStringLiteral("harvest")});
    field.setCompleter(&completer);
    field.show();
    QTest::keyClicks(&field, QStringLiteral("har"));
    QWidget* proposals = completer.popup();
    ASSERT_TRUE(proposals->isVisible());
    const QImage picture = proposals->grab().toImage();
    const QColor ground = picture.pixelColor(picture.width() - 8, picture.height() - 4);
    EXPECT_EQ(ground.name(), themes.theme().surface.name());
    double most = 1;
    for (int x = 0; x < picture.width(); ++x)
        for (int y = 0; y < picture.height() / 2; ++y)
            most = std::max(most, contrastRatio(picture.pixelColor(x, y), ground));
    EXPECT_GE(most, kText) << "the letters";
}

TEST(ThemeFonts, roles_useThreeSizesOfAtLeastElevenPixels) {
    offscreenApplication();
    std::set<double> sizes;
    for (const FontRole role :
         {FontRole::Base, FontRole::Small, FontRole::Headline, FontRole::Title, FontRole::Mono})
        sizes.insert(Theme::font(role).pointSizeF());
    EXPECT_EQ(sizes.size(), 3U);
    EXPECT_GE(*sizes.begin() * 96 / 72, 11) << "px on a screen of 96 dpi";
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, ThemeContrastTest,
                         ::testing::Values(ThemeKind::Light, ThemeKind::Dark));

TEST(ContrastRatio, blackOnWhite_isTwentyOne) {
    EXPECT_NEAR(contrastRatio(Qt::black, Qt::white), 21.0, 1e-6);
    EXPECT_NEAR(contrastRatio(Qt::white, Qt::white), 1.0, 1e-9);
}

TEST(ThemeSource, changeAtRunTime_updatesPaletteAndNotifiesListeners) {
    offscreenApplication();
    ThemeSource themes(ThemeChoice::Light);
    QSignalSpy changed(&themes, &ThemeSource::changed);
    themes.setChoice(ThemeChoice::Dark);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), Theme::dark().background);
    themes.setChoice(ThemeChoice::Dark);
    EXPECT_EQ(changed.count(), 1);
}

}  // namespace
}  // namespace lacuna::ui
