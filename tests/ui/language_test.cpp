// The window in German and Chinese: its texts, its figures, and messages of the engine.

#include "ui/style/language.h"
#include "app/state/figure_language.h"

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollArea>
#include <QTest>
#include <algorithm>

#include "app/state/engine/engine_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "engine/settings/setting_spec.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/chart_scale.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"

namespace lacuna::ui {
namespace {

class GermanLanguageTest : private Speaking, public WindowStage {
  protected:
    GermanLanguageTest() : Speaking(Language::German) {}
};
class ChineseLanguageTest : private Speaking, public WindowStage {
  protected:
    ChineseLanguageTest() : Speaking(Language::Chinese) {}
};

QStringList actionTexts(MainWindow& window) {
    QStringList texts;
    for (const QAction* action : window.actions().actions())
        if (!action->objectName().startsWith(QLatin1String("language."))) texts << action->text();
    return texts;
}

/// Action texts of a window created in the current language.
QStringList actionsOfAWindow() {
    ThemeSource themes(ThemeChoice::Light);
    auto engine = std::make_unique<app::FakeEngine>();
    EventHub& events = engine->events;
    app::ApplicationState state(app::ApplicationOptions{}, std::move(engine), events);
    MainWindow window(state, themes);
    return actionTexts(window);
}

QStringList menuTitles(const MainWindow& window) {
    QStringList titles;
    for (const QAction* action : window.menuBar()->actions()) titles << action->text();
    return titles;
}

bool hasHan(const QString& text) {
    return std::any_of(text.begin(), text.end(),
                       [](QChar sign) { return sign.script() == QChar::Script_Han; });
}

TEST_F(GermanLanguageTest, menusAndActions_areGerman) {
    EXPECT_TRUE(menuTitles(*window).contains(QStringLiteral("&Datei")));
    EXPECT_TRUE(menuTitles(*window).contains(QStringLiteral("&Gespräch")));
    EXPECT_TRUE(actionTexts(*window).contains(QStringLiteral("Jetzt verdichten")));
}

TEST_F(GermanLanguageTest, settingNamesHelpAndReasons_areGerman) {
    load();
    EXPECT_EQ(state->config().spec(QStringLiteral("am_ratio")).label.toStdString(),
              "AM-Verh\u00e4ltnis");
    EXPECT_TRUE(state->config()
                    .spec(QStringLiteral("temperature"))
                    .help.contains(QStringLiteral("wahrscheinlichste")));
    EXPECT_EQ(state->config().spec(QStringLiteral("margin")).unit.toStdString(), "Slots");
}

TEST_F(GermanLanguageTest, figuresOfTheWindow_useGermanSeparators) {
    EXPECT_EQ(app::countText(1912).toStdString(), "1.912");
    EXPECT_EQ(app::realText(2.5, 1).toStdString(), "2,5");
    EXPECT_EQ(app::shortText(0.0012, 2).toStdString(), "0,0012");
    EXPECT_EQ(app::bytesText(18 * 1024 * 1024).toStdString(), "18,0 MiB");
}

TEST_F(GermanLanguageTest, figuresInEngineTexts_useGermanSeparators) {
    EXPECT_EQ(app::figureText(QStringLiteral("8,192")).toStdString(), "8.192");
    EXPECT_EQ(app::figureText(QStringLiteral("93.8 MiB")).toStdString(), "93,8 MiB");
    EXPECT_EQ(app::figureText(QStringLiteral("1,234.5")).toStdString(), "1.234,5");
    for (const char* other :
         {"30", "0.1.0", "llama3.2", "12,34", "arXiv 2306.14048", "llama 0.1.0", "Q4_1", ""})
        EXPECT_EQ(app::figureText(QLatin1String(other)).toStdString(), other);
    EXPECT_EQ(app::engineText(std::string_view("The trained context of 8,192 tokens fits with an "
                                               "F16 cache."))
                  .toStdString(),
              "Der trainierte Kontext von 8.192 Token passt mit einem F16-Cache.");
    EXPECT_EQ(app::figureText(QStringLiteral("46,080 (45.0 KiB)")).toStdString(),
              "46.080 (45,0 KiB)");
    EXPECT_EQ(app::engineText(std::string_view("base 100,000, dimensions 64, pairs interleaved, "
                                               "scaling none"))
                  .toStdString(),
              "Basis 100.000, Dimensionen 64, Paare verschränkt, ohne Skalierung");
    EXPECT_EQ(app::engineText(std::string_view("auto is int8 in two terms: mean KL 2.9e-07 from "
                                               "exact over 261 tokens; int8 0.0032, above 0.0005"))
                  .toStdString(),
              "auto ist int8 in zwei Summanden: mittlere KL 2,9e-07 zu exakt über 261 Token; int8 "
              "0,0032, über 0,0005");
    EXPECT_EQ(app::dateText(QDate(2026, 11, 23)).toStdString(), "23. Nov. 2026");
    EXPECT_EQ(elapsedText(12.8, 0.1).toStdString(), "0:12,8");
}

TEST_F(GermanLanguageTest, shortcutsInMenus_haveTheKeyNamesOfTheTexts) {
    EXPECT_EQ(QKeySequence(QStringLiteral("Ctrl+Return")).toString(QKeySequence::NativeText),
              QStringLiteral("Strg+Eingabe"));
}

TEST_F(GermanLanguageTest, memoryPanel_isNotCutAtTheRight) {
    load();
    window->resize(1280, 720);
    QCoreApplication::processEvents();
    const auto* area = window->tuning().findChild<QScrollArea*>();
    ASSERT_NE(area, nullptr);
    EXPECT_LE(area->widget()->width(), area->viewport()->width());
}

TEST_F(GermanLanguageTest, noValue_isShownAsAWordAndAcceptedAsTyped) {
    load();
    SettingRow row(state->config().spec(QStringLiteral("seed")));
    auto* field = row.findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text().toStdString(), "aus");
    QString sent;
    QObject::connect(&row, &SettingRow::entered,
                     [&sent](const QString&, const QString& text) { sent = text; });
    field->setText(QStringLiteral("7"));
    Q_EMIT field->editingFinished();
    EXPECT_EQ(sent.toStdString(), "7");
    app::SettingView seven = state->config().spec(QStringLiteral("seed"));
    seven.requested = std::uint64_t{7};
    row.show(seven);
    field->setText(QStringLiteral("aus"));
    Q_EMIT field->editingFinished();
    EXPECT_EQ(sent.toStdString(), "off");
}

TEST_F(GermanLanguageTest, numberField_withAPoint_isRejectedNotIgnored) {
    QDoubleSpinBox field;
    field.setRange(0, 100);
    field.setDecimals(2);
    auto* const edit = field.findChild<QLineEdit*>();
    edit->clear();
    QTest::keyClicks(edit, QStringLiteral("2.5"));
    EXPECT_NE(field.value(), 2.5);
    edit->clear();
    QTest::keyClicks(edit, QStringLiteral("2,5"));
    field.interpretText();
    EXPECT_DOUBLE_EQ(field.value(), 2.5);
}

TEST_F(ChineseLanguageTest, menusAndActions_areChinese) {
    for (const QString& title : menuTitles(*window))
        EXPECT_TRUE(hasHan(title)) << title.toStdString();
    for (const QString& text : actionTexts(*window))
        EXPECT_TRUE(hasHan(text)) << text.toStdString();
}

TEST_F(ChineseLanguageTest, settingNamesAndHelp_areChinese) {
    load();
    for (const SettingSpec& spec : settingSpecs()) {
        const app::SettingView& view = state->config().spec(
            QString::fromUtf8(spec.key.data(), static_cast<qsizetype>(spec.key.size())));
        EXPECT_TRUE(hasHan(view.help)) << spec.key;
        // Method names are the same in every language.
        if (spec.key != "top_k" && spec.key != "top_p" && spec.key != "min_p") {
            EXPECT_TRUE(hasHan(view.label)) << spec.key;
        }
    }
}

TEST_F(ChineseLanguageTest, engineRejection_isChinese) {
    load();
    const QString said = app::engineText(
        std::string_view("budget is 9; allowed is 37 or more while method is l2, because eviction "
                         "needs a budget of slots to keep; the nearest valid value is 37."));
    EXPECT_TRUE(hasHan(said));
    EXPECT_FALSE(said.contains(QLatin1String("allowed"))) << said.toStdString();
    EXPECT_FALSE(said.contains(QLatin1String("eviction"))) << said.toStdString();
}

TEST(Language, german_translatesEveryAction) {
    offscreenApplication();
    const QStringList english = actionsOfAWindow();
    const Translation translation(Language::German);
    const QStringList german = actionsOfAWindow();
    ASSERT_EQ(english.size(), german.size());
    const QStringList alike{QStringLiteral("Server..."), QStringLiteral("Chat"),
                            QStringLiteral("Monitor"), QStringLiteral("Engines")};
    for (qsizetype i = 0; i < english.size(); ++i) {
        if (alike.contains(english[i])) continue;
        EXPECT_NE(english[i], german[i]) << english[i].toStdString();
    }
}

TEST(Language, removedTranslation_restoresEnglish) {
    offscreenApplication();
    { const Translation translation(Language::German); }
    EXPECT_EQ(app::countText(1912).toStdString(), "1,912");
    EXPECT_EQ(QCoreApplication::translate("lacuna::ui::WindowActions", "Quit").toStdString(),
              "Quit");
}

TEST(Language, english_hasPluralForms) {
    offscreenApplication();
    const Translation translation(Language::English);
    const auto messages = [](int count) {
        return QCoreApplication::translate("lacuna::app::ConversationListModel",
                                           "%1, %n message(s)", nullptr, count)
            .toStdString();
    };
    EXPECT_EQ(messages(1), "%1, 1 message");
    EXPECT_EQ(messages(3), "%1, 3 messages");
}

TEST(Language, firstSpoken_returnsTheFirstSupportedPreference) {
    EXPECT_EQ(firstAvailable({QStringLiteral("fr-FR"), QStringLiteral("de-AT")}), Language::German);
    EXPECT_EQ(firstAvailable({QStringLiteral("zh-CN")}), Language::Chinese);
    EXPECT_EQ(firstAvailable({QStringLiteral("zh-Hans-SG"), QStringLiteral("en-US")}),
              Language::Chinese);
    EXPECT_EQ(firstAvailable({QStringLiteral("zh-Hant-TW"), QStringLiteral("en-US")}),
              Language::English);
    EXPECT_EQ(firstAvailable({QStringLiteral("fr-FR")}), Language::English);
    EXPECT_EQ(firstAvailable({}), Language::English);
}

TEST(Language, languageCode_roundTripsForEveryLanguage) {
    for (const Language language : languages())
        EXPECT_EQ(languageOf(languageCode(language)), language);
    EXPECT_EQ(languageOf(QStringLiteral("tlh")), Language::System);
}

}  // namespace
}  // namespace lacuna::ui
