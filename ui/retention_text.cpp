#include "ui/retention_text.h"

#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>

#include "ui/long_lines.h"

namespace lacuna::ui {

namespace {

constexpr float kTint = 0.24F;

QTextCharFormat formatOf(TokenFate fate, const Theme& theme) {
    QTextCharFormat format;
    const QColor colour = fateColour(fate, theme);
    QColor tint = colour;
    tint.setAlphaF(kTint);
    format.setBackground(tint);
    format.setForeground(theme.text);
    switch (fate) {
        case TokenFate::Evicted:
            format.setForeground(theme.secondary);
            format.setFontStrikeOut(true);
            break;
        case TokenFate::Merged:
            format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
            format.setUnderlineColor(colour);
            break;
        case TokenFate::Thinned:
            format.setUnderlineStyle(QTextCharFormat::DotLine);
            format.setUnderlineColor(colour);
            break;
        case TokenFate::Sink:
        case TokenFate::Recent:
        case TokenFate::Kept:
            break;
    }
    return format;
}

}  // namespace

QVector<TintRun> runsOf(const MessageTint& tint) {
    QVector<TintRun> runs;
    for (const app::TokenSpan& span : tint.spans) {
        const TokenFate fate = fateOf(*tint.view, span.token);
        const bool joins = !runs.isEmpty() && runs.back().fate == fate &&
                           runs.back().start + runs.back().length == span.start;
        if (joins) {
            runs.back().length += span.length;
        } else {
            runs.push_back({span.start, span.length, fate});
        }
    }
    return runs;
}

void writeTinted(QTextDocument& document, const QString& text, const QVector<TintRun>& runs,
                 const Theme& theme, qsizetype from, qsizetype to) {
    if (from == 0) document.clear();
    QTextCursor cursor(&document);
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    if (from == 0) {
        QTextBlockFormat block;
        block.setLineHeight(145, QTextBlockFormat::ProportionalHeight);
        cursor.setBlockFormat(block);
    }
    QTextCharFormat plain;
    plain.setForeground(theme.text);
    qsizetype written = from;
    const auto write = [&](qsizetype end, const QTextCharFormat& format) {
        end = std::min(end, to);
        if (end <= written) return;
        insertInBlocks(cursor, text.mid(written, end - written), format);
        written = end;
    };
    auto run = std::upper_bound(runs.begin(), runs.end(), from,
                                [](qsizetype at, const TintRun& one) { return at < one.start; });
    if (run != runs.begin()) --run;  // the one that `from` may lie in
    for (; run != runs.end() && run->start < to; ++run) {
        write(run->start, plain);
        write(run->start + run->length, formatOf(run->fate, theme));
    }
    write(to, plain);
    cursor.endEditBlock();
}

QString sentenceAt(const MessageTint& tint, qsizetype place) {
    const auto after =
        std::upper_bound(tint.spans.begin(), tint.spans.end(), place,
                         [](qsizetype at, const app::TokenSpan& span) { return at < span.start; });
    if (after == tint.spans.begin()) return {};
    const app::TokenSpan& span = *std::prev(after);
    return place < span.start + span.length ? tokenSentence(*tint.view, span.token) : QString();
}

}  // namespace lacuna::ui
