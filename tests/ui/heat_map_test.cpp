// Maps of the cache content: their figures, keyboard and pointer handling, both themes.

#include "ui/charts/heat_map.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <set>

#include "tests/ui/offscreen.h"
#include "ui/charts/plot_cell.h"
#include "ui/chat/retention_presenter.h"
#include "ui/report/report_exporter.h"

namespace lacuna::ui {
namespace {

/// Two layers of two heads over ten tokens; layer 1 lost tokens 3 to 6, and head 0 of layer 0
/// lost 5.
app::RetentionView someView() {
    app::RetentionView view;
    view.layers = 2;
    view.heads = 2;
    view.sinks = 1;
    view.recent = 2;
    view.liveBytes = 31 * 100;
    view.slots = {9, 10, 6, 6};
    view.holders.fill(2, 20);
    view.holders[5] = 1;
    for (int token = 3; token < 7; ++token) view.holders[10 + token] = 0;
    for (int token = 0; token < 10; ++token) {
        view.share << static_cast<float>(view.holders[token] + view.holders[10 + token]) / 4.0F;
        view.starts << view.text.size();
        view.text += QStringLiteral("w%1 ").arg(token);
    }
    view.starts << view.text.size();
    return view;
}

class HeatMapTest : public ::testing::Test {
  protected:
    HeatMapTest() { offscreenApplication(); }
    ThemeSource themes{ThemeChoice::Light};
};

TEST_F(HeatMapTest, reportImages_useTheLightTheme_emptyCacheHasNone) {
    themes.setChoice(ThemeChoice::Dark);
    const auto images = mapImages(someView(), themes);
    ASSERT_EQ(images.size(), 2);
    EXPECT_NE(images[0].name, images[1].name);
    for (const app::ChartImage& map : images) {
        const QImage image = QImage::fromData(map.png, "PNG");
        EXPECT_EQ(image.size(), QSize(1600, 600)) << map.name.toStdString();
        EXPECT_EQ(image.pixelColor(1, 1), Theme::light().surface);
        EXPECT_FALSE(map.caption.isEmpty());
        // Cells in the colours of the light theme: a full one and an empty one.
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); y += 2)
            for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
        EXPECT_TRUE(colours.count(heatColour(1, Theme::light()).rgb()) > 0)
            << map.name.toStdString();
    }
    EXPECT_TRUE(mapImages({}, themes).isEmpty());
    themes.setChoice(ThemeChoice::Light);
}

TEST_F(HeatMapTest, headMap_showsSlotsShareAndBytes) {
    const HeatMap map = headMap(someView());
    EXPECT_EQ(map.rows, 2);
    EXPECT_EQ(map.columns, 2);
    EXPECT_FLOAT_EQ(map.values[2], 0.6F);
    EXPECT_EQ(map.sentence(1, 0).toStdString(),
              "Layer 2, head 1: 6 slots for 10 tokens (60 %), 600 B");
    EXPECT_TRUE(map.headline.contains(QStringLiteral("6")) &&
                map.headline.contains(QStringLiteral("10")));
    const ChartTable table = map.table();
    ASSERT_EQ(table.rows.size(), 2);
    EXPECT_EQ(table.rows[0], (QStringList{QStringLiteral("1"), QStringLiteral("9"),
                                          QStringLiteral("10"), QStringLiteral("1.9 KiB")}));
}

// Layer 1 has one head with slots of double size, layer 3 reads the rows of layer 2.
TEST_F(HeatMapTest, layersThatDiffer_leaveCellsBlank_andNameTheLayerTheyRead) {
    app::RetentionView view;
    view.layers = 3;
    view.heads = 2;
    view.layerHeads = {1, 2, 0};
    view.cacheLayers = {0, 1, 1};
    view.slotElements = {2, 1, 0};
    view.slots = {10, 10, 5};
    view.liveBytes = (10 * 2 + 10 + 5) * 10;
    view.holders.fill(0, 30);
    for (int token = 0; token < 10; ++token) {
        view.holders[token] = 1;
        view.holders[10 + token] = 2;
        view.share << 1.0F;
        view.starts << 0;
    }
    view.starts << 0;
    const HeatMap heads = headMap(view);
    EXPECT_EQ(heads.columns, 2);
    EXPECT_FLOAT_EQ(heads.values[0], 1);
    EXPECT_FLOAT_EQ(heads.values[3], 0.5F);
    for (const int blank : {1, 4, 5}) EXPECT_TRUE(std::isnan(heads.values[blank])) << blank;
    EXPECT_TRUE(heads.sentence(0, 0).endsWith(QStringLiteral("200 B")))
        << heads.sentence(0, 0).toStdString();
    EXPECT_EQ(heads.sentence(0, 1).toStdString(), "Layer 1 has no head 2");
    EXPECT_EQ(heads.sentence(2, 0).toStdString(), "Layer 3 reads the cache of layer 2");
    EXPECT_EQ(heads.table().rows[2].last().toStdString(), "Layer 3 reads the cache of layer 2");
    const HeatMap tokens = retentionMap(view);
    EXPECT_FLOAT_EQ(tokens.values[0], 1) << "the only head holds it";
    EXPECT_FLOAT_EQ(tokens.values[10], 1);
    EXPECT_TRUE(std::isnan(tokens.values[20]));
    EXPECT_TRUE(tokens.sentence(2, 0).contains(QStringLiteral("reads the cache of layer 2")));
    EXPECT_TRUE(layersText(view, 0).isEmpty()) << "every head of every layer holds it";
}

