#pragma once
/// \file
/// What the cache still holds of each token, in words and colours: the fate of a token in one word,
/// one colour and one sentence, and a message with every word tinted by it. GUI thread.

#include <QColor>
#include <QString>
#include <QTextCharFormat>
#include <QVector>
#include <memory>
#include <optional>

#include "app/state/retention_rows.h"
#include "app/state/view_types.h"
#include "ui/theme.h"

class QTextDocument;

namespace lacuna::ui {

// What became of a token of the cache, in one word, one colour and one sentence. Pure functions.

/// From its place, share and weight.
enum class TokenFate { Sink, Recent, Kept, Merged, Thinned, Evicted };
inline constexpr int kTokenFates = 6;

[[nodiscard]] TokenFate fateOf(const app::RetentionView& view, qsizetype token);
/// Whether some head does not hold it, or holds something made of it and others.
[[nodiscard]] constexpr bool isForgotten(TokenFate fate) {
    return fate == TokenFate::Evicted || fate == TokenFate::Thinned || fate == TokenFate::Merged;
}
/// "sink", "recent", "kept", "merged", "kept in part", "evicted".
[[nodiscard]] QString fateText(TokenFate fate);
[[nodiscard]] QColor fateColour(TokenFate fate, const Theme& theme);
/// Its text on one line: breaks and tabs become signs.
[[nodiscard]] QString visiblePiece(const app::RetentionView& view, qsizetype token);
/// "Token 812 of 4,096 "clause": kept in part, held by 64 % of layers and heads (whole in layers 1
/// to 3, none in 6), key 1.2 x the mean length"; evicted ones tell since which compaction.
[[nodiscard]] QString tokenSentence(const app::RetentionView& view, qsizetype token);
/// Layers that hold it in all, some and no heads: "all heads in layers 1-3, 7; none in 4-6".
[[nodiscard]] QString layersText(const app::RetentionView& view, qsizetype token);

/// A message with every word tinted by what the cache still holds of it. GUI thread.
struct MessageTint {
    std::shared_ptr<const app::RetentionView> view;
    QVector<app::TokenSpan> spans;  ///< of this message, ascending
};

/// Neighbouring tokens of one fate, all inside or all outside the weakest passage.
struct TintRun {
    qsizetype start = 0, length = 0;
    TokenFate fate = TokenFate::Kept;
    bool weakest = false;  ///< part of the passage of which least was kept
    friend bool operator==(const TintRun&, const TintRun&) = default;
};
[[nodiscard]] QVector<TintRun> runsOf(const MessageTint& tint);

/// What a tint adds to the format of words. Evicted words are struck out, merged and thinned ones
/// underlined, those of the weakest passage underlined by a wave: colour never stands alone.
[[nodiscard]] QTextCharFormat tintFormat(const TintRun& run, const Theme& theme);

/// Writes the signs of `text` from `from` up to `to` at the end of the document; from 0 in place of
/// what it holds.
void writeTinted(QTextDocument& document, const QString& text, const QVector<TintRun>& runs,
                 const Theme& theme, qsizetype from, qsizetype to);
/// Sentence about the token at a place of the message; empty where there is none.
[[nodiscard]] QString sentenceAt(const MessageTint& tint, qsizetype place);

}  // namespace lacuna::ui
