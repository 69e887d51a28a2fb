#pragma once
/// \file
/// What became of a token of the cache, in one word, one colour and one sentence. Pure functions.

#include <QColor>
#include <QString>

#include "app/state/view_types.h"
#include "ui/theme.h"

namespace lacuna::ui {

/// From its place, share and weight.
enum class TokenFate { Sink, Recent, Kept, Merged, Thinned, Evicted };
inline constexpr int kTokenFates = 6;

[[nodiscard]] TokenFate fateOf(const app::RetentionView& view, qsizetype token);
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

}  // namespace lacuna::ui
