#pragma once
/// \file
/// Describes what the cache still holds of each token: the state of a token as a word, a colour and
/// a sentence, and messages tinted by it. GUI thread.

#include <QColor>
#include <QString>
#include <QTextCharFormat>
#include <QVector>
#include <memory>
#include <optional>

#include "app/state/telemetry/retention_rows.h"
#include "app/state/view_types.h"
#include "ui/style/theme.h"

class QTextDocument;

namespace lacuna::ui {

// The state of a cached token as a word, a colour and a sentence. Pure functions.

/// Derived from position, share and weight.
enum class RetentionState { Sink, Recent, Kept, Merged, Thinned, Evicted };
inline constexpr int kRetentionStates = 6;

[[nodiscard]] RetentionState retentionStateOf(const app::RetentionView& view, qsizetype token);
/// True if some head lost the token or holds only a merged entry of it and others.
[[nodiscard]] constexpr bool isEvicted(RetentionState state) {
    return state == RetentionState::Evicted || state == RetentionState::Thinned ||
           state == RetentionState::Merged;
}
/// "sink", "recent", "kept", "merged", "kept in part", "evicted".
[[nodiscard]] QString retentionStateText(RetentionState state);
[[nodiscard]] QColor retentionStateColour(RetentionState state, const Theme& theme);
/// Text of the token on one line; line breaks and tabs become visible characters.
[[nodiscard]] QString visiblePiece(const app::RetentionView& view, qsizetype token);
/// "Token 812 of 4,096 "clause": kept in part, held by 64 % of layers and heads (whole in layers 1
/// to 3, none in 6), key 1.2 x the mean length". For evicted tokens it names the compaction.
[[nodiscard]] QString tokenDescription(const app::RetentionView& view, qsizetype token);
/// Layers in which all, some or no heads hold it: "all heads in layers 1-3, 7; none in 4-6".
[[nodiscard]] QString layersText(const app::RetentionView& view, qsizetype token);

/// A message whose words are tinted by what the cache still holds of them. GUI thread.
struct MessageTint {
    std::shared_ptr<const app::RetentionView> view;
    QVector<app::TokenSpan> spans;  ///< spans of this message, ascending
};

/// Adjacent tokens with the same state, either all inside or all outside the weakest passage.
struct TintRun {
    qsizetype start = 0, length = 0;
    RetentionState state = RetentionState::Kept;
    bool weakest = false;  ///< part of the passage with the lowest retention
    friend bool operator==(const TintRun&, const TintRun&) = default;
};
[[nodiscard]] QVector<TintRun> runsOf(const MessageTint& tint);

/// Character format that a tint adds. Evicted words are struck out, merged and thinned ones
/// underlined, those of the weakest passage underlined by a wave, so no state depends on colour
/// alone.
[[nodiscard]] QTextCharFormat tintFormat(const TintRun& run, const Theme& theme);

/// Appends the characters [from, to) of `text` to the document; a `from` of 0 replaces its content.
void writeTinted(QTextDocument& document, const QString& text, const QVector<TintRun>& runs,
                 const Theme& theme, qsizetype from, qsizetype to);
/// Sentence about the token at a position of the message; empty if there is none.
[[nodiscard]] QString descriptionAt(const MessageTint& tint, qsizetype place);

}  // namespace lacuna::ui
