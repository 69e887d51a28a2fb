#pragma once
/// \file
/// A message with every word tinted by what the cache still holds of it: the words as they were
/// sent, not their formatting, since that is what tokens stand for. GUI thread.

#include <QString>
#include <QVector>
#include <memory>
#include <optional>

#include "app/state/retention_overlay.h"
#include "app/state/view_types.h"
#include "ui/token_fate.h"

class QTextDocument;

namespace lacuna::ui {

struct MessageTint {
    std::shared_ptr<const app::RetentionView> view;
    QVector<app::TokenSpan> spans;  ///< of this message, ascending
};

/// Neighbouring tokens of one fate.
struct TintRun {
    qsizetype start = 0, length = 0;
    TokenFate fate = TokenFate::Kept;
    friend bool operator==(const TintRun&, const TintRun&) = default;
};
[[nodiscard]] QVector<TintRun> runsOf(const MessageTint& tint);

/// Writes the signs of `text` from `from` up to `to` at the end of the document; from 0 in place of
/// what it holds. Evicted words are struck out, merged and thinned ones underlined: colour never
/// stands alone.
void writeTinted(QTextDocument& document, const QString& text, const QVector<TintRun>& runs,
                 const Theme& theme, qsizetype from, qsizetype to);
/// Sentence about the token at a place of the message; empty where there is none.
[[nodiscard]] QString sentenceAt(const MessageTint& tint, qsizetype place);

}  // namespace lacuna::ui