TEST_F(HeatMapTest, tokenMap_showsFateLayersAndCompaction) {
    app::RetentionView view = someView();
    view.holders[4] = 0;
    view.share[4] = 0;
    view.lostBy.fill(0, 10);
    view.lostBy[4] = 12;
    const HeatMap map = retentionMap(view);
    EXPECT_EQ(map.columns, 10);
    EXPECT_EQ(map.states[4], RetentionState::Evicted);
    EXPECT_EQ(map.states[3], RetentionState::Thinned);
    EXPECT_TRUE(map.sentence(0, 4).contains(QStringLiteral("evicted by compaction 12")));
    EXPECT_TRUE(
        map.sentence(1, 3).contains(QStringLiteral("all heads of layers 1; no head of layers 2")));
    EXPECT_TRUE(map.sentence(1, 3).contains(QStringLiteral("0 of 2 heads hold it")));
    EXPECT_EQ(map.headline, QStringLiteral("1 evicted"));
    EXPECT_EQ(map.table().rows.size(), 10);
}

TEST_F(HeatMapTest, mergedTokens_showHowManyTokensTheyStandFor) {
    app::RetentionView view = someView();
    view.weight.fill(1.0F, 10);
    view.weight[2] = 3.4F;
    EXPECT_EQ(retentionStateOf(view, 2), RetentionState::Merged);
    EXPECT_TRUE(tokenDescription(view, 2).contains(QStringLiteral("represents 3.4 tokens")));
    EXPECT_EQ(retentionStateOf(view, 1), RetentionState::Kept);
}

TEST_F(HeatMapTest, emptyView_describesWhatWillAppear) {
    HeatMapView view(themes);
    view.setMap(headMap({}));
    EXPECT_TRUE(view.map().isEmpty());
    EXPECT_FALSE(view.map().empty.isEmpty());
    EXPECT_TRUE(view.accessibleDescription().contains(view.map().empty));
    view.resize(300, 200);
    EXPECT_FALSE(view.grab().isNull());
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_FALSE(view.pointed().has_value());
}

TEST_F(HeatMapTest, arrowKeys_moveTheCellAndAnnounceIt) {
    HeatMapView view(themes);
    view.resize(400, 220);
    view.setMap(headMap(someView()));
    view.show();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Home);
    ASSERT_TRUE(view.pointed());
    EXPECT_EQ(*view.pointed(), QPoint(0, 0));
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(*view.pointed(), QPoint(1, 1)) << "stays inside";
    EXPECT_EQ(view.accessibleDescription(), view.map().sentence(1, 1));
    QSignalSpy picked(&view, &HeatMapView::cellPicked);
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_EQ(picked.count(), 1);
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(view.pointed());
    EXPECT_EQ(view.accessibleDescription(), view.map().description);
}

TEST_F(HeatMapTest, colourScale_isMonotonicInBothThemes) {
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        double before = contrastRatio(heatColour(0, theme), theme.surface);
        for (int i = 1; i <= 20; ++i) {
            const double now = contrastRatio(heatColour(i / 20.0, theme), theme.surface);
            EXPECT_GT(now, before) << i;
            before = now;
        }
    }
}

TEST_F(HeatMapTest, cells_areDrawnInTheColourOfTheirValue) {
    HeatMapView view(themes);
    view.resize(400, 220);
    app::RetentionView retention = someView();
    view.setMap(headMap(retention));
    const QImage before = view.grab().toImage();
    retention.slots[3] = 1;
    view.setMap(headMap(retention));
    const QImage after = view.grab().toImage();
    // Near the lower right corner of the last cell, next to its number.
    EXPECT_NE(before.pixelColor(380, 160), after.pixelColor(380, 160));
    const QColor wanted = heatColour(0.1, themes.theme());
    EXPECT_NEAR(after.pixelColor(380, 160).blue(), wanted.blue(), 2);
    EXPECT_NEAR(after.pixelColor(380, 160).red(), wanted.red(), 2);
}

TEST_F(HeatMapTest, fortyThousandTokens_areDrawn) {
    app::RetentionView view;
    view.layers = 36;
    view.heads = 8;
    const qsizetype tokens = 40'000;
    view.share.fill(1.0F, tokens);
    view.holders.fill(8, tokens * view.layers);
    view.slots.fill(static_cast<int>(tokens), view.layers * view.heads);
    for (qsizetype token = 0; token <= tokens; ++token) view.starts << token;
    view.text.fill(QLatin1Char('x'), tokens);
    CacheMapPanel panel(themes);
    panel.resize(1200, 260);
    panel.setView(view);
    EXPECT_FALSE(panel.grab().isNull());
    EXPECT_EQ(panel.tokens().view().map().columns, tokens);
}

TEST_F(HeatMapTest, table_showsTheVisibleMap) {
    CacheMapPanel panel(themes);
    panel.setView(someView());
    panel.show();
    panel.toggleTable();
    EXPECT_EQ(panel.heads().face(), ChartFace::Table);
    EXPECT_EQ(panel.tokens().face(), ChartFace::Table);
    panel.toggleTable();
    EXPECT_EQ(panel.tokens().face(), ChartFace::Picture);
}

}  // namespace
}  // namespace lacuna::ui
