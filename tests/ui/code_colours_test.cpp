#include "ui/chat/code_colours.h"

#include <gtest/gtest.h>

#include "tests/ui/offscreen.h"
#include "ui/style/theme.h"

namespace lacuna::ui {
namespace {

/// The runs of a line as "kind:text", one after another.
QStringList read(CodeReader& reader, const char* line) {
    const QString text = QString::fromUtf8(line);
    QStringList runs;
    qsizetype end = 0;
    for (const CodeRun& run : reader.read(text)) {
        EXPECT_EQ(run.from, end) << "runs leave no gap";
        end = run.from + run.length;
        static const QString kinds = QStringLiteral("pkscn");
        runs << kinds.at(static_cast<int>(run.kind)) + QLatin1Char(':') +
                    text.mid(run.from, run.length);
    }
    EXPECT_EQ(end, text.size());
    return runs;
}

QStringList list(std::initializer_list<const char*> texts) {
    QStringList all;
    for (const char* text : texts) all << QString::fromUtf8(text);
    return all;
}

TEST(CodeReader, tokensOfALanguage_haveTheirKinds) {
    CodeReader cpp(QStringLiteral("cpp"));
    EXPECT_EQ(read(cpp, "int x = 42; // why"),
              list({"k:int", "p: x = ", "n:42", "p:; ", "c:// why"}));
    EXPECT_EQ(read(cpp, "s = \"a \\\" // b\" + y"),
              list({"p:s = ", "s:\"a \\\" // b\"", "p: + y"}));
    EXPECT_EQ(read(cpp, "integer"), list({"p:integer"}));
}

TEST(CodeReader, commentAndString_spanSeveralLines) {
    CodeReader cpp(QStringLiteral("C++"));
    EXPECT_EQ(read(cpp, "a /* b"), list({"p:a ", "c:/* b"}));
    EXPECT_EQ(read(cpp, "int"), list({"c:int"}));
    EXPECT_EQ(read(cpp, "c */ int"), list({"c:c */", "p: ", "k:int"}));
    CodeReader python(QStringLiteral("python"));
    EXPECT_EQ(read(python, "x = \"\"\"one"), list({"p:x = ", "s:\"\"\"one"}));
    EXPECT_EQ(read(python, "two\"\"\" # end"), list({"s:two\"\"\"", "p: ", "c:# end"}));
    EXPECT_EQ(read(python, "'open"), list({"s:'open"}));
    EXPECT_EQ(read(python, "def"), list({"k:def"})) << "a short string ends with its line";
}

TEST(CodeReader, unknownLanguage_isPlain) {
    CodeReader none((QString()));
    EXPECT_EQ(read(none, "int x = \"1\";"), list({"p:int x = \"1\";"}));
    EXPECT_TRUE(none.read(QString()).isEmpty());
    CodeReader sql(QStringLiteral("sql"));
    EXPECT_EQ(read(sql, "SELECT a"), list({"k:SELECT", "p: a"}));
}

TEST(CodeReader, colours_haveEnoughContrastOnTheCodeBackground) {
    offscreenApplication();
    for (const Theme& theme : {Theme::light(), Theme::dark()})
        for (const QColor& ink :
             {theme.text, theme.accent, theme.good, theme.secondary, theme.pending})
            EXPECT_GE(contrastRatio(ink, theme.code), 4.5) << qPrintable(ink.name());
}

}  // namespace
}  // namespace lacuna::ui
