// Translated engine messages: looked up by their template, part by part.

#include "app/state/engine/engine_text.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QHash>
#include <QTranslator>

#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"
#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

/// Contains a few translations in the context "Engine".
class FewWords final : public QTranslator {
  public:
    QString translate(const char* context, const char* source, const char*, int) const override {
        const QString text = QString::fromUtf8(source);
        if (qstrcmp(context, "EngineTexts") == 0 && text == QLatin1String("; "))
            return QStringLiteral(" / ");
        if (qstrcmp(context, "Engine") != 0) return {};
        return words.value(text);
    }
    [[nodiscard]] bool isEmpty() const override { return false; }
    QHash<QString, QString> words{
        {QStringLiteral("method is none"), QStringLiteral("keine Methode")},
        {QStringLiteral("the context has %1 tokens"), QStringLiteral("%1 Token im Kontext")},
        {QStringLiteral("%1 is %2; allowed is %3, because %4."),
         QStringLiteral("%1=%2, erlaubt: %3 (%4).")},
        {QStringLiteral("%1 is %2"), QStringLiteral("%2 ist %1")},
        {QStringLiteral("%1 to %2"), QStringLiteral("%1 bis %2")}};
};

class EngineTextTest : public ::testing::Test {
  protected:
    EngineTextTest() {
        coreApplication();
        QCoreApplication::installTranslator(&words);
        setEngineTexts(QStringList(words.words.keys()).join(QLatin1Char('\n')).toUtf8());
    }
    ~EngineTextTest() override {
        setEngineTexts({});
        QCoreApplication::removeTranslator(&words);
    }
    static std::string said(const char* english) {
        return engineText(std::string_view(english)).toStdString();
    }
    FewWords words;
};

TEST_F(EngineTextTest, listedText_isTranslated) {
    EXPECT_EQ(said("method is none"), "keine Methode");
}

TEST_F(EngineTextTest, unlistedText_staysEnglish) {
    EXPECT_EQ(said("the moon is full"), "the moon is full");
    EXPECT_EQ(said(""), "");
}

TEST_F(EngineTextTest, textWithValues_isTranslatedByItsTemplate) {
    EXPECT_EQ(said("the context has 4096 tokens"), "4096 Token im Kontext");
}

TEST_F(EngineTextTest, nestedText_isTranslated) {
    EXPECT_EQ(said("budget is 9; allowed is 37 to 4096, because the context has 4096 tokens."),
              "budget=9, erlaubt: 37 bis 4096 (4096 Token im Kontext).");
}

TEST_F(EngineTextTest, shortTemplate_doesNotMatchUnrelatedText) {
    EXPECT_EQ(said("budget is 9"), "9 ist budget");
    EXPECT_EQ(said("whatever this is nobody knows it"), "whatever this is nobody knows it");
}

TEST_F(EngineTextTest, joinedTexts_areTranslatedOneByOne) {
    EXPECT_EQ(said("method is none; the context has 8 tokens"),
              "keine Methode / 8 Token im Kontext");
}

TEST_F(EngineTextTest, valueThatLooksLikeAPlaceholder_isNotSubstituted) {
    EXPECT_EQ(said("%2 is %1"), "%1 ist %2");
}

TEST_F(EngineTextTest, removedTranslator_restoresEnglish) {
    setEngineTexts({});
    EXPECT_EQ(said("method is none"), "method is none");
}

/// The shipped list contains all user-visible texts of the settings table.
TEST(EngineTextList, settingTexts_areAllListed) {
    QFile file(QStringLiteral(LACUNA_RESOURCE_DIR "/translations/engine_texts.txt"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QStringList list = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    const auto listed = [&](std::string_view text) {
        return list.contains(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    };
    for (const SettingSpec& spec : settingSpecs()) {
        EXPECT_TRUE(listed(spec.label)) << spec.label;
        EXPECT_TRUE(listed(spec.help)) << spec.help;
        for (const IdleWhen& idle : spec.idleWhen)
            EXPECT_TRUE(listed(idle.sentence)) << idle.sentence;
    }
}

TEST(EngineSentence, sentence_hasCapitalFullStopAndLocalisedThousands) {
    EXPECT_EQ(asSentence(QStringLiteral("the prompt has 21035 tokens and the context has room for "
                                        "8192; raise the context")),
              QStringLiteral("The prompt has 21,035 tokens and the context has room for 8,192; "
                             "raise the context."));
    EXPECT_EQ(asSentence(QStringLiteral("It has 5,000 tokens.")),
              QStringLiteral("It has 5,000 tokens."));
    EXPECT_EQ(asSentence(QStringLiteral("/home/a/2026-1128.gguf is cut; 12 bytes are missing")),
              QStringLiteral("/home/a/2026-1128.gguf is cut; 12 bytes are missing."));
    EXPECT_EQ(asSentence(QString()), QString());
}

}  // namespace
}  // namespace lacuna::app
