// Translated notes and statuses of compactions: the template is translated, then the arguments are
// inserted.

#include "app/state/engine/compaction_text.h"

#include <gtest/gtest.h>

#include <QHash>
#include <QTranslator>

#include "engine/values/compaction_values.h"
#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

class German final : public QTranslator {
  public:
    QString translate(const char* context, const char* source, const char*, int) const override {
        if (qstrcmp(context, "EngineTexts") == 0) return QStringLiteral(" / ");
        if (qstrcmp(context, "Engine") != 0) return {};
        static const QHash<QString, QString> words{
            {QStringLiteral("nothing to gain: %1 slots, the target is %2"),
             QStringLiteral("Ziel %2, jetzt %1")},
            {QStringLiteral("KeyDiff was used instead"), QStringLiteral("KeyDiff hat gewählt")},
            {QStringLiteral("reading the text again, %1 %"),
             QStringLiteral("Text wird gelesen, %1 %")}};
        return words.value(QString::fromUtf8(source));
    }
    [[nodiscard]] bool isEmpty() const override { return false; }
};

class CompactionTextTest : public ::testing::Test {
  protected:
    CompactionTextTest() {
        coreApplication();
        QCoreApplication::installTranslator(&german);
    }
    ~CompactionTextTest() override { QCoreApplication::removeTranslator(&german); }
    German german;
};

TEST_F(CompactionTextTest, notes_areTranslatedWithTheirArguments) {
    EXPECT_EQ(compactionText(CompactionNotes{noteOf(CompactionReason::NothingToGain, 1912, 8)}),
              QStringLiteral("Ziel 8, jetzt 1,912"));
    EXPECT_EQ(compactionText(CompactionNotes{noteOf(CompactionReason::Recorded, "as %1 was"),
                                             {CompactionReason::KeyDiffInstead}}),
              QStringLiteral("as %1 was / KeyDiff hat gewählt"));
    EXPECT_EQ(compactionText(CompactionNotes{}), QString());
}

TEST_F(CompactionTextTest, compactionState_isTranslatedWithItsNumbers) {
    CompactionState state;
    EXPECT_EQ(compactionText(state), QString());
    state.phase = CompactionPhase::Reading;
    state.progress = 0.43;
    EXPECT_EQ(compactionText(state), QStringLiteral("Text wird gelesen, 43 %"));
}

}  // namespace
}  // namespace lacuna::app
